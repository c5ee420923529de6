/* Runs a suite under supervision. */
#ifndef MM_RUNNERS_SUPERVISE_H
#define MM_RUNNERS_SUPERVISE_H

#include "runners/suite.h"

/*
 * Runs SUITE in a thread, pinned to the client's CPUs when the schedule says so, while this thread watches: when a
 * signal asks us to stop, the test under way or the whole pass exceeds its time limit, the server hangs, or the disk is
 * full, the server's group is killed, so that a call of the client library that is blocked in it fails, and the watch is over.
 * Returns the suite's result with the true reason in ERR: the signal, the limit, the disk (MM_EENV), or how the server
 * died. The thread is gone then; the server may be.
 */
int mm_supervise(const struct mm_suite *suite, struct mm_suite_run *run, struct mm_error *err);

#endif
