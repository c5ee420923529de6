/* Flag sets "from": what a distribution's build environment would inject, asked of its own tools on this machine. */
#ifndef MM_TOOLCHAINS_ORIGIN_H
#define MM_TOOLCHAINS_ORIGIN_H

#include "matrix/matrix.h"

/*
 * Fills the origin of every flag set that a cell uses, itself or through others; mm_flags_resolve puts it in front of
 * the set's own words. Each tool is asked once. Errors: MM_EMATRIX with the place, when a tool is not there or fails.
 */
int mm_flag_origins(struct mm_matrix *matrix, struct mm_error *err);

#endif
