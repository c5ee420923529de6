/* The suites that are programs of others, and the closed loop, against the installed MariaDB: small, but all of it. */
#include <math.h>
#include <sys/stat.h>

#include "server-fixture.h"
#include "base/json.h"
#include "runners/bench.h"

static struct mm_suite_spec spec;

static int open_suite(void **state)
{
	struct mm_error err = MM_ERROR_INIT;

	if (fixture_open(state) != 0)
		return -1;
	spec = (struct mm_suite_spec){
		.passes = 1, .scale = 1, .name = mm_strdup("small"), .engine = mm_strdup("default")
	};
	return mm_datadir_make(&fixture.place, &err);
}

static int close_suite(void **state)
{
	free(spec.name);
	free(spec.suite);
	free(spec.engine);
	free(spec.script);
	free(spec.preset);
	free(spec.mix);
	free(spec.threads);
	mm_strings_release(&spec.tests);
	mm_strings_release(&spec.command);
	mm_strings_release(&spec.options);
	assert_nothing_runs();
	return fixture_close(state);
}

static void set(char **field, const char *text)
{
	free(*field);
	*field = mm_strdup(text);
}

static void set_threads(int first, int second)
{
	free(spec.threads);
	spec.threads = mm_calloc(2, sizeof(int));
	spec.threads[0] = first;
	spec.threads[1] = second;
	spec.thread_count = second > 0 ? 2 : 1;
}

/* A file in the fixture's folder; allocated path. */
static char *file_of(const char *name, const char *text, mode_t mode)
{
	char *path = mm_path_join(fixture.folder, name);

	write_file(path, text);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static struct mm_pass run_pass(int wanted, struct mm_error *err)
{
	struct mm_error none = MM_ERROR_INIT;
	struct mm_pass pass;
	int rc;

	*err = none;
	if (wanted == 0)
		assert_ok(mm_suite_find(spec.suite)->check(&spec, err), err);
	mm_pass_init(&pass);
	rc = mm_pass_run(&fixture.place, &spec, &pass, err);
	if (rc != wanted)
		fail_msg("result %d, not %d: %s", rc, wanted, err->text);
	assert_nothing_runs();
	return pass;
}

static void refused(int wanted, const char *word)
{
	struct mm_error err = MM_ERROR_INIT;
	int rc = mm_suite_find(spec.suite)->check(&spec, &err);

	if (rc != wanted || strstr(err.text, word) == NULL || strchr(err.text, '\n') != NULL)
		fail_msg("result %d, not %d: '%s' does not say '%s'", rc, wanted, err.text, word);
}

/* What the program that is kept as WHAT was called with, and said. */
static const json_t *output_of(const struct mm_pass *pass, const char *what)
{
	json_t *outputs = json_object_get(pass->extra, "outputs"), *output;
	size_t i;

	json_array_foreach(outputs, i, output)
		if (strcmp(mm_json_string(output, "what", ""), what) == 0)
			return output;
	fail_msg("no output of '%s' was kept", what);
	return NULL;
}

static bool has_word(const json_t *output, const char *word)
{
	json_t *argv = json_object_get(output, "argv"), *item;
	size_t i;

	json_array_foreach(argv, i, item)
		if (strcmp(json_string_value(item), word) == 0)
			return true;
	return false;
}

/* exec */

static void set_command(const char *path)
{
	mm_strings_release(&spec.command);
	mm_strings_push(&spec.command, path);
	mm_strings_push(&spec.command, "an argument");
}

static void exec_figures(void **state)
{
	char *path = file_of("bench",
			     "#!/bin/sh\n"
			     "echo '# a comment'\n"
			     "echo \"argument 1 words higher\"\n"
			     "[ \"$1\" = 'an argument' ] || exit 1\n"
			     "[ -S \"$MYMATRIX_SOCKET\" ] && [ -d \"/proc/$MYMATRIX_PID\" ] || exit 2\n"
			     "[ \"$MYMATRIX_CELL $MYMATRIX_SUITE $MYMATRIX_PASS\" = 'installed small 1' ] || exit 3\n"
			     "echo took 3 seconds >&2\n"
			     "rows=$(mariadb --no-defaults -uroot -N -e \"select count(*) from mysql.help_topic\")\n"
			     "echo \"rows $rows rows/s\"\n"
			     "echo 'setup 1.5e-3 s'\n",
			     0700);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "exec");
	set_command(path);
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 3);
	assert_string_equal(pass.tests[0].name, "argument");
	assert_true(pass.tests[1].value > 100 && pass.tests[1].higher_is_better);
	assert_string_equal(pass.tests[1].unit, "rows/s");
	assert_true(pass.tests[2].value == 1.5e-3 && !pass.tests[2].higher_is_better);
	/* of several figures nobody can tell which used what */
	assert_true(pass.tests[0].server_cpu_ns == MM_UNKNOWN);
	assert_string_equal(mm_json_string(output_of(&pass, "command"), "errors", ""), "took 3 seconds\n");
	mm_pass_release(&pass);

	/* one figure has it all */
	free(path);
	path = file_of("bench",
		       "#!/bin/sh\nmariadb --no-defaults -uroot -N -e \"select benchmark(2000000, sha1('a'))\" >&2\n"
		       "echo one 1 x lower\n",
		       0700);
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 1);
	assert_true(pass.tests[0].value == 1 && pass.tests[0].wall_ns != MM_UNKNOWN);
	assert_true(pass.tests[0].server_cpu_ns != MM_UNKNOWN &&
		    pass.tests[0].server_cpu_ns > pass.tests[0].wall_ns / 20);
	assert_string_equal(pass.tests[0].unit, "x");
	mm_pass_release(&pass);
	free(path);
}

