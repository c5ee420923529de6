/*
 * Plain folders as inputs: a source tree that somebody works in, a sysroot that is unpacked already. Their content
 * makes their identity, and what is built is a copy, so that they are never written into and may change meanwhile.
 *
 * What counts is each file's path, content and whether it is executable, each link's target, and each folder. Left
 * out are version control's own folder (.git at the top), the work folder when it lies inside, and sockets, pipes and
 * devices.
 */
#ifndef MM_BUILDERS_FOLDER_H
#define MM_BUILDERS_FOLDER_H

#include <stdbool.h>

#include "base/hash.h"

struct mm_folder {
	const char *path; /* absolute */
	const char *skip; /* a folder that does not belong to it although it may lie inside: the work folder; or NULL */
	bool package;     /* absolute links are meant from the folder itself: a sysroot */
};

/* Digest of the content. Errors: MM_ECELL for what cannot be read. */
int mm_folder_digest(const struct mm_folder *folder, char hex[MM_SHA256_HEX], struct mm_error *err);

/*
 * Digest of names, sizes, times and inodes, which is quick: as long as it is the same, so is the content.
 * *SETTLED says that nothing in it has changed so lately that the clock's grain could hide a change.
 */
int mm_folder_stamp(const struct mm_folder *folder, char hex[MM_SHA256_HEX], bool *settled, struct mm_error *err);

/*
 * Copies FOLDER to TO, which must not exist and appears complete or not at all, with the time of each file. SHA256 is
 * what mm_folder_digest said of FOLDER; NULL when FOLDER is one of ours. Errors: MM_ECELL when it has changed since,
 * and for a link that leads out of the folder, since what it leads to would not be part of the copy.
 */
int mm_folder_copy(const struct mm_folder *folder, const char *to, const char *sha256, struct mm_error *err);

#endif
