/* Libraries that the trees look for: can this toolchain compile and link against them? */
#ifndef MM_TOOLCHAINS_LIBRARY_H
#define MM_TOOLCHAINS_LIBRARY_H

#include "toolchains/toolchain.h"

struct mm_library {
	const char *name;    /* "pcre2", for messages; "lib:" NAME in base/package.h */
	const char *header;
	const char *defines; /* what must be defined before it, "" for nothing */
	const char *link;    /* "-lpcre2-8" */
	bool cxx;            /* the header is C++ */
	bool optional;       /* the trees bring a copy */
	const char *for_what; /* who needs it */
};

const struct mm_library *mm_libraries(void); /* ended by a NULL name */

/* 1 when it is there, 0 when not. Works in FOLDER, which is made and removed. Errors: MM_EINTERRUPTED, MM_EENV. */
int mm_toolchain_has_library(const struct mm_toolchain *toolchain, int bits, const struct mm_library *library,
			     const char *folder, struct mm_error *err);

#endif
