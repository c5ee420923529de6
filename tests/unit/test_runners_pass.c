#include <math.h>
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
#include "base/json.h"
#include "base/memory.h"
#include "runners/pass.h"

static char folder[] = "/tmp/mymatrix-pass.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static void fill(struct mm_pass *pass)
{
	struct mm_test_sample *test;

	mm_pass_init(pass);
	pass->cell = mm_strdup("mariadb/gcc/64/standard");
	pass->suite = mm_strdup("classic");
	pass->index = 3;
	pass->visit = 2;
	pass->position = 17;
	snprintf(pass->started, sizeof(pass->started), "2026-11-30T10:56:23Z");
	mm_strings_push(&pass->server_argv, "/prefix/bin/mariadbd");
	mm_strings_push(&pass->server_argv, "--defaults-file=/prefix/etc/my.cnf");
	pass->server_version = mm_strdup("10.11.18-MariaDB");
	pass->engine = mm_strdup("InnoDB");
	pass->client_version = mm_strdup("3.3.19");
	pass->variables = json_pack("{s:s, s:s}", "datadir", "/x/", "port", "0");
	pass->build_id = mm_strdup("0123abcd");
	pass->my_cnf = mm_strdup("[mysqld]\nport=0\n");
	mm_strings_push(&pass->run_env, "LD_PRELOAD=/x.so");
	pass->counters = mm_strdup("unavailable: not here");
	pass->error_log = mm_strdup("ready for connections\n");
	pass->extra = json_pack("{s:[{s:s}]}", "outputs", "text", "one\n");
	pass->noise = json_pack("{s:f, s:b}", "steal_percent", 0.5, "noisy", 0);
	pass->copy_ns = 1;
	pass->start_ns = 2;
	pass->stop_ns = MM_UNKNOWN;
	test = mm_pass_add_test(pass, "insert");
	test->value = 12.25;
	test->wall_ns = 12250000000;
	test->server_cpu_ns = 9000000001;
	test->statements = 0;
	test->checksum = UINT64_C(0xfedcba9876543210);
	mm_test_add_operation(test, "insert", 100, 5);
	mm_test_add_operation(test, "delete_key", 7, 70);
	mm_test_add_operation(test, "insert", 200, 6);
	test->operations[1].checksum = UINT64_C(0x8000000000000001);
	test->cycles = 77;
	test = mm_pass_add_test(pass, "threads-16");
	test->unit = "queries/s";
	test->higher_is_better = true;
	test->value = 1e5 / 3;
	test->extra = json_pack("{s:f}", "p99_ms", 1.5);
	test = mm_pass_add_test(pass, "transactions");
	test->skipped = mm_strdup("the engine knows no transactions");
}

static void operations_are_summed_by_name(void **state)
{
	struct mm_pass pass;

	(void)state;
	fill(&pass);
	assert_int_equal(pass.tests[0].operation_count, 2);
	assert_string_equal(pass.tests[0].operations[0].name, "insert");
	assert_int_equal(pass.tests[0].operations[0].count, 300);
	assert_int_equal(pass.tests[0].operations[0].wall_ns, 11);
	assert_int_equal(pass.tests[0].operations[1].count, 7);
	mm_pass_release(&pass);
}

