/* What a call would still make, and the disk that takes: from what was measured in this work folder, where it was. */
#ifndef MM_EXECUTORS_SPACE_H
#define MM_EXECUTORS_SPACE_H

#include "executors/run.h"

struct mm_space {
	unsigned builds;        /* to be compiled, or unpacked from packages; those that failed before are not */
	unsigned compiled;      /* among them */
	unsigned passes;        /* to be measured, as the newest run would be gone on with */
	uint64_t work_bytes;    /* of the work folder, at most at a time */
	uint64_t datadir_bytes; /* of schedule.datadir, where there is one */
	bool measured;          /* all of it has been built or made here before: nothing is derived from sources' sizes */
};

/*
 * CELLS, one for each of the matrix, are prepared or looked at. OPTIONS say what the call is to do; NULL: a whole run
 * that goes on. Reads files only; with nothing left to do everything is 0.
 */
void mm_space_left(const struct mm_matrix *matrix, const char *work, const struct mm_cell_state *cells,
		   const struct mm_run_options *options, struct mm_space *left);

#endif
