/*
 * Lists of patches. What "patches" of a source names is a patch, a quilt series (a distribution's
 * debian/patches/series, or the folder that holds it), or the spec file of a source RPM, whose "PatchN:" lines count.
 * Which of these it is, its content says.
 */
#ifndef MM_BUILDERS_SERIES_H
#define MM_BUILDERS_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct mm_patch {
	char *path;     /* absolute */
	unsigned strip; /* leading folders that come off the names in it: 1 unless the series says otherwise */
	bool context;   /* a context diff, not a unified one */
	unsigned hunks; /* in all its files */
};

struct mm_series {
	struct mm_patch *items;
	size_t count, capacity;
};

#define MM_SERIES_INIT                                                                                                 \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}

/* Appends what PATH (absolute) stands for to SERIES. Errors: MM_EMATRIX, naming file and line. */
int mm_series_read(const char *path, struct mm_series *series, struct mm_error *err);
void mm_series_release(struct mm_series *series);

#endif
