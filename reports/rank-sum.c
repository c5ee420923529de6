/* Unpaired: Mann-Whitney's rank-sum test and the shift between two groups. */
#include "reports/statistics.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"

/*
 * chances[s]: the share of all ways to choose K of the N ranks whose sum is s. Counted by size and sum at once;
 * counts are doubles, exact up to 2^53 and good to 1e-14 beyond. The caller frees it.
 */
static double *split_chances(const size_t *ranks, size_t n, size_t k, size_t *sum)
{
	double *table, *chances, all = 0;
	size_t width;

	*sum = 0;
	for (size_t i = 0; i < n; i++)
		*sum += ranks[i];
	width = *sum + 1;
	table = mm_calloc((k + 1) * width, sizeof(*table));
	table[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t size = (i + 1 < k ? i + 1 : k); size > 0; size--) {
			double *to = table + size * width;
			const double *from = table + (size - 1) * width;

			for (size_t s = ranks[i]; s < width; s++)
				to[s] += from[s - ranks[i]];
		}
	chances = mm_calloc(width, sizeof(*chances));
	for (size_t s = 0; s < width; s++)
		all += table[k * width + s];
	for (size_t s = 0; s < width; s++)
		chances[s] = table[k * width + s] / all;
	free(table);
	return chances;
}

/* Two-sided p of a doubled rank sum R of K out of N doubled ranks. */
static double rank_sum_chance(const size_t *ranks, size_t n, size_t k, size_t r)
{
	double *chances, low = 0, high = 0;
	size_t sum = 0;

	if (n > MM_EXACT_POOL) {
		double total = 0, squares = 0, mean, variance;

		for (size_t i = 0; i < n; i++)
			total += (double)ranks[i];
		mean = total / (double)n;
		for (size_t i = 0; i < n; i++)
			squares += ((double)ranks[i] - mean) * ((double)ranks[i] - mean);
		variance = squares * (double)k * (double)(n - k) / ((double)n * (double)(n - 1));
		if (variance <= 0)
			return 1;
		return fmin(1, erfc(fmax(0, fabs((double)r - mean * (double)k) - 1) / sqrt(2 * variance)));
	}
	chances = split_chances(ranks, n, k, &sum);
	for (size_t s = 0; s <= sum; s++) {
		if (s <= r)
			low += chances[s];
		if (s >= r)
			high += chances[s];
	}
	free(chances);
	/* Twice the smaller tail: with ties the distribution need not be symmetric. */
	return fmin(1, 2 * fmin(low, high));
}

static size_t finite_append(double *to, const double *values, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			to[n++] = values[i];
	return n;
}

void mm_rank_sum_test(const double *x, size_t n1, const double *y, size_t n2, struct mm_rank_sum *out)
{
	double *pool = mm_calloc(n1 + n2 + 1, sizeof(*pool));
	size_t *ranks = mm_calloc(n1 + n2 + 1, sizeof(*ranks));
	size_t r = 0;

	out->n1 = finite_append(pool, x, n1);
	out->n2 = finite_append(pool + out->n1, y, n2);
	out->u = NAN;
	out->p = 1;
	if (out->n1 > 0 && out->n2 > 0) {
		mm_double_ranks(pool, out->n1 + out->n2, ranks);
		for (size_t i = 0; i < out->n1; i++)
			r += ranks[i];
		out->u = (double)r / 2 - (double)out->n1 * ((double)out->n1 + 1) / 2;
		out->p = rank_sum_chance(ranks, out->n1 + out->n2, out->n1, r);
	}
	free(ranks);
	free(pool);
}

/* The largest k with P(U <= k - 1) <= ALPHA / 2, U without ties; 0 when even P(U = 0) is larger. */
static size_t critical_place(size_t n1, size_t n2, double alpha, double *confidence)
{
	size_t n = n1 + n2, sum = 0, k = 0, base = n1 * (n1 + 1) / 2;
	size_t *ranks;
	double *chances, tail = 0;

	if (n > MM_EXACT_POOL) {
		double mean = (double)n1 * (double)n2 / 2, sd = sqrt(mean * (double)(n + 1) / 6);

		while (erfc((mean - (double)k - 0.5) / sd / sqrt(2)) <= alpha)
			k++;
		*confidence = k > 0 ? 1 - alpha : 0;
		return k;
	}
	ranks = mm_calloc(n + 1, sizeof(*ranks));
	for (size_t i = 0; i < n; i++)
		ranks[i] = i + 1;
	chances = split_chances(ranks, n, n1, &sum);
	while (base + k <= sum && 2 * (tail + chances[base + k]) <= alpha)
		tail += chances[base + k++];
	*confidence = k > 0 ? 1 - 2 * tail : 0;
	free(chances);
	free(ranks);
	return k;
}

void mm_shift(const double *x, size_t n1, const double *y, size_t n2, double confidence, struct mm_estimate *out)
{
	double *a = mm_calloc(n1 + 1, sizeof(*a)), *b = mm_calloc(n2 + 1, sizeof(*b)), *between;
	size_t total, k;

	n1 = finite_append(a, x, n1);
	n2 = finite_append(b, y, n2);
	total = n1 * n2;
	between = mm_calloc(total + 1, sizeof(*between));
	for (size_t i = 0; i < n1; i++)
		for (size_t j = 0; j < n2; j++)
			between[i * n2 + j] = a[i] - b[j];
	mm_sort_values(between, total);
	*out = (struct mm_estimate){ n1 < n2 ? n1 : n2, NAN, NAN, NAN, 0 };
	if (total > 0) {
		out->value = between[(total - 1) / 2] / 2 + between[total / 2] / 2;
		k = critical_place(n1, n2, 1 - confidence, &out->confidence);
		if (k > 0) {
			out->low = between[k - 1];
			out->high = between[total - k];
		}
	}
	free(between);
	free(a);
	free(b);
}
