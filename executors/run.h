/*
 * A run: a plan carried out, as a folder <work>/runs/<n>/ with
 *
 *   plan.json    the plan, the matrix as written, host, order of passes, which passes make pairs; written once
 *   cells.json   what became of each cell: its build, or why it failed
 *   passes/…     a file for each pass (runners/pass.h)
 *   pristine/…   a data directory for each cell, copied for every pass
 *   report.json  written by reports/
 *
 * A later call goes on with the newest run when plan, builds, host and kernel are the same.
 */
#ifndef MM_EXECUTORS_RUN_H
#define MM_EXECUTORS_RUN_H

#include "builders/build.h"
#include "matrix/matrix.h"

/* What became of a cell. */
struct mm_cell_state {
	struct mm_build build;
	int code;      /* 0, or why the cell has no prefix or no passes: a negative enum mm_code */
	char *failure; /* the error's text when code is not 0 */
};

struct mm_run {
	const struct mm_matrix *matrix; /* borrowed */
	char *work;   /* absolute work folder */
	char *folder; /* <work>/runs/<n>; NULL until passes are asked for */
	struct mm_store store;
	struct mm_cell_state *cells; /* one for each cell of the matrix */
	int lock;              /* descriptor of <work>/lock */
};

enum mm_run_phase { MM_RUN_BUILD = 1, MM_RUN_BENCH = 2 };

struct mm_run_options {
	const char *work; /* as given; made when missing */
	bool again;       /* a new run although the newest fits */
	bool retry_failed; /* failed builds and failed passes are tried again */
	unsigned phases;  /* of enum mm_run_phase; bench without build uses what is installed */
};

/* Opens the work folder and takes its lock: MM_EENV with the holder's pid when another process has it. */
int mm_run_open(const struct mm_matrix *matrix, const struct mm_run_options *options, struct mm_run *run,
		struct mm_error *err);
/*
 * Carries the plan out on this machine. Cells that fail are recorded and the others go on; returns 0 even then
 * (see cells[].code). Errors: MM_EMATRIX for inputs that are missing, MM_EENV, MM_EINTERRUPTED.
 */
int mm_run_local(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);
void mm_run_close(struct mm_run *run);

/* The folder of the newest run of a work folder, NULL when there is none. Allocated. */
char *mm_run_newest(const char *work);

#endif
