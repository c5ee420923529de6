/* An installed server: where it is in its prefix, how it is started and what it says of itself. */
#ifndef MM_BUILDERS_PREFIX_H
#define MM_BUILDERS_PREFIX_H

#include "builders/build.h"

/*
 * Looks at build->prefix and fills server, basedir, launcher, variant, version and what the ELF header says. The
 * server is started once, with --version. BITS: 32 or 64 as wanted, MM_BITS_NATIVE: whatever it is. Errors: MM_ECELL
 * when there is no server, it has other bits, or cannot be started (build->hint says what may help).
 */
int mm_prefix_inspect(struct mm_build *build, int bits, struct mm_error *err);

/* The server's absolute path in PREFIX, allocated; NULL when there is none. *BASEDIR (may be NULL) is allocated. */
char *mm_prefix_find_server(const char *prefix, char **basedir);

#endif
