/* logs: a cell's logs, also while they grow. */
#include <poll.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/process.h"
#include "cli/cells.h"
#include "executors/status.h"

enum { FOLLOW_EVERY_MS = 200 };

static const char *const stages[] = { "unpack", "patch", "configure", "compile", "install", "server", NULL };

static int check_stage(const char *stage, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (size_t i = 0; stages[i]; i++)
		mm_strings_push(&names, stages[i]);
	int code = 0;
	if (!mm_strings_contain(&names, stage)) {
		const char *nearest = mm_nearest(stage, &names);
		char *all = mm_strings_join(&names, ", ");
		code = nearest ? mm_error_set(err, MM_EUSAGE, "no stage is called '%s': did you mean '%s'?", stage, nearest)
			       : mm_error_set(err, MM_EUSAGE, "no stage is called '%s': there is %s", stage, all);
		free(all);
	}
	mm_strings_release(&names);
	return code;
}

/* Where the last LINES lines of TEXT begin; 0: all. */
static const char *last_lines(const struct mm_buffer *text, int lines)
{
	const char *begin = mm_buffer_text(text), *at = begin + text->length;
	if (!lines)
		return begin;
	if (at > begin && at[-1] == '\n')
		at--;
	while (at > begin && !(at[-1] == '\n' && --lines == 0))
		at--;
	return at;
}

/* What a source printed while it was compiled is to be read, on a terminal, and not to be obeyed. */
static int print(const struct mm_arguments *arguments, const char *text, size_t length, struct mm_error *err)
{
	if (arguments->output || !isatty(STDOUT_FILENO))
		return mm_output(arguments, text, length, err);
	char *tame = mm_strndup(text, length);
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)tame[i] < 0x20 && !strchr("\n\t\r", tame[i])) || tame[i] == '\0' || tame[i] == 0x7f)
			tame[i] = '?';
	int code = mm_output(arguments, tame, length, err);
	free(tame);
	return code;
}

static int print_file(const struct mm_arguments *arguments, const char *path, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	int code = mm_fs_read(path, 0, &text, err);
	if (!code) {
		const char *from = last_lines(&text, arguments->lines);
		code = print(arguments, from, text.length - (size_t)(from - mm_buffer_text(&text)), err);
	}
	mm_buffer_release(&text);
	return code;
}

/* Prints what PATH holds from *OFFSET on. */
static int print_more(const struct mm_arguments *arguments, const char *path, off_t *offset, struct mm_error *err)
{
	char chunk[1 << 14];
	ssize_t got = 0;
	int fd;
	if (!mm_fs_exists(path)) /* nobody has begun it */
		return 0;
	int code = mm_fs_open(path, &fd, err);
	if (code)
		return code;
	while (!code && (got = pread(fd, chunk, sizeof chunk, *offset)) > 0) {
		code = print(arguments, chunk, (size_t)got, err);
		*offset += got;
	}
	if (got < 0)
		code = mm_error_errno(err, "cannot read '%s'", path);
	close(fd);
	return code;
}

/* Follows one stage, or the newest log of all, until nobody works in the work folder any more. */
static int follow(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_error *err)
{
	const struct mm_build *build = &chosen->state->build;
	char *path = NULL;
	off_t offset = 0;
	int code = 0;
	for (bool last = false; !code; last = mm_look_holder(chosen->look.work) == 0) {
		char *now = arguments->stage ? mm_format("%s/logs/%s.log", build->folder, arguments->stage)
					     : mm_status_newest_log(build->folder);
		if (path && now && strcmp(path, now) != 0) {
			code = print_more(arguments, path, &offset, err); /* the rest of the stage that ended */
			offset = 0;
		}
		if (now && (!path || strcmp(path, now) != 0) && !arguments->stage && !code) {
			char *title = mm_format("==> %s <==\n", now);
			code = mm_output(arguments, title, strlen(title), err);
			free(title);
		}
		free(path);
		path = now;
		if (path && !code)
			code = print_more(arguments, path, &offset, err);
		if (last)
			break;
		if (!code)
			code = mm_signals_check(err);
		(void)poll(NULL, 0, FOLLOW_EVERY_MS);
	}
	free(path);
	return code;
}

/* The error log's tail in the newest failed pass of the newest run. */
static int visit_pass(void *context, const char *path, const char *relative)
{
	json_t **newest = context;
	struct mm_error ignored = MM_ERROR_INIT;
	json_t *pass = strstr(relative, ".json") ? mm_json_load(path, &ignored) : NULL;
	if (mm_json_string(pass, "failure", NULL) && strcmp(mm_json_string(pass, "started", ""),
							    mm_json_string(*newest, "started", "")) >= 0) {
		json_decref(*newest);
		*newest = json_incref(pass);
	}
	json_decref(pass);
	return 0;
}

