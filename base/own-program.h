/* Where our own program is. */
#ifndef MM_BASE_OWN_PROGRAM_H
#define MM_BASE_OWN_PROGRAM_H

/* Absolute path of the running program, links resolved; NULL where the system does not say. Allocated. */
char *mm_own_program(void);

/*
 * A helper program NAME of ours: beside our own program, in ../libexec/mymatrix of it (installed), or in the folder
 * above it (the tests of a build tree). NULL when there is none. Allocated.
 */
char *mm_own_helper(const char *name);

#endif
