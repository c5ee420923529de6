/* Verdicts in words. Both metrics count: where they disagree, or tests do, the result is mixed and is called so. */
#include "reports/recommend.h"

#include <math.h>
#include <string.h>

#include "base/buffer.h"

struct counts {
	size_t faster, slower, equivalent, inconclusive, none;
	size_t wrong;
};

static void count_tests(const struct mm_analysis *analysis, int metric, struct counts *counts)
{
	*counts = (struct counts){ 0 };
	for (size_t i = 0; i < analysis->test_count; i++) {
		const struct mm_row *row = &analysis->tests[i].metrics[metric];

		counts->faster += row->verdict == MM_FASTER;
		counts->slower += row->verdict == MM_SLOWER;
		counts->equivalent += row->verdict == MM_EQUIVALENT;
		counts->inconclusive += row->verdict == MM_INCONCLUSIVE;
		counts->none += row->verdict == MM_NO_VERDICT;
		counts->wrong += row->reason == MM_REASON_WRONG_ANSWERS;
	}
}

static void name_tests(const struct mm_analysis *analysis, int metric, enum mm_verdict verdict, const char *lead,
		       struct mm_buffer *out)
{
	const char *separator = lead;

	for (size_t i = 0; i < analysis->test_count; i++) {
		const struct mm_test_row *test = &analysis->tests[i];
		const struct mm_row *row = &test->metrics[metric];

		if (row->verdict != verdict)
			continue;
		mm_buffer_printf(out, "%s%s (%+.2f%%)", separator, test->baseline->name,
				 mm_percent_of_log(row->estimate.value));
		separator = ", ";
	}
}

static void name_wrong(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	const char *separator = "";

	for (size_t i = 0; i < analysis->test_count; i++)
		if (analysis->tests[i].metrics[MM_WALL].reason == MM_REASON_WRONG_ANSWERS) {
			mm_buffer_printf(out, "%s%s", separator, analysis->tests[i].baseline->name);
			separator = ", ";
		}
}

static void say_estimate(const struct mm_row *row, struct mm_buffer *out)
{
	mm_buffer_printf(out, "%+.2f%%", mm_percent_of_log(row->estimate.value));
	if (row->estimate.confidence > 0)
		mm_buffer_printf(out, " (95%% interval %+.2f%% to %+.2f%%)", mm_percent_of_log(row->estimate.low),
				 mm_percent_of_log(row->estimate.high));
}

/* What is measured in words, the geometric mean on both metrics. */
static void say_evidence(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	mm_buffer_printf(out, "the geometric mean of %zu of %zu test%s is ", analysis->geomean_tests[MM_WALL],
			 analysis->test_count, mm_plural(analysis->test_count));
	say_estimate(&analysis->geomean[MM_WALL], out);
	if (analysis->geomean_tests[MM_SERVER_CPU] > 0) {
		mm_buffer_puts(out, ", on server CPU ");
		say_estimate(&analysis->geomean[MM_SERVER_CPU], out);
	}
}

static void say_limits(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	const struct mm_row *row = &analysis->geomean[MM_WALL];

	if (analysis->mode == MM_PAIRED)
		mm_buffer_printf(out, "; %zu pair%s of passes", row->estimate.n, row->estimate.n == 1 ? "" : "s");
	else
		mm_buffer_puts(out, "; passes of different runs, which were not interleaved, so that what else changed "
				    "between the runs is part of the figures");
	mm_buffer_printf(out, "; said of these binaries %s in suite '%s' only.",
			 analysis->mode == MM_PAIRED ? "on this host" : "in these runs", analysis->baseline->suite);
}

static void say_stand_outs(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	name_tests(analysis, MM_WALL, MM_FASTER, "; faster: ", out);
	name_tests(analysis, MM_WALL, MM_SLOWER, "; slower: ", out);
	name_tests(analysis, MM_SERVER_CPU, MM_FASTER, "; less server CPU: ", out);
	name_tests(analysis, MM_SERVER_CPU, MM_SLOWER, "; more server CPU: ", out);
}

static bool has_samples(const struct mm_analysis *analysis, bool candidate)
{
	for (size_t i = 0; i < analysis->test_count; i++) {
		const struct mm_row *row = &analysis->tests[i].metrics[MM_WALL];

		if ((candidate ? row->candidate.n : row->baseline.n) > 0)
			return true;
	}
	return false;
}

