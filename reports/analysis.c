/* From samples to rows: pairs are picked, ratios taken, tests run. */
#include "reports/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "reports/answers.h"

/* The samples of one row on both sides, and what a row needs to know about them. */
struct row_input {
	const double *baseline, *candidate; /* parallel to the passes of each side; NULL: that side has none */
	bool higher_is_better;
	double resolution;     /* in the samples' unit, 0: does not apply */
	enum mm_reason reason; /* why there can be no verdict, known beforehand */
};

static double at(const double *values, int place)
{
	return values != NULL && place >= 0 ? values[place] : NAN;
}

static bool usable(double value)
{
	return isfinite(value) && value > 0;
}

static void pair_up(const struct mm_analysis_input *input, const struct row_input *samples, struct mm_row *row)
{
	size_t count = input->pairing->count, n = 0, controls = 0;
	double *baseline = mm_calloc(count + 1, sizeof(double)), *candidate = mm_calloc(count + 1, sizeof(double));
	double *ratios = mm_calloc(count + 1, sizeof(double)), *control = mm_calloc(count + 1, sizeof(double));
	struct mm_signed_rank test;

	for (size_t i = 0; i < count; i++) {
		double b = at(samples->baseline, input->pairing->pairs[i].baseline);
		double c = at(samples->candidate, input->pairing->pairs[i].candidate);
		double a = at(samples->baseline, input->pairing->pairs[i].control);

		if (usable(b) && usable(c)) {
			baseline[n] = b;
			candidate[n] = c;
			ratios[n++] = mm_log_ratio(b, c, samples->higher_is_better);
		}
		if (usable(b) && usable(a))
			control[controls++] = mm_log_ratio(b, a, samples->higher_is_better);
	}
	if (n > 0) {
		mm_summary_make(baseline, n, &row->baseline);
		mm_summary_make(candidate, n, &row->candidate);
		mm_signed_rank_test(ratios, n, &test);
		row->p = test.p;
	}
	mm_hodges_lehmann(ratios, n, MM_CONFIDENCE, &row->estimate);
	if (controls > 0) {
		row->control.present = true;
		mm_signed_rank_test(control, controls, &test);
		row->control.p = test.p;
		mm_hodges_lehmann(control, controls, MM_CONFIDENCE, &row->control.estimate);
	}
	free(baseline);
	free(candidate);
	free(ratios);
	free(control);
}

static double *logs_of(const double *values, size_t count, bool higher_is_better, size_t *n)
{
	double *logs = mm_calloc(count + 1, sizeof(*logs));

	*n = 0;
	for (size_t i = 0; values != NULL && i < count; i++)
		if (usable(values[i])) /* against 1 of the unit: positive when fast, so that the shift is a log-ratio */
			logs[(*n)++] = mm_log_ratio(1, values[i], higher_is_better);
	return logs;
}

static void compare_groups(const struct mm_analysis_input *input, const struct row_input *samples, struct mm_row *row)
{
	struct mm_rank_sum test;
	size_t n1, n2;
	double *b = logs_of(samples->baseline, input->baseline->pass_count, samples->higher_is_better, &n1);
	double *c = logs_of(samples->candidate, input->candidate->pass_count, samples->higher_is_better, &n2);

	mm_rank_sum_test(c, n1 > 0 ? n2 : 0, b, n1, &test);
	mm_shift(c, n2, b, n1, MM_CONFIDENCE, &row->estimate);
	row->p = n1 > 0 && n2 > 0 ? test.p : NAN;
	row->unpaired = true;
	free(b);
	free(c);
}

