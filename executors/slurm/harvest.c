/* Ends of units: what workers have left in the job folders, and what it means when they have left nothing. */
#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "executors/slurm/watch.h"

enum {
	ATTEMPTS = 3,    /* of a unit within one call */
	QUIET_LOOKS = 3, /* a result may show up on this node later than the end of its task in the queue */
};

struct harvest {
	struct mm_watch *watch;
	struct mm_slurm_job *job;
	unsigned changes;
};

static void settle(struct harvest *harvest, size_t unit, enum mm_unit_state state, const char *failure)
{
	struct mm_unit *mine = &harvest->watch->units[harvest->job->places[unit]];
	harvest->job->places[unit] = SIZE_MAX;
	harvest->changes++;
	mm_watch_settle(harvest->watch, mine, state, failure);
}

static void see_end(void *context, size_t unit, const char *text)
{
	settle(context, unit, *text ? MM_UNIT_LOST : MM_UNIT_DONE, *text ? text : NULL);
}

/* Slurm forgets a task of an array at once when it is cancelled before it began; its log then never came to be. */
static bool never_began(const struct mm_slurm_job *job, unsigned task)
{
	char *log = mm_format("%s/out-%u.log", job->folder, task);
	bool there = mm_fs_exists(log);
	free(log);
	return !there;
}

/* The task of UNIT is over, and nothing was left to say how the unit ended. */
static void judge(struct harvest *harvest, size_t unit)
{
	static const struct {
		const char *state, *advice;
	} final[] = {
		{ "CANCELLED", "was cancelled: run the same command again to go on" },
		{ "TIMEOUT", "reached its time limit: raise 'time' of the executor and run again" },
		{ "DEADLINE", "reached its time limit: raise 'time' of the executor and run again" },
		{ "OUT_OF_MEMORY", "ran out of memory: raise 'memory' of the executor and run again" },
	};
	struct mm_slurm_job *job = harvest->job;
	struct mm_unit *mine = &harvest->watch->units[job->places[unit]];
	unsigned task = (unsigned)(unit % job->tasks);
	const char *state = job->states[task].state;
	char *text = NULL;
	if (!*state && never_began(job, task))
		state = "CANCELLED";
	for (size_t i = 0; i < sizeof final / sizeof *final && !text; i++)
		if (strcmp(state, final[i].state) == 0)
			text = mm_format("its Slurm task %u %s; log '%s/out-%u.log'", task, final[i].advice,
					 job->folder, task);
	if (!text && mine->attempts >= ATTEMPTS)
		text = mm_format(
			"its Slurm task ended %d times without a result (state %s): is '%s' on a file system that "
			"all nodes share? log '%s/out-%u.log'",
			ATTEMPTS, *state ? state : "unknown", harvest->watch->run->work, job->folder, task);
	if (!text) {
		char *note = mm_format("Slurm task %u of %s ended without a result (%s): it is submitted again", task,
				       job->folder, *state ? state : "unknown");
		mm_event_stage(MM_EVENT_NOTE, NULL, "queue", note);
		free(note);
	}
	settle(harvest, unit, text ? MM_UNIT_LOST : MM_UNIT_WAITING, text);
	free(text);
}

unsigned mm_watch_harvest(struct mm_watch *watch, struct mm_slurm_job *job, bool known)
{
	struct harvest harvest = { watch, job, 0 };
	mm_slurm_units_ended(job, see_end, &harvest);
	for (size_t unit = 0; unit < job->units && known; unit++) {
		if (job->places[unit] == SIZE_MAX)
			continue;
		if (job->states[unit % job->tasks].active)
			job->quiet[unit] = 0;
		else if (++job->quiet[unit] >= QUIET_LOOKS)
			judge(&harvest, unit);
	}
	return harvest.changes;
}
