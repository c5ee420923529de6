/*
 * A suite: one small operations struct per kind, all of them in the table of
 * suites.c. A further suite is one file and one row of that table.
 */
#ifndef MM_RUNNERS_SUITE_H
#define MM_RUNNERS_SUITE_H

#include "base/counters.h"
#include "runners/pass.h"
#include "runners/server.h"

struct mm_suite_run {
	const struct mm_suite_spec *spec;
	struct mm_server *server;
	struct mm_pass *pass; /* samples are added here */
};

struct mm_suite {
	const char *name;
	/*
	 * Can it run here with this spec (programs, scripts, names)? Before any compilation. MM_EMATRIX or MM_EENV; the
	 * caller says which suite it is.
	 */
	int (*check)(const struct mm_suite_spec *spec, struct mm_error *err);
	/*
	 * Runs all selected tests in order against the running server, adding a sample for each. MM_ECELL when the
	 * server died or refused: the samples so far stay. MM_EINTERRUPTED passes through. It is called in a thread of
	 * its own: when we are asked to stop, or a test exceeds its time limit, the server is killed, calls of the
	 * client library fail, and the suite just returns that error; mm_pass_run puts the true reason in its place.
	 */
	int (*run)(struct mm_suite_run *run, struct mm_error *err);
	/* Tests, operations and counts at this spec, as JSON for `mymatrix suites`. New reference. */
	json_t *(*describe)(const struct mm_suite_spec *spec);
};

/* NULL when there is no such suite. */
const struct mm_suite *mm_suite_find(const char *name);
/* The table, ended by a NULL pointer. */
const struct mm_suite *const *mm_suite_all(void);

/*
 * Brackets of a test: usage of server and client before and after go into TEST, wall time included; its value becomes
 * the wall seconds unless the suite has set one. The test's time limit runs between them. Every begin has its end,
 * whatever happened in between.
 */
struct mm_measure {
	struct mm_usage before;
	struct mm_counter_set *counters;
	uint64_t wall_ns, client_cpu_ns;
	int have_usage;
};
void mm_measure_begin(struct mm_measure *measure, const struct mm_server *server);
void mm_measure_end(struct mm_measure *measure, const struct mm_server *server, struct mm_test_sample *test);

/* CPU nanoseconds of the client: this process and its children that have ended. */
uint64_t mm_measure_client_cpu_ns(void);

#endif
