/* The passes of a run, one after the other on this machine. Private to executors/. */
#ifndef MM_EXECUTORS_BENCH_H
#define MM_EXECUTORS_BENCH_H

#include "executors/run.h"

/*
 * Runs every pass that the run folder lacks, in the order of runners/schedule.h. A trail of which a pass is missing
 * is redone whole, so that pairs stay close in time; its earlier passes are kept, renamed *.superseded-<k>.json.
 * A pass that fails is recorded; a cell with three failed passes in a row is given up (cells[].code). Errors: MM_EENV,
 * MM_EINTERRUPTED.
 */
int mm_bench_passes(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);

#endif
