/* How long it still takes, from what was measured in this very call; nothing is guessed. Private to cli/. */
#ifndef MM_CLI_ETA_H
#define MM_CLI_ETA_H

#include <stdbool.h>
#include <stdint.h>

/* Equal jobs (builds, passes), perhaps several at a time; some of them turn out to be done already. */
struct mm_rate {
	unsigned done, total;
	unsigned measured; /* jobs that ran to their end here */
	uint64_t began_ns; /* when the first of those began, 0: none has */
};

/*
 * Seconds until all jobs are done, negative when nothing was measured yet. PARTIAL is the sum of what the running
 * jobs have done of themselves, each 0 to 1 (0 when a job does not say).
 */
double mm_rate_left(const struct mm_rate *rate, double partial, unsigned running, uint64_t now_ns);

#endif