static void exec_that_is_wrong(void **state)
{
	static const char *const cases[][2] = {
		{ "echo one 1 s; echo the reason >&2; exit 3", "exit status 3): the reason" },
		{ "echo one 1", "'one 1': 3 or 4 words" },
		{ "kill -9 $$", "killed by SIGKILL" },
	};
	struct mm_error err = MM_ERROR_INIT;

	(void)state;
	set(&spec.suite, "exec");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = mm_format("#!/bin/sh\n%s\n", cases[i][0]), *path = file_of("bench", text, 0700);
		struct mm_pass pass;

		set_command(path);
		pass = run_pass(MM_ECELL, &err);
		ASSERT_LINE(err.text, cases[i][1]);
		mm_pass_release(&pass);
		free(path);
		free(text);
	}
}

static void exec_that_is_not_there(void **state)
{
	char *path = file_of("bench", "no program", 0600);

	(void)state;
	set(&spec.suite, "exec");
	refused(MM_EMATRIX, "'command'");
	set_command(path);
	refused(MM_EENV, path);
	set_command("mymatrix-no-such-program");
	refused(MM_EENV, "mymatrix-no-such-program");
	free(path);
}

/* A program that does not care about the server still ends at the limits. */
static void exec_that_hangs(void **state)
{
	char *path = file_of("bench", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n", 0700);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "exec");
	set_command(path);
	spec.timeout_seconds = 1;
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "time limit of 1 s");
	mm_pass_release(&pass);
	spec.timeout_seconds = 0;
	spec.pass_timeout_seconds = 1;
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "the pass of suite 'small' exceeded its time limit of 1 s");
	mm_pass_release(&pass);
	free(path);
}

/* sysbench */

