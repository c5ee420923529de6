#include "executors/record.h"

#include <mysql.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "builders/record.h"
#include "executors/steps.h"
#include "runners/schedule.h"

json_t *mm_record_host(void)
{
	struct mm_host host;
	mm_os_host(&host);
	json_t *json = json_object();
	mm_json_put_string(json, "name", host.name);
	mm_json_put_string(json, "system", host.os);
	mm_json_put_string(json, "kernel", host.kernel);
	mm_json_put_string(json, "machine", host.machine);
	mm_json_put_string(json, "cpu", host.cpu);
	mm_json_put_integer(json, "cpus", host.cpus);
	mm_json_put_integer(json, "memory_bytes", (int64_t)host.memory_bytes);
	mm_json_put_string(json, "microcode", host.microcode);
	mm_json_put_string(json, "governor", host.governor);
	mm_json_put_string(json, "turbo", host.turbo);
	mm_json_put_string(json, "smt", host.smt);
	mm_json_put_string(json, "thp", host.thp);
	mm_json_put_string(json, "aslr", host.aslr);
	mm_json_put_string(json, "virtualisation", host.virtualisation);
	return json;
}

void mm_record_plan_digest(const struct mm_matrix *matrix, char hex[MM_SHA256_HEX])
{
	/* how many jobs compile and how samples are judged changes no sample */
	static const char *const no_matter[] = { "title", "thresholds", "gate", "build" };
	json_t *plan = mm_matrix_plan(matrix);
	for (size_t i = 0; i < sizeof no_matter / sizeof *no_matter; i++)
		json_object_del(plan, no_matter[i]);
	struct mm_hash *hash = mm_hash_new();
	char *text = mm_json_text(plan);
	mm_hash_add_text(hash, text);
	mm_hash_finish(hash, hex);
	free(text);
	json_decref(plan);
}

/* What must be equal for two calls to be one run: the plan, each cell's build, the machines and their kernel. */
static void digest(const struct mm_run *run, const struct mm_strings *machines, char hex[MM_SHA256_HEX])
{
	char plan[MM_SHA256_HEX];
	mm_record_plan_digest(run->matrix, plan);
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, plan);
	for (size_t i = 0; i < machines->count; i++)
		mm_hash_add_text(hash, machines->items[i]);
	for (size_t i = 0; i < run->matrix->cell_count; i++)
		mm_hash_add_text(hash, run->cells[i].build.key);
	mm_hash_finish(hash, hex);
}

static json_t *slots_json(const struct mm_matrix *matrix, const struct mm_order *order)
{
	json_t *slots = json_array();
	for (size_t i = 0; i < order->slot_count; i++)
		json_array_append_new(slots, json_pack("{s:s, s:i}", "cell", matrix->cells[order->slots[i].cell].id,
						       "visit", order->slots[i].visit));
	return slots;
}

static json_t *pairs_json(const struct mm_matrix *matrix, const struct mm_order *order)
{
	json_t *pairs = json_array();
	for (size_t i = 0; i < matrix->comparison_count; i++)
		json_array_append_new(pairs, json_pack("[i, i, i]", order->pairs[i].baseline_visit,
						       order->pairs[i].candidate_visit, order->pairs[i].control_visit));
	return pairs;
}

static void put_order(const struct mm_matrix *matrix, json_t *plan)
{
	json_t *orders = json_array(), *all_pairs = json_object();
	for (size_t s = 0; s < matrix->suite_count; s++) {
		const struct mm_suite_spec *suite = &matrix->suites[s];
		json_t *pairs = json_array();
		for (int index = 1; index <= suite->passes; index++) {
			struct mm_order order;
			mm_order_make(matrix, s, index, &order);
			json_array_append_new(orders, json_pack("{s:s, s:i, s:o}", "suite", suite->name, "index", index,
								"slots", slots_json(matrix, &order)));
			json_array_append_new(pairs, pairs_json(matrix, &order));
			mm_order_release(&order);
		}
		json_object_set_new(all_pairs, suite->name, pairs);
	}
	json_object_set_new(plan, "order", orders);
	json_object_set_new(plan, "pairs", all_pairs);
}

