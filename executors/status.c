#include "executors/status.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/estimate.h"
#include "executors/last-call.h"
#include "executors/remembered.h"
#include "executors/slurm/slurm.h"
#include "runners/pass.h"

enum { TAIL = 1 << 14 };

char *mm_status_newest_log(const char *build_folder)
{
	char *logs = mm_path_join(build_folder, "logs"), *newest = NULL;
	struct timespec when = { 0, 0 };
	DIR *dir = mm_fs_opendir(logs);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		struct stat st;
		if (length < 5 || strcmp(entry->d_name + length - 4, ".log") != 0)
			continue;
		char *path = mm_path_join(logs, entry->d_name);
		bool later = stat(path, &st) == 0 && (st.st_mtim.tv_sec > when.tv_sec ||
						      (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec >= when.tv_nsec));
		if (later) {
			when = st.st_mtim;
			free(newest);
			newest = path;
		} else {
			free(path);
		}
	}
	if (dir)
		closedir(dir);
	free(logs);
	return newest;
}

/* The last "[12/854]" of a log: how far Ninja is. */
static void put_steps(json_t *object, const char *log)
{
	char text[TAIL + 1];
	int fd, code = mm_fs_open(log, &fd, NULL);
	off_t size = code ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t got = code ? 0 : pread(fd, text, TAIL, size > TAIL ? size - TAIL : 0);
	unsigned step = 0, steps = 0;
	if (!code)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	for (const char *at = text; (at = strstr(at, "\n[")); at++) {
		unsigned a, b;
		char end;
		if (sscanf(at, "\n[%u/%u%c", &a, &b, &end) == 3 && end == ']') {
			step = a;
			steps = b;
		}
	}
	if (steps) {
		mm_json_put_integer(object, "step", step);
		mm_json_put_integer(object, "steps", steps);
	}
}

static void put_stage(json_t *object, const char *log)
{
	const char *name = mm_path_base(log);
	char *stage = mm_strndup(name, strlen(name) - 4);
	mm_json_put_string(object, "stage", stage);
	mm_json_put_string(object, "log", log);
	put_steps(object, log);
	free(stage);
}

static void put_build(json_t *object, const struct mm_cell_state *state, bool running)
{
	const struct mm_build *build = &state->build;
	char *log = build->folder ? mm_status_newest_log(build->folder) : NULL;
	if (state->code || build->state == MM_BUILD_FAILED || build->failure) {
		mm_json_put_string(object, "build", "failed");
		mm_json_put_string(object, "stage", build->failed_stage);
		mm_json_put_string(object, "failure", state->code ? state->failure : build->failure);
		mm_json_put_string(object, "hint", build->hint);
		mm_json_put_string(object, "log", build->log);
	} else if (build->state == MM_BUILD_DONE) {
		mm_json_put_string(object, "build", "done");
		mm_json_put_string(object, "prefix", build->prefix);
	} else if (log) {
		mm_json_put_string(object, "build", running ? "under way" : "interrupted");
		put_stage(object, log);
	} else {
		mm_json_put_string(object, "build", "absent");
	}
	free(log);
}

/* From cells.json alone. */
static void put_recorded(json_t *object, const json_t *recorded)
{
	const json_t *build = json_object_get(recorded, "build");
	mm_json_put_string(object, "build", mm_json_string(recorded, "state", "absent"));
	mm_json_put_string(object, "failure", mm_json_string(recorded, "failure", NULL));
	mm_json_put_string(object, "stage", mm_json_string(build, "failed_stage", NULL));
	mm_json_put_string(object, "hint", mm_json_string(build, "hint", NULL));
	mm_json_put_string(object, "log", mm_json_string(build, "log", NULL));
	mm_json_put_string(object, "prefix", mm_json_string(build, "prefix", NULL));
}

