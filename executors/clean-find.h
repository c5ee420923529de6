/* Finds what may go, for clean.c. Private to executors/. */
#ifndef MM_EXECUTORS_CLEAN_FIND_H
#define MM_EXECUTORS_CLEAN_FIND_H

#include <time.h>

#include "executors/clean.h"

/* In the order in which things go. */
enum mm_clean_kind {
	MM_CLEAN_LEFTOVER,
	MM_CLEAN_SUPERSEDED,
	MM_CLEAN_DATADIRS,
	MM_CLEAN_JOB,
	MM_CLEAN_SOURCE,
	MM_CLEAN_GIT,
	MM_CLEAN_SYSROOT,
	MM_CLEAN_TREE,
	MM_CLEAN_BUILD,
	MM_CLEAN_RUN
};

struct mm_clean_item {
	char *path;
	enum mm_clean_kind kind;
	uint64_t bytes; /* that its removal gives back */
	time_t used;    /* last */
};

struct mm_clean_items {
	struct mm_clean_item *items; /* in the order in which they go */
	size_t count, capacity;
};

int mm_clean_find(const struct mm_clean_options *options, struct mm_clean_items *items, struct mm_error *err);
void mm_clean_items_release(struct mm_clean_items *items);

/* Bytes that a tree takes on the disk, what builds share being counted once. */
uint64_t mm_clean_bytes(const char *path);
/* Removes files of <work>/files that no prefix has any more; returns their bytes, without removing when DRY_RUN. */
uint64_t mm_clean_shared(const char *work, bool dry_run);

/* Is NAME so many hexadecimal DIGITS and no more, as we call things by their digests? */
bool mm_clean_is_digest(const char *name, size_t digits);

/* Ends the name of the marker beside a folder that may not be on the disk yet (builders/once.h). */
#define MM_CLEAN_FRESH ".fresh"

/* Ends the names of things that are being removed, so that half of them is never believed. */
#define MM_CLEAN_REMOVED ".removed"

#endif
