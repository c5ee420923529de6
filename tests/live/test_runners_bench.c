/* Whole passes against the installed MariaDB, with small suites made for the purpose. */
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include "server-fixture.h"
#include "base/json.h"
#include "runners/bench.h"

static struct mm_suite_spec spec;

static int open_bench(void **state)
{
	struct mm_error err = MM_ERROR_INIT;

	if (fixture_open(state) != 0)
		return -1;
	memset(&spec, 0, sizeof(spec));
	spec.name = mm_strdup("small");
	spec.suite = mm_strdup("made for the test");
	return mm_datadir_make(&fixture.place, &err);
}

static int close_bench(void **state)
{
	free(spec.name);
	free(spec.suite);
	assert_nothing_runs();
	return fixture_close(state);
}

static int send(MYSQL *mysql, const char *statement, struct mm_error *err)
{
	MYSQL_RES *result;

	if (mysql_query(mysql, statement) != 0)
		return mm_error_set(err, MM_ECELL, "'%s': %s", statement, mysql_error(mysql));
	result = mysql_store_result(mysql);
	if (result != NULL)
		mysql_free_result(result);
	return 0;
}

/* One test of one statement, which HURT may keep from ending well. */
static int run_statement(struct mm_suite_run *run, const char *name, const char *statement,
			 void (*hurt)(const struct mm_server *server), struct mm_error *err)
{
	struct mm_test_sample *test = mm_pass_add_test(run->pass, name);
	struct mm_measure measure;
	MYSQL *mysql;
	int rc = mm_server_connect(run->server, &mysql, err);

	if (rc != 0)
		return rc;
	mm_measure_begin(&measure, run->server);
	if (hurt != NULL)
		hurt(run->server);
	rc = send(mysql, statement, err);
	mm_measure_end(&measure, run->server, test);
	mysql_close(mysql);
	return rc;
}

static int run_well(struct mm_suite_run *run, struct mm_error *err)
{
	int rc = run_statement(run, "cpu", "select benchmark(3000000, sha1('a'))", NULL, err);

	return rc != 0 ? rc : run_statement(run, "wait", "select sleep(0.3)", NULL, err);
}
static const struct mm_suite well = { .name = "well", .run = run_well };

static struct mm_pass run_pass(const struct mm_suite *suite, int wanted, struct mm_error *err)
{
	struct mm_pass pass;
	int rc;

	mm_pass_init(&pass);
	rc = mm_pass_run_suite(&fixture.place, suite, &spec, &pass, err);
	if (rc != wanted)
		fail_msg("result %d, not %d: %s", rc, wanted, err->text);
	assert_nothing_runs();
	return pass;
}

static void a_good_pass(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass = run_pass(&well, 0, &err), loaded;
	char *path = mm_path_join(fixture.folder, "pass.json");
	const struct mm_test_sample *cpu = &pass.tests[0], *wait = &pass.tests[1];

	(void)state;
	assert_string_equal(pass.cell, "installed");
	assert_string_equal(pass.suite, "small");
	assert_null(pass.failure);
	assert_null(pass.log_tail);
	/* SELECT VERSION() may say more than --version: a suffix for logs */
	assert_non_null(strstr(pass.server_version, "MariaDB"));
	assert_string_equal(mm_json_string(pass.variables, "skip_networking", ""), "ON");
	assert_string_equal(mm_json_string(pass.variables, "socket", ""), fixture.place.socket);
	assert_true(json_object_size(pass.variables) > 300);
	assert_string_equal(pass.server_argv.items[0], "/usr/sbin/mariadbd");
	assert_true(pass.copy_ns > 0 && pass.start_ns > 0 && pass.stop_ns > 0);
	assert_int_equal(pass.test_count, 2);
	/* what is work and what is waiting can be told apart by figures of two clocks */
	assert_true(cpu->server_cpu_ns > cpu->wall_ns / 20);
	assert_true(wait->wall_ns >= 300000000 && wait->server_cpu_ns < wait->wall_ns / 2);
	assert_true(fabs(wait->value - (double)wait->wall_ns / 1e9) < 1e-9);
	assert_true(cpu->client_cpu_ns < cpu->server_cpu_ns);
	assert_true(cpu->peak_rss_bytes != MM_UNKNOWN && cpu->peak_rss_bytes > 10000000);
	assert_true(cpu->voluntary_switches != MM_UNKNOWN && cpu->write_bytes != MM_UNKNOWN);
	assert_true(json_is_boolean(json_object_get(pass.noise, "noisy")));
	assert_true(mm_json_number(pass.noise, "other_cpu_percent", -1) >= 0);

	/* which binary it was, what it wrote, and which engine tables get */
	assert_true(strlen(pass.build_id) >= 16 && strspn(pass.build_id, "0123456789abcdef") == strlen(pass.build_id));
	assert_non_null(strstr(pass.error_log, "ready for connections"));
	assert_non_null(strstr(pass.error_log, "Shutdown complete"));
	assert_string_equal(pass.engine, "InnoDB");
	/* either there are counters, or it says why not */
	if (strcmp(pass.counters, "available") == 0)
		assert_true(cpu->cycles > 1000000 && cpu->cycles != MM_UNKNOWN);
	else
		assert_true(strncmp(pass.counters, "unavailable: ", 13) == 0 && cpu->cycles == MM_UNKNOWN);

	assert_ok(mm_pass_save(path, &pass, &err), &err);
	assert_ok(mm_pass_load(path, &loaded, &err), &err);
	assert_true(loaded.tests[0].server_cpu_ns == cpu->server_cpu_ns);
	assert_true(json_equal(loaded.variables, pass.variables));
	mm_pass_release(&loaded);
	mm_pass_release(&pass);
	free(path);
}