static json_t *plan_json(const struct mm_run *run, json_t *host, const char *hex)
{
	char now[32];
	mm_utc_text(now);
	json_t *json = json_object();
	mm_json_put_integer(json, "mymatrix_run", 1);
	char *name = mm_format("%.12s-%s", hex, now);
	mm_json_put_string(json, "run", name);
	free(name);
	mm_json_put_string(json, "created", now);
	mm_json_put_string(json, "mymatrix", MM_VERSION);
	mm_json_put_string(json, "digest", hex);
	mm_json_put_string(json, "matrix_path", run->matrix->path);
	json_object_set(json, "matrix", run->matrix->document);
	json_object_set_new(json, "plan", mm_matrix_plan(run->matrix));
	json_object_set(json, "host", host);
	mm_json_put_string(json, "client_library", mysql_get_client_info());
	put_order(run->matrix, json);
	return json;
}

/*
 * Does the run in FOLDER have this digest? Then it is RUN, and its plan.json says from now on what today's matrix says of all that
 * the digest leaves out (gate, thresholds …). A plan.json that cannot be read does not fit: the next run is new.
 */
static bool fits(struct mm_run *run, const char *folder, const char *hex)
{
	char *path = mm_path_join(folder, "plan.json");
	json_t *record = mm_json_load(path, NULL);
	bool same = strcmp(mm_json_string(record, "digest", ""), hex) == 0;
	json_t *plan = mm_matrix_plan(run->matrix);
	if (same && !json_equal(json_object_get(record, "plan"), plan)) {
		json_object_set(record, "plan", plan);
		json_object_set(record, "matrix", run->matrix->document);
		same = mm_json_save(path, record, NULL) == 0;
	}
	if (same)
		run->name = mm_strdup(mm_json_string(record, "run", NULL));
	json_decref(plan);
	json_decref(record);
	free(path);
	return same;
}

/*
 * A folder of the next number that has no plan is one whose making was interrupted: it is taken over. One with passes has
 * lost its plan, and nobody knows what was measured there.
 */
static int make_folder(struct mm_run *run, const char *newest, const json_t *plan, struct mm_error *err)
{
	unsigned long number = newest ? strtoul(mm_path_base(newest), NULL, 10) + 1 : 1;
	char *folder = NULL, *passes = NULL;
	if (number > MM_RUN_HIGHEST)
		return mm_error_set(err, MM_EENV, "there is no number for another run after '%s': rename or remove it", newest);
	do {
		free(folder);
		free(passes);
		folder = mm_format("%s/runs/%lu", run->work, number++);
		passes = mm_path_join(folder, "passes");
	} while (mm_fs_exists(passes));
	char *path = mm_path_join(folder, "plan.json");
	int code = mm_fs_mkdirs(folder, 0755, err);
	if (!code)
		code = mm_json_save(path, plan, err);
	free(path);
	free(passes);
	if (code) {
		free(folder);
		return code;
	}
	run->folder = folder;
	run->name = mm_strdup(mm_json_string(plan, "run", NULL));
	return 0;
}

/* Whoever expected the run before to go on is told that it does not. */
static void tell_new(const struct mm_run *run, const char *newest)
{
	char *text = mm_format("run %s begins: plan, builds, host or kernel are not those of run %s, which stays as it is",
			       mm_path_base(run->folder), mm_path_base(newest));
	mm_event_stage(MM_EVENT_NOTE, NULL, "run", text);
	free(text);
}

