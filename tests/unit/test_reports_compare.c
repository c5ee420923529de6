/* compare: the published tables to their printed digits, pairing, groups, the gate, and files that are not what they
 * say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "reports-fixture.h"
#include "reports/compare.h"
#include "reports/import.h"
#include "reports/report.h"

#define PUBLISHED MM_TEST_FOLDER "/golden/published/"

static char *folder;

static int make_folder(void **unused)
{
	(void)unused;
	folder = fixture_folder();
	return 0;
}

static int remove_folder(void **unused)
{
	(void)unused;
	fixture_remove(folder);
	return 0;
}

/* Saves JSON (stolen) as NAME in the scratch folder. The path is allocated. */
static char *save(const char *name, json_t *json)
{
	char *path = mm_path_join(folder, name);
	struct mm_error err = MM_ERROR_INIT;

	assert_non_null(json);
	assert_int_equal(mm_json_save(path, json, &err), 0);
	json_decref(json);
	return path;
}

static json_t *compare(const char *baseline, const char *candidate, const struct mm_compare_options *options)
{
	const struct mm_compare_options none = { .unpaired = false };
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	if (mm_compare_files(baseline, candidate, options != NULL ? options : &none, &report, &err) != 0)
		fail_msg("%s", err.text);
	return report;
}

static const json_t *first_comparison(const json_t *report)
{
	return json_array_get(json_object_get(report, "comparisons"), 0);
}

static const json_t *test_named(const json_t *report, const char *name)
{
	const json_t *test;
	size_t i;

	json_array_foreach(json_object_get(first_comparison(report), "tests"), i, test)
		if (strcmp(mm_json_string(test, "test", ""), name) == 0)
			return test;
	fail_msg("there is no test '%s'", name);
	return NULL;
}

static bool warns(const json_t *report, const char *text)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(report, "warnings"), i, warning)
		if (strstr(mm_json_string(warning, "text", ""), text) != NULL)
			return true;
	return false;
}

/* ---- the published tables ---- */

/* One side of a published table as a result file of aggregated figures. */
static char *published_side(const json_t *rows, const char *key, const char *side, const char *unit, const char *better)
{
	json_t *tests = json_object();
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const json_t *name = json_object_get(row, key);
		char *text = json_is_string(name) ? mm_strdup(json_string_value(name))
						  : mm_format("%lld threads", (long long)json_integer_value(name));

		json_object_set_new(tests, text,
				    json_pack("{s:s, s:s, s:[f], s:b}", "unit", unit, "better", better, "samples",
					      json_number_value(json_object_get(row, side)), "aggregated", 1));
		free(text);
	}
	return save(side, json_pack("{s:i, s:s, s:s, s:o}", "mymatrix_result", 1, "cell", side, "suite", "published",
				    "tests", tests));
}

struct printed {
	size_t rows, misprints;
};

/* The delta at the digits of the printed one. */
static void check_row(const char *table, const json_t *row, const json_t *test, struct printed *count)
{
	const char *printed = mm_json_string(row, "printed_delta", ""), *point = strchr(printed, '.');
	double delta = json_number_value(json_object_get(test, "delta_percent"));
	bool first = strcmp(table, "x86-standard-32-vs-64") == 0 && strcmp(printed, "0.00%") == 0;
	bool second = strcmp(table, "sparc-32-standard-vs-optimized") == 0 && strcmp(printed, "15.561%") == 0;
	char text[32];

	assert_non_null(point);
	snprintf(text, sizeof(text), "%.*f%%", (int)strspn(point + 1, "0123456789"), delta);
	count->rows++;
	if (strcmp(text, printed) == 0)
		return;
	/* Two misprints: 10.8 and 10.7 give 0.93%, not 0.00%; 19.5 and 16.875 give 15.556%, not 15.561%. */
	if (!first && !second)
		fail_msg("%s: %s is printed, the figures give %s", table, printed, text);
	assert_string_equal(mm_json_string(test, "test", ""), "transactions");
	assert_string_equal(text, first ? "0.93%" : "15.556%");
	count->misprints++;
}

