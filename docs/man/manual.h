/*
 * The generator of manual pages and completions: everything about commands and options comes from the tables that the
 * program itself parses by, everything about MATRIX.json from the schema of its parser; what no table knows stands in
 * *.mdoc files beside this one. Run by the build, not installed.
 */
#ifndef MM_MANUAL_H
#define MM_MANUAL_H

#include "cli/command.h"

struct mm_manual {
	const char *parts;  /* folder of the *.mdoc files */
	const char *folder; /* where the results go */
	const char *date;   /* "November 30, 2026" */
};

int mm_manual_commands(const struct mm_manual *manual, struct mm_error *err);    /* mymatrix(1), mymatrix-COMMAND(1) */
int mm_manual_matrix(const struct mm_manual *manual, struct mm_error *err);      /* mymatrix.json(5) */
int mm_manual_completions(const struct mm_manual *manual, struct mm_error *err); /* bash, zsh, fish */

/* Shared by the pages. */
void mm_page_begin(const struct mm_manual *manual, struct mm_buffer *page, const char *name, const char *section,
		   const char *description);
/* Text for people as running text: escaped, empty lines are paragraphs, ends with a line end. */
void mm_page_text(struct mm_buffer *page, const char *text);
/* One escaped argument of a macro. */
void mm_page_word(struct mm_buffer *page, const char *word);
/* Appends NAME.mdoc; a part that is not there is an error only when REQUIRED. */
int mm_page_part(const struct mm_manual *manual, struct mm_buffer *page, const char *name, bool required,
		 struct mm_error *err);
int mm_manual_write(const struct mm_manual *manual, const char *name, const struct mm_buffer *text, struct mm_error *err);

#endif
