/* Input files of a matrix: found, digested, and complained about with their place in MATRIX.json. Private. */
#ifndef MM_BUILDERS_INPUT_H
#define MM_BUILDERS_INPUT_H

#include "base/hash.h"
#include "builders/build.h"
#include "builders/cache.h"
#include "builders/folder.h"

/* One entry of MATRIX.json that names files, and what they are looked up in. */
struct mm_input {
	const struct mm_store *store;
	struct mm_build_cache *cache;
	const char *table; /* "sources", "sysroots" … */
	const char *name;  /* of the entry */
};

/* "file:line:column: $.TABLE.NAME.KEY", or of the entry itself when KEY is NULL. Allocated. */
char *mm_input_place(const struct mm_input *input, const char *key);

/* An input that is missing or wrong is an error of the matrix: sets and returns MM_EMATRIX with the place of KEY. */
int mm_input_wrong(const struct mm_input *input, const char *key, struct mm_error *err, const char *format, ...)
	MM_PRINTF(4, 5);

/* SHA-256 of the file PATH that KEY names. */
int mm_input_digest(const struct mm_input *input, const char *key, const char *path, char hex[MM_SHA256_HEX],
		    struct mm_error *err);

/* Digest of the content of FOLDER that KEY names. */
int mm_input_digest_folder(const struct mm_input *input, const char *key, const struct mm_folder *folder,
			   char hex[MM_SHA256_HEX], struct mm_error *err);

/* Appends {"file", "sha256"} of each of FILES to the new list KEY of OBJECT. */
int mm_input_digest_all(const struct mm_input *input, const char *key, const struct mm_strings *files, json_t *object,
			struct mm_error *err);

#endif