static void make_row(const struct mm_analysis_input *input, const struct row_input *samples, struct mm_row *row)
{
	*row = (struct mm_row)MM_ROW_INIT;
	row->control.adjusted_p = NAN;
	row->reason = samples->reason;
	if (input->mode == MM_PAIRED)
		pair_up(input, samples, row);
	else
		compare_groups(input, samples, row);
	if (row->reason == MM_REASON_AGGREGATED) { /* one mean each: a delta is all that can be said */
		row->estimate = (struct mm_estimate){ 0, NAN, NAN, NAN, 0 };
		row->p = NAN;
	}
	if (row->baseline.n == 0)
		mm_summary_make(samples->baseline, samples->baseline != NULL ? input->baseline->pass_count : 0,
				&row->baseline);
	if (row->candidate.n == 0)
		mm_summary_make(samples->candidate, samples->candidate != NULL ? input->candidate->pass_count : 0,
				&row->candidate);
	row->delta_percent = mm_delta_percent(row->baseline.mean, row->candidate.mean, samples->higher_is_better);
	if (row->reason == MM_REASON_NONE && (row->baseline.n == 0 || row->candidate.n == 0))
		row->reason = MM_REASON_MISSING;
	if (row->reason == MM_REASON_NONE && samples->resolution > 0 &&
	    fmin(row->baseline.mean, row->candidate.mean) < MM_TICKS_AT_LEAST * samples->resolution)
		row->reason = MM_REASON_RESOLUTION;
}

static bool waits(const struct mm_samples_test *test, size_t passes)
{
	double wall = 0, cpu = 0;

	for (size_t i = 0; test != NULL && i < passes; i++)
		if (usable(test->wall[i]) && isfinite(test->server_cpu[i])) {
			double work = strcmp(mm_samples_cpu_unit(test), "s") == 0 ? 1 : test->value[i] * test->wall[i];

			wall += test->wall[i];
			cpu += test->server_cpu[i] * work;
		}
	return wall > 0 && cpu < wall / 2;
}

static enum mm_reason reason_beforehand(const struct mm_analysis_input *input, const struct mm_test_row *row)
{
	if (row->baseline == NULL || row->candidate == NULL)
		return MM_REASON_MISSING;
	if (input->identical)
		return MM_REASON_IDENTICAL;
	if (row->baseline->aggregated || row->candidate->aggregated)
		return MM_REASON_AGGREGATED;
	if (row->baseline->higher_is_better != row->candidate->higher_is_better ||
	    strcmp(row->baseline->unit, row->candidate->unit) != 0)
		return MM_REASON_MISSING;
	return input->mode == MM_NOT_INTERLEAVED ? MM_REASON_NOT_INTERLEAVED : MM_REASON_NONE;
}

/* The operation of TEST that is called as B is; both sides list them in the same order, nearly always. */
static const struct mm_samples_operation *same_operation(const struct mm_samples_test *test, size_t place,
							 const char *name)
{
	for (size_t tried = 0; tried < test->operation_count; tried++) {
		const struct mm_samples_operation *other = &test->operations[(place + tried) % test->operation_count];

		if (strcmp(other->name, name) == 0)
			return other;
	}
	return NULL;
}

/* The rows of all operations of all tests: one family. */
struct operations {
	struct mm_operation_row *rows;
	size_t *first; /* for each test, the place of its first row; one more at the end */
	size_t count;
};

static void make_operations(const struct mm_analysis_input *input, const struct mm_test_row *test,
			    struct operations *out)
{
	const struct mm_samples_test *b = test->baseline, *c = test->candidate;
	double resolution;

	if (b == NULL || c == NULL)
		return;
	resolution = fmax(b->operation_resolution, c->operation_resolution);
	for (size_t i = 0; i < b->operation_count; i++) {
		struct mm_operation_row *row = &out->rows[out->count];

		row->baseline = &b->operations[i];
		row->candidate = same_operation(c, i, b->operations[i].name);
		if (row->candidate == NULL)
			continue;
		make_row(input,
			 &(struct row_input){ row->baseline->wall, row->candidate->wall, false, resolution,
					      test->known },
			 &row->row);
		out->count++;
	}
}

static void judge_operations(const struct mm_analysis_input *input, struct mm_analysis *out)
{
	struct operations all = { NULL, mm_calloc(out->test_count + 1, sizeof(size_t)), 0 };
	struct mm_row **rows;
	size_t most = 0;

	for (size_t i = 0; i < out->test_count; i++)
		most += out->tests[i].baseline != NULL ? out->tests[i].baseline->operation_count : 0;
	all.rows = mm_calloc(most + 1, sizeof(*all.rows));
	rows = mm_calloc(most + 1, sizeof(struct mm_row *));
	for (size_t i = 0; i < out->test_count; i++) {
		make_operations(input, &out->tests[i], &all);
		all.first[i + 1] = all.count;
	}
	for (size_t i = 0; i < all.count; i++)
		rows[i] = &all.rows[i].row;
	mm_verdict_operations(rows, all.count, &out->thresholds);
	for (size_t i = 0; i < out->test_count; i++)
		out->tests[i].operations = mm_operations_json(all.rows + all.first[i], all.first[i + 1] - all.first[i]);
	free(rows);
	free(all.rows);
	free(all.first);
}