static void say_no_verdict(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	const struct mm_row *row = &analysis->geomean[MM_WALL];

	mm_buffer_printf(out, "No recommendation between '%s' and '%s': ", analysis->baseline->cell,
			 analysis->candidate->cell);
	if (row->reason == MM_REASON_IDENTICAL)
		mm_buffer_puts(out, "their server programs are identical, so that any difference is noise");
	else if (row->reason == MM_REASON_MISSING && !has_samples(analysis, true))
		mm_buffer_printf(out, "there is no sample of '%s'", analysis->candidate->cell);
	else if (row->reason == MM_REASON_MISSING && !has_samples(analysis, false))
		mm_buffer_printf(out, "there is no sample of '%s'", analysis->baseline->cell);
	else
		mm_buffer_printf(out, "%s", mm_reason_text(row->reason));
	if (isfinite(row->delta_percent))
		mm_buffer_printf(out, "; the means differ by %+.2f%% in the geometric mean of %zu of %zu test%s",
				 row->delta_percent, analysis->geomean_tests[MM_WALL], analysis->test_count,
				 mm_plural(analysis->test_count));
	say_stand_outs(analysis, out);
	say_limits(analysis, out);
}

enum tone { TONE_FASTER, TONE_SLOWER, TONE_MIXED, TONE_EQUIVALENT, TONE_OPEN };

/* Mixed as soon as anything points against anything else. */
static enum tone tone_of(const struct mm_analysis *analysis)
{
	bool up = false, down = false, all_equivalent = true, geomean_decides;
	enum mm_verdict wall = analysis->geomean[MM_WALL].verdict;

	for (int metric = 0; metric < MM_METRICS; metric++) {
		struct counts counts;
		enum mm_verdict geomean = analysis->geomean[metric].verdict;

		count_tests(analysis, metric, &counts);
		up = up || counts.faster > 0 || geomean == MM_FASTER;
		down = down || counts.slower > 0 || geomean == MM_SLOWER;
		if (metric == MM_WALL || analysis->geomean_tests[metric] > 0)
			all_equivalent = all_equivalent && geomean == MM_EQUIVALENT;
	}
	geomean_decides = wall == MM_FASTER || wall == MM_SLOWER;
	if (up && down)
		return TONE_MIXED;
	if (geomean_decides)
		return wall == MM_FASTER ? TONE_FASTER : TONE_SLOWER;
	if (up || down) /* single tests or the CPU move, the geometric mean of wall time does not follow */
		return TONE_MIXED;
	return all_equivalent ? TONE_EQUIVALENT : TONE_OPEN;
}

static void say_verdict(const struct mm_analysis *analysis, struct mm_buffer *out)
{
	const char *b = analysis->baseline->cell, *c = analysis->candidate->cell;
	struct counts counts;

	count_tests(analysis, MM_WALL, &counts);
	switch (tone_of(analysis)) {
	case TONE_FASTER:
		mm_buffer_printf(out, "Prefer '%s' to '%s': it is faster, ", c, b);
		break;
	case TONE_SLOWER:
		mm_buffer_printf(out, "Keep '%s' rather than '%s', which is slower: ", b, c);
		break;
	case TONE_MIXED:
		mm_buffer_printf(
			out, "The result is mixed between '%s' and '%s' and speed alone does not settle it: ", b, c);
		break;
	case TONE_EQUIVALENT:
		mm_buffer_printf(out,
				 "Speed does not decide between '%s' and '%s', which are equivalent within %g%%: ", b,
				 c, analysis->thresholds.equivalence_percent);
		break;
	case TONE_OPEN:
		mm_buffer_printf(out, "No recommendation between '%s' and '%s', the passes do not decide: ", b, c);
		break;
	}
	say_evidence(analysis, out);
	say_stand_outs(analysis, out);
	if (counts.inconclusive + counts.none > 0)
		mm_buffer_printf(out, "; undecided: %zu of %zu test%s", counts.inconclusive + counts.none,
				 analysis->test_count, mm_plural(analysis->test_count));
	say_limits(analysis, out);
}

char *mm_recommend(const struct mm_analysis *analysis)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	struct counts counts;

	count_tests(analysis, MM_WALL, &counts);
	if (counts.wrong > 0) {
		mm_buffer_printf(&out,
				 "Do not choose between '%s' and '%s' by speed before this is explained: their answers "
				 "differ in ",
				 analysis->baseline->cell, analysis->candidate->cell);
		name_wrong(analysis, &out);
		say_limits(analysis, &out);
	} else if (analysis->geomean[MM_WALL].verdict == MM_NO_VERDICT) {
		say_no_verdict(analysis, &out);
	} else {
		say_verdict(analysis, &out);
	}
	return mm_buffer_detach(&out);
}
