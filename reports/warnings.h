/*
 * What a reader must know before believing the figures. Each warning is
 * {"kind", "text", "cell"?, "comparison"?, "suite"?}.
 */
#ifndef MM_REPORTS_WARNINGS_H
#define MM_REPORTS_WARNINGS_H

#include "reports/analysis.h"
#include "reports/run-folder.h"

struct mm_warning_place {
	const char *cell, *comparison, *suite; /* each may be NULL */
};
void mm_warning_add(json_t *list, const char *kind, const struct mm_warning_place *place, const char *format, ...)
	MM_PRINTF(4, 5);

/* Failed cells, failed and missing passes, noise, the flag audit. */
void mm_warnings_of_cells(json_t *list, const struct mm_run_folder *run);
/*
 * More than one axis changed, engines and versions that differ, pairs that are missing, wrong answers. CELLS: baseline and
 * candidate as the report has them, NULL where it does not.
 */
void mm_warnings_of_comparison(json_t *list, const char *id, const json_t *changed, const struct mm_analysis *analysis,
			       const json_t *variables, const json_t *const cells[2]);

#endif