struct tally {
	const char *folder;
	json_t *cells; /* cell id → {"passes", "failed_passes", "of"} */
	int64_t done, failed, left, total; /* left: still to be done; passes of a cell that is out are none of these */
	const json_t *recorded;            /* cells.json */
	json_t *next;  /* the first pass that is left: {"cell", "suite", "index", "visit"}; NULL: none */
	time_t newest; /* when the last pass was written */
};

static void add(json_t *object, const char *key)
{
	mm_json_put_integer(object, key, mm_json_integer(object, key, 0) + 1);
}

static json_t *next_json(const char *cell, const char *suite, int index, const json_t *slot)
{
	json_t *json = json_object();
	mm_json_put_string(json, "cell", cell);
	mm_json_put_string(json, "suite", suite);
	mm_json_put_integer(json, "index", index);
	mm_json_put_integer(json, "visit", mm_json_integer(slot, "visit", 1));
	return json;
}

static void count_pass(struct tally *tally, const char *suite, int index, const json_t *slot)
{
	const char *cell = mm_json_string(slot, "cell", "");
	char *path = mm_pass_path(tally->folder, cell, suite, index, (int)mm_json_integer(slot, "visit", 1));
	json_t *counts = json_object_get(tally->cells, cell);
	if (!counts) {
		counts = json_object();
		json_object_set_new(tally->cells, cell, counts);
	}
	struct stat st;
	add(counts, "of");
	tally->total++;
	if (stat(path, &st) == 0) {
		bool failed = mm_remembered_failure(path);
		tally->newest = st.st_mtime > tally->newest ? st.st_mtime : tally->newest;
		add(counts, failed ? "failed_passes" : "passes");
		tally->done += !failed;
		tally->failed += failed;
	} else if (strcmp(mm_json_string(json_object_get(tally->recorded, cell), "state", ""), "failed") != 0) {
		if (tally->left++ == 0)
			tally->next = next_json(cell, suite, index, slot);
	}
	free(path);
}

static time_t written(const char *folder, const char *name)
{
	struct stat st;
	char *path = mm_path_join(folder, name);
	bool is = stat(path, &st) == 0;
	free(path);
	return is ? st.st_mtime : 0;
}

/*
 * The pass that is going on: passes are done in the plan's order, and nothing is written before one is over. A mymatrix
 * that holds the lock and has not written cells.json since is still building.
 */
static void put_current(json_t *json, const struct tally *tally, const char *work)
{
	time_t locked = written(work, "lock"), began = written(tally->folder, "cells.json"), now = time(NULL);
	if (!tally->next || began < locked)
		return;
	began = tally->newest > began ? tally->newest : began;
	mm_json_put_integer(tally->next, "number", tally->done + tally->failed + 1);
	mm_json_put_integer(tally->next, "seconds", now > began ? (int64_t)(now - began) : 0);
	json_object_set(json, "current", tally->next);
}

/* From what the passes of this run took so far. */
static void put_rest(json_t *json, const struct tally *tally, const struct mm_look *look)
{
	struct mm_estimate_times times = { 0 };
	if (!look || !tally->left || !tally->done)
		return;
	mm_estimate_times(look, &times);
	if (times.passes && times.pass_seconds > 0)
		mm_json_put_real(json, "left_seconds", times.pass_seconds / times.passes * (double)tally->left);
}

/* Is the run DOCUMENT of another matrix? One of some of its cells is not, nor one of a copy that lay elsewhere. */
static bool is_other(const json_t *document, const struct mm_matrix *matrix)
{
	const json_t *plan = json_object_get(document, "plan"), *cell;
	size_t i;
	bool other = strcmp(mm_json_string(plan, "title", ""), matrix->title) != 0;
	if (!plan || strcmp(mm_json_string(document, "matrix_path", ""), matrix->path) == 0 ||
	    json_equal(json_object_get(document, "matrix"), matrix->document))
		return false;
	json_array_foreach(json_object_get(plan, "cells"), i, cell)
		other = other || !mm_matrix_cell(matrix, mm_json_string(cell, "id", ""));
	return other;
}

