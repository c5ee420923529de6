/* The Slurm executor: which units a plan comes down to, and what their ends mean for its cells. */
#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/record.h"
#include "executors/bench.h"
#include "executors/record.h"
#include "executors/slurm/slurm.h"
#include "executors/steps.h"

static int check(const struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	int code = mm_slurm_settings_check(run->matrix, err);
	if (!code && !options->program)
		code = mm_error_set(
			err, MM_EENV,
			"cannot tell where mymatrix itself is: start it by its path, or from a folder on PATH");
	return code;
}

/* The nodes' own facts are known when the first of them has begun to measure. */
static json_t *host(const struct mm_run *run, struct mm_strings *identity)
{
	struct mm_slurm_settings settings;
	mm_slurm_settings(run->matrix, &settings);
	json_t *json = json_object();
	mm_json_put_string(json, "name", "slurm");
	mm_json_put_string(json, "partition", settings.partition);
	mm_json_put_string(json, "constraint", settings.constraint);
	mm_json_put_string(json, "node", settings.node);
	const char *key;
	json_t *value;
	json_object_foreach(json, key, value) mm_strings_pushf(identity, "%s=%s", key, json_string_value(value));
	return json;
}

/* Builds */

static bool is_wanted(const struct mm_cell_state *state, bool retry_failed)
{
	return !state->code &&
	       (state->build.state == MM_BUILD_ABSENT || (state->build.state == MM_BUILD_FAILED && retry_failed));
}

/* One unit for each key: cells that differ in their option files only share a build. */
static void add_builds(struct mm_watch_slurm *watch)
{
	const struct mm_matrix *matrix = watch->run->matrix;
	watch->total = (unsigned)matrix->cell_count;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		const struct mm_cell_state *state = &watch->run->cells[i];
		if (!is_wanted(state, watch->options->retry_failed) ||
		    json_object_get(watch->by_id, state->build.key)) {
			watch->done++;
			continue;
		}
		json_t *unit = json_object();
		mm_json_put_string(unit, "id", state->build.key);
		mm_json_put_string(unit, "cell", matrix->cells[i].id);
		mm_watch_add(watch, unit, 1);
	}
}

/* Why the build of KEY has no record, when the watch knows. */
static const char *reason(const struct mm_watch_slurm *watch, const char *key)
{
	const json_t *place = json_object_get(watch->by_id, key);
	const char *text = place ? watch->units[json_integer_value(place)].failure : NULL;
	return text ? text : "its task left no build";
}

/* Takes over what the workers have made: build.json says it, as for every executor. */
static int collect_builds(struct mm_watch_slurm *watch, struct mm_error *err)
{
	struct mm_run *run = watch->run;
	struct mm_store store = run->store;
	store.retry_failed = false; /* that was the workers' business */
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		const struct mm_cell *cell = &run->matrix->cells[i];
		struct mm_cell_state *state = &run->cells[i];
		struct mm_error why = MM_ERROR_INIT;
		if (state->code)
			continue;
		if (json_object_get(watch->by_id, state->build.key))
			mm_record_load(&state->build);
		int code = state->build.state == MM_BUILD_ABSENT
				   ? mm_error_set(&why, MM_ECELL, "cell '%s': %s", cell->id,
						  reason(watch, state->build.key))
				   : mm_build_make(&store, cell, &state->build, &why);
		if (code == MM_ECELL)
			mm_step_lose(run, cell, "build", &why);
		else if (code)
			return mm_error_set(err, (enum mm_code)code, "%s", why.text);
	}
	return 0;
}

static int build(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	struct mm_watch_slurm watch = { .run = run, .options = options, .kind = MM_SLURM_BUILD, .progress = "builds" };
	mm_slurm_settings(run->matrix, &watch.settings);
	add_builds(&watch);
	int code = watch.unit_count ? mm_watch_run(&watch, err) : 0;
	if (!code)
		code = collect_builds(&watch, err);
	mm_watch_release(&watch);
	return code;
}

/* Passes */

static int add_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct mm_watch_slurm *watch = context;
	const struct mm_matrix *matrix = watch->run->matrix;
	(void)err;
	watch->total += (unsigned)trail->slot_count;
	if (mm_trail_complete(watch->run, trail, watch->options->retry_failed)) {
		watch->done += (unsigned)trail->slot_count;
		return 0;
	}
	const char *suite = matrix->suites[trail->suite].name;
	char *id = mm_format("%s/%d/%zu", suite, trail->index, trail->number);
	json_t *unit = json_object();
	mm_json_put_string(unit, "id", id);
	mm_json_put_string(unit, "suite", suite);
	mm_json_put_integer(unit, "index", trail->index);
	mm_json_put_integer(unit, "trail", (int64_t)trail->number);
	mm_json_put_integer(unit, "position", trail->position);
	mm_watch_add(watch, unit, (unsigned)trail->slot_count);
	free(id);
	return 0;
}

/* The first node to measure has left its facts; they are those of all (the workers see to that). */
static int take_host(const struct mm_run *run, struct mm_error *err)
{
	char *path = mm_path_join(run->folder, "host.json");
	json_t *facts = mm_fs_exists(path) ? mm_json_load(path, err) : NULL;
	int code = facts ? mm_record_set_host(run->folder, facts, err) : mm_fs_exists(path) ? MM_EENV : 0;
	json_decref(facts);
	free(path);
	return code;
}

static int bench(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	char plan[MM_SHA256_HEX];
	struct mm_watch_slurm watch = {
		.run = run, .options = options, .kind = MM_SLURM_BENCH, .progress = "passes", .plan = plan
	};
	mm_record_plan_digest(run->matrix, plan);
	mm_slurm_settings(run->matrix, &watch.settings);
	int code = mm_trails_each(run->matrix, add_trail, &watch, err);
	if (!code && watch.unit_count)
		code = mm_watch_run(&watch, err);
	else if (!code)
		mm_event_stage(MM_EVENT_REUSED, NULL, "passes", "every pass is there already");
	for (size_t i = 0; i < watch.unit_count && !code; i++) {
		if (watch.units[i].state != MM_UNIT_LOST)
			continue;
		char *text = mm_format("%s: %s", watch.units[i].id, watch.units[i].failure);
		mm_event_stage(MM_EVENT_FAILED, NULL, "passes", text);
		free(text);
	}
	if (!code)
		code = mm_bench_given_up(run, false, err);
	if (!code)
		code = take_host(run, err);
	mm_watch_release(&watch);
	return code;
}

const struct mm_executor mm_executor_slurm = {
	.name = "slurm", .check = check, .host = host, .build = build, .bench = bench
};
