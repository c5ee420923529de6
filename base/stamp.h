/* Was a file touched since? Quicker to compare than what is in it. */
#ifndef MM_BASE_STAMP_H
#define MM_BASE_STAMP_H

#include <stdint.h>

/*
 * A number, from its size and its time to the nanosecond, that changes when PATH is replaced or written to, and not when
 * it is renamed or linked; 0: no file is there.
 */
int64_t mm_file_stamp(const char *path);

/* The same, from its inode and the time of its last change of any kind: nothing that sets the other time gets past it. */
int64_t mm_inode_stamp(const char *path);

#endif
