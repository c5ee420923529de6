/* Percentiles out of buckets, against sorted values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "runners/histogram.h"
#include "runners/mix.h"

enum { VALUES = 20000 };

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void within(uint64_t got, uint64_t exact, double tolerance)
{
	if (fabs((double)got - (double)exact) > tolerance * (double)exact)
		fail_msg("%llu instead of %llu", (unsigned long long)got, (unsigned long long)exact);
}

static void percentiles_are_right_to_less_than_a_percent(void **state)
{
	static const double percents[] = { 0, 1, 50, 90, 95, 99, 99.9, 100 };
	struct mm_histogram *histogram = mm_alloc(sizeof(*histogram));
	struct mm_mix_random random = mm_mix_random_of(1, 2);
	static uint64_t values[VALUES];
	double sum = 0;

	(void)state;
	for (int i = 0; i < VALUES; i++) {
		/* of every magnitude, from nanoseconds to minutes */
		values[i] = mm_mix_random_next(&random) >> (24 + mm_mix_random_next(&random) % 40);
		mm_histogram_add(histogram, values[i]);
		sum += (double)values[i];
	}
	qsort(values, VALUES, sizeof(values[0]), by_size);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		size_t rank = (size_t)ceil(VALUES * percents[i] / 100);

		within(mm_histogram_percentile(histogram, percents[i]), values[rank > 0 ? rank - 1 : 0], 1.0 / 128);
	}
	assert_true(histogram->least == values[0] && histogram->most == values[VALUES - 1]);
	assert_true(fabs(mm_histogram_mean(histogram) - sum / VALUES) < sum / VALUES * 1e-9);
	free(histogram);
}

static void small_values_are_exact(void **state)
{
	struct mm_histogram *histogram = mm_alloc(sizeof(*histogram));

	(void)state;
	for (uint64_t value = 0; value < 256; value++)
		mm_histogram_add(histogram, value);
	assert_int_equal(mm_histogram_percentile(histogram, 50), 127);
	assert_int_equal(mm_histogram_percentile(histogram, 100), 255);
	free(histogram);
}

static void clients_are_summed(void **state)
{
	struct mm_histogram *one = mm_alloc(sizeof(*one)), *two = mm_alloc(sizeof(*two)),
			    *empty = mm_alloc(sizeof(*empty));

	(void)state;
	assert_int_equal(mm_histogram_percentile(empty, 99), 0);
	assert_true(isnan(mm_histogram_mean(empty)));
	for (int i = 0; i < 99; i++)
		mm_histogram_add(one, 1000);
	mm_histogram_add(two, 500);
	mm_histogram_merge(one, two);
	mm_histogram_merge(one, empty);
	mm_histogram_merge(empty, two);
	assert_int_equal(one->count, 100);
	assert_int_equal(one->least, 500);
	within(mm_histogram_percentile(one, 1), 500, 0.008);
	within(mm_histogram_percentile(one, 2), 1000, 0.008);
	assert_int_equal(empty->least, 500);
	free(one);
	free(two);
	free(empty);
}

static void no_value_is_too_large(void **state)
{
	struct mm_histogram *histogram = mm_alloc(sizeof(*histogram));

	(void)state;
	mm_histogram_add(histogram, UINT64_MAX);
	mm_histogram_add(histogram, 0);
	assert_int_equal(mm_histogram_percentile(histogram, 50), 0);
	assert_true(mm_histogram_percentile(histogram, 100) >= (UINT64_C(1) << 41));
	assert_true(histogram->most == UINT64_MAX);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_right_to_less_than_a_percent),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(clients_are_summed),
		cmocka_unit_test(no_value_is_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