static void kill_server(const struct mm_server *server)
{
	assert_int_equal(kill(server->process.pid, SIGSEGV), 0);
}

static int run_killed(struct mm_suite_run *run, struct mm_error *err)
{
	int rc = run_statement(run, "first", "select 1", NULL, err);

	return rc != 0 ? rc : run_statement(run, "second", "select sleep(600)", kill_server, err);
}
static const struct mm_suite killed = { .name = "killed", .run = run_killed };

static void a_server_that_dies_in_mid_test(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass = run_pass(&killed, MM_ECELL, &err), loaded;
	char *path = mm_path_join(fixture.folder, "pass.json");

	(void)state;
	ASSERT_LINE(err.text, "server of cell 'installed' died in test 'second' (killed by SIGSEGV)", "sleep(600)");
	assert_string_equal(pass.failure, err.text);
	assert_non_null(strstr(pass.log_tail, "mariadbd got signal 11"));
	assert_int_equal(pass.test_count, 2);
	assert_true(pass.tests[0].wall_ns != MM_UNKNOWN);
	assert_ok(mm_pass_save(path, &pass, &err), &err);
	assert_ok(mm_pass_load(path, &loaded, NULL), &err);
	assert_string_equal(loaded.log_tail, pass.log_tail);
	mm_pass_release(&loaded);
	mm_pass_release(&pass);
	free(path);
}

static int run_hanging(struct mm_suite_run *run, struct mm_error *err)
{
	int rc = run_statement(run, "quick", "select 1", NULL, err);

	return rc != 0 ? rc : run_statement(run, "hangs", "select sleep(600)", NULL, err);
}
static const struct mm_suite hanging = { .name = "hanging", .run = run_hanging };

static void a_test_that_exceeds_its_limit(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	spec.timeout_seconds = 1;
	pass = run_pass(&hanging, MM_ECELL, &err);
	ASSERT_LINE(err.text, "cell 'installed', test 'hangs' of suite 'small' exceeded its time limit of 1 s");
	assert_string_equal(pass.failure, err.text);
	mm_pass_release(&pass);
}

static void stop_server(const struct mm_server *server)
{
	assert_int_equal(kill(server->process.pid, SIGSTOP), 0);
}

static int run_frozen(struct mm_suite_run *run, struct mm_error *err)
{
	int rc = run_statement(run, "quick", "select 1", NULL, err);

	return rc != 0 ? rc : run_statement(run, "frozen", "select sleep(0.2)", stop_server, err);
}
static const struct mm_suite frozen = { .name = "frozen", .run = run_frozen };

/* A server that does nothing any more, not even end when it is asked to. */
static void a_server_that_hangs(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	spec.timeout_seconds = 1;
	pass = run_pass(&frozen, MM_ECELL, &err);
	ASSERT_LINE(err.text, "cell 'installed', test 'frozen' of suite 'small' exceeded its time limit of 1 s");
	assert_non_null(pass.log_tail);
	assert_int_equal(pass.test_count, 2);
	mm_pass_release(&pass);
}

static int run_unanswered(struct mm_suite_run *run, struct mm_error *err)
{
	return run_statement(run, "unanswered", "select sleep(600)", stop_server, err);
}
static const struct mm_suite unanswered = { .name = "unanswered", .run = run_unanswered };

