/*
 * Digests of large input files and folders, remembered in <work>/sources/digests.json by path and stamp
 * (base/stamp.h), so that a tarball or tree that many cells share is read once and not again in the next run.
 */
#ifndef MM_BUILDERS_DIGEST_H
#define MM_BUILDERS_DIGEST_H

#include <jansson.h>

#include "base/hash.h"
#include "builders/folder.h"

struct mm_digests {
	char *path;    /* of digests.json; NULL until it is first used */
	json_t *known; /* path → {inode_stamp, sha256}, of a folder {stamp, sha256} */
};

#define MM_DIGESTS_INIT                                                                                                \
	{                                                                                                              \
		NULL, NULL                                                                                             \
	}

/*
 * SHA-256 of FILE's content. Errors: MM_EMATRIX when it cannot be read, MM_EENV when the machine fails. A list that
 * cannot be read or written only costs time.
 */
int mm_digests_file(struct mm_digests *digests, const char *work, const char *file, char hex[MM_SHA256_HEX],
		    struct mm_error *err);

/* mm_folder_digest, remembered. Errors: as there. */
int mm_digests_folder(struct mm_digests *digests, const char *work, const struct mm_folder *folder,
		      char hex[MM_SHA256_HEX], struct mm_error *err);
void mm_digests_release(struct mm_digests *digests);

#endif
