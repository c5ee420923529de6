/*
 * How the last call that carried a plan out in a work folder came to its end, when that was not the plan's own: a signal,
 * a full disk. <work>/last-call.json keeps it for who was not there: {"ended", "status", "failure"}. Private to executors/.
 */
#ifndef MM_EXECUTORS_LAST_CALL_H
#define MM_EXECUTORS_LAST_CALL_H

#include <jansson.h>

#include "base/error.h"

/* Forgets the one before. */
void mm_last_call_begin(const char *work);
/* Keeps WHY, unless it is none; as good as can be where the disk is full. */
void mm_last_call_end(const char *work, const struct mm_error *why);
/* What was kept; NULL: nothing, the last call came to its end, or was killed. New reference. */
json_t *mm_last_call(const char *work);

#endif
