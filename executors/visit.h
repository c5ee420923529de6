/* A visit to one cell's server, outside of any run: a data directory of its own, which goes when the visit ends. */
#ifndef MM_EXECUTORS_VISIT_H
#define MM_EXECUTORS_VISIT_H

#include "executors/look.h"
#include "runners/server.h"

struct mm_visit {
	struct mm_server server;
	struct mm_server_place place;
	char *folder;        /* <work>/server/<pid> */
	char *socket_folder;
	bool running;
};

/*
 * Starts the server of CELL, whose build must be done (look->cells), on a fresh copy of a pristine data directory.
 * Errors: MM_ECELL, MM_EENV, MM_EINTERRUPTED. Close it in any case.
 */
int mm_visit_open(const struct mm_look *look, const struct mm_cell *cell, struct mm_visit *visit, struct mm_error *err);
/* Stops the server and removes what the visit made. Errors: MM_ECELL when the server did not stop cleanly. */
int mm_visit_close(struct mm_visit *visit, struct mm_error *err);

#endif
