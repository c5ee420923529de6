/*
 * Keys that are written twice. jansson can refuse them too, but does not say where in the document, and would refuse
 * a second "//" comment in one object, which is no mistake.
 */
#ifndef MM_MATRIX_DUPLICATES_H
#define MM_MATRIX_DUPLICATES_H

#include "matrix/reader.h"

/* reader->text must be JSON. MM_EMATRIX for the first key that stands in an object already. */
int mm_duplicates_check(struct mm_reader *reader);

#endif
