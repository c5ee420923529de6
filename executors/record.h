/* The run folder's own records: plan.json and cells.json. Private to executors/. */
#ifndef MM_EXECUTORS_RECORD_H
#define MM_EXECUTORS_RECORD_H

#include "base/hash.h"
#include "executors/executor.h"

/* Facts about this machine as plan.json holds them. New reference. */
json_t *mm_record_host(void);

/* SHA-256 of the plan: equal for two matrices that ask for the same. */
void mm_record_plan_digest(const struct mm_matrix *matrix, char hex[MM_SHA256_HEX]);

/*
 * Sets run->folder: the newest run when its digest (plan, builds, machines) is still right and AGAIN is not asked for,
 * else a new one with its plan.json. Cells must be prepared.
 */
int mm_record_open(struct mm_run *run, const struct mm_executor *executor, bool again, struct mm_error *err);

/* The newest run when that is what a call would go on with, else NULL; changes nothing. Allocated. */
char *mm_record_fitting(const struct mm_run *run, const struct mm_executor *executor);

/* Puts HOST, the facts of the machines that measured, into plan.json in place of what was planned. */
int mm_record_set_host(const char *run_folder, json_t *host, struct mm_error *err);

/* Writes cells.json: what became of each cell. */
int mm_record_cells(const struct mm_run *run, struct mm_error *err);

/*
 * Takes the state of the cells that WANTED says (by index, one byte each) from cells.json and the build store, for
 * a worker that prepares nothing. Errors: MM_EENV when cells.json cannot be read; a cell whose build is gone is lost.
 */
int mm_record_load_cells(struct mm_run *run, const bool *wanted, struct mm_error *err);

#endif
