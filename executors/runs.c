/* The runs that a work folder holds. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/run.h"

/* The highest number in FOLDER, "<work>/runs", that is below BELOW; 0: none. */
static unsigned long highest(const char *folder, unsigned long below)
{
	DIR *dir = mm_fs_opendir(folder);
	unsigned long found = 0;
	const struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		char *end;
		unsigned long number = strtoul(entry->d_name, &end, 10);
		if (!*end && number > found && number < below)
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

/* The ids of a run's cells, as keys. New reference. */
static json_t *cells_of(const char *folder)
{
	json_t *document = load(folder, "plan.json");
	json_t *cells = mm_json_by_key(json_object_get(json_object_get(document, "plan"), "cells"), "id");
	json_t *ids = json_object(), *cell;
	const char *id;
	json_object_foreach(cells, id, cell)
		json_object_set_new(ids, id, json_true());
	json_decref(cells);
	json_decref(document);
	return ids;
}

static bool holds_all(json_t *cells, json_t *more)
{
	const char *id;
	json_t *cell;
	json_object_foreach(cells, id, cell)
		if (!json_object_get(more, id))
			return false;
	return true;
}

static bool is_complete(const char *folder)
{
	json_t *report = load(folder, "report.json");
	bool complete = mm_json_true(report, "complete");
	json_decref(report);
	return complete;
}

char *mm_run_fuller(const char *folder)
{
	char *runs = mm_path_folder(folder), *found = NULL;
	unsigned long number = strtoul(mm_path_base(folder), NULL, 10);
	json_t *cells = cells_of(folder);
	while (!found && (number = highest(runs, number)) != 0) {
		char *earlier = mm_format("%s/%lu", runs, number);
		json_t *more = cells_of(earlier);
		if (json_object_size(more) > json_object_size(cells) && holds_all(cells, more) && is_complete(earlier))
			found = mm_strdup(earlier);
		json_decref(more);
		free(earlier);
	}
	json_decref(cells);
	free(runs);
	return found;
}
