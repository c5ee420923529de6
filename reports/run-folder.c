/* Reads plan.json, cells.json and the passes that the plan's order names; other files in the folder do not count. */
#include "reports/run-folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "reports/pass-series.h"
#include "runners/pass.h"

static json_t *member_object(json_t *object, const char *key)
{
	json_t *inner = json_object_get(object, key);

	if (inner == NULL) {
		inner = json_object();
		json_object_set_new(object, key, inner);
	}
	return inner;
}

/* The order turned around: suite to { cell to [[index, visit], …] }. */
static json_t *visits_of(const json_t *document)
{
	json_t *all = json_object();
	const json_t *entry, *slot;
	size_t i, j;

	json_array_foreach(json_object_get(document, "order"), i, entry) {
		json_t *suite = member_object(all, mm_json_string(entry, "suite", ""));

		json_array_foreach(json_object_get(entry, "slots"), j, slot) {
			const char *cell = mm_json_string(slot, "cell", "");
			json_t *list = json_object_get(suite, cell);

			if (list == NULL) {
				list = json_array();
				json_object_set_new(suite, cell, list);
			}
			json_array_append_new(list, json_pack("[I, I]", mm_json_integer(entry, "index", 0),
							      mm_json_integer(slot, "visit", 1)));
		}
	}
	return all;
}

static int collect_all(struct mm_run_folder *run, struct mm_error *err)
{
	const json_t *suites = json_object_get(run->plan, "suites"), *cells = json_object_get(run->plan, "cells");
	const json_t *suite, *cell;
	json_t *visits = visits_of(run->document);
	size_t i, j;
	int status = 0;

	run->places = json_object();
	run->series = mm_calloc(json_array_size(suites) * json_array_size(cells) + 1, sizeof(*run->series));
	json_array_foreach(suites, i, suite) {
		struct mm_pass_series_name name = { .run = mm_json_string(run->document, "run", NULL),
						    .suite = mm_json_string(suite, "name", ""),
						    .kind = mm_json_string(suite, "suite", "") };
		json_t *places = member_object(run->places, name.suite);
		const json_t *before = NULL;

		json_array_foreach(cells, j, cell) {
			const json_t *of_suite = json_object_get(visits, name.suite);

			name.cell = mm_json_string(cell, "id", "");
			json_object_set_new(places, name.cell, json_integer((json_int_t)run->series_count));
			status = mm_pass_series_read(run->path, &name, json_object_get(of_suite, name.cell), before,
						     &run->series[run->series_count++], err);
			if (status != 0)
				goto out;
			before = json_object_get(run->series[run->series_count - 1].series.json, "tests");
		}
	}
out:
	json_decref(visits);
	return status;
}

static int load_documents(struct mm_run_folder *run, struct mm_error *err)
{
	char *plan = mm_path_join(run->path, "plan.json"), *cells = mm_path_join(run->path, "cells.json");
	int status = 0;

	run->document = mm_json_load_input(plan, err);
	run->cells = mm_fs_exists(cells) ? mm_json_load_input(cells, err) : json_object();
	if (run->document == NULL || run->cells == NULL) {
		status = err->code;
		goto out;
	}
	run->plan = json_object_get(run->document, "plan");
	if (mm_json_integer(run->document, "mymatrix_run", 0) != 1 || !json_is_object(run->plan) ||
	    !json_is_array(json_object_get(run->plan, "cells")))
		status = mm_error_set(err, MM_EMATRIX, "'%s': not a plan.json of version 1", plan);
	else if (!json_is_object(run->cells))
		status = mm_error_set(err, MM_EMATRIX, "'%s': not an object of cells", cells);
out:
	free(plan);
	free(cells);
	return status;
}

/* The inputs of builds are the same but for a few: flags, or a source. */
static void share_cells(json_t *cells)
{
	const json_t *before = NULL;
	const char *id;
	json_t *cell;

	json_object_foreach(cells, id, cell) {
		mm_json_share(cell, before);
		before = cell;
	}
}

static bool is_run_folder(const char *path)
{
	char *plan = mm_path_join(path, "plan.json");
	bool is = mm_fs_exists(plan);

	free(plan);
	return is;
}

int mm_run_folder_load(const char *path, struct mm_run_folder *run, struct mm_error *err)
{
	struct mm_error own = MM_ERROR_INIT;
	int status;

	if (err == NULL)
		err = &own;
	*run = (struct mm_run_folder){ .path = path };
	if (!is_run_folder(path))
		return mm_error_set(err, MM_EMATRIX, "'%s' is not a run folder: it holds no plan.json", path);
	status = load_documents(run, err);
	if (status == 0) {
		share_cells(run->cells);
		status = collect_all(run, err);
	}
	if (status == MM_EMATRIX)
		(void)mm_error_prefix(err, "run '%s' is damaged, and 'mymatrix run --retry-failed' measures again what it has lost",
				      path);
	if (status != 0)
		mm_run_folder_release(run);
	return status;
}

void mm_run_folder_release(struct mm_run_folder *run)
{
	for (size_t i = 0; i < run->series_count; i++) {
		mm_samples_release(&run->series[i].series);
		json_decref(run->series[i].variables);
	}
	free(run->series);
	json_decref(run->places);
	json_decref(run->document);
	json_decref(run->cells);
	*run = (struct mm_run_folder){ 0 };
}

const struct mm_run_series *mm_run_folder_series(const struct mm_run_folder *run, const char *suite, const char *cell)
{
	const json_t *place = json_object_get(json_object_get(run->places, suite), cell);

	return place != NULL ? &run->series[json_integer_value(place)] : NULL;
}

void mm_run_folder_pairing(const struct mm_run_folder *run, const char *suite, size_t number,
			   const struct mm_samples *baseline, const struct mm_samples *candidate,
			   struct mm_pairing *pairing)
{
	const json_t *indices = json_object_get(json_object_get(run->document, "pairs"), suite), *comparisons;
	size_t i;

	*pairing = (struct mm_pairing){ mm_calloc(json_array_size(indices) + 1, sizeof(*pairing->pairs)), 0 };
	json_array_foreach(indices, i, comparisons) {
		const json_t *visits = json_array_get(comparisons, number);
		int index = (int)i + 1;

		pairing->pairs[i].baseline =
			mm_samples_pass_place(baseline, index, (int)json_integer_value(json_array_get(visits, 0)));
		pairing->pairs[i].candidate =
			mm_samples_pass_place(candidate, index, (int)json_integer_value(json_array_get(visits, 1)));
		pairing->pairs[i].control =
			mm_samples_pass_place(baseline, index, (int)json_integer_value(json_array_get(visits, 2)));
		pairing->count++;
	}
}
