/*
 * Allocation that never returns NULL. When memory runs out one line goes to
 * stderr and the process ends with status 5: every state on disk survives
 * that at any moment, and the guardian (base/process.h) ends the children, so
 * unwinding would only add untested paths.
 */
#ifndef MM_BASE_MEMORY_H
#define MM_BASE_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Says so and ends the program: for those who are told by a library that memory ran out. */
_Noreturn void mm_out_of_memory(void);
/*
 * The same for those to whom "cannot be opened" means "is not there": ends the program when WHY, the errno of opening,
 * is that memory or descriptors have run out. A finished build would be taken for none, a folder for an empty one.
 */
void mm_end_if_exhausted(int why);
MM_NEVER_NULL void *mm_alloc(size_t size);                            /* zeroed */
MM_NEVER_NULL void *mm_calloc(size_t count, size_t size);             /* zeroed, overflow-checked */
MM_NEVER_NULL void *mm_realloc(void *old, size_t count, size_t size); /* overflow-checked; new bytes are not zeroed */
char *mm_strdup(const char *text);                                    /* NULL gives NULL */
char *mm_strndup(const char *text, size_t length);
MM_NEVER_NULL char *mm_format(const char *format, ...) MM_PRINTF(1, 2); /* an allocated string */

/* Makes room for one more element in a vector of COUNT elements with *CAPACITY slots; returns the (moved) vector. */
MM_NEVER_NULL void *mm_grow(void *vector, size_t count, size_t *capacity, size_t size);

#endif
