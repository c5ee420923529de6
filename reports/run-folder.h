/* A run folder as it lies on disk, read whole. Private to reports/. */
#ifndef MM_REPORTS_RUN_FOLDER_H
#define MM_REPORTS_RUN_FOLDER_H

#include "reports/samples.h"

/* The passes of one cell in one suite. */
struct mm_run_series {
	struct mm_samples series; /* tests and passes as report.json holds them */
	json_t *variables;        /* SHOW GLOBAL VARIABLES of the first good pass; owned, NULL when there is none */
	size_t planned, good, failed;
};

struct mm_run_folder {
	const char *path;             /* borrowed */
	json_t *document;             /* plan.json; owned */
	json_t *plan;                 /* its "plan", borrowed */
	json_t *cells;                /* cells.json; owned, an empty object before any cell was prepared */
	struct mm_run_series *series; /* in the plan's order of suites, then of cells */
	size_t series_count;
	json_t *places; /* suite name to { cell id to place in series }; owned */
};

/* Errors: MM_EMATRIX, naming the file that is missing or damaged; MM_EENV. */
int mm_run_folder_load(const char *path, struct mm_run_folder *run, struct mm_error *err);
void mm_run_folder_release(struct mm_run_folder *run);

/* NULL when the plan has no such suite or cell. */
const struct mm_run_series *mm_run_folder_series(const struct mm_run_folder *run, const char *suite, const char *cell);

/*
 * The pairs of comparison NUMBER in a suite, as the plan says which visits belong together. One for each planned
 * index, with -1 where a pass is not there.
 */
void mm_run_folder_pairing(const struct mm_run_folder *run, const char *suite, size_t number,
			   const struct mm_samples *baseline, const struct mm_samples *candidate,
			   struct mm_pairing *pairing);

#endif
