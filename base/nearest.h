/* The nearest of some names to a misspelt one: for messages that say "did you mean". */
#ifndef MM_BASE_NEAREST_H
#define MM_BASE_NEAREST_H

#include "base/buffer.h"

/*
 * The item of NAMES with the smallest edit distance (insert, delete, replace, swap of neighbours; upper and lower
 * case are alike) to WORD, if that is at most a third of the longer one's length; else NULL. Borrowed.
 */
const char *mm_nearest(const char *word, const struct mm_strings *names);

#endif