static void saved_and_loaded(void **state)
{
	char *path = mm_path_join(folder, "pass.json"), *before, *after;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass, loaded;
	json_t *json;

	(void)state;
	fill(&pass);
	assert_int_equal(mm_pass_save(path, &pass, &err), 0);
	assert_int_equal(mm_pass_load(path, &loaded, &err), 0);
	assert_string_equal(loaded.cell, "mariadb/gcc/64/standard");
	assert_string_equal(loaded.suite, "classic");
	assert_int_equal(loaded.index, 3);
	assert_int_equal(loaded.visit, 2);
	assert_int_equal(loaded.position, 17);
	assert_string_equal(loaded.started, "2026-11-30T10:56:23Z");
	assert_int_equal(loaded.server_argv.count, 2);
	assert_true(loaded.stop_ns == MM_UNKNOWN);
	assert_int_equal(loaded.start_ns, 2);
	assert_null(loaded.failure);
	assert_int_equal(loaded.test_count, 3);
	assert_true(loaded.tests[0].checksum == UINT64_C(0xfedcba9876543210));
	assert_true(loaded.tests[0].operations[0].checksum == 0);
	assert_true(loaded.tests[0].operations[1].checksum == UINT64_C(0x8000000000000001));
	assert_true(loaded.tests[0].cycles == 77 && loaded.tests[0].instructions == MM_UNKNOWN);
	assert_string_equal(loaded.build_id, "0123abcd");
	assert_string_equal(loaded.my_cnf, "[mysqld]\nport=0\n");
	assert_int_equal(loaded.run_env.count, 1);
	assert_string_equal(loaded.run_env.items[0], "LD_PRELOAD=/x.so");
	assert_string_equal(loaded.counters, "unavailable: not here");
	assert_string_equal(loaded.error_log, "ready for connections\n");
	assert_true(json_equal(loaded.extra, pass.extra));
	assert_true(loaded.tests[0].server_cpu_ns == 9000000001);
	assert_true(loaded.tests[0].statements == 0);
	assert_true(loaded.tests[0].rows == MM_UNKNOWN);
	assert_string_equal(loaded.tests[0].unit, "s");
	assert_true(loaded.tests[1].higher_is_better);
	assert_string_equal(loaded.tests[1].unit, "queries/s");
	assert_true(isnan(loaded.tests[2].value));
	assert_string_equal(loaded.tests[2].skipped, "the engine knows no transactions");
	/* nothing else is lost either: what is written again is the same text */
	json = mm_pass_json(&pass);
	before = mm_json_text(json);
	json_decref(json);
	json = mm_pass_json(&loaded);
	after = mm_json_text(json);
	json_decref(json);
	assert_string_equal(before, after);
	free(before);
	free(after);
	free(path);
	mm_pass_release(&pass);
	mm_pass_release(&loaded);
}

static void a_failed_pass_says_so(void **state)
{
	char *path = mm_path_join(folder, "failed.json");
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass, loaded;

	(void)state;
	fill(&pass);
	pass.failure = mm_strdup("server of cell 'x' died (killed by SIGSEGV)");
	pass.log_tail = mm_strdup("one\xff line\n\ttwo\n"); /* a log may hold any byte */
	assert_int_equal(mm_pass_save(path, &pass, &err), 0);
	assert_int_equal(mm_pass_load(path, &loaded, &err), 0);
	assert_string_equal(loaded.failure, pass.failure);
	assert_string_equal(loaded.log_tail, "one\xc3\xbf line\n\ttwo\n");
	mm_pass_release(&pass);
	mm_pass_release(&loaded);
	free(path);
}

static void paths_of_passes(void **state)
{
	char *path = mm_pass_path("/w/runs/1", "m/gcc/32/o3", "classic", 3, 1);

	(void)state;
	assert_string_equal(path, "/w/runs/1/passes/m/gcc/32/o3/classic-03.json");
	free(path);
	path = mm_pass_path("/w/runs/1", "m", "classic", 120, 2);
	assert_string_equal(path, "/w/runs/1/passes/m/classic-120.2.json");
	free(path);
}

#define HEAD   "\"mymatrix_pass\":1,\"cell\":\"a\",\"suite\":\"s\",\"index\":1,\"visit\":1,\"position\":1,"
#define SERVER "\"server\":{\"argv\":[]},"

