/*
 * Words for error messages. Whatever stands in a hostile file comes out as one short line of clean UTF-8: control
 * characters become '?', long texts are cut.
 */
#ifndef MM_MATRIX_WORDS_H
#define MM_MATRIX_WORDS_H

#include <jansson.h>
#include <stddef.h>

#include "base/buffer.h"

enum { MM_WORDS_LENGTH = 96 };

/* Returned by value: mm_clean(name).text may be an argument of printf. */
struct mm_words {
	char text[MM_WORDS_LENGTH];
};
struct mm_words mm_clean(const char *text);
/* What a value is: "the string 'x'", "3.5", "an object", "an empty list", "null". NULL is "nothing". */
struct mm_words mm_found(const json_t *value);
/* Cleans TEXT into OUT, cutting at SIZE bytes. */
void mm_clean_into(const char *text, char *out, size_t size);

/*
 * What was probably meant by WRONG: " (did you mean 'x'?)", or when nothing is near " (known: a, b, c)", or
 * " (there is none)". Releases KNOWN.
 */
struct mm_hint {
	char text[256];
};
struct mm_hint mm_hint(const char *wrong, struct mm_strings *known);

#endif