/* Without a time limit it is the watchdog that sees it: nothing answers new clients. */
static void a_server_that_answers_nobody(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	fixture.place.limits.hang_seconds = 2;
	pass = run_pass(&unanswered, MM_ECELL, &err);
	ASSERT_LINE(err.text, "test 'unanswered' of suite 'small': the server answered no new connection for 2 s",
		    "limits.hang_seconds");
	mm_pass_release(&pass);

	/* one that only has a long statement to do does not hang */
	mm_error_clear(&err);
	spec.timeout_seconds = 7;
	pass = run_pass(&hanging, MM_ECELL, &err);
	ASSERT_LINE(err.text, "test 'hangs' of suite 'small' exceeded its time limit of 7 s");
	mm_pass_release(&pass);
}

/* A server that wants more memory, or a larger file, than its cell may have. */
static void a_server_that_exceeds_its_limits(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	fixture.place.limits = (struct mm_limits){ .memory_mib = 16 };
	pass = run_pass(&well, MM_ECELL, &err);
	ASSERT_LINE(err.text, "server of cell 'installed' exited at start", "\"limits.memory_mib\": 16", "raise it");
	mm_pass_release(&pass);

	mm_error_clear(&err);
	fixture.place.limits = (struct mm_limits){ .file_mib = 1 };
	pass = run_pass(&well, MM_ECELL, &err);
	ASSERT_LINE(err.text, "server of cell 'installed' exited at start", "\"limits.file_mib\": 1", "raise it");
	mm_pass_release(&pass);
}

static int run_wrong(struct mm_suite_run *run, struct mm_error *err)
{
	return run_statement(run, "wrong", "select no_such_column", NULL, err);
}
static const struct mm_suite wrong = { .name = "wrong", .run = run_wrong };

static void a_suite_that_fails_by_itself(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass = run_pass(&wrong, MM_ECELL, &err);

	(void)state;
	ASSERT_LINE(err.text, "'select no_such_column'", "Unknown column");
	assert_null(strstr(err.text, "died"));
	mm_pass_release(&pass);
}

static void a_server_that_does_not_start(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	write_file(fixture.build.my_cnf, "[mysqld]\nno-such-option=1\n");
	pass = run_pass(&well, MM_ECELL, &err);
	ASSERT_LINE(pass.failure, "exited at start", "no-such-option");
	assert_non_null(strstr(pass.log_tail, "no-such-option"));
	assert_true(pass.server_argv.count > 0);
	assert_int_equal(pass.test_count, 0);
	mm_pass_release(&pass);
}

static void a_suite_that_does_not_exist(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	mm_pass_init(&pass);
	assert_int_equal(mm_pass_run(&fixture.place, &spec, &pass, &err), MM_EMATRIX);
	ASSERT_LINE(err.text, "suite 'small'", "made for the test");
	mm_pass_release(&pass);
	assert_ptr_equal(mm_suite_find("sql-bench"), mm_suite_all()[0]);
	assert_null(mm_suite_find("no such suite"));
}

/* The real suite by its name, as an executor asks for it. */
static void sql_bench_by_name(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	free(spec.suite);
	spec.suite = mm_strdup("sql-bench");
	spec.scale = 0.001;
	mm_strings_push(&spec.tests, "connect");
	mm_pass_init(&pass);
	assert_ok(mm_pass_run(&fixture.place, &spec, &pass, &err), &err);
	assert_int_equal(pass.test_count, 1);
	assert_string_equal(pass.tests[0].name, "connect");
	assert_null(pass.tests[0].skipped);
	assert_true(pass.tests[0].value > 0 && pass.tests[0].checksum != 0 && pass.tests[0].operation_count > 5);
	mm_pass_release(&pass);
	mm_strings_release(&spec.tests);
}

static void a_pass_that_exceeds_its_limit(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	spec.pass_timeout_seconds = 1;
	pass = run_pass(&hanging, MM_ECELL, &err);
	spec.pass_timeout_seconds = 0;
	ASSERT_LINE(err.text, "the pass of suite 'small' exceeded its time limit of 1 s in test 'hangs'");
	assert_true(pass.tests[0].wall_ns != MM_UNKNOWN);
	mm_pass_release(&pass);
}