int mm_record_open(struct mm_run *run, const struct mm_executor *executor, bool again, struct mm_error *err)
{
	int code = 0;
	char hex[MM_SHA256_HEX];
	struct mm_strings machines = MM_STRINGS_INIT;
	json_t *host = executor->host(run, &machines);
	digest(run, &machines, hex);
	char *newest = mm_run_newest(run->work);
	if (newest && !again && fits(run, newest, hex)) {
		run->folder = newest;
		newest = NULL;
	} else {
		json_t *whole = plan_json(run, host, hex);
		code = make_folder(run, newest, whole, err);
		json_decref(whole);
		if (!code && newest && !again)
			tell_new(run, newest);
	}
	free(newest);
	json_decref(host);
	mm_strings_release(&machines);
	return code;
}

char *mm_record_fitting(const struct mm_run *run, const struct mm_executor *executor)
{
	char hex[MM_SHA256_HEX], *newest = mm_run_newest(run->work), *path = newest ? mm_path_join(newest, "plan.json") : NULL;
	struct mm_strings machines = MM_STRINGS_INIT;
	json_t *record = path ? mm_json_load(path, NULL) : NULL;
	json_decref(executor->host(run, &machines));
	digest(run, &machines, hex);
	if (strcmp(mm_json_string(record, "digest", ""), hex) != 0) {
		free(newest);
		newest = NULL;
	}
	mm_strings_release(&machines);
	json_decref(record);
	free(path);
	return newest;
}

int mm_record_set_host(const char *run_folder, json_t *host, struct mm_error *err)
{
	char *path = mm_path_join(run_folder, "plan.json");
	json_t *plan = mm_json_load(path, err);
	int code = plan ? 0 : MM_EENV;
	if (plan && !json_equal(json_object_get(plan, "host"), host)) {
		json_object_set(plan, "host", host);
		code = mm_json_save(path, plan, err);
	}
	json_decref(plan);
	free(path);
	return code;
}

int mm_record_cells(const struct mm_run *run, struct mm_error *err)
{
	json_t *cells = json_object();
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		const struct mm_cell_state *state = &run->cells[i];
		json_t *cell = json_object();
		mm_json_put_string(cell, "state",
				   state->code ? "failed" : state->build.state == MM_BUILD_DONE ? "done" : "absent");
		mm_json_put_string(cell, "failure", state->failure);
		mm_json_put_string(cell, "my_cnf", state->build.my_cnf);
		json_object_set_new(cell, "build", mm_build_json(&state->build));
		json_object_set_new(cells, run->matrix->cells[i].id, cell);
	}
	char *path = mm_path_join(run->folder, "cells.json");
	int code = mm_json_save(path, cells, err);
	free(path);
	json_decref(cells);
	return code;
}

/* The build of a cell as its entry in cells.json names it; the store says whether it is still there. */
static void load_cell(struct mm_run *run, const struct mm_cell *cell, const json_t *entry)
{
	struct mm_error why = MM_ERROR_INIT;
	struct mm_build *build = &run->cells[cell->index].build;
	const json_t *from = json_object_get(entry, "build");
	(void)snprintf(build->key, sizeof build->key, "%s", mm_json_string(from, "key", ""));
	build->folder = mm_build_folder(run->work, build->key);
	build->prefix = mm_strdup(mm_json_string(from, "prefix", ""));
	build->my_cnf = mm_strdup(mm_json_string(entry, "my_cnf", ""));
	mm_record_load(build);
	if (build->state == MM_BUILD_DONE)
		return;
	(void)mm_error_set(&why, MM_ECELL, "cell '%s' is not installed: %s", cell->id,
			   mm_json_string(entry, "failure", "its build is gone"));
	mm_step_lose(run, cell, "build", &why);
}

int mm_record_load_cells(struct mm_run *run, const bool *wanted, struct mm_error *err)
{
	char *path = mm_path_join(run->folder, "cells.json");
	json_t *cells = mm_json_load(path, err);
	free(path);
	if (!cells)
		return MM_EENV;
	for (size_t i = 0; i < run->matrix->cell_count; i++)
		if (wanted[i])
			load_cell(run, &run->matrix->cells[i], json_object_get(cells, run->matrix->cells[i].id));
	json_decref(cells);
	return 0;
}
