/* The files of a run folder other than passes. Private to executors/. */
#ifndef MM_EXECUTORS_RECORD_H
#define MM_EXECUTORS_RECORD_H

#include "executors/run.h"

/*
 * Finds the run folder to go on with, or makes the next one with its plan.json; sets run->folder. A run fits when
 * the digest in its plan.json is that of today's plan, builds, host and kernel.
 */
int mm_record_open(struct mm_run *run, bool again, struct mm_error *err);
/* Writes cells.json as the cells are now. */
int mm_record_cells(const struct mm_run *run, struct mm_error *err);

#endif