static void sysbench_runs(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;
	const struct mm_test_sample *test;

	(void)state;
	set(&spec.suite, "sysbench");
	set(&spec.script, "oltp_read_only");
	spec.table_size = 1000;
	spec.tables = 2;
	spec.events = 50;
	set_threads(1, 2);
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 2);
	assert_string_equal(pass.tests[0].name, "1 thread");
	assert_string_equal(pass.tests[1].name, "2 threads");
	for (int i = 0; i < 2; i++) {
		test = &pass.tests[i];
		assert_true(test->value > 0 && test->higher_is_better);
		assert_string_equal(test->unit, "transactions/s");
		/* begin, ten points, four ranges, commit */
		assert_int_equal(test->statements, 50 * 16);
		assert_true(mm_json_number(test->extra, "events", 0) == 50);
		assert_true(fabs(mm_json_number(test->extra, "queries_per_second", 0) /
					 mm_json_number(test->extra, "events_per_second", 1) -
				 16) < 4);
		assert_true(mm_json_number(test->extra, "latency_p95_ms", -1) >=
			    mm_json_number(test->extra, "latency_min_ms", 1e9));
		assert_true(mm_json_number(test->extra, "errors", -1) == 0);
		assert_true(test->server_cpu_ns > 0 && test->server_cpu_ns != MM_UNKNOWN && test->client_cpu_ns > 0);
	}
	assert_string_equal(pass.engine, "InnoDB");
	assert_non_null(strstr(pass.client_version, "sysbench 1."));
	assert_true(has_word(output_of(&pass, "prepare"), "--mysql-storage-engine=InnoDB"));
	assert_true(has_word(output_of(&pass, "prepare"), "--tables=2"));
	assert_non_null(strstr(mm_json_string(output_of(&pass, "prewarm"), "output", ""), "warming table"));
	assert_true(has_word(output_of(&pass, "2 threads"), "--threads=2"));
	assert_non_null(strstr(mm_json_string(output_of(&pass, "2 threads"), "output", ""), "SQL statistics:"));
	assert_non_null(strstr(mm_json_string(output_of(&pass, "cleanup"), "output", ""), "Dropping table 'sbtest2'"));
	mm_pass_release(&pass);
}

/* The published settings, smaller: rows that are prepared and never asked for, MyISAM. */
static void sysbench_as_published(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "sysbench");
	set(&spec.preset, "published");
	spec.table_size = 5000;
	spec.events = 100;
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 1);
	assert_string_equal(pass.tests[0].name, "16 threads");
	assert_true(mm_json_number(pass.tests[0].extra, "events", 0) == 100);
	assert_string_equal(pass.engine, "MyISAM");
	assert_true(has_word(output_of(&pass, "prepare"), "--table-size=5000"));
	assert_true(has_word(output_of(&pass, "16 threads"), "--table-size=50"));
	assert_true(has_word(output_of(&pass, "16 threads"), "oltp_read_only"));
	mm_pass_release(&pass);
}

/* The sweep over threads, a second for each instead of a minute. */
static void sysbench_sweep(void **state)
{
	static const char *const names[] = { "1 thread",  "2 threads",  "4 threads",
					     "8 threads", "16 threads", "32 threads" };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "sysbench");
	set(&spec.preset, "sweep");
	spec.table_size = 1000;
	spec.time_seconds = 1;
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 6);
	for (int i = 0; i < 6; i++) {
		assert_string_equal(pass.tests[i].name, names[i]);
		assert_true(pass.tests[i].value > 0);
		assert_true(has_word(output_of(&pass, names[i]), "--time=1"));
		assert_true(has_word(output_of(&pass, names[i]), "oltp_read_only"));
	}
	mm_pass_release(&pass);
}

/* A script of one's own, which has neither prepare nor options; and more clients than the server lets in. */
static void sysbench_with_a_script(void **state)
{
	char *path = file_of("own.lua",
			     "function thread_init() drv = sysbench.sql.driver() con = drv:connect() end\n"
			     "function event() con:query('select 1') end\n",
			     0600);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "sysbench");
	set(&spec.script, path);
	spec.events = 20;
	set_threads(3, 400);
	write_file(fixture.build.my_cnf, "[mysqld]\nmax_connections=20\n");
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 2);
	assert_int_equal(pass.tests[0].statements, 20);
	(void)output_of(&pass, "warm-up run");
	ASSERT_LINE(pass.tests[1].skipped, "400 clients need 401 connections", "the server allows 20");
	mm_pass_release(&pass);

	/* one that fails says so itself */
	write_file(path, "function thread_init() drv = sysbench.sql.driver() con = drv:connect() end\n"
			 "function event() con:query('select nonsense') end\n");
	set_threads(1, 0);
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "sysbench", "FATAL", "nonsense");
	mm_pass_release(&pass);

	/* and one that asks nothing measures nothing */
	write_file(path, "function event() end\n");
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "counted no queries");
	mm_pass_release(&pass);
	free(path);
}

