/* sql-bench without a server: names, the rule of scale, and operations and counts as the code would do them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "runners/sql-bench/edition.h"
#include "runners/sql-bench/sql-bench.h"

/* Borrows static memory: one spec at a time has the edition that was asked for last. */
static struct mm_suite_spec spec_of(const char *edition, double scale)
{
	static char name[32], engine[] = "default";

	snprintf(name, sizeof name, "%s", edition);
	return (struct mm_suite_spec){ .edition = name, .scale = scale, .engine = engine };
}

/* All operations of a description, summed over its tests. New reference. */
static json_t *sum(const json_t *description)
{
	json_t *total = json_object(), *test, *count;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(description, "tests"), i, test)
	{
		json_object_foreach(json_object_get(test, "operations"), name, count)
		{
			json_object_set_new(total, name,
					    json_integer(mm_json_integer(total, name, 0) + json_integer_value(count)));
		}
	}
	return total;
}

static json_t *describe(struct mm_suite_spec *spec)
{
	struct mm_error err = MM_ERROR_INIT;

	assert_int_equal(mm_suite_sql_bench.check(spec, &err), 0);
	return mm_suite_sql_bench.describe(spec);
}

static void rule_of_scale(void **state)
{
	static const struct {
		double scale;
		unsigned count, step, minimum, expected;
	} cases[] = {
		{ 1, 100000, 100, 100, 100000 },
		{ 1, 10, 1, 1, 10 },
		{ 0.01, 100000, 100, 100, 1000 },
		{ 0.0001, 100000, 100, 100, 100 },
		{ 0.0015, 100000, 100, 100, 200 },
		{ 0.0149, 100, 1, 1, 1 },
		{ 0.015, 100, 1, 1, 2 },
		{ 3, 10, 1, 1, 30 },
		{ 1000, 500000, 10, 10, 500000000 },
		{ 0.25, 10, 1, 1, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(mm_sb_scaled(cases[i].scale, cases[i].count, cases[i].step, cases[i].minimum),
				 cases[i].expected);
}

static void refused(struct mm_suite_spec *spec, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;

	assert_int_equal(mm_suite_sql_bench.check(spec, &err), MM_EMATRIX);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
}

static void unknown_names(void **state)
{
	struct mm_suite_spec spec = spec_of("5.1", 1);

	(void)state;
	refused(&spec, "no edition '5.1', the nearest name is '5.0'");
	spec = spec_of("5.0", 1);
	mm_strings_push(&spec.tests, "selct");
	refused(&spec, "no test 'selct', the nearest name is 'select'");
	mm_strings_release(&spec.tests);

	spec = spec_of("5.0", 1);
	mm_strings_push(&spec.operations, "select_cache");
	mm_strings_push(&spec.operations, "select_cachex");
	refused(&spec, "no operation in the selected tests 'select_cachex', the nearest name is 'select_cache'");
	mm_strings_release(&spec.operations);

	/* It is an operation, but of another test. */
	spec = spec_of("5.0", 1);
	mm_strings_push(&spec.tests, "connect");
	mm_strings_push(&spec.operations, "wisc_benchmark");
	refused(&spec, "no operation in the selected tests 'wisc_benchmark'");
	mm_strings_release(&spec.tests);
	mm_strings_release(&spec.operations);

	/* One of the later edition only. */
	spec = spec_of("5.0", 1);
	mm_strings_push(&spec.operations, "insert_many_keys");
	refused(&spec, "'insert_many_keys'");
	spec.edition = (char[]){ "mariadb-10.11" };
	json_decref(describe(&spec));
	mm_strings_release(&spec.operations);
}

static void hostile_values(void **state)
{
	static const double scales[] = { 0, -1, 1001, INFINITY, -INFINITY };
	struct mm_suite_spec spec;
	char long_name[5000];

	(void)state;
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
		spec = spec_of("5.0", scales[i]);
		refused(&spec, "at a scale above 0");
	}
	spec = spec_of("5.0", (double)NAN);
	refused(&spec, "at a scale above 0");
	spec = spec_of("5.0", 1);
	spec.engine = (char[]){ "InnoDB; drop database test" };
	refused(&spec, "not the name of an engine");
	spec.engine = (char[]){ "" };
	refused(&spec, "not the name of an engine");
	memset(long_name, 'a', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	spec = spec_of("5.0", 1);
	mm_strings_push(&spec.tests, long_name);
	refused(&spec, "sql-bench has no test 'aaaa");
	mm_strings_release(&spec.tests);
}

/* Counts that are upstream's, out of the loops that run: nowhere else are they written down. */
static void published_counts(void **state)
{
	static const char *const tests[] = { "ATIS",   "alter-table", "big-tables", "connect",
					     "insert", "select",      "wisconsin" };
	struct mm_suite_spec spec = spec_of("5.0", 1);
	struct mm_error err = MM_ERROR_INIT;
	json_t *golden = mm_json_load(MM_TEST_FOLDER "/golden/sql-bench/sql-bench-5.0-operations.json", &err);
	json_t *expected = json_object_get(golden, "operations"), *description, *ours, *count;
	json_int_t total = 0;
	const char *name;

	(void)state;
	assert_non_null(golden);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		mm_strings_push(&spec.tests, tests[i]);
	description = describe(&spec);
	ours = sum(description);
	json_object_foreach(expected, name, count)
	{
		if (mm_json_integer(ours, name, -1) != json_integer_value(count))
			fail_msg("%s: %lld instead of %lld", name, (long long)mm_json_integer(ours, name, -1),
				 (long long)json_integer_value(count));
	}
	json_object_foreach(ours, name, count)
	{
		total += json_integer_value(count);
	}
	assert_int_equal(json_object_size(ours), json_object_size(expected));
	assert_int_equal(total, mm_json_integer(golden, "total", 0));
	json_decref(ours);
	json_decref(description);
	json_decref(golden);
	mm_strings_release(&spec.tests);
}

/* However small the scale, every operation is done at least once; the order of tests is upstream's. */
static void smallest_scale(void **state)
{
	static const char *const order[] = { "ATIS",   "alter-table", "big-tables",   "connect",  "create",
					     "insert", "select",      "transactions", "wisconsin" };
	static const char *const editions[] = { "5.0", "mariadb-10.11" };

	(void)state;
	for (size_t e = 0; e < 2; e++) {
		struct mm_suite_spec small = spec_of(editions[e], 1e-6), whole = spec_of(editions[e], 1);
		json_t *tiny = describe(&small), *all = describe(&whole), *few = sum(tiny), *many = sum(all), *test,
		       *count;
		const char *name;
		size_t i;

		assert_int_equal(json_object_size(few), json_object_size(many));
		json_object_foreach(few, name, count)
		{
			assert_true(json_integer_value(count) > 0);
			assert_true(json_integer_value(count) <= mm_json_integer(many, name, 0));
		}
		json_array_foreach(json_object_get(tiny, "tests"), i, test)
		{
			assert_string_equal(mm_json_string(test, "test", ""), order[i]);
		}
		assert_int_equal(i, sizeof order / sizeof *order);
		json_decref(tiny);
		json_decref(all);
		json_decref(few);
		json_decref(many);
	}
}

/* What differs between the editions, as upstream's scripts print it. */
static void later_edition(void **state)
{
	static const struct {
		const char *operation;
		json_int_t count;
	} cases[] = {
		{ "alter_table_add", 992 },
		{ "alter_table_drop", 992 },
		{ "alter_table_add_in_middle", 992 },
		{ "create_MANY_tables", 400 },
		{ "create_key+drop", 10000 },
		{ "update_with_key_record_unchanged", 300000 },
		{ "insert_many_keys", 100000 },
		{ "many_key_update_of_key_with_primary", 10000 },
		{ "count_group_with_order", 7000 },
		{ "wisc_benchmark", 50014 },
		{ "select_many_fields", 140000 },
		{ "insert_autocommit", 500000 },
		{ "connect", 50000 },
	};
	struct mm_suite_spec spec = spec_of("mariadb-10.11", 1);
	json_t *description = describe(&spec), *ours = sum(description);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(mm_json_integer(ours, cases[i].operation, -1), cases[i].count);
	json_decref(ours);
	json_decref(description);
}

static void selected_operations(void **state)
{
	struct mm_suite_spec spec = spec_of("5.0", 0.1);
	json_t *description, *ours;

	(void)state;
	mm_strings_push(&spec.tests, "select");
	mm_strings_push(&spec.operations, "select_cache");
	mm_strings_push(&spec.operations, "count_on_key");
	description = describe(&spec);
	ours = sum(description);
	assert_int_equal(json_object_size(ours), 2);
	assert_int_equal(mm_json_integer(ours, "select_cache", 0), 1000);
	assert_int_equal(mm_json_integer(ours, "count_on_key", 0), 5000);
	/* Rows are inserted all the same, the other selects are left out: table, rows, one warm-up, both operations. */
	assert_int_equal(mm_json_integer(json_array_get(json_object_get(description, "tests"), 0), "statements", 0),
			 2 + 1000 + 1 + 1000 + 5000 + 1);
	json_decref(ours);
	json_decref(description);
	mm_strings_release(&spec.tests);
	mm_strings_release(&spec.operations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_of_scale),       cmocka_unit_test(unknown_names),
		cmocka_unit_test(hostile_values),      cmocka_unit_test(published_counts),
		cmocka_unit_test(smallest_scale),      cmocka_unit_test(later_edition),
		cmocka_unit_test(selected_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
