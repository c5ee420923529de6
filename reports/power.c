#include "reports/power.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "reports/verdict.h"

enum { TRIALS = 2000, STEPS = 14, MOST_PAIRS = 30 };

/* splitmix64 (Steele, Lea, Flood 2014): small, and the same everywhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
	return ((double)(next_random(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller. */
static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(6.283185307179586 * uniform(state));
}

static double limit_of(size_t tests)
{
	return MM_SIGNIFICANCE / (double)(tests > 0 ? tests : 1);
}

size_t mm_least_pairs(size_t tests)
{
	size_t pairs = 1;

	while (mm_signed_rank_p(pairs, 0) > limit_of(tests))
		pairs++;
	return pairs;
}

/* The largest W whose two-sided p is at most LIMIT; -1: there is none. */
static double critical_w(size_t pairs, double limit)
{
	double low = -1, high = (double)pairs * ((double)pairs + 1) / 4;

	if (mm_signed_rank_p(pairs, 0) > limit)
		return -1;
	low = 0;
	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (mm_signed_rank_p(pairs, middle) <= limit)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Would these differences, moved by SHIFT, be called? */
static bool called(const double *noise, double *moved, size_t pairs, double shift, double critical, double effect)
{
	size_t ranks[MOST_PAIRS];
	struct mm_estimate estimate;
	double minus = 0;

	for (size_t i = 0; i < pairs; i++)
		moved[i] = fabs(noise[i] + shift);
	mm_double_ranks(moved, pairs, ranks);
	for (size_t i = 0; i < pairs; i++)
		minus += noise[i] + shift < 0 ? (double)ranks[i] / 2 : 0;
	if (minus > critical)
		return false;
	for (size_t i = 0; i < pairs; i++)
		moved[i] = noise[i] + shift;
	mm_hodges_lehmann(moved, pairs, MM_CONFIDENCE, &estimate);
	return mm_percent_of_log(estimate.value) >= effect;
}

double mm_detectable_percent(size_t pairs, size_t tests, double noise_percent, double effect_percent)
{
	size_t n = pairs < MOST_PAIRS ? pairs : MOST_PAIRS;
	double critical = critical_w(n, limit_of(tests));
	double low = 0, high = log1p((10 * noise_percent + 2 * effect_percent) / 100);
	double *noise, *moved;
	uint64_t state = 1;

	if (critical < 0 || n == 0)
		return INFINITY;
	noise = mm_calloc((size_t)TRIALS * n, sizeof(*noise));
	moved = mm_calloc(n, sizeof(*moved));
	for (size_t i = 0; i < (size_t)TRIALS * n; i++) /* a pair holds the noise of two passes */
		noise[i] = normal(&state) * noise_percent / 100 * sqrt(2);
	for (int step = 0; step < STEPS; step++) {
		double middle = (low + high) / 2;
		size_t found = 0;

		for (size_t trial = 0; trial < TRIALS; trial++)
			found += called(noise + trial * n, moved, n, middle, critical, effect_percent);
		if (found * 5 >= (size_t)TRIALS * 4)
			high = middle;
		else
			low = middle;
	}
	free(noise);
	free(moved);
	/* Beyond, as the root of the number of pairs, down to what the threshold lets through. */
	return fmax(effect_percent, mm_percent_of_log(high) * sqrt((double)n / (double)pairs));
}
