/* A cell's build while it is made: what its stages share, and how a stage is run, timed, logged and judged. */
#ifndef MM_BUILDERS_JOB_H
#define MM_BUILDERS_JOB_H

#include <stdint.h>

#include "builders/build.h"
#include "builders/profile.h"
#include "builders/source.h"
#include "builders/sysroot.h"
#include "toolchains/wrap.h"

/* The programs that build tools are given; borrowed. NULL: the tree's choice. */
struct mm_job_tools {
	const char *cc, *cxx, *ar, *ranlib, *nm;
};

struct mm_builder;

struct mm_job {
	const struct mm_store *store;
	const struct mm_cell *cell;
	struct mm_build *build;
	const struct mm_toolchain
		*toolchain; /* borrowed; NULL for packages and prefixes, as flags and tree are empty */
	struct mm_flag_words flags;
	struct mm_tree tree;
	const struct mm_builder *builder;
	struct mm_recipe recipe;
	struct mm_job_tools tools;
	char *own_source;      /* a private copy of the source that cmake works on; NULL: the shared one */
	struct mm_wrapped compilers; /* what the tree is given instead of the toolchain's own */
	char *build_tree;      /* <folder>/tree: where configure and compile work */
	struct mm_strings env; /* of every program */
	struct mm_sysroot_overlay overlay;
	/* build options and "NAME=value" of source and config, with the paths of "extra" files put in */
	struct mm_strings options, variables;
	struct mm_strings shared; /* folders of the store that it uses: see builders/once.h */
	bool timed_out; /* the stage ran out of its time */
};

/* Sets NAME=value in ENV, replacing an earlier NAME. */
void mm_env_set(struct mm_strings *env, const char *name_and_value);

/* A stage begins: its log is named in build->log, its event goes out, its clock runs. */
void mm_job_begin(struct mm_job *job, const char *stage);
/* It ended with CODE, whose text is in ERR. A failure of the cell is recorded in job->build. Returns CODE. */
int mm_job_end(struct mm_job *job, int code, struct mm_error *err);

/* When the stage that has begun must be done, in monotonic nanoseconds; 0: whenever. */
uint64_t mm_job_until(const struct mm_job *job);

/*
 * Runs a program as a part of the stage that has begun: output to the stage's log, lines "[done/total]" as progress.
 * Errors: MM_ECELL with the first error line of the log; MM_EENV when the disk is full; MM_EINTERRUPTED.
 */
int mm_job_run(struct mm_job *job, const struct mm_strings *argv, struct mm_error *err);
/* The same with FOLDER as the current one. The command goes to the log first, in lines that begin with "+ ". */
int mm_job_run_in(struct mm_job *job, const struct mm_strings *argv, const char *folder, struct mm_error *err);

/* MM_ECELL, saying what to install, when there is no program NAME. */
int mm_job_need_program(const char *name, struct mm_error *err);

#endif
