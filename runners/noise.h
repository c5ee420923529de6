/*
 * What else the machine did during a pass. Recorded beside the samples; a noisy pass is flagged, never dropped.
 *
 * {"other_cpu_percent": 1.2, "steal_percent": 0, "load_before": 0.9, "load_after": 1.1, "noisy": false, "reasons": []}
 *
 * other_cpu_percent: CPU time that was neither the server's nor ours, 100 being one CPU all the time. steal_percent:
 * what the hypervisor took, of all CPUs. A figure that the system does not offer is null. The load averages are there
 * to be read, not judged: they still hold our own last passes and, at the start, the compilation.
 */
#ifndef MM_RUNNERS_NOISE_H
#define MM_RUNNERS_NOISE_H

#include <jansson.h>

#include "base/os.h"

struct mm_noise {
	struct mm_machine_time machine;
	uint64_t wall_ns, server_cpu_ns, client_cpu_ns;
	double load;
	pid_t server;
};

/* SERVER: the running server's process. */
void mm_noise_begin(struct mm_noise *noise, pid_t server);
json_t *mm_noise_end(const struct mm_noise *noise); /* new reference */

/* The judgement alone, from what passed meanwhile; MM_UNKNOWN where the system does not say. New reference. */
struct mm_noise_span {
	uint64_t wall_ns, busy_ns, idle_ns, steal_ns, server_cpu_ns, client_cpu_ns;
	double load_before, load_after;
};
json_t *mm_noise_judge(const struct mm_noise_span *span);

#endif
