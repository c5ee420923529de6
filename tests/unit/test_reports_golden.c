/*
 * A fixed run in every format, byte for byte; and the schema of report.json, which real reports must satisfy and
 * damaged ones must not. MM_UPDATE_GOLDEN=1 writes the run and the files anew: look at the difference before you
 * commit it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/json-schema.h"
#include "reports-fixture.h"
#include "reports/compare.h"
#include "reports/report.h"
#include "reports/text.h"

#define GOLDEN MM_TEST_FOLDER "/golden/reports/"
#define RUN    GOLDEN "run"

/* A bit of everything: faster, slower, equivalent and waiting tests, operations, a rate, a failed cell, a failed and a
 * noisy pass. */
static const struct fixture fixed = {
	.title = "Default build of MariaDB 10.11",
	.cells = { "mariadb/gcc/64/standard", "mariadb/gcc/64/optimized", "mariadb/gcc/32/standard" },
	.failed = { [2] = "compile: sql/sql_class.cc:42:10: fatal error: bits/c++config.h: No such file or directory" },
	.comparisons = { { 0, 1, { "flags" } }, { 0, 2, { "bits" } } },
	.tests = { { "ATIS", NULL, 15.4, { 1, 1.031 }, 0, { "select_simple_join", "select_join", "insert" } },
		   { "connect", NULL, 7.76, { 1, 0.972 }, 0, { NULL } },
		   { "insert", NULL, 76.03, { 1, 1.001 }, 0.31, { "insert", "update_with_key" } },
		   { "wisconsin", NULL, 0.66, { 1, 1.004 }, 0, { "wisc_benchmark" } } },
	.passes = 10,
	.control = true,
	.noise = 0.006,
	.seed = 2026,
	.gate = 3,
	.noisy_pass = 6,
};

static bool updating(void)
{
	return getenv("MM_UPDATE_GOLDEN") != NULL;
}

static json_t *make_fixed(void)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	if (updating()) {
		mm_fs_remove_tree(RUN, NULL);
		fixture_write(&fixed, RUN);
	}
	if (mm_report_make(RUN, &report, &err) != 0)
		fail_msg("%s", err.text);
	return report;
}

/* Where two texts part, for the eye. */
static void check_same(const char *path, const char *got, const char *wanted)
{
	size_t i = 0, line = 1;

	for (; got[i] != '\0' && got[i] == wanted[i]; i++)
		line += got[i] == '\n';
	if (got[i] != wanted[i])
		fail_msg("%s:%zu: got '%.60s', wanted '%.60s'", path, line, got + i, wanted + i);
}

/* Without gnuplot, whose output differs between its versions: see html_with_plots. */
static void every_format_is_as_it_was(void **unused)
{
	json_t *report = make_fixed();
	char *path_before = mm_strdup(getenv("PATH"));

	(void)unused;
	setenv("PATH", "/nonexistent", 1);
	for (const struct mm_report_format *format = mm_report_formats(); format->name != NULL; format++) {
		struct mm_buffer out = MM_BUFFER_INIT, wanted = MM_BUFFER_INIT;
		struct mm_error err = MM_ERROR_INIT;
		char *path = mm_format(GOLDEN "report%s", format->ending);

		assert_int_equal(format->render(report, &out, &err), 0);
		if (updating())
			assert_int_equal(mm_fs_write_atomic(path, mm_buffer_text(&out), out.length, &err), 0);
		if (mm_fs_read(path, 0, &wanted, &err) != 0)
			fail_msg("%s", err.text);
		check_same(path, mm_buffer_text(&out), mm_buffer_text(&wanted));
		mm_buffer_release(&out);
		mm_buffer_release(&wanted);
		free(path);
	}
	setenv("PATH", path_before, 1);
	free(path_before);
	json_decref(report);
}

static char *render(const json_t *report, const char *format)
{
	struct mm_buffer out = MM_BUFFER_INIT;

	assert_int_equal(mm_report_format_find(format)->render(report, &out, NULL), 0);
	return mm_buffer_detach(&out);
}

/* A report that was saved and loaded renders as the one that was made. */
static void a_loaded_report_renders_the_same(void **unused)
{
	json_t *report = make_fixed(), *loaded = mm_json_load(GOLDEN "report.json", NULL);

	(void)unused;
	assert_non_null(loaded);
	for (const struct mm_report_format *format = mm_report_formats(); format->name != NULL; format++) {
		char *one = render(report, format->name), *other = render(loaded, format->name);

		check_same(format->name, other, one);
		free(one);
		free(other);
	}
	json_decref(report);
	json_decref(loaded);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what)) != NULL) {
		n++;
		text++;
	}
	return n;
}

