/*
 * Statistics against three oracles: brute-force enumeration of all sign patterns and splits, published tables, and
 * published examples; and what degenerate input gives.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reports/statistics.h"

static void assert_near(double got, double wanted, double tolerance, const char *what)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%s: got %.17g, wanted %.17g", what, got, wanted);
}

static uint64_t state;

static uint64_t next_random(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Small integers, so that ties and zeros are frequent. */
static double small_integer(int reach)
{
	return (double)(next_random() % (uint64_t)(2 * reach + 1)) - reach;
}

/* Mid-ranks the slow way: one plus the number below, plus half the number of equals. */
static void slow_ranks(const double *values, size_t n, double *ranks)
{
	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;

		for (size_t j = 0; j < n; j++) {
			below += values[j] < values[i];
			equal += values[j] == values[i];
		}
		ranks[i] = below + (equal + 1) / 2;
	}
}

/* The signed-rank p by going through all 2^n sign patterns. */
static double slow_signed_rank(const double *d, size_t count)
{
	double sizes[16], ranks[16], observed = 0, total = 0;
	bool up[16];
	size_t n = 0, extreme = 0;

	for (size_t i = 0; i < count; i++)
		if (d[i] != 0) {
			sizes[n] = fabs(d[i]);
			up[n++] = d[i] > 0;
		}
	slow_ranks(sizes, n, ranks);
	for (size_t i = 0; i < n; i++) {
		total += ranks[i];
		observed += up[i] ? ranks[i] : 0;
	}
	for (size_t pattern = 0; pattern < (size_t)1 << n; pattern++) {
		double w = 0;

		for (size_t i = 0; i < n; i++)
			w += pattern >> i & 1 ? ranks[i] : 0;
		extreme += fabs(w - total / 2) >= fabs(observed - total / 2) - 1e-9;
	}
	return (double)extreme / (double)((size_t)1 << n);
}

static void signed_rank_agrees_with_enumeration(void **unused)
{
	(void)unused;
	state = 1;
	for (int round = 0; round < 400; round++) {
		size_t n = 1 + next_random() % 13;
		int reach = round % 2 == 0 ? 4 : 100;
		double d[16];
		struct mm_signed_rank test;

		for (size_t i = 0; i < n; i++)
			d[i] = small_integer(reach);
		mm_signed_rank_test(d, n, &test);
		assert_near(test.p, slow_signed_rank(d, n), 1e-12, "signed-rank p");
	}
}

/* The rank-sum p by going through all splits of the pool: twice the smaller tail, at most 1. */
static double slow_rank_sum(const double *x, size_t n1, const double *y, size_t n2)
{
	double pool[16], ranks[16], observed = 0, low = 0, high = 0, all = 0;

	memcpy(pool, x, n1 * sizeof(*x));
	memcpy(pool + n1, y, n2 * sizeof(*y));
	slow_ranks(pool, n1 + n2, ranks);
	for (size_t i = 0; i < n1; i++)
		observed += ranks[i];
	for (size_t split = 0; split < (size_t)1 << (n1 + n2); split++) {
		double sum = 0;
		size_t members = 0;

		for (size_t i = 0; i < n1 + n2; i++)
			if (split >> i & 1) {
				sum += ranks[i];
				members++;
			}
		if (members != n1)
			continue;
		all++;
		low += sum <= observed + 1e-9;
		high += sum >= observed - 1e-9;
	}
	return fmin(1, 2 * fmin(low, high) / all);
}

static void rank_sum_agrees_with_enumeration(void **unused)
{
	(void)unused;
	state = 2;
	for (int round = 0; round < 200; round++) {
		size_t n1 = 1 + next_random() % 6, n2 = 1 + next_random() % 6;
		double x[8], y[8];
		struct mm_rank_sum test;

		for (size_t i = 0; i < n1; i++)
			x[i] = small_integer(round % 2 == 0 ? 3 : 50);
		for (size_t i = 0; i < n2; i++)
			y[i] = small_integer(round % 2 == 0 ? 3 : 50);
		mm_rank_sum_test(x, n1, y, n2, &test);
		assert_near(test.p, slow_rank_sum(x, n1, y, n2), 1e-12, "rank-sum p");
	}
}

/*
 * Critical values of the signed-rank statistic, two-sided 5%: the largest T with P <= 0.05. From F. Wilcoxon and
 * R. A. Wilcox, Some Rapid Approximate Statistical Procedures (Lederle Laboratories, 1964), table 2, as reprinted in
 * most textbooks; n = 40 and 50 from R. L. McCornack, Extended tables of the Wilcoxon matched pair signed rank
 * statistic, J. Am. Stat. Assoc. 60 (1965) 864.
 */