static int print_server_log(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_error *err)
{
	char *run = mm_run_newest(chosen->look.work);
	char *passes = run ? mm_format("%s/passes/%s", run, chosen->cell->id) : NULL;
	json_t *pass = NULL;
	int code = 0;
	if (passes && mm_fs_is_folder(passes))
		code = mm_fs_walk(passes, visit_pass, &pass, err);
	if (!code && !pass)
		code = mm_error_set(err, MM_EUSAGE, "no pass of cell '%s' failed in the newest run: there is no server log to show",
				    chosen->cell->id);
	if (!code) {
		struct mm_buffer text = MM_BUFFER_INIT;
		mm_buffer_printf(&text, "%s\n", mm_json_string(pass, "log_tail", "(the server wrote nothing)"));
		const char *from = last_lines(&text, arguments->lines);
		code = print(arguments, from, strlen(from), err);
		mm_buffer_release(&text);
	}
	json_decref(pass);
	free(passes);
	free(run);
	return code;
}

/* What the builder wrote about the flags that reached the compiler. */
static int print_flags(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_error *err)
{
	char *path = mm_format("%s/logs/flags.txt", chosen->state->build.folder);
	int code = mm_fs_exists(path) ? print_file(arguments, path, err)
				      : mm_error_set(err, MM_EUSAGE, "cell '%s' has no flag audit: %s", chosen->cell->id,
						     chosen->cell->toolchain ? "it was not compiled yet, or with \"audit\": \"off\""
									     : "it is not compiled here");
	free(path);
	return code;
}

/* What is not compiled has no log of a stage, now or ever, but where one failed. */
static bool can_have_log(const struct mm_chosen *chosen, const char *stage)
{
	const struct mm_build *build = &chosen->state->build;
	char *path = mm_format("%s/logs/%s.log", build->folder, stage ? stage : "");
	bool there = stage ? mm_fs_exists(path) : build->state != MM_BUILD_DONE;
	free(path);
	return chosen->cell->toolchain || there;
}

/* Not every stage is gone through by every build; and what was never begun can be known to fail only by trying it. */
static int no_log(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_error *err)
{
	enum mm_build_state state = chosen->state->build.state;
	const char *id = chosen->cell->id, *stage = arguments->stage;
	if (stage && state != MM_BUILD_ABSENT)
		return mm_error_set(err, MM_EUSAGE, "cell '%s' has no log of stage %s: its build %s", id, stage,
				    state == MM_BUILD_DONE ? "did without it" : "did not come so far, or does without it");
	return mm_error_set(err, MM_EUSAGE,
			    "cell '%s' has no log%s%s yet: nobody has begun to build it; 'mymatrix doctor' tries its compiler, "
			    "'mymatrix build' builds it",
			    id, stage ? " of stage " : "", stage ? stage : "");
}

static int show(const struct mm_arguments *arguments, const struct mm_chosen *chosen, struct mm_error *err)
{
	const struct mm_build *build = &chosen->state->build;
	const char *id = chosen->cell->id;
	if (arguments->stage && strcmp(arguments->stage, "server") == 0)
		return print_server_log(arguments, chosen, err);
	if (chosen->state->code)
		return mm_error_set(err, (enum mm_code)chosen->state->code, "%s", chosen->state->failure);
	if (build->state == MM_BUILD_ABSENT && build->failure)
		return mm_error_set(err, MM_ECELL, "cell '%s' was not begun: %s; %s", id, build->failure, build->hint);
	if (arguments->flags)
		return print_flags(arguments, chosen, err);
	if (!can_have_log(chosen, arguments->stage))
		return mm_error_set(err, MM_EUSAGE,
				    "cell '%s' is not compiled here: it has no log of %s; --stage server shows a failed pass", id,
				    arguments->stage ? arguments->stage : "a build");
	if (arguments->follow)
		return follow(arguments, chosen, err);
	char *path = arguments->stage ? mm_format("%s/logs/%s.log", build->folder, arguments->stage)
				      : (build->log ? mm_strdup(build->log) : mm_status_newest_log(build->folder));
	int code = path && mm_fs_exists(path)
			   ? print_file(arguments, path, err)
			   : no_log(arguments, chosen, err);
	free(path);
	return code;
}

int mm_command_logs(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_chosen chosen = { 0 };
	int code = arguments->stage ? check_stage(arguments->stage, err) : 0;
	if (!code && arguments->flags && (arguments->stage || arguments->follow))
		code = mm_error_set(err, MM_EUSAGE, "--flags shows the flag audit: it excludes --stage and --follow");
	if (!code)
		code = mm_cli_choose_cell(arguments, arguments->positional.items[0], &chosen, err);
	if (!code)
		code = show(arguments, &chosen, err);
	mm_chosen_release(&chosen);
	return code;
}
