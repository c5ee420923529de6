/*
 * Upstream's sql-bench: the Perl scripts of a source tree or of an installed server, run unchanged with DBI. Each
 * script is a test; its time is that of the whole script, by our clock, since its own counts whole seconds.
 */
#include <math.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/program.h"
#include "runners/ready.h"
#include "runners/sql-bench-output.h"
#include "runners/suites.h"
#include "runners/upstream-tree.h"

/* Check */

/* Can Perl load MODULE? */
static int check_module(const char *module, const char *package, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	int rc;

	mm_strings_push(&argv, "perl");
	mm_strings_pushf(&argv, "-M%s", module);
	mm_strings_push(&argv, "-e1");
	rc = mm_program_ask(&argv, &output, &result, err);
	if (rc == 0 && (result.exit_status != 0 || result.signal != 0))
		rc = mm_error_set(
			err, MM_EENV,
			"Perl has no module %s, which sql-bench needs: install it (on Debian the package '%s')", module,
			package);
	mm_strings_release(&argv);
	mm_buffer_release(&output);
	return rc;
}

static int check_driver(const struct mm_upstream_tree *tree, struct mm_error *err)
{
	return tree->mariadb ? check_module("DBD::MariaDB", "libdbd-mariadb-perl", err)
			     : check_module("DBD::mysql", "libdbd-mysql-perl", err);
}

static bool is_known(const char *test)
{
	for (const char *const *known = mm_upstream_tests; *known != NULL; known++)
		if (strcmp(*known, test) == 0)
			return true;
	return false;
}

/* The tests that a spec names must be there; TREE NULL: it comes with the cell. */
static int check_tests(const struct mm_suite_spec *spec, const struct mm_upstream_tree *tree, struct mm_error *err)
{
	for (size_t i = 0; i < spec->tests.count; i++) {
		const char *test = spec->tests.items[i];
		char *script = tree == NULL || strchr(test, '/') != NULL ? NULL : mm_upstream_script(tree, test);
		bool there = tree == NULL ? is_known(test) : script != NULL;

		free(script);
		if (!there)
			return mm_error_set(
				err, MM_EMATRIX,
				"sql-bench has no test '%.80s': there are ATIS, alter-table, big-tables, connect, "
				"create, insert, select, transactions and wisconsin",
				test);
	}
	return 0;
}

/* Which driver they want is known when the cell is there; without any, none can run. */
static int check_any_driver(const struct mm_suite_spec *spec, struct mm_error *err)
{
	const struct mm_upstream_tree old = { .mariadb = false }, new = { .mariadb = true };
	int rc = check_driver(&old, NULL) == 0 ? 0 : check_driver(&new, err);

	return rc == 0 ? check_tests(spec, NULL, err) : rc;
}

static int check_script(const struct mm_suite_spec *spec, struct mm_error *err)
{
	struct mm_upstream_tree tree = { 0 };
	int rc;

	if (spec->script == NULL)
		return check_any_driver(spec, err);
	rc = mm_upstream_tree_open(spec->script, &tree, err);
	if (rc == 0)
		rc = check_driver(&tree, err);
	if (rc == 0)
		rc = check_tests(spec, &tree, err);
	mm_upstream_tree_release(&tree);
	return rc;
}

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	char *perl = mm_fs_find_program("perl");
	int rc = 0;

	if (perl == NULL)
		rc = mm_error_set(err, MM_EENV, "sql-bench needs the program 'perl', which is not on PATH: install it");
	free(perl);
	if (rc == 0)
		rc = check_module("DBI", "libdbi-perl", err);
	if (rc == 0)
		rc = check_module("Benchmark", "perl", err);
	if (rc == 0 && !mm_ready_is_default(spec->engine))
		rc = mm_ready_check_name(spec->engine, err);
	if (rc == 0)
		rc = check_script(spec, err);
	return rc;
}

/* Run */

struct session {
	struct mm_suite_run *run;
	struct mm_upstream_tree tree;
	char *copy; /* where the scripts run */
	struct mm_error *err;
};

