/*
 * A run: a plan carried out, as a folder <work>/runs/<n>/ with
 *
 *   plan.json     the plan, the matrix as written, host, order of passes, which passes make pairs
 *   cells.json    what became of each cell: its build, or why it failed
 *   passes/…      a file for each pass (runners/pass.h)
 *   pristine/…    a data directory for each cell, copied for every pass
 *   given-up/…    a file for each cell whose passes failed too often
 *   report.json   written by reports/
 *
 * A later call goes on with the newest run when plan, builds, host and kernel are the same. Where the steps are carried
 * out is an executor's business (executors/executor.h).
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

struct mm_remembered;

struct mm_run {
	const struct mm_matrix *matrix; /* borrowed */
	char *work;   /* absolute work folder */
	char *folder; /* <work>/runs/<n>; NULL until passes are asked for */
	char *name;   /* "run" of its plan.json, which stays when the folder is copied; NULL: as the folder */
	struct mm_store store;
	struct mm_jobserver budget; /* of this process; a worker of an executor elsewhere has none */
	struct mm_cell_state *cells; /* one for each cell of the matrix */
	struct mm_remembered *remembered; /* failures on record that are not tried again; while it is carried out */
	int lock;              /* descriptor of <work>/lock, -1: a worker, which has locks of its own */
};

enum mm_run_phase { MM_RUN_BUILD = 1, MM_RUN_BENCH = 2 };

struct mm_run_options {
	const char *work; /* as given; made when missing */
	bool again;       /* a new run although the newest fits */
	bool retry_failed; /* failed builds and failed passes are tried again */
	bool wait;         /* for whoever works in the work folder, rather than refuse */
	unsigned phases;  /* of enum mm_run_phase; bench without build uses what is installed */
	const char *executor; /* "local", "slurm"; NULL: what MATRIX.json says */
	const char *program;  /* argv[0]: executors that start workers need it */
	const struct mm_matrix_overrides *overrides; /* what MATRIX was loaded with, for workers; NULL: nothing */
};

/* How many compilers run at once: as the matrix says, else one for each CPU. */
int mm_run_jobs(const struct mm_matrix *matrix);

/* Opens the work folder and takes its lock: MM_EENV with the holder's pid when another process has it, unless OPTIONS wait. */
int mm_run_open(const struct mm_matrix *matrix, const struct mm_run_options *options, struct mm_run *run,
		struct mm_error *err);
/*
 * Carries the plan out by the executor that OPTIONS or the matrix name. Cells that fail are recorded and the others go
 * on; returns 0 even then (see cells[].code). Errors: MM_EUSAGE for an executor that there is not, MM_EMATRIX for inputs
 * that are missing, MM_EENV, MM_EINTERRUPTED.
 */
int mm_run_carry_out(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err);
void mm_run_close(struct mm_run *run);

/* Are suites, tests, engines … of the matrix such as there are? HERE: and is what they need on this machine? */
int mm_run_check_suites(const struct mm_matrix *matrix, bool here, struct mm_error *err);

enum { MM_RUN_HIGHEST = 999999999 }; /* of the numbers of runs; another name in runs/ is none of ours */

/* The folder of the newest run of a work folder, NULL when there is none. Allocated. */
char *mm_run_newest(const char *work);
/* The newest run of which nothing is left to do, as its report says; NULL when there is none. Allocated. */
char *mm_run_newest_over(const char *work);
/*
 * An earlier run beside the one in FOLDER that is complete, and measured all its cells and more of them, or, when the one
 * in FOLDER is not COMPLETE, had the same plan: whoever tried out a few cells, or began anew and stopped, looks for it.
 * NULL: there is none. FEWER: which of the two. Allocated.
 */
char *mm_run_fuller(const char *folder, bool complete, bool *fewer);

/*
 * A worker of an executor: makes the build KEY of CELL (see executors/crew.h), or without these does the task of the
 * Slurm job in FOLDER that its environment names. Errors: as its units.
 */
int mm_run_worker(const char *folder, const char *cell, const char *key, struct mm_error *err);

#endif
