/* The runs that a work folder holds. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/run.h"

/* The number of the run NAME in FOLDER, as we write numbers; 0: it is none, or its making was interrupted. */
static unsigned long number_of(const char *folder, const char *name)
{
	if (*name < '1' || *name > '9' || strlen(name) > 9 /* as MM_RUN_HIGHEST has */ || name[strspn(name, "0123456789")])
		return 0;
	char *plan = mm_format("%s/%s/plan.json", folder, name);
	bool is_run = mm_fs_exists(plan);
	free(plan);
	return is_run ? strtoul(name, NULL, 10) : 0;
}

/* The highest number of a run in FOLDER, "<work>/runs", that is below BELOW; 0: none. */
static unsigned long highest(const char *folder, unsigned long below)
{
	DIR *dir = mm_fs_opendir(folder);
	unsigned long found = 0;
	const struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		unsigned long number = number_of(folder, entry->d_name);
		if (number > found && number < below)
			found = number;
	}
	if (dir)
		closedir(dir);
	return found;
}

char *mm_run_newest(const char *work)
{
	char *runs = mm_path_join(work, "runs");
	unsigned long newest = highest(runs, ULONG_MAX);
	char *folder = newest ? mm_format("%s/%lu", runs, newest) : NULL;
	free(runs);
	return folder;
}

/* A file of a run, or NULL. New reference. */
static json_t *load(const char *folder, const char *name)
{
	char *path = mm_path_join(folder, name);
	json_t *json = mm_fs_exists(path) ? mm_json_load(path, NULL) : NULL;
	free(path);
	return json;
}

/* A cell or a pass that failed is a result, too: there is nothing left to do. */
static bool is_cell_over(json_t *cell)
{
	const char *name;
	json_t *suite;
	if (strcmp(mm_json_string(cell, "state", ""), "failed") == 0)
		return true;
	json_object_foreach(json_object_get(cell, "suites"), name, suite)
		if (mm_json_integer(suite, "good_passes", 0) + mm_json_integer(suite, "failed_passes", 0) <
		    mm_json_integer(suite, "planned_passes", 1))
			return false;
	return strcmp(mm_json_string(cell, "state", ""), "done") == 0;
}

static bool is_over(const char *folder)
{
	json_t *report = load(folder, "report.json"), *cell;
	const json_t *cells = json_object_get(report, "cells");
	bool over = json_array_size(cells) > 0;
	size_t i;
	json_array_foreach(cells, i, cell)
		over = over && is_cell_over(cell);
	json_decref(report);
	return over;
}

char *mm_run_newest_over(const char *work)
{
	char *runs = mm_path_join(work, "runs"), *found = NULL;
	unsigned long number = ULONG_MAX;
	while (!found && (number = highest(runs, number)) != 0) {
		char *folder = mm_format("%s/%lu", runs, number);
		if (is_over(folder))
			found = folder;
		else
			free(folder);
	}
	free(runs);
	return found;
}

/* The ids of a run's cells, as keys. New reference. */
static json_t *cells_of(const json_t *document)
{
	json_t *cells = mm_json_by_key(json_object_get(json_object_get(document, "plan"), "cells"), "id");
	json_t *ids = json_object(), *cell;
	const char *id;
	json_object_foreach(cells, id, cell)
		json_object_set_new(ids, id, json_true());
	json_decref(cells);
	return ids;
}

/* Are the cells of the plan BEFORE those of PLAN and others? */
static bool has_more_cells(const json_t *before, const json_t *plan)
{
	json_t *cells = cells_of(plan), *more = cells_of(before), *cell;
	const char *id;
	bool all = json_object_size(more) > json_object_size(cells);
	json_object_foreach(cells, id, cell)
		all = all && json_object_get(more, id);
	json_decref(more);
	json_decref(cells);
	return all;
}

static bool has_same_plan(const json_t *before, const json_t *plan)
{
	const char *digest = mm_json_string(plan, "digest", "");
	return *digest && strcmp(mm_json_string(before, "digest", ""), digest) == 0;
}

static bool is_complete(const char *folder)
{
	json_t *report = load(folder, "report.json");
	bool complete = mm_json_true(report, "complete");
	json_decref(report);
	return complete;
}

char *mm_run_fuller(const char *folder, bool complete, bool *fewer)
{
	char *runs = mm_path_folder(folder), *found = NULL;
	unsigned long number = strtoul(mm_path_base(folder), NULL, 10);
	json_t *plan = load(folder, "plan.json");
	while (!found && (number = highest(runs, number)) != 0) {
		char *earlier = mm_format("%s/%lu", runs, number);
		json_t *before = load(earlier, "plan.json");
		*fewer = has_more_cells(before, plan);
		if ((*fewer || (!complete && has_same_plan(before, plan))) && is_complete(earlier))
			found = mm_strdup(earlier);
		json_decref(before);
		free(earlier);
	}
	json_decref(plan);
	free(runs);
	return found;
}
