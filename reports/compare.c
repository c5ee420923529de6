#include "reports/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/gate.h"
#include "reports/recommend.h"
#include "reports/result-file.h"
#include "reports/text.h"
#include "reports/warnings.h"

struct side {
	struct mm_result_file file;
	const char *cell;
};

struct comparison {
	struct side baseline, candidate;
	const struct mm_compare_options *options;
	bool same_run;
	json_t *json, *comparisons, *samples, *warnings;
};

static const json_t *cell_facts(const struct side *side)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(side->file.document, "cells"), i, cell)
		if (strcmp(mm_json_string(cell, "id", ""), side->cell) == 0)
			return cell;
	return NULL;
}

/* The axes that differ, of cells whose report says what they are. */
static json_t *changed_axes(const struct comparison *compare)
{
	static const char *const axes[] = { "source", "toolchain", "bits", "flags", "config" };
	const json_t *b = cell_facts(&compare->baseline), *c = cell_facts(&compare->candidate);
	json_t *changed = json_array();

	for (size_t i = 0; b != NULL && c != NULL && i < sizeof(axes) / sizeof(*axes); i++) {
		const json_t *left = json_object_get(b, axes[i]), *right = json_object_get(c, axes[i]);

		if (left != NULL && right != NULL && !json_equal(left, right))
			json_array_append_new(changed, json_string(axes[i]));
	}
	return changed;
}

static bool identical(const struct comparison *compare, const json_t *changed)
{
	const char *b = mm_json_string(json_object_get(cell_facts(&compare->baseline), "build"), "code_sha256", "");
	const char *c = mm_json_string(json_object_get(cell_facts(&compare->candidate), "build"), "code_sha256", "");
	const json_t *axis;
	size_t i;

	json_array_foreach(changed, i, axis)
		if (strcmp(json_string_value(axis), "config") == 0)
			return false;
	return b[0] != '\0' && strcmp(b, c) == 0;
}

/* What the file says about a suite: an entry of "suites", or the small form's own members. */
static const json_t *suite_facts(const struct mm_result_file *file, const char *suite)
{
	const json_t *entry;
	size_t i;

	if (file->small)
		return file->document;
	json_array_foreach(json_object_get(file->document, "suites"), i, entry)
		if (strcmp(mm_json_string(entry, "name", ""), suite) == 0)
			return entry;
	return NULL;
}

static char *fact_text(const json_t *value)
{
	char *dumped, *text;

	if (json_is_string(value))
		return mm_strdup(json_string_value(value));
	dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	text = mm_strdup(dumped != NULL ? dumped : "unknown");
	free(dumped);
	return text;
}

/* Warns when both sides say something, and not the same. */
static bool warn_of_fact(struct comparison *compare, const struct mm_warning_place *place, const char *what,
			 const json_t *b, const json_t *c)
{
	char *left, *right;

	if (b == NULL || c == NULL || json_equal(b, c) ||
	    (json_is_number(b) && json_is_number(c) && json_number_value(b) == json_number_value(c)))
		return false;
	left = fact_text(b);
	right = fact_text(c);
	mm_warning_add(compare->warnings, "differs", place, "%s differs: '%s' for the baseline, '%s' for the candidate",
		       what, left, right);
	free(left);
	free(right);
	return true;
}

static void warn_of_hosts(struct comparison *compare)
{
	static const char *const facts[][2] = {
		{ "name", "host" },
		{ "cpu", "CPU" },
		{ "cpus", "number of CPUs" },
		{ "kernel", "kernel" },
		{ "system", "system" },
		{ "machine", "machine" },
		{ "microcode", "microcode" },
		{ "governor", "CPU governor" },
		{ "turbo", "turbo" },
		{ "smt", "SMT" },
		{ "thp", "transparent huge pages" },
		{ "aslr", "ASLR" },
		{ "memory_bytes", "memory" },
		{ "virtualisation", "virtualisation" },
	};
	const json_t *b = json_object_get(compare->baseline.file.document, "host");
	const json_t *c = json_object_get(compare->candidate.file.document, "host");
	struct mm_warning_place place = { NULL, NULL, NULL };

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		warn_of_fact(compare, &place, facts[i][1], json_object_get(b, facts[i][0]),
			     json_object_get(c, facts[i][0]));
	warn_of_fact(compare, &place, "client library",
		     json_object_get(compare->baseline.file.document, "client_library"),
		     json_object_get(compare->candidate.file.document, "client_library"));
}

