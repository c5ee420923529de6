/* Private folders: the servers have no passwords, so nobody else may get near their sockets and data. */
#ifndef MM_RUNNERS_PLACE_H
#define MM_RUNNERS_PLACE_H

#include "base/error.h"

/* Makes PATH and its parents, PATH with mode 0700 and ours; one that somebody else has planted is refused (MM_EENV). */
int mm_place_private(const char *path, struct mm_error *err);

#endif
