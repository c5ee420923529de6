#include "base/counters.h"

#include "base/memory.h"
#include "base/os.h"

enum { COUNTERS = 4 };

#if defined(__linux__) && !defined(MM_OS_PLAIN)

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the order of struct mm_counters. */
static const uint64_t events[COUNTERS] = {
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_BRANCH_MISSES,
};

/* A descriptor for each thread that was there; what a thread starts later is counted with it. */
struct mm_counter_set {
	int *fds[COUNTERS];
	size_t count[COUNTERS], capacity[COUNTERS];
};

/* Not the kernel's part where an ordinary user may not count it. */
static int open_event(uint64_t event, pid_t thread)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = event,
					.inherit = 1,
					.exclude_hv = 1,
					.read_format =
						PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING };
	int fd = (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

/* The errno of a counter that the processor or the system does not have at all, 0 when it is well. */
static int open_thread(struct mm_counter_set *set, pid_t thread)
{
	int why = 0;

	for (int i = 0; i < COUNTERS; i++) {
		int fd = open_event(events[i], thread);

		if (fd < 0) {
			/* a thread may have ended meanwhile */
			why = errno == ESRCH || i > 0 ? why : errno;
			continue;
		}
		set->fds[i] = mm_grow(set->fds[i], set->count[i], &set->capacity[i], sizeof(*set->fds[i]));
		set->fds[i][set->count[i]++] = fd;
	}
	return why;
}

int mm_counters_open(pid_t pid, struct mm_counter_set **out, struct mm_error *err)
{
	struct mm_counter_set *set = mm_alloc(sizeof(*set));
	char path[64];
	const struct dirent *entry;
	int why = 0;
	DIR *tasks;

	*out = NULL;
	(void)snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	tasks = opendir(path);
	if (tasks == NULL)
		why = errno;
	while (tasks != NULL && why == 0 && (entry = readdir(tasks)) != NULL) {
		long thread = strtol(entry->d_name, NULL, 10);

		if (thread > 0)
			why = open_thread(set, (pid_t)thread);
	}
	if (tasks != NULL)
		closedir(tasks);
	if (why != 0) {
		mm_counters_close(set, NULL);
		errno = why;
		return mm_error_errno(err, "no hardware counters");
	}
	*out = set;
	return 0;
}

/* The sum over all threads, scaled up where the processor had to share its counters; closes them. */
static uint64_t take(struct mm_counter_set *set, int which)
{
	double sum = 0;

	for (size_t i = 0; i < set->count[which]; i++) {
		uint64_t values[3] = { 0, 0, 0 }; /* count, nanoseconds wanted, nanoseconds counted */

		if (read(set->fds[which][i], values, sizeof(values)) == (ssize_t)sizeof(values) && values[2] > 0)
			sum += (double)values[0] * ((double)values[1] / (double)values[2]);
		close(set->fds[which][i]);
	}
	return set->count[which] == 0 ? MM_UNKNOWN : (uint64_t)sum;
}

void mm_counters_close(struct mm_counter_set *set, struct mm_counters *counters)
{
	uint64_t values[COUNTERS];

	for (int i = 0; i < COUNTERS; i++) {
		values[i] = set == NULL ? MM_UNKNOWN : take(set, i);
		if (set != NULL)
			free(set->fds[i]);
	}
	free(set);
	if (counters != NULL)
		*counters = (struct mm_counters){ values[0], values[1], values[2], values[3] };
}

#else

int mm_counters_open(pid_t pid, struct mm_counter_set **out, struct mm_error *err)
{
	(void)pid;
	*out = NULL;
	return mm_error_set(err, MM_EENV, "no hardware counters: not known how on this system");
}

void mm_counters_close(struct mm_counter_set *set, struct mm_counters *counters)
{
	(void)set;
	if (counters != NULL)
		*counters = (struct mm_counters){ MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN };
}

#endif
