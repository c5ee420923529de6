/* Gives disk space back: what can be made again, or what newer evidence has taken the place of. */
#ifndef MM_EXECUTORS_CLEAN_H
#define MM_EXECUTORS_CLEAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "executors/look.h"

struct mm_clean_options {
	const char *work;
	bool dry_run;      /* only say what would go */
	bool runs;         /* also whole runs, other than the newest and the newest that is over */
	bool wait;         /* for whoever works there, rather than refuse */
	double older_than; /* seconds: only what was last used before that; negative: of any age */
	uint64_t fit;      /* bytes: stop as soon as the work folder fits into them; 0: everything that may go goes */
	const struct mm_look *look; /* at a matrix whose builds are kept, and what they came from; NULL: none */
};

/*
 * What may go, in this order: leftovers of dead processes; of runs other than the newest the data directories (and those of
 * 'mymatrix server', and of the newest when nothing of it is left to do) and superseded passes; folders of Slurm jobs that are over; source trees, objects of git repositories and sysroots that no
 * build of a run that stays or of LOOK came from; build trees that were kept; builds that neither a run that stays nor
 * LOOK uses, oldest first; with RUNS, older runs, but not the newest of which nothing is left to do. What was built after the newest run began stays, and so does every build
 * when there is no run. Nothing else of the newest run is touched. Slurm jobs of this work folder that still wait or run are
 * cancelled first.
 *
 * {"mymatrix_clean": 1, "work", "dry_run", "bytes" (before), "freed_bytes", "fit_bytes" and "fits" (asked for, and come
 * to; null: not asked for), "more_bytes" (that would go with RUNS and of any age, when it does not fit), "items": [{"path",
 * "what", "bytes", "age_days"}]}. New reference in *OUT. Errors: MM_EUSAGE (no mymatrix ever worked there), MM_EENV (also when one is at
 * work there), MM_EINTERRUPTED.
 */
int mm_clean_work(const struct mm_clean_options *options, json_t **out, struct mm_error *err);

#endif
