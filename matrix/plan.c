/*
 * The plan as JSON. Values that many cells have in common (names, resolved flags) are made once and shared, so that a
 * hundred thousand cells fit into memory.
 */
#include "base/json.h"
#include "base/memory.h"
#include "matrix/private.h"

struct planning {
	const struct mm_matrix *matrix;
	json_t **sources, **toolchains, **configs; /* names */
	json_t **flags;                            /* resolved, by set, family and bits */
	json_t *bits[3];                           /* native, 32, 64 */
	json_t *changed[1 << MM_AXIS_COUNT];
	json_t **ids; /* of cells */
};

/* The slot's value, made once. Borrowed. */
static json_t *shared_name(json_t **slot, const char *name)
{
	if (!*slot)
		*slot = json_string(name);
	return *slot;
}

static json_t *shared_bits(struct planning *p, int bits)
{
	json_t **slot = &p->bits[bits / 32];
	if (!*slot)
		*slot = bits ? json_integer(bits) : json_string("native");
	return *slot;
}

static json_t *shared_flags(struct planning *p, const struct mm_cell *cell)
{
	enum mm_family family = cell->toolchain->family;
	size_t set = (size_t)(cell->flags - p->matrix->flagsets);
	json_t **slot = &p->flags[(set * MM_FAMILY_COUNT + family) * 3 + (size_t)cell->bits / 32];
	json_t *known = *slot;
	if (known)
		return known;
	struct mm_flag_words words;
	mm_flags_resolve(p->matrix, cell->flags, family, cell->bits, &words);
	*slot = json_object();
	mm_json_put_string(*slot, "name", cell->flags->name);
	mm_json_put_string(*slot, "c", words.c);
	mm_json_put_string(*slot, "cxx", words.cxx);
	mm_json_put_string(*slot, "cpp", words.cpp);
	mm_json_put_string(*slot, "ld", words.ld);
	mm_json_put_string(*slot, "enforce", cell->flags->enforce == MM_ENFORCE_NONE ? "none" : "level");
	mm_flag_words_release(&words);
	return *slot;
}

static json_t *shared_changed(struct planning *p, unsigned changed)
{
	json_t **slot = &p->changed[changed];
	json_t *known = *slot;
	if (known)
		return known;
	*slot = json_array();
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++)
		if (changed & 1u << axis)
			json_array_append_new(*slot, json_string(mm_axis_name((enum mm_axis)axis)));
	return *slot;
}

static json_t *plan_cell(struct planning *p, const struct mm_cell *cell)
{
	const struct mm_matrix *matrix = p->matrix;
	json_t *json = json_object();
	json_object_set(json, "id", shared_name(&p->ids[cell->index], cell->id));
	json_object_set(json, "source", shared_name(&p->sources[cell->source - matrix->sources], cell->source->name));
	if (cell->toolchain)
		json_object_set(
			json, "toolchain",
			shared_name(&p->toolchains[cell->toolchain - matrix->toolchains], cell->toolchain->name));
	if (cell->toolchain || cell->bits)
		json_object_set(json, "bits", shared_bits(p, cell->bits));
	if (cell->toolchain)
		json_object_set(json, "flags", shared_flags(p, cell));
	json_object_set(json, "config", shared_name(&p->configs[cell->config - matrix->configs], cell->config->name));
	return json;
}

static json_t *plan_cells(struct planning *p)
{
	json_t *cells = json_array();
	for (size_t i = 0; i < p->matrix->cell_count; i++)
		json_array_append_new(cells, plan_cell(p, &p->matrix->cells[i]));
	return cells;
}

static json_t *plan_comparisons(struct planning *p)
{
	json_t *comparisons = json_array();
	for (size_t i = 0; i < p->matrix->comparison_count; i++) {
		const struct mm_comparison *comparison = &p->matrix->comparisons[i];
		json_t *json = json_object();
		mm_json_put_string(json, "id", comparison->id);
		json_object_set(json, "baseline", p->ids[comparison->baseline->index]);
		json_object_set(json, "candidate", p->ids[comparison->candidate->index]);
		json_object_set(json, "changed", shared_changed(p, comparison->changed));
		json_array_append_new(comparisons, json);
	}
	return comparisons;
}

static void put_strings(json_t *object, const char *key, const struct mm_strings *list)
{
	if (!list->count)
		return;
	json_t *array = json_array();
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_string(list->items[i]));
	json_object_set_new(object, key, array);
}

