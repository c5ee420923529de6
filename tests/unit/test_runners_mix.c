/* Mixes of the "threads" suite: the built-in ones, what comes out of them, and files that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "runners/mix.h"

#define MIXES MM_SOURCE_FOLDER "/runners/mixes/"

static char path[] = "/tmp/mymatrix-mix.XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int drop_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void load_text(const char *text, struct mm_mix *mix)
{
	struct mm_error err = MM_ERROR_INIT;

	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), NULL), 0);
	if (mm_mix_load(path, mix, &err) != 0)
		fail_msg("%s", err.text);
}

static void the_built_in_ones_are_the_files(void **state)
{
	static const char *const names[] = { "heavy", "light" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *file = mm_format(MIXES "%s.json", names[i]);
		struct mm_error err = MM_ERROR_INIT;
		struct mm_mix inside, outside;

		if (mm_mix_builtin(names[i], &inside, &err) != 0 || mm_mix_load(file, &outside, &err) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(inside.name, names[i]);
		assert_int_equal(inside.query_count, outside.query_count);
		assert_true(inside.query_count >= 4 && inside.rows >= 1000);
		for (size_t q = 0; q < inside.query_count; q++)
			assert_string_equal(inside.queries[q].pieces[0].text, outside.queries[q].pieces[0].text);
		mm_mix_release(&inside);
		mm_mix_release(&outside);
		free(file);
	}
	assert_int_equal(mm_mix_builtin("medium", &(struct mm_mix){ 0 }, NULL), MM_EINTERNAL);
}

#define TABLE(columns)                                                                                                 \
	"\"table\": {\"name\": \"t\", \"rows\": 100, \"columns\": [" columns "], \"keys\": [\"primary key (id)\"]}"
#define ID    "{\"name\": \"id\", \"type\": \"int\", \"value\": \"row\"}"
#define HEAD  "{\"mymatrix_mix\": 1, \"name\": \"m\", "
#define QUERY "\"queries\": [{\"name\": \"q\", \"sql\": \"select 1\"}]}"

static const char sample[] = HEAD TABLE(ID ", {\"name\": \"w\", \"type\": \"char(4)\", \"value\": {\"text\": 4}}, "
					   "{\"name\": \"k\", \"type\": \"char(1)\", \"value\": {\"choice\": [\"a\", "
					   "\"b\"]}}, "
					   "{\"name\": \"n\", \"type\": \"int\", \"value\": {\"integer\": [5, "
					   "\"rows/10\"]}}") ", \"//\": \"a comment\", "
							     "\"queries\": [{\"name\": \"often\", \"weight\": 3, "
							     "\"sql\": \"select '{{}}' from {table} a, {table} b where "
							     "a.id = {x} and b.id = {x} and a.w > '{y}'\", "
							     "\"values\": {\"x\": {\"integer\": [1, \"rows\"]}, \"y\": "
							     "{\"text\": 2}}}, "
							     "{\"name\": \"seldom\", \"sql\": \"select count(*) from "
							     "{table}\"}]}";

static void tables_and_rows(void **state)
{
	struct mm_buffer text = MM_BUFFER_INIT, again = MM_BUFFER_INIT;
	struct mm_mix_size size = { 100, 2 };
	struct mm_mix mix;
	int64_t row = 1;
	unsigned values = 0;

	(void)state;
	load_text(sample, &mix);
	mm_mix_create(&mix, 2, " engine=X", &text);
	assert_string_equal(mm_buffer_text(&text),
			    "create table t2 (id int, w char(4), k char(1), n int, primary key (id)) engine=X");
	/* all rows, in pieces that fit */
	while (row <= size.rows) {
		int64_t next;

		mm_buffer_reset(&text);
		next = mm_mix_insert(&mix, &size, 1, row, 300, &text);
		assert_true(next > row && text.length < 340);
		assert_int_equal(strncmp(mm_buffer_text(&text), "insert into t1 values (", 23), 0);
		for (const char *c = mm_buffer_text(&text); (c = strchr(c, '(')) != NULL; c++) {
			char w[8], k[4];
			long id, n;

			assert_int_equal(sscanf(c, "(%ld,'%4[a-z]','%1[ab]',%ld)", &id, w, k, &n), 4);
			assert_true(id == row + (long)values && strlen(w) == 4 && n >= 5 && n <= 10);
			values++;
		}
		assert_int_equal(next, row + values);
		row = next;
		values = 0;
	}
	assert_int_equal(row, 101);
	/* a row is the same however the rows are cut, and another one in another table */
	mm_buffer_reset(&text);
	mm_mix_insert(&mix, &size, 1, 50, 0, &text);
	mm_mix_insert(&mix, &size, 1, 50, 0, &again);
	assert_string_equal(mm_buffer_text(&text), mm_buffer_text(&again));
	mm_buffer_reset(&again);
	mm_mix_insert(&mix, &size, 2, 50, 0, &again);
	assert_string_not_equal(strchr(mm_buffer_text(&text), '('), strchr(mm_buffer_text(&again), '('));
	mm_buffer_release(&text);
	mm_buffer_release(&again);
	mm_mix_release(&mix);
}