static void make_argv(const struct session *session, const char *test, struct mm_strings *argv)
{
	const struct mm_suite_spec *spec = session->run->spec;
	const char *socket = session->run->server->socket;
	int64_t loops = mm_upstream_loop_count(&session->tree, test);

	mm_strings_push(argv, "perl");
	mm_strings_pushf(argv, "test-%s", test);
	mm_strings_push(argv, "--server=mysql");
	mm_strings_push(argv, "--host=localhost");
	mm_strings_push(argv, "--user=root");
	mm_strings_push(argv, "--database=test");
	if (session->tree.socket_option)
		mm_strings_pushf(argv, "--socket=%s", socket);
	else
		mm_strings_pushf(argv, "--connect-options=mysql_socket=%s", socket);
	if (!mm_ready_is_default(spec->engine))
		mm_strings_pushf(argv, "--create-options=ENGINE=%s", spec->engine);
	if (spec->scale != 1.0 && loops > 0)
		mm_strings_pushf(argv, "--loop-count=%.0f", fmax(1, round((double)loops * spec->scale)));
	mm_strings_extend(argv, &spec->options);
}

static void note(struct mm_test_sample *test, const char *key, const char *text)
{
	json_t *list, *object = json_object();

	if (test->extra == NULL)
		test->extra = json_object();
	list = json_object_get(test->extra, key);
	if (list == NULL) {
		list = json_array();
		json_object_set_new(test->extra, key, list);
	}
	/* it may hold any byte */
	mm_json_put_string(object, "text", text);
	json_array_append(list, json_object_get(object, "text"));
	json_decref(object);
}

/* Where a reader of a script's output is. */
struct reading {
	struct mm_test_sample *test;
	bool warned; /* the operation that follows gave a wrong result */
	bool ended;
};

static void read_line(struct reading *reading, const char *text)
{
	struct mm_test_sample *test = reading->test;
	struct mm_sql_bench_line line;

	mm_sql_bench_line_read(text, &line);
	if (line.kind == MM_SQL_BENCH_OPERATION && line.estimated) {
		note(test, "estimated", line.name);
	} else if (line.kind == MM_SQL_BENCH_OPERATION && reading->warned) {
		note(test, "wrong", line.name);
	} else if (line.kind == MM_SQL_BENCH_OPERATION) {
		mm_test_add_operation(test, line.name, (uint64_t)(line.count > 0 ? line.count : 0),
				      (uint64_t)(line.seconds * 1e9));
	} else if (line.kind == MM_SQL_BENCH_OUTCOME) {
		reading->ended = true;
		if (line.why != NULL && test->skipped == NULL)
			test->skipped = mm_strdup(line.why);
	} else if (line.kind == MM_SQL_BENCH_WARNING) {
		note(test, "warnings", text);
	}
	reading->warned = line.kind == MM_SQL_BENCH_WARNING;
	mm_sql_bench_line_release(&line);
}

static void read_output(struct mm_test_sample *test, const struct mm_program *program)
{
	struct reading reading = { .test = test };

	for (const char *at = mm_buffer_text(&program->output); *at != '\0';) {
		size_t length = strcspn(at, "\r\n");
		char *line = mm_strndup(at, length);

		read_line(&reading, line);
		free(line);
		at += length + strspn(at + length, "\r\n");
	}
	if (!reading.ended && test->skipped == NULL)
		test->skipped = mm_strdup("the test failed: its output ends without a total time");
}

/* A script that fails takes its test away, not the others: upstream's are not made for every server. */
static int judge(struct session *session, const struct mm_program *program, struct mm_test_sample *test)
{
	struct mm_error why = MM_ERROR_INIT;
	MYSQL *mysql;
	int rc;

	if (mm_program_ended_well(program)) {
		read_output(test, program);
		return 0;
	}
	(void)mm_program_failed(session->run, program, &why);
	rc = mm_server_connect(session->run->server, &mysql, NULL);
	if (rc != 0)
		return mm_error_set(session->err, MM_ECELL, "%s", why.text);
	mysql_close(mysql);
	test->skipped = mm_format("the test failed: %s", why.text);
	return 0;
}

