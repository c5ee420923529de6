/*
 * A series: the samples of one cell in one suite, pass by pass, whatever they
 * came from. Its JSON form is what report.json holds in "samples":
 *
 * {"cell", "suite", "passes": [{"index", "visit", "position", "failure"?, …}],
 *  "tests": [{"test", "unit", "better", "values": […], "server_cpu_seconds": […], …,
 *             "operations": {"NAME": […]}, "operation_counts": {"NAME": n}}]}
 *
 * Every array is parallel to "passes"; null where the pass has no such sample. Operations are wall seconds.
 */
#ifndef MM_REPORTS_SAMPLES_H
#define MM_REPORTS_SAMPLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct mm_samples_operation {
	const char *name;
	int64_t count;
	double *wall; /* seconds; all arrays: one for each pass, NaN where there is none */
};

struct mm_samples_test {
	const json_t *json;      /* borrowed from the series */
	const char *name, *unit; /* borrowed from the JSON, as all strings here */
	bool higher_is_better;
	bool aggregated;             /* the values are means of passes that are not known */
	double resolution;           /* of the value's clock, in its unit; 0: does not apply */
	double operation_resolution; /* the same for its operations, in seconds */
	const char *skipped;         /* reason, NULL when it ran in some pass */
	double *value;
	double *wall;          /* seconds */
	double *server_cpu;    /* seconds; of a rate: seconds per event, see mm_samples_cpu_unit */
	const char **checksum; /* of the answers, NULL where not computed */
	struct mm_samples_operation *operations;
	size_t operation_count;
};

struct mm_samples_pass {
	int index, visit, position; /* position 0: unknown */
	bool failed;
};

struct mm_samples {
	json_t *json;   /* owned reference */
	json_t *places; /* test name to place in tests; owned */
	const char *cell, *suite;
	struct mm_samples_pass *passes;
	size_t pass_count;
	struct mm_samples_test *tests;
	size_t test_count;
};

/* Takes a new reference to JSON. Errors: MM_EMATRIX with the JSON path below PLACE. */
int mm_samples_load(json_t *json, const char *place, struct mm_samples *series, struct mm_error *err);
void mm_samples_release(struct mm_samples *series);

const struct mm_samples_test *mm_samples_find(const struct mm_samples *series, const char *test); /* NULL: none */
/* The place of a pass, -1 when it is not there. VISIT 0: none. */
int mm_samples_pass_place(const struct mm_samples *series, int index, int visit);
/* "s" for times; "s/event" for a rate such as "events/s", whose CPU is divided by the work done. */
const char *mm_samples_cpu_unit(const struct mm_samples_test *test);

/* Which passes of two series belong together: places in their passes, -1 where there is none. */
struct mm_pairing {
	struct {
		int baseline, candidate, control;
	} * pairs;
	size_t count;
};
/*
 * Pairs by pass index; where an index was visited more than once, the two passes that stand nearest to each other in
 * the order. For result files of the same run, whose plan is not at hand.
 */
void mm_pairing_by_index(const struct mm_samples *baseline, const struct mm_samples *candidate,
			 struct mm_pairing *pairing);
void mm_pairing_release(struct mm_pairing *pairing);

#endif