/* Whether the two sides did the same work; says what differs. */
static bool same_work(struct comparison *compare, const struct mm_samples *baseline, const struct mm_samples *candidate)
{
	static const char *const facts[] = { "edition", "scale", "engine", "script", "table_size", "tables", "mix" };
	const json_t *b = suite_facts(&compare->baseline.file, baseline->suite);
	const json_t *c = suite_facts(&compare->candidate.file, candidate->suite);
	struct mm_warning_place place = { .suite = baseline->suite };
	bool same = true;

	if (strcmp(baseline->suite, candidate->suite) != 0) {
		mm_warning_add(compare->warnings, "differs", &place,
			       "suite differs: '%s' for the baseline, '%s' for the candidate", baseline->suite,
			       candidate->suite);
		same = false;
	}
	if (!compare->baseline.file.small && !compare->candidate.file.small)
		same = !warn_of_fact(compare, &place, "kind of suite", json_object_get(b, "suite"),
				     json_object_get(c, "suite")) &&
		       same;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		same = !warn_of_fact(compare, &place, facts[i], json_object_get(b, facts[i]),
				     json_object_get(c, facts[i])) &&
		       same;
	return same;
}

static struct mm_thresholds thresholds_of(const struct mm_compare_options *options)
{
	return (struct mm_thresholds){ options->effect_percent > 0 ? options->effect_percent : 1,
				       options->equivalence_percent > 0 ? options->equivalence_percent : 2 };
}

static void put_comparison(struct comparison *compare, const struct mm_analysis *analysis, json_t *changed)
{
	char *id = mm_format("%s vs %s", analysis->baseline->cell, analysis->candidate->cell);
	char *recommendation = mm_recommend(analysis);
	json_t *json = json_object(), *rest = mm_analysis_json(analysis);
	const json_t *const cells[] = { cell_facts(&compare->baseline), cell_facts(&compare->candidate) };

	mm_json_put_string(json, "id", id);
	json_object_set(json, "changed", changed);
	mm_json_put_string(json, "recommendation", recommendation);
	json_object_update(json, rest);
	json_object_set_new(json, "variables", json_array());
	json_array_append_new(compare->comparisons, json);
	mm_warnings_of_comparison(compare->warnings, id, changed, analysis, NULL, cells);
	json_decref(rest);
	free(recommendation);
	free(id);
}

/* Suites that both sides have; with one suite on each side, these, whatever they are called. */
static size_t match_suites(struct comparison *compare, const struct mm_samples **pairs)
{
	const struct mm_result_file *b = &compare->baseline.file, *c = &compare->candidate.file;
	size_t count = 0;

	for (size_t i = 0; i < b->series_count; i++) {
		const struct mm_samples *left = &b->series[i], *right;

		if (strcmp(left->cell, compare->baseline.cell) != 0 ||
		    (compare->options->suite != NULL && strcmp(left->suite, compare->options->suite) != 0))
			continue;
		right = mm_result_file_series(c, compare->candidate.cell, left->suite);
		if (right == NULL && b->series_count == 1 && c->series_count == 1)
			right = &c->series[0];
		if (right == NULL)
			continue;
		pairs[2 * count] = left;
		pairs[2 * count++ + 1] = right;
	}
	return count;
}

