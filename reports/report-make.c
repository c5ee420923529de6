/* A run folder in, report.json out: nothing but those files is read, so that the same folder gives the same report. */
#include "reports/report.h"

#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/analysis.h"
#include "reports/gate.h"
#include "reports/recommend.h"
#include "reports/run-folder.h"
#include "reports/variables.h"
#include "reports/warnings.h"

/* One comparison in one suite, on its way to JSON. */
struct entry {
	const json_t *plan; /* the plan's comparison */
	struct mm_pairing pairing;
	const struct mm_run_series *baseline, *candidate;
};

struct report {
	struct mm_run_folder run;
	json_t *json, *warnings;
	json_t *cells, *cells_by_id; /* as report.json has them */
	struct entry *entries;
	struct mm_analysis *analyses; /* parallel to entries */
	size_t count;
};

static void put_copy(json_t *to, const char *key, const json_t *from, const char *from_key)
{
	json_t *value = json_object_get(from, from_key);

	if (value != NULL)
		json_object_set(to, key, value);
}

static const json_t *build_of(const struct mm_run_folder *run, const char *cell)
{
	return json_object_get(json_object_get(run->cells, cell), "build");
}

static json_t *cell_suite_json(const struct mm_run_series *series)
{
	json_t *json = json_object();

	mm_json_put_integer(json, "planned_passes", (int64_t)series->planned);
	mm_json_put_integer(json, "good_passes", (int64_t)series->good);
	mm_json_put_integer(json, "failed_passes", (int64_t)series->failed);
	put_copy(json, "server_version", series->series.json, "server_version");
	put_copy(json, "build_id", series->series.json, "build_id");
	put_copy(json, "engine", series->series.json, "engine");
	put_copy(json, "hardware_counters", series->series.json, "hardware_counters");
	put_copy(json, "client_version", series->series.json, "client_version");
	put_copy(json, "server_argv", series->series.json, "server_argv");
	put_copy(json, "my_cnf", series->series.json, "my_cnf");
	put_copy(json, "run_env", series->series.json, "run_env");
	if (series->variables != NULL)
		json_object_set_new(json, "server_variables", mm_variables_of_note(series->variables));
	return json;
}

static json_t *cells_json(const struct mm_run_folder *run)
{
	json_t *list = json_array(), *cell, *places;
	const char *suite;
	size_t i;

	json_array_foreach(json_object_get(run->plan, "cells"), i, cell) {
		const char *id = mm_json_string(cell, "id", "");
		const json_t *state = json_object_get(run->cells, id);
		json_t *json = json_copy(cell), *suites = json_object();

		mm_json_put_string(json, "state", mm_json_string(state, "state", "absent"));
		mm_json_put_string(json, "failure", mm_json_string(state, "failure", NULL));
		put_copy(json, "build", state, "build");
		json_object_foreach(run->places, suite, places)
			json_object_set_new(suites, suite, cell_suite_json(mm_run_folder_series(run, suite, id)));
		json_object_set_new(json, "suites", suites);
		json_array_append_new(list, json);
	}
	return list;
}

/* The changed axes of COMPARISON with "bits" among them, which come before flags and config. */
static void add_changed_bits(json_t *comparison)
{
	json_t *changed = json_object_get(comparison, "changed");
	size_t place = 0;

	while (place < json_array_size(changed)) {
		const char *axis = json_string_value(json_array_get(changed, place));

		if (axis != NULL && strcmp(axis, "bits") == 0)
			return;
		if (axis == NULL || (strcmp(axis, "source") != 0 && strcmp(axis, "toolchain") != 0))
			break;
		place++;
	}
	json_array_insert_new(changed, place, json_string("bits"));
}

