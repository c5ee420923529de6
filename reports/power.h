/* What a planned number of passes can find. */
#ifndef MM_REPORTS_POWER_H
#define MM_REPORTS_POWER_H

#include <stddef.h>

/* What `plan` assumes of one pass-to-pass standard deviation when nothing is known of the host, in per cent. */
#define MM_TYPICAL_NOISE_PERCENT 0.8

/*
 * The effect, in per cent, that PAIRS pairs find in four of five runs when it is on one of TESTS tests and each pass
 * varies by NOISE_PERCENT: the verdict's own rules (adjusted p of a lone effect, i.e. p <= 0.05/TESTS, and an
 * estimate of at least EFFECT_PERCENT), simulated with a fixed seed. INFINITY where no effect could ever be found:
 * 2/2^n > 0.05/TESTS.
 */
double mm_detectable_percent(size_t pairs, size_t tests, double noise_percent, double effect_percent);

/* The least number of pairs with which an effect on one of TESTS tests can be called at all; with one: that has an interval. */
size_t mm_least_pairs(size_t tests);

#endif
