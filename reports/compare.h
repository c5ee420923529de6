/* Deltas of any two result files, across runs and machines. */
#ifndef MM_REPORTS_COMPARE_H
#define MM_REPORTS_COMPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

struct mm_compare_options {
	const char *baseline_cell,
		*candidate_cell; /* NULL: the only cell of the file; candidate: first the baseline's */
	const char *suite;       /* NULL: every suite that both have */
	bool unpaired;           /* verdicts on different runs, by the rank-sum test, with the caveat attached */
	double effect_percent, equivalence_percent; /* 0: 1 and 2 */
	const json_t *gate; /* {"max_regression_percent", "tests"?, "metric"?}, NULL: none; borrowed */
};

/*
 * Two files of the same run are paired by pass index; two cells of one report.json are such. Files of different runs
 * were not interleaved: deltas and intervals, no verdict unless OPTIONS->unpaired. The result is a report, for every
 * renderer. Errors: MM_EMATRIX for a damaged file, MM_EUSAGE for a cell or suite that is not there, MM_EENV.
 */
int mm_compare_files(const char *baseline, const char *candidate, const struct mm_compare_options *options,
		     json_t **report, struct mm_error *err);

#endif