static void check_table(const char *name, const json_t *rows, const char *key, const char *unit, const char *better,
			struct printed *count)
{
	char *baseline = published_side(rows, key, "baseline", unit, better);
	char *candidate = published_side(rows, key, "candidate", unit, better);
	json_t *report = compare(baseline, candidate, NULL);
	const json_t *tests = json_object_get(first_comparison(report), "tests"), *test;
	size_t i;

	assert_int_equal(json_array_size(tests), json_array_size(rows));
	json_array_foreach(tests, i, test) {
		check_row(name, json_array_get(rows, i), test, count);
		assert_string_equal(mm_json_string(test, "verdict", ""), "no verdict");
		assert_string_equal(mm_json_string(test, "reason", ""), "aggregated figures");
		assert_true(json_is_null(json_object_get(test, "estimate_percent")));
		assert_true(json_is_null(json_object_get(test, "p")));
	}
	json_decref(report);
	free(baseline);
	free(candidate);
}

static void published_sql_bench_tables(void **unused)
{
	json_t *document = mm_json_load(PUBLISHED "sql-bench-2008.json", NULL), *table;
	struct printed count = { 0, 0 };
	size_t i;

	(void)unused;
	json_array_foreach(json_object_get(document, "tables"), i, table)
		check_table(mm_json_string(table, "name", ""), json_object_get(table, "tests"), "test",
			    mm_json_string(table, "unit", ""), mm_json_string(table, "better", ""), &count);
	assert_int_equal(i, 6);
	assert_int_equal(count.rows, 53);
	assert_int_equal(count.misprints, 2);
	json_decref(document);
}

static void published_thread_sweeps(void **unused)
{
	json_t *document = mm_json_load(PUBLISHED "threads-sweep-2003.json", NULL), *sweep;
	struct printed count = { 0, 0 };
	size_t i;

	(void)unused;
	json_array_foreach(json_object_get(document, "sweeps"), i, sweep)
		check_table(mm_json_string(sweep, "name", ""), json_object_get(sweep, "points"), "threads",
			    mm_json_string(document, "unit", ""), mm_json_string(document, "better", ""), &count);
	assert_int_equal(count.rows, 11);
	assert_int_equal(count.misprints, 0);
	json_decref(document);
}

static char *imported(const char *source, const char *name)
{
	struct mm_strings files = MM_STRINGS_INIT;
	struct mm_import_options options = { name, NULL, NULL };
	json_t *result = NULL;

	mm_strings_push(&files, source);
	assert_int_equal(mm_import("sysbench", &files, &options, &result, NULL), 0);
	mm_strings_release(&files);
	return save(name, result);
}

static void published_sysbench_texts(void **unused)
{
	char *a = imported(PUBLISHED "sysbench-0.4-oltp-ro-myisam-a.txt", "a");
	char *b = imported(PUBLISHED "sysbench-0.4-oltp-ro-myisam-b.txt", "b");
	json_t *report = compare(a, b, NULL);
	struct mm_buffer out = MM_BUFFER_INIT;

	(void)unused;
	assert_string_equal(mm_json_string(test_named(report, "transactions"), "reason", ""), "not interleaved");
	assert_int_equal(mm_report_format_find("table")->render(report, &out, NULL), 0);
	assert_non_null(strstr(mm_buffer_text(&out), "transactions       261.10    292.50  +12.03%"));
	mm_buffer_release(&out);
	json_decref(report);
	free(a);
	free(b);
}

/* ---- pairing ---- */

