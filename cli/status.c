/* status: what is going on in the work folder. */
#include "executors/status.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/cells.h"
#include "cli/hint.h"
#include "cli/live.h"
#include "cli/text.h"

enum { BUILD_WIDTH = 24 };

static void put_jobs(const json_t *status, struct mm_buffer *out)
{
	const json_t *job;
	size_t i;
	json_array_foreach(json_object_get(status, "slurm"), i, job)
	{
		mm_buffer_printf(out, "Slurm job '%s': %lld of %lld %s over", mm_json_string(job, "name", "?"),
				 (long long)mm_json_integer(job, "ended", 0), (long long)mm_json_integer(job, "units", 0),
				 strcmp(mm_json_string(job, "kind", ""), "build") == 0 ? "builds" : "trails of passes");
		if (json_object_get(job, "running"))
			mm_buffer_printf(out, "; tasks: %lld run, %lld wait\n", (long long)mm_json_integer(job, "running", 0),
					 (long long)mm_json_integer(job, "pending", 0));
		else
			mm_buffer_puts(out, "; Slurm does not answer\n");
	}
}

/* "pass 7 of 30: mariadb/gcc/64/O2 in classic, for 12s" */
static void put_current(const json_t *current, const json_t *run, struct mm_buffer *out)
{
	if (!current)
		return;
	mm_buffer_printf(out, "pass %lld of %lld: %s in suite %s, for ", (long long)mm_json_integer(current, "number", 0),
			 (long long)mm_json_integer(run, "total", 0), mm_json_string(current, "cell", "?"),
			 mm_json_string(current, "suite", "?"));
	mm_put_duration(out, mm_json_number(current, "seconds", 0));
	if (json_object_get(run, "left_seconds")) {
		mm_buffer_puts(out, "; all that is left takes about ");
		mm_put_duration(out, mm_json_number(run, "left_seconds", 0));
	}
	mm_buffer_putc(out, '\n');
}

static void put_run(const json_t *status, struct mm_buffer *out)
{
	const json_t *run = json_object_get(status, "run"), *pid = json_object_get(status, "pid");
	const json_t *last = json_object_get(status, "last_call");
	mm_buffer_printf(out, "%s: ", mm_json_string(status, "work", "?"));
	if (json_is_integer(pid))
		mm_buffer_printf(out, "mymatrix works here, pid %lld\n", (long long)json_integer_value(pid));
	else
		mm_buffer_puts(out, json_object_get(status, "slurm") ? "no mymatrix waits here\n" : "nothing is running\n");
	put_jobs(status, out);
	if (last)
		mm_buffer_printf(out, "the last call ended at %s, with status %lld: %s\n", mm_json_string(last, "ended", "?"),
				 (long long)mm_json_integer(last, "status", 0), mm_json_string(last, "failure", "?"));
	if (!json_is_object(run)) {
		mm_buffer_puts(out, "no run yet\n");
		return;
	}
	mm_buffer_printf(out, "run %s of %s: %lld of %lld pass%s done", mm_json_string(run, "number", "?"),
			 mm_json_string(run, "created", "?"), (long long)mm_json_integer(run, "done", 0),
			 (long long)mm_json_integer(run, "total", 0), mm_json_integer(run, "total", 0) == 1 ? "" : "es");
	if (mm_json_integer(run, "failed", 0))
		mm_buffer_printf(out, ", %lld failed", (long long)mm_json_integer(run, "failed", 0));
	mm_put_hints(mm_json_true(run, "report") ? "; 'mymatrix report' prints its report\n" : "\n", out);
	if (json_object_get(run, "other_matrix"))
		mm_buffer_printf(out, "that run is of another matrix, '%s': give it to 'mymatrix status' to see its cells\n",
				 mm_json_string(run, "other_matrix", "?"));
	put_current(json_object_get(run, "current"), run, out);
}

/* Is something half done that nobody works on? Not where all failed: that is a result. */
static bool is_interrupted(const json_t *status)
{
	const json_t *run = json_object_get(status, "run"), *cell;
	size_t i;
	if (json_is_integer(json_object_get(status, "pid")) || json_object_get(status, "slurm"))
		return false;
	if (mm_json_integer(run, "left", 0) && !json_object_get(run, "other_matrix"))
		return true;
	json_array_foreach(json_object_get(status, "cells"), i, cell)
		if (strcmp(mm_json_string(cell, "build", ""), "interrupted") == 0)
			return true;
	return false;
}

