/*
 * A cell's server: a fresh copy of the pristine data directory, started on a
 * unix socket only, with the cell's own option file and nothing else of the
 * host; stopped cleanly, and killed with its whole group on any other way out.
 */
#ifndef MM_RUNNERS_SERVER_H
#define MM_RUNNERS_SERVER_H

#include <mysql.h>
#include <stdatomic.h>

#include "base/process.h"
#include "builders/build.h"

/*
 * Paths stand on the server's command line and in its environment, whose size moves its stack: SCRATCH and SOCKET are
 * best the same for every cell of a run, so that no cell differs by the length of its name.
 */
struct mm_server_place {
	const struct mm_build *build;       /* borrowed */
	const struct mm_cell *cell;         /* borrowed: config */
	const struct mm_schedule *schedule; /* borrowed */
	struct mm_limits limits;
	char *pristine; /* folder of the data directory that is made once for the cell: data, datadir.log, made */
	char *scratch;  /* folder that a pass fills and empties: data, tmp, error.log */
	char *socket;   /* short path of the same length for every cell */
	char *ledgers;  /* folder of the run where answers are compared (runners/ledger.h); NULL: they are not */
};

/* A test's time limit: set by the brackets of a test (runners/suite.h), watched by mm_pass_run. */
struct mm_watch {
	unsigned limit_seconds;       /* 0: none */
	_Atomic uint64_t deadline_ns; /* of the test under way, on the clock of mm_now_ns; 0: none */
	_Atomic bool over;            /* the server was killed for a reason: whatever a suite still runs is to end */
};

struct mm_server {
	const struct mm_server_place *place; /* borrowed */
	struct mm_process process;
	struct mm_strings argv; /* the exact command line */
	char *socket;
	char *error_log;                     /* stays in the scratch folder until the next start */
	struct mm_watch *watch;              /* borrowed; NULL: nobody watches */
	bool has_counters;                   /* the host offers hardware counters */
	uint64_t copy_ns, start_ns, stop_ns; /* these survive stop and kill */
};

/*
 * Makes the pristine data directory of a cell unless it is there whole, made by this server with this option file.
 * One that was left half made, or whose files have changed since, is removed and made again. Emits events of the stage
 * "datadir". Errors: MM_ECELL with the log's first error and its path.
 */
int mm_datadir_make(const struct mm_server_place *place, struct mm_error *err);

/* The last lines of what was said when it was made, "" when there is nothing. Allocated. */
char *mm_datadir_log_tail(const struct mm_server_place *place);

/* Has it made again the next time: a pass that failed may have failed by it. */
void mm_datadir_doubt(const struct mm_server_place *place);

/*
 * Copies the data directory, syncs the file system, reads the prefix once, starts the server and waits until a
 * query is answered. Errors: MM_ECELL, "server … exited at start (exit status 1)", with the error log's first errors.
 * After an error nothing runs; mm_server_kill then gives the log's tail and releases SERVER.
 */
int mm_server_start(const struct mm_server_place *place, struct mm_server *server, struct mm_error *err);

/*
 * Clean shutdown by SIGTERM, then the group is killed; the scratch copy is removed and SERVER released. A server that
 * did not stop cleanly is MM_ECELL: as after a failed start, mm_server_kill is still to be called.
 */
int mm_server_stop(struct mm_server *server, struct mm_error *err);
/* As stop, without waiting or judging: for error paths. LOG_TAIL, when not NULL, gets the log's tail (allocated). */
void mm_server_kill(struct mm_server *server, char **log_tail);

/* Connects and asks for 1 within SECONDS. 1: it answers; 0: not now; negative: it never will (mm_server_blame). */
int mm_server_probe(const struct mm_server *server, unsigned seconds, struct mm_error *err);

/* Whose fault an error of the client library is: MM_EENV when it has no memory or descriptor left, else MM_ECELL. */
enum mm_code mm_server_blame(unsigned number);
/* A new connection as root without password over the socket. The caller closes it. Errors: mm_server_blame. */
int mm_server_connect(const struct mm_server *server, MYSQL **out, struct mm_error *err);
/* The same for questions that are answered at once: one that takes a minute fails. For use where nobody watches. */
int mm_server_ask(const struct mm_server *server, MYSQL **out, struct mm_error *err);

/*
 * The folder for the socket of a run's servers, which only we may enter, since they have no passwords: in the run
 * folder, or below $TMPDIR or /tmp where the run's path is too long for a socket. Its name depends on the run alone,
 * so that a crash leaves no more than one. Allocated, the caller removes it (empty) at the end; the socket's name in
 * it has at most 4 bytes. NULL with MM_EENV when even that is too long, or the folder is somebody else's.
 */
char *mm_server_socket_place(const char *run_folder, struct mm_error *err);

#endif
