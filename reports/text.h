/*
 * Small things that renderers share. Reports can come from files of strangers:
 * every text passes one of the escapes, every figure may be missing.
 */
#ifndef MM_REPORTS_TEXT_H
#define MM_REPORTS_TEXT_H

#include <jansson.h>
#include <stddef.h>

#include "base/buffer.h"

/* jansson goes through the members of objects that are not const only, although it changes nothing. */
static inline json_t *mm_json_each(const json_t *object)
{
	union {
		const json_t *given;
		json_t *same;
	} both = { object };

	return both.same;
}

#define MM_FIGURE 32 /* room for what the formatters below write */

/* TEXT with control characters (of ASCII, and U+0080 … U+009F) as '?': safe on a terminal and in one line. */
void mm_text_plain(struct mm_buffer *out, const char *text);
/* For XML and HTML, in text and in attributes in double quotes; control characters as '?'. */
void mm_text_xml(struct mm_buffer *out, const char *text);
/* For a cell of a Markdown table. */
void mm_text_markdown(struct mm_buffer *out, const char *text);
/* A CSV field (RFC 4180), in quotes where it must be. */
void mm_text_csv(struct mm_buffer *out, const char *text);
/* TEXT in lines of at most WIDTH columns, every line after the first indented by INDENT; ends with a newline. */
void mm_text_wrap(struct mm_buffer *out, const char *text, size_t width, size_t indent);
/* Columns of TEXT on a terminal: code points, near enough. */
size_t mm_text_columns(const char *text);

/* Each gives "-" for a value that is not a number. Returns TEXT. */
const char *mm_text_figure(const json_t *value, char text[MM_FIGURE]);      /* "15.40" */
const char *mm_text_percent(const json_t *value, char text[MM_FIGURE]);     /* "+12.03%" */
const char *mm_text_interval(const json_t *interval, char text[MM_FIGURE]); /* "+10.1 to +13.9" */
const char *mm_text_p(const json_t *value, char text[MM_FIGURE]);           /* "0.0039" */

#endif
