/*
 * What can be said of a build before its source is laid down: what the tree is and which profiles it will get. A tree
 * that is in the store already, or a plain folder, is looked at; with look_only, which is for plans, a tarball's few
 * telling files are taken out to <work>/sources/<sha256>.look. Private.
 */
#ifndef MM_BUILDERS_FORESEE_H
#define MM_BUILDERS_FORESEE_H

#include "builders/build.h"
#include "builders/cache.h"

struct mm_foresight {
	const struct mm_store *store;
	const struct mm_cell *cell;
	struct mm_build_cache *cache;
	const char *target;   /* of the compiler */
	const json_t *origin; /* builders/origin.h */
};

/*
 * Fills BUILD's version and profiles where that can be known; else leaves them empty. Errors: MM_ECELL for an unknown
 * tree, or one that a profile refuses to build.
 */
int mm_foresee(const struct mm_foresight *foresight, struct mm_build *build, struct mm_error *err);

#endif
