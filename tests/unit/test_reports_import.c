/* Foreign output: real shapes of sysbench's and sql-bench's text, CSV, and files that are none of these. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/json.h"
#include "reports/import.h"

#define GOLDEN    MM_TEST_FOLDER "/golden/"
#define SYSBENCH  GOLDEN "reports/sysbench/"
#define SQL_BENCH GOLDEN "reports/sql-bench/"

static json_t *import(const char *kind, const char *first, const char *second)
{
	struct mm_strings files = MM_STRINGS_INIT;
	struct mm_import_options options = { NULL, NULL, NULL };
	struct mm_error err = MM_ERROR_INIT;
	json_t *result = NULL;

	mm_strings_push(&files, first);
	if (second != NULL)
		mm_strings_push(&files, second);
	if (mm_import(kind, &files, &options, &result, &err) != 0)
		fail_msg("%s", err.text);
	mm_strings_release(&files);
	assert_int_equal(mm_json_integer(result, "mymatrix_result", 0), 1);
	return result;
}

/* Imports FIRST and returns the error that it must give. Borrowed until the next call. */
static const char *refused(const char *kind, const char *first)
{
	static struct mm_error err;
	struct mm_strings files = MM_STRINGS_INIT;
	struct mm_import_options options = { NULL, NULL, NULL };
	json_t *result = NULL;

	mm_error_clear(&err);
	mm_strings_push(&files, first);
	assert_int_not_equal(mm_import(kind, &files, &options, &result, &err), 0);
	assert_null(result);
	mm_strings_release(&files);
	return err.text;
}

static const json_t *test_of(const json_t *result, const char *name)
{
	const json_t *test = json_object_get(json_object_get(result, "tests"), name);

	if (test == NULL)
		fail_msg("there is no test '%s'", name);
	return test;
}

static double sample(const json_t *entry, size_t place)
{
	const json_t *value = json_array_get(json_object_get(entry, "samples"), place);

	assert_non_null(value);
	return json_is_null(value) ? NAN : json_number_value(value);
}

static const json_t *operation_of(const json_t *test, const char *name)
{
	const json_t *operation = json_object_get(json_object_get(test, "operations"), name);

	assert_non_null(operation);
	return operation;
}

static void check_rate(const char *file, const char *test, const char *unit, double rate)
{
	json_t *result = import("sysbench", file, NULL);
	const json_t *entry = test_of(result, test);

	assert_string_equal(mm_json_string(entry, "unit", ""), unit);
	assert_string_equal(mm_json_string(entry, "better", ""), "higher");
	assert_int_equal(json_array_size(json_object_get(entry, "samples")), 1);
	assert_true(sample(entry, 0) == rate);
	assert_int_equal(json_object_size(json_object_get(result, "tests")), 1);
	json_decref(result);
}

static void sysbench_of_every_version(void **unused)
{
	(void)unused;
	check_rate(GOLDEN "published/sysbench-0.4-oltp-ro-myisam-a.txt", "transactions", "transactions/s", 261.10);
	check_rate(SYSBENCH "0.5-intervals.txt", "4 threads", "transactions/s", 1504.34);
	check_rate(SYSBENCH "1.0-intervals.txt", "8 threads", "transactions/s", 2099.75);
	check_rate(SYSBENCH "master-cpu.txt", "1 thread", "events/s", 1104.0487);
}

static void sysbench_files_are_passes(void **unused)
{
	json_t *result = import("sysbench", GOLDEN "published/sysbench-0.4-oltp-ro-myisam-a.txt",
				GOLDEN "published/sysbench-0.4-oltp-ro-myisam-b.txt");
	const json_t *entry = test_of(result, "transactions");

	(void)unused;
	assert_true(sample(entry, 0) == (double)261.10 && sample(entry, 1) == (double)292.50);
	assert_string_equal(mm_json_string(result, "cell", ""), "sysbench-0.4-oltp-ro-myisam-a");
	json_decref(result);
}

static void sysbench_that_failed_is_said_to_have(void **unused)
{
	const char *text = refused("sysbench", SYSBENCH "fatal.txt");

	(void)unused;
	assert_non_null(strstr(text, "fatal.txt"));
	assert_non_null(strstr(text, "FATAL"));
}