static void sysbench_that_is_not_there(void **state)
{
	char *old = mm_strdup(getenv("PATH"));

	(void)state;
	set(&spec.suite, "sysbench");
	set(&spec.script, "oltp_no_such_script");
	refused(MM_EMATRIX, "oltp_no_such_script");
	set(&spec.script, "oltp_read_only");
	assert_int_equal(setenv("PATH", fixture.folder, 1), 0);
	refused(MM_EENV, "'sysbench'");
	/* another program of that name */
	free(file_of("sysbench", "#!/bin/sh\necho sysbench 0.4.12: multi-threaded\n", 0700));
	refused(MM_EENV, "too old");
	assert_int_equal(setenv("PATH", old, 1), 0);
	free(old);
}

/* sql-bench-upstream */

/* A folder of sql-bench in the form of a source tree, as small as one can be. */
static char *make_scripts(void)
{
	char *folder = mm_path_join(fixture.folder, "sql-bench");

	assert_int_equal(mm_fs_mkdirs(folder, 0700, NULL), 0);
	free(file_of("sql-bench/server-cfg.sh", "$data_source = \"DBI:mysql:database=test;host=localhost\";\n1;\n",
		     0600));
	free(file_of("sql-bench/bench-init.pl.sh",
		     "use Getopt::Long;\n"
		     "GetOptions(\"server=s\",\"host=s\",\"user=s\",\"database=s\",\"socket=s\",\"loop-count=i\","
		     "\"create-options=s\",\"small\") or die;\n"
		     "require \"./server-cfg\";\n"
		     "use DBI;\n"
		     "$dbh = DBI->connect(\"$data_source;mysql_socket=$opt_socket\", $opt_user, '') or die;\n"
		     "print \"Testing server 'x' at y\\n\\n\";\n1;\n",
		     0600));
	free(file_of("sql-bench/test-ATIS.sh",
		     "#!/usr/bin/perl\n$opt_loop_count=200;\n$opt_small=0;\nrequire \"./bench-init.pl\";\n"
		     "print \"ATIS table test\\n\\n\";\n"
		     "$dbh->do(\"create table t (a int) $opt_create_options\") or die;\n"
		     "for (1..$opt_loop_count) { $dbh->do(\"insert into t values ($_)\") or die; }\n"
		     "print \"Time for insert ($opt_loop_count): 2 wallclock secs ( 0.1 usr 0.2 sys + 0 cusr 0 csys = "
		     "0.3 CPU)\\n\";\n"
		     "print \"Estimated time for select (1000): 900 wallclock secs (x)\\n\";\n"
		     "print \"Warning: Query 'x' returned 1 rows when it should have returned 2\\n\";\n"
		     "print \"Time for count (7): 1 wallclock secs (x)\\n\";\n"
		     "print \"small: $opt_small\\n\";\n"
		     "$dbh->do('drop table t');\n"
		     "print \"Total time: 3 wallclock secs (x)\\n\";\n",
		     0600));
	free(file_of("sql-bench/test-transactions.sh",
		     "require \"./bench-init.pl\";\nprint \"Test skipped because the database doesn't support "
		     "transactions\\n\";\n",
		     0600));
	free(file_of("sql-bench/test-create.sh",
		     "require \"./bench-init.pl\";\n$dbh->do('create nonsense') or die \"cannot: $DBI::errstr\";\n",
		     0600));
	free(file_of("sql-bench/test-connect.sh",
		     "require \"./bench-init.pl\";\nprint \"Estimated total time: 900 wallclock secs (x)\\n\";\n",
		     0600));
	return folder;
}

