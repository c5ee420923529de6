/*
 * What differs between operating systems, one file each: os-linux.c, and
 * os-posix.c with what plain POSIX offers. A figure that the system does not
 * offer is MM_UNKNOWN, never 0.
 */
#ifndef MM_BASE_OS_H
#define MM_BASE_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define MM_UNKNOWN UINT64_MAX

/* Monotonic nanoseconds. */
uint64_t mm_now_ns(void);
/* CPU nanoseconds of this process, all threads. */
uint64_t mm_own_cpu_ns(void);
/* Seconds since 1970 as "2026-11-30T10:56:23Z". */
void mm_utc_text(char text[32]);

/* What a process (all its threads, ended ones included) has used since it started. */
struct mm_usage {
	uint64_t cpu_ns;
	uint64_t peak_rss_bytes;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches; /* of live threads */
	uint64_t read_bytes, write_bytes;                  /* at the storage layer */
};
int mm_os_usage(pid_t pid, struct mm_usage *usage, struct mm_error *err);
/* Resets the peak of PID's resident set to its present size, where the system can. */
void mm_os_reset_peak(pid_t pid);

/* Whole machine, cumulative since boot, in nanoseconds of CPU time. */
struct mm_machine_time {
	uint64_t busy_ns; /* all processes, kernel included */
	uint64_t idle_ns;
	uint64_t steal_ns; /* taken by the hypervisor */
};
void mm_os_machine_time(struct mm_machine_time *time);
/* Memory that programs could get now without swapping anything out; MM_UNKNOWN when the system does not say. */
uint64_t mm_os_memory_available(void);
double mm_os_load(void); /* one-minute load average, negative when unknown */

/* Facts about this host for reports; strings are "unknown" where the system does not say. */
struct mm_host {
	char name[128];
	char os[80], kernel[128], machine[80];
	char cpu[128], microcode[32], governor[32], turbo[32], smt[32], thp[64], aslr[32], virtualisation[64];
	unsigned cpus;
	uint64_t memory_bytes;
};
void mm_os_host(struct mm_host *host);

/* Called in a child between fork and exec: async-signal-safe. Return 0 or -1 with errno. */
int mm_os_child_die_with_parent(void);
/*
 * Kills the group LEADER and, where the system says which they are, every process of its session, whatever group it has
 * put itself into. For the leader's parent or the guardian; the leader may be dead.
 */
void mm_os_kill_session(pid_t leader);
/*
 * What a program has started and left behind, in a session of its own, becomes a child of ours where the system can do
 * that, instead of nobody's. For a process without children; one that has some already is given nothing, since these
 * may be others'.
 */
void mm_os_adopt_orphans(void);

/* What lists of processes call this one, where that can be said: at most 15 bytes. */
void mm_os_name_process(const char *name);
/* Kills and reaps what has been adopted. For when no program of ours lives; KEEP is our only other child, and as old.
 */
void mm_os_kill_orphans(pid_t keep);
/* Closes every descriptor from FIRST on. Async-signal-safe. */
void mm_os_close_from(int first);
/* The way that always works: one after the other. */
void mm_os_close_by_hand(int first);
int mm_os_child_pin(const char *cpus);
int mm_os_child_no_aslr(void);
/* Checks a CPU list such as "0-3,8" against this machine. */
int mm_os_check_cpus(const char *cpus, struct mm_error *err);

/* Copies a file's content from descriptor to descriptor: reflink, else in-kernel copy, else read and write. 0 or -1. */
int mm_os_copy_content(int from, int to);
/* The way that always works: read and write. */
int mm_os_copy_by_hand(int from, int to);

#endif
