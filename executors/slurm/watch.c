/*
 * Gets units done: submits them, watches job folders and queue, and judges what ended without a result. A unit whose
 * node was lost is Slurm's to requeue; one whose task is over and has left nothing is submitted again, a few times.
 */
#include <poll.h>
#include <signal.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "executors/slurm/slurm.h"
#include "executors/task.h"

enum {
	FIRST_PAUSE_MS = 200,
	LONGEST_PAUSE_MS = 10000,
	STEP_MS = 50,
	ATTEMPTS = 3,           /* of a unit within one call */
	QUIET_LOOKS = 3,        /* a result may show up on this node later than the end of its task in the queue */
	PATIENCE_SECONDS = 900, /* with a controller that does not answer */
	SUBMIT_TRIES = 5,
};

void mm_watch_add(struct mm_watch_slurm *watch, json_t *unit, unsigned weight)
{
	watch->units = mm_grow(watch->units, watch->unit_count, &watch->unit_capacity, sizeof *watch->units);
	watch->units[watch->unit_count] =
		(struct mm_unit){ .id = mm_json_string(unit, "id", ""), .json = unit, .weight = weight };
	if (!watch->by_id)
		watch->by_id = json_object();
	json_object_set_new(watch->by_id, watch->units[watch->unit_count].id,
			    json_integer((json_int_t)watch->unit_count));
	watch->unit_count++;
}

void mm_watch_release(struct mm_watch_slurm *watch)
{
	for (size_t i = 0; i < watch->unit_count; i++) {
		json_decref(watch->units[i].json);
		free(watch->units[i].failure);
	}
	for (size_t i = 0; i < watch->job_count; i++)
		mm_slurm_job_release(&watch->jobs[i]);
	free(watch->units);
	free(watch->jobs);
	json_decref(watch->by_id);
	*watch = (struct mm_watch_slurm){ 0 };
}

/* Waits, but not past a signal. */
static int rest(int milliseconds, struct mm_error *err)
{
	int code = mm_signals_check(err);
	for (int slept = 0; slept < milliseconds && !code; slept += STEP_MS) {
		(void)poll(NULL, 0, STEP_MS);
		code = mm_signals_check(err);
	}
	return code;
}

static struct mm_slurm_job *take_job(struct mm_watch_slurm *watch, const struct mm_slurm_job *job)
{
	watch->jobs = mm_grow(watch->jobs, watch->job_count, &watch->job_capacity, sizeof *watch->jobs);
	watch->jobs[watch->job_count] = *job;
	return &watch->jobs[watch->job_count++];
}

/* The queue */

struct look {
	struct mm_watch_slurm *watch;
	struct mm_slurm_job *only; /* look at no other, NULL: at all */
	bool found;
};

