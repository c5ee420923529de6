/*
 * Folders of the store that many cells, processes and machines share, made by whoever needs one first; and what a crash
 * of the machine does to them, and to a build's own tree. Private.
 *
 * A shared folder gets its name when it is complete, but its content may still be on its way to the disk: waiting for
 * that would take as long as making it. A file FOLDER.fresh, which is there before the folder is and says on which host
 * and since which start of the machine, tells that a crash may have left it damaged; then it is made again.
 */
#ifndef MM_BUILDERS_ONCE_H
#define MM_BUILDERS_ONCE_H

#include <stdbool.h>

#include "base/error.h"

/* Is FOLDER there, and nothing happened that could have damaged it? What another host made is for that host to doubt. */
bool mm_once_is_whole(const char *folder);

/*
 * Has MAKE make FOLDER unless it is there. Others who want it at the same time wait and then find it; WHAT they wait
 * for is told. MAKE's folder must appear complete or not at all.
 */
int mm_once(const char *folder, const char *what, int (*make)(void *context, const char *folder, struct mm_error *err),
	    void *context, struct mm_error *err);

/* Says so of FOLDER before anything is written to it: by mm_once, or by whoever is the only one that makes it. */
int mm_once_begin(const char *folder, struct mm_error *err);

/* Everything was written to the disk (sync) since FOLDER was there, or it is gone: from now on it survives a crash. */
void mm_once_settled(const char *folder);

#endif