/* Two cells of a run that its plan did not compare may stand far from each other in the order. */
static void warn_of_distance(struct comparison *compare, const struct mm_samples *baseline,
			     const struct mm_samples *candidate, const struct mm_pairing *pairing)
{
	struct mm_warning_place place = { .suite = baseline->suite };
	size_t apart = 0;

	for (size_t i = 0; i < pairing->count; i++) {
		int b = baseline->passes[pairing->pairs[i].baseline].position;
		int c = candidate->passes[pairing->pairs[i].candidate].position;

		apart += b > 0 && c > 0 && abs(b - c) > 1;
	}
	if (apart > 0)
		mm_warning_add(compare->warnings, "apart", &place,
			       "%zu of %zu pair%s of passes %s not next to each other in the run: drift of the "
			       "machine counts "
			       "as a difference",
			       apart, pairing->count, mm_plural(pairing->count), apart == 1 ? "was" : "were");
}

static void analyse_pair(struct comparison *compare, const struct mm_samples *baseline,
			 const struct mm_samples *candidate, const json_t *changed, struct mm_pairing *pairing,
			 struct mm_analysis *out)
{
	struct mm_analysis_input input = { .baseline = baseline, .candidate = candidate, .pairing = pairing };

	input.mode = compare->same_run ? MM_PAIRED : compare->options->unpaired ? MM_UNPAIRED : MM_NOT_INTERLEAVED;
	input.thresholds = thresholds_of(compare->options);
	input.identical = identical(compare, changed);
	input.other_work = !same_work(compare, baseline, candidate);
	mm_pairing_by_index(baseline, candidate, pairing);
	if (input.mode == MM_PAIRED)
		warn_of_distance(compare, baseline, candidate, pairing);
	mm_analysis_make(&input, out);
}

static int analyse(struct comparison *compare, struct mm_error *err)
{
	size_t most = compare->baseline.file.series_count, count;
	const struct mm_samples **pairs = mm_calloc(2 * most + 1, sizeof(struct mm_samples *));
	struct mm_analysis *analyses = mm_calloc(most + 1, sizeof(*analyses));
	struct mm_pairing *pairings = mm_calloc(most + 1, sizeof(*pairings));
	json_t *changed = changed_axes(compare);
	int status = 0;

	count = match_suites(compare, pairs);
	if (count == 0)
		status = mm_error_set(err, MM_EUSAGE,
				      "'%s' and '%s' have no suite in common%s%s%s: nothing can be compared",
				      compare->baseline.file.path, compare->candidate.file.path,
				      compare->options->suite != NULL ? " that is called '" : "",
				      compare->options->suite != NULL ? compare->options->suite : "",
				      compare->options->suite != NULL ? "'" : "");
	for (size_t i = 0; i < count; i++)
		analyse_pair(compare, pairs[2 * i], pairs[2 * i + 1], changed, &pairings[i], &analyses[i]);
	mm_analysis_judge_geomeans(analyses, count);
	for (size_t i = 0; i < count; i++) {
		put_comparison(compare, &analyses[i], changed);
		json_array_append(compare->samples, pairs[2 * i]->json);
		json_array_append(compare->samples, pairs[2 * i + 1]->json);
		mm_analysis_release(&analyses[i]);
		mm_pairing_release(&pairings[i]);
	}
	json_decref(changed);
	free(pairs);
	free(analyses);
	free(pairings);
	return status;
}

static json_t *input_json(const struct side *side)
{
	static const char *const copied[] = { "run", "created", "host", "client_library", "note" };
	json_t *json = json_object();

	mm_json_put_string(json, "path", side->file.path);
	mm_json_put_string(json, "cell", side->cell);
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
		if (json_object_get(side->file.document, copied[i]) != NULL)
			json_object_set(json, copied[i], json_object_get(side->file.document, copied[i]));
	return json;
}

static void put_cell(json_t *cells, const struct side *side)
{
	const json_t *facts = cell_facts(side);

	if (facts != NULL)
		json_array_append(cells, mm_json_each(facts));
}

