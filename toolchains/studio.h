/* Private to toolchains/: Sun Studio and Oracle Developer Studio. */
#ifndef MM_TOOLCHAINS_STUDIO_H
#define MM_TOOLCHAINS_STUDIO_H

#include "toolchains/toolchain.h"

struct mm_studio {
	bool cxx;          /* it is the C++ compiler */
	unsigned minor;    /* of the compiler: 9 for 5.9 */
	const char *suite; /* "12" for 5.9; NULL for one that came later; static */
	bool sparc, linux; /* platform: SunOS_sparc, SunOS_i386, Linux_i386 */
};

/* Versions of the compilers: Studio 11 came with 5.8. */
enum { MM_STUDIO_11 = 8, MM_STUDIO_12 = 9, MM_STUDIO_12_1 = 10, MM_STUDIO_12_4 = 13, MM_STUDIO_12_6 = 15 };

/*
 * Reads what "cc -V" or "CC -V" says. PROGRAM is for messages. Errors: MM_ECELL when it is no Studio compiler, or one
 * older than Studio 11.
 */
int mm_studio_read_banner(const char *program, const char *text, struct mm_studio *studio, struct mm_error *err);

/* The option for BITS; "" for MM_BITS_NATIVE. Studio 11 has no -m64. Static. */
const char *mm_studio_bits_option(const struct mm_studio *studio, int bits);

/*
 * Every word of FLAGS must be one that these compilers know: Studio warns about unknown options or hands them to the
 * linker, so that a wrong one would go unnoticed. Errors: MM_ECELL, with the word and what to write instead.
 */
int mm_studio_check_flags(const struct mm_studio *studio, const struct mm_flag_words *flags, struct mm_error *err);

#endif
