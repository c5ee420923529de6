/*
 * A command of the user's own. It finds the server through its environment and prints its figures (figures.h), each of
 * which is a test.
 */
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/figures.h"
#include "runners/program.h"
#include "runners/suites.h"

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	char *program;

	if (spec->command.count == 0)
		return mm_error_set(err, MM_EMATRIX,
				    "'exec' runs a program of your own: name it and its arguments in 'command'");
	program = mm_fs_find_program(spec->command.items[0]);
	if (program == NULL)
		return mm_error_set(
			err, MM_EENV,
			"the program '%s' is not there or not executable: name one by its path, or one that is on PATH",
			spec->command.items[0]);
	free(program);
	return 0;
}

/* Where the server is, and what is measured. */
static void push_env(const struct mm_suite_run *run, struct mm_strings *env)
{
	const struct mm_server *server = run->server;
	const struct mm_build *build = server->place->build;

	mm_strings_pushf(env, "MYMATRIX_SOCKET=%s", server->socket);
	mm_strings_push(env, "MYMATRIX_USER=root");
	mm_strings_pushf(env, "MYMATRIX_PID=%ld", (long)server->process.pid);
	mm_strings_pushf(env, "MYMATRIX_CELL=%s", run->pass->cell);
	mm_strings_pushf(env, "MYMATRIX_SUITE=%s", run->pass->suite);
	mm_strings_pushf(env, "MYMATRIX_PASS=%d", run->pass->index);
	mm_strings_pushf(env, "MYMATRIX_VISIT=%d", run->pass->visit);
	mm_strings_pushf(env, "MYMATRIX_PREFIX=%s", build->prefix);
	mm_strings_pushf(env, "MYMATRIX_SERVER=%s", build->server);
	mm_strings_pushf(env, "MYMATRIX_VERSION=%s",
			 run->pass->server_version == NULL ? "" : run->pass->server_version);
	/* the clients of MySQL and MariaDB go there by themselves */
	mm_strings_pushf(env, "MYSQL_UNIX_PORT=%s", server->socket);
}

/* What server and client used belongs to the one figure that there is; of several, nobody can tell. */
static void put_usage(struct mm_pass *pass, const struct mm_test_sample *used)
{
	struct mm_test_sample *test = pass->tests, kept;

	if (pass->test_count != 1)
		return;
	kept = *test;
	*test = *used;
	test->name = kept.name;
	test->unit = kept.unit;
	test->unit_owned = kept.unit_owned;
	test->higher_is_better = kept.higher_is_better;
	test->value = kept.value;
}

static int run(struct mm_suite_run *run, struct mm_error *err)
{
	struct mm_program program = { .what = "command" };
	struct mm_measure measure;
	struct mm_pass whole;
	int rc;

	mm_pass_init(&whole);
	mm_strings_extend(&program.argv, &run->spec->command);
	push_env(run, &program.env);
	/* unknown figures to begin with */
	(void)mm_pass_add_test(&whole, "command");
	mm_measure_begin(&measure, run->server);
	rc = mm_program_run(run, &program, err);
	mm_measure_end(&measure, run->server, &whole.tests[0]);
	if (rc == 0 && !mm_program_ended_well(&program))
		rc = mm_program_failed(run, &program, err);
	if (rc == 0 && mm_figures_read(mm_buffer_text(&program.output), run->pass, err) != 0)
		rc = mm_error_prefix(err, "suite '%s', '%s'", run->spec->name, run->spec->command.items[0]);
	if (rc == 0)
		put_usage(run->pass, &whole.tests[0]);
	mm_program_release(&program);
	mm_pass_release(&whole);
	return rc;
}

static json_t *describe(const struct mm_suite_spec *spec)
{
	json_t *description = json_object(), *command = json_array();

	for (size_t i = 0; i < spec->command.count; i++) {
		json_t *word = json_string(spec->command.items[i]);

		json_array_append_new(command, word != NULL ? word : json_string("(not UTF-8)"));
	}
	mm_json_put_string(description, "suite", "exec");
	json_object_set_new(description, "command", command);
	json_object_set_new(description, "tests", json_array());
	return description;
}

const struct mm_suite mm_suite_exec = {
	.name = "exec",
	.check = check,
	.run = run,
	.describe = describe,
};
