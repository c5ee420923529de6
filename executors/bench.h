/* The passes of a run: in trails, each of which is carried out whole, on one machine. Private to executors/. */
#ifndef MM_EXECUTORS_BENCH_H
#define MM_EXECUTORS_BENCH_H

#include "executors/run.h"
#include "runners/schedule.h"

/* A trail of the order (runners/schedule.h): the unit that is redone after an interruption. */
struct mm_trail {
	size_t suite;   /* number in the matrix */
	int index;      /* pass index, from 1 */
	size_t number;  /* of the trail in the order of that index, from 0 */
	int position;   /* of its first slot in the whole order, from 1 */
	const struct mm_slot *slots; /* borrowed */
	size_t slot_count;
};

/* Calls VISIT for each trail of the whole plan, in order, until one returns not 0; returns that. */
int mm_trails_each(const struct mm_matrix *matrix,
		   int (*visit)(void *context, const struct mm_trail *trail, struct mm_error *err), void *context,
		   struct mm_error *err);

/* The same for one pass index of one suite; positions count from 1. */
int mm_trails_of_index(const struct mm_matrix *matrix, size_t suite, int index,
		       int (*visit)(void *context, const struct mm_trail *trail, struct mm_error *err), void *context,
		       struct mm_error *err);

/* Are the passes of all its cells that are not lost there? With RETRY_FAILED those that failed do not count. */
bool mm_trail_complete(const struct mm_run *run, const struct mm_trail *trail, bool retry_failed);

/* A place to run passes at. */
struct mm_bench {
	struct mm_run *run;
	bool retry_failed;
	char *scratch;       /* the same for all cells: one server at a time, and paths of one length */
	char *socket_folder;
	void (*pass_done)(void *context); /* called after each pass of a trail; may be NULL */
	void *context;
};

/*
 * SCRATCH: a word that tells places of one run apart, all of one length; NULL: there is only one place. Errors: MM_EENV.
 * Close it in any case.
 */
int mm_bench_open(struct mm_bench *bench, struct mm_run *run, const char *scratch, struct mm_error *err);
void mm_bench_close(struct mm_bench *bench);

/*
 * Runs a trail of which a pass is missing, whole, so that pairs stay close in time; its earlier passes are kept, renamed
 * *.superseded-<k>.json. A pass that fails is recorded; a cell with three failed passes in a row is given up: that is
 * noted in the run folder, and the cell is lost. Errors: MM_EENV, MM_EINTERRUPTED.
 */
int mm_bench_trail(struct mm_bench *bench, const struct mm_trail *trail, struct mm_error *err);

/* Loses the cells that were given up before, or with RETRY_FAILED forgets that. */
int mm_bench_given_up(struct mm_run *run, bool retry_failed, struct mm_error *err);
/* Was it given up in run->folder? */
bool mm_bench_is_given_up(const struct mm_run *run, const struct mm_cell *cell);

#endif
