/* One pass from start to stop: what executors call. */
#ifndef MM_RUNNERS_BENCH_H
#define MM_RUNNERS_BENCH_H

#include "runners/suite.h"

/*
 * Starts a fresh server for PLACE (its data directory made before, mm_datadir_make), runs the suite of SPEC against
 * it and stops it. PASS was initialised and has index, visit and position; the rest is filled here.
 *
 * Errors: MM_ECELL (the server failed, died, or a test exceeded its time limit), MM_EENV (disk full, say): PASS holds
 * the samples so far, failure and log_tail, and can be saved. MM_EMATRIX: no such suite. MM_EINTERRUPTED: PASS is not
 * worth saving. Whatever comes out, nothing of the server is left running.
 */
int mm_pass_run(const struct mm_server_place *place, const struct mm_suite_spec *spec, struct mm_pass *pass,
		struct mm_error *err);

/* The same with a suite that need not be in the table. */
int mm_pass_run_suite(const struct mm_server_place *place, const struct mm_suite *suite,
		      const struct mm_suite_spec *spec, struct mm_pass *pass, struct mm_error *err);

#endif
