/* The external program of a suite: run beside the server, under the suite's time limits, what it writes kept. */
#ifndef MM_RUNNERS_PROGRAM_H
#define MM_RUNNERS_PROGRAM_H

#include "runners/suite.h"

struct mm_program {
	const char *what;       /* names the output that is kept: "prepare", "4 threads" … */
	struct mm_strings argv; /* owned, as ENV */
	struct mm_strings env; /* assignments beside the clean environment, whose HOME is an empty folder of the pass */
	const char *cwd;       /* NULL: that folder */
	/* What came of it. */
	struct mm_process_result result;
	struct mm_buffer output, errors; /* standard output and error */
};

void mm_program_release(struct mm_program *program);

/*
 * The folder of the pass that programs may write to, made when it is not there: it goes with the server's data.
 * Allocated; NULL with MM_EENV.
 */
char *mm_program_folder(const struct mm_suite_run *run, struct mm_error *err);

/*
 * Runs PROGRAM to its end and appends {"what", "argv", "ended", "wall_ns", "output", "errors"} to extra.outputs of the
 * pass (the last 256 KiB of each). How it ended is for the caller to judge. Errors: MM_EENV when it cannot be started,
 * MM_ECELL when it exceeded the time limit of a test or wrote without end, MM_EINTERRUPTED.
 */
int mm_program_run(struct mm_suite_run *run, struct mm_program *program, struct mm_error *err);

/* For a program that did not end well: its name, test, how it ended and what it said last. Returns MM_ECELL. */
int mm_program_failed(const struct mm_suite_run *run, const struct mm_program *program, struct mm_error *err);
bool mm_program_ended_well(const struct mm_program *program);

/*
 * Runs ARGV where no server is, for checks before a run: what it writes goes to OUTPUT. Errors: MM_EENV when it cannot
 * be started or takes more than a minute.
 */
int mm_program_ask(const struct mm_strings *argv, struct mm_buffer *output, struct mm_process_result *result,
		   struct mm_error *err);

#endif
