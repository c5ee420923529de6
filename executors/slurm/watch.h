/*
 * Gets units done: submits them, watches job folders and queue, and judges what ended without a result. A unit whose
 * node was lost is Slurm's to requeue; one whose task is over and has left nothing is submitted again, a few times.
 *
 * watch.c has the loop; its parts are ask.c (the queue's answers), adopt.c (what an earlier process has submitted),
 * submit.c and harvest.c (ends of units). Private to executors/slurm/.
 */
#ifndef MM_EXECUTORS_SLURM_WATCH_H
#define MM_EXECUTORS_SLURM_WATCH_H

#include "executors/slurm/slurm.h"

enum { MM_SLURM_FIRST_PAUSE_MS = 200, MM_SLURM_LONGEST_PAUSE_MS = 10000 };

enum mm_unit_state {
	MM_UNIT_HELD,    /* what it needs is not there yet: whoever added it says when */
	MM_UNIT_WAITING, /* to be submitted */
	MM_UNIT_SUBMITTED,
	MM_UNIT_DONE,
	MM_UNIT_LOST
};

struct mm_unit {
	const char *id; /* borrowed from json: unique among the units of a watch */
	json_t *json;   /* as in job.json; owned */
	enum mm_slurm_kind kind;
	unsigned weight; /* for progress */
	enum mm_unit_state state;
	unsigned attempts;
	char *failure; /* when lost */
	size_t *cells; /* of a held one: the cells whose builds it needs; owned */
	size_t cell_count;
};

struct mm_watch {
	struct mm_run *run;                   /* borrowed */
	const struct mm_run_options *options; /* borrowed */
	struct mm_slurm_settings settings;
	char plan[65]; /* digest of the plan, once there are passes */
	/*
	 * Called in the beginning and whenever builds have ended: takes note of them, and may add units or let held
	 * ones go. Errors: MM_EENV, MM_EINTERRUPTED.
	 */
	int (*builds_ended)(struct mm_watch *watch, struct mm_error *err);
	unsigned done[MM_SLURM_KINDS], total[MM_SLURM_KINDS]; /* weights: of what is done, and of all */
	bool adopted[MM_SLURM_KINDS];
	bool news; /* builds have ended since builds_ended was called */
	uint64_t passes_submitted_ns;
	unsigned most_tasks; /* of an array; 0: not asked yet */
	struct mm_unit *units;
	size_t unit_count, unit_capacity;
	json_t *by_id; /* unit id to its number; owned */
	struct mm_slurm_job *jobs;
	size_t job_count, job_capacity;
};

void mm_watch_init(struct mm_watch *watch, struct mm_run *run, const struct mm_run_options *options);
/* It is to be submitted. The unit takes JSON over; it is valid until the next one is added. */
struct mm_unit *mm_watch_add(struct mm_watch *watch, enum mm_slurm_kind kind, json_t *json, unsigned weight);
/* The unit is over without a task of its own. */
void mm_watch_settle(struct mm_watch *watch, struct mm_unit *unit, enum mm_unit_state state, const char *failure);
/* NULL: there is none of this id. */
const struct mm_unit *mm_watch_find(const struct mm_watch *watch, const char *id);
/*
 * Adopts what an earlier process has submitted, submits the rest, waits until every unit is done or lost. A signal
 * other than SIGHUP cancels what is ours. Errors: MM_EENV, MM_EINTERRUPTED.
 */
int mm_watch_run(struct mm_watch *watch, struct mm_error *err);
void mm_watch_release(struct mm_watch *watch);

/* Its parts */

/* ask.c: looks at the states of the tasks of all jobs, or of JOB alone. *KNOWN: the controller did answer. */
int mm_watch_ask(struct mm_watch *watch, struct mm_slurm_job *job, bool *found, bool *known, struct mm_error *err);
/* The same, and comes back only with an answer, or with MM_EENV when there is none for a quarter of an hour. */
int mm_watch_insist(struct mm_watch *watch, struct mm_slurm_job *job, bool *found, struct mm_error *err);
int mm_watch_no_answer(struct mm_error *err);
bool mm_watch_is_late(uint64_t heard_ns);
/* Waits, but not past a signal. */
int mm_watch_rest(int milliseconds, struct mm_error *err);
/* Has the job units that are still to end? */
bool mm_watch_is_watched(const struct mm_slurm_job *job);
/* The watch takes JOB over; it is valid until the next one. */
struct mm_slurm_job *mm_watch_take_job(struct mm_watch *watch, const struct mm_slurm_job *job);

/* adopt.c */
int mm_watch_adopt(struct mm_watch *watch, enum mm_slurm_kind kind, struct mm_error *err);
/* submit.c: everything of KIND that waits, as one job. */
int mm_watch_submit(struct mm_watch *watch, enum mm_slurm_kind kind, struct mm_error *err);
/* harvest.c: takes the ends that show; with KNOWN states of tasks judges those that ended without. How many changed. */
unsigned mm_watch_harvest(struct mm_watch *watch, struct mm_slurm_job *job, bool known);

#endif