static const struct mm_test_sample *test_called(const struct mm_pass *pass, const char *name)
{
	for (size_t i = 0; i < pass->test_count; i++)
		if (strcmp(pass->tests[i].name, name) == 0)
			return &pass->tests[i];
	fail_msg("there is no test '%s'", name);
	return NULL;
}

static void upstream_scripts(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_test_sample *atis;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "sql-bench-upstream");
	spec.script = make_scripts();
	set(&spec.engine, "MyISAM");
	spec.scale = 0.25;
	mm_strings_push(&spec.options, "--small");
	pass = run_pass(0, &err);
	/* in upstream's order; those that are not in the folder are not asked for */
	assert_int_equal(pass.test_count, 4);
	atis = &pass.tests[0];
	assert_string_equal(atis->name, "ATIS");
	assert_null(atis->skipped);
	assert_true(atis->value > 0 && fabs(atis->value - (double)atis->wall_ns / 1e9) < 1e-9);
	assert_true(atis->server_cpu_ns != MM_UNKNOWN && atis->client_cpu_ns > 0);
	/* an extrapolation and a wrong result have no time */
	assert_int_equal(atis->operation_count, 1);
	assert_string_equal(atis->operations[0].name, "insert");
	assert_int_equal(atis->operations[0].count, 50);
	assert_int_equal(atis->operations[0].wall_ns, 2000000000);
	assert_string_equal(json_string_value(json_array_get(json_object_get(atis->extra, "estimated"), 0)), "select");
	assert_string_equal(json_string_value(json_array_get(json_object_get(atis->extra, "wrong"), 0)), "count");
	assert_true(has_word(output_of(&pass, "ATIS"), "--loop-count=50"));
	assert_true(has_word(output_of(&pass, "ATIS"), "--create-options=ENGINE=MyISAM"));
	assert_non_null(strstr(mm_json_string(output_of(&pass, "ATIS"), "output", ""), "small: 1"));
	assert_non_null(strstr(test_called(&pass, "transactions")->skipped, "doesn't support transactions"));
	ASSERT_LINE(test_called(&pass, "create")->skipped, "the test failed", "cannot: ");
	ASSERT_LINE(test_called(&pass, "connect")->skipped, "estimated");
	/* the scripts themselves were left alone */
	assert_true(mm_fs_exists(spec.script));
	assert_string_equal(mm_json_string(pass.extra, "scripts", ""), spec.script);
	mm_pass_release(&pass);

	mm_strings_push(&spec.tests, "nonsense");
	refused(MM_EMATRIX, "nonsense");
}

static void upstream_that_is_not_there(void **state)
{
	char *old = mm_strdup(getenv("PATH"));
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "sql-bench-upstream");
	/* the installed server brings no scripts with it */
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "cell 'installed' brings no sql-bench", "'script'");
	mm_pass_release(&pass);
	set(&spec.script, fixture.folder);
	refused(MM_EENV, "bench-init.pl");
	assert_int_equal(setenv("PATH", fixture.folder, 1), 0);
	refused(MM_EENV, "'perl'");
	/* a Perl without DBI */
	free(file_of("perl", "#!/bin/sh\nexit 2\n", 0700));
	refused(MM_EENV, "libdbi-perl");
	assert_int_equal(setenv("PATH", old, 1), 0);
	free(old);
}