static int run_test(struct session *session, const char *name)
{
	struct mm_test_sample *test = mm_pass_add_test(session->run->pass, name);
	struct mm_program program = { .what = name, .cwd = session->copy };
	struct mm_measure measure;
	int rc;

	make_argv(session, name, &program.argv);
	/* the order of a hash's keys is the same in every pass */
	mm_strings_push(&program.env, "PERL_HASH_SEED=0");
	mm_strings_push(&program.env, "PERL_PERTURB_KEYS=0");
	mm_measure_begin(&measure, session->run->server);
	rc = mm_program_run(session->run, &program, session->err);
	mm_measure_end(&measure, session->run->server, test);
	if (rc == 0)
		rc = judge(session, &program, test);
	mm_program_release(&program);
	return rc;
}

static int run_tests(struct session *session)
{
	const struct mm_strings *wanted = &session->run->spec->tests;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < wanted->count; i++)
		rc = run_test(session, wanted->items[i]);
	for (const char *const *test = mm_upstream_tests; rc == 0 && wanted->count == 0 && *test != NULL; test++) {
		char *script = mm_upstream_script(&session->tree, *test);

		/* trees of every age lack one or the other */
		if (script != NULL)
			rc = run_test(session, *test);
		free(script);
	}
	return rc;
}

static int make_database(const struct session *session)
{
	MYSQL *mysql;
	int rc = mm_server_connect(session->run->server, &mysql, session->err);

	if (rc != 0)
		return rc;
	if (mysql_query(mysql, "create database if not exists test") != 0)
		rc = mm_error_set(session->err, mm_server_blame(mysql_errno(mysql)),
				  "cannot create the database 'test': %s", mysql_error(mysql));
	mysql_close(mysql);
	return rc;
}

/* Finds the scripts and copies them to where they may write. */
static int open_session(struct session *session)
{
	const struct mm_server_place *place = session->run->server->place;
	const char *named = session->run->spec->script;
	char *folder = named != NULL ? mm_strdup(named) : mm_upstream_tree_of_cell(place), *client;
	struct mm_error why = MM_ERROR_INIT;
	int rc;

	if (folder == NULL)
		return mm_error_set(
			session->err, MM_ECELL,
			"cell '%s' brings no sql-bench with it, neither in '%s' nor in a source tree: name a folder "
			"in 'script' of suite '%s'",
			place->cell->id, place->build->basedir, session->run->spec->name);
	rc = mm_upstream_tree_open(folder, &session->tree, session->err);
	free(folder);
	/* another cell's scripts may want another driver */
	if (rc == 0 && named == NULL && check_driver(&session->tree, &why) != 0)
		return mm_error_set(session->err, MM_ECELL, "cell '%s': %s", place->cell->id, why.text);
	client = rc == 0 ? mm_program_folder(session->run, session->err) : NULL;
	if (client == NULL)
		return MM_EENV;
	session->copy = mm_path_join(client, "sql-bench");
	free(client);
	rc = mm_upstream_tree_copy(&session->tree, session->copy, session->err);
	return rc == 0 ? make_database(session) : rc;
}

static int run(struct mm_suite_run *run, struct mm_error *err)
{
	struct session session = { .run = run, .err = err };
	int rc = open_session(&session);

	if (rc == 0) {
		if (run->pass->extra == NULL)
			run->pass->extra = json_object();
		mm_json_put_string(run->pass->extra, "scripts", session.tree.folder);
		rc = run_tests(&session);
	}
	mm_upstream_tree_release(&session.tree);
	free(session.copy);
	return rc;
}

static void describe_test(json_t *list, const char *name)
{
	json_t *test = json_object();

	mm_json_put_string(test, "test", name);
	json_array_append_new(list, test);
}

/* What a script does is known only when it has run. */
static json_t *describe(const struct mm_suite_spec *spec)
{
	json_t *description = json_object(), *list = json_array();

	mm_json_put_string(description, "suite", "sql-bench-upstream");
	mm_json_put_string(description, "scripts", spec->script != NULL ? spec->script : "of each cell");
	mm_json_put_real(description, "scale", spec->scale);
	mm_json_put_string(description, "unit", "s");
	for (size_t i = 0; i < spec->tests.count; i++)
		describe_test(list, spec->tests.items[i]);
	for (const char *const *test = mm_upstream_tests; spec->tests.count == 0 && *test != NULL; test++)
		describe_test(list, *test);
	json_object_set_new(description, "tests", list);
	return description;
}

const struct mm_suite mm_suite_sql_bench_upstream = {
	.name = "sql-bench-upstream",
	.check = check,
	.run = run,
	.describe = describe,
};
