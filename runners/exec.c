/*
 * A command of the user's own. It finds the server through its environment and prints a line "name value unit
 * [lower|higher]" for each figure; a figure is a test.
 */
#include <math.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/program.h"
#include "runners/suites.h"

enum { MOST_FIGURES = 1000, MOST_NAME = 100 };

/* Units whose direction needs not be said. */
static const char *const times[] = { "s", "ms", "us", "ns", "seconds", "min" };

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	char *program;

	if (spec->command.count == 0)
		return mm_error_set(
			err, MM_EMATRIX,
			"suite '%s': 'exec' runs a program of your own: name it and its arguments in 'command'",
			spec->name);
	program = mm_fs_find_program(spec->command.items[0]);
	if (program == NULL)
		return mm_error_set(
			err, MM_EENV,
			"suite '%s': the program '%s' is not there or not executable: name one by its path, or one "
			"that is on PATH",
			spec->name, spec->command.items[0]);
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

/* 1: higher is better; 0: lower; -1: nobody says. */
static int direction(const char *unit, const char *word)
{
	size_t length = strlen(unit);

	if (word != NULL)
		return strcmp(word, "higher") == 0;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(unit, times[i]) == 0)
			return 0;
	return length > 2 && strcmp(unit + length - 2, "/s") == 0 ? 1 : -1;
}

static int wrong_line(const struct mm_suite_run *run, const char *line, const char *why, struct mm_error *err)
{
	return mm_error_set(
		err, MM_ECELL,
		"suite '%s': '%s' printed '%.200s': %s; a line is 'name value unit [lower|higher]', or begins with "
		"'#'",
		run->spec->name, run->spec->command.items[0], line, why);
}

static bool has_test(const struct mm_pass *pass, const char *name)
{
	for (size_t i = 0; i < pass->test_count; i++)
		if (strcmp(pass->tests[i].name, name) == 0)
			return true;
	return false;
}

/* Adds the figure of one line. */
static int read_line(struct mm_suite_run *run, const char *line, struct mm_error *err)
{
	struct mm_strings words = MM_STRINGS_INIT;
	struct mm_test_sample *test;
	char *end = NULL;
	double value;
	int rc = 0, better;

	mm_strings_split(&words, line);
	if (words.count == 0 || words.items[0][0] == '#')
		goto out;
	if (words.count < 3 || words.count > 4) {
		rc = wrong_line(run, line, "3 or 4 words are needed", err);
		goto out;
	}
	value = strtod(words.items[1], &end);
	better = direction(words.items[2], words.items[3]);
	if (end == words.items[1] || *end != '\0' || !isfinite(value) || value < 0)
		rc = wrong_line(run, line, "the value must be a number from 0 on", err);
	else if (words.count == 4 && strcmp(words.items[3], "lower") != 0 && strcmp(words.items[3], "higher") != 0)
		rc = wrong_line(run, line, "the last word must be 'lower' or 'higher': which is better", err);
	else if (better < 0)
		rc = wrong_line(run, line, "say 'lower' or 'higher' behind the unit: which is better", err);
	else if (strlen(words.items[0]) > MOST_NAME)
		rc = wrong_line(run, line, "the name is too long", err);
	else if (has_test(run->pass, words.items[0]))
		rc = wrong_line(run, line, "this name was printed before", err);
	else if (run->pass->test_count >= MOST_FIGURES)
		rc = wrong_line(run, line, "there are too many figures", err);
	if (rc != 0)
		goto out;
	test = mm_pass_add_test(run->pass, words.items[0]);
	test->value = value;
	test->unit = test->unit_owned = mm_strdup(words.items[2]);
	test->higher_is_better = better == 1;
out:
	mm_strings_release(&words);
	return rc;
}

static int read_figures(struct mm_suite_run *run, const struct mm_program *program, struct mm_error *err)
{
	int rc = 0;

	for (const char *at = mm_buffer_text(&program->output); rc == 0 && *at != '\0';) {
		size_t length = strcspn(at, "\r\n");
		char *line = mm_strndup(at, length);

		rc = read_line(run, line, err);
		free(line);
		at += length + strspn(at + length, "\r\n");
	}
	if (rc == 0 && run->pass->test_count == 0)
		rc = mm_error_set(
			err, MM_ECELL,
			"suite '%s': '%s' printed no figure: a line 'name value unit [lower|higher]' is needed",
			run->spec->name, run->spec->command.items[0]);
	return rc;
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
	if (rc == 0)
		rc = read_figures(run, &program, err);
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