static json_t *run_json(struct tally *tally, const struct mm_look *look, const char *work, bool here)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = mm_path_join(tally->folder, "plan.json"), *report = mm_path_join(tally->folder, "report.json");
	json_t *plan = mm_json_load(path, &ignored), *json = json_object(), *entry, *slot;
	size_t i, j;
	json_array_foreach(json_object_get(plan, "order"), i, entry)
	{
		json_array_foreach(json_object_get(entry, "slots"), j, slot)
			count_pass(tally, mm_json_string(entry, "suite", ""), (int)mm_json_integer(entry, "index", 0), slot);
	}
	mm_json_put_string(json, "folder", tally->folder);
	mm_json_put_string(json, "number", mm_path_base(tally->folder));
	mm_json_put_string(json, "created", mm_json_string(plan, "created", NULL));
	mm_json_put_integer(json, "done", tally->done);
	mm_json_put_integer(json, "failed", tally->failed);
	mm_json_put_integer(json, "left", tally->left);
	mm_json_put_integer(json, "total", tally->total);
	mm_json_put_bool(json, "report", mm_fs_exists(report));
	if (here)
		put_current(json, tally, work);
	if (look && is_other(plan, look->matrix)) {
		mm_json_put_string(json, "other_matrix", mm_json_string(plan, "matrix_path", "?"));
		json_object_clear(tally->cells); /* cells of the same names are not the same cells */
	} else {
		put_rest(json, tally, look);
	}
	json_decref(plan);
	free(report);
	free(path);
	return json;
}

static void put_passes(json_t *object, const json_t *counts)
{
	mm_json_put_integer(object, "passes", mm_json_integer(counts, "passes", 0));
	mm_json_put_integer(object, "failed_passes", mm_json_integer(counts, "failed_passes", 0));
	mm_json_put_integer(object, "of", mm_json_integer(counts, "of", 0));
}

static json_t *cells_json(const struct mm_look *look, json_t *recorded, const struct tally *tally, bool running)
{
	json_t *cells = json_array();
	for (size_t i = 0; look && i < look->matrix->cell_count; i++) {
		const char *id = look->matrix->cells[i].id;
		json_t *object = json_object();
		mm_json_put_string(object, "cell", id);
		put_build(object, &look->cells[i], running);
		put_passes(object, json_object_get(tally->cells, id));
		json_array_append_new(cells, object);
	}
	if (look || !tally->folder)
		return cells;
	json_t *value;
	const char *id;
	json_object_foreach(recorded, id, value)
	{
		json_t *object = json_object();
		mm_json_put_string(object, "cell", id);
		put_recorded(object, value);
		put_passes(object, json_object_get(tally->cells, id));
		json_array_append_new(cells, object);
	}
	return cells;
}

json_t *mm_status(const char *work, const struct mm_look *look)
{
	char *folder = mm_run_newest(work);
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = folder ? mm_path_join(folder, "cells.json") : NULL;
	json_t *recorded = path ? mm_json_load(path, &ignored) : NULL;
	struct tally tally = { .folder = folder, .cells = json_object(), .recorded = recorded };
	long pid = mm_look_holder(work);
	bool running = pid != 0;
	json_t *json = json_object(), *slurm = mm_slurm_status(work, &running), *last = mm_last_call(work);
	mm_json_put_integer(json, "mymatrix_status", 1);
	mm_json_put_string(json, "work", work);
	json_object_set_new(json, "pid", pid > 0 ? json_integer(pid) : json_null());
	json_object_set_new(json, "run", folder ? run_json(&tally, look, work, pid != 0) : json_null());
	if (json_array_size(slurm))
		json_object_set(json, "slurm", slurm);
	if (last && !running)
		json_object_set(json, "last_call", last);
	json_object_set_new(json, "cells", cells_json(look, recorded, &tally, running));
	json_decref(slurm);
	json_decref(last);
	json_decref(tally.cells);
	json_decref(tally.next);
	json_decref(recorded);
	free(path);
	free(folder);
	return json;
}