/* The real scripts, out of MariaDB's source tarball, as they are. */
static void upstream_of_mariadb(void **state)
{
	const char *tarball = getenv("MM_MARIADB_TARBALL");
	char *folder = mm_path_join(fixture.folder, "mariadb");
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_spec tar = { .output = &output };
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	if (tarball == NULL || tarball[0] == '\0')
		fail_msg("MM_MARIADB_TARBALL does not name MariaDB's source tarball: './quickstart.sh test' brings it");
	assert_int_equal(mm_fs_mkdirs(folder, 0700, NULL), 0);
	mm_strings_split(&argv, "tar -x --strip-components=1 --wildcards -C");
	mm_strings_push(&argv, folder);
	mm_strings_pushf(&argv, "--file=%s", tarball);
	mm_strings_push(&argv, "*/sql-bench/*");
	tar.argv = argv.items;
	assert_ok(mm_process_run(&tar, &result, &err), &err);
	assert_int_equal(result.exit_status, 0);
	mm_strings_release(&argv);
	mm_buffer_release(&output);

	set(&spec.suite, "sql-bench-upstream");
	spec.script = mm_path_join(folder, "sql-bench");
	spec.scale = 0.001;
	mm_strings_push(&spec.tests, "connect");
	mm_strings_push(&spec.tests, "wisconsin");
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 2);
	for (int i = 0; i < 2; i++) {
		if (pass.tests[i].skipped != NULL)
			fail_msg("%s: %s", pass.tests[i].name, pass.tests[i].skipped);
		assert_true(pass.tests[i].operation_count >= 3);
		assert_null(json_object_get(pass.tests[i].extra, "wrong"));
	}
	assert_string_equal(pass.tests[0].operations[0].name, "connect");
	/* a tenth of the loops of 500,000 at this scale */
	assert_int_equal(pass.tests[0].operations[0].count, 50);
	mm_pass_release(&pass);
	free(folder);
}

/* threads */

static void threads_by_events(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass[2];

	(void)state;
	set(&spec.suite, "threads");
	spec.table_size = 2000;
	spec.tables = 2;
	spec.events = 300;
	set_threads(1, 5);
	for (int i = 0; i < 2; i++)
		pass[i] = run_pass(0, &err);
	assert_int_equal(pass[0].test_count, 4);
	assert_string_equal(pass[0].tests[0].name, "heavy 1 thread");
	assert_string_equal(pass[0].tests[3].name, "light 5 threads");
	for (int i = 0; i < 4; i++) {
		const struct mm_test_sample *test = &pass[0].tests[i];
		const json_t *extra = test->extra;
		int64_t asked = 0;
		json_t *query;
		const char *name;

		assert_string_equal(test->unit, "queries/s");
		assert_int_equal(test->statements, 300);
		assert_true(test->value > 0 && test->higher_is_better);
		assert_true(fabs(test->value - 300 / mm_json_number(extra, "seconds", 0)) < test->value / 1000);
		json_object_foreach(json_object_get(extra, "operations"), name, query)
			asked += mm_json_integer(query, "count", 0);
		assert_int_equal(asked, 300);
		assert_true(mm_json_number(extra, "latency_min_ms", 9) <= mm_json_number(extra, "latency_p50_ms", 0));
		assert_true(mm_json_number(extra, "latency_p50_ms", 9) <= mm_json_number(extra, "latency_p99_ms", 0));
		assert_true(mm_json_number(extra, "latency_p99_ms", 9) <= mm_json_number(extra, "latency_max_ms", 0));
		/* the same rows and questions in every pass */
		assert_true(test->checksum != 0 && test->checksum == pass[1].tests[i].checksum);
		assert_true(test->server_cpu_ns != MM_UNKNOWN && test->client_cpu_ns != MM_UNKNOWN);
	}
	assert_true(pass[0].tests[0].checksum != pass[0].tests[2].checksum);
	/* one client alone asks the very same statements */
	assert_int_equal(pass[0].tests[0].rows, pass[1].tests[0].rows);
	assert_string_equal(pass[0].engine, "InnoDB");
	mm_pass_release(&pass[0]);
	mm_pass_release(&pass[1]);
}