static void sql_bench_script_output(void **unused)
{
	json_t *result = import("sql-bench", SQL_BENCH "ATIS-mysql-Linux_2.6_x86_64", NULL);
	const json_t *atis = test_of(result, "ATIS");

	(void)unused;
	assert_true(sample(atis, 0) == 15);
	assert_true(mm_json_number(atis, "resolution", 0) == 1); /* whole seconds */
	assert_true(sample(operation_of(atis, "insert"), 0) == 2);
	assert_int_equal(mm_json_integer(operation_of(atis, "insert"), "count", 0), 9768);
	assert_true(isnan(sample(operation_of(atis, "select_simple"), 0))); /* estimated */
	json_decref(result);
}

static void sql_bench_scripts_are_known_by_their_headlines(void **unused)
{
	json_t *result = import("sql-bench", SQL_BENCH "unnamed.txt", NULL);
	const json_t *alter = test_of(result, "alter-table"), *connect = test_of(result, "connect");

	(void)unused;
	assert_true(sample(alter, 0) == 15);
	assert_true(sample(operation_of(alter, "create_index"), 0) == 0.75);
	assert_true(isnan(sample(operation_of(alter, "alter_table_drop"), 0))); /* follows a warning: a wrong result */
	assert_true(isnan(sample(connect, 0)));                                 /* died without a total */
	assert_non_null(strstr(mm_json_string(connect, "skipped", ""), "failed"));
	assert_true(sample(operation_of(connect, "connect"), 0) == 5);
	json_decref(result);
}

static void sql_bench_run_files_are_passes(void **unused)
{
	json_t *result = import("sql-bench", SQL_BENCH "RUN-mysql-Linux_2.6_x86_64", SQL_BENCH "RUN-mysql-second");
	const json_t *all = test_of(result, "(operations of all tests)");

	(void)unused;
	assert_string_equal(mm_json_string(result, "server_version", ""), "MySQL 5.0.56");
	assert_true(sample(test_of(result, "ATIS"), 0) == 15 && sample(test_of(result, "ATIS"), 1) == 16);
	assert_true(isnan(sample(test_of(result, "create"), 0)) && sample(test_of(result, "create"), 1) == 348);
	assert_string_equal(mm_json_string(test_of(result, "create"), "skipped", ""), "the test failed");
	assert_true(isnan(sample(test_of(result, "insert"), 0)));
	assert_non_null(strstr(mm_json_string(test_of(result, "insert"), "skipped", ""), "estimated"));
	assert_non_null(strstr(mm_json_string(test_of(result, "transactions"), "skipped", ""), "Test skipped"));
	assert_true(sample(operation_of(all, "alter_table_add"), 0) == 5 &&
		    sample(operation_of(all, "alter_table_add"), 1) == 7);
	assert_true(isnan(sample(operation_of(all, "insert"), 0)));     /* + */
	assert_true(isnan(sample(operation_of(all, "select_big"), 0))); /* ? */
	assert_null(json_object_get(json_object_get(all, "operations"), "TOTALS"));
	json_decref(result);
}

