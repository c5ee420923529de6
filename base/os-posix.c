/* Systems of which only POSIX is known; and Linux with MM_OS_PLAIN, so that this path is compiled and tested. */
#if !defined(__linux__) || defined(MM_OS_PLAIN)

#include <errno.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/os.h"

int mm_os_usage(pid_t pid, struct mm_usage *usage, struct mm_error *err)
{
	*usage = (struct mm_usage){ MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN,
				    MM_UNKNOWN };
	clockid_t clock;
	struct timespec cpu;
	int why = clock_getcpuclockid(pid, &clock);
	if (why || clock_gettime(clock, &cpu)) {
		errno = why ? why : errno;
		return mm_error_errno(err, "cannot read the CPU clock of process %ld", (long)pid);
	}
	usage->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000U + (uint64_t)cpu.tv_nsec;
	return 0;
}

void mm_os_reset_peak(pid_t pid)
{
	(void)pid;
}

void mm_os_machine_time(struct mm_machine_time *time)
{
	*time = (struct mm_machine_time){ MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN };
}

uint64_t mm_os_memory_available(void)
{
	return MM_UNKNOWN;
}

void mm_os_host(struct mm_host *host)
{
	static const char unknown[] = "unknown";
	*host = (struct mm_host){ .cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	struct utsname names;
	if (uname(&names) == 0) {
		(void)snprintf(host->name, sizeof host->name, "%s", names.nodename);
		(void)snprintf(host->os, sizeof host->os, "%s", names.sysname);
		(void)snprintf(host->kernel, sizeof host->kernel, "%s", names.release);
		(void)snprintf(host->machine, sizeof host->machine, "%s", names.machine);
	}
	memcpy(host->cpu, unknown, sizeof unknown);
	memcpy(host->microcode, unknown, sizeof unknown);
	memcpy(host->governor, unknown, sizeof unknown);
	memcpy(host->turbo, unknown, sizeof unknown);
	memcpy(host->smt, unknown, sizeof unknown);
	memcpy(host->thp, unknown, sizeof unknown);
	memcpy(host->aslr, unknown, sizeof unknown);
	memcpy(host->virtualisation, unknown, sizeof unknown);
	host->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void mm_os_close_from(int first)
{
	mm_os_close_by_hand(first);
}

int mm_os_child_die_with_parent(void)
{
	return 0; /* the guardian does it alone */
}

void mm_os_kill_session(pid_t leader)
{
	(void)kill(-leader, SIGKILL);
}

void mm_os_name_process(const char *name)
{
	(void)name;
}

void mm_os_adopt_orphans(void)
{
}

void mm_os_kill_orphans(pid_t keep)
{
	(void)keep;
}

int mm_os_child_pin(const char *cpus)
{
	(void)cpus;
	errno = ENOTSUP;
	return -1;
}

int mm_os_check_cpus(const char *cpus, struct mm_error *err)
{
	return mm_error_set(err, MM_EMATRIX, "CPU list '%s': processes cannot be pinned on this system", cpus);
}

int mm_os_child_no_aslr(void)
{
	errno = ENOTSUP;
	return -1;
}

int mm_os_copy_content(int from, int to)
{
	return mm_os_copy_by_hand(from, to);
}

#else
/* An empty translation unit is not C. */
extern int mm_os_posix_not_used;
#endif
