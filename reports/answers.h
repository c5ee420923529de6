/* Where the answers of a test part: the statement, or at least the operation. Private to reports/. */
#ifndef MM_REPORTS_ANSWERS_H
#define MM_REPORTS_ANSWERS_H

#include "reports/analysis.h"

/*
 * The answers differ when any two passes, of either side, disagree; one that was not computed agrees with all. NULL
 * when none differ, else a new reference:
 *
 * {"operation"?, "statement"?, "statement_number"?, "exact": is it the very first statement, or the operation's first,
 *  "sides": [{"cell", "pass", "checksum", "operation_checksum"?}, …]: two passes that disagree, the baseline's first}
 */
json_t *mm_answers_difference(const struct mm_samples *baseline, const struct mm_samples_test *b,
			      const struct mm_samples *candidate, const struct mm_samples_test *c);

/* The same in words, with how many passes answered what. Allocated. */
char *mm_answers_text(const json_t *difference, const struct mm_samples *baseline, const struct mm_samples_test *b,
		      const struct mm_samples *candidate, const struct mm_samples_test *c);

#endif