static void signed_rank_agrees_with_published_critical_values(void **unused)
{
	static const struct {
		size_t n;
		double critical;
	} table[] = {
		{ 6, 0 },   { 7, 2 },   { 8, 3 },   { 9, 5 },   { 10, 8 },   { 11, 10 },  { 12, 13 }, { 13, 17 },
		{ 14, 21 }, { 15, 25 }, { 16, 29 }, { 17, 34 }, { 18, 40 },  { 19, 46 },  { 20, 52 }, { 21, 58 },
		{ 22, 65 }, { 23, 73 }, { 24, 81 }, { 25, 89 }, { 40, 264 }, { 50, 434 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(mm_signed_rank_p(table[i].n, table[i].critical) <= 0.05);
		assert_true(mm_signed_rank_p(table[i].n, table[i].critical + 1) > 0.05);
	}
	assert_true(mm_signed_rank_p(5, 0) > 0.05); /* no critical value exists below six pairs */
	assert_near(mm_signed_rank_p(10, 0), 2.0 / 1024, 1e-15, "the smallest p at n = 10");
}

/* Upper tails P(T+ >= t), M. Hollander and D. A. Wolfe, Nonparametric Statistical Methods (1973), table A.4. */
static void signed_rank_agrees_with_published_tails(void **unused)
{
	static const struct {
		size_t n;
		double t, tail;
	} table[] = { { 5, 15, .031 },  { 6, 21, .016 },  { 7, 26, .023 },  { 8, 33, .020 }, { 9, 40, .020 },
		      { 10, 47, .024 }, { 10, 45, .042 }, { 12, 65, .021 }, { 15, 95, .024 } };

	(void)unused;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_near(mm_signed_rank_p(table[i].n, table[i].t) / 2, table[i].tail, 0.0005, "upper tail");
}

/* C. Darwin's plants in pairs, R. A. Fisher, The Design of Experiments (1935), table 3: eighths of an inch. */
static void published_examples_of_pairs(void **unused)
{
	static const double darwin[] = { 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48 };
	/* Hamilton depression scale, Hollander and Wolfe (1973), page 29: T+ = 40, one-sided p .019. */
	static const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	static const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	struct mm_signed_rank test;
	struct mm_estimate estimate;
	double d[9];

	(void)unused;
	mm_signed_rank_test(darwin, 15, &test);
	assert_near(test.w, 96, 0, "Darwin's W");
	assert_near(test.p, 0.04125977, 5e-9, "Darwin's p");
	for (size_t i = 0; i < 9; i++)
		d[i] = before[i] - after[i];
	mm_signed_rank_test(d, 9, &test);
	assert_near(test.w, 40, 0, "T+");
	assert_near(test.p / 2, 0.01953125, 1e-12, "one-sided p");
	mm_hodges_lehmann(d, 9, 0.95, &estimate);
	assert_near(estimate.value, 0.46, 0.005, "Hodges-Lehmann estimate"); /* page 35 of the same: .46 */
	assert_near(estimate.confidence, 1 - 2 * 10.0 / 512, 1e-12, "the confidence that n = 9 has");
}

/* Permeability of the chorioamnion, Hollander and Wolfe (1973), page 69: W = 30 in their count, one-sided p .127. */
static void published_example_of_groups(void **unused)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct mm_rank_sum test;
	struct mm_estimate shift;

	(void)unused;
	mm_rank_sum_test(x, 10, y, 5, &test);
	assert_near(test.u, 35, 0, "U");
	assert_near(test.p / 2, 0.1272, 0.00005, "one-sided p");
	mm_shift(x, 10, y, 5, 0.95, &shift);
	assert_near(shift.value, 0.305, 1e-9, "shift"); /* page 76 */
}

/* Y. Benjamini, Y. Hochberg 1995, section 3.2: of these 15, the first four are rejected at 0.05. */
static void benjamini_hochberg_published_example(void **unused)
{
	static const double p[15] = { .0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
				      .0459, .3240, .4262, .5719, .6528, .7590, 1.000 };
	double adjusted[15];

	(void)unused;
	mm_benjamini_hochberg(p, 15, adjusted);
	for (size_t i = 0; i < 15; i++)
		assert_int_equal(adjusted[i] <= 0.05, i < 4);
	assert_near(adjusted[3], .0095 * 15 / 4, 1e-12, "fourth");
	assert_near(adjusted[14], 1, 0, "last");
}

static void benjamini_hochberg_leaves_out_what_has_no_p(void **unused)
{
	const double p[4] = { 0.04, NAN, 0.01, 0.03 };
	double adjusted[4];

	(void)unused;
	mm_benjamini_hochberg(p, 4, adjusted);
	assert_near(adjusted[0], 0.04, 1e-12, "largest of three");
	assert_true(isnan(adjusted[1]));
	assert_near(adjusted[2], 0.03, 1e-12, "smallest of three");
	assert_near(adjusted[3], 0.04, 1e-12, "stepped up: the next one's is smaller than its own");
}

