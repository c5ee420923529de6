/*
 * What a cell is made from, in the terms of its record and key: {"kind", then by kind "sha256" (tarball, directory),
 * "commit" (git), "packages", or "path" and "server_sha256" (prefix); "patches"; "extra"}.
 */
#ifndef MM_BUILDERS_ORIGIN_H
#define MM_BUILDERS_ORIGIN_H

#include <jansson.h>

#include "builders/cache.h"

/*
 * Finds and digests every input of CELL's source, once for all cells of CACHE. *ORIGIN is a new reference to what
 * they share: not to be changed. Errors: MM_EMATRIX with the place for what is missing or wrong; MM_ECELL for a
 * repository that does not answer.
 */
int mm_origin_take(const struct mm_store *store, const struct mm_cell *cell, struct mm_build_cache *cache,
		   json_t **origin, struct mm_error *err);

/*
 * <work>/sources/IDENTITY, where the source tree is or will be: as it came (a tarball's identity is its own SHA-256),
 * and with its patches; the same when there are none. Allocated.
 */
char *mm_origin_folder(const char *work, const json_t *origin);
char *mm_origin_patched_folder(const char *work, const json_t *origin);

/* The detached signature beside a tarball (NAME.asc, .sig, .sign), which says who vouches for it. Allocated or NULL. */
char *mm_origin_signature(const struct mm_source *source);

#endif
