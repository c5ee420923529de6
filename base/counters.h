/* The processor's own counters of a process, where system and host offer them (virtual machines often do not). */
#ifndef MM_BASE_COUNTERS_H
#define MM_BASE_COUNTERS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* One that the processor lacks is MM_UNKNOWN (base/os.h). */
struct mm_counters {
	uint64_t cycles, instructions, cache_misses, branch_misses;
};

struct mm_counter_set;

/*
 * Counts from now on for all threads of PID and those that they will start. Errors: MM_EENV, saying why there are no
 * counters; *OUT is NULL then.
 */
int mm_counters_open(pid_t pid, struct mm_counter_set **out, struct mm_error *err);

/* Reads into COUNTERS (may be NULL) and ends. SET may be NULL: all is MM_UNKNOWN. */
void mm_counters_close(struct mm_counter_set *set, struct mm_counters *counters);

#endif
