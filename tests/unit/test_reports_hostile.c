/*
 * Files that were damaged at random, with fixed seeds: whatever comes, a reader gives a result or an error with a text,
 * and every renderer ends. Meant to be run under the sanitizers too. MM_MUTATIONS sets the number of each kind
 * (default 60).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reports-fixture.h"
#include "reports/compare.h"
#include "reports/gate.h"
#include "reports/import.h"
#include "reports/report.h"

#define GOLDEN MM_TEST_FOLDER "/golden/"

static uint64_t state;
static char *folder;

static size_t below(size_t limit)
{
	return limit > 0 ? (size_t)(fixture_random(&state) % limit) : 0;
}

static int mutations(void)
{
	const char *wanted = getenv("MM_MUTATIONS");

	return wanted != NULL && strtol(wanted, NULL, 10) > 0 ? (int)strtol(wanted, NULL, 10) : 60;
}

/* No gnuplot: thousands of pages are made. */
static int setup(void **unused)
{
	(void)unused;
	setenv("PATH", "/nonexistent", 1);
	folder = fixture_folder();
	return 0;
}

static int teardown(void **unused)
{
	(void)unused;
	fixture_remove(folder);
	return 0;
}

/* ---- bytes ---- */

static const char *const tokens[] = { "-1",   "1e308", "1e-320", "null", "\"\"", "{}", "[]",   "99999999999", "nan",
				      "\n\n", "\xff",  ",",      "\"",   "(",    ":",  "%s%n", "0",           "true" };

static void splice(struct mm_buffer *text, size_t at, size_t cut, const char *insert, size_t length)
{
	struct mm_buffer out = MM_BUFFER_INIT;

	mm_buffer_append(&out, text->data, at);
	mm_buffer_append(&out, insert, length);
	mm_buffer_append(&out, text->data + at + cut, text->length - at - cut);
	mm_buffer_release(text);
	*text = out;
}

static void mutate_bytes(struct mm_buffer *text)
{
	size_t at = below(text->length), left = text->length - at, cut = below(left < 40 ? left : 40);
	const char *token = tokens[below(sizeof(tokens) / sizeof(*tokens))];

	switch (below(4)) {
	case 0:
		splice(text, at, cut, "", 0);
		break;
	case 1:
		splice(text, at, cut > 3 ? 3 : cut, token, strlen(token));
		break;
	case 2:
		splice(text, at, left > 1 ? 1 : 0, &(char){ (char)(1 + below(255)) }, 1);
		break;
	default:
		splice(text, at, left, "", 0); /* cut off */
	}
}

/* A damaged copy of FILE. The path is allocated. */
static char *damaged_copy(const char *file, int times)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, "damaged");

	assert_int_equal(mm_fs_read(file, 0, &text, NULL), 0);
	for (int i = 0; i < times && text.length > 0; i++)
		mutate_bytes(&text);
	assert_int_equal(mm_fs_write_atomic(path, mm_buffer_text(&text), text.length, NULL), 0);
	mm_buffer_release(&text);
	return path;
}

static void render_all(const json_t *report)
{
	for (const struct mm_report_format *format = mm_report_formats(); format->name != NULL; format++) {
		struct mm_buffer out = MM_BUFFER_INIT;

		assert_int_equal(format->render(report, &out, NULL), 0);
		assert_true(out.length > 0);
		assert_null(strstr(mm_buffer_text(&out), ": nan"));
		mm_buffer_release(&out);
	}
	mm_report_decide(report);
}

static void damaged_result_files(void **unused)
{
	char *small = mm_path_join(folder, "small.json");
	static const char text[] =
		"{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"classic\", \"run\": \"r\", \"tests\": "
		"{\"ATIS\": {\"unit\": \"s\", \"better\": \"lower\", \"samples\": [15.4, 15.5, null, 15.6, 15.3, "
		"15.2, 15.1], \"server_cpu\": [14, 14.1], \"operations\": {\"insert\": {\"count\": 5, \"samples\": "
		"[1, 2, 3]}}}, \"connect\": {\"better\": \"higher\", \"unit\": \"q/s\", \"samples\": [5]}}}";
	const struct mm_compare_options cells[] = { { .unpaired = true },
						    { .baseline_cell = "mariadb/gcc/64/standard",
						      .candidate_cell = "mariadb/gcc/64/optimized" } };
	const char *const files[] = { small, GOLDEN "reports/report.json" };
	int accepted = 0;

	(void)unused;
	assert_int_equal(mm_fs_write_atomic(small, text, strlen(text), NULL), 0);
	state = 1;
	for (int i = 0; i < 2 * mutations(); i++) {
		char *path = damaged_copy(files[i % 2], 1 + (int)below(4));
		struct mm_error err = MM_ERROR_INIT;
		json_t *report = NULL;
		int code = mm_compare_files(path, files[i % 2], &cells[i % 2], &report, &err);

		if (code == 0)
			render_all(report);
		assert_int_equal(code == 0, err.text[0] == '\0');
		accepted += code == 0;
		json_decref(report);
		free(path);
	}
	assert_true(accepted > 0); /* some damage is harmless: then the rest was run too */
	free(small);
}

