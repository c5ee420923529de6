/* Build tools: one small operations struct each, chosen by what the tree says of itself. Private. */
#ifndef MM_BUILDERS_BUILDER_H
#define MM_BUILDERS_BUILDER_H

#include "builders/job.h"

struct mm_builder {
	const char *name; /* as "system" of a source's "build" says it */
	/* Each is one stage's work; see builders/job.h for errors. */
	int (*configure)(struct mm_job *job, struct mm_error *err); /* job->build_tree is not there */
	int (*compile)(struct mm_job *job, struct mm_error *err);
	int (*install)(struct mm_job *job, struct mm_error *err); /* the prefix is not there */
};

extern const struct mm_builder mm_builder_cmake, mm_builder_autotools;

/*
 * What CELL's build of TREE is to do, with a compiler for TARGET. Release RECIPE in any case. Errors: MM_ECELL for a
 * tree that the wanted system does not build, that a profile refuses, or that a wanted profile is not for.
 */
int mm_builder_recipe(const struct mm_cell *cell, const struct mm_tree *tree, const char *target,
		      struct mm_recipe *recipe, struct mm_error *err);

/*
 * Chooses JOB's builder and its recipe by the tree, and records them in the build. Errors as above.
 */
int mm_builder_choose(struct mm_job *job, struct mm_error *err);

#endif