/* What is on record is not tried again by the same command; what only could not be begun is. */
static bool has_failures(const json_t *status)
{
	const json_t *cell;
	size_t i;
	if (mm_json_integer(json_object_get(status, "run"), "failed", 0))
		return true;
	json_array_foreach(json_object_get(status, "cells"), i, cell)
		if (strcmp(mm_json_string(cell, "build", ""), "failed") == 0 && json_object_get(cell, "stage"))
			return true;
	return false;
}

static void put_cell(const json_t *cell, int name_width, struct mm_buffer *out)
{
	const char *id = mm_json_string(cell, "cell", "?"), *stage = mm_json_string(cell, "stage", NULL);
	struct mm_buffer build = MM_BUFFER_INIT;
	mm_buffer_printf(&build, "%s%s%s", mm_json_string(cell, "build", "?"), stage ? ": " : "", stage ? stage : "");
	if (mm_json_integer(cell, "steps", 0))
		mm_buffer_printf(&build, " %lld/%lld", (long long)mm_json_integer(cell, "step", 0),
				 (long long)mm_json_integer(cell, "steps", 0));
	mm_buffer_printf(out, "%s%*s  %s", id, name_width - mm_columns(id, strlen(id)), "", mm_buffer_text(&build));
	if (mm_json_integer(cell, "of", 0))
		mm_buffer_printf(out, "%*s  %lld/%lld", build.length < BUILD_WIDTH ? BUILD_WIDTH - (int)build.length : 0, "", (long long)mm_json_integer(cell, "passes", 0),
				 (long long)mm_json_integer(cell, "of", 0));
	if (mm_json_integer(cell, "failed_passes", 0))
		mm_buffer_printf(out, ", %lld failed", (long long)mm_json_integer(cell, "failed_passes", 0));
	mm_buffer_putc(out, '\n');
	const char *failure = mm_json_string(cell, "failure", NULL), *hint = mm_json_string(cell, "hint", NULL);
	if (failure) {
		mm_buffer_puts(out, "    ");
		mm_put_wrapped(failure, 4, 4, out);
	}
	if (hint) {
		mm_buffer_puts(out, "    → ");
		mm_put_wrapped(hint, 6, 6, out);
	}
	mm_buffer_release(&build);
}

static void put_table(const json_t *status, struct mm_buffer *out)
{
	const json_t *cells = json_object_get(status, "cells");
	size_t i;
	json_t *cell;
	int widest = 4;
	put_run(status, out);
	if (is_interrupted(status))
		mm_put_hints("interrupted: 'mymatrix run' goes on where it stopped\n", out);
	if (has_failures(status))
		mm_put_hints("failures are on record: 'mymatrix run --retry-failed' tries again what failed\n", out);
	json_array_foreach(cells, i, cell)
	{
		const char *id = mm_json_string(cell, "cell", "?");
		int wide = mm_columns(id, strlen(id));
		widest = wide > widest ? wide : widest;
	}
	if (json_array_size(cells))
		mm_buffer_printf(out, "\n%-*s  %-*s  passes\n", widest, "cell", BUILD_WIDTH, "build");
	json_array_foreach(cells, i, cell) put_cell(cell, widest, out);
}

int mm_command_status(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_matrix *matrix = NULL;
	struct mm_look look = { 0 };
	struct mm_buffer out = MM_BUFFER_INIT;
	char *work = NULL, *path = NULL;
	int code = mm_cli_work(arguments, &work, err);
	if (!code)
		path = mm_cli_matrix_of_work(work, arguments->positional.count ? arguments->positional.items[0] : NULL);
	if (path) {
		code = mm_cli_load_matrix(arguments, path, &matrix, NULL, err);
		if (!code)
			code = mm_look_open(matrix, work, &look, err);
	} else if (!code && !mm_fs_is_folder(work)) {
		code = mm_error_set(err, MM_EUSAGE,
				    "there is neither a MATRIX.json nor a work folder '%s': go to their folder (-C), or name "
				    "them",
				    work);
	}
	if (!code) {
		json_t *status = mm_status(work, matrix ? &look : NULL);
		char *text = arguments->json ? mm_json_text(status) : NULL;
		if (text)
			mm_buffer_puts(&out, text);
		else
			put_table(status, &out);
		free(text);
		json_decref(status);
		code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	}
	mm_buffer_release(&out);
	if (matrix)
		mm_look_release(&look);
	mm_matrix_free(matrix);
	mm_hint_matrix(NULL);
	free(path);
	free(work);
	return code;
}