/* The bits of a prefix or of packages need not be planned: once installed, they are what the server's program has. */
static void learn_bits(struct mm_run_folder *run)
{
	json_t *cells = json_object_get(run->plan, "cells"), *by_id = mm_json_by_key(cells, "id"), *cell, *comparison;
	size_t i;

	json_array_foreach(cells, i, cell) {
		int64_t bits = mm_json_integer(build_of(run, mm_json_string(cell, "id", "")), "elf_bits", 0);

		if (json_is_object(cell) && json_object_get(cell, "bits") == NULL && bits > 0)
			mm_json_put_integer(cell, "bits", bits);
	}
	json_array_foreach(json_object_get(run->plan, "comparisons"), i, comparison) {
		json_t *baseline = json_object_get(by_id, mm_json_string(comparison, "baseline", ""));
		json_t *candidate = json_object_get(by_id, mm_json_string(comparison, "candidate", ""));
		int64_t bits = mm_json_integer(baseline, "bits", 0), other = mm_json_integer(candidate, "bits", 0);

		if (bits > 0 && other > 0 && bits != other)
			add_changed_bits(comparison);
	}
	json_decref(by_id);
}

/* Every cell built, every planned pass there and good. */
static bool complete(const struct mm_run_folder *run)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(run->plan, "cells"), i, cell) {
		const json_t *state = json_object_get(run->cells, mm_json_string(cell, "id", ""));

		if (strcmp(mm_json_string(state, "state", ""), "done") != 0)
			return false;
	}
	for (size_t s = 0; s < run->series_count; s++)
		if (run->series[s].good < run->series[s].planned)
			return false;
	return true;
}

static bool changes_config(const json_t *comparison)
{
	const json_t *axis;
	size_t i;

	json_array_foreach(json_object_get(comparison, "changed"), i, axis)
		if (json_is_string(axis) && strcmp(json_string_value(axis), "config") == 0)
			return true;
	return false;
}

/* Equal programs under equal configuration; a config can make one program behave as two. */
static bool identical(const struct mm_run_folder *run, const json_t *comparison)
{
	const char *b = mm_json_string(build_of(run, mm_json_string(comparison, "baseline", "")), "code_sha256", "");
	const char *c = mm_json_string(build_of(run, mm_json_string(comparison, "candidate", "")), "code_sha256", "");

	return b[0] != '\0' && strcmp(b, c) == 0 && !changes_config(comparison);
}

/* A server that says otherwise of itself is another one, whatever its program's digest. */
static bool same_variables(const json_t *baseline, const json_t *candidate)
{
	json_t *differing = mm_variables_diff(baseline, candidate);
	bool same = json_array_size(differing) == 0;

	json_decref(differing);
	return same;
}

static struct mm_thresholds thresholds_of(const json_t *plan)
{
	const json_t *json = json_object_get(plan, "thresholds");

	return (struct mm_thresholds){ mm_json_number(json, "effect_percent", 1),
				       mm_json_number(json, "equivalence_percent", 2) };
}

static void analyse(struct report *report, const char *suite, size_t number, const json_t *comparison)
{
	struct entry *entry = &report->entries[report->count];
	struct mm_analysis_input input = { .mode = MM_PAIRED };

	entry->plan = comparison;
	entry->baseline = mm_run_folder_series(&report->run, suite, mm_json_string(comparison, "baseline", ""));
	entry->candidate = mm_run_folder_series(&report->run, suite, mm_json_string(comparison, "candidate", ""));
	if (entry->baseline == NULL || entry->candidate == NULL)
		return; /* a plan whose comparison names no cell of its own: nothing to show */
	mm_run_folder_pairing(&report->run, suite, number, &entry->baseline->series, &entry->candidate->series,
			      &entry->pairing);
	input.baseline = &entry->baseline->series;
	input.candidate = &entry->candidate->series;
	input.pairing = &entry->pairing;
	input.identical = identical(&report->run, comparison) &&
			  same_variables(entry->baseline->variables, entry->candidate->variables);
	input.thresholds = thresholds_of(report->run.plan);
	mm_analysis_make(&input, &report->analyses[report->count++]);
}

