/* Does a server still answer? A suite that waits for one that hangs would wait for ever. */
#ifndef MM_RUNNERS_WATCHDOG_H
#define MM_RUNNERS_WATCHDOG_H

#include <stdbool.h>

#include "runners/server.h"

struct mm_watchdog;

/*
 * Begins to connect to SERVER now and then, as a new client would, often enough to notice within about SECONDS that it
 * no longer answers. It costs the server a connection and a "SELECT 1" every half of that time. *OUT is NULL with 0
 * SECONDS. Errors: MM_EENV.
 */
int mm_watchdog_start(const struct mm_server *server, unsigned seconds, struct mm_watchdog **out, struct mm_error *err);

/* Did it not answer twice in a row? False for NULL, and for a server that is gone. */
bool mm_watchdog_hung(const struct mm_watchdog *dog);

/* Ends it (NULL is fine); at once when the server answers or was killed. */
void mm_watchdog_stop(struct mm_watchdog *dog);

#endif
