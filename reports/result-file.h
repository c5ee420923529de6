/*
 * Result files: any report.json, or the small form of one cell and one suite,
 *
 * {"mymatrix_result": 1, "cell": "x86-32", "suite": "sql-bench", "run": "r1",
 *  "tests": {"ATIS": {"unit": "s", "better": "lower", "samples": [15.4], "aggregated": true}}}
 *
 * Beside these the small form may hold, at the top, "created", "note", "host" (as in report.json), "client_library",
 * "server_version", "engine", "edition", "scale", and in a test "resolution" (of the clock, in the unit),
 * "server_cpu" (seconds, parallel to samples), "skipped" (a reason) and "operations": {"NAME": {"count", "samples"}},
 * whose samples are seconds; samples may be null where a pass has none. Both forms are loaded into the same series.
 */
#ifndef MM_REPORTS_RESULT_FILE_H
#define MM_REPORTS_RESULT_FILE_H

#include "reports/samples.h"

struct mm_result_file {
	const char *path; /* borrowed */
	json_t *document; /* owned */
	bool small;
	const char *run;           /* NULL when the file does not say */
	struct mm_samples *series; /* every cell and suite that the file holds */
	size_t series_count;
};

/* Errors: MM_EMATRIX with file:line:column and JSON path; MM_EENV when the file cannot be read. */
int mm_result_file_load(const char *path, struct mm_result_file *file, struct mm_error *err);
void mm_result_file_release(struct mm_result_file *file);

/* The cell that CELL (NULL: the only one) means. NULL with ERR set (MM_EUSAGE), which lists the cells there are. */
const char *mm_result_file_cell(const struct mm_result_file *file, const char *cell, struct mm_error *err);
/* The series of CELL in SUITE (NULL: the first there is). NULL when there is none. */
const struct mm_samples *mm_result_file_series(const struct mm_result_file *file, const char *cell, const char *suite);

#endif
