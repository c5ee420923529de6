#include "runners/histogram.h"

#include <math.h>

/* Values below 2 << BITS have buckets of their own; above, the highest bits choose one. */
static unsigned bucket_of(uint64_t value)
{
	unsigned shift = 0;

	if (value >> MM_HISTOGRAM_TOP != 0)
		value = (UINT64_C(1) << MM_HISTOGRAM_TOP) - 1;
	while (value >> shift >= UINT64_C(2) << MM_HISTOGRAM_BITS)
		shift++;
	return (shift << MM_HISTOGRAM_BITS) + (unsigned)(value >> shift);
}

static uint64_t middle_of(unsigned bucket)
{
	unsigned shift = bucket >> MM_HISTOGRAM_BITS;
	uint64_t low;

	shift = shift > 0 ? shift - 1 : 0;
	low = (uint64_t)(bucket - (shift << MM_HISTOGRAM_BITS)) << shift;
	return low + ((UINT64_C(1) << shift) >> 1);
}

void mm_histogram_add(struct mm_histogram *histogram, uint64_t value)
{
	histogram->counts[bucket_of(value)]++;
	histogram->least = histogram->count == 0 || value < histogram->least ? value : histogram->least;
	histogram->most = value > histogram->most ? value : histogram->most;
	histogram->count++;
	histogram->sum += value;
}

void mm_histogram_merge(struct mm_histogram *into, const struct mm_histogram *from)
{
	if (from->count == 0)
		return;
	for (unsigned i = 0; i < MM_HISTOGRAM_SIZE; i++)
		into->counts[i] += from->counts[i];
	into->least = into->count == 0 || from->least < into->least ? from->least : into->least;
	into->most = from->most > into->most ? from->most : into->most;
	into->count += from->count;
	into->sum += from->sum;
}

uint64_t mm_histogram_percentile(const struct mm_histogram *histogram, double percent)
{
	double wanted = ceil((double)histogram->count * percent / 100);
	uint64_t seen = 0, value;

	for (unsigned i = 0; i < MM_HISTOGRAM_SIZE; i++) {
		seen += histogram->counts[i];
		if (histogram->counts[i] == 0 || (double)seen < wanted)
			continue;
		value = middle_of(i);
		value = value < histogram->least ? histogram->least : value;
		return value > histogram->most ? histogram->most : value;
	}
	return histogram->most;
}

double mm_histogram_mean(const struct mm_histogram *histogram)
{
	return histogram->count == 0 ? NAN : (double)histogram->sum / (double)histogram->count;
}
