/*
 * Which files a tree of ours holds: taken once, when the tree is whole, and compared before it is used again, so that
 * one that has lost files, or whose files were damaged, is not believed. A line of it is
 * "<bytes> <mode> <ns> <name>\n": a file's size, its rights in octal, when it was written to (0: that is not compared),
 * and its name below the root. Links do not count.
 */
#ifndef MM_BASE_MANIFEST_H
#define MM_BASE_MANIFEST_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * Appends the manifest of ROOT to TEXT, without the file EXCEPT (a path, NULL: none). TIMES: files are what they will
 * be; without, another file of the same content may still take the place of one. Errors: MM_EENV.
 */
int mm_manifest_take(const char *root, const char *except, bool times, struct mm_buffer *text, struct mm_error *err);

/*
 * The first file that is gone or not as TEXT says, by its name below ROOT; allocated, NULL: there is none. EXACT: files
 * that came in addition are no good either, and what is returned says so. Of a line that is damaged nothing is told but that.
 */
char *mm_manifest_differs(const char *root, const char *text, bool exact);

#endif
