/* How long a plan takes and what of it is there already, from what this work folder has measured; nothing is guessed. */
#ifndef MM_EXECUTORS_ESTIMATE_H
#define MM_EXECUTORS_ESTIMATE_H

#include "executors/look.h"

struct mm_estimate_times {
	size_t built, failed, absent, lost; /* builds by state; lost: source or compiler is not there */
	double build_seconds;               /* of all that are absent; negative: none was measured yet */
	unsigned passes;                    /* of the whole plan */
	double pass_seconds;                /* of all of them; negative: a suite was never measured with these settings */
};

void mm_estimate_times(const struct mm_look *look, struct mm_estimate_times *times);
/* {"built", "failed", "absent", "lost", "build_seconds", "passes", "pass_seconds"}, unknown figures null. New reference. */
json_t *mm_estimate_json(const struct mm_estimate_times *times);

#endif
