/*
 * What is remembered of a toolchain from one run to the next, as JSON: a run in which every build is there starts no
 * compiler. It holds as long as every program of the toolchain is the same file: path, size, time and inode.
 */
#ifndef MM_TOOLCHAINS_MEMORY_H
#define MM_TOOLCHAINS_MEMORY_H

#include <jansson.h>

#include "toolchains/toolchain.h"

/* New reference; NULL when a program cannot be looked at. */
json_t *mm_toolchain_remember(const struct mm_toolchain *toolchain);

/* The toolchain of SPEC out of MEMORY (may be NULL), without starting a program; NULL when anything has changed. */
struct mm_toolchain *mm_toolchain_recall(const struct mm_toolchain_spec *spec, const json_t *memory);

#endif
