/* Failures that are on record: they are told again, not tried again, unless somebody asks for it. Private to executors/. */
#ifndef MM_EXECUTORS_REMEMBERED_H
#define MM_EXECUTORS_REMEMBERED_H

#include "executors/run.h"

struct mm_remembered {
	size_t builds, passes;
};

/* Counts the builds of RUN that failed before; after mm_build_prepare, before anything is built. */
void mm_remember_builds(const struct mm_run *run, struct mm_remembered *remembered);

/* Counts the failed passes in RUN's folder, before any is added. */
void mm_remember_passes(const struct mm_run *run, struct mm_remembered *remembered);

/* One line on what was not tried again and how it is; none when there is nothing. */
void mm_remembered_tell(const struct mm_remembered *remembered);

/* Did the pass of this file fail, or was it damaged? A quick look, which does for ten thousand cells. */
bool mm_remembered_failure(const char *path);

#endif
