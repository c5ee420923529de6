#include "cli/eta.h"

double mm_rate_left(const struct mm_rate *rate, double partial, unsigned running, uint64_t now_ns)
{
	if (rate->done >= rate->total)
		return 0;
	double elapsed = rate->began_ns && now_ns > rate->began_ns ? (double)(now_ns - rate->began_ns) / 1e9 : 0;
	double left = (double)(rate->total - rate->done);
	if (partial > 0.02 || (partial > 0 && rate->measured)) {
		double worked = rate->measured + partial;
		double seconds = elapsed / worked * (left - partial);
		return seconds > 0 ? seconds : 0;
	}
	if (!rate->measured)
		return -1;
	/* Jobs that are silent about themselves: as if those that run were half done on the average. */
	double half = running ? 0.5 * running : 0;
	double seconds = elapsed / (rate->measured + half) * (left - half);
	return seconds > 0 ? seconds : 0;
}