/* A small result of one test "t", whose n samples are BASE times 1 + STEP * i, and of run RUN (NULL: none). */
static char *result(const char *name, const char *run, double base, double step, int n)
{
	json_t *samples = json_array(), *json;

	for (int i = 0; i < n; i++)
		json_array_append_new(samples, json_real(base * (1 + step * i)));
	json = json_pack("{s:i, s:s, s:s, s:{s:{s:s, s:s, s:o}}}", "mymatrix_result", 1, "cell", name, "suite", "s",
			 "tests", "t", "unit", "s", "better", "lower", "samples", samples);
	mm_json_put_string(json, "run", run);
	return save(name, json);
}

static void files_of_one_run_are_pairs(void **unused)
{
	/* A steady 3% under a drift of 20%: only pairs can see it. */
	char *a = result("a", "r1", 10.3, 0.02, 10), *b = result("b", "r1", 10, 0.02, 10);
	json_t *report = compare(a, b, NULL);
	const json_t *test = test_named(report, "t");

	(void)unused;
	assert_string_equal(mm_json_string(first_comparison(report), "mode", ""), "paired");
	assert_string_equal(mm_json_string(test, "verdict", ""), "faster");
	assert_true(fabs(mm_json_number(test, "estimate_percent", 0) - 3) < 1e-9);
	assert_true(fabs(mm_json_number(test, "p", 0) - 2.0 / 1024) < 1e-12);
	assert_int_equal(mm_json_integer(first_comparison(report), "pairs", 0), 10);
	assert_int_equal(mm_report_decide(report), 0);
	json_decref(report);
	free(a);
	free(b);
}

static void files_of_different_runs_get_no_verdict(void **unused)
{
	char *a = result("a", "r1", 10.3, 0.0001, 10), *b = result("b", "r2", 10, 0.0001, 10);
	json_t *report = compare(a, b, NULL);
	const json_t *test = test_named(report, "t");

	(void)unused;
	assert_string_equal(mm_json_string(test, "verdict", ""), "no verdict");
	assert_string_equal(mm_json_string(test, "reason", ""), "not interleaved");
	assert_int_equal(json_array_size(json_object_get(test, "interval_percent")), 2);
	assert_true(fabs(mm_json_number(test, "delta_percent", 0) - 3) < 1e-9);
	assert_true(warns(report, "not interleaved"));
	json_decref(report);
	free(a);
	free(b);
}

static void unpaired_gives_a_verdict_with_its_caveat(void **unused)
{
	char *a = result("a", "r1", 10.3, 0.0001, 10), *b = result("b", NULL, 10, 0.0001, 8);
	const struct mm_compare_options options = { .unpaired = true };
	json_t *report = compare(a, b, &options);
	const json_t *test = test_named(report, "t");

	(void)unused;
	assert_string_equal(mm_json_string(test, "verdict", ""), "faster");
	/* Complete separation of 10 and 8: two of the C(18, 8) = 43758 splits are as extreme. */
	assert_true(fabs(mm_json_number(test, "p", 0) - 2.0 / 43758) < 1e-12);
	assert_true(warns(report, "false alarms in 45%"));
	assert_non_null(strstr(mm_json_string(first_comparison(report), "recommendation", ""), "not interleaved"));
	json_decref(report);
	free(a);
	free(b);
}

static void groups_of_one_are_too_few_samples_not_pairs(void **unused)
{
	const struct mm_compare_options options = { .unpaired = true };
	char *a = result("a", "r1", 10, 0, 1), *b = result("b", NULL, 20, 0, 1);
	json_t *report = compare(a, b, &options);

	(void)unused;
	assert_string_equal(mm_json_string(test_named(report, "t"), "reason", ""), "too few samples");
	json_decref(report);
	free(a);
	free(b);
}

