/*
 * The report: deltas and verdicts of a finished (or half finished) run folder,
 * as JSON (schema 1, docs/report.schema.json) and as what people read. Every
 * renderer takes the same JSON object, so a report can be rendered again later.
 */
#ifndef MM_REPORTS_REPORT_H
#define MM_REPORTS_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include "matrix/matrix.h"

/*
 * Builds the report of <run_folder> from plan.json and the passes. Nothing but those files is read. New reference in
 * *OUT. Errors: MM_EMATRIX (not a run folder, a file is damaged: named), MM_EENV.
 */
int mm_report_make(const char *run_folder, json_t **out, struct mm_error *err);

struct mm_report_format {
	const char *name; /* "json", "table", "markdown", "csv", "junit", "html" */
	const char *ending; /* of files that hold it, ".html" */
	int (*render)(const json_t *report, struct mm_buffer *out, struct mm_error *err);
	bool appends; /* never looks back at OUT, which may drain */
};
const struct mm_report_format *mm_report_format_find(const char *name); /* NULL: none */
const struct mm_report_format *mm_report_format_of_file(const char *path); /* by its ending; NULL: none */
const struct mm_report_format *mm_report_formats(void);                 /* ended by a NULL name */

/* Saves REPORT as the json format writes it, atomically. */
int mm_report_save(const char *path, const json_t *report, struct mm_error *err);

/*
 * Decides the gate of REPORT anew. What is not given stays as it is stored: a negative limit, no TESTS (NULL or empty;
 * "*" means all), no METRIC. Errors: MM_EUSAGE when there is no limit at all.
 */
int mm_report_gate(json_t *report, double max_regression_percent, const struct mm_strings *tests, const char *metric,
		   struct mm_error *err);

/* What the gate and the samples decide: 0, MM_EREGRESSION, MM_ECELL or MM_EUNDECIDED, the most serious first. */
int mm_report_decide(const json_t *report);

#endif
