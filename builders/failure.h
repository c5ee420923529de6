/* Why a program failed, out of its log: the first line that says so, and what to do where the cause is known. */
#ifndef MM_BUILDERS_FAILURE_H
#define MM_BUILDERS_FAILURE_H

#include <stdbool.h>

#include "matrix/matrix.h"

/* The first line of TEXT that reports an error; the last line that is not empty when none does. Allocated. */
char *mm_failure_line(const char *text);

/* TEXT without warnings, commands, and the source that compilers show: what is said in them fails nothing. Allocated. */
char *mm_failure_clean(const char *text);

/* What to do about the failure that TEXT shows; NULL when the cause is not known. Borrowed. */
const char *mm_failure_hint(const char *text);

/* The same for the lines TEXT, wherever they stand, of a cell of BITS (32, 64 or MM_BITS_NATIVE). */
const char *mm_failure_known(const char *text, int bits);

/*
 * The lines of TEXT that report its error, to look for a hint in: mm_failure_line and a few that follow it, without the
 * places that compilers name. Allocated.
 */
char *mm_failure_near(const char *text);

/*
 * Which of LIMITS the program has met, by TEXT, its own words or those about its end: its name, its value, and to raise
 * it. One that crashed, as TEXT says or the caller knows, may have met any that is set. Allocated; NULL: none.
 */
char *mm_failure_limit(const struct mm_limits *limits, const char *text, bool crashed);

/*
 * TEXT says that there was no memory, LIMITS set none, and whoever started us allows us less than the machine has
 * ('ulimit -v', '-d'): how much, and to raise it. Allocated; NULL: it is not that.
 */
char *mm_failure_limit_of_caller(const struct mm_limits *limits, const char *text);

/* Does TEXT hold one of SIGNS, which a NULL ends? A number that a sign ends with is whole: 121 is not 12. */
bool mm_failure_says(const char *text, const char *const *signs);

/* TEXT says that a disk was full: if it is so, the machine's fault, and the work can go on once there is room. */
bool mm_failure_disk_full(const char *text);

/* It was the link that failed, not a compilation. */
bool mm_failure_of_link(const char *text);

/* The part of a log that matters, at most a few MiB from its end. Allocated, "" when unreadable. */
char *mm_failure_read_log(const char *path);

#endif
