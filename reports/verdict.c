/* The rules that turn evidence into one word. */
#include "reports/verdict.h"

#include <math.h>

#include "base/memory.h"

/* Percentages that agree to nine digits are equal: a threshold that is met exactly is met. */
#define ROUNDING 1e-9

const char *mm_verdict_name(enum mm_verdict verdict)
{
	switch (verdict) {
	case MM_FASTER:
		return "faster";
	case MM_SLOWER:
		return "slower";
	case MM_EQUIVALENT:
		return "equivalent";
	case MM_INCONCLUSIVE:
		return "inconclusive";
	case MM_NO_VERDICT:
		break;
	}
	return "no verdict";
}

const char *mm_reason_text(enum mm_reason reason)
{
	static const char *const texts[MM_REASON_COUNT] = {
		[MM_REASON_NONE] = "",
		[MM_REASON_WRONG_ANSWERS] = "wrong answers",
		[MM_REASON_MISSING] = "missing on one side",
		[MM_REASON_IDENTICAL] = "identical binaries",
		[MM_REASON_AGGREGATED] = "aggregated figures",
		[MM_REASON_NOT_INTERLEAVED] = "not interleaved",
		[MM_REASON_RESOLUTION] = "below timer resolution",
		[MM_REASON_CONTROL] = "control differs",
		[MM_REASON_TOO_FEW] = "too few pairs",
		[MM_REASON_TOO_FEW_SAMPLES] = "too few samples",
	};

	return reason < MM_REASON_COUNT ? texts[reason] : "";
}

static bool different(const struct mm_estimate *estimate, double adjusted_p, double effect_percent)
{
	return isfinite(adjusted_p) && adjusted_p <= MM_SIGNIFICANCE &&
	       fabs(mm_percent_of_log(estimate->value)) >= effect_percent - ROUNDING;
}

static void judge_control(struct mm_control *control, const struct mm_thresholds *thresholds)
{
	control->differs = different(&control->estimate, control->adjusted_p, thresholds->effect_percent);
	control->bias_percent = 0;
	if (control->estimate.confidence > 0)
		control->bias_percent = fmax(
			0, fmax(mm_percent_of_log(control->estimate.low), -mm_percent_of_log(control->estimate.high)));
}

static enum mm_reason too_few(const struct mm_row *row)
{
	return row->unpaired ? MM_REASON_TOO_FEW_SAMPLES : MM_REASON_TOO_FEW;
}

void mm_verdict_decide(struct mm_row *row, const struct mm_thresholds *thresholds)
{
	double bias = row->control.present ? row->control.bias_percent : 0;
	double equivalence = thresholds->equivalence_percent + bias + ROUNDING;

	row->verdict = MM_NO_VERDICT;
	if (row->reason == MM_REASON_NONE && row->control.present && row->control.differs)
		row->reason = MM_REASON_CONTROL;
	if (row->reason == MM_REASON_NONE && row->estimate.confidence <= 0)
		row->reason = too_few(row);
	if (row->reason != MM_REASON_NONE)
		return;
	if (different(&row->estimate, row->adjusted_p, thresholds->effect_percent + bias))
		row->verdict = row->estimate.value > 0 ? MM_FASTER : MM_SLOWER;
	else if (mm_percent_of_log(row->estimate.low) >= -equivalence &&
		 mm_percent_of_log(row->estimate.high) <= equivalence)
		row->verdict = MM_EQUIVALENT;
	else
		row->verdict = MM_INCONCLUSIVE;
}

static void adjust(struct mm_row *const *rows, size_t count, bool control)
{
	double *p = mm_calloc(count + 1, sizeof(*p)), *adjusted = mm_calloc(count + 1, sizeof(*adjusted));

	for (size_t i = 0; i < count; i++) {
		bool member = rows[i]->reason == MM_REASON_NONE && (!control || rows[i]->control.present);

		p[i] = !member ? NAN : control ? rows[i]->control.p : rows[i]->p;
	}
	mm_benjamini_hochberg(p, count, adjusted);
	for (size_t i = 0; i < count; i++)
		*(control ? &rows[i]->control.adjusted_p : &rows[i]->adjusted_p) = adjusted[i];
	free(p);
	free(adjusted);
}

void mm_verdict_family(struct mm_row *const *rows, size_t count, const struct mm_thresholds *thresholds)
{
	adjust(rows, count, true);
	adjust(rows, count, false);
	for (size_t i = 0; i < count; i++) {
		if (rows[i]->control.present)
			judge_control(&rows[i]->control, thresholds);
		mm_verdict_decide(rows[i], thresholds);
	}
}

void mm_verdict_operations(struct mm_row *const *rows, size_t count, const struct mm_thresholds *thresholds)
{
	size_t members = 0;

	for (size_t i = 0; i < count; i++)
		members += rows[i]->reason == MM_REASON_NONE && isfinite(rows[i]->p);
	adjust(rows, count, false);
	for (size_t i = 0; i < count; i++) {
		double least = ldexp(2, -(int)fmin(1000, (double)rows[i]->estimate.n));

		if (rows[i]->reason == MM_REASON_NONE && least > MM_SIGNIFICANCE / (double)members)
			rows[i]->reason = too_few(rows[i]);
		mm_verdict_decide(rows[i], thresholds);
	}
}
