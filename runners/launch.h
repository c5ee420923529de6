/* What every start of a cell's server shares, whether it makes a data directory or serves. */
#ifndef MM_RUNNERS_LAUNCH_H
#define MM_RUNNERS_LAUNCH_H

#include "runners/server.h"

/* Appends launcher, server, --defaults-file first of all options, --basedir, --datadir, and --user=root for root. */
void mm_launch_argv(const struct mm_server_place *place, const char *datadir, struct mm_strings *argv);
/* Appends the clean environment with HOME, and what the cell's config sets over it. */
void mm_launch_env(const struct mm_server_place *place, const char *home, struct mm_strings *env);

/*
 * "; it needs more memory than …" when the program has met a limit of its cell, as WORDS or the error log at LOG show,
 * or may have met one since it CRASHED (mm_failure_limit); else "". Allocated.
 */
char *mm_launch_limit(const struct mm_server_place *place, const char *words, const char *log, bool crashed);

/* Is it MySQL (or Percona's), of at least this version? A version that cannot be read is none. */
bool mm_launch_is_mysql_since(const struct mm_build *build, unsigned major, unsigned minor, unsigned patch);

#endif
