/*
 * The statistics that deltas rest on. Pure functions over arrays of double:
 * no allocation survives a call, nothing is printed, nothing fails.
 *
 * Degenerate input has a stated outcome everywhere. A value that is not
 * finite is missing: it is left out and not counted in n. What cannot be
 * computed is NaN (mm_json_real writes it as null), a p that no evidence
 * lowers is 1.
 */
#ifndef MM_REPORTS_STATISTICS_H
#define MM_REPORTS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Up to this many pairs (paired) or samples (both groups together, unpaired) every p and interval is exact, by
 * counting all sign patterns or all splits. Only beyond does a normal approximation with tie and continuity
 * correction begin; a matrix allows 1000 passes at most.
 */
enum { MM_EXACT_PAIRS = 300, MM_EXACT_POOL = 200 };

/* n = 0: all others NaN; n = 1: sd NaN. The median of an even n is the mean of the middle two. */
struct mm_summary {
	size_t n;
	double mean, median, sd, min, max; /* sd with n - 1 */
};
void mm_summary_make(const double *values, size_t count, struct mm_summary *out);

/*
 * The published convention, in percent, positive when the candidate is faster: (baseline / candidate - 1) for times,
 * (candidate / baseline - 1) for rates. NaN unless both are finite and above zero.
 */
double mm_delta_percent(double baseline, double candidate, bool higher_is_better);

/* log(baseline / candidate) for times, reversed for rates: positive when the candidate is faster. NaN as above. */
double mm_log_ratio(double baseline, double candidate, bool higher_is_better);

/* A log-ratio in percent: (e^x - 1) x 100. */
double mm_percent_of_log(double log_ratio);

/* exp of the mean of the logs; NaN when there is no value, or one that is not above zero. */
double mm_geometric_mean(const double *values, size_t count);

/*
 * Wilcoxon's signed-rank test of "the differences are symmetric about 0", two-sided (F. Wilcoxon 1945, Biometrics
 * Bulletin 1:80). Zeros are dropped, tied |differences| share their mid-rank, and p is exact over all 2^n sign
 * patterns of the ranks at hand: the patterns are counted over doubled mid-ranks, which are integers.
 * |Differences| that agree to 12 digits are tied, so that rounding in log() does not break a tie.
 */
struct mm_signed_rank {
	size_t n;     /* differences that are finite and not zero */
	size_t zeros; /* dropped */
	double w;     /* sum of the ranks of the positive differences */
	double p;     /* 1 when n is 0 */
};
void mm_signed_rank_test(const double *differences, size_t count, struct mm_signed_rank *out);

/*
 * Two-sided p at least as extreme as the smaller tail W of the signed-rank statistic without ties; for tests against
 * published tables and for planning.
 */
double mm_signed_rank_p(size_t n, double w);

struct mm_estimate {
	size_t n;
	double value;
	double low, high;  /* NaN when no interval of the asked confidence exists (fewer than 6 pairs at 95%) */
	double confidence; /* what the interval really has, at least what was asked; 0: no interval */
};

/*
 * Hodges-Lehmann: the median of the n(n+1)/2 Walsh averages (d_i + d_j) / 2, i <= j, with the interval that inverts
 * the signed-rank test: from the k-th smallest to the k-th largest average, k the largest with
 * P(W <= k - 1) <= (1 - confidence) / 2 (J. L. Hodges, E. L. Lehmann 1963, Ann. Math. Stat. 34:598; M. Hollander,
 * D. A. Wolfe, Nonparametric Statistical Methods, section 3.3). Zeros count here. All equal: width 0.
 */
void mm_hodges_lehmann(const double *differences, size_t count, double confidence, struct mm_estimate *out);

/*
 * Mann-Whitney's rank-sum test of two independent groups, two-sided, exact over all splits of the pooled mid-ranks
 * (H. B. Mann, D. R. Whitney 1947, Ann. Math. Stat. 18:50). An empty group or all values equal: p = 1.
 */
struct mm_rank_sum {
	size_t n1, n2;
	double u; /* pairs (x, y) with x > y, half for x = y */
	double p;
};
void mm_rank_sum_test(const double *x, size_t n1, const double *y, size_t n2, struct mm_rank_sum *out);

/*
 * The shift x - y: the median of all n1 x n2 differences, with the interval that inverts the rank-sum test
 * (L. E. Moses; Hollander, Wolfe, section 4.3). out->n is the smaller group.
 */
void mm_shift(const double *x, size_t n1, const double *y, size_t n2, double confidence, struct mm_estimate *out);

/*
 * Benjamini-Hochberg step-up adjustment over one family (Y. Benjamini, Y. Hochberg 1995, J. R. Stat. Soc. B 57:289):
 * adjusted p(i) = min over j >= i of p(j) m / j, at most 1. NaN is no member of the family and stays NaN.
 */
void mm_benjamini_hochberg(const double *p, size_t count, double *adjusted);

void mm_sort_values(double *values, size_t count); /* ascending; no NaN among them */

/* Mid-ranks (from 1) of VALUES, all finite, times 2. Returns whether there are ties. */
bool mm_double_ranks(const double *values, size_t count, size_t *ranks);

#endif
