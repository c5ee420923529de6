/* The compilers that this machine has, for a starting matrix and for a look at the machine without one. */
#ifndef MM_TOOLCHAINS_DISCOVER_H
#define MM_TOOLCHAINS_DISCOVER_H

#include "toolchains/toolchain.h"

struct mm_found_toolchain {
	struct mm_toolchain_spec spec; /* named after the C compiler, "gcc-13"; strings are owned */
	struct mm_toolchain *toolchain;
	bool bits[2]; /* can 32, can 64: a C and a C++ program were compiled, linked and run */
};

struct mm_found_toolchains {
	struct mm_found_toolchain *items;
	size_t count, capacity;
};

/*
 * Every gcc and clang along PATH that has a C++ compiler beside it and works at 32 or 64 bits, each program once
 * whatever names it has. Probes compile in SCRATCH, which is made and removed. Errors: MM_EINTERRUPTED, MM_EENV.
 */
int mm_toolchains_discover(const char *scratch, struct mm_found_toolchains *found, struct mm_error *err);
void mm_found_toolchains_release(struct mm_found_toolchains *found);

#endif
