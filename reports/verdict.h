/*
 * Verdicts: what may be said about one row, i.e. one test (or operation, or
 * geometric mean) on one metric. The adjusted p says whether there is a
 * difference, the estimate whether it is large enough to be called, the
 * interval whether it is too small to matter.
 */
#ifndef MM_REPORTS_VERDICT_H
#define MM_REPORTS_VERDICT_H

#include "reports/statistics.h"

#define MM_SIGNIFICANCE ((double)0.05) /* not the long double that i387 would compare with: a p may be just that */
#define MM_CONFIDENCE   0.95

/* A mean below 100 ticks of the clock it was read from gets no verdict. */
#define MM_TICKS_AT_LEAST 100
/* The clocks here tick in ns, but reading one, and the system call before it, cost up to a microsecond. */
#define MM_CLOCK_RESOLUTION 1e-6

enum mm_verdict { MM_NO_VERDICT, MM_FASTER, MM_SLOWER, MM_EQUIVALENT, MM_INCONCLUSIVE };

/* Why there is no verdict, the most telling first: the first that applies is given. */
enum mm_reason {
	MM_REASON_NONE,
	MM_REASON_WRONG_ANSWERS,
	MM_REASON_MISSING,    /* one side has no sample */
	MM_REASON_IDENTICAL,  /* identical binaries */
	MM_REASON_AGGREGATED, /* means of passes that are not known */
	MM_REASON_NOT_INTERLEAVED,
	MM_REASON_RESOLUTION,
	MM_REASON_CONTROL, /* the A/A pair is itself called different */
	MM_REASON_TOO_FEW, /* no interval of 95% exists, or no adjusted p could reach 0.05 (operations) */
	MM_REASON_TOO_FEW_SAMPLES, /* the same of groups, which have no pairs */
	MM_REASON_COUNT
};

const char *mm_verdict_name(enum mm_verdict verdict); /* "faster" … "no verdict" */
const char *mm_reason_text(enum mm_reason reason);    /* "too few pairs" …; "" for none */

struct mm_thresholds {
	double effect_percent, equivalence_percent;
};

/* The A/A pair of a row: the baseline against itself, in percent. */
struct mm_control {
	bool present;
	struct mm_estimate estimate; /* of the log-ratio */
	double p, adjusted_p;
	bool differs;        /* the A/A pair is called different */
	double bias_percent; /* what the pair establishes: max(0, low, -high) of its interval */
};

struct mm_row {
	struct mm_summary baseline, candidate; /* of the samples that form pairs, or of all where there are no pairs */
	double delta_percent;                  /* of the means, published convention */
	struct mm_estimate estimate;           /* of the log-ratio; positive: the candidate is faster */
	double p, adjusted_p;                  /* NaN: not tested */
	struct mm_control control;
	enum mm_verdict verdict;
	enum mm_reason reason;
	bool unpaired; /* groups, not pairs: rank-sum instead of signed-rank */
};
#define MM_ROW_INIT                                                                                                    \
	{                                                                                                              \
		.delta_percent = NAN, .p = NAN, .adjusted_p = NAN                                                      \
	}

/*
 * Judges ROW by its estimate, adjusted p and control. A reason that is already set stays: no verdict. The control's
 * bias is added to both thresholds: a difference no larger than what the same build shows against itself is not
 * laid at the candidate's door.
 */
void mm_verdict_decide(struct mm_row *row, const struct mm_thresholds *thresholds);

/*
 * Adjusts and judges a family: the rows without a reason form it. Controls are a family of their own, judged first.
 */
void mm_verdict_family(struct mm_row *const *rows, size_t count, const struct mm_thresholds *thresholds);

/* As mm_verdict_family for operations: where 2/2^n > 0.05/m no verdict is possible, and that is the reason given. */
void mm_verdict_operations(struct mm_row *const *rows, size_t count, const struct mm_thresholds *thresholds);

#endif