/* Whatever a file holds, it is refused by name of file and member, or it is a pass. */
static void damaged_files(void **state)
{
	static const struct {
		const char *text, *complaint;
	} cases[] = {
		{ "", "not JSON" },
		{ "{\"mymatrix_pass\":1,", "not JSON" },
		{ "[]", "\"mymatrix_pass\" is missing" },
		{ "null", "not JSON" },
		{ "{}", "\"mymatrix_pass\" is missing" },
		{ "{\"mymatrix_pass\":2}", "version 2 is not known" },
		{ "{\"mymatrix_pass\":1}", "$.cell: a string is missing" },
		{ "{\"mymatrix_pass\":1,\"cell\":7}", "$.cell: must be a string that is not empty" },
		{ "{\"mymatrix_pass\":1,\"cell\":\"\"}", "$.cell: must be a string that is not empty" },
		{ "{\"mymatrix_pass\":1,\"cell\":\"a\",\"suite\":\"s\",\"index\":0}",
		  "$.index: must be a whole number from 1" },
		{ "{\"mymatrix_pass\":1,\"cell\":\"a\",\"suite\":\"s\",\"index\":99999999999}", "$.index: must be" },
		{ "{\"mymatrix_pass\":1,\"cell\":\"a\",\"suite\":\"s\",\"index\":1.5}", "$.index: must be" },
		{ "{" HEAD "\"tests\":[]}", "$.server: an object is missing" },
		{ "{" HEAD "\"server\":{}}", "$.server.argv: a list is missing" },
		{ "{" HEAD "\"server\":{\"argv\":[1]}}", "$.server.argv: must hold strings" },
		{ "{" HEAD "\"server\":{\"argv\":[],\"stop_ns\":-1}}", "$.server.stop_ns: must be a whole number" },
		{ "{" HEAD SERVER "\"failure\":[]}", "$.failure: must be a string" },
		{ "{" HEAD SERVER "\"noise\":3}", "$.noise: must be an object" },
		{ "{" HEAD SERVER "\"variables\":[]}", "$.variables: must be an object" },
		{ "{" HEAD SERVER "\"tests\":{}}", "$.tests: a list is missing" },
		{ "{" HEAD SERVER "\"tests\":[1]}", "$.tests: must hold objects" },
		{ "{" HEAD SERVER "\"tests\":[{}]}", "$.tests[0].name: a string is missing" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\"},{\"name\":\"u\",\"wall_ns\":1.5}]}",
		  "$.tests[1].wall_ns: must be" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"rows\":\"9\"}]}", "$.tests[0].rows: must be" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"value\":\"9\"}]}",
		  "$.tests[0].value: must be a number" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"better\":\"faster\"}]}", "$.tests[0].better: must be" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"checksum\":\"xyz\"}]}",
		  "$.tests[0].checksum: must be" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"extra\":1}]}", "$.tests[0].extra: must be an object" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"operations\":1}]}",
		  "$.tests[0].operations: must be a list" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"operations\":[1]}]}",
		  "$.tests[0].operations: must hold" },
		{ "{" HEAD SERVER "\"tests\":[{\"name\":\"t\",\"operations\":[{\"name\":\"o\",\"count\":-1}]}]}",
		  "$.tests[0].operations[0].count: must be" },
	};
	char *path = mm_path_join(folder, "damaged.json");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_pass pass;

		assert_int_equal(mm_fs_write_atomic(path, cases[i].text, strlen(cases[i].text), &err), 0);
		assert_int_equal(mm_pass_load(path, &pass, &err), MM_EMATRIX);
		assert_non_null(strstr(err.text, path));
		if (strstr(err.text, cases[i].complaint) == NULL)
			fail_msg("'%s' says '%s', not '%s'", cases[i].text, err.text, cases[i].complaint);
		assert_null(strchr(err.text, '\n'));
		mm_pass_release(&pass); /* harmless after a failure */
	}
	free(path);
}

/* Every prefix of a real file, and every file with one byte lost, ends as an error or a pass; never as a crash. */
static void torn_files(void **state)
{
	char *path = mm_path_join(folder, "torn.json"), *text;
	struct mm_pass pass;
	json_t *json;
	size_t length;

	(void)state;
	fill(&pass);
	json = mm_pass_json(&pass);
	text = mm_json_text(json);
	json_decref(json);
	mm_pass_release(&pass);
	length = strlen(text);
	for (size_t i = 0; i < length; i++) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fwrite(text, 1, i, file);
		if (i % 2 == 0) /* else torn off here */
			fwrite(text + i + 1, 1, length - i - 1, file);
		fclose(file);
		if (mm_pass_load(path, &pass, NULL) == 0)
			mm_pass_release(&pass);
		else
			assert_int_equal(pass.test_count, 0);
	}
	free(text);
	free(path);
}

static void a_missing_file_is_named(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	assert_int_not_equal(mm_pass_load("/nonexistent/pass.json", &pass, &err), 0);
	assert_non_null(strstr(err.text, "/nonexistent/pass.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_summed_by_name),
		cmocka_unit_test(saved_and_loaded),
		cmocka_unit_test(a_failed_pass_says_so),
		cmocka_unit_test(paths_of_passes),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(torn_files),
		cmocka_unit_test(a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
