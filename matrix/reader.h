/* Reading a document: where a value stands, and the one way to say that it is wrong. Private to matrix/. */
#ifndef MM_MATRIX_READER_H
#define MM_MATRIX_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Where a value stands: a chain of steps on the stack, written out as a JSON path only when there is an error, so
 * that a hundred thousand good values cost nothing. "up" is NULL for the document itself.
 */
struct mm_at {
	const struct mm_at *up;
	const char *key; /* NULL: an element of a list */
	size_t index;
};

struct mm_reader {
	const char *file;   /* as the user named it */
	const char *text;   /* of the whole file */
	const char *folder; /* absolute; relative paths start here */
	struct mm_error *err;
};

/* "$.sources.a.patches[2]"; allocated. */
char *mm_at_path(const struct mm_at *at);

/* Sets MM_EMATRIX, "file:line:column: path: ..."; the place is that of the value, or of its key. Returns the code. */
int mm_reader_fail(struct mm_reader *reader, const struct mm_at *at, const char *format, ...) MM_PRINTF(3, 4);
int mm_reader_fail_key(struct mm_reader *reader, const struct mm_at *at, const char *format, ...) MM_PRINTF(3, 4);

/* "file:line:column: path" of a JSON path; allocated. */
char *mm_reader_place(const struct mm_reader *reader, const char *path, bool key_itself);

/* The line of the value at PATH, 0 when it is not there. */
int mm_reader_line(const struct mm_reader *reader, const struct mm_at *at);

#endif
