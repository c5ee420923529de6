/*
 * Files that several prefixes have in common (messages, character sets, help tables, programs that no flag touched)
 * are stored once: every file of a finished prefix is a hard link to <work>/files/<sha256 and mode>, which the next
 * prefix finds. Nothing may write into a finished prefix, and nothing does. Private to executors/.
 */
#ifndef MM_EXECUTORS_SHARE_H
#define MM_EXECUTORS_SHARE_H

#include "builders/build.h"

/*
 * Shares the files of BUILD's prefix; a prefix outside of its build's folder is not ours and stays as it is. Interrupted
 * at any moment it leaves whole files. File systems without hard links share nothing. Errors: MM_EENV, MM_EINTERRUPTED.
 */
int mm_share_prefix(const char *work, const struct mm_build *build, struct mm_error *err);

#endif