/* Writes TEXT to a file of this process; the path is valid until the next call. */
static const char *scratch(const char *text)
{
	static char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/mymatrix-import-%d.csv", (int)getpid());
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void csv_in_every_dialect(void **unused)
{
	static const char *const texts[] = {
		"test,value,unit,better\nselect,1.5,s,lower\nselect,1.6,s,lower\n\"a, \"\"b\"\"\",20,q/s,\n",
		"\xef\xbb\xbfTest;Value;Unit\r\nselect;1.5;s\r\nselect;1.6;s\r\n\"a, \"\"b\"\"\";20;q/s\r\n",
		"value\ttest\tunit\n1.5\tselect\ts\n1.6\tselect\ts\n20\t\"a, \"\"b\"\"\"\tq/s",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_t *result = import("csv", scratch(texts[i]), NULL);

		assert_true(sample(test_of(result, "select"), 0) == 1.5 && sample(test_of(result, "select"), 1) == (double)1.6);
		assert_string_equal(mm_json_string(test_of(result, "select"), "better", ""), "lower");
		assert_true(sample(test_of(result, "a, \"b\""), 0) == 20);
		assert_string_equal(mm_json_string(test_of(result, "a, \"b\""), "better", ""), "higher");
		json_decref(result);
	}
	unlink(scratch(""));
}

static void csv_of_spreadsheets_ends_lines_with_empty_columns(void **unused)
{
	json_t *result = import("csv", scratch("test,value\na,1.5,,\na,1.6,,\n"), NULL);

	(void)unused;
	assert_true(sample(test_of(result, "a"), 1) == (double)1.6);
	json_decref(result);
	unlink(scratch(""));
}

static void csv_passes_keep_their_places(void **unused)
{
	json_t *result =
		import("csv",
		       scratch("kind,test,pass,metric,operation,value\nsample,a,1,wall,,10\nsample,b,1,wall,,20\n"
			       "sample,a,2,wall,,11\nsample,b,3,wall,,22\nsample,a,3,server-cpu,,9\n"
			       "sample,a,2,wall,op,4\ndelta,a,,wall,,99\nsample,a,1,peak-rss,,1000\n"),
		       NULL);
	const json_t *a = test_of(result, "a"), *b = test_of(result, "b");

	(void)unused;
	assert_true(sample(a, 0) == 10 && sample(a, 1) == 11);
	assert_true(sample(b, 0) == 20 && isnan(sample(b, 1)) && sample(b, 2) == 22);
	assert_true(json_number_value(json_array_get(json_object_get(a, "server_cpu"), 2)) == 9);
	assert_true(sample(operation_of(a, "op"), 1) == 4);
	json_decref(result);
	unlink(scratch(""));
}

static void wrong_files_are_refused_with_their_place(void **unused)
{
	static const struct {
		const char *kind, *text, *says;
	} cases[] = {
		{ "csv", "", "empty" },
		{ "csv", "name,figure\na,1\n", ":1: the head line" },
		{ "csv", "test,value\na,1\nb,fast\n", ":3: the value 'fast' is not a number from 0 on" },
		{ "csv", "test,value\n,1\n", ":2: the test's name is missing" },
		{ "csv", "test,value\na,\n", ":2: the value is missing" },
		{ "csv", "test,value\ninsert,5,4\ninsert,5,5\n", ":2: 3 fields where the head line has 2: is there a decimal comma?" },
		{ "csv", "test,value,unit\na,5,,s\n", ":2: 4 fields" },
		{ "csv", "test;value\na;5,5\n", ":2: the value '5,5' is not a number from 0 on: a decimal comma?" },
		{ "csv", "test,value\na,\"5,5\"\n", ":2: the value '5,5' is not a number from 0 on: a decimal comma?" },
		{ "csv", "test,value\na,-1\n", ":2: " },
		{ "csv", "test,value\na,nan\n", ":2: " },
		{ "csv", "test,value\na,inf\n", ":2: " },
		{ "csv", "test,value,better\na,1,more\n", "'lower' or 'higher'" },
		{ "csv", "test,value,cell\na,1,x\na,1,y\n", "more than one cell" },
		{ "csv", "test,value\n", "no sample" },
		{ "csv", "test,value\n\"a,1\n", ":2: " },
		{ "sysbench", "hello\n", "not the output of a sysbench run" },
		{ "sysbench", "", "not the output of a sysbench run" },
		{ "sysbench", "    transactions: 100 (fast per sec.)\n", "not the output" },
		{ "sql-bench", "hello\n", "not the output of an sql-bench test" },
		{ "sql-bench", "Benchmark DBD suite: 2.15\n", "not the output of an sql-bench test" },
		{ "nonsense", "", "sysbench, sql-bench, csv" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = refused(cases[i].kind, scratch(cases[i].text));

		if (strstr(text, cases[i].says) == NULL)
			fail_msg("case %zu: '%s' does not say '%s'", i, text, cases[i].says);
	}
	unlink(scratch(""));
	assert_non_null(strstr(refused("csv", "/nonexistent/file.csv"), "/nonexistent/file.csv"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysbench_of_every_version),
		cmocka_unit_test(sysbench_files_are_passes),
		cmocka_unit_test(sysbench_that_failed_is_said_to_have),
		cmocka_unit_test(sql_bench_script_output),
		cmocka_unit_test(sql_bench_scripts_are_known_by_their_headlines),
		cmocka_unit_test(sql_bench_run_files_are_passes),
		cmocka_unit_test(csv_in_every_dialect),
		cmocka_unit_test(csv_of_spreadsheets_ends_lines_with_empty_columns),
		cmocka_unit_test(csv_passes_keep_their_places),
		cmocka_unit_test(wrong_files_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
