/*
 * Is native sql-bench faithful? For each test upstream's script and ours run against the same server, with the same
 * loop counts: the operations and their counts must be the same, the rows, the statements that the server saw, and how
 * far its counters moved. The scripts are those of the MariaDB source tarball that MM_MARIADB_TARBALL names.
 */
#include "server-fixture.h"

#include <pthread.h>
#include <regex.h>
#include <signal.h>

#include "base/json.h"
#include "runners/sql-bench/sql-bench.h"
#include "sqlbench-upstream.h"

/* One for each script, in order: small ones. */
static const double scales[UPSTREAM_SCRIPTS] = { 0.0004, 0.05, 0.0001, 0.0002, 0.005, 0.01, 0.01, 0.001, 0.0004 };

static char *scripts_folder; /* the unpacked, edited sql-bench */
static struct mm_server server;
static bool is_killed;
static MYSQL *observer; /* looks at counters, on a connection of its own */

static int start(void **state)
{
	struct mm_error err = MM_ERROR_INIT;

	if (fixture_open(state) != 0)
		return -1;
	scripts_folder = mm_path_join(fixture.folder, "sql-bench");
	if (upstream_unpack(getenv("MM_MARIADB_TARBALL"), scripts_folder, scales, &err) != 0 ||
	    mm_datadir_make(&fixture.place, &err) != 0)
		fail_msg("%s", err.text);
	/*
	 * Nothing that moves by itself: new statistics would change plans, and with them counters, at their own time;
	 * so would rows that are cleaned up behind the scenes, which the recovery mode keeps from happening.
	 */
	write_file(fixture.build.my_cnf,
		   "[mysqld]\ninnodb_stats_auto_recalc=0\nuse_stat_tables=never\n"
		   "innodb_force_recovery=2\ninnodb_flush_log_at_trx_commit=0\nlog_output=FILE\n");
	if (mm_server_start(&fixture.place, &server, &err) != 0 || mm_server_connect(&server, &observer, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(mysql_query(observer, "create database if not exists test"), 0);
	return 0;
}

static int stop(void **state)
{
	struct mm_error err = MM_ERROR_INIT;

	if (observer)
		mysql_close(observer);
	observer = NULL;
	if (is_killed || server.process.pid == 0)
		mm_server_kill(&server, NULL);
	else if (mm_server_stop(&server, &err) != 0)
		fail_msg("%s", err.text);
	free(scripts_folder);
	return fixture_close(state);
}

/* Observation */

/* What one of both did: operations with counts and rows, how far counters moved, and the statements. */
struct deeds {
	json_t *operations, *counters;
	char *statements;
};

static void release(struct deeds *deeds)
{
	json_decref(deeds->operations);
	json_decref(deeds->counters);
	free(deeds->statements);
}

static MYSQL_RES *look(const char *statement)
{
	MYSQL_RES *result;

	assert_int_equal(mysql_query(observer, statement), 0);
	result = mysql_store_result(observer);
	assert_non_null(result);
	return result;
}

/* A connection that was closed counts until the server has taken notice: waits until only the observer is left. */
static void wait_until_alone(void)
{
	for (bool alone = false; !alone;) {
		MYSQL_RES *result = look("select variable_value from information_schema.global_status "
					 "where variable_name='threads_connected'");

		alone = strcmp(mysql_fetch_row(result)[0], "1") == 0;
		mysql_free_result(result);
	}
}

/*
 * The counters of everybody but the observer: what it does itself cancels out in a difference of two readings. (SHOW
 * STATUS would not do: it takes what it did itself out of the session's counters.)
 */
static json_t *read_counters(void)
{
	static const char *const scopes[] = { "global", "session" };
	json_t *counters = json_object();

	wait_until_alone();
	for (int s = 0; s < 2; s++) {
		char statement[160];
		MYSQL_RES *result;
		MYSQL_ROW row;

		snprintf(statement, sizeof statement,
			 "select variable_name,variable_value from information_schema.%s_status "
			 "where variable_name rlike '^(com_|handler_|questions)'",
			 scopes[s]);
		result = look(statement);
		while ((row = mysql_fetch_row(result))) {
			json_int_t count = strtoll(row[1], NULL, 10);

			json_object_set_new(counters, row[0],
					    json_integer(s ? mm_json_integer(counters, row[0], 0) - count : count));
		}
		mysql_free_result(result);
	}
	return counters;
}

/* Begins: a log of its own, counters as they are. */
static void observe(struct deeds *deeds, const char *log)
{
	char statement[256];

	snprintf(statement, sizeof statement, "set global general_log_file='%s/%s', global general_log=1",
		 fixture.folder, log);
	assert_int_equal(mysql_query(observer, statement), 0);
	deeds->operations = json_object();
	deeds->counters = read_counters();
}

/* The statements of a general log, one a line, without those of the observer and of upstream's connections. */
static char *read_statements(const char *log)
{
	static const char *const beside[] = { "SET OPTION ", "set global general_log", "select variable_" };
	char *path = mm_path_join(fixture.folder, log), *line, *next;
	struct mm_buffer text = MM_BUFFER_INIT, statements = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;

	if (mm_fs_read(path, 0, &text, &err) != 0)
		fail_msg("%s", err.text);
	for (line = text.data; line && *line; line = next) {
		char *statement;
		bool left_out = false;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		statement = strstr(line, " Query\t");
		for (size_t i = 0; statement && i < sizeof beside / sizeof *beside; i++)
			left_out |= strncmp(statement + 7, beside[i], strlen(beside[i])) == 0;
		if (statement && !left_out)
			mm_buffer_printf(&statements, "%s\n", statement + 7);
	}
	assert_int_equal(unlink(path), 0);
	free(path);
	mm_buffer_release(&text);
	return mm_buffer_detach(&statements);
}

static void observed(struct deeds *deeds, const char *log)
{
	json_t *after = read_counters(), *count;
	const char *name;

	assert_int_equal(mysql_query(observer, "set global general_log=0"), 0);
	json_object_foreach(after, name, count)
	{
		json_int_t moved = json_integer_value(count) - mm_json_integer(deeds->counters, name, 0);

		json_object_set_new(deeds->counters, name, json_integer(moved));
	}
	json_decref(after);
	deeds->statements = read_statements(log);
}

/* The lines that upstream's own summary counts, as it does. */
static void parse_output(const char *output, json_t *operations)
{
	static const char pattern[] =
		"^(Estimated )?[Tt]ime (to|for) ([^[:space:]:]*)[[:space:]]*\\(([0-9]+)(:([0-9]+))?\\)"
		"[^:\n]*:[[:space:]]*[0-9.]+ .*secs";
	regmatch_t match[7];
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	for (; regexec(&regex, output, 7, match, 0) == 0; output += match[0].rm_eo) {
		char *name = mm_strndup(output + match[3].rm_so, (size_t)(match[3].rm_eo - match[3].rm_so));
		json_t *operation = json_object_get(operations, name);

		assert_int_equal(match[1].rm_so, -1);
		if (!operation) {
			operation = json_object();
			json_object_set_new(operations, name, operation);
		}
		mm_json_put_integer(operation, "count",
				    mm_json_integer(operation, "count", 0) +
					    strtoll(output + match[4].rm_so, NULL, 10));
		if (match[6].rm_so >= 0)
			mm_json_put_integer(operation, "rows",
					    mm_json_integer(operation, "rows", 0) +
						    strtoll(output + match[6].rm_so, NULL, 10));
		free(name);
	}
	regfree(&regex);
	assert_null(strstr(output, "\nWarning"));
}

static void run_upstream(const struct upstream_script *script, const char *engine, struct deeds *deeds)
{
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;

	observe(deeds, "upstream.log");
	assert_ok(upstream_run(scripts_folder, script, server.socket, engine, &output, &result, &err), &err);
	observed(deeds, "upstream.log");
	parse_output(mm_buffer_text(&output), deeds->operations);
	mm_buffer_release(&output);
}

static void run_native(const struct upstream_script *script, double scale, const char *engine, char *data,
		       struct deeds *deeds)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_test_sample *sample;
	struct mm_pass pass;

	mm_pass_init(&pass);
	sample = mm_pass_add_test(&pass, script->name);
	observe(deeds, "native.log");
	assert_ok(upstream_native(script, scale, server.socket, engine, data, sample, &err), &err);
	observed(deeds, "native.log");
	for (size_t i = 0; i < sample->operation_count; i++) {
		const struct mm_operation_sample *done = &sample->operations[i];
		const json_t *extra = json_object_get(json_object_get(sample->extra, "operations"), done->name);
		json_t *operation = json_object(), *rows = json_object_get(extra, "rows");

		assert_true(done->wall_ns > 0);
		mm_json_put_integer(operation, "count", (int64_t)done->count);
		if (rows)
			json_object_set(operation, "rows", rows);
		json_object_set_new(deeds->operations, done->name, operation);
	}
	assert_null(json_object_get(sample->extra, "wrong"));
	mm_pass_release(&pass);
}

/* Comparison */

static void compare_objects(const struct upstream_script *script, const char *what, json_t *upstream, json_t *native)
{
	const char *name;
	json_t *value;

	json_object_foreach(upstream, name, value)
	{
		if (!json_equal(value, json_object_get(native, name))) {
			char *ours = json_dumps(json_object_get(native, name), JSON_ENCODE_ANY);
			char *theirs = json_dumps(value, JSON_ENCODE_ANY);

			fail_msg("%s, %s '%s': upstream %s, native %s", script->name, what, name, theirs,
				 ours ? ours : "nothing");
		}
	}
	assert_int_equal(json_object_size(upstream), json_object_size(native));
}

static void compare_statements(const struct upstream_script *script, const char *upstream, const char *native)
{
	size_t same = 0, line = 1;

	while (upstream[same] && upstream[same] == native[same])
		line += upstream[same++] == '\n';
	if (upstream[same] || native[same])
		fail_msg("%s, statement %zu: upstream …%.200s\nnative …%.200s", script->name, line, upstream + same,
			 native + same);
}

static void compare(size_t index, const char *engine, char *data)
{
	const struct upstream_script *script = &upstream_scripts[index];
	struct deeds upstream, native;

	run_upstream(script, engine, &upstream);
	run_native(script, scales[index], engine, data, &native);
	compare_objects(script, "operation", upstream.operations, native.operations);
	if (script->same_text)
		compare_statements(script, upstream.statements, native.statements);
	/* Each script makes one connection that first sets options which this server no longer has. */
	json_object_set_new(upstream.counters, "QUESTIONS",
			    json_integer(mm_json_integer(upstream.counters, "QUESTIONS", 0) - 1));
	compare_objects(script, "counter", upstream.counters, native.counters);
	printf("%s, %s%s: %zu operations, %lld statements, %zu counters alike\n", script->name, engine,
	       data ? ", upstream's rows" : "", json_object_size(native.operations),
	       (long long)mm_json_integer(native.counters, "QUESTIONS", 0), json_object_size(native.counters));
	release(&upstream);
	release(&native);
}

static void all_tests(const char *engine)
{
	for (size_t i = 0; i < UPSTREAM_SCRIPTS; i++)
		compare(i, engine, NULL);
}

static void with_innodb(void **state)
{
	(void)state;
	all_tests("InnoDB");
}

static void with_myisam(void **state)
{
	(void)state;
	all_tests("MyISAM");
}

/* The two tests whose rows are made up, with the rows that upstream has. */
static void with_upstreams_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < UPSTREAM_SCRIPTS; i++)
		if (upstream_scripts[i].test == &mm_sb_atis || upstream_scripts[i].test == &mm_sb_wisconsin)
			compare(i, "MyISAM", scripts_folder);
}

