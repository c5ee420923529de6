/* server: a cell's server to look around in. */
#include <signal.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "cli/cells.h"
#include "executors/visit.h"

extern char **environ;

/* A server beside passes that are measured takes from them what they measure. */
static void warn_of_neighbour(const char *work)
{
	if (mm_look_holder(work))
		mm_warn("a mymatrix works in '%s': this server disturbs the passes that it measures", work);
}

static int say_where(const struct mm_arguments *arguments, const struct mm_chosen *chosen, const struct mm_visit *visit,
		     struct mm_error *err)
{
	const struct mm_build *build = &chosen->state->build;
	const char *client = strcmp(build->variant, "mariadb") == 0 ? "mariadb" : "mysql";
	char *text = mm_format("%s %s of cell %s runs, pid %ld. To connect:\n\n  %s --no-defaults --socket=%s --user=root\n\n"
			       "Its error log is %s\nCtrl-C ends it.\n",
			       build->variant, build->version, chosen->cell->id, (long)visit->server.process.pid, client,
			       visit->server.socket, visit->server.error_log);
	int code = mm_output(arguments, text, strlen(text), err);
	free(text);
	return code;
}

/* The server ended although nobody asked it to. */
static int died(const struct mm_chosen *chosen, const struct mm_process_result *result, struct mm_error *err)
{
	char how[64];
	return mm_error_set(err, MM_ECELL, "the server of cell '%s' ended by itself (%s)", chosen->cell->id,
			    mm_process_describe(result, how));
}

/* Until Ctrl-C, which is the way to end it and no error. */
static int wait_for_end(const struct mm_chosen *chosen, struct mm_visit *visit, struct mm_error *err)
{
	struct mm_process_result result = { 0 };
	struct mm_error why = MM_ERROR_INIT;
	int code = mm_process_wait(&visit->server.process, -1, &result, &why);
	if (code == 1)
		return died(chosen, &result, err);
	return mm_signals_pending() == SIGINT ? 0 : mm_error_set(err, why.code, "%s", why.text);
}

/*
 * Where the server is, as an option file: distributions name another socket in theirs, which stands above the
 * environment but below what lies in MYSQL_HOME.
 */
static int write_options(const struct mm_visit *visit, struct mm_error *err)
{
	char *path = mm_path_join(visit->folder, "my.cnf");
	char *text = mm_format("[client]\nsocket = \"%s\"\nuser = root\n", visit->server.socket);
	int code = mm_fs_write_atomic(path, text, strlen(text), err);
	free(text);
	free(path);
	return code;
}

/* The caller's own environment, and where the server is. */
static void make_environment(const struct mm_chosen *chosen, const struct mm_visit *visit, struct mm_strings *env)
{
	static const char *const ours[] = { "MYSQL_UNIX_PORT=", "MYMATRIX_CELL=", "MYMATRIX_PREFIX=", "MYSQL_HOME=",
					    "MARIADB_HOME=" };
	for (char **entry = environ; *entry; entry++) {
		bool replaced = false;
		for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
			replaced |= strncmp(*entry, ours[i], strlen(ours[i])) == 0;
		if (!replaced)
			mm_strings_push(env, *entry);
	}
	mm_strings_pushf(env, "%s%s", ours[0], visit->server.socket);
	mm_strings_pushf(env, "%s%s", ours[1], chosen->cell->id);
	mm_strings_pushf(env, "%s%s", ours[2], chosen->state->build.prefix);
	mm_strings_pushf(env, "%s%s", ours[3], visit->folder);
	mm_strings_pushf(env, "%s%s", ours[4], visit->folder);
}

static int run_command(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_visit *visit,
		       struct mm_error *err)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process process = { 0 };
	struct mm_process_result result = { 0 }, server = { 0 };
	char how[64];
	char *const *argv = arguments->positional.items + 1;
	make_environment(chosen, visit, &env);
	struct mm_process_spec spec = { .argv = argv, .env = env.items, .terminal = true };
	int code = write_options(visit, err);
	if (!code)
		code = mm_process_start(&spec, &process, err);
	bool running = !code;
	while (running && !code) {
		code = mm_process_wait(&process, 100, &result, err);
		running = code == 0;
		code = code == 1 ? 0 : code;
		if (running && !code && mm_process_wait(&visit->server.process, 0, &server, err) == 1)
			code = died(chosen, &server, err);
	}
	mm_process_stop(&process, SIGTERM, 2000, NULL);
	if (!code && result.exit_status != 0)
		code = mm_error_set(err, MM_ECELL, "'%s' ended with %s", argv[0], mm_process_describe(&result, how));
	mm_strings_release(&env);
	return code;
}

int mm_command_server(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_chosen chosen = { 0 };
	struct mm_visit visit = { 0 };
	struct mm_error closing = MM_ERROR_INIT;
	bool command = arguments->positional.count > 1;
	int code = mm_cli_choose_cell(arguments, arguments->positional.items[0], &chosen, err);
	if (!code && chosen.state->code)
		code = mm_error_set(err, (enum mm_code)chosen.state->code, "%s", chosen.state->failure);
	if (!code && chosen.state->build.state != MM_BUILD_DONE)
		code = mm_error_set(err, MM_EUSAGE, "cell '%s' is not built: run 'mymatrix build --cell %s' first",
				    chosen.cell->id, chosen.cell->id);
	if (!code)
		warn_of_neighbour(chosen.look.work);
	if (!code)
		code = mm_visit_open(&chosen.look, chosen.cell, &visit, err);
	mm_progress_finish();
	if (!code && !command)
		code = say_where(arguments, &chosen, &visit, err);
	if (!code)
		code = command ? run_command(arguments, &chosen, &visit, err) : wait_for_end(&chosen, &visit, err);
	bool gone = visit.server.process.pid == 0;
	int closed = mm_visit_close(&visit, &closing);
	if (!code && closed && !gone)
		code = mm_error_set(err, closing.code, "%s", closing.text);
	mm_chosen_release(&chosen);
	return code;
}