/* What a suite runs with, defaults filled in; what is neither written nor has a default is left out. */
static json_t *plan_suite(const struct mm_suite_spec *spec)
{
	json_t *json = json_object();
	mm_json_put_string(json, "name", spec->name);
	mm_json_put_string(json, "suite", spec->suite);
	mm_json_put_integer(json, "passes", spec->passes);
	mm_json_put_real(json, "scale", spec->scale);
	mm_json_put_string(json, "edition", spec->edition);
	mm_json_put_string(json, "engine", spec->engine);
	put_strings(json, "tests", &spec->tests);
	put_strings(json, "operations", &spec->operations);
	mm_json_put_string(json, "script", spec->script);
	mm_json_put_string(json, "preset", spec->preset);
	mm_json_put_string(json, "mix", spec->mix);
	if (spec->thread_count) {
		json_t *threads = json_array();
		for (size_t i = 0; i < spec->thread_count; i++)
			json_array_append_new(threads, json_integer(spec->threads[i]));
		json_object_set_new(json, "threads", threads);
	}
	if (spec->time_seconds)
		mm_json_put_integer(json, "time", spec->time_seconds);
	if (spec->events)
		mm_json_put_integer(json, "events", spec->events);
	if (spec->table_size)
		mm_json_put_integer(json, "table_size", spec->table_size);
	if (spec->tables)
		mm_json_put_integer(json, "tables", spec->tables);
	put_strings(json, "command", &spec->command);
	put_strings(json, "options", &spec->options);
	if (spec->timeout_seconds)
		mm_json_put_integer(json, "timeout", spec->timeout_seconds);
	if (spec->pass_timeout_seconds)
		mm_json_put_integer(json, "pass_timeout", spec->pass_timeout_seconds);
	return json;
}

static json_t *plan_schedule(const struct mm_schedule *schedule)
{
	json_t *json = json_object();
	mm_json_put_integer(json, "seed", (int64_t)schedule->seed);
	if (schedule->relink)
		mm_json_put_string(json, "control", "relink");
	else
		mm_json_put_bool(json, "control", schedule->control);
	if (schedule->cpus_server || schedule->cpus_client) {
		json_t *cpus = json_object();
		mm_json_put_string(cpus, "server", schedule->cpus_server);
		mm_json_put_string(cpus, "client", schedule->cpus_client);
		json_object_set_new(json, "cpus", cpus);
	}
	mm_json_put_string(json, "datadir", schedule->datadir);
	mm_json_put_bool(json, "aslr", !schedule->no_aslr);
	return json;
}

static json_t *plan_gate(const struct mm_gate *gate)
{
	json_t *json = json_object();
	mm_json_put_real(json, "max_regression_percent", gate->max_regression_percent);
	mm_json_put_string(json, "metric", gate->metric);
	put_strings(json, "tests", &gate->tests);
	return json;
}

static json_t *plan_build(const struct mm_build_policy *build)
{
	static const char *const audits[] = { "warn", "strict", "off" };
	static const char *const keeps[] = { "never", "on-failure", "always" };
	json_t *json = json_object();
	mm_json_put_string(json, "audit", audits[build->audit]);
	mm_json_put_string(json, "keep", keeps[build->keep]);
	mm_json_put_integer(json, "jobs", build->jobs);
	mm_json_put_integer(json, "timeout", build->timeout_seconds);
	return json;
}

static void release(json_t **values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_decref(values[i]);
}

static void put_cells(json_t *plan, const struct mm_matrix *matrix)
{
	size_t flags = matrix->flagset_count * MM_FAMILY_COUNT * 3;
	struct planning p = { .matrix = matrix,
			      .sources = mm_calloc(matrix->source_count + 1, sizeof(json_t *)),
			      .toolchains = mm_calloc(matrix->toolchain_count + 1, sizeof(json_t *)),
			      .configs = mm_calloc(matrix->config_count + 1, sizeof(json_t *)),
			      .flags = mm_calloc(flags + 1, sizeof(json_t *)),
			      .ids = mm_calloc(matrix->cell_count + 1, sizeof(json_t *)) };
	json_object_set_new(plan, "cells", plan_cells(&p));
	json_object_set_new(plan, "comparisons", plan_comparisons(&p));
	release(p.sources, matrix->source_count);
	release(p.toolchains, matrix->toolchain_count);
	release(p.configs, matrix->config_count);
	release(p.flags, flags);
	release(p.ids, matrix->cell_count);
	release(p.bits, 3);
	release(p.changed, 1 << MM_AXIS_COUNT);
	free(p.sources);
	free(p.toolchains);
	free(p.configs);
	free(p.flags);
	free(p.ids);
}

json_t *mm_matrix_plan(const struct mm_matrix *matrix)
{
	json_t *plan = json_object(), *suites = json_array(), *thresholds = json_object();
	mm_json_put_integer(plan, "mymatrix_plan", 1);
	mm_json_put_string(plan, "title", matrix->title);
	put_cells(plan, matrix);
	for (size_t i = 0; i < matrix->suite_count; i++)
		json_array_append_new(suites, plan_suite(&matrix->suites[i]));
	json_object_set_new(plan, "suites", suites);
	json_object_set_new(plan, "schedule", plan_schedule(&matrix->schedule));
	mm_json_put_real(thresholds, "effect_percent", matrix->effect_percent);
	mm_json_put_real(thresholds, "equivalence_percent", matrix->equivalence_percent);
	json_object_set_new(plan, "thresholds", thresholds);
	if (matrix->gate.present)
		json_object_set_new(plan, "gate", plan_gate(&matrix->gate));
	json_object_set_new(plan, "build", plan_build(&matrix->build));
	if (matrix->executor)
		json_object_set(plan, "executor", matrix->executor);
	return plan;
}
