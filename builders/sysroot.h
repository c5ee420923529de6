/*
 * Development files of other bits that the machine itself does not have: packages unpacked (or a folder copied) to
 * <work>/sysroots/<key>, and laid over the machine's own for compiler, linker, loader and build tools. The machine is
 * not touched, and versions of its own packages need not match. Private.
 */
#ifndef MM_BUILDERS_SYSROOT_H
#define MM_BUILDERS_SYSROOT_H

#include "builders/build.h"

struct mm_sysroot_overlay {
	char *root;    /* NULL: there is none for these bits */
	char *machine; /* "i386-linux-gnu", as its libraries' folder is called; NULL: it does not say */
	char *loader;  /* its own loader, when it brings a C library; else NULL */
	struct mm_strings headers, libraries, pkg_config; /* folders that are there */
};

/* Digests what the sysroot for BITS is made of; *SYSROOT is NULL when the matrix has none. Errors: MM_EMATRIX. */
int mm_sysroot_take(const struct mm_store *store, struct mm_build_cache *cache, int bits, json_t **sysroot,
		    struct mm_error *err);

/* Where such a sysroot is kept. Allocated. */
char *mm_sysroot_folder(const char *work, const json_t *sysroot);

/*
 * Puts the sysroot that mm_sysroot_take described (NULL: none) in its place and looks at what it has. Errors: MM_ECELL
 * for a damaged package. Release with mm_sysroot_release.
 */
int mm_sysroot_open(const struct mm_store *store, int bits, const json_t *sysroot, struct mm_sysroot_overlay *overlay,
		    struct mm_error *err);
void mm_sysroot_release(struct mm_sysroot_overlay *overlay);

/* Adds what compiler and linker must be told to WORDS. Errors: MM_EENV for a path that cannot stand in flags. */
int mm_sysroot_flags(const struct mm_sysroot_overlay *overlay, struct mm_flag_words *words, struct mm_error *err);
/* What cmake must be told, and the environment of every program of the build. */
void mm_sysroot_cmake(const struct mm_sysroot_overlay *overlay, struct mm_strings *argv);
void mm_sysroot_environment(const struct mm_sysroot_overlay *overlay, struct mm_strings *env);

#endif
