/*
 * Further files that a build wants: a boost archive, a third-party tarball. Options and environment name them:
 * "@extra:NAME@" is the folder to which the archive called NAME is unpacked (for other files: the file), and
 * "@extra-file:NAME@" is the file itself. Private.
 */
#ifndef MM_BUILDERS_EXTRA_H
#define MM_BUILDERS_EXTRA_H

#include "builders/input.h"
#include "builders/job.h"

/* Do all such names in the source's and config's options mean files of "extra"? */
int mm_extra_check(const struct mm_input *input, const struct mm_source *source, const struct mm_config *config,
		   struct mm_error *err);

/* Unpacks or copies them to the store, and fills job->options and job->variables with what the names stand for. */
int mm_extra_provide(struct mm_job *job, struct mm_error *err);

#endif
