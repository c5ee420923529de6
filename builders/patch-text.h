/*
 * What a patch holds, read as GNU patch reads it. patch takes whatever it does not understand for words between the
 * diffs, says so to nobody and ends well: what it would overlook or take for another file is refused here. Private.
 */
#ifndef MM_BUILDERS_PATCH_TEXT_H
#define MM_BUILDERS_PATCH_TEXT_H

#include <stdbool.h>

#include "base/buffer.h"

struct mm_patch_text {
	bool is;        /* a patch at all */
	bool context;   /* of context diffs, not of unified ones */
	unsigned hunks; /* all that patch must say it has applied */
};

/*
 * Looks at TEXT, the content of PATH; STRIP as in struct mm_patch. Errors: MM_EMATRIX, naming file and line. What is no
 * patch is no error.
 */
int mm_patch_text_read(const char *path, const struct mm_buffer *text, unsigned strip, struct mm_patch_text *found,
		       struct mm_error *err);

#endif
