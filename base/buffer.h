/* A growing, always NUL-terminated byte buffer; and a growing, NULL-terminated list of strings (an argv). */
#ifndef MM_BASE_BUFFER_H
#define MM_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct mm_buffer {
	char *data; /* NULL while nothing was appended */
	size_t length;
	size_t capacity;
	/* Where to pass on what has come once it is a megabyte, for texts that are only ever appended to; NULL: keep all. */
	void (*drain)(void *context, const void *bytes, size_t length);
	void *context;
};

#define MM_BUFFER_INIT { NULL, 0, 0, NULL, NULL }

void mm_buffer_append(struct mm_buffer *buffer, const void *bytes, size_t length);
void mm_buffer_puts(struct mm_buffer *buffer, const char *text);
void mm_buffer_putc(struct mm_buffer *buffer, char byte);
void mm_buffer_printf(struct mm_buffer *buffer, const char *format, ...) MM_PRINTF(2, 3);
void mm_buffer_reset(struct mm_buffer *buffer);   /* length 0, keeps the memory */
void mm_buffer_release(struct mm_buffer *buffer); /* frees, ready for use again */
MM_NEVER_NULL char *mm_buffer_detach(struct mm_buffer *buffer);           /* the caller owns the string (never NULL) */
MM_NEVER_NULL const char *mm_buffer_text(const struct mm_buffer *buffer); /* never NULL, borrowed */

struct mm_strings {
	char **items; /* NULL-terminated once it is not empty; owned */
	size_t count;
	size_t capacity;
};

#define MM_STRINGS_INIT { NULL, 0, 0 }

void mm_strings_push(struct mm_strings *list, const char *text); /* copies */
void mm_strings_pushf(struct mm_strings *list, const char *format, ...) MM_PRINTF(2, 3);
void mm_strings_extend(struct mm_strings *list, const struct mm_strings *more);
/* Splits TEXT at white space; no quoting (compiler flags are lists of words here). */
void mm_strings_split(struct mm_strings *list, const char *text);
/* In the order of their bytes. */
void mm_strings_sort(struct mm_strings *list);
bool mm_strings_contain(const struct mm_strings *list, const char *text);
char *mm_strings_join(const struct mm_strings *list, const char *separator); /* allocated */
void mm_strings_release(struct mm_strings *list);

bool mm_begins(const char *text, const char *with);
/* Does TEXT end in END, and is more than that? */
bool mm_ends_in(const char *text, const char *end);
/* What stands behind the line that TEXT begins with. */
const char *mm_next_line(const char *text);

/* What ends a word that COUNT stands before: "1 test", "2 tests". */
static inline const char *mm_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

#endif
