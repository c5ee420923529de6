/* What the HTML report draws. Private to reports/. */
#ifndef MM_REPORTS_HTML_PLOTS_H
#define MM_REPORTS_HTML_PLOTS_H

#include <jansson.h>

#include "reports/plot.h"

enum { MM_NO_PLOT = -1 };

/* Deltas with intervals, wall and server CPU, one line per test. Returns the plot's number or MM_NO_PLOT. */
long mm_plot_forest(struct mm_plots *plots, const json_t *comparison);
/* The geometric means of all comparisons. */
long mm_plot_overview(struct mm_plots *plots, const json_t *comparisons);
/* The passes of TEST in their order, both sides and the control. */
long mm_plot_passes(struct mm_plots *plots, const json_t *report, const json_t *comparison, const json_t *test);
/* Rates over client threads, where the suite's tests are thread counts. */
long mm_plot_threads(struct mm_plots *plots, const json_t *report, const json_t *comparison);

/* The entry of "samples" for a cell and suite, NULL when it is not there. */
const json_t *mm_plot_series(const json_t *report, const char *cell, const char *suite);

#endif
