/*
 * Locks between processes, on files: the kernel drops one with its holder, however that ends, so a dead process never
 * leaves anything locked. They work across machines where the file system's flock does.
 */
#ifndef MM_BASE_LOCK_H
#define MM_BASE_LOCK_H

#include "base/error.h"

struct mm_lock {
	int descriptor; /* -1: not held */
	char *path;
};

#define MM_LOCK_INIT { -1, NULL }

/*
 * Takes the lock PATH (made with its folder when missing), waiting for whoever has it; after some seconds an event says
 * that WHAT is waited for. Errors: MM_EENV, MM_EINTERRUPTED.
 */
int mm_lock_take(struct mm_lock *lock, const char *path, const char *what, struct mm_error *err);

/* Gives the lock back and removes its file, so that locks of the past do not pile up. Safe when not held. */
void mm_lock_release(struct mm_lock *lock);

#endif
