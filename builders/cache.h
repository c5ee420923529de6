/* What is found out once for all cells of a store: see struct mm_build_cache in builders/build.h. */
#ifndef MM_BUILDERS_CACHE_H
#define MM_BUILDERS_CACHE_H

#include "builders/build.h"
#include "builders/digest.h"
#include "toolchains/toolchain.h"

struct mm_foreseen;
void mm_foreseen_free(struct mm_foreseen *list);

struct mm_build_cache {
	char *work; /* the store's work folder, where toolchains are remembered; NULL: they are not */
	struct mm_digests digests;
	char profiles[MM_SHA256_HEX]; /* mm_profiles_digest; "": not computed yet */
	struct mm_toolchain **toolchains;
	size_t toolchain_count;
	struct mm_strings probed;     /* toolchain, bits and flags that worked */
	json_t *origins;              /* of sources, by name: see builders/origin.h; NULL: none yet */
	json_t *libraries;            /* development packages found, name → version; NULL: not asked yet */
	struct mm_foreseen *foreseen; /* trees that were looked at: builders/foresee.h; a list */
};

/*
 * The toolchain of SPEC, borrowed from CACHE; what <work>/toolchains.json remembers of it is believed as long as its
 * programs are the same files. Errors: see mm_toolchain_open.
 */
int mm_cache_toolchain(struct mm_build_cache *cache, const struct mm_toolchain_spec *spec,
		       const struct mm_toolchain **toolchain, struct mm_error *err);

/* mm_toolchain_probe, once for each toolchain, bits and flags. FOLDER as there. */
int mm_cache_probe(struct mm_build_cache *cache, const struct mm_toolchain *toolchain, int bits,
		   const struct mm_flag_words *flags, const char *folder, struct mm_error *err);

/* Versions of the development packages that a build of MySQL may find, by pkg-config; borrowed. */
int mm_cache_libraries(struct mm_build_cache *cache, json_t **libraries, struct mm_error *err);

#endif