static void statements(void **state)
{
	struct mm_mix_random random = mm_mix_random_of(7, 1), same = mm_mix_random_of(7, 1);
	struct mm_buffer text = MM_BUFFER_INIT, again = MM_BUFFER_INIT;
	struct mm_mix_size size = { 100, 3 };
	unsigned drawn[2] = { 0, 0 }, tables = 0;
	struct mm_mix mix;

	(void)state;
	load_text(sample, &mix);
	for (int i = 0; i < 4000; i++) {
		size_t query = mm_mix_draw(&mix, &random);
		long t[2], x[2];
		char y[4];

		assert_int_equal(query, mm_mix_draw(&mix, &same));
		mm_mix_statement(&mix, &size, query, &random, &text);
		mm_mix_statement(&mix, &size, query, &same, &again);
		assert_string_equal(mm_buffer_text(&text), mm_buffer_text(&again));
		drawn[query]++;
		if (query != 0)
			continue;
		assert_int_equal(
			sscanf(mm_buffer_text(&text),
			       "select '{}' from t%ld a, t%ld b where a.id = %ld and b.id = %ld and a.w > '%2[a-z]'",
			       &t[0], &t[1], &x[0], &x[1], y),
			5);
		assert_true(t[0] == t[1] && t[0] >= 1 && t[0] <= 3 && x[0] == x[1] && x[0] >= 1 && x[0] <= 100);
		tables |= 1U << t[0];
	}
	/* three to one, with room for chance */
	assert_true(drawn[0] > 2800 && drawn[0] < 3200 && drawn[0] + drawn[1] == 4000);
	assert_int_equal(tables, 2 + 4 + 8);
	mm_buffer_release(&text);
	mm_buffer_release(&again);
	mm_mix_release(&mix);
}

static void wrong_files_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "{", "" },
		{ "[]", "must be an object" },
		{ "{\"name\": \"m\"}", "\"mymatrix_mix\" must be 1" },
		{ HEAD "\"tabel\": 1}", "unknown key 'tabel'" },
		{ HEAD "\"table\": 5}", "$.table: must be an object" },
		{ HEAD "\"table\": {\"name\": \"a b\"}}", "\"name\" must be a name" },
		{ HEAD "\"table\": {\"name\": \"t\", \"rows\": 0}}", "\"rows\" must be a whole number from 1" },
		{ HEAD TABLE("") ", " QUERY, "\"columns\" must be a list" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\"}") ", " QUERY,
		  "$.table.columns[0]: must be \"row\"" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\", \"value\": {\"integer\": [1]}}") ", " QUERY,
		  "list of two" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\", \"value\": {\"integer\": [2, 1]}}") ", " QUERY,
		  "above the second" },
		{ HEAD TABLE(
			  "{\"name\": \"id\", \"type\": \"int\", \"value\": {\"integer\": [1, \"rows/0\"]}}") ","
													      " " QUERY,
		  "\"rows/N\"" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\", \"value\": {\"text\": -1}}") ", " QUERY,
		  "\"text\" must be" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\", \"value\": {\"choice\": [\"a'b\"]}}") ", " QUERY,
		  "without quotes" },
		{ HEAD TABLE("{\"name\": \"id\", \"type\": \"int\", \"value\": {\"choice\": []}}") ", " QUERY,
		  "not empty" },
		{ HEAD TABLE(ID) ", \"queries\": []}", "\"queries\" must be a list" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\"}]}", "$.queries[0]: \"sql\" must be a string" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"select {x}\"}]}", "'{x}'" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"select {table\"}]}", "neither {table}" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"select }\"}]}",
		  "a brace is written twice" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"weight\": 0, \"sql\": \"x\"}]}",
		  "\"weight\" must be" },
		{ HEAD TABLE(
			  ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"x\"}, {\"name\": \"q\", \"sql\": \"x\"}]}",
		  "another query" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"x\", \"values\": {\"table\": {\"text\": "
				 "1}}}]}",
		  "not 'table'" },
		{ HEAD TABLE(ID) ", \"queries\": [{\"name\": \"q\", \"sql\": \"x\", \"values\": {\"a\": \"row\"}}]}",
		  "$.queries[0].values.a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_mix mix;

		assert_int_equal(mm_fs_write_atomic(path, cases[i].text, strlen(cases[i].text), NULL), 0);
		assert_int_equal(mm_mix_load(path, &mix, &err), MM_EMATRIX);
		if (strstr(err.text, path) == NULL || strstr(err.text, cases[i].said) == NULL ||
		    strchr(err.text, '\n') != NULL)
			fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].said);
		mm_mix_release(&mix);
	}
	assert_int_equal(mm_mix_load("/nonexistent/mix.json", &(struct mm_mix){ 0 }, NULL), MM_EMATRIX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_ones_are_the_files),
		cmocka_unit_test(tables_and_rows),
		cmocka_unit_test(statements),
		cmocka_unit_test(wrong_files_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, make_file, drop_file);
}