/* The interval holds exactly the shifts that the test does not reject: inversion, checked point by point. */
static void interval_inverts_the_test(void **unused)
{
	(void)unused;
	state = 3;
	for (int round = 0; round < 60; round++) {
		size_t n = 6 + next_random() % 7;
		double d[16], moved[16];
		struct mm_estimate estimate;

		for (size_t i = 0; i < n; i++) /* no ties: sums of distinct irrational multiples */
			d[i] = small_integer(50) + sqrt(2) * (double)(i + 1) / 100 +
			       (double)(next_random() % 1000) * 1e-6;
		mm_hodges_lehmann(d, n, 0.95, &estimate);
		assert_true(estimate.confidence >= 0.95);
		assert_true(estimate.low <= estimate.value && estimate.value <= estimate.high);
		for (double shift = -60; shift <= 60; shift += 0.37) {
			struct mm_signed_rank test;

			for (size_t i = 0; i < n; i++)
				moved[i] = d[i] - shift;
			mm_signed_rank_test(moved, n, &test);
			assert_int_equal(test.p > 0.05, shift > estimate.low && shift < estimate.high);
		}
	}
}

static void rank_sum_interval_inverts_the_test(void **unused)
{
	(void)unused;
	state = 4;
	for (int round = 0; round < 40; round++) {
		size_t n1 = 4 + next_random() % 4, n2 = 4 + next_random() % 4;
		double x[8], y[8], moved[8];
		struct mm_estimate estimate;

		for (size_t i = 0; i < n1; i++)
			x[i] = small_integer(20) + sqrt(2) * (double)(i + 1) / 100;
		for (size_t i = 0; i < n2; i++)
			y[i] = small_integer(20) + sqrt(3) * (double)(i + 1) / 100;
		mm_shift(x, n1, y, n2, 0.95, &estimate);
		assert_true(estimate.confidence >= 0.95);
		for (double shift = -45; shift <= 45; shift += 0.37) {
			struct mm_rank_sum test;

			for (size_t i = 0; i < n1; i++)
				moved[i] = x[i] - shift;
			mm_rank_sum_test(moved, n1, y, n2, &test);
			assert_int_equal(test.p > 0.05, shift > estimate.low && shift < estimate.high);
		}
	}
}

static void one_sample_has_an_estimate_and_no_interval(void **unused)
{
	const double d[] = { 0.25 };
	struct mm_signed_rank test;
	struct mm_estimate estimate;
	struct mm_summary summary;

	(void)unused;
	mm_signed_rank_test(d, 1, &test);
	assert_near(test.p, 1, 0, "p of one pair");
	mm_hodges_lehmann(d, 1, 0.95, &estimate);
	assert_near(estimate.value, 0.25, 0, "estimate");
	assert_true(estimate.confidence == 0 && isnan(estimate.low) && isnan(estimate.high));
	mm_summary_make(d, 1, &summary);
	assert_true(summary.n == 1 && summary.mean == 0.25 && summary.median == 0.25 && isnan(summary.sd));
}

static void nothing_gives_no_figure_and_p_one(void **unused)
{
	const double none[] = { NAN, INFINITY, -INFINITY };
	struct mm_signed_rank test;
	struct mm_rank_sum groups;
	struct mm_estimate estimate;
	struct mm_summary summary;

	(void)unused;
	mm_signed_rank_test(none, 3, &test);
	assert_true(test.n == 0 && test.zeros == 0 && test.p == 1);
	mm_hodges_lehmann(none, 3, 0.95, &estimate);
	assert_true(estimate.n == 0 && isnan(estimate.value) && estimate.confidence == 0);
	mm_rank_sum_test(none, 3, none, 0, &groups);
	assert_true(groups.p == 1 && isnan(groups.u));
	mm_shift(none, 3, none, 3, 0.95, &estimate);
	assert_true(estimate.n == 0 && isnan(estimate.value));
	mm_summary_make(none, 3, &summary);
	assert_true(summary.n == 0 && isnan(summary.mean));
	assert_true(isnan(mm_geometric_mean(none, 0)));
}

static void all_equal_gives_p_one_and_width_zero(void **unused)
{
	const double zeros[10] = { 0 };
	const double same[4] = { 7, 7, 7, 7 };
	struct mm_signed_rank test;
	struct mm_rank_sum groups;
	struct mm_estimate estimate;

	(void)unused;
	mm_signed_rank_test(zeros, 10, &test);
	assert_true(test.n == 0 && test.zeros == 10 && test.p == 1);
	mm_hodges_lehmann(zeros, 10, 0.95, &estimate);
	assert_true(estimate.value == 0 && estimate.low == 0 && estimate.high == 0 && estimate.confidence >= 0.95);
	mm_rank_sum_test(same, 4, same, 4, &groups);
	assert_near(groups.p, 1, 0, "p of equal groups");
}