static void put_report(struct comparison *compare)
{
	json_t *inputs = json_array(), *cells = json_array(), *thresholds = json_object();
	struct mm_thresholds limits = thresholds_of(compare->options);
	char *title = mm_format("%s against %s", compare->candidate.cell, compare->baseline.cell);

	mm_json_put_integer(compare->json, "mymatrix_report", 1);
	mm_json_put_string(compare->json, "title", title);
	json_array_append_new(inputs, input_json(&compare->baseline));
	json_array_append_new(inputs, input_json(&compare->candidate));
	json_object_set_new(compare->json, "inputs", inputs);
	mm_json_put_real(thresholds, "effect_percent", limits.effect_percent);
	mm_json_put_real(thresholds, "equivalence_percent", limits.equivalence_percent);
	json_object_set_new(compare->json, "thresholds", thresholds);
	json_object_set(compare->json, "comparisons", compare->comparisons);
	mm_gate_apply(compare->json, compare->options->gate);
	json_object_set(compare->json, "warnings", compare->warnings);
	put_cell(cells, &compare->baseline);
	put_cell(cells, &compare->candidate);
	json_object_set_new(compare->json, "cells", cells);
	json_object_set(compare->json, "samples", compare->samples);
	free(title);
}

/* Which cells: for the candidate, the one that is named, else the baseline's if its file has it, else its only one. */
static int choose_cells(struct comparison *compare, struct mm_error *err)
{
	const struct mm_compare_options *options = compare->options;
	const char *wanted = options->candidate_cell;

	compare->baseline.cell = mm_result_file_cell(&compare->baseline.file, options->baseline_cell, err);
	if (compare->baseline.cell == NULL)
		return MM_EUSAGE;
	if (wanted == NULL && options->baseline_cell != NULL &&
	    mm_result_file_series(&compare->candidate.file, options->baseline_cell, NULL) != NULL)
		wanted = options->baseline_cell;
	compare->candidate.cell = mm_result_file_cell(&compare->candidate.file, wanted, err);
	if (compare->candidate.cell == NULL)
		return MM_EUSAGE;
	compare->same_run = compare->baseline.file.run != NULL && compare->candidate.file.run != NULL &&
			    strcmp(compare->baseline.file.run, compare->candidate.file.run) == 0;
	if (compare->same_run && !compare->baseline.file.small && !compare->candidate.file.small &&
	    strcmp(compare->baseline.cell, compare->candidate.cell) == 0)
		return mm_error_set(err, MM_EUSAGE,
				    "both sides are cell '%s' of the same run: name another with a second --cell",
				    compare->baseline.cell);
	return 0;
}

static void warn_of_caveat(struct comparison *compare)
{
	struct mm_warning_place place = { NULL, NULL, NULL };

	if (compare->same_run)
		return;
	mm_warning_add(compare->warnings, "not interleaved", &place, "%s",
		       compare->options->unpaired ? "the files are of different runs: the verdicts take each run as a "
						    "group of samples, and a shift "
						    "between the runs (in simulations, of 1%: false alarms in 45% of "
						    "comparisons) looks like a difference"
						  : "the files are of different runs, whose passes were not "
						    "interleaved: deltas and intervals, no verdict "
						    "(--unpaired gives one, with its caveat)");
}

int mm_compare_files(const char *baseline, const char *candidate, const struct mm_compare_options *options,
		     json_t **report, struct mm_error *err)
{
	struct comparison compare = { .options = options };
	int status = mm_result_file_load(baseline, &compare.baseline.file, err);

	*report = NULL;
	if (status == 0)
		status = mm_result_file_load(candidate, &compare.candidate.file, err);
	if (status == 0)
		status = choose_cells(&compare, err);
	if (status != 0)
		goto out;
	compare.json = json_object();
	compare.comparisons = json_array();
	compare.samples = json_array();
	compare.warnings = json_array();
	warn_of_caveat(&compare);
	if (!compare.same_run)
		warn_of_hosts(&compare);
	status = analyse(&compare, err);
	if (status == 0) {
		put_report(&compare);
		*report = json_incref(compare.json);
	}
out:
	json_decref(compare.json);
	json_decref(compare.comparisons);
	json_decref(compare.samples);
	json_decref(compare.warnings);
	mm_result_file_release(&compare.baseline.file);
	mm_result_file_release(&compare.candidate.file);
	return status;
}
