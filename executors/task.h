/*
 * What a process that does part of a run on somebody's behalf (one of mymatrix's own on this machine, or a task of a
 * queue) has to know, as a JSON object in a file:
 *
 *   "matrix", "text"  path and content of MATRIX.json: it may be edited while the run goes on
 *   "overrides"       what the command line changed, and which commits the refs of git sources were
 *   "work"            the work folder
 *   "retry_failed"    failed builds are tried again
 *
 * Private to executors/.
 */
#ifndef MM_EXECUTORS_TASK_H
#define MM_EXECUTORS_TASK_H

#include "executors/executor.h"

/* Of a run whose cells are prepared. New reference. */
json_t *mm_task_record(const struct mm_run *run, const struct mm_run_options *options);

struct mm_task {
	struct mm_matrix *matrix;
	struct mm_run run; /* without a lock, and nothing prepared */
};

/* Errors: as mm_matrix_load. Close it in any case. */
int mm_task_open(const json_t *record, struct mm_task *task, struct mm_error *err);
void mm_task_close(struct mm_task *task);

/*
 * Makes the build of a cell, which has the KEY that was asked for: other compilers on another machine give another.
 * PLACE: of what it is said ("this machine", "node 'n1'"). Errors: MM_ECELL, MM_EENV, MM_EINTERRUPTED.
 */
int mm_task_build(struct mm_task *task, const char *cell_id, const char *key, const char *place, struct mm_error *err);

#endif
