/* Applying patches by GNU patch: offsets are fine, fuzz is not. Private. */
#ifndef MM_BUILDERS_PATCH_H
#define MM_BUILDERS_PATCH_H

#include "builders/job.h"
#include "builders/series.h"

/*
 * Applies PATCH to the tree in FOLDER, as a part of JOB's stage that has begun. Errors: MM_ECELL, naming patch, file
 * and hunk.
 */
int mm_patch_apply(struct mm_job *job, const struct mm_patch *patch, const char *folder, struct mm_error *err);

/* The arguments of patch, program included. */
void mm_patch_arguments(const struct mm_patch *patch, const char *folder, struct mm_strings *argv);

/* How many hunks were applied, as the OUTPUT of a run says. */
unsigned mm_patch_count(const char *output);

/* What the OUTPUT of a failed run says of the patch called NAME, in one line. Allocated. */
char *mm_patch_explain(const char *name, const char *output);

#endif