static void missing_tests_and_passes_are_shown(void **unused)
{
	char *a = save("a",
		       json_pack("{s:i, s:s, s:s, s:s, s:{s:{s:s, s:s, s:[f, n, f, f, f, f, f]}, s:{s:s, s:s, s:[f]}}}",
				 "mymatrix_result", 1, "cell", "a", "suite", "s", "run", "r", "tests", "both", "unit",
				 "s", "better", "lower", "samples", 1., 1., 1., 1., 1., 1., "only-a", "unit", "s",
				 "better", "lower", "samples", 5.));
	char *b =
		save("b", json_pack("{s:i, s:s, s:s, s:s, s:{s:{s:s, s:s, s:[f, f, f, f, f, f]}, s:{s:s, s:s, s:[f]}}}",
				    "mymatrix_result", 1, "cell", "b", "suite", "s", "run", "r", "tests", "both",
				    "unit", "s", "better", "lower", "samples", 1., 1., 1., 1., 1., 1., "only-b", "unit",
				    "s", "better", "lower", "samples", 7.));
	json_t *report = compare(a, b, NULL);

	(void)unused;
	assert_int_equal(mm_json_integer(test_named(report, "both"), "n", 0), 5);
	assert_string_equal(mm_json_string(test_named(report, "both"), "reason", ""), "too few pairs");
	assert_true(json_is_null(json_object_get(test_named(report, "both"), "interval_percent")));
	assert_string_equal(mm_json_string(test_named(report, "only-a"), "reason", ""), "missing on one side");
	assert_true(json_is_null(json_object_get(test_named(report, "only-a"), "delta_percent")));
	assert_string_equal(mm_json_string(test_named(report, "only-b"), "reason", ""), "missing on one side");
	assert_int_equal(mm_json_integer(json_object_get(first_comparison(report), "geomean"), "tests", 0), 1);
	assert_int_equal(mm_json_integer(json_object_get(first_comparison(report), "geomean"), "of", 0), 3);
	json_decref(report);
	free(a);
	free(b);
}

static void all_equal_samples_are_equivalent(void **unused)
{
	char *a = result("a", "r", 10, 0, 10), *b = result("b", "r", 10, 0, 10);
	json_t *report = compare(a, b, NULL);
	const json_t *test = test_named(report, "t"), *interval = json_object_get(test, "interval_percent");

	(void)unused;
	assert_string_equal(mm_json_string(test, "verdict", ""), "equivalent");
	assert_true(mm_json_number(test, "p", 0) == 1);
	assert_true(json_number_value(json_array_get(interval, 0)) == 0 &&
		    json_number_value(json_array_get(interval, 1)) == 0);
	json_decref(report);
	free(a);
	free(b);
}

static void zeros_have_no_delta(void **unused)
{
	char *a = result("a", "r", 0, 0, 10), *b = result("b", "r", 1, 0, 10);
	json_t *report = compare(a, b, NULL);

	(void)unused;
	assert_true(json_is_null(json_object_get(test_named(report, "t"), "delta_percent")));
	assert_string_equal(mm_json_string(test_named(report, "t"), "verdict", ""), "no verdict");
	json_decref(report);
	free(a);
	free(b);
}

/* Whole seconds under 100 say nothing about differences of a per cent. */
static void coarse_clocks_get_no_verdict(void **unused)
{
	char *paths[2];

	(void)unused;
	for (int side = 0; side < 2; side++) {
		json_t *samples = json_array();

		for (int i = 0; i < 10; i++)
			json_array_append_new(samples, json_integer(15 - side));
		paths[side] = save(side == 0 ? "a" : "b",
				   json_pack("{s:i, s:s, s:s, s:s, s:{s:{s:s, s:s, s:i, s:o}}}", "mymatrix_result", 1,
					     "cell", side == 0 ? "a" : "b", "suite", "s", "run", "r", "tests", "ATIS",
					     "unit", "s", "better", "lower", "resolution", 1, "samples", samples));
	}
	json_t *report = compare(paths[0], paths[1], NULL);
	assert_string_equal(mm_json_string(test_named(report, "ATIS"), "reason", ""), "below timer resolution");
	json_decref(report);
	free(paths[0]);
	free(paths[1]);
}

