/*
 * Latencies, counted in buckets whose width is at most 1/128 of their value: a percentile is right to 0.8%, whatever
 * its size, and a client needs 36 KiB for it. Percentiles of several clients come out of the sum, never out of an
 * average.
 */
#ifndef MM_RUNNERS_HISTOGRAM_H
#define MM_RUNNERS_HISTOGRAM_H

#include <stdint.h>

enum {
	MM_HISTOGRAM_BITS = 7, /* of a value that its bucket keeps */
	MM_HISTOGRAM_TOP = 42, /* bits of the largest value: 73 minutes */
	MM_HISTOGRAM_SIZE = (MM_HISTOGRAM_TOP - MM_HISTOGRAM_BITS + 1) << MM_HISTOGRAM_BITS
};

struct mm_histogram {
	uint64_t counts[MM_HISTOGRAM_SIZE];
	uint64_t count, sum, least, most; /* of the values themselves; LEAST counts only with COUNT */
};

/* A zeroed one is empty. Larger values than the buckets reach count as the largest. */
void mm_histogram_add(struct mm_histogram *histogram, uint64_t value);
void mm_histogram_merge(struct mm_histogram *into, const struct mm_histogram *from);
/* The smallest value that at least PERCENT of all do not exceed: the middle of its bucket, within least and most. 0:
 * empty. */
uint64_t mm_histogram_percentile(const struct mm_histogram *histogram, double percent);
double mm_histogram_mean(const struct mm_histogram *histogram); /* NaN: empty */

#endif