static void threads_by_time(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "threads");
	set(&spec.mix, "light");
	set(&spec.engine, "MyISAM");
	spec.table_size = 1000;
	spec.time_seconds = 1;
	set_threads(2, 300);
	write_file(fixture.build.my_cnf, "[mysqld]\nmax_connections=10\n");
	pass = run_pass(0, &err);
	assert_int_equal(pass.test_count, 2);
	assert_true(mm_json_number(pass.tests[0].extra, "seconds", 0) >= 1);
	assert_true(pass.tests[0].wall_ns >= 1000000000 && pass.tests[0].statements > 10);
	assert_string_equal(pass.engine, "MyISAM");
	ASSERT_LINE(pass.tests[1].skipped, "300 clients need 301 connections");
	mm_pass_release(&pass);
}

/* A mix of one's own that writes: clients get into each other's way, and no statement is lost. */
static const char counting[] =
	"{\"mymatrix_mix\": 1, \"name\": \"counting\", \"table\": {\"name\": \"t\", \"rows\": 3, \"columns\": ["
	"{\"name\": \"id\", \"type\": \"int not null\", \"value\": \"row\"},"
	"{\"name\": \"n\", \"type\": \"int not null\", \"value\": {\"integer\": [0, 0]}}], \"keys\": [\"primary key "
	"(id)\"]},"
	"\"queries\": [{\"name\": \"add\", \"sql\": \"update {table} set n = n + 1 where id = {id} or id = 1\","
	"\"values\": {\"id\": {\"integer\": [1, \"rows\"]}}}, {\"name\": \"look\", \"sql\": \"select sum(n) from "
	"{table}\"}]}";

static void threads_with_a_mix(void **state)
{
	char *path = file_of("mix.json", counting, 0600);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "threads");
	set(&spec.script, path);
	spec.events = 200;
	set_threads(8, 0);
	pass = run_pass(0, &err);
	assert_string_equal(pass.tests[0].name, "counting 8 threads");
	assert_int_equal(pass.tests[0].statements, 200);
	mm_pass_release(&pass);

	/* a statement that the server refuses */
	write_file(path,
		   "{\"mymatrix_mix\": 1, \"name\": \"m\", \"table\": {\"name\": \"t\", \"rows\": 3, \"columns\": ["
		   "{\"name\": \"id\", \"type\": \"int\", \"value\": \"row\"}]},"
		   "\"queries\": [{\"name\": \"q\", \"sql\": \"select nonsense from {table}\"}]}");
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "mix 'm', query 'q'", "select nonsense from t1", "1054");
	mm_pass_release(&pass);
	write_file(path, "{}");
	refused(MM_EMATRIX, path);
	set(&spec.script, "/nonexistent/mix.json");
	refused(MM_EMATRIX, "/nonexistent/mix.json");
	free(path);
}

/* A server that is killed in mid-run ends all clients. */
static void threads_that_never_end(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	set(&spec.suite, "threads");
	set(&spec.mix, "light");
	spec.table_size = 1000;
	spec.time_seconds = 600;
	spec.timeout_seconds = 1;
	set_threads(4, 0);
	pass = run_pass(MM_ECELL, &err);
	ASSERT_LINE(err.text, "test 'light 4 threads' of suite 'small' exceeded its time limit of 1 s");
	mm_pass_release(&pass);
}

int main(int argc, char **argv)
{
#define LIVE(test) cmocka_unit_test_setup_teardown(test, open_suite, close_suite)
	const struct CMUnitTest tests[] = {
		LIVE(exec_figures),
		LIVE(exec_that_is_wrong),
		LIVE(exec_that_is_not_there),
		LIVE(exec_that_hangs),
		LIVE(sysbench_runs),
		LIVE(sysbench_as_published),
		LIVE(sysbench_sweep),
		LIVE(sysbench_with_a_script),
		LIVE(sysbench_that_is_not_there),
		LIVE(upstream_scripts),
		LIVE(upstream_that_is_not_there),
		LIVE(upstream_of_mariadb),
		LIVE(threads_by_events),
		LIVE(threads_by_time),
		LIVE(threads_with_a_mix),
		LIVE(threads_that_never_end),
	};

	/* for work on one of them: its name as the argument, "sysbench*" for several */
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
