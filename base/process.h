/*
 * The only place that forks. Every program is started by argv, never by a
 * shell, in a process group of its own, with /dev/null as standard input and
 * no descriptor of ours (but see "terminal").
 *
 * Nothing outlives us: a guardian process, forked with the first program,
 * knows every live group and kills them when our end of its pipe closes, for
 * whatever reason we end (kill -9 included). What programs have left behind in
 * sessions of their own goes when the last of them has ended, where the system
 * can tell it (base/os.h).
 */
#ifndef MM_BASE_PROCESS_H
#define MM_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

struct mm_process_spec {
	char *const *argv;        /* argv[0] is looked up in our own PATH when it holds no slash */
	char *const *env;         /* NULL: mm_process_clean_env() of nobody's home, i.e. never ours */
	const char *cwd;          /* NULL: ours */
	const char *input;        /* a file for standard input, NULL: /dev/null */
	const char *log;          /* stdout and stderr are appended to this file; NULL: see below */
	const char *errors;       /* stderr alone is appended to this file; NULL: it goes where stdout goes */
	struct mm_buffer *output; /* mm_process_run: collects stdout and stderr, 16 MiB at most */
	void (*on_line)(void *context, const char *line); /* mm_process_run: each line of output, as it comes */
	void *context;
	unsigned timeout_seconds; /* mm_process_run: 0 for none */
	enum mm_code unfit;       /* what it is when the program is missing or cannot be executed here; 0: MM_EENV */
	const char *cpus;         /* list such as "0" or "0-3,8"; NULL: anywhere */
	uint64_t memory_bytes, file_bytes; /* most of each process: data segment, size of a file; 0: no limit */
	bool no_aslr;             /* start with address space randomisation off */
	bool piped;               /* mm_process_start: what it prints comes by process->output */
	bool terminal;            /* mm_process_start: with our own standard input, output and error, and our terminal */
};

struct mm_process {
	pid_t pid;       /* also the group; 0: not running */
	int output;      /* of a piped one: to be read without blocking, and closed, by the caller; else -1 */
	bool foreground; /* it was given our terminal, which we take back */
};

struct mm_process_result {
	int exit_status; /* -1 when a signal ended it, or when nobody knows how it ended */
	int signal;      /* 0 when it exited */
	bool timed_out;
	uint64_t wall_ns;
	uint64_t user_ns, system_ns; /* of the program and its waited-for children */
	uint64_t peak_rss_bytes;     /* of its largest process */
};

/*
 * Starts and returns at once. A program that cannot be executed is an error here (spec->unfit), not an exit status
 * later; whatever else hinders is the machine's fault (MM_EENV): no process, descriptor or memory is left.
 */
int mm_process_start(const struct mm_process_spec *spec, struct mm_process *process, struct mm_error *err);

/*
 * Waits at most TIMEOUT_MS (negative: for ever; 0: only looks). Returns 1 when it ended (RESULT is filled,
 * process->pid is 0, the rest of its group was killed), 0 on time-out, MM_EINTERRUPTED after a signal to us.
 */
int mm_process_wait(struct mm_process *process, int timeout_ms, struct mm_process_result *result,
		    struct mm_error *err);

/* Sends SIGNAL to the group and waits GRACE_MS for the program to end, then kills the group. Safe when not running. */
void mm_process_stop(struct mm_process *process, int signal, int grace_ms, struct mm_process_result *result);

/*
 * Runs to the end. Fails only when the program cannot be started or we are interrupted (it is stopped then):
 * its exit status, signal and time-out are in RESULT for the caller to judge.
 */
int mm_process_run(const struct mm_process_spec *spec, struct mm_process_result *result, struct mm_error *err);

/* "exit status 1", "killed by SIGKILL", "timed out": for messages. Writes into TEXT. */
const char *mm_process_describe(const struct mm_process_result *result, char text[64]);

/* Appends PATH, HOME=HOME, LANG=C, LC_ALL=C, TZ=UTC, TMPDIR when set: the environment of everything we start. */
void mm_process_clean_env(struct mm_strings *env, const char *home);

/* Signals: SIGINT, SIGTERM and SIGHUP ask us to stop; a second SIGINT ends us at once. SIGPIPE is ignored, SIGHUP by who was started so. */
void mm_signals_install(void);
int mm_signals_pending(void); /* the signal that asked us to stop, 0 for none */
/* MM_EINTERRUPTED with a text when a signal is pending, else 0. */
int mm_signals_check(struct mm_error *err);
/*
 * CODE, but MM_EINTERRUPTED in place of MM_ECELL when a signal to us is pending or comes within half a second: whoever
 * ends a whole job (Slurm, a service manager) tells its processes one after the other, and what failed may have been told
 * before us. To be asked before a failure is put on record.
 */
int mm_signals_excuse(int code, struct mm_error *err);

#endif
