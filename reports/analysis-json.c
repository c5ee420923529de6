/* Rows as JSON: the keys that every consumer of report.json and of `compare --format json` reads. */
#include "reports/analysis.h"

#include <math.h>

#include "base/json.h"

static json_t *summary_json(const struct mm_summary *summary)
{
	json_t *json = json_object();

	mm_json_put_integer(json, "n", (int64_t)summary->n);
	mm_json_put_real(json, "mean", summary->mean);
	mm_json_put_real(json, "median", summary->median);
	mm_json_put_real(json, "sd", summary->sd);
	mm_json_put_real(json, "min", summary->min);
	mm_json_put_real(json, "max", summary->max);
	return json;
}

static void put_estimate(json_t *json, const struct mm_estimate *estimate)
{
	json_t *interval = json_null();

	mm_json_put_real(json, "estimate_percent", mm_percent_of_log(estimate->value));
	if (estimate->confidence > 0) {
		interval = json_array();
		json_array_append_new(interval, mm_json_real(mm_percent_of_log(estimate->low)));
		json_array_append_new(interval, mm_json_real(mm_percent_of_log(estimate->high)));
	}
	json_object_set_new(json, "interval_percent", interval);
}

/* Words that thousands of rows have in common, made once for an analysis. */
struct words {
	json_t *verdicts[MM_INCONCLUSIVE + 1], *reasons[MM_REASON_COUNT];
};

static void words_init(struct words *words)
{
	for (int i = 0; i <= MM_INCONCLUSIVE; i++)
		words->verdicts[i] = json_string(mm_verdict_name((enum mm_verdict)i));
	for (int i = 0; i < MM_REASON_COUNT; i++)
		words->reasons[i] = i == MM_REASON_NONE ? json_null() : json_string(mm_reason_text((enum mm_reason)i));
}

static void words_release(struct words *words)
{
	for (int i = 0; i <= MM_INCONCLUSIVE; i++)
		json_decref(words->verdicts[i]);
	for (int i = 0; i < MM_REASON_COUNT; i++)
		json_decref(words->reasons[i]);
}

static void put_verdict(json_t *json, const struct mm_row *row, const struct words *words)
{
	json_object_set(json, "verdict", words->verdicts[row->verdict]);
	json_object_set(json, "reason", words->reasons[row->verdict == MM_NO_VERDICT ? row->reason : MM_REASON_NONE]);
}

static json_t *control_json(const struct mm_control *control)
{
	json_t *json;

	if (!control->present)
		return json_null();
	json = json_object();
	put_estimate(json, &control->estimate);
	mm_json_put_real(json, "p", control->p);
	mm_json_put_real(json, "adjusted_p", control->adjusted_p);
	mm_json_put_integer(json, "n", (int64_t)control->estimate.n);
	mm_json_put_bool(json, "differs", control->differs);
	mm_json_put_real(json, "bias_percent", control->bias_percent);
	return json;
}

static void put_row(json_t *json, const struct mm_row *row, const struct words *words)
{
	mm_json_put_real(json, "delta_percent", row->delta_percent);
	put_estimate(json, &row->estimate);
	mm_json_put_real(json, "p", row->p);
	mm_json_put_real(json, "adjusted_p", row->adjusted_p);
	mm_json_put_integer(json, "n", (int64_t)row->estimate.n);
	put_verdict(json, row, words);
	json_object_set_new(json, "control", control_json(&row->control));
}

/* Operations can be many: no summaries and no control, means only; how often each is done stands with the samples. */
static json_t *operation_json(const struct mm_operation_row *operation, const struct words *words)
{
	json_t *json = json_object();

	mm_json_put_string(json, "operation", operation->baseline->name);
	mm_json_put_real(json, "baseline_mean", operation->row.baseline.mean);
	mm_json_put_real(json, "candidate_mean", operation->row.candidate.mean);
	mm_json_put_real(json, "delta_percent", operation->row.delta_percent);
	put_estimate(json, &operation->row.estimate);
	mm_json_put_real(json, "p", operation->row.p);
	mm_json_put_real(json, "adjusted_p", operation->row.adjusted_p);
	mm_json_put_integer(json, "n", (int64_t)operation->row.estimate.n);
	put_verdict(json, &operation->row, words);
	return json;
}

json_t *mm_operations_json(const struct mm_operation_row *rows, size_t count)
{
	json_t *list = json_array();
	struct words words;

	words_init(&words);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, operation_json(&rows[i], &words));
	words_release(&words);
	return list;
}

static json_t *metric_json(const struct mm_row *row, const char *unit, const struct words *words)
{
	json_t *json;

	if (row->baseline.n == 0 && row->candidate.n == 0)
		return json_null();
	json = json_object();
	mm_json_put_string(json, "unit", unit);
	json_object_set_new(json, "baseline", summary_json(&row->baseline));
	json_object_set_new(json, "candidate", summary_json(&row->candidate));
	put_row(json, row, words);
	return json;
}