static void what_differs_between_the_files_is_said(void **unused)
{
	char *paths[2];

	(void)unused;
	for (int side = 0; side < 2; side++)
		paths[side] =
			save(side == 0 ? "a" : "b",
			     json_pack("{s:i, s:s, s:s, s:s, s:s, s:f, s:s, s:{s:s, s:s}, s:{s:{s:s, s:s, s:[f]}}}",
				       "mymatrix_result", 1, "cell", side == 0 ? "a" : "b", "suite", "s", "engine",
				       side == 0 ? "MyISAM" : "InnoDB", "edition", "5.0", "scale",
				       side == 0 ? 1.0 : 0.5, "client_library", side == 0 ? "3.3.8" : "3.4.0", "host",
				       "cpu", side == 0 ? "Opteron" : "Xeon", "kernel", "6.1", "tests", "t", "unit",
				       "s", "better", "lower", "samples", 5.0));
	json_t *report = compare(paths[0], paths[1], NULL);
	assert_true(warns(report, "CPU differs: 'Opteron'"));
	assert_true(warns(report, "client library differs"));
	assert_true(warns(report, "scale differs"));
	assert_true(warns(report, "engine differs"));
	assert_false(warns(report, "kernel differs"));
	assert_false(warns(report, "edition differs"));
	json_decref(report);
	free(paths[0]);
	free(paths[1]);
}

/* ---- report.json as a result file ---- */

static char *run_report(const char *name, uint64_t seed, const char *run)
{
	const struct fixture fixture = { .title = "compared",
					 .cells = { "standard", "optimized" },
					 .comparisons = { { 0, 1, { "flags" } } },
					 .tests = { { "ATIS", NULL, 15.4, { 1, 1.04 }, 0, { "select_simple" } },
						    { "connect", NULL, 7.6, { 0 }, 0, { NULL } } },
					 .passes = 10,
					 .control = true,
					 .noise = 0.004,
					 .seed = seed };
	char *run_folder = mm_path_join(folder, name), *path = mm_path_join(run_folder, "report.json");
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	fixture_write(&fixture, run_folder);
	if (mm_report_make(run_folder, &report, &err) != 0)
		fail_msg("%s", err.text);
	mm_json_put_string(report, "run", run);
	assert_int_equal(mm_json_save(path, report, &err), 0);
	json_decref(report);
	free(run_folder);
	return path;
}

static void cells_of_one_report_are_pairs_as_in_the_run(void **unused)
{
	char *path = run_report("run1", 11, "r1");
	const struct mm_compare_options options = { .baseline_cell = "standard", .candidate_cell = "optimized" };
	json_t *report = compare(path, path, &options), *own = mm_json_load(path, NULL);
	const json_t *test = test_named(report, "ATIS"), *original = test_named(own, "ATIS");

	(void)unused;
	assert_string_equal(mm_json_string(test, "verdict", ""), "faster");
	/* The passes that stand next to each other are those that the plan paired. */
	assert_true(fabs(mm_json_number(test, "estimate_percent", 0) -
			 mm_json_number(original, "estimate_percent", 9)) < 1e-9);
	assert_true(json_equal(json_object_get(first_comparison(report), "changed"),
			       json_object_get(first_comparison(own), "changed")));
	json_decref(report);
	json_decref(own);
	free(path);
}

/* Cells that the plan did not compare: their passes stand apart, and that is said. */
static void pairs_that_stand_apart_are_said(void **unused)
{
	char *paths[2];

	(void)unused;
	for (int side = 0; side < 2; side++) {
		json_t *passes = json_array(), *values = json_array();
		char name[8];

		for (int i = 0; i < 10; i++) {
			json_array_append_new(passes, json_pack("{s:i, s:i, s:i}", "index", i + 1, "visit", 1,
								"position", 10 * i + 4 * side + 1));
			json_array_append_new(values, json_real(5 + i * 0.01));
		}
		snprintf(name, sizeof(name), "%d.json", side);
		paths[side] = save(name, json_pack("{s:i, s:s, s:[{s:s, s:s, s:o, s:[{s:s, s:s, s:o}]}]}",
						   "mymatrix_report", 1, "run", "r", "samples", "cell",
						   side == 0 ? "a" : "b", "suite", "s", "passes", passes, "tests",
						   "test", "t", "better", "lower", "values", values));
	}
	json_t *report = compare(paths[0], paths[1], NULL);
	assert_true(warns(report, "10 of 10 pairs of passes were not next to each other"));
	json_decref(report);
	free(paths[0]);
	free(paths[1]);
}

