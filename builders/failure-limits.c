/* Limits that a matrix sets to what its cells run, as the reason of a failure. */
#include "builders/failure.h"

#include <ctype.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/memory.h"

/* What programs and servers say when the kernel gives them no more, and what is said of those that it ends. */
static const char *const of_memory[] = {
	"annot allocate memory",
	"out of dynamic memory",
	"out of memory",
	"Out of memory",
	"memory exhausted",
	"bad_alloc",
	"Not enough memory",
	"rrno: 12",
	"rrno 12",
	"Errcode: 12",
	"error number 12",
	"MemoryError",
	NULL,
};
static const char *const of_file[] = {
	"File size limit exceeded", "SIGXFSZ", "File too large", "rrno: 27", "rrno 27", "Errcode: 27",
	"error number 27",          NULL,
};

/* Whoever gets no memory may be unable to say even that. */
static const char *const of_crash[] = {
	"internal compiler error",
	"PLEASE submit a bug report",
	"killed by SIG",
	"Segmentation fault",
	"Aborted",
	"terminated with signal",
	NULL,
};

bool mm_failure_says(const char *text, const char *const *signs)
{
	for (; *signs; signs++) {
		for (const char *at = text; (at = strstr(at, *signs)); at++)
			if (!isdigit((unsigned char)at[strlen(*signs)]))
				return true;
	}
	return false;
}

char *mm_failure_limit_of_caller(const struct mm_limits *limits, const char *text)
{
	static const int kinds[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit limit;
	if (limits->memory_mib || !mm_failure_says(text, of_memory))
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (getrlimit(kinds[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			return mm_format("processes may take no more than %llu MiB here: raise 'ulimit -%c' and run the same "
					 "command again",
					 (unsigned long long)limit.rlim_cur >> 20, kinds[i] == RLIMIT_AS ? 'v' : 'd');
	return NULL;
}

char *mm_failure_limit(const struct mm_limits *limits, const char *text, bool crashed)
{
	bool memory = limits->memory_mib > 0, file = limits->file_mib > 0;
	if (memory && mm_failure_says(text, of_memory))
		return mm_format("it needs more memory than \"limits.memory_mib\": %d allows each process: raise it",
				 limits->memory_mib);
	if (file && mm_failure_says(text, of_file))
		return mm_format("it writes a larger file than \"limits.file_mib\": %d allows: raise it",
				 limits->file_mib);
	if ((!memory && !file) || mm_failure_disk_full(text) || (!crashed && !mm_failure_says(text, of_crash)))
		return NULL;
	if (memory && file)
		return mm_format(
			"it may need more than \"limits.memory_mib\": %d or \"limits.file_mib\": %d allows: raise them",
			limits->memory_mib, limits->file_mib);
	return mm_format("it may need more than \"limits.%s\": %d allows: raise it", memory ? "memory_mib" : "file_mib",
			 memory ? limits->memory_mib : limits->file_mib);
}
