/* The steps of a plan that are the same whoever carries them out. Private to executors/. */
#ifndef MM_EXECUTORS_STEPS_H
#define MM_EXECUTORS_STEPS_H

#include "executors/run.h"

/* The cell is out: says so and keeps the reason. WHY is empty afterwards. */
void mm_step_lose(struct mm_run *run, const struct mm_cell *cell, const char *stage, struct mm_error *why);

/* Is the build of a prepared CELL to be made? */
bool mm_step_is_wanted(const struct mm_run *run, const struct mm_cell *cell);

/*
 * Takes over what is there of CELL's build, or what another process has made of it: build.json says it. When there is
 * none the cell is lost, WHY being the reason (NULL: not known); and so it is when the build has failed. Errors:
 * MM_EENV.
 */
int mm_step_collect(struct mm_run *run, const struct mm_cell *cell, const char *why, struct mm_error *err);

/*
 * Makes the build of a prepared CELL unless it is there, under the lock of its key: two processes that want the same
 * build make it once. Files that other builds have too are shared. Errors: as mm_build_make.
 */
int mm_step_build(struct mm_run *run, const struct mm_cell *cell, struct mm_error *err);

#endif
