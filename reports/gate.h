/*
 * The gate: does anything regress by more than is allowed? It decides on the
 * interval of the estimate, not on delta_percent, and stores in the report
 * what it decided and why, so that every format can say it.
 */
#ifndef MM_REPORTS_GATE_H
#define MM_REPORTS_GATE_H

#include <jansson.h>

/*
 * Judges REPORT's comparisons and stores the outcome as its "gate". RULE is {"max_regression_percent", "tests"?,
 * "metric"?} as in a plan; NULL or without a limit: there is no gate, and "result" is "none". A gate that is already
 * stored is replaced.
 */
void mm_gate_apply(json_t *report, const json_t *rule);

#endif
