/*
 * The Slurm executor's own parts. What is to be done lies in job folders on the file system that all nodes share,
 *
 *   <work>/slurm/<n>/job.json     a submission: a list of units (a build, or a trail of passes), its matrix and options
 *   <work>/slurm/<n>/script       what sbatch gets: it executes its arguments
 *   <work>/slurm/<n>/out-<task>.log
 *   <work>/slurm/<n>/ended/<unit> written by the worker when a unit is over: empty, or why there is no result
 *   <work>/slurm/<n>/cancelled    we have cancelled it
 *   <work>/slurm/<n>/over         nothing of it is in the queue any more
 *
 * and that, not the queue, is the truth: the submitting process may go away, Slurm may forget ended jobs. A job's name
 * is unique and is how its tasks are found and cancelled, so nothing of anybody else is ever touched. Private to
 * executors/slurm/.
 */
#ifndef MM_EXECUTORS_SLURM_H
#define MM_EXECUTORS_SLURM_H

#include <jansson.h>

#include "executors/executor.h"

/* settings.c: what "executor" in MATRIX.json says. Strings are borrowed from it. */
struct mm_slurm_settings {
	const char *partition, *constraint, *node, *account, *time, *memory;
	const json_t *options; /* array of strings, may be NULL */
};
void mm_slurm_settings(const struct mm_matrix *matrix, struct mm_slurm_settings *settings);
int mm_slurm_settings_check(const struct mm_matrix *matrix, struct mm_error *err);

/* queue.c: Slurm's client programs. */

struct mm_slurm_task {
	bool active;    /* waits or runs */
	char state[24]; /* Slurm's word for it; "" when it has forgotten the task */
};

/* Runs sbatch with ARGUMENTS; a script's own text goes by a file. Errors: MM_EENV with what sbatch said. */
int mm_slurm_submit(const struct mm_strings *arguments, char id[32], struct mm_error *err);
/* Asks for all tasks of the jobs with these names, telling SEEN of each. Errors: MM_EENV, MM_EINTERRUPTED. */
int mm_slurm_query(const struct mm_strings *names,
		   void (*seen)(void *context, const char *name, unsigned task, const struct mm_slurm_task *state),
		   void *context, struct mm_error *err);
/* A line of its answer, "NAME|TASK|STATE": false for any other. LINE is changed, and NAME points into it. */
bool mm_slurm_answer_read(char *line, const char **name, unsigned *task, struct mm_slurm_task *state);
/* Cancels every task of the job with this name. Works also after a signal asked us to stop. False: Slurm refused. */
bool mm_slurm_cancel(const char *name);
/* How many tasks an array may have here. */
unsigned mm_slurm_most_tasks(void);

/* job.c: job folders. */

enum mm_slurm_kind { MM_SLURM_BUILD, MM_SLURM_BENCH, MM_SLURM_KINDS };
extern const char *const mm_slurm_kind_names[]; /* for people: "builds", "passes" */

struct mm_slurm_job {
	char *folder;
	const char *name;      /* borrowed from record */
	json_t *record;        /* job.json; owned */
	enum mm_slurm_kind kind;
	size_t units;
	unsigned tasks;        /* of the array: task t does the units t, t + tasks, … */
	size_t *places;        /* of its units in the watch, SIZE_MAX: not wanted */
	unsigned char *quiet;  /* for each unit: how often its task was seen to be over without a result */
	struct mm_slurm_task *states; /* of its tasks, as last seen */
};

/* The next free folder with RECORD ("name" is added) as its job.json. The job takes RECORD over. */
int mm_slurm_job_make(const char *work, json_t *record, struct mm_slurm_job *job, struct mm_error *err);
/* Errors: MM_EENV for a folder without a job.json to believe. */
int mm_slurm_job_load(const char *folder, struct mm_slurm_job *job, struct mm_error *err);
void mm_slurm_job_release(struct mm_slurm_job *job);
/* Names of the job folders in WORK that are neither over nor cancelled, as paths. */
void mm_slurm_jobs(const char *work, struct mm_strings *folders);
/* "over", "cancelled" */
int mm_slurm_job_mark(const struct mm_slurm_job *job, const char *mark, struct mm_error *err);
/* A unit's end: TEXT says why there is no result, NULL: there is one. */
int mm_slurm_unit_end(const struct mm_slurm_job *job, size_t unit, const char *text, struct mm_error *err);
bool mm_slurm_unit_ended(const struct mm_slurm_job *job, size_t unit);
/* Calls SEEN for each unit that ended; TEXT is "" or why there is no result. */
void mm_slurm_units_ended(const struct mm_slurm_job *job,
			  void (*seen)(void *context, size_t unit, const char *text), void *context);

/*
 * status.c: [{"folder", "name", "kind", "units", "ended", "pending", "running"}] of the jobs that are not known to be over;
 * the last two are absent when Slurm does not answer. Sets *ANY_RUNNING when a task runs. New reference.
 */
json_t *mm_slurm_status(const char *work, bool *any_running);

/* worker.c: does the task of the job in FOLDER that the environment names. Errors: as its units. */
int mm_slurm_work(const char *folder, struct mm_error *err);

#endif
