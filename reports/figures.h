/* Figures of cells that no comparison is about. Private to reports/. */
#ifndef MM_REPORTS_FIGURES_H
#define MM_REPORTS_FIGURES_H

#include <jansson.h>

/*
 * One entry for each cell and suite that was measured and stands in no comparison of REPORT (new reference):
 *
 * [{"cell", "suite", "passes": n, "tests": [{"test", "unit", "mean", "sd_percent", "server_cpu"}]}]
 *
 * "passes" counts those that did not fail; figures that there are not are null. "server_cpu" is the mean in seconds.
 */
json_t *mm_figures_alone(const json_t *report);

#endif
