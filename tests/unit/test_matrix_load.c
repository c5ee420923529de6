/* What the golden files do not show: the command line's changes, look-ups, places, 100,000 cells, damaged files. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "matrix/matrix.h"

#define GOLDEN MM_TEST_FOLDER "/golden/matrix/"

static char scratch[4096]; /* a file that tests write a matrix to */

static int make_scratch(void **state)
{
	(void)state;
	const char *folder = getenv("TMPDIR");
	(void)snprintf(scratch, sizeof scratch, "%s/mm-matrix-XXXXXX", folder ? folder : "/tmp");
	int fd = mkstemp(scratch);
	return fd < 0 ? -1 : close(fd);
}

static int drop_scratch(void **state)
{
	(void)state;
	return unlink(scratch);
}

/* Plain writing: the atomic one syncs, which thousands of damaged files do not need. */
static void write_scratch(const char *bytes, size_t length)
{
	FILE *file = fopen(scratch, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static struct mm_matrix *load(const char *name, const struct mm_matrix_overrides *overrides)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	char *path = mm_format("%s%s.json", GOLDEN, name);
	if (mm_matrix_load(path, overrides, &matrix, &err))
		fail_msg("%s", err.text);
	free(path);
	return matrix;
}

/* Loads with OVERRIDES, which must be refused with MM_EUSAGE and exactly TEXT. */
static void expect_usage(const char *name, const struct mm_matrix_overrides *overrides, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	char *path = mm_format("%s%s.json", GOLDEN, name);
	assert_int_equal(mm_matrix_load(path, overrides, &matrix, &err), MM_EUSAGE);
	assert_null(matrix);
	assert_int_equal(err.code, MM_EUSAGE);
	const char *said = strstr(err.text, text);
	if (!said || (said != err.text && said[strlen(text)]))
		fail_msg("expected '%s', found '%s'", text, err.text);
	free(path);
}

static void parts_of_a_matrix(void **state)
{
	(void)state;
	struct mm_matrix *matrix = load("good-everything", NULL);
	const struct mm_source *source = &matrix->sources[0], *packages = &matrix->sources[1];
	assert_string_equal(matrix->title, "Default build of MariaDB 10.11");
	assert_string_equal(matrix->folder, MM_TEST_FOLDER "/golden/matrix");
	assert_string_equal(source->path, GOLDEN "sources/mariadb.tar.gz");
	assert_string_equal(source->sha256, "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
	assert_string_equal(source->build.system, "cmake");
	assert_string_equal(source->build.options.items[0], "-DPLUGIN_ROCKSDB=NO");
	assert_string_equal(source->build.targets.items[0], "mariadbd");
	assert_string_equal(source->build.env.items[0], "K=v=w");
	assert_false(source->build.has_profiles);
	assert_int_equal(packages->kind, MM_SOURCE_PACKAGES);
	assert_int_equal(packages->packages.count, 2);
	assert_string_equal(packages->packages.items[1], GOLDEN "debs/libssl3_i386.deb");
	assert_string_equal(matrix->toolchains[0].cc, "gcc-12");          /* looked up along PATH */
	assert_string_equal(matrix->toolchains[0].cxx, GOLDEN "bin/g++"); /* a path */
	assert_null(matrix->toolchains[0].ld);
	assert_int_equal(matrix->config_count, 1);
	assert_string_equal(matrix->configs[0].name, "default");
	assert_true(matrix->schedule.control && !matrix->schedule.relink && matrix->schedule.no_aslr);
	assert_int_equal(matrix->schedule.seed, 7);
	assert_string_equal(matrix->schedule.cpus_server, "0,2-3");
	assert_true(matrix->gate.present);
	assert_string_equal(matrix->gate.metric, "server-cpu");
	assert_int_equal(matrix->build.audit, MM_AUDIT_OFF);
	assert_int_equal(matrix->build.keep, MM_KEEP_ALWAYS);
	for (size_t i = 0; i < matrix->cell_count; i++) {
		assert_int_equal(matrix->cells[i].index, i);
		assert_ptr_equal(mm_matrix_cell(matrix, matrix->cells[i].id), &matrix->cells[i]);
	}
	const struct mm_cell *cell = mm_matrix_cell(matrix, "debian-i386");
	assert_non_null(cell);
	assert_null(cell->toolchain);
	assert_null(cell->flags);
	assert_int_equal(cell->bits, 32);
	assert_null(mm_matrix_cell(matrix, "debian-i386/"));
	assert_null(mm_matrix_cell(matrix, ""));
	mm_matrix_free(matrix);
}

static void defaults(void **state)
{
	(void)state;
	struct mm_matrix *matrix = load("good-minimal", NULL);
	assert_string_equal(matrix->title, "good-minimal.json");
	assert_string_equal(matrix->toolchains[0].cxx, "g++");
	assert_int_equal(matrix->suite_count, 1);
	assert_int_equal(matrix->suites[0].passes, 10);
	assert_true(matrix->suites[0].scale > 0.999 && matrix->suites[0].scale < 1.001);
	assert_string_equal(matrix->suites[0].edition, "5.0");
	assert_string_equal(matrix->suites[0].engine, "default");
	assert_int_equal(matrix->schedule.seed, 1);
	assert_false(matrix->gate.present);
	assert_int_equal(matrix->build.keep, MM_KEEP_ON_FAILURE);
	assert_null(matrix->executor);
	mm_matrix_free(matrix);
}

static void places(void **state)
{
	(void)state;
	struct mm_matrix *matrix = load("good-everything", NULL);
	char *place = mm_matrix_place(matrix, "$.sources[\"mariadb-10.11\"].sha256");
	assert_string_equal(place, GOLDEN "good-everything.json:5:61: $.sources[\"mariadb-10.11\"].sha256");
	free(place);
	place = mm_matrix_place(matrix, "$.nothing");
	assert_string_equal(place, GOLDEN "good-everything.json: $.nothing");
	free(place);
	mm_matrix_free(matrix);
}

static void resolved_flags(void **state)
{
	(void)state;
	struct mm_matrix *matrix = load("good-flags", NULL);
	struct mm_flag_words words;
	const struct mm_flagset *both = mm_matrix_cell(matrix, "a/gcc/32/both")->flags;
	mm_flags_resolve(matrix, both, MM_FAMILY_GCC, 32, &words);
	assert_string_equal(words.cxx, "-O2 -O3 -msse2 -mfpmath=sse -flto=auto -g");
	assert_string_equal(words.cpp, "");
	mm_flag_words_release(&words);
	assert_null(words.c);
	mm_flags_resolve(matrix, both, MM_FAMILY_SUNSTUDIO, 64, &words);
	assert_string_equal(words.c, "-xO2 -O3 -g");
	mm_flag_words_release(&words);
	mm_matrix_free(matrix);
}

static void overridden_sources(void **state)
{
	(void)state;
	struct mm_matrix_overrides overrides;
	mm_matrix_overrides_init(&overrides);
	mm_strings_push(&overrides.sources, "mariadb-10.11=/elsewhere/a=b.tar.gz");
	struct mm_matrix *matrix = load("good-everything", &overrides);
	assert_string_equal(matrix->sources[0].path, "/elsewhere/a=b.tar.gz");
	assert_non_null(matrix->sources[0].sha256);
	mm_matrix_free(matrix);
	mm_matrix_overrides_release(&overrides);

	mm_strings_push(&overrides.sources, "mariadb-10.11=here.tar.gz");
	matrix = load("good-everything", &overrides);
	char *here = mm_path_absolute(NULL, "here.tar.gz");
	assert_string_equal(matrix->sources[0].path, here);
	free(here);
	mm_matrix_free(matrix);
	mm_matrix_overrides_release(&overrides);

	mm_strings_push(&overrides.sources, "a=https://example.org/y.git");
	matrix = load("good-source-git", &overrides);
	assert_string_equal(matrix->sources[0].path, "https://example.org/y.git");
	mm_matrix_free(matrix);
	mm_matrix_overrides_release(&overrides);
}

static void wrong_sources(void **state)
{
	(void)state;
	static const struct {
		const char *given, *said;
	} cases[] = {
		{ "mariadb=x", "good-everything.json has no source 'mariadb' (known: mariadb-10.11, debian-i386)" },
		{ "mariadb-10.1=x", "has no source 'mariadb-10.1' (did you mean 'mariadb-10.11'?)" },
		{ "x", "--source: expected NAME=PATH, found 'x'" },
		{ "=x", "--source: expected NAME=PATH, found '=x'" },
		{ "mariadb-10.11=", "--source: expected NAME=PATH, found 'mariadb-10.11='" },
		{ "debian-i386=x", "--source: 'debian-i386' is made of packages, which have no one path to replace" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mm_matrix_overrides overrides;
		mm_matrix_overrides_init(&overrides);
		mm_strings_push(&overrides.sources, cases[i].given);
		expect_usage("good-everything", &overrides, cases[i].said);
		mm_matrix_overrides_release(&overrides);
	}
}

static void overridden_numbers(void **state)
{
	(void)state;
	struct mm_matrix_overrides overrides;
	mm_matrix_overrides_init(&overrides);
	overrides.passes = 2;
	overrides.scale = 0.125;
	overrides.jobs = 5;
	overrides.max_regression_percent = 0;
	struct mm_matrix *matrix = load("good-limits", &overrides);
	for (size_t i = 0; i < matrix->suite_count; i++) {
		assert_int_equal(matrix->suites[i].passes, 2);
		assert_true(matrix->suites[i].scale > 0.1249 && matrix->suites[i].scale < 0.1251);
	}
	assert_int_equal(matrix->build.jobs, 5);
	assert_true(matrix->gate.present);
	mm_matrix_free(matrix);
	overrides.passes = 1001;
	expect_usage("good-minimal", &overrides, "--passes: expected a number from 1 to 1000, found 1001");
	overrides.passes = 0;
	overrides.scale = -1;
	expect_usage("good-minimal", &overrides, "--scale: expected a number above 0 and at most 1000, found -1");
	overrides.scale = 0;
	overrides.jobs = -3;
	expect_usage("good-minimal", &overrides, "--jobs: expected a number from 1 to 4096, found -3");
	overrides.jobs = 0;
	overrides.max_regression_percent = 1e9;
	expect_usage("good-minimal", &overrides, "--max-regression: expected a number from 0 to 100, found 1e+09");
	mm_matrix_overrides_release(&overrides);
}

static void selected_cells(void **state)
{
	(void)state;
	struct mm_matrix_overrides overrides;
	mm_matrix_overrides_init(&overrides);
	mm_strings_push(&overrides.cell_globs, "*/64/*");
	struct mm_matrix *matrix = load("good-compare-flags", &overrides);
	assert_int_equal(matrix->cell_count, 2);
	assert_string_equal(matrix->cells[1].id, "a/gcc/64/o3");
	assert_null(mm_matrix_cell(matrix, "a/gcc/32/o2"));
	assert_ptr_equal(mm_matrix_cell(matrix, "a/gcc/64/o3"), &matrix->cells[1]);
	assert_int_equal(matrix->comparison_count, 1);
	assert_ptr_equal(matrix->comparisons[0].baseline, &matrix->cells[0]);
	assert_ptr_equal(matrix->comparisons[0].candidate, &matrix->cells[1]);
	assert_int_equal(matrix->cells[1].index, 1);
	mm_matrix_free(matrix);

	mm_strings_push(&overrides.cell_globs, "a/gcc/32/o2"); /* a second glob adds */
	matrix = load("good-compare-bits", &overrides);
	assert_int_equal(matrix->cell_count, 3);
	assert_int_equal(matrix->comparison_count, 1);
	assert_string_equal(matrix->comparisons[0].id, "a/gcc/32/o2 vs a/gcc/64/o2");
	mm_matrix_free(matrix);

	mm_strings_push(&overrides.cell_globs, "a/gcc/64/o4");
	expect_usage("good-minimal", &overrides, "--cell: no cell matches 'a/gcc/64/o4' (did you mean 'a/gcc/64/o2'?)");
	mm_matrix_overrides_release(&overrides);
}

/* What is refused is what the kept cells ask for. */
static void selection_and_support(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	mm_matrix_overrides_init(&overrides);
	struct mm_matrix *matrix = load("refused-pgo", &overrides);
	assert_int_equal(mm_matrix_check_supported(matrix, &err), MM_EMATRIX);
	mm_matrix_free(matrix);
	mm_strings_push(&overrides.cell_globs, "*/o3");
	matrix = load("refused-pgo", &overrides);
	mm_error_clear(&err);
	assert_int_equal(mm_matrix_check_supported(matrix, &err), 0);
	mm_matrix_free(matrix);
	mm_matrix_overrides_release(&overrides);
}

static void files_that_are_none(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	assert_int_equal(mm_matrix_load(GOLDEN "no-such.json", NULL, &matrix, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "no-such.json': name a MATRIX.json, or write one with 'mymatrix init'"));
	mm_error_clear(&err);
	assert_int_equal(mm_matrix_load(GOLDEN, NULL, &matrix, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "is a folder: name the MATRIX.json in it"));
	assert_null(matrix);
}

/* 500 sources x 2 toolchains x 2 bits x 50 flag sets, two comparisons for each pair. */
/* A matrix that somebody goes on with, and what was found out about its git sources. */
static void text_of_a_matrix(void **state)
{
	static const char text[] = "{ \"mymatrix\": 1, \"sources\": { \"g\": { \"git\": \"repo\", \"ref\": \"main\" }, "
				   "\"p\": { \"prefix\": \"in/place\" } }, \"matrix\": { \"source\": [\"p\"] }, "
				   "\"suites\": [ { \"name\": \"s\", \"suite\": \"sql-bench\" } ] }";
	struct mm_matrix *matrix;
	struct mm_matrix_overrides overrides;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	mm_matrix_overrides_init(&overrides);
	mm_strings_push(&overrides.commits, "g=0123");
	if (mm_matrix_parse("/nowhere/MATRIX.json", text, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	assert_string_equal(mm_matrix_text(matrix), text);
	assert_string_equal(matrix->path, "/nowhere/MATRIX.json");
	for (size_t i = 0; i < matrix->source_count; i++) {
		if (matrix->sources[i].kind == MM_SOURCE_GIT)
			assert_string_equal(matrix->sources[i].commit, "0123");
		else
			assert_string_equal(matrix->sources[i].path, "/nowhere/in/place");
	}
	mm_matrix_free(matrix);
	mm_strings_push(&overrides.commits, "p=0123");
	assert_int_equal(mm_matrix_parse("/nowhere/MATRIX.json", text, &overrides, &matrix, &err), MM_EUSAGE);
	assert_non_null(strstr(err.text, "'p' is no git source"));
	mm_error_clear(&err);
	assert_int_equal(mm_matrix_parse("/nowhere/MATRIX.json", "", NULL, &matrix, &err), MM_EMATRIX);
	mm_error_clear(&err);
	/* of nobody knows where */
	assert_int_equal(mm_matrix_parse("", "{", NULL, &matrix, &err), MM_EMATRIX);
	assert_ptr_equal(strstr(err.text, "(matrix):1:1: $: not JSON"), err.text);
	mm_matrix_overrides_release(&overrides);
}

static void hundred_thousand_cells(void **state)
{
	(void)state;
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	mm_buffer_puts(&text, "{ \"mymatrix\": 1, \"sources\": {");
	for (int i = 0; i < 500; i++)
		mm_buffer_printf(&text, "%s\"source-%d\": { \"tarball\": \"%d.tar.gz\" }", i ? ", " : "", i, i);
	mm_buffer_puts(&text, "}, \"toolchains\": { \"gcc\": { \"family\": \"gcc\" }, \"clang\": { \"family\": "
			      "\"clang\" } }, \"flags\": {");
	for (int i = 0; i < 50; i++)
		mm_buffer_printf(&text, "%s\"set-%d\": { \"*\": \"-O2 -DSET=%d\" }", i ? ", " : "", i, i);
	mm_buffer_puts(&text,
		       "}, \"matrix\": { \"toolchain\": [\"gcc\", \"clang\"], \"bits\": [32, 64], \"source\": [");
	for (int i = 0; i < 500; i++)
		mm_buffer_printf(&text, "%s\"source-%d\"", i ? ", " : "", i);
	mm_buffer_puts(&text, "], \"flags\": [");
	for (int i = 0; i < 50; i++)
		mm_buffer_printf(&text, "%s\"set-%d\"", i ? ", " : "", i);
	/* a thousand exclude entries that drop two cells in all, and as many includes that bring them back */
	mm_buffer_puts(&text, "], \"exclude\": [");
	for (int i = 0; i < 1000; i++)
		mm_buffer_printf(&text, "%s{ \"source\": \"source-7\", \"flags\": \"set-3\", \"bits\": %d }",
				 i ? ", " : "", 32);
	mm_buffer_puts(&text, "], \"include\": [");
	for (int i = 0; i < 1000; i++)
		mm_buffer_printf(
			&text,
			"%s{ \"source\": \"source-7\", \"flags\": \"set-3\", \"bits\": 32, \"toolchain\": \"%s\" }",
			i ? ", " : "", i % 2 ? "gcc" : "clang");
	mm_buffer_puts(&text, "] }, \"compare\": [{ \"axis\": \"bits\", \"baseline\": 32, \"candidate\": 64 }, "
			      "{ \"axis\": \"toolchain\", \"baseline\": \"gcc\", \"candidate\": \"clang\" }] }");
	write_scratch(mm_buffer_text(&text), text.length);
	mm_buffer_release(&text);

	uint64_t start = mm_own_cpu_ns();
	if (mm_matrix_load(scratch, NULL, &matrix, &err))
		fail_msg("%s", err.text);
	uint64_t loaded = mm_own_cpu_ns();
	json_t *plan = mm_matrix_plan(matrix);
	uint64_t planned = mm_own_cpu_ns();
	struct rusage usage;
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	print_message("100,000 cells: load %.2f s, plan %.2f s, peak %ld MiB\n", (double)(loaded - start) / 1e9,
		      (double)(planned - loaded) / 1e9, usage.ru_maxrss / 1024);
	assert_int_equal(matrix->cell_count, 100000);
	assert_int_equal(matrix->comparison_count, 100000);
	assert_int_equal(json_array_size(json_object_get(plan, "cells")), 100000);
	assert_int_equal(json_array_size(json_object_get(plan, "comparisons")), 100000);
	assert_non_null(mm_matrix_cell(matrix, "source-499/clang/64/set-49"));
	assert_non_null(mm_matrix_cell(matrix, "source-7/gcc/32/set-3"));
	json_decref(plan);
	mm_matrix_free(matrix);
}

static uint32_t draw(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Any bytes at all: a matrix or one clean line, and nothing that a sanitizer would mind. */
static void try_bytes(const char *bytes, size_t length)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	write_scratch(bytes, length);
	int code = mm_matrix_load(scratch, NULL, &matrix, &err);
	if (code) {
		assert_int_equal(code, MM_EMATRIX);
		assert_true(strlen(err.text) > strlen(scratch));
		json_t *clean = json_string(err.text); /* refuses what is not UTF-8 */
		assert_non_null(clean);
		json_decref(clean);
		assert_null(strpbrk(err.text, "\n\r\t\x1b"));
		return;
	}
	json_t *plan = mm_matrix_plan(matrix);
	(void)mm_matrix_check_supported(matrix, &err);
	json_decref(plan);
	mm_matrix_free(matrix);
}

/* Every golden matrix cut off at many places, and with bytes replaced; the same ones in every run. */
static void damaged_files(void **state)
{
	(void)state;
	static const char interesting[] = "{}[]\",:0123456789-.eE\\/u*n\xff\xc3\x01 x";
	uint32_t seed = 2463534242u;
	size_t files = 0;
	struct dirent **entries = NULL;
	int count = scandir(GOLDEN, &entries, NULL, alphasort);
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_buffer text = MM_BUFFER_INIT;
		char *path = mm_format("%s%s", GOLDEN, entries[i]->d_name);
		const char *dot = strchr(entries[i]->d_name, '.');
		if (dot && strcmp(dot, ".json") == 0 && !mm_fs_read(path, 0, &text, &err) && text.length < 4096) {
			files++;
			for (int turn = 0; text.length && turn < 20; turn++) {
				try_bytes(text.data, draw(&seed) % text.length);
				char *copy = mm_strndup(text.data, text.length);
				for (uint32_t changes = 1 + draw(&seed) % 3; changes; changes--)
					copy[draw(&seed) % text.length] =
						interesting[draw(&seed) % (sizeof interesting - 1)];
				try_bytes(copy, text.length);
				free(copy);
			}
		}
		mm_buffer_release(&text);
		free(path);
		free(entries[i]);
	}
	free(entries);
	assert_true(files > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_matrix),
		cmocka_unit_test(defaults),
		cmocka_unit_test(places),
		cmocka_unit_test(resolved_flags),
		cmocka_unit_test(overridden_sources),
		cmocka_unit_test(wrong_sources),
		cmocka_unit_test(overridden_numbers),
		cmocka_unit_test(selected_cells),
		cmocka_unit_test(selection_and_support),
		cmocka_unit_test(files_that_are_none),
		cmocka_unit_test(text_of_a_matrix),
		cmocka_unit_test(hundred_thousand_cells),
		cmocka_unit_test(damaged_files),
	};
	return cmocka_run_group_tests_name("matrix_load", tests, make_scratch, drop_scratch);
}