static void the_same_cell_of_two_runs(void **unused)
{
	char *one = run_report("run1", 11, "r1"), *two = run_report("run2", 12, "r2");
	const struct mm_compare_options options = { .baseline_cell = "standard" };
	json_t *report = compare(one, two, &options);

	(void)unused;
	assert_string_equal(mm_json_string(first_comparison(report), "candidate", ""), "standard");
	assert_string_equal(mm_json_string(first_comparison(report), "mode", ""), "not interleaved");
	json_decref(report);
	free(one);
	free(two);
}

static const char *error_of(const char *baseline, const char *candidate, const struct mm_compare_options *options,
			    int code)
{
	static struct mm_error err;
	const struct mm_compare_options none = { .unpaired = false };
	json_t *report = NULL;

	mm_error_clear(&err);
	assert_int_equal(mm_compare_files(baseline, candidate, options != NULL ? options : &none, &report, &err), code);
	assert_null(report);
	return err.text;
}

static void cells_must_be_chosen_and_be_there(void **unused)
{
	char *path = run_report("run1", 11, "r1"), *small = result("small", NULL, 1, 0, 10);
	const struct mm_compare_options wrong_cell = { .baseline_cell = "fastest" };
	const struct mm_compare_options same = { .baseline_cell = "standard" };

	(void)unused;
	assert_non_null(
		strstr(error_of(path, path, NULL, MM_EUSAGE), "choose one with --cell, of 'standard', 'optimized'"));
	assert_non_null(strstr(error_of(path, path, &wrong_cell, MM_EUSAGE), "no cell 'fastest'"));
	assert_non_null(strstr(error_of(path, path, &same, MM_EUSAGE), "the same run"));
	assert_non_null(strstr(error_of(path, small, &same, MM_EUSAGE), "no suite in common"));
	free(path);
	free(small);
}

/* ---- the gate ---- */

static void check_gate(double speed, double step, double limit, const char *result_wanted, int code)
{
	char *a = result("a", "r", 10, step, 10), *b = result("b", "r", 10 / speed, 0, 10);
	json_t *rule = json_pack("{s:f}", "max_regression_percent", limit);
	const struct mm_compare_options options = { .gate = rule };
	json_t *report = compare(a, b, &options);

	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "result", ""), result_wanted);
	assert_true(mm_json_string(json_object_get(report, "gate"), "reason", "")[0] != '\0');
	assert_int_equal(mm_report_decide(report), code);
	json_decref(report);
	json_decref(rule);
	free(a);
	free(b);
}

static void the_gate_decides_on_the_interval(void **unused)
{
	char *a = result("a", "r1", 10, 0, 10), *b = result("b", "r2", 10, 0, 10);
	json_t *rule = json_pack("{s:f}", "max_regression_percent", 3.0);
	const struct mm_compare_options options = { .gate = rule };
	json_t *report;

	(void)unused;
	check_gate(0.95, 0, 3, "regression", MM_EREGRESSION);
	check_gate(0.98, 0, 3, "holds", 0);
	check_gate(1.10, 0, 3, "holds", 0);
	check_gate(0.94, 0.006, 3, "undecided", MM_EUNDECIDED);
	report = compare(a, b, &options); /* no verdict */
	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "result", ""), "undecided");
	assert_int_equal(mm_report_decide(report), MM_EUNDECIDED);
	json_decref(report);
	json_decref(rule);
	free(a);
	free(b);
}