/* How much of the wall time the client computed itself, over all passes that say both; null when none does. */
static json_t *client_share(const struct mm_samples_test *test)
{
	const json_t *clients, *walls, *client;
	double cpu = 0, wall = 0;
	size_t i;

	if (test == NULL)
		return json_null();
	clients = json_object_get(test->json, "client_cpu_seconds");
	walls = json_object_get(test->json, "wall_seconds");
	json_array_foreach(clients, i, client)
		if (json_is_number(client) && json_is_number(json_array_get(walls, i))) {
			cpu += json_number_value(client);
			wall += json_number_value(json_array_get(walls, i));
		}
	return wall > 0 ? mm_json_real(cpu / wall) : json_null();
}

static json_t *test_json(const struct mm_test_row *test, const struct words *words)
{
	const struct mm_samples_test *any = test->baseline != NULL ? test->baseline : test->candidate;
	json_t *json = json_object();

	mm_json_put_string(json, "test", any->name);
	mm_json_put_string(json, "unit", any->unit);
	mm_json_put_string(json, "better", any->higher_is_better ? "higher" : "lower");
	json_object_set_new(json, "baseline", summary_json(&test->metrics[MM_WALL].baseline));
	json_object_set_new(json, "candidate", summary_json(&test->metrics[MM_WALL].candidate));
	put_row(json, &test->metrics[MM_WALL], words);
	mm_json_put_string(json, "detail", test->detail);
	if (test->answers != NULL)
		json_object_set(json, "answers", test->answers);
	mm_json_put_bool(json, "waiting", test->waiting);
	json_object_set_new(json, "client_share",
			    json_pack("{s:o, s:o}", "baseline", client_share(test->baseline), "candidate",
				      client_share(test->candidate)));
	json_object_set_new(json, "server_cpu",
			    metric_json(&test->metrics[MM_SERVER_CPU], mm_samples_cpu_unit(any), words));
	json_object_set(json, "operations", test->operations);
	return json;
}

static json_t *geomean_json(const struct mm_analysis *analysis, int metric, const struct words *words)
{
	json_t *json;

	if (metric == MM_SERVER_CPU && analysis->geomean_tests[metric] == 0)
		return json_null();
	json = json_object();
	mm_json_put_integer(json, "tests", (int64_t)analysis->geomean_tests[metric]);
	mm_json_put_integer(json, "of", (int64_t)analysis->test_count);
	put_row(json, &analysis->geomean[metric], words);
	if (metric == MM_WALL)
		json_object_set_new(json, "server_cpu", geomean_json(analysis, MM_SERVER_CPU, words));
	return json;
}

static json_t *place_json(int place)
{
	return place >= 0 ? json_integer(place) : json_null();
}

/* [[baseline, candidate, control], …] as places in the passes of "samples": which samples were compared with which. */
static json_t *pairs_json(const struct mm_pairing *pairing)
{
	json_t *list = json_array();

	for (size_t i = 0; pairing != NULL && i < pairing->count; i++) {
		json_t *pair = json_array();

		json_array_append_new(pair, place_json(pairing->pairs[i].baseline));
		json_array_append_new(pair, place_json(pairing->pairs[i].candidate));
		json_array_append_new(pair, place_json(pairing->pairs[i].control));
		json_array_append_new(list, pair);
	}
	return list;
}

json_t *mm_analysis_json(const struct mm_analysis *analysis)
{
	static const char *const modes[] = {
		[MM_PAIRED] = "paired", [MM_NOT_INTERLEAVED] = "not interleaved", [MM_UNPAIRED] = "unpaired"
	};
	json_t *json = json_object(), *tests = json_array(), *thresholds = json_object();
	struct words words;

	words_init(&words);
	mm_json_put_string(json, "baseline", analysis->baseline->cell);
	mm_json_put_string(json, "candidate", analysis->candidate->cell);
	mm_json_put_string(json, "suite", analysis->baseline->suite);
	mm_json_put_string(json, "mode", modes[analysis->mode]);
	mm_json_put_integer(json, "pairs", (int64_t)analysis->pairs);
	mm_json_put_integer(json, "planned_pairs", (int64_t)analysis->planned_pairs);
	json_object_set_new(json, "pass_pairs", pairs_json(analysis->pairing));
	mm_json_put_real(thresholds, "effect_percent", analysis->thresholds.effect_percent);
	mm_json_put_real(thresholds, "equivalence_percent", analysis->thresholds.equivalence_percent);
	json_object_set_new(json, "thresholds", thresholds);
	json_object_set_new(json, "geomean", geomean_json(analysis, MM_WALL, &words));
	for (size_t i = 0; i < analysis->test_count; i++)
		json_array_append_new(tests, test_json(&analysis->tests[i], &words));
	json_object_set_new(json, "tests", tests);
	words_release(&words);
	return json;
}
