/* The names of files in a patch. patch takes the one of the two that it likes better, silently. Private. */
#ifndef MM_BUILDERS_PATCH_NAMES_H
#define MM_BUILDERS_PATCH_NAMES_H

#include <stdbool.h>

#include "base/error.h"

/* Where two names stand, and what is said of them there. */
struct mm_patch_names {
	const char *path;
	unsigned line, strip;
	bool renamed; /* they are to differ */
};

/*
 * Both sides of a head, OLD and NEW from where the names begin, must name one file below the tree; one may be
 * /dev/null, and one may have an ending of its own, as a copy that is kept ("x.c.orig"). Errors: MM_EMATRIX.
 */
int mm_patch_check_names(const struct mm_patch_names *names, const char *old, const char *new, struct mm_error *err);

/* Does one of the names in this line go upwards? */
bool mm_patch_climbs(const char *line);

#endif
