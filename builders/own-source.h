/* Private copies of source trees, for builds that must write into theirs: the shared one is never touched. */
#ifndef MM_BUILDERS_OWN_SOURCE_H
#define MM_BUILDERS_OWN_SOURCE_H

#include "builders/job.h"

/* Does JOB's recipe change or generate source files? */
bool mm_own_source_needed(const struct mm_job *job);

/*
 * Copies the tree of JOB to FOLDER, which must not exist, makes the recipe's edits, runs what it generates and gives
 * every file one and the same time, so that no make finds one older than another. As a part of the stage that has
 * begun. Errors: MM_ECELL when an edit finds nothing to change.
 */
int mm_own_source_make(struct mm_job *job, const char *folder, struct mm_error *err);

/* Is no generated file of the tree in FOLDER older than what automake makes it from? */
bool mm_own_source_times_fit(const char *folder);

#endif
