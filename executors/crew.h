/*
 * Builds on this machine, several cells at a time: configure, link and install of one use one CPU, and the compilation
 * of another fills the rest. Each is a process of mymatrix's own ("worker FOLDER CELL KEY"), and what all of them
 * compile shares one budget (base/jobserver.h). <work>/jobs/task.json says what the workers have to know. Private to
 * executors/.
 */
#ifndef MM_EXECUTORS_CREW_H
#define MM_EXECUTORS_CREW_H

#include "executors/run.h"

/* How many cells are built at the same time with so many jobs. */
unsigned mm_crew_size(int jobs);

/*
 * Makes every build that is wanted and not there, one for each key. A cell that fails is lost and the others go on.
 * Errors: MM_EENV and MM_EINTERRUPTED end all of them; what they have done so far is gone on with by a later call.
 */
int mm_crew_build(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);

/* A worker's life: makes the build KEY of CELL. What comes of it is said on standard output (relay.h); returns 0. */
int mm_crew_work(const char *folder, const char *cell, const char *key, struct mm_error *err);

#endif