/*
 * Tables of another engine can leave out operations (transactions of an engine without them): then the answers and the
 * times are of other work. The first operation that a side lacks, or does another number of times; NULL: none. Asked
 * where answers were computed only: elsewhere an operation can lack a figure.
 */
static const char *other_operation(const struct mm_samples_test *b, const struct mm_samples_test *c)
{
	const struct mm_samples_test *more = b->operation_count >= c->operation_count ? b : c,
				     *less = more == b ? c : b;

	for (size_t i = 0; i < more->operation_count; i++) {
		const struct mm_samples_operation *other = same_operation(less, i, more->operations[i].name);

		if (other == NULL || other->count != more->operations[i].count)
			return more->operations[i].name;
	}
	return NULL;
}

static bool has_answers(const struct mm_samples_test *test, size_t passes)
{
	for (size_t i = 0; i < passes; i++)
		if (test->checksum[i] != NULL)
			return true;
	return false;
}

/* What the answers say: a reason for no verdict, with its detail. */
static enum mm_reason look_at_answers(const struct mm_analysis_input *input, struct mm_test_row *test,
				      enum mm_reason reason)
{
	const struct mm_samples_test *b = test->baseline, *c = test->candidate;
	const char *operation;

	if (input->other_work || !has_answers(b, input->baseline->pass_count) ||
	    !has_answers(c, input->candidate->pass_count))
		return reason;
	operation = other_operation(b, c);
	if (operation != NULL) {
		test->detail = mm_format("the sides did not do the same work: operation '%s' differs", operation);
		return MM_REASON_MISSING;
	}
	test->answers = mm_answers_difference(input->baseline, b, input->candidate, c);
	if (test->answers == NULL)
		return reason;
	test->detail = mm_answers_text(test->answers, input->baseline, b, input->candidate, c);
	return MM_REASON_WRONG_ANSWERS;
}

static void make_test(const struct mm_analysis_input *input, struct mm_test_row *test)
{
	const struct mm_samples_test *b = test->baseline, *c = test->candidate;
	const struct mm_samples_test *any = b != NULL ? b : c;
	enum mm_reason reason = reason_beforehand(input, test);
	bool same_unit = b == NULL || c == NULL || strcmp(b->unit, c->unit) == 0;
	double resolution = fmax(b != NULL ? b->resolution : 0, c != NULL ? c->resolution : 0);

	if (any == NULL) /* never: one side has the test */
		return;
	if (b != NULL && c != NULL)
		reason = look_at_answers(input, test, reason);
	if (test->detail == NULL && (any->skipped != NULL || (b != NULL && c != NULL && c->skipped != NULL)))
		test->detail = mm_format("skipped: %s", any->skipped != NULL ? any->skipped : c->skipped);
	else if (test->detail == NULL && !same_unit)
		test->detail = mm_format("the units differ: '%s' and '%s'", b->unit, c->unit);
	make_row(input,
		 &(struct row_input){ b != NULL ? b->value : NULL, c != NULL && same_unit ? c->value : NULL,
				      any->higher_is_better, resolution, reason },
		 &test->metrics[MM_WALL]);
	make_row(input,
		 &(struct row_input){ b != NULL ? b->server_cpu : NULL, c != NULL ? c->server_cpu : NULL, false,
				      strcmp(mm_samples_cpu_unit(any), "s") == 0 ? MM_CLOCK_RESOLUTION : 0, reason },
		 &test->metrics[MM_SERVER_CPU]);
	test->waiting = waits(b, input->baseline->pass_count) || waits(c, input->candidate->pass_count);
	test->known = reason;
}

