/* Private to toolchains/: what a flag does to the code that comes out. */
#ifndef MM_TOOLCHAINS_FLAG_KIND_H
#define MM_TOOLCHAINS_FLAG_KIND_H

#include <stdbool.h>

#include "toolchains/wrapper/line.h"

enum mm_flag_class {
	MM_FLAG_OTHER, /* nothing, or nothing that is judged: warnings, include paths, macros of the program */
	MM_FLAG_LEVEL,
	MM_FLAG_BITS,
	MM_FLAG_DEBUG_INFO,
	MM_FLAG_HARDENING,
	MM_FLAG_FRAME_POINTER,
	MM_FLAG_PIC,
	MM_FLAG_PIE,
	MM_FLAG_LTO,
	MM_FLAG_CPU,        /* -march and the like: for which processor */
	MM_FLAG_EXTENSION,  /* -msse4.2: single instructions; a few files with them are chosen at run time */
	MM_FLAG_MATH,       /* arithmetic that is not what the standard says */
	MM_FLAG_ASSERTIONS, /* NDEBUG */
	MM_FLAG_DEBUG_CODE, /* DBUG and other code that only debug builds have */
	MM_FLAG_INSTRUMENTATION,
	MM_FLAG_OPTIMISER, /* single optimisations */
	MM_FLAG_LANGUAGE,  /* what the source means: a tree knows which of these it needs */
	MM_FLAG_LINK,
	MM_FLAG_TOOLS, /* another compiler, linker or part of one */
	MM_FLAG_INPUT, /* an input of the linker that names others: a script, a list */
	MM_FLAG_CLASS_COUNT
};
const char *mm_flag_class_name(enum mm_flag_class class);

enum { MM_FLAG_GROUP = 96 };

struct mm_flag_kind {
	enum mm_flag_class class;
	char group[MM_FLAG_GROUP]; /* of flags of one group the last on the line holds */
	bool off;                  /* it says what holds without it */
};

/* FLAG is one as flag-words.h tells them. */
void mm_flag_kind(enum mm_dialect dialect, const char *flag, struct mm_flag_kind *kind);

/* Does the flag, when nobody asked for it, make a build another one than was asked for? */
bool mm_flag_deviates(const struct mm_flag_kind *kind);

#endif