static void see_task(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	struct look *look = context;
	struct mm_watch_slurm *watch = look->watch;
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

static bool is_watched(const struct mm_slurm_job *job)
{
	for (size_t i = 0; i < job->units; i++)
		if (job->places[i] != SIZE_MAX)
			return true;
	return false;
}

/* Looks at the states of all tasks. *KNOWN is false when the controller did not answer. */
static int ask_queue(struct mm_watch_slurm *watch, struct mm_slurm_job *only, bool *found, bool *known,
		     struct mm_error *err)
{
	struct look look = { .watch = watch, .only = only };
	struct mm_strings names = MM_STRINGS_INIT;
	struct mm_error why = MM_ERROR_INIT;
	for (size_t i = 0; i < (only ? 1 : watch->job_count); i++) {
		struct mm_slurm_job *job = only ? only : &watch->jobs[i];
		if (!only && !is_watched(job))
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

/* As ask_queue, but comes back only with an answer. */
static int insist(struct mm_watch_slurm *watch, struct mm_slurm_job *only, bool *found, struct mm_error *err)
{
	uint64_t end = mm_now_ns() + (uint64_t)PATIENCE_SECONDS * 1000000000U;
	for (int pause = FIRST_PAUSE_MS;; pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS) {
		bool known;
		int code = ask_queue(watch, only, found, &known, err);
		if (code || known)
			return code;
		if (mm_now_ns() >= end)
			return mm_error_set(
				err, MM_EENV,
				"Slurm's controller has not answered for %d minutes: run the same command again "
				"when 'squeue' works; jobs go on meanwhile",
				PATIENCE_SECONDS / 60);
		code = rest(pause, err);
		if (code)
			return code;
	}
}

/* Adoption of what an earlier process has submitted */

static bool concerns_us(const struct mm_watch_slurm *watch, const struct mm_slurm_job *job)
{
	return job->kind == watch->kind &&
	       (watch->kind == MM_SLURM_BUILD ||
		strcmp(mm_json_string(job->record, "run", ""), mm_path_base(watch->run->folder)) == 0);
}

/* Units that the job still has to end are its own, and not to be submitted again. */
static void map_units(struct mm_watch_slurm *watch, struct mm_slurm_job *job)
{
	const json_t *units = json_object_get(job->record, "units"), *unit;
	size_t i;
	json_array_foreach(units, i, unit)
	{
		const json_t *place = json_object_get(watch->by_id, mm_json_string(unit, "id", ""));
		if (!place || !job->states[i % job->tasks].active || mm_slurm_unit_ended(job, i))
			continue;
		struct mm_unit *mine = &watch->units[json_integer_value(place)];
		if (mine->state != MM_UNIT_WAITING)
			continue;
		mine->state = MM_UNIT_SUBMITTED;
		job->places[i] = (size_t)json_integer_value(place);
	}
}

static int adopt_one(struct mm_watch_slurm *watch, const char *folder, struct mm_error *err)
{
	struct mm_slurm_job job;
	struct mm_error why = MM_ERROR_INIT;
	bool found = false;
	if (mm_slurm_job_load(folder, &job, &why))
		return 0; /* it never came to a submission */
	int code = concerns_us(watch, &job) ? insist(watch, &job, &found, err) : 0;
	bool active = false;
	for (unsigned task = 0; task < job.tasks; task++)
		active = active || job.states[task].active;
	if (code || !concerns_us(watch, &job)) {
		mm_slurm_job_release(&job);
	} else if (!active) {
		code = mm_slurm_job_mark(&job, "over", err);
		mm_slurm_job_release(&job);
	} else {
		job.adopted = true;
		map_units(watch, &job);
		(void)take_job(watch, &job);
		mm_event_stage(MM_EVENT_NOTE, NULL, watch->progress,
			       "a job of an earlier call is still in Slurm's queue");
	}
	return code;
}

static int adopt(struct mm_watch_slurm *watch, struct mm_error *err)
{
	struct mm_strings folders = MM_STRINGS_INIT;
	int code = 0;
	mm_slurm_jobs(watch->run->work, &folders);
	for (size_t i = 0; i < folders.count && !code; i++)
		code = adopt_one(watch, folders.items[i], err);
	mm_strings_release(&folders);
	return code;
}

/* Submission */

static json_t *job_record(const struct mm_watch_slurm *watch, unsigned tasks, json_t *units)
{
	json_t *record = mm_task_record(watch->run, watch->options);
	mm_json_put_integer(record, "mymatrix_slurm", 1);
	mm_json_put_string(record, "kind", watch->kind == MM_SLURM_BUILD ? "build" : "bench");
	if (watch->kind == MM_SLURM_BENCH) {
		mm_json_put_string(record, "run", mm_path_base(watch->run->folder));
		mm_json_put_string(record, "plan", watch->plan);
	}
	mm_json_put_integer(record, "tasks", tasks);
	json_object_set_new(record, "units", units);
	return record;
}

static void put_option(struct mm_strings *arguments, const char *option, const char *value)
{
	if (value)
		mm_strings_pushf(arguments, "%s=%s", option, value);
}

static void job_arguments(const struct mm_watch_slurm *watch, const struct mm_slurm_job *job,
			  struct mm_strings *arguments)
{
	static const char *const always[] = { "--requeue", "--output=/dev/null", "--chdir=/", "--nodes=1",
					      "--ntasks=1" };
	const struct mm_slurm_settings *settings = &watch->settings;
	int jobs = watch->run->matrix->build.jobs;
	size_t i;
	const json_t *option;
	for (i = 0; i < sizeof always / sizeof *always; i++)
		mm_strings_push(arguments, always[i]);
	put_option(arguments, "--job-name", job->name);
	mm_strings_pushf(arguments, "--array=0-%u", job->tasks - 1);
	if (watch->kind == MM_SLURM_BUILD && jobs > 0)
		mm_strings_pushf(arguments, "--cpus-per-task=%d", jobs);
	else
		mm_strings_push(arguments, "--exclusive");
	put_option(arguments, "--partition", settings->partition);
	put_option(arguments, "--account", settings->account);
	put_option(arguments, "--time", settings->time);
	put_option(arguments, "--mem", settings->memory);
	if (watch->kind == MM_SLURM_BENCH) {
		put_option(arguments, "--constraint", settings->constraint);
		put_option(arguments, "--nodelist", settings->node);
	}
	json_array_foreach(settings->options, i, option) mm_strings_push(arguments, json_string_value(option));
	mm_strings_pushf(arguments, "%s/script", job->folder);
	mm_strings_push(arguments, watch->options->program); /* the script's $1, and the folder is its $4 */
	mm_strings_push(arguments, "worker");
	mm_strings_push(arguments, "--");
	mm_strings_push(arguments, job->folder);
}

/* sbatch can fail although the controller has taken the job: before another try the queue is asked. */
static int submit_surely(struct mm_watch_slurm *watch, struct mm_slurm_job *job, char id[32], struct mm_error *err)
{
	struct mm_strings arguments = MM_STRINGS_INIT;
	struct mm_error why = MM_ERROR_INIT;
	int code = 0, pause = 1000;
	bool there = false;
	job_arguments(watch, job, &arguments);
	for (int try = 1; !there; try++) {
		mm_error_clear(&why);
		code = mm_slurm_submit(&arguments, id, &why);
		if (!code || code == MM_EINTERRUPTED || try == SUBMIT_TRIES)
			break;
		code = rest(pause, err);
		if (!code)
			code = insist(watch, job, &there, err);
		if (code)
			break;
		pause *= 2;
	}
	if (code)
		(void)mm_error_set(err, (enum mm_code)code, "%s", why.text);
	mm_strings_release(&arguments);
	return code;
}

static int submit(struct mm_watch_slurm *watch, unsigned most_tasks, struct mm_error *err)
{
	struct mm_slurm_job job;
	json_t *units = json_array();
	char id[32] = "";
	for (size_t i = 0; i < watch->unit_count; i++)
		if (watch->units[i].state == MM_UNIT_WAITING)
			json_array_append(units, watch->units[i].json);
	size_t count = json_array_size(units), next = 0;
	unsigned tasks = count < most_tasks ? (unsigned)count : most_tasks;
	int code = mm_slurm_job_make(watch->run->work, job_record(watch, tasks, units), &job, err);
	if (code)
		return code;
	for (size_t i = 0; i < watch->unit_count; i++) {
		if (watch->units[i].state != MM_UNIT_WAITING)
			continue;
		watch->units[i].state = MM_UNIT_SUBMITTED;
		watch->units[i].attempts++;
		job.places[next++] = i;
	}
	/* ours from now on, whatever sbatch says: what was asked for may be in the queue */
	struct mm_slurm_job *ours = take_job(watch, &job);
	code = submit_surely(watch, ours, id, err);
	if (!code) {
		char *text = mm_format("Slurm job %s, %u tasks, for %zu %s", *id ? id : ours->name, tasks, count,
				       watch->kind == MM_SLURM_BUILD ? "builds" : "trails of passes");
		mm_event_stage(MM_EVENT_NOTE, NULL, "submitted", text);
		free(text);
	}
	return code;
}

/* Ends of units */

struct harvest {
	struct mm_watch_slurm *watch;
	struct mm_slurm_job *job;
	unsigned changes;
};

static void settle(struct harvest *harvest, size_t unit, enum mm_unit_state state, const char *failure)
{
	struct mm_unit *mine = &harvest->watch->units[harvest->job->places[unit]];
	harvest->job->places[unit] = SIZE_MAX;
	harvest->changes++;
	mine->state = state;
	free(mine->failure);
	mine->failure = mm_strdup(failure);
	if (state == MM_UNIT_WAITING)
		return;
	harvest->watch->done += mine->weight;
	mm_event_progress(NULL, harvest->watch->progress, harvest->watch->done, harvest->watch->total);
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

/* Takes the ends that show; judges units whose task has been over for some looks. */
static unsigned harvest_job(struct mm_watch_slurm *watch, struct mm_slurm_job *job, bool known)
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

static void count_units(const struct mm_watch_slurm *watch, size_t *waiting, size_t *submitted)
{
	*waiting = *submitted = 0;
	for (size_t i = 0; i < watch->unit_count; i++) {
		*waiting += watch->units[i].state == MM_UNIT_WAITING;
		*submitted += watch->units[i].state == MM_UNIT_SUBMITTED;
	}
}

static int mark_over(struct mm_watch_slurm *watch, struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; i < watch->job_count && !code; i++)
		code = mm_slurm_job_mark(&watch->jobs[i], "over", err);
	return code;
}

static int watch_all(struct mm_watch_slurm *watch, struct mm_error *err)
{
	unsigned most_tasks = mm_slurm_most_tasks();
	uint64_t heard = mm_now_ns();
	int pause = FIRST_PAUSE_MS, code = 0;
	while (!code) {
		size_t waiting, submitted;
		unsigned changes = 0;
		bool known;
		count_units(watch, &waiting, &submitted);
		if (waiting)
			code = submit(watch, most_tasks, err);
		else if (!submitted)
			return mark_over(watch, err);
		if (!code)
			code = ask_queue(watch, NULL, NULL, &known, err);
		if (code)
			break;
		heard = known ? mm_now_ns() : heard;
		for (size_t i = 0; i < watch->job_count; i++)
			changes += harvest_job(watch, &watch->jobs[i], known);
		if ((mm_now_ns() - heard) / 1000000000U >= PATIENCE_SECONDS)
			return mm_error_set(
				err, MM_EENV,
				"Slurm's controller has not answered for %d minutes: run the same command again "
				"when 'squeue' works; jobs go on meanwhile",
				PATIENCE_SECONDS / 60);
		pause = changes || waiting ? FIRST_PAUSE_MS : pause + pause / 3;
		pause = pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS;
		code = rest(pause, err);
	}
	return code;
}

/* What is ours and nothing else. Marked first, so that nobody waits for it. */
static void cancel(struct mm_watch_slurm *watch)
{
	for (size_t i = 0; i < watch->job_count; i++) {
		struct mm_slurm_job *job = &watch->jobs[i];
		if (!is_watched(job))
			continue;
		struct mm_error ignored = MM_ERROR_INIT;
		(void)mm_slurm_job_mark(job, "cancelled", &ignored);
		if (mm_slurm_cancel(job->name))
			mm_event_stage(MM_EVENT_NOTE, NULL, "cancelled", job->name);
		else
			mm_warn("could not cancel Slurm job '%s': cancel it by hand with 'scancel --name=%s'",
				job->name, job->name);
	}
}

int mm_watch_run(struct mm_watch_slurm *watch, struct mm_error *err)
{
	mm_event_progress(NULL, watch->progress, watch->done, watch->total);
	int code = adopt(watch, err);
	if (!code)
		code = watch_all(watch, err);
	if (code != MM_EINTERRUPTED)
		return code;
	if (mm_signals_pending() == SIGHUP) /* the terminal is gone, which says nothing against the work */
		mm_event_stage(MM_EVENT_NOTE, NULL, "queue", "Slurm jobs go on: the same command finds them again");
	else
		cancel(watch);
	return code;
}
