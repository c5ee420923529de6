/* SHA-256 (libcrypto) as lower-case hexadecimal. */
#ifndef MM_BASE_HASH_H
#define MM_BASE_HASH_H

#include <stddef.h>

#include "base/error.h"

#define MM_SHA256_HEX 65 /* 64 digits and the NUL */

struct mm_hash; /* opaque, heap */

/*
 * Memory that libcrypto asks for is ours, as jansson's (base/json.h): libcrypto may crash when it gets none. To be called
 * before anything else of libcrypto.
 */
void mm_hash_begin(void);
struct mm_hash *mm_hash_new(void);
void mm_hash_add(struct mm_hash *hash, const void *bytes, size_t length);
/* Adds TEXT (NULL counts as empty) and its terminator, so that "ab","c" differs from "a","bc". */
void mm_hash_add_text(struct mm_hash *hash, const char *text);
/* Writes the digest and frees HASH. */
void mm_hash_finish(struct mm_hash *hash, char hex[MM_SHA256_HEX]);

/* Digest of a file's content. */
int mm_hash_file(const char *path, char hex[MM_SHA256_HEX], struct mm_error *err);

#endif