static void an_engine_that_the_server_lacks(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	spec.engine = mm_strdup("Falcon");
	pass = run_pass(&well, MM_ECELL, &err);
	ASSERT_LINE(err.text, "server of cell 'installed'", "engine Falcon", "Unknown storage engine");
	assert_int_equal(pass.test_count, 0);
	mm_pass_release(&pass);
	free(spec.engine);
	spec.engine = mm_strdup("MyISAM");
	mm_error_clear(&err);
	pass = run_pass(&well, 0, &err);
	assert_string_equal(pass.engine, "MyISAM");
	mm_pass_release(&pass);
	free(spec.engine);
	spec.engine = NULL;
}

static int run_filling(struct mm_suite_run *run, struct mm_error *err)
{
	int rc = run_statement(run, "table", "create table mysql.big (a longblob) engine=MyISAM", NULL, err);

	/* a full disk does not make this fail: the server waits for room */
	while (rc == 0)
		rc = run_statement(run, "fill", "insert into mysql.big values (repeat('x', 1000000))", NULL, err);
	return rc;
}
static const struct mm_suite filling = { .name = "filling", .run = run_filling };

/* A small file system of its own for the data; false where we may not mount one. */
static bool mount_small(const char *path)
{
	assert_int_equal(mm_fs_mkdirs(path, 0700, NULL), 0);
	return unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("mymatrix", path, "tmpfs", 0, "size=300m") == 0;
}

static void a_disk_that_gets_full(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;
	char *scratch = mm_path_join(fixture.place.scratch, "pass");

	(void)state;
	if (!mount_small(fixture.place.scratch))
		fail_msg("no file system can be mounted here: run this test as root, or where user namespaces are "
			 "allowed");
	free(fixture.place.scratch);
	fixture.place.scratch = scratch;
	pass = run_pass(&filling, MM_EENV, &err);
	ASSERT_LINE(err.text, "full", scratch, "run the same command again");
	assert_string_equal(pass.failure, err.text);
	mm_pass_release(&pass);
	scratch = mm_path_folder(fixture.place.scratch);
	assert_int_equal(umount(scratch), 0);
	free(scratch);
}

static cpu_set_t client_cpus;

static int run_looking(struct mm_suite_run *run, struct mm_error *err)
{
	assert_int_equal(sched_getaffinity(0, sizeof(client_cpus), &client_cpus), 0);
	return run_statement(run, "look", "select 1", NULL, err);
}
static const struct mm_suite looking = { .name = "looking", .run = run_looking };

static void the_client_has_its_own_cpus(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	cpu_set_t before, after;
	struct mm_pass pass;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	fixture.schedule.cpus_client = mm_strdup("0");
	pass = run_pass(&looking, 0, &err);
	assert_int_equal(CPU_COUNT(&client_cpus), 1);
	assert_true(CPU_ISSET(0, &client_cpus));
	/* what is started after the pass is not pinned */
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	mm_pass_release(&pass);
	free(fixture.schedule.cpus_client);
	fixture.schedule.cpus_client = NULL;
}

static void ask_to_stop(const struct mm_server *server)
{
	(void)server;
	assert_int_equal(kill(getpid(), SIGTERM), 0);
}

static int run_interrupted(struct mm_suite_run *run, struct mm_error *err)
{
	return run_statement(run, "long", "select sleep(600)", ask_to_stop, err);
}
static const struct mm_suite interrupted = { .name = "interrupted", .run = run_interrupted };

/* The last test: from here on this process has been asked to stop. */
static void a_signal_ends_a_long_statement(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	mm_signals_install();
	pass = run_pass(&interrupted, MM_EINTERRUPTED, &err);
	assert_int_equal(mm_signals_pending(), SIGTERM);
	mm_pass_release(&pass);

	/* and so a server is not even waited for */
	mm_error_clear(&err);
	pass = run_pass(&well, MM_EINTERRUPTED, &err);
	mm_pass_release(&pass);
}

int main(void)
{
#define LIVE(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)
	const struct CMUnitTest tests[] = {
		LIVE(a_good_pass),
		LIVE(a_server_that_dies_in_mid_test),
		LIVE(a_test_that_exceeds_its_limit),
		LIVE(a_server_that_hangs),
		LIVE(a_server_that_answers_nobody),
		LIVE(a_server_that_exceeds_its_limits),
		LIVE(a_pass_that_exceeds_its_limit),
		LIVE(an_engine_that_the_server_lacks),
		LIVE(a_disk_that_gets_full),
		LIVE(a_suite_that_fails_by_itself),
		LIVE(a_server_that_does_not_start),
		LIVE(a_suite_that_does_not_exist),
		LIVE(sql_bench_by_name),
		LIVE(the_client_has_its_own_cpus),
		LIVE(a_signal_ends_a_long_statement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
