/* Summaries, ratios, ranks and the adjustment for many tests. */
#include "reports/statistics.h"

#include <math.h>

#include "base/memory.h"

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void mm_sort_values(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
}

void mm_summary_make(const double *values, size_t count, struct mm_summary *out)
{
	double *sorted = mm_calloc(count + 1, sizeof(*sorted));
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (isfinite(values[i]))
			sorted[n++] = values[i];
	*out = (struct mm_summary){ n, NAN, NAN, NAN, NAN, NAN };
	if (n > 0) {
		mm_sort_values(sorted, n);
		for (size_t i = 0; i < n; i++)
			sum += sorted[i] / (double)n; /* divided first: a sum of huge values may overflow */
		for (size_t i = 0; i < n; i++)
			squares += (sorted[i] - sum) * (sorted[i] - sum);
		out->mean = sum;
		out->median = sorted[(n - 1) / 2] / 2 + sorted[n / 2] / 2;
		out->min = sorted[0];
		out->max = sorted[n - 1];
		if (n > 1)
			out->sd = sqrt(squares / (double)(n - 1));
	}
	free(sorted);
}

static bool positive(double value)
{
	return isfinite(value) && value > 0;
}

double mm_delta_percent(double baseline, double candidate, bool higher_is_better)
{
	if (!positive(baseline) || !positive(candidate))
		return NAN;
	return ((higher_is_better ? candidate / baseline : baseline / candidate) - 1) * 100;
}

double mm_log_ratio(double baseline, double candidate, bool higher_is_better)
{
	if (!positive(baseline) || !positive(candidate))
		return NAN;
	return higher_is_better ? log(candidate / baseline) : log(baseline / candidate);
}

double mm_percent_of_log(double log_ratio)
{
	return expm1(log_ratio) * 100;
}

double mm_geometric_mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!positive(values[i]))
			return NAN;
		sum += log(values[i]);
	}
	return count > 0 ? exp(sum / (double)count) : NAN;
}

struct ranked {
	double value;
	size_t place;
};

static int by_ranked_value(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

/* Values that agree to 12 digits: log(2.2/2) and log(1.1/1) are the same ratio, whatever rounding made of them. */
static bool tied(double low, double high)
{
	return high - low <= 1e-12 * fmax(fabs(low), fabs(high));
}

bool mm_double_ranks(const double *values, size_t count, size_t *ranks)
{
	struct ranked *sorted = mm_calloc(count + 1, sizeof(*sorted));
	bool ties = false;

	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){ values[i], i };
	qsort(sorted, count, sizeof(*sorted), by_ranked_value);
	for (size_t first = 0, last; first < count; first = last + 1) {
		for (last = first; last + 1 < count && tied(sorted[first].value, sorted[last + 1].value); last++)
			ties = true;
		for (size_t i = first; i <= last; i++) /* ranks first+1 … last+1: twice their mean */
			ranks[sorted[i].place] = first + last + 2;
	}
	free(sorted);
	return ties;
}

void mm_benjamini_hochberg(const double *p, size_t count, double *adjusted)
{
	struct ranked *sorted = mm_calloc(count + 1, sizeof(*sorted));
	double least = 1;
	size_t m = 0;

	for (size_t i = 0; i < count; i++) {
		adjusted[i] = NAN;
		if (isfinite(p[i]))
			sorted[m++] = (struct ranked){ p[i], i };
	}
	qsort(sorted, m, sizeof(*sorted), by_ranked_value);
	for (size_t j = m; j > 0; j--) {
		least = fmin(least, sorted[j - 1].value * (double)m / (double)j);
		adjusted[sorted[j - 1].place] = least;
	}
	free(sorted);
}
