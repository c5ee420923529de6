/* The files of runners/mixes/, built into the program: it needs no file beside it. Made by CMake. */
#ifndef MM_RUNNERS_MIXES_H
#define MM_RUNNERS_MIXES_H

#include <stddef.h>

struct mm_mixes_text {
	const char *name;
	const unsigned char *bytes;
	size_t length;
};

extern const struct mm_mixes_text mm_mixes[]; /* ended by a NULL name */

#endif