static void html_with_plots(void **unused)
{
	static const char *const forbidden[] = { "<script", "http:",  "https:", "url(",      "@import", "<link",
						 "<iframe", "onload", "xlink",  "\"black\"", "'black'" };
	json_t *report = make_fixed();
	char *page = render(report, "html");

	(void)unused;
	/* Overview; a forest, but none for the failed cell; four tests' passes, each for two comparisons. */
	assert_int_equal(count(page, "<svg "), 1 + 1 + 8);
	assert_int_equal(count(page, "</svg>"), 1 + 1 + 8);
	assert_int_equal(count(page, "<defs>"), 1);
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		if (strstr(page, forbidden[i]) != NULL)
			fail_msg("the page holds '%s'", forbidden[i]);
	assert_true(strstr(page, "<h2>Recommendation") < strstr(page, "<svg "));
	free(page);
	json_decref(report);
}

/* Cells that stand in no comparison show their figures; those that stand in one do not show them twice. */
static void cells_alone_have_figures(void **unused)
{
	static const char *const formats[] = { "table", "markdown", "html" };
	json_t *report = make_fixed(),
	       *tests = json_object_get(json_array_get(json_object_get(report, "comparisons"), 0), "tests");
	char mean[MM_FIGURE];

	(void)unused;
	mm_text_figure(json_object_get(json_object_get(json_array_get(tests, 2), "candidate"), "mean"), mean);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *text = render(report, formats[i]);

		/* the 32-bit cell failed before it was measured: there is nothing to show of it */
		assert_int_equal(count(text, "n no comparison"), 0);
		free(text);
	}
	json_object_set_new(report, "comparisons", json_array());
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *text = render(report, formats[i]);

		assert_int_equal(count(text, "n no comparison"), 2);
		assert_int_equal(count(text, mean), 1);
		free(text);
	}
	json_decref(report);
}

/* Tests that are thread counts have a curve; numbers in other names make none. */
static void sweeps_have_a_curve(void **unused)
{
	static const char *const names[][3] = { { "1 thread", "4 threads", "16 threads" },
						{ "query1", "query2", "query3" } };

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		json_t *tests = json_array();

		for (size_t j = 0; j < 3; j++)
			json_array_append_new(tests,
					      json_pack("{s:s, s:s, s:s, s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f}}", "test",
							names[i][j], "unit", "queries/s", "better", "higher",
							"baseline", "mean", 1000. + (double)j, "min", 990., "max",
							1010., "candidate", "mean", 1100., "min", 1090., "max", 1110.));
		json_t *report = json_pack("{s:s, s:[{s:s, s:o}]}", "title", "sweep", "comparisons", "suite", "s",
					   "tests", tests);
		char *page = render(report, "html");

		assert_int_equal(count(page, "rates over client threads"), i == 0);
		free(page);
		json_decref(report);
	}
}

static void the_flag_audit_is_shown(void **unused)
{
	json_t *report = make_fixed(), *cell = json_array_get(json_object_get(report, "cells"), 0);
	char *page;

	(void)unused;
	json_object_set_new(json_object_get(cell, "build"), "audit",
			    json_pack("{s:{s:s, s:s}, s:i, s:i, s:i, s:{s:i}, s:[s]}", "requested", "c", "-O2 <x>",
				      "cxx", "-O2", "units", 1504, "in_force", 1504, "exact", 1490, "levels", "-O2",
				      1504, "warnings", "14 units were given more than was asked for"));
	page = render(report, "html");
	assert_non_null(strstr(page, "flag audit"));
	assert_non_null(strstr(page, "1504"));
	assert_null(strstr(page, "<x>"));
	free(page);
	json_decref(report);
}

/* What a terminal shows stays within 80 columns. */
static void the_table_is_80_columns_wide(void **unused)
{
	json_t *report = make_fixed();
	char *table = render(report, "table");

	(void)unused;
	for (const char *line = table; *line != '\0';) {
		size_t length = strcspn(line, "\n");

		if (length > 80)
			fail_msg("%zu columns: '%.*s'", length, (int)length, line);
		line += length + 1;
	}
	free(table);
	json_decref(report);
}

/* ---- the schema ---- */

static json_t *schema(void)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *loaded = mm_json_load(MM_SOURCE_FOLDER "/docs/report.schema.json", &err);

	if (loaded == NULL)
		fail_msg("%s", err.text);
	return loaded;
}

static void check_valid(const json_t *against, const json_t *report, const char *what)
{
	struct schema_check check = { .root = against };

	if (!schema_valid(&check, against, report, "$"))
		fail_msg("%s: %s", what, check.trouble);
}

static json_t *made_of(const struct fixture *fixture)
{
	char *folder = fixture_folder();
	json_t *report = NULL;

	fixture_write(fixture, folder);
	assert_int_equal(mm_report_make(folder, &report, NULL), 0);
	fixture_remove(folder);
	return report;
}

