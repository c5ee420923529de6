/*
 * One comparison in one suite: two series and their pairing in, rows with
 * verdicts out, as structs and as the JSON object that report.json and
 * `compare` hold in "comparisons".
 */
#ifndef MM_REPORTS_ANALYSIS_H
#define MM_REPORTS_ANALYSIS_H

#include "reports/samples.h"
#include "reports/verdict.h"

/* How far the samples of the two sides belong together. */
enum mm_mode {
	MM_PAIRED,          /* passes of one index, next to each other in time */
	MM_NOT_INTERLEAVED, /* different runs: deltas and intervals, no verdict */
	MM_UNPAIRED         /* different runs, and a rank-sum verdict is asked for all the same */
};

enum {
	MM_WALL,
	MM_SERVER_CPU,
	MM_METRICS
}; /* both primary; MM_WALL is the primary figure, a rate where the unit is one */

struct mm_operation_row {
	const struct mm_samples_operation *baseline, *candidate;
	struct mm_row row;
};

struct mm_test_row {
	const struct mm_samples_test *baseline, *candidate; /* one may be NULL */
	struct mm_row metrics[MM_METRICS];
	enum mm_reason known; /* why there can be no verdict, whatever the samples say */
	bool waiting;         /* server CPU under half of the wall time on a side */
	json_t *answers;      /* where they differ, see answers.h; owned, NULL when they do not */
	char *detail;         /* the same in words, what is missing; NULL when there is nothing to say */
	json_t *operations; /* their rows, judged, as JSON: there can be many, and nothing else asks for them; owned */
};

struct mm_analysis {
	const struct mm_samples *baseline, *candidate; /* borrowed */
	const struct mm_pairing *pairing;              /* borrowed; NULL unless MM_PAIRED */
	enum mm_mode mode;
	struct mm_thresholds thresholds;
	size_t pairs; /* passes of both sides that are there and good */
	size_t planned_pairs;
	struct mm_test_row *tests; /* in the baseline's order, then what only the candidate has */
	size_t test_count;
	struct mm_row geomean[MM_METRICS];
	size_t geomean_tests[MM_METRICS]; /* tests that both sides have */
};

struct mm_analysis_input {
	const struct mm_samples *baseline, *candidate;
	const struct mm_pairing *pairing; /* not looked at unless MM_PAIRED */
	enum mm_mode mode;
	bool identical;  /* the two cells' server programs are the same */
	bool other_work; /* the sides did not do the same work (scale, edition …): their answers are bound to differ */
	struct mm_thresholds thresholds;
};

/* Computes all rows and judges tests and operations; the geometric means wait for mm_analysis_judge_geomeans. */
void mm_analysis_make(const struct mm_analysis_input *input, struct mm_analysis *out);
/* Judges the geometric means: one family for each suite and metric over all comparisons. */
void mm_analysis_judge_geomeans(struct mm_analysis *all, size_t count);
void mm_analysis_release(struct mm_analysis *analysis);

/* {"baseline", "candidate", "suite", …, "geomean", "tests"}. New reference. */
json_t *mm_analysis_json(const struct mm_analysis *analysis);

/* Rows of operations as a JSON array. New reference. */
json_t *mm_operations_json(const struct mm_operation_row *rows, size_t count);

#endif
