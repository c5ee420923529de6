/* The Slurm executor: which units a plan comes down to, and what their ends mean for its cells. */
#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/bench.h"
#include "executors/record.h"
#include "executors/slurm/watch.h"
#include "executors/steps.h"

static void see_nothing(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	(void)context;
	(void)name;
	(void)task;
	(void)state;
}

/* Later a controller that is away for a while is waited for; nothing is begun with one that nobody can reach. */
static int check_controller(struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	struct mm_error why = MM_ERROR_INIT;
	mm_strings_push(&names, "mymatrix");
	int code = mm_slurm_query(&names, see_nothing, NULL, &why);
	mm_strings_release(&names);
	if (!code)
		return 0;
	return mm_error_set(err, (enum mm_code)code,
			    code == MM_EINTERRUPTED ? "%s" :
						      "Slurm does not answer: %s: start it, name its configuration in "
						      "SLURM_CONF, or use --executor local",
			    why.text);
}

static int check(const struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	int code = mm_slurm_settings_check(run->matrix, err);
	if (!code && !options->program)
		code = mm_error_set(
			err, MM_EENV,
			"cannot tell where mymatrix itself is: start it by its path, or from a folder on PATH");
	return code ? code : check_controller(err);
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
	json_object_foreach(json, key, value)
		mm_strings_pushf(identity, "%s=%s", key, json_string_value(value));
	return json;
}

/* A plan on its way. */
struct carrying {
	struct mm_watch watch;
	bool *settled; /* cells whose builds are there, or lost */
};

static bool is_settled(const struct mm_unit *unit)
{
	return unit->state == MM_UNIT_DONE || unit->state == MM_UNIT_LOST;
}

/* Builds */

/* One unit for each key: cells that differ in their option files only share a build. */
static void add_builds(struct mm_watch *watch)
{
	const struct mm_matrix *matrix = watch->run->matrix;
	watch->total[MM_SLURM_BUILD] = (unsigned)matrix->cell_count;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		const char *key = watch->run->cells[i].build.key;
		if (!mm_step_is_wanted(watch->run, &matrix->cells[i]) || mm_watch_find(watch, key)) {
			watch->done[MM_SLURM_BUILD]++;
			continue;
		}
		json_t *unit = json_object();
		mm_json_put_string(unit, "id", key);
		mm_json_put_string(unit, "cell", matrix->cells[i].id);
		(void)mm_watch_add(watch, MM_SLURM_BUILD, unit, 1);
	}
}

static int collect_builds(struct carrying *carrying, struct mm_error *err)
{
	struct mm_run *run = carrying->watch.run;
	int code = 0;
	for (size_t i = 0; i < run->matrix->cell_count && !code; i++) {
		const struct mm_unit *unit = mm_watch_find(&carrying->watch, run->cells[i].build.key);
		if (carrying->settled[i] || (!run->cells[i].code && unit && !is_settled(unit)))
			continue;
		carrying->settled[i] = true;
		if (!run->cells[i].code)
			code = mm_step_collect(run, &run->matrix->cells[i], unit ? unit->failure : NULL, err);
	}
	return code;
}

/* Passes */

static bool all_settled(const struct carrying *carrying, const size_t *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!carrying->settled[cells[i]])
			return false;
	return true;
}

static int add_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct carrying *carrying = context;
	struct mm_watch *watch = &carrying->watch;
	(void)err;
	watch->total[MM_SLURM_BENCH] += (unsigned)trail->slot_count;
	if (mm_trail_complete(watch->run, trail, watch->options->retry_failed)) {
		watch->done[MM_SLURM_BENCH] += (unsigned)trail->slot_count;
		return 0;
	}
	const char *suite = watch->run->matrix->suites[trail->suite].name;
	char *id = mm_format("%s/%d/%zu", suite, trail->index, trail->number);
	json_t *json = json_object();
	mm_json_put_string(json, "id", id);
	mm_json_put_string(json, "suite", suite);
	mm_json_put_integer(json, "index", trail->index);
	mm_json_put_integer(json, "trail", (int64_t)trail->number);
	mm_json_put_integer(json, "position", trail->position);
	struct mm_unit *unit = mm_watch_add(watch, MM_SLURM_BENCH, json, (unsigned)trail->slot_count);
	unit->cells = mm_calloc(trail->slot_count, sizeof *unit->cells);
	for (; unit->cell_count < trail->slot_count; unit->cell_count++)
		unit->cells[unit->cell_count] = trail->slots[unit->cell_count].cell;
	if (!all_settled(carrying, unit->cells, unit->cell_count))
		unit->state = MM_UNIT_HELD;
	free(id);
	return 0;
}

