/* What differs between compiler families: one row of operations each, listed in toolchain.c. */
#ifndef MM_TOOLCHAINS_FAMILY_H
#define MM_TOOLCHAINS_FAMILY_H

#include "base/buffer.h"
#include "toolchains/toolchain.h"

struct mm_family_ops {
	enum mm_family family;
	const char *cc_package, *cxx_package; /* Debian packages of the two drivers, for messages; NULL: none */
	/*
	 * Asks the programs what they are and fills version, banner and target. Errors: MM_ECELL when one is of
	 * another family, or the C and the C++ compiler are of different versions.
	 */
	int (*identify)(struct mm_toolchain *toolchain, struct mm_error *err);
	/* Appends the absolute paths of the programs that compile, assemble and link; they make the identity. */
	int (*programs)(const struct mm_toolchain *toolchain, struct mm_strings *paths, struct mm_error *err);
	const char *(*bits_option)(const struct mm_toolchain *toolchain, int bits);
	/* What to install when OUTPUT is what a failed compile or link at BITS said; NULL: no idea. Borrowed. */
	const char *(*hint)(const char *output, int bits, bool cxx);
	/* Are the flags ones that the compilers know? NULL: they refuse others themselves. Errors: MM_ECELL. */
	int (*check)(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags, struct mm_error *err);
	const char *run_path; /* what stands in front of a folder that programs look for libraries in */
};

extern const struct mm_family_ops mm_family_gcc, mm_family_clang, mm_family_studio;

/*
 * Finds the programs of SPEC along PATH, without starting one: the first half of mm_toolchain_open. Errors as there.
 */
int mm_toolchain_locate(const struct mm_toolchain_spec *spec, struct mm_toolchain **out, struct mm_error *err);

/*
 * Runs PROGRAM with one ARGUMENT in the clean environment and collects its output. Errors: MM_ECELL when it cannot
 * be run or does not end with status 0.
 */
int mm_family_ask(const char *program, const char *argument, struct mm_buffer *output, struct mm_error *err);

#endif
