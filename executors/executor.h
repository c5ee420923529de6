/*
 * An executor: where and when the steps of a plan happen. One small operations struct each, all of them in the table
 * of executors.c; a further one is a file and a row. What the steps are is the same for all: steps.h for builds,
 * bench.h for passes. Private to executors/.
 */
#ifndef MM_EXECUTORS_EXECUTOR_H
#define MM_EXECUTORS_EXECUTOR_H

#include "executors/run.h"

struct mm_executor {
	const char *name;
	/* Settings and programs looked at before anything starts. MM_EMATRIX, MM_EENV. NULL: nothing to look at. */
	int (*check)(const struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);
	/*
	 * The machines that measure, for plan.json's "host"; IDENTITY gets those of its members that must stay the same
	 * for a later call to go on with the run. New reference.
	 */
	json_t *(*host)(const struct mm_run *run, struct mm_strings *identity);
	/*
	 * Does what options->phases says with cells that are prepared: makes every build that is wanted and not there,
	 * calls mm_passes_open, runs every pass that the run folder lacks. Passes may begin as soon as the builds of
	 * their trail are there. Cells that fail are lost (mm_step_lose), the others go on. MM_EENV, MM_EINTERRUPTED.
	 */
	int (*carry_out)(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);
};

extern const struct mm_executor mm_executor_local;
extern const struct mm_executor mm_executor_slurm;

/*
 * Takes the lock of a work folder; closing *LOCK gives it back. When somebody has it: MM_EENV with the pid, or with WAIT
 * that is waited for, which a warning says (MM_EINTERRUPTED).
 */
int mm_work_lock(const char *work, bool wait, int *lock, struct mm_error *err);

/* What is not installed cannot be measured: such cells are lost. For those who have no builds to wait for. */
void mm_passes_require_builds(struct mm_run *run);
/* Before the first pass: finds the run folder that the plan goes on with, or makes one. Errors: MM_EENV. */
int mm_passes_open(struct mm_run *run, const struct mm_executor *executor, const struct mm_run_options *options,
		   struct mm_error *err);

/* RUN without a lock, for workers; mm_run_open is this and the lock of the work folder. Close it in any case. */
void mm_run_init(const struct mm_matrix *matrix, const char *work, struct mm_run *run);

/* The executor that OPTIONS, else the matrix, else nobody (local) names; NULL with MM_EUSAGE. */
const struct mm_executor *mm_executor_choose(const struct mm_run *run, const struct mm_run_options *options,
					     struct mm_error *err);

#endif
