/* The compilers of a build: the wrapper's links in <folder>/compilers, and the audit of what they were told. */
#ifndef MM_BUILDERS_COMPILERS_H
#define MM_BUILDERS_COMPILERS_H

#include "builders/job.h"

/* Fills job->compilers, before the tree is configured or gone on with. Errors: see mm_wrap. */
int mm_compilers_provide(struct mm_job *job, struct mm_error *err);

/* Removes them with their log: a build that begins anew is not to be judged by what an earlier one did. */
int mm_compilers_remove(const struct mm_build *build, struct mm_error *err);

/*
 * Compilation or installation is done: fills build->audit, judges the server where it is installed already, keeps the log and the audit's details in logs/ ("flags.json",
 * "flags.txt", "compilers.log") and warns of what deviates, unless the policy has the audit off.
 */
int mm_compilers_audit(struct mm_job *job, struct mm_error *err);

/* Is BUILD what its policy allows? Errors: MM_ECELL for one that deviates under "audit": "strict". */
int mm_compilers_judge(const struct mm_store *store, const struct mm_cell *cell, const struct mm_build *build,
		       struct mm_error *err);

#endif
