/* Submission: units to a job folder, and that to sbatch. */
#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/slurm/watch.h"
#include "executors/task.h"

enum { SUBMIT_TRIES = 5, SUBMIT_PAUSE_MS = 1000 };

static json_t *job_record(const struct mm_watch *watch, enum mm_slurm_kind kind, unsigned tasks, json_t *units)
{
	json_t *record = mm_task_record(watch->run, watch->options);
	mm_json_put_integer(record, "mymatrix_slurm", 1);
	mm_json_put_string(record, "kind", kind == MM_SLURM_BUILD ? "build" : "bench");
	if (kind == MM_SLURM_BENCH) {
		mm_json_put_string(record, "run", mm_path_base(watch->run->folder));
		mm_json_put_string(record, "run_name", watch->run->name);
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

static void job_arguments(const struct mm_watch *watch, const struct mm_slurm_job *job, struct mm_strings *arguments)
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
	if (job->kind == MM_SLURM_BUILD && jobs > 0)
		mm_strings_pushf(arguments, "--cpus-per-task=%d", jobs);
	else
		mm_strings_push(arguments, "--exclusive");
	put_option(arguments, "--partition", settings->partition);
	put_option(arguments, "--account", settings->account);
	put_option(arguments, "--time", settings->time);
	put_option(arguments, "--mem", settings->memory);
	if (job->kind == MM_SLURM_BENCH) {
		put_option(arguments, "--constraint", settings->constraint);
		put_option(arguments, "--nodelist", settings->node);
	}
	json_array_foreach(settings->options, i, option)
		mm_strings_push(arguments, json_string_value(option));
	mm_strings_pushf(arguments, "%s/script", job->folder);
	mm_strings_push(arguments, watch->options->program); /* the script's $1, and the folder is its $4 */
	mm_strings_push(arguments, "worker");
	mm_strings_push(arguments, "--");
	mm_strings_push(arguments, job->folder);
}

/* sbatch can fail although the controller has taken the job: before another try the queue is asked. */
static int submit_surely(struct mm_watch *watch, struct mm_slurm_job *job, char id[32], struct mm_error *err)
{
	struct mm_strings arguments = MM_STRINGS_INIT;
	struct mm_error why = MM_ERROR_INIT;
	int code = 0, pause = SUBMIT_PAUSE_MS;
	bool there = false;
	job_arguments(watch, job, &arguments);
	for (int try = 1; !there; try++) {
		mm_error_clear(&why);
		code = mm_slurm_submit(&arguments, id, &why);
		if (!code || code == MM_EINTERRUPTED || try == SUBMIT_TRIES)
			break;
		code = mm_watch_rest(pause, err);
		if (!code)
			code = mm_watch_insist(watch, job, &there, err);
		if (code)
			break;
		pause *= 2;
	}
	if (code)
		(void)mm_error_set(err, (enum mm_code)code, "%s", why.text);
	mm_strings_release(&arguments);
	return code;
}

int mm_watch_submit(struct mm_watch *watch, enum mm_slurm_kind kind, struct mm_error *err)
{
	struct mm_slurm_job job;
	json_t *units = json_array();
	char id[32] = "";
	size_t next = 0;
	for (size_t i = 0; i < watch->unit_count; i++)
		if (watch->units[i].kind == kind && watch->units[i].state == MM_UNIT_WAITING)
			json_array_append(units, watch->units[i].json);
	size_t count = json_array_size(units);
	if (!watch->most_tasks)
		watch->most_tasks = mm_slurm_most_tasks();
	unsigned tasks = count < watch->most_tasks ? (unsigned)count : watch->most_tasks;
	int code = mm_slurm_job_make(watch->run->work, job_record(watch, kind, tasks, units), &job, err);
	if (code)
		return code;
	for (size_t i = 0; i < watch->unit_count; i++) {
		struct mm_unit *unit = &watch->units[i];
		if (unit->kind != kind || unit->state != MM_UNIT_WAITING)
			continue;
		unit->state = MM_UNIT_SUBMITTED;
		unit->attempts++;
		job.places[next++] = i;
	}
	/* ours from now on, whatever sbatch says: what was asked for may be in the queue */
	struct mm_slurm_job *ours = mm_watch_take_job(watch, &job);
	code = submit_surely(watch, ours, id, err);
	if (!code) {
		char *text = mm_format("Slurm job %s, %u task%s, for %zu %s%s", *id ? id : ours->name, tasks, mm_plural(tasks),
				       count, kind == MM_SLURM_BUILD ? "build" : count == 1 ? "trail of passes" : "trails of passes",
				       kind == MM_SLURM_BUILD ? mm_plural(count) : "");
		mm_event_stage(MM_EVENT_NOTE, NULL, "submitted", text);
		free(text);
	}
	return code;
}
