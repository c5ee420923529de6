/* The one sentence that a packager can paste: what to ship, on what evidence, within what limits. */
#ifndef MM_REPORTS_RECOMMEND_H
#define MM_REPORTS_RECOMMEND_H

#include "reports/analysis.h"

/* Allocated. Judged analysis in; says no more than its verdicts do, names every test that stands out. */
char *mm_recommend(const struct mm_analysis *analysis);

#endif