static void the_gate_takes_tests_and_metric(void **unused)
{
	char *a = result("a", "r", 10, 0, 10), *b = result("b", "r", 10.2, 0, 10);
	json_t *tests = json_pack("{s:f, s:[s, s]}", "max_regression_percent", 1.0, "tests", "t", "absent");
	json_t *cpu = json_pack("{s:f, s:s}", "max_regression_percent", 1.0, "metric", "server-cpu");
	struct mm_compare_options options = { .gate = tests };
	json_t *report = compare(a, b, &options);
	const json_t *checks = json_object_get(json_object_get(report, "gate"), "checks");

	(void)unused;
	assert_int_equal(json_array_size(checks), 3);
	assert_string_equal(mm_json_string(json_array_get(checks, 1), "result", ""), "regression");
	assert_string_equal(mm_json_string(json_array_get(checks, 2), "subject", ""), "absent");
	assert_string_equal(mm_json_string(json_array_get(checks, 2), "result", ""), "undecided");
	assert_int_equal(mm_report_decide(report), MM_EREGRESSION);
	json_decref(report);
	options.gate = cpu; /* not measured here */
	report = compare(a, b, &options);
	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "result", ""), "undecided");
	json_decref(report);
	json_decref(tests);
	json_decref(cpu);
	free(a);
	free(b);
}

/* ---- files of strangers ---- */

