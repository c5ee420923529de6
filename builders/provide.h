/* Source trees in the store, laid down once for all cells: <work>/sources/IDENTITY (see builders/origin.h). Private. */
#ifndef MM_BUILDERS_PROVIDE_H
#define MM_BUILDERS_PROVIDE_H

#include "builders/job.h"

/* The tree as it came; *FOLDER is allocated. For stage "unpack". Errors: MM_ECELL. */
int mm_provide_source(struct mm_job *job, char **folder, struct mm_error *err);

/* A copy of it with the source's patches, which must be there already as it came. For stage "patch". */
int mm_provide_patched(struct mm_job *job, char **folder, struct mm_error *err);

#endif
