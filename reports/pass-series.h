/* The passes of one cell in one suite, read from their files. Private to reports/. */
#ifndef MM_REPORTS_PASS_SERIES_H
#define MM_REPORTS_PASS_SERIES_H

#include "reports/run-folder.h"

struct mm_pass_series_name {
	const char *run;   /* the run's, NULL: not known */
	const char *suite; /* its name */
	const char *kind;  /* which suite it is, such as "sql-bench" */
	const char *cell;
};

/*
 * All passes of a cell in a suite below the run folder FOLDER; VISITS lists [index, visit], and those without a file
 * are planned only. BEFORE are the tests of another cell, whose memory equal lists share; NULL for none. Errors:
 * MM_EMATRIX with the file that is damaged; MM_EENV.
 */
int mm_pass_series_read(const char *folder, const struct mm_pass_series_name *name, const json_t *visits,
			const json_t *before, struct mm_run_series *out, struct mm_error *err);

#endif
