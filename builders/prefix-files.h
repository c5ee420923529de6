/* What belongs to an installed server beside its program. Private to builders/. */
#ifndef MM_BUILDERS_PREFIX_FILES_H
#define MM_BUILDERS_PREFIX_FILES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"

/* The folders of PREFIX that hold shared libraries. */
void mm_prefix_libraries(const char *prefix, struct mm_strings *folders);

/*
 * Plugins, messages, character sets, and the libraries that PREFIX has of its own: paths, in their order. What may not
 * be looked at is left out. BASEDIR is the server's, in PREFIX; below the system's own folders other programs' files
 * are no part of it.
 */
void mm_prefix_files(const char *prefix, const char *basedir, struct mm_strings *files);

/* Digest of their names, sizes and times: as long as it is the same, they are. */
void mm_prefix_files_stamp(const char *prefix, const char *basedir, char hex[MM_SHA256_HEX]);

/* Adds to HASH what those of them that are programs or libraries do (elf.h), MASK blanked. Errors: MM_EENV. */
int mm_prefix_files_code(const char *prefix, const char *basedir, const char *mask, struct mm_hash *hash,
			 struct mm_error *err);

#endif