static void reports_satisfy_the_schema(void **unused)
{
	json_t *against = schema();
	struct fixture variants[5];

	(void)unused;
	for (size_t i = 0; i < 5; i++)
		variants[i] = fixed;
	variants[1].passes = 2;
	variants[1].control = false;
	variants[2].failed[2] = NULL;
	variants[2].wrong_test = 1;
	variants[2].failed_pass = 3;
	variants[3].failed[0] = "configure: no compiler";
	variants[4].comparisons[0] = variants[4].comparisons[1] = (struct fixture_comparison){ 0, 0, { NULL } };
	variants[4].gate = 0;
	for (size_t i = 0; i < 5; i++) {
		json_t *report = made_of(&variants[i]);

		check_valid(against, report, "variant");
		json_decref(report);
	}
	json_decref(against);
}

static json_t *compared(const char *baseline, const char *candidate, const struct mm_compare_options *options)
{
	json_t *report = NULL;
	struct mm_error err = MM_ERROR_INIT;

	if (mm_compare_files(baseline, candidate, options, &report, &err) != 0)
		fail_msg("%s", err.text);
	return report;
}

static void comparisons_satisfy_the_schema(void **unused)
{
	char *folder = fixture_folder(), *small = mm_path_join(folder, "small.json");
	json_t *against = schema(), *report;
	const struct mm_compare_options cells = { .baseline_cell = "mariadb/gcc/64/standard",
						  .candidate_cell = "mariadb/gcc/64/optimized" };
	const struct mm_compare_options unpaired = { .unpaired = true };

	(void)unused;
	report = compared(GOLDEN "report.json", GOLDEN "report.json", &cells);
	check_valid(against, report, "cells of one report");
	json_decref(report);
	report = json_pack("{s:i, s:s, s:s, s:s, s:{s:{s:s, s:s, s:[f, f], s:b}, s:{s:s, s:s}}}", "mymatrix_result", 1,
			   "cell", "x", "suite", "s", "note", "by hand", "tests", "t", "unit", "s", "better", "lower",
			   "samples", 1.0, 2.0, "aggregated", 1, "u", "better", "lower", "skipped", "not today");
	assert_int_equal(mm_json_save(small, report, NULL), 0);
	json_decref(report);
	report = compared(small, small, &unpaired);
	check_valid(against, report, "small files");
	json_decref(report);
	json_decref(against);
	free(small);
	fixture_remove(folder);
}

static int check_documented(void *against, const char *path, const char *relative)
{
	json_t *report = strstr(relative, ".json") != NULL ? mm_json_load(path, NULL) : NULL;

	if (json_object_get(report, "mymatrix_report") != NULL)
		check_valid(against, report, relative);
	json_decref(report);
	return 0;
}

/* The reports of real runs that the documentation shows. */
static void documented_reports_satisfy_the_schema(void **unused)
{
	json_t *against = schema();

	(void)unused;
	mm_fs_walk(MM_SOURCE_FOLDER "/docs", check_documented, against, NULL);
	json_decref(against);
}

static void damaged_reports_do_not(void **unused)
{
	json_t *against = schema(), *report;

	(void)unused;
	for (int damage = 0; damage < 6; damage++) {
		struct schema_check check = { .root = against };
		json_t *comparison, *test;

		report = mm_json_load(GOLDEN "report.json", NULL);
		comparison = json_array_get(json_object_get(report, "comparisons"), 0);
		test = json_array_get(json_object_get(comparison, "tests"), 0);
		if (damage == 0)
			json_object_del(report, "gate");
		else if (damage == 1)
			mm_json_put_string(report, "surprise", "x");
		else if (damage == 2)
			mm_json_put_string(test, "delta_percent", "3%");
		else if (damage == 3)
			mm_json_put_string(test, "verdict", "better");
		else if (damage == 4)
			json_array_append_new(json_object_get(test, "interval_percent"), json_real(1));
		else
			mm_json_put_integer(report, "mymatrix_report", 2);
		assert_false(schema_valid(&check, against, report, "$"));
		assert_true(check.trouble[0] != '\0');
		json_decref(report);
	}
	json_decref(against);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_as_it_was),
		cmocka_unit_test(a_loaded_report_renders_the_same),
		cmocka_unit_test(html_with_plots),
		cmocka_unit_test(sweeps_have_a_curve),
		cmocka_unit_test(cells_alone_have_figures),
		cmocka_unit_test(the_flag_audit_is_shown),
		cmocka_unit_test(the_table_is_80_columns_wide),
		cmocka_unit_test(reports_satisfy_the_schema),
		cmocka_unit_test(comparisons_satisfy_the_schema),
		cmocka_unit_test(documented_reports_satisfy_the_schema),
		cmocka_unit_test(damaged_reports_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