static void analyse_all(struct report *report)
{
	const json_t *suites = json_object_get(report->run.plan, "suites"), *suite, *comparison;
	const json_t *comparisons = json_object_get(report->run.plan, "comparisons");
	size_t i, j, most = json_array_size(suites) * json_array_size(comparisons);

	report->entries = mm_calloc(most + 1, sizeof(*report->entries));
	report->analyses = mm_calloc(most + 1, sizeof(*report->analyses));
	json_array_foreach(suites, i, suite)
		json_array_foreach(comparisons, j, comparison)
			analyse(report, mm_json_string(suite, "name", ""), j, comparison);
	mm_analysis_judge_geomeans(report->analyses, report->count);
}

static json_t *comparison_json(struct report *report, size_t place)
{
	const struct entry *entry = &report->entries[place];
	const struct mm_analysis *analysis = &report->analyses[place];
	const char *id = mm_json_string(entry->plan, "id", "");
	json_t *json = json_object(), *rest = mm_analysis_json(analysis),
	       *changed = json_object_get(entry->plan, "changed");
	json_t *variables = mm_variables_diff(entry->baseline->variables, entry->candidate->variables);
	char *recommendation = mm_recommend(analysis);
	const json_t *const cells[] = { json_object_get(report->cells_by_id, analysis->baseline->cell),
					json_object_get(report->cells_by_id, analysis->candidate->cell) };

	mm_json_put_string(json, "id", id);
	json_object_set_new(json, "changed", changed != NULL ? json_incref(changed) : json_array());
	mm_json_put_string(json, "recommendation", recommendation);
	json_object_update(json, rest);
	json_object_set_new(json, "variables", variables);
	mm_warnings_of_comparison(report->warnings, id, changed, analysis, variables, cells);
	json_decref(rest);
	free(recommendation);
	return json;
}

static void put_head(struct report *report)
{
	const json_t *document = report->run.document, *plan = report->run.plan;
	json_t *json = report->json;

	mm_json_put_integer(json, "mymatrix_report", 1);
	mm_json_put_string(json, "title", mm_json_string(plan, "title", ""));
	put_copy(json, "run", document, "run");
	put_copy(json, "created", document, "created");
	put_copy(json, "mymatrix", document, "mymatrix");
	put_copy(json, "matrix_path", document, "matrix_path");
	put_copy(json, "host", document, "host");
	put_copy(json, "client_library", document, "client_library");
	mm_json_put_bool(json, "complete", complete(&report->run));
	put_copy(json, "thresholds", plan, "thresholds");
	put_copy(json, "schedule", plan, "schedule");
	put_copy(json, "suites", plan, "suites");
}

static void put_body(struct report *report)
{
	json_t *comparisons = json_array(), *samples = json_array();

	mm_warnings_of_cells(report->warnings, &report->run);
	for (size_t i = 0; i < report->count; i++)
		json_array_append_new(comparisons, comparison_json(report, i));
	json_object_set_new(report->json, "comparisons", comparisons);
	mm_gate_apply(report->json, json_object_get(report->run.plan, "gate"));
	json_object_set_new(report->json, "warnings", report->warnings);
	json_object_set(report->json, "cells", report->cells);
	put_copy(report->json, "order", report->run.document, "order");
	for (size_t s = 0; s < report->run.series_count; s++)
		json_array_append(samples, report->run.series[s].series.json);
	json_object_set_new(report->json, "samples", samples);
	put_copy(report->json, "matrix", report->run.document, "matrix");
}

int mm_report_make(const char *run_folder, json_t **out, struct mm_error *err)
{
	struct report report = { .json = NULL };
	int status = mm_run_folder_load(run_folder, &report.run, err);

	*out = NULL;
	if (status != 0)
		return status;
	report.json = json_object();
	report.warnings = json_array();
	learn_bits(&report.run);
	report.cells = cells_json(&report.run);
	report.cells_by_id = mm_json_by_key(report.cells, "id");
	analyse_all(&report);
	put_head(&report);
	put_body(&report);
	*out = report.json;
	for (size_t i = 0; i < report.count; i++) {
		mm_analysis_release(&report.analyses[i]);
		mm_pairing_release(&report.entries[i].pairing);
	}
	json_decref(report.cells_by_id);
	json_decref(report.cells);
	free(report.entries);
	free(report.analyses);
	mm_run_folder_release(&report.run);
	return 0;
}
