/*
 * Which files a tree of ours holds: taken once, when the tree is whole, and compared before it is used again, so that
 * one that has lost files, or whose files were cut short, is not believed. A line of it is "<bytes> <ns> <name>\n": a
 * file's size, the time of its last change of any kind (st_ctime), and its name below the root. Links do not count.
 */
#ifndef MM_BASE_MANIFEST_H
#define MM_BASE_MANIFEST_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"

/* Appends the manifest of ROOT to TEXT, without the file EXCEPT (a path, NULL: none). Errors: MM_EENV. */
int mm_manifest_take(const char *root, const char *except, struct mm_buffer *text, struct mm_error *err);

/*
 * The first file that is gone or not as TEXT says, by its name below ROOT; allocated, NULL: all are there. TIMES: a
 * file that was changed to the same size counts, too; not for trees whose files are linked or copied meanwhile. Files
 * that came in addition do not count. A line that is damaged is what is returned.
 */
char *mm_manifest_differs(const char *root, const char *text, bool times);

#endif
