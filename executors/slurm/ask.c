/* What the queue says of the jobs that are watched. */
#include <poll.h>

#include "base/event.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "executors/slurm/watch.h"

enum { STEP_MS = 50, PATIENCE_SECONDS = 900 /* with a controller that does not answer */ };

int mm_watch_rest(int milliseconds, struct mm_error *err)
{
	int code = mm_signals_check(err);
	for (int slept = 0; slept < milliseconds && !code; slept += STEP_MS) {
		(void)poll(NULL, 0, STEP_MS);
		code = mm_signals_check(err);
	}
	return code;
}

struct look {
	struct mm_watch *watch;
	struct mm_slurm_job *only; /* look at no other, NULL: at all */
	bool found;
};

static void see_task(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	struct look *look = context;
	struct mm_watch *watch = look->watch;
	for (size_t i = 0; i < (look->only ? 1 : watch->job_count); i++) {
		struct mm_slurm_job *job = look->only ? look->only : &watch->jobs[i];
		if (strcmp(job->name, name) != 0 || task >= job->tasks)
			continue;
		look->found = true;
		/* a requeued task can be listed with its past: what is active counts */
		if (!job->states[task].active)
			job->states[task] = *state;
	}
}

bool mm_watch_is_watched(const struct mm_slurm_job *job)
{
	for (size_t i = 0; i < job->units; i++)
		if (job->places[i] != SIZE_MAX)
			return true;
	return false;
}

int mm_watch_ask(struct mm_watch *watch, struct mm_slurm_job *only, bool *found, bool *known, struct mm_error *err)
{
	struct look look = { .watch = watch, .only = only };
	struct mm_strings names = MM_STRINGS_INIT;
	struct mm_error why = MM_ERROR_INIT;
	for (size_t i = 0; i < (only ? 1 : watch->job_count); i++) {
		struct mm_slurm_job *job = only ? only : &watch->jobs[i];
		if (!only && !mm_watch_is_watched(job))
			continue;
		memset(job->states, 0, job->tasks * sizeof *job->states);
		mm_strings_push(&names, job->name);
	}
	int code = names.count ? mm_slurm_query(&names, see_task, &look, &why) : 0;
	*known = !code;
	if (found)
		*found = look.found;
	if (code == MM_EINTERRUPTED)
		(void)mm_error_set(err, code, "%s", why.text);
	else if (code)
		mm_event_stage(MM_EVENT_NOTE, NULL, "queue", why.text);
	mm_strings_release(&names);
	return code == MM_EINTERRUPTED ? code : 0;
}

bool mm_watch_is_late(uint64_t heard_ns)
{
	return (mm_now_ns() - heard_ns) / 1000000000U >= PATIENCE_SECONDS;
}

int mm_watch_no_answer(struct mm_error *err)
{
	return mm_error_set(err, MM_EENV,
			    "Slurm's controller has not answered for %d minutes: run the same command again when "
			    "'squeue' works; jobs go on meanwhile",
			    PATIENCE_SECONDS / 60);
}

int mm_watch_insist(struct mm_watch *watch, struct mm_slurm_job *only, bool *found, struct mm_error *err)
{
	uint64_t began = mm_now_ns();
	int pause = MM_SLURM_FIRST_PAUSE_MS, code = 0;
	while (!code) {
		bool known;
		code = mm_watch_ask(watch, only, found, &known, err);
		if (code || known)
			return code;
		code = mm_watch_is_late(began) ? mm_watch_no_answer(err) : mm_watch_rest(pause, err);
		pause = pause * 2 < MM_SLURM_LONGEST_PAUSE_MS ? pause * 2 : MM_SLURM_LONGEST_PAUSE_MS;
	}
	return code;
}
