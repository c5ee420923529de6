/* Text for people in columns. Private to cli/. */
#ifndef MM_CLI_TEXT_H
#define MM_CLI_TEXT_H

#include "base/buffer.h"

enum { MM_WIDTH = 79 }; /* what everything but live lines stays below, so that it looks the same everywhere */

/* Columns that LENGTH bytes of UTF-8 take; nothing that is printed has wide characters. */
int mm_columns(const char *text, size_t length);

/*
 * Appends TEXT, which begins at column AT, in lines that end before MM_WIDTH; further lines are indented. One line end
 * in TEXT is as good as a space, two end a paragraph.
 */
void mm_put_wrapped(const char *text, int at, int indent, struct mm_buffer *out);

#endif