static void missing_values_are_left_out(void **unused)
{
	const double with[] = { 3, NAN, -1, 2, INFINITY, 5, 4, 6, -0.5 };
	const double without[] = { 3, -1, 2, 5, 4, 6, -0.5 };
	struct mm_signed_rank a, b;
	struct mm_estimate c, d;

	(void)unused;
	mm_signed_rank_test(with, 9, &a);
	mm_signed_rank_test(without, 7, &b);
	assert_memory_equal(&a.p, &b.p, sizeof(a.p));
	assert_int_equal(a.n, 7);
	mm_hodges_lehmann(with, 9, 0.95, &c);
	mm_hodges_lehmann(without, 7, 0.95, &d);
	assert_true(c.value == d.value && c.low == d.low && c.high == d.high);
}

/* log(2.2/2) and log(1.1/1) differ in their last bit, the ratios do not: one rank for both. */
static void rounding_breaks_no_tie(void **unused)
{
	const double values[] = { log(2.2 / 2), log(1.1 / 1), log(4.4 / 4.0), log(3.3 / 3) };
	size_t ranks[4];

	(void)unused;
	assert_true(mm_double_ranks(values, 4, ranks));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(ranks[i], 5);
}

static void ratios_refuse_what_has_no_logarithm(void **unused)
{
	(void)unused;
	assert_near(mm_delta_percent(15.4, 21.0, false), -26.6667, 0.0001, "time");
	assert_near(mm_delta_percent(261.10, 292.50, true), 12.0260, 0.0001, "rate");
	assert_true(isnan(mm_delta_percent(0, 1, false)) && isnan(mm_delta_percent(1, 0, false)));
	assert_true(isnan(mm_delta_percent(-1, 1, true)) && isnan(mm_delta_percent(NAN, 1, true)));
	assert_true(isnan(mm_log_ratio(1, INFINITY, false)) && isnan(mm_log_ratio(0, 0, false)));
	assert_near(mm_log_ratio(2, 1, false), log(2), 1e-15, "a shorter time is faster");
	assert_near(mm_log_ratio(2, 1, true), -log(2), 1e-15, "a lower rate is slower");
}

/* Where the approximation begins, it must continue what was exact just before. */
static void approximation_continues_the_exact_p(void **unused)
{
	double exact, approximate;
	struct mm_estimate a, b;
	static double d[MM_EXACT_PAIRS + 1];

	(void)unused;
	exact = mm_signed_rank_p(MM_EXACT_PAIRS, 18900);
	approximate = mm_signed_rank_p(MM_EXACT_PAIRS + 1, 19035); /* as far from its mean, in standard deviations */
	assert_true(exact > 0.005 && exact < 0.05);
	assert_near(approximate / exact, 1, 0.03, "p on both sides of the limit");
	state = 5;
	for (size_t i = 0; i <= MM_EXACT_PAIRS; i++)
		d[i] = small_integer(1000000) / 1e6;
	mm_hodges_lehmann(d, MM_EXACT_PAIRS, 0.95, &a);
	mm_hodges_lehmann(d, MM_EXACT_PAIRS + 1, 0.95, &b);
	assert_near((b.high - b.low) / (a.high - a.low), 1, 0.03, "interval width on both sides of the limit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_rank_agrees_with_enumeration),
		cmocka_unit_test(rank_sum_agrees_with_enumeration),
		cmocka_unit_test(signed_rank_agrees_with_published_critical_values),
		cmocka_unit_test(signed_rank_agrees_with_published_tails),
		cmocka_unit_test(published_examples_of_pairs),
		cmocka_unit_test(published_example_of_groups),
		cmocka_unit_test(benjamini_hochberg_published_example),
		cmocka_unit_test(benjamini_hochberg_leaves_out_what_has_no_p),
		cmocka_unit_test(interval_inverts_the_test),
		cmocka_unit_test(rank_sum_interval_inverts_the_test),
		cmocka_unit_test(one_sample_has_an_estimate_and_no_interval),
		cmocka_unit_test(nothing_gives_no_figure_and_p_one),
		cmocka_unit_test(all_equal_gives_p_one_and_width_zero),
		cmocka_unit_test(missing_values_are_left_out),
		cmocka_unit_test(rounding_breaks_no_tie),
		cmocka_unit_test(ratios_refuse_what_has_no_logarithm),
		cmocka_unit_test(approximation_continues_the_exact_p),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
