/* What every system here offers through plain POSIX. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"

uint64_t mm_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

uint64_t mm_own_cpu_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void mm_utc_text(char text[32])
{
	struct timespec now;
	struct tm parts;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &parts);
	(void)strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

double mm_os_load(void)
{
	double load;
	return getloadavg(&load, 1) == 1 ? load : -1;
}

void mm_os_close_by_hand(int first)
{
	enum { ENOUGH = 1 << 16 }; /* where the limit is none: closing a milliard would take minutes */
	long limit = sysconf(_SC_OPEN_MAX);
	for (int fd = first; fd < (limit > 0 && limit < ENOUGH ? limit : ENOUGH); fd++)
		(void)close(fd);
}

/* Copies what remains between the two file offsets by read and write: the way that always works. */
int mm_os_copy_by_hand(int from, int to)
{
	char chunk[1 << 16];
	ssize_t got;
	while ((got = read(from, chunk, sizeof chunk)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		for (ssize_t done = 0; done < got;) {
			ssize_t put = write(to, chunk + done, (size_t)(got - done));
			if (put < 0 && errno == EINTR)
				continue;
			if (put < 0)
				return -1;
			done += put;
		}
	}
	return 0;
}