/* A test counts in the geometric mean when both sides have it and its answers are right. */
static bool counts_in_geomean(const struct mm_row *row)
{
	return isfinite(row->delta_percent) && row->reason != MM_REASON_WRONG_ANSWERS &&
	       row->reason != MM_REASON_MISSING;
}

/* The mean log-ratio over MEMBERS of what two passes measured; NaN unless each has it. As a ratio to 1. */
static double pass_geomean(const struct mm_test_row *const *members, size_t count, int metric, int candidate,
			   int baseline, bool control)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct mm_samples_test *b = members[i]->baseline, *c = control ? b : members[i]->candidate;
		bool cpu = metric == MM_SERVER_CPU;

		sum += mm_log_ratio(at(cpu ? b->server_cpu : b->value, baseline),
				    at(cpu ? c->server_cpu : c->value, candidate), !cpu && b->higher_is_better);
	}
	return exp(-sum / (double)count);
}

/* One value for each pass of a side: the geometric mean of its tests, as times. NaN unless it has them all. */
static double *group_geomeans(const struct mm_test_row *const *members, size_t count, int metric, bool candidate,
			      size_t passes)
{
	double *values = mm_calloc(passes + 1, sizeof(*values));

	for (size_t i = 0; i < passes; i++) {
		double logs = count > 0 ? 0 : NAN;

		for (size_t j = 0; j < count; j++) {
			const struct mm_samples_test *test = candidate ? members[j]->candidate : members[j]->baseline;

			if (metric == MM_SERVER_CPU)
				logs += mm_log_ratio(test->server_cpu[i], 1, false);
			else
				logs += mm_log_ratio(test->value[i], 1, members[j]->baseline->higher_is_better);
		}
		values[i] = exp(logs / (double)count);
	}
	return values;
}

/*
 * The geometric mean of pairs as a row: the baseline of each index is 1, the candidate e^-(mean log-ratio); the
 * controls follow behind the baselines.
 */
static void pair_geomeans(const struct mm_analysis_input *input, const struct mm_test_row *const *members, size_t count,
			  int metric, enum mm_reason reason, struct mm_row *row)
{
	size_t n = count > 0 ? input->pairing->count : 0;
	double *baseline = mm_calloc(2 * n + 1, sizeof(double)), *candidate = mm_calloc(n + 1, sizeof(double));
	struct mm_samples sides[2] = { { .pass_count = 2 * n }, { .pass_count = n } };
	struct mm_pairing pairing = { mm_calloc(n + 1, sizeof(*pairing.pairs)), n };
	struct mm_analysis_input flat = {
		.baseline = &sides[0], .candidate = &sides[1], .pairing = &pairing, .mode = MM_PAIRED
	};

	for (size_t i = 0; i < n; i++) {
		int b = input->pairing->pairs[i].baseline;

		baseline[i] = 1;
		baseline[n + i] = pass_geomean(members, count, metric, input->pairing->pairs[i].control, b, true);
		candidate[i] = pass_geomean(members, count, metric, input->pairing->pairs[i].candidate, b, false);
		pairing.pairs[i].baseline = pairing.pairs[i].candidate = (int)i;
		pairing.pairs[i].control = (int)(n + i);
	}
	make_row(&flat, &(struct row_input){ baseline, candidate, false, 0, reason }, row);
	free(baseline);
	free(candidate);
	free(pairing.pairs);
}

static enum mm_reason geomean_reason(const struct mm_analysis_input *input, bool aggregated)
{
	if (input->identical)
		return MM_REASON_IDENTICAL;
	if (aggregated)
		return MM_REASON_AGGREGATED;
	return input->mode == MM_NOT_INTERLEAVED ? MM_REASON_NOT_INTERLEAVED : MM_REASON_NONE;
}

