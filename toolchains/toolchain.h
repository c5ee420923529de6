/* A toolchain: the compilers of a matrix entry, found on this machine, identified and tried out. */
#ifndef MM_TOOLCHAINS_TOOLCHAIN_H
#define MM_TOOLCHAINS_TOOLCHAIN_H

#include "matrix/matrix.h"

struct mm_family_ops; /* private: toolchains/family.h */

struct mm_toolchain {
	const struct mm_toolchain_spec *spec; /* borrowed */
	const struct mm_family_ops *ops;
	char *cc, *cxx;         /* absolute paths, links not followed */
	char *ar, *ranlib, *nm; /* absolute paths or NULL */
	char *ld;               /* a linker's name for -fuse-ld, or NULL */
	char *version;          /* "12.2.0" */
	char *banner;           /* first line of --version (-V for Studio) */
	char *target;           /* -dumpmachine, e.g. "x86_64-linux-gnu" */
	char identity[65];      /* SHA-256 over the compiler's own programs: drivers, cc1, cc1plus, as, ld */
	struct mm_strings programs; /* their absolute paths; empty when it was recalled (toolchains/memory.h) */
};

/* Seconds that a compiler has for an answer, and twice as many to compile a probe: one that hangs is out. For tests. */
extern unsigned mm_toolchain_patience;

/*
 * Finds and identifies the programs of SPEC. Errors: MM_ECELL, naming the toolchain, the program and what would
 * be right (a package to install, or the family that it really is).
 */
int mm_toolchain_open(const struct mm_toolchain_spec *spec, struct mm_toolchain **out, struct mm_error *err);
void mm_toolchain_free(struct mm_toolchain *toolchain);

/* The options that select BITS: "-m32", "-m64", or "" for MM_BITS_NATIVE. Borrowed. */
const char *mm_toolchain_bits_option(const struct mm_toolchain *toolchain, int bits);

/* Appends what every link line needs besides the cell's own words: the linker's choice. */
void mm_toolchain_link_options(const struct mm_toolchain *toolchain, struct mm_strings *options);

/* Appends the option that makes programs look for libraries in FOLDER. */
void mm_toolchain_run_path(const struct mm_toolchain *toolchain, const char *folder, struct mm_strings *options);

/*
 * Checks the words against the options of the family, where the compilers themselves would let a wrong one pass.
 * Errors: MM_ECELL, with the word and what to write instead. mm_toolchain_probe does this first.
 */
int mm_toolchain_check_flags(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags,
			     struct mm_error *err);

/*
 * Compiles, links and runs a C and a C++ program with BITS and the flag words in FOLDER (made and removed here).
 * Errors: MM_ECELL with the compiler's first complaint and a hint, e.g. the package that is missing.
 */
int mm_toolchain_probe(const struct mm_toolchain *toolchain, int bits, const struct mm_flag_words *flags,
		       const char *folder, struct mm_error *err);

/* What to do when OUTPUT is what a failed compile or link at BITS said; NULL: no idea. Borrowed. */
const char *mm_toolchain_hint(const struct mm_toolchain *toolchain, const char *output, int bits, bool cxx);

#endif