static void damaged_foreign_output(void **unused)
{
	static const struct {
		const char *kind, *file;
	} files[] = {
		{ "sysbench", GOLDEN "reports/sysbench/1.0-intervals.txt" },
		{ "sysbench", GOLDEN "reports/sysbench/master-cpu.txt" },
		{ "sql-bench", GOLDEN "reports/sql-bench/RUN-mysql-Linux_2.6_x86_64" },
		{ "sql-bench", GOLDEN "reports/sql-bench/unnamed.txt" },
		{ "csv", GOLDEN "reports/report.csv" },
	};
	const struct mm_import_options options = { .cell = "mariadb/gcc/64/standard" };

	(void)unused;
	state = 2;
	for (int i = 0; i < 5 * mutations(); i++) {
		char *path = damaged_copy(files[i % 5].file, 1 + (int)below(6)),
		     *saved = mm_path_join(folder, "imported.json");
		struct mm_strings list = MM_STRINGS_INIT;
		struct mm_error err = MM_ERROR_INIT;
		json_t *result = NULL, *report = NULL;

		mm_strings_push(&list, path);
		if (mm_import(files[i % 5].kind, &list, &options, &result, &err) == 0) { /* then it is a result file */
			const struct mm_compare_options unpaired = { .unpaired = true };

			assert_int_equal(mm_json_save(saved, result, NULL), 0);
			if (mm_compare_files(saved, saved, &unpaired, &report, &err) != 0)
				fail_msg("an imported file is no result file: %s", err.text);
		} else {
			assert_true(err.text[0] != '\0');
		}
		mm_strings_release(&list);
		json_decref(result);
		json_decref(report);
		free(path);
		free(saved);
	}
}

/* ---- values ---- */

static json_t *random_value(void)
{
	switch (below(8)) {
	case 0:
		return json_null();
	case 1:
		return json_integer((json_int_t)fixture_random(&state));
	case 2:
		return json_real(-1e300);
	case 3:
		return json_string("</pre>\x1b[31m`|,\"\n");
	case 4:
		return json_object();
	case 5:
		return json_array();
	case 6:
		return json_true();
	default:
		return json_real(1e-310);
	}
}

/* Replaces or removes one member somewhere below VALUE. */
static void mutate_value(json_t *value, int depth)
{
	size_t place;

	if (json_is_array(value) && json_array_size(value) > 0) {
		place = below(json_array_size(value));
		if (depth > 0 && below(4) > 0)
			mutate_value(json_array_get(value, place), depth - 1);
		else if (below(2) == 0)
			json_array_remove(value, place);
		else
			json_array_set_new(value, place, random_value());
	} else if (json_is_object(value) && json_object_size(value) > 0) {
		void *member = json_object_iter(value);

		for (place = below(json_object_size(value)); place > 0; place--)
			member = json_object_iter_next(value, member);
		if (depth > 0 && below(4) > 0)
			mutate_value(json_object_iter_value(member), depth - 1);
		else if (below(2) == 0)
			json_object_del(value, json_object_iter_key(member));
		else
			json_object_iter_set_new(value, member, random_value());
	}
}

static void damaged_reports_render_all_the_same(void **unused)
{
	json_t *good = mm_json_load(GOLDEN "reports/report.json", NULL);

	(void)unused;
	assert_non_null(good);
	state = 3;
	for (int i = 0; i < mutations(); i++) {
		json_t *report = json_deep_copy(good);

		for (size_t times = 1 + below(20); times > 0; times--)
			mutate_value(report, 8);
		render_all(report);
		mm_report_gate(report, 3, NULL, NULL, NULL);
		json_decref(report);
	}
	json_decref(good);
}

/* A whole run folder with one damaged file. */
static void damaged_run_folders(void **unused)
{
	static const char *const files[] = { "plan.json", "cells.json", "passes/a/classic-01.json",
					     "passes/b/classic-02.json" };
	const struct fixture fixture = { .title = "t",
					 .cells = { "a", "b" },
					 .comparisons = { { 0, 1, { "flags" } } },
					 .tests = { { "ATIS", NULL, 15, { 0 }, 0, { "insert" } } },
					 .passes = 3,
					 .noise = 0.01 };
	char *run = mm_path_join(folder, "run");

	(void)unused;
	fixture_write(&fixture, run);
	state = 4;
	for (int i = 0; i < mutations(); i++) {
		char *victim = mm_path_join(run, files[i % 4]), *damaged = damaged_copy(victim, 1 + (int)below(3));
		struct mm_buffer before = MM_BUFFER_INIT;
		struct mm_error err = MM_ERROR_INIT;
		json_t *report = NULL;
		int code;

		assert_int_equal(mm_fs_read(victim, 0, &before, NULL), 0);
		assert_int_equal(mm_fs_rename(damaged, victim, NULL), 0);
		code = mm_report_make(run, &report, &err);
		if (code == 0)
			render_all(report);
		else
			assert_true(err.text[0] != '\0');
		assert_int_equal(mm_fs_write_atomic(victim, before.data, before.length, NULL), 0);
		json_decref(report);
		mm_buffer_release(&before);
		free(damaged);
		free(victim);
	}
	free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_result_files),
		cmocka_unit_test(damaged_foreign_output),
		cmocka_unit_test(damaged_reports_render_all_the_same),
		cmocka_unit_test(damaged_run_folders),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