/* The geometric mean over the tests that both sides have, as a row of its own. */
static void make_geomean(const struct mm_analysis_input *input, int metric, struct mm_analysis *out)
{
	const struct mm_test_row **members = mm_calloc(out->test_count + 1, sizeof(struct mm_test_row *));
	struct mm_row *row = &out->geomean[metric];
	enum mm_reason reason;
	bool aggregated = false;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < out->test_count; i++) {
		const struct mm_row *test = &out->tests[i].metrics[metric];

		if (!counts_in_geomean(test))
			continue;
		members[n++] = &out->tests[i];
		sum += log1p(test->delta_percent / 100);
		aggregated = aggregated || test->reason == MM_REASON_AGGREGATED;
	}
	reason = geomean_reason(input, aggregated);
	if (input->mode == MM_PAIRED) {
		pair_geomeans(input, members, n, metric, reason, row);
	} else {
		double *b = group_geomeans(members, n, metric, false, input->baseline->pass_count);
		double *c = group_geomeans(members, n, metric, true, input->candidate->pass_count);

		make_row(input, &(struct row_input){ b, c, false, 0, reason }, row);
		free(b);
		free(c);
	}
	row->delta_percent = n > 0 ? expm1(sum / (double)n) * 100 : NAN;
	out->geomean_tests[metric] = n;
	free(members);
}

static void judge_tests(struct mm_analysis *out)
{
	struct mm_row **rows = mm_calloc(out->test_count + 1, sizeof(struct mm_row *));

	for (int metric = 0; metric < MM_METRICS; metric++) {
		for (size_t i = 0; i < out->test_count; i++)
			rows[i] = &out->tests[i].metrics[metric];
		mm_verdict_family(rows, out->test_count, &out->thresholds);
	}
	free(rows);
}

static size_t good_pairs(const struct mm_analysis_input *input)
{
	size_t n = 0;

	if (input->mode != MM_PAIRED)
		return 0;
	for (size_t i = 0; i < input->pairing->count; i++) {
		int b = input->pairing->pairs[i].baseline, c = input->pairing->pairs[i].candidate;

		n += b >= 0 && c >= 0 && !input->baseline->passes[b].failed && !input->candidate->passes[c].failed;
	}
	return n;
}

void mm_analysis_make(const struct mm_analysis_input *input, struct mm_analysis *out)
{
	const struct mm_samples *b = input->baseline, *c = input->candidate;

	*out = (struct mm_analysis){
		.baseline = b, .candidate = c, .mode = input->mode, .thresholds = input->thresholds
	};
	out->pairing = input->mode == MM_PAIRED ? input->pairing : NULL;
	out->planned_pairs = input->mode == MM_PAIRED ? input->pairing->count : 0;
	out->pairs = good_pairs(input);
	out->tests = mm_calloc(b->test_count + c->test_count + 1, sizeof(*out->tests));
	for (size_t i = 0; i < b->test_count; i++) {
		out->tests[out->test_count].baseline = &b->tests[i];
		out->tests[out->test_count++].candidate = mm_samples_find(c, b->tests[i].name);
	}
	for (size_t i = 0; i < c->test_count; i++)
		if (mm_samples_find(b, c->tests[i].name) == NULL)
			out->tests[out->test_count++].candidate = &c->tests[i];
	for (size_t i = 0; i < out->test_count; i++)
		make_test(input, &out->tests[i]);
	judge_tests(out);
	judge_operations(input, out);
	for (int metric = 0; metric < MM_METRICS; metric++)
		make_geomean(input, metric, out);
}

void mm_analysis_judge_geomeans(struct mm_analysis *all, size_t count)
{
	struct mm_row **rows = mm_calloc(count + 1, sizeof(struct mm_row *));
	bool *done = mm_calloc(count + 1, sizeof(*done));

	for (size_t first = 0; first < count; first++) {
		if (done[first])
			continue;
		for (int metric = 0; metric < MM_METRICS; metric++) {
			size_t members = 0;

			for (size_t i = first; i < count; i++)
				if (strcmp(all[i].baseline->suite, all[first].baseline->suite) == 0) {
					rows[members++] = &all[i].geomean[metric];
					done[i] = true;
				}
			mm_verdict_family(rows, members, &all[first].thresholds);
		}
	}
	free(rows);
	free(done);
}

void mm_analysis_release(struct mm_analysis *analysis)
{
	for (size_t i = 0; i < analysis->test_count; i++) {
		free(analysis->tests[i].detail);
		json_decref(analysis->tests[i].answers);
		json_decref(analysis->tests[i].operations);
	}
	free(analysis->tests);
	*analysis = (struct mm_analysis){ 0 };
}
