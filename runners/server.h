/*
 * A cell's server: a fresh copy of the pristine data directory, started on a
 * unix socket only, with the cell's own option file and nothing else of the
 * host; stopped cleanly, and killed with its whole group on any other way out.
 */
#ifndef MM_RUNNERS_SERVER_H
#define MM_RUNNERS_SERVER_H

#include <mysql.h>

#include "base/process.h"
#include "builders/build.h"

struct mm_server_place {
	const struct mm_build *build;   /* borrowed */
	const struct mm_cell *cell;     /* borrowed: config */
	const struct mm_schedule *schedule; /* borrowed */
	char *pristine; /* folder of the data directory that is made once for the cell */
	char *scratch;  /* folder that a pass fills and empties: data, tmp, error.log */
	char *socket;   /* short path of the same length for every cell */
};

struct mm_server {
	struct mm_process process;
	struct mm_strings argv; /* the exact command line */
	char *socket;
	char *error_log;
	uint64_t copy_ns, start_ns, stop_ns;
};

/* Makes the pristine data directory of a cell unless it is there whole. Errors: MM_ECELL with the log's first error. */
int mm_datadir_make(const struct mm_server_place *place, struct mm_error *err);

/*
 * Copies the data directory, syncs the file system, reads the prefix once, starts the server and waits until a
 * query is answered. Errors: MM_ECELL, "server … exited at start (exit status 1)", with the error log's last lines.
 */
int mm_server_start(const struct mm_server_place *place, struct mm_server *server, struct mm_error *err);

/* Clean shutdown by SIGTERM, then the group is killed; the scratch copy is removed. A server that did not stop cleanly is MM_ECELL. */
int mm_server_stop(struct mm_server *server, struct mm_error *err);
/* As stop, without waiting or judging: for error paths. Keeps the error log's tail in LOG_TAIL when not NULL (allocated). */
void mm_server_kill(struct mm_server *server, char **log_tail);

/* A new connection as root without password over the socket. The caller closes it. Errors: MM_ECELL. */
int mm_server_connect(const struct mm_server *server, MYSQL **out, struct mm_error *err);

#endif