static void damaged_files_are_refused_with_their_place(void **unused)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "not JSON" },
		{ "[1, 2", "not JSON" },
		{ "[]", "not a result file" },
		{ "{\"mymatrix_result\": 2, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {}}",
		  "version other than 1" },
		{ "{\"mymatrix_result\": \"1\"}", "version other than 1" },
		{ "{\"mymatrix_result\": 1, \"suite\": \"s\", \"tests\": {}}", "\"cell\"" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {}}", "at least one test" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {\"t\": 5}}", ":1:" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {\"t\": {\"better\": "
		  "\"lower\"}}}",
		  "\"samples\" is missing" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\",\n\"tests\": {\"t\": {\"better\": "
		  "\"lower\", \"samples\": "
		  "[1, -2]}}}",
		  ":2:" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {\"t\": {\"better\": "
		  "\"lower\", \"samples\": "
		  "[\"1\"]}}}",
		  "$.tests.t.samples[0]" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {\"t\": {\"better\": "
		  "\"lower\", \"samples\": "
		  "[1e999]}}}",
		  "not JSON" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"tests\": {\"t\": {\"better\": "
		  "\"best\", \"samples\": "
		  "[1]}}}",
		  "\"lower\" or \"higher\"" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"suite\": \"s\", \"test\": {}, \"tests\": {\"t\": {}}}",
		  "unknown key" },
		{ "{\"mymatrix_result\": 1, \"cell\": \"a\", \"cell\": \"b\"}", "duplicate" },
		{ "{\"mymatrix_report\": 1}", "\"samples\"" },
		{ "{\"mymatrix_report\": 1, \"samples\": [7]}", "$.samples[0]" },
		{ "{\"mymatrix_report\": 1, \"samples\": [{\"cell\": \"a\", \"suite\": \"s\", \"tests\": [], "
		  "\"passes\": [{}]}]}",
		  "$.samples[0].passes[0]" },
		{ "{\"mymatrix_report\": 1, \"samples\": [{\"cell\": \"a\", \"suite\": \"s\", \"tests\": [{\"test\": "
		  "\"t\", \"values\": "
		  "[1, 2]}], \"passes\": [{\"index\": 1}]}]}",
		  "at most 1 numbers" },
		{ "{\"mymatrix_report\": 1, \"samples\": [{\"cell\": \"a\", \"suite\": \"s\", \"tests\": [{\"test\": "
		  "\"t\"}, {\"test\": "
		  "\"t\"}], \"passes\": []}]}",
		  "stands there twice" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *path = mm_path_join(folder, "damaged.json"), *good = result("good", NULL, 1, 0, 3);
		const char *text;

		assert_int_equal(mm_fs_write_atomic(path, cases[i].text, strlen(cases[i].text), NULL), 0);
		text = error_of(path, good, NULL, MM_EMATRIX);
		if (strstr(text, cases[i].says) == NULL || strstr(text, "damaged.json") == NULL)
			fail_msg("case %zu: '%s' does not say '%s'", i, text, cases[i].says);
		text = error_of(good, path, NULL, MM_EMATRIX);
		assert_non_null(strstr(text, "damaged.json"));
		free(path);
		free(good);
	}
	error_of("/nonexistent/a.json", "/nonexistent/b.json", NULL, MM_EMATRIX);
}

/* Names that would break out of a format must come out harmless in every one. */
static void hostile_names_stay_names(void **unused)
{
	static const char hostile[] = "\x1b[31m<script>alert(1)</script>|`rm`\",=1+1\nx\xc2\x9b";
	char *paths[2];

	(void)unused;
	for (int side = 0; side < 2; side++) {
		json_t *samples = json_array();

		for (int i = 0; i < 10; i++)
			json_array_append_new(samples, json_real(1 + side + i * 0.001));
		paths[side] = save(side == 0 ? "a" : "b",
				   json_pack("{s:i, s:s, s:s, s:s, s:{s:{s:s, s:s, s:o}}}", "mymatrix_result", 1,
					     "cell", hostile, "suite", hostile, "run", "r", "tests", hostile, "unit",
					     hostile, "better", "lower", "samples", samples));
	}
	json_t *report = compare(paths[0], paths[1], NULL);
	for (const struct mm_report_format *format = mm_report_formats(); format->name != NULL; format++) {
		struct mm_buffer out = MM_BUFFER_INIT;

		assert_int_equal(format->render(report, &out, NULL), 0);
		assert_true(out.length > 0);
		if (strcmp(format->name, "csv") != 0) { /* CSV quotes, and hands its reader what the name is */
			assert_null(strchr(mm_buffer_text(&out), '\x1b'));
			if (strcmp(format->name, "json") != 0)
				assert_null(strstr(mm_buffer_text(&out), "\xc2\x9b"));
		}
		if (strcmp(format->name, "html") == 0 || strcmp(format->name, "markdown") == 0 ||
		    strcmp(format->name, "junit") == 0)
			assert_null(strstr(mm_buffer_text(&out), "<script"));
		mm_buffer_release(&out);
	}
	json_decref(report);
	free(paths[0]);
	free(paths[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_sql_bench_tables),
		cmocka_unit_test(published_thread_sweeps),
		cmocka_unit_test(published_sysbench_texts),
		cmocka_unit_test(files_of_one_run_are_pairs),
		cmocka_unit_test(files_of_different_runs_get_no_verdict),
		cmocka_unit_test(unpaired_gives_a_verdict_with_its_caveat),
		cmocka_unit_test(groups_of_one_are_too_few_samples_not_pairs),
		cmocka_unit_test(missing_tests_and_passes_are_shown),
		cmocka_unit_test(all_equal_samples_are_equivalent),
		cmocka_unit_test(zeros_have_no_delta),
		cmocka_unit_test(coarse_clocks_get_no_verdict),
		cmocka_unit_test(what_differs_between_the_files_is_said),
		cmocka_unit_test(cells_of_one_report_are_pairs_as_in_the_run),
		cmocka_unit_test(pairs_that_stand_apart_are_said),
		cmocka_unit_test(the_same_cell_of_two_runs),
		cmocka_unit_test(cells_must_be_chosen_and_be_there),
		cmocka_unit_test(the_gate_decides_on_the_interval),
		cmocka_unit_test(the_gate_takes_tests_and_metric),
		cmocka_unit_test(damaged_files_are_refused_with_their_place),
		cmocka_unit_test(hostile_names_stay_names),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
