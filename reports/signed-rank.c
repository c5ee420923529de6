/* Paired: Wilcoxon's signed-rank test and the Hodges-Lehmann estimate. */
#include "reports/statistics.h"

#include <math.h>

#include "base/memory.h"

static double *finite_copy(const double *values, size_t count, size_t *n)
{
	double *copy = mm_calloc(count + 1, sizeof(*copy));

	*n = 0;
	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			copy[(*n)++] = values[i];
	return copy;
}

/*
 * The exact null distribution: chances[s] is the share of the 2^n sign patterns whose positive ranks sum to s. One
 * rank at a time: with equal chance it counts or does not. Up to 52 ranks every share is exact in a double; beyond,
 * the relative error stays near 1e-14.
 */
static double *sign_pattern_chances(const size_t *ranks, size_t n, size_t *sum)
{
	double *chances;
	size_t reach = 0;

	*sum = 0;
	for (size_t i = 0; i < n; i++)
		*sum += ranks[i];
	chances = mm_calloc(*sum + 1, sizeof(*chances));
	chances[0] = 1;
	for (size_t i = 0; i < n; i++) {
		reach += ranks[i];
		for (size_t s = reach + 1; s-- > 0;)
			chances[s] = 0.5 * (chances[s] + (s >= ranks[i] ? chances[s - ranks[i]] : 0));
	}
	return chances;
}

static double normal_two_sided(double z)
{
	return fmin(1, erfc(z / sqrt(2)));
}

/* Two-sided p of a doubled statistic; RANKS are doubled too. */
static double signed_rank_chance(const size_t *ranks, size_t n, size_t w)
{
	double *chances;
	double p = 0;
	size_t sum = 0;

	if (n > MM_EXACT_PAIRS) {
		double squares = 0, total = 0;

		for (size_t i = 0; i < n; i++) {
			total += (double)ranks[i];
			squares += (double)ranks[i] * (double)ranks[i];
		}
		/* Half a doubled rank unit, i.e. 1, of continuity correction. */
		return normal_two_sided(fmax(0, fabs((double)w - total / 2) - 1) / sqrt(squares / 4));
	}
	chances = sign_pattern_chances(ranks, n, &sum);
	if (w > sum - w) /* the distribution is symmetric: sum the smaller tail, from its small end */
		w = sum - w;
	for (size_t s = 0; s <= w; s++)
		p += chances[s];
	free(chances);
	return fmin(1, 2 * p);
}

void mm_signed_rank_test(const double *differences, size_t count, struct mm_signed_rank *out)
{
	double *sizes = mm_calloc(count + 1, sizeof(*sizes));
	bool *up = mm_calloc(count + 1, sizeof(*up));
	size_t *ranks = mm_calloc(count + 1, sizeof(*ranks));
	size_t n = 0, w = 0;

	*out = (struct mm_signed_rank){ 0, 0, 0, 1 };
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(differences[i]))
			continue;
		if (differences[i] == 0) {
			out->zeros++;
			continue;
		}
		sizes[n] = fabs(differences[i]);
		up[n++] = differences[i] > 0;
	}
	mm_double_ranks(sizes, n, ranks);
	for (size_t i = 0; i < n; i++)
		if (up[i])
			w += ranks[i];
	out->n = n;
	out->w = (double)w / 2;
	if (n > 0)
		out->p = signed_rank_chance(ranks, n, w);
	free(sizes);
	free(up);
	free(ranks);
}

double mm_signed_rank_p(size_t n, double w)
{
	size_t *ranks = mm_calloc(n + 1, sizeof(*ranks));
	double p;

	for (size_t i = 0; i < n; i++)
		ranks[i] = 2 * (i + 1);
	p = n > 0 ? signed_rank_chance(ranks, n, (size_t)(2 * w)) : 1;
	free(ranks);
	return p;
}

/* The largest k with P(W <= k - 1) <= ALPHA / 2, W without ties over N pairs; 0 when even P(W = 0) is larger. */
static size_t critical_place(size_t n, double alpha, double *confidence)
{
	size_t *ranks = mm_calloc(n + 1, sizeof(*ranks));
	double *chances, tail = 0;
	size_t sum = 0, k = 0;

	if (n > MM_EXACT_PAIRS) {
		double count = (double)n, mean = count * (count + 1) / 4;
		double sd = sqrt(count * (count + 1) * (2 * count + 1) / 24);

		while (erfc((mean - (double)k - 0.5) / sd / sqrt(2)) <= alpha)
			k++;
		*confidence = 1 - alpha;
		free(ranks);
		return k;
	}
	for (size_t i = 0; i < n; i++)
		ranks[i] = i + 1;
	chances = sign_pattern_chances(ranks, n, &sum);
	while (k <= sum && 2 * (tail + chances[k]) <= alpha)
		tail += chances[k++];
	*confidence = k > 0 ? 1 - 2 * tail : 0;
	free(chances);
	free(ranks);
	return k;
}

void mm_hodges_lehmann(const double *differences, size_t count, double confidence, struct mm_estimate *out)
{
	size_t n, total, place = 0, k;
	double *d = finite_copy(differences, count, &n), *walsh;

	*out = (struct mm_estimate){ n, NAN, NAN, NAN, 0 };
	total = n * (n + 1) / 2;
	walsh = mm_calloc(total + 1, sizeof(*walsh));
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[place++] = d[i] / 2 + d[j] / 2;
	mm_sort_values(walsh, total);
	if (n > 0) {
		out->value = walsh[(total - 1) / 2] / 2 + walsh[total / 2] / 2;
		k = critical_place(n, 1 - confidence, &out->confidence);
		if (k > 0) {
			out->low = walsh[k - 1];
			out->high = walsh[total - k];
		}
	}
	free(walsh);
	free(d);
}
