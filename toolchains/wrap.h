/*
 * The compilers of one cell: a folder with links named like compilers, which all lead to the wrapper mymatrix-cc, and
 * the configuration that tells it what the cell asks for. Build tools are given these instead of the real ones; with
 * the folder first in PATH, scripts that call a compiler by its name get them too: gcc, g++, clang, clang++, cc, c++
 * and the toolchain's own names are all the cell's.
 */
#ifndef MM_TOOLCHAINS_WRAP_H
#define MM_TOOLCHAINS_WRAP_H

#include "toolchains/toolchain.h"

struct mm_wrap_request {
	const struct mm_toolchain *toolchain;
	int bits;
	const struct mm_flag_words *flags;
	/* NONE: the wrapper adds the bits only; the flags are for the tree's own variables (CFLAGS, CMAKE_C_FLAGS) */
	enum mm_enforce enforce;
	const char *jobs; /* folder of the job budget (base/jobserver.h), NULL: none */
};

struct mm_wrapped {
	char *cc, *cxx; /* links in the folder */
	char *ar, *ranlib,
		*nm; /* the toolchain's, or those that link-time optimisation needs; NULL: the tree's choice */
	char *log;   /* what mm_audit_read reads */
};

/*
 * Makes FOLDER (absolute) ready, again if it is there: a log that it has is kept, so that an interrupted build can go
 * on. Errors: MM_EENV when the wrapper is not installed or the folder cannot be written, MM_ECELL when a tool that
 * link-time optimisation needs is missing. Release WRAPPED in any case.
 */
int mm_wrap(const struct mm_wrap_request *request, const char *folder, struct mm_wrapped *wrapped,
	    struct mm_error *err);
void mm_wrapped_release(struct mm_wrapped *wrapped);

#endif