/* Through the suite itself: the engine is read back, checksums repeat, a part that was not asked for is left out. */
static void suite(void **state)
{
	struct mm_suite_spec spec = { .edition = (char[]){ "5.0" }, .scale = 0.01, .engine = (char[]){ "default" } };
	char myisam[] = "MyISAM";
	uint64_t checksums[2] = { 0, 0 };

	(void)state;
	mm_strings_split(&spec.tests, "select wisconsin");
	for (unsigned i = 0; i < 4; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_pass pass;
		struct mm_suite_run run = { .spec = &spec, .server = &server, .pass = &pass };

		if (i == 2)
			mm_strings_split(&spec.operations, "select_cache wisc_benchmark");
		if (i == 3)
			spec.engine = myisam;
		mm_pass_init(&pass);
		if (mm_suite_sql_bench.check(&spec, &err) != 0 || mm_suite_sql_bench.run(&run, &err) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(pass.engine, i == 3 ? "MyISAM" : "InnoDB");
		assert_int_equal(pass.test_count, 2);
		assert_string_equal(pass.tests[0].unit, "s");
		assert_true(pass.tests[0].value > 0 && pass.tests[0].server_cpu_ns > 0);
		assert_int_equal(pass.tests[0].operation_count, i < 2 ? 15 : 1);
		assert_int_equal(pass.tests[1].operation_count, i < 2 ? 4 : 1);
		for (unsigned t = 0; t < 2 && i < 2; t++) {
			assert_true(i == 0 || pass.tests[t].checksum == checksums[t]);
			checksums[t] = pass.tests[t].checksum;
		}
		mm_pass_release(&pass);
	}
	mm_strings_release(&spec.tests);
	mm_strings_release(&spec.operations);
}

/* An engine that cannot do a test: the test is skipped with the reason, others are not; an unknown engine is an error.
 */
static void what_an_engine_cannot_do(void **state)
{
	struct mm_suite_spec spec = { .edition = (char[]){ "5.0" }, .scale = 0.001, .engine = (char[]){ "MEMORY" } };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;
	struct mm_suite_run run = { .spec = &spec, .server = &server, .pass = &pass };

	(void)state;
	mm_strings_split(&spec.tests, "connect transactions create");
	mm_pass_init(&pass);
	if (mm_suite_sql_bench.run(&run, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(pass.test_count, 3);
	assert_non_null(strstr(pass.tests[0].skipped, "the server makes no table with a blob: "));
	assert_null(pass.tests[1].skipped);
	assert_non_null(strstr(pass.tests[2].skipped, "no transactions"));
	mm_pass_release(&pass);

	mm_pass_init(&pass);
	spec.engine = (char[]){ "NoSuchEngine" };
	assert_int_equal(mm_suite_sql_bench.run(&run, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "NoSuchEngine"));
	mm_pass_release(&pass);
	mm_strings_release(&spec.tests);
}

/* Kills the server as soon as a hundred more rows have been inserted. */
static void *kill_server(void *seen)
{
	MYSQL *mysql = NULL;
	long long before = -1, now = 0;

	while (now < before + 100 || before < 0) {
		MYSQL_RES *result;
		MYSQL_ROW row;

		if ((!mysql && mm_server_connect(&server, &mysql, NULL) != 0) ||
		    mysql_query(mysql, "show global status like 'Com_insert'") != 0)
			return NULL;
		result = mysql_store_result(mysql);
		row = result ? mysql_fetch_row(result) : NULL;
		now = row ? strtoll(row[1], NULL, 10) : 0;
		before = before < 0 ? now : before;
		mysql_free_result(result);
	}
	mysql_close(mysql);
	*(int *)seen = kill(server.process.pid, SIGKILL) == 0;
	return NULL;
}

/* The server goes away in the middle: the error names test, operation and statement; samples so far stay. */
static void killed_server(void **state)
{
	struct mm_suite_spec spec = { .edition = (char[]){ "5.0" }, .scale = 0.001, .engine = (char[]){ "default" } };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;
	struct mm_suite_run run = { .spec = &spec, .server = &server, .pass = &pass };
	pthread_t thread;
	int seen = 0;

	(void)state;
	mm_strings_split(&spec.tests, "big-tables insert");
	mm_pass_init(&pass);
	assert_int_equal(mm_suite_sql_bench.run(&run, &err), 0);
	mm_pass_release(&pass);

	spec.scale = 1;
	mm_strings_release(&spec.tests);
	mm_strings_push(&spec.tests, "insert");
	mm_pass_init(&pass);
	assert_int_equal(pthread_create(&thread, NULL, kill_server, &seen), 0);
	assert_int_equal(mm_suite_sql_bench.run(&run, &err), MM_ECELL);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(seen);
	ASSERT_LINE(err.text, "test 'insert', operation 'insert'", "'insert into bench1 (id,id2,id3,dummy1) values (",
		    "error 20");
	assert_int_equal(pass.test_count, 1);
	mm_pass_release(&pass);
	mm_strings_release(&spec.tests);
	is_killed = true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_innodb),
		cmocka_unit_test(with_myisam),
		cmocka_unit_test(with_upstreams_rows),
		cmocka_unit_test(suite),
		cmocka_unit_test(what_an_engine_cannot_do),
		cmocka_unit_test(killed_server),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