/* Trails whose builds are there now may begin; of those whose cells are all lost nothing is left to do. */
static void release_trails(struct carrying *carrying)
{
	struct mm_watch *watch = &carrying->watch;
	for (size_t i = 0; i < watch->unit_count; i++) {
		struct mm_unit *unit = &watch->units[i];
		if (unit->state != MM_UNIT_HELD || !all_settled(carrying, unit->cells, unit->cell_count))
			continue;
		bool any = false;
		for (size_t c = 0; c < unit->cell_count; c++)
			any = any || !watch->run->cells[unit->cells[c]].code;
		mm_watch_settle(watch, unit, any ? MM_UNIT_WAITING : MM_UNIT_DONE, NULL);
	}
}

/* The run begins when there is something to measure: an attempt to build that led to nothing is no run. */
static bool has_build(const struct carrying *carrying)
{
	const struct mm_run *run = carrying->watch.run;
	size_t settled = 0;
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		settled += carrying->settled[i];
		if (carrying->settled[i] && !run->cells[i].code)
			return true;
	}
	return settled == run->matrix->cell_count;
}

static int open_passes(struct carrying *carrying, struct mm_error *err)
{
	struct mm_watch *watch = &carrying->watch;
	int code = mm_passes_open(watch->run, &mm_executor_slurm, watch->options, err);
	if (code)
		return code;
	mm_record_plan_digest(watch->run->matrix, watch->plan);
	code = mm_trails_each(watch->run->matrix, add_trail, carrying, err);
	if (!code && watch->total[MM_SLURM_BENCH] == watch->done[MM_SLURM_BENCH])
		mm_event_stage(MM_EVENT_REUSED, NULL, "passes", "every pass is there already");
	return code;
}

static int builds_ended(struct mm_watch *watch, struct mm_error *err)
{
	struct carrying *carrying = (struct carrying *)watch; /* its first member */
	int code = collect_builds(carrying, err);
	if (code || !(watch->options->phases & MM_RUN_BENCH))
		return code;
	if (watch->run->folder)
		release_trails(carrying);
	else if (has_build(carrying))
		code = open_passes(carrying, err);
	return code;
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

/* What the workers have left besides passes. */
static int collect_passes(const struct mm_watch *watch, struct mm_error *err)
{
	for (size_t i = 0; i < watch->unit_count; i++) {
		const struct mm_unit *unit = &watch->units[i];
		if (unit->kind != MM_SLURM_BENCH || unit->state != MM_UNIT_LOST)
			continue;
		char *text = mm_format("%s: %s", unit->id, unit->failure);
		mm_event_stage(MM_EVENT_FAILED, NULL, "passes", text);
		free(text);
	}
	int code = mm_bench_given_up(watch->run, false, err);
	return code ? code : take_host(watch->run, err);
}

static int carry_out(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	struct carrying carrying = { .settled = mm_calloc(run->matrix->cell_count, sizeof *carrying.settled) };
	mm_watch_init(&carrying.watch, run, options);
	carrying.watch.builds_ended = builds_ended;
	if (options->phases & MM_RUN_BUILD)
		add_builds(&carrying.watch);
	else
		mm_passes_require_builds(run);
	int code = mm_watch_run(&carrying.watch, err);
	if (!code && run->folder)
		code = collect_passes(&carrying.watch, err);
	mm_watch_release(&carrying.watch);
	free(carrying.settled);
	return code;
}

const struct mm_executor mm_executor_slurm = { .name = "slurm", .check = check, .host = host, .carry_out = carry_out };
