/* What of this work folder is in Slurm's queue. */
#include "base/json.h"
#include "base/memory.h"
#include "executors/slurm/slurm.h"

struct tally {
	struct mm_slurm_job *jobs;
	size_t count;
};

static void see_task(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	struct tally *tally = context;
	for (size_t i = 0; i < tally->count; i++)
		if (strcmp(tally->jobs[i].name, name) == 0 && task < tally->jobs[i].tasks &&
		    !tally->jobs[i].states[task].active)
			tally->jobs[i].states[task] = *state;
}

static json_t *job_json(const struct mm_slurm_job *job, bool known)
{
	int64_t pending = 0, running = 0, ended = 0;
	json_t *json = json_object();
	for (unsigned task = 0; task < job->tasks; task++) {
		const struct mm_slurm_task *state = &job->states[task];
		pending += state->active && strcmp(state->state, "PENDING") == 0;
		running += state->active && strcmp(state->state, "PENDING") != 0;
	}
	for (size_t unit = 0; unit < job->units; unit++)
		ended += mm_slurm_unit_ended(job, unit);
	mm_json_put_string(json, "folder", job->folder);
	mm_json_put_string(json, "name", job->name);
	mm_json_put_string(json, "kind", job->kind == MM_SLURM_BUILD ? "build" : "bench");
	mm_json_put_integer(json, "units", (int64_t)job->units);
	mm_json_put_integer(json, "ended", ended);
	if (known) {
		mm_json_put_integer(json, "pending", pending);
		mm_json_put_integer(json, "running", running);
	}
	return json;
}

json_t *mm_slurm_status(const char *work, bool *any_running)
{
	struct mm_strings folders = MM_STRINGS_INIT, names = MM_STRINGS_INIT;
	struct mm_error ignored = MM_ERROR_INIT;
	json_t *jobs = json_array();
	mm_slurm_jobs(work, &folders);
	struct tally tally = { .jobs = mm_calloc(folders.count + 1, sizeof *tally.jobs) };
	for (size_t i = 0; i < folders.count; i++)
		if (mm_slurm_job_load(folders.items[i], &tally.jobs[tally.count], NULL) == 0)
			mm_strings_push(&names, tally.jobs[tally.count++].name);
	bool known = names.count && mm_slurm_query(&names, see_task, &tally, &ignored) == 0;
	for (size_t i = 0; i < tally.count; i++) {
		json_t *job = job_json(&tally.jobs[i], known);
		*any_running = *any_running || mm_json_integer(job, "running", 0);
		json_array_append_new(jobs, job);
		mm_slurm_job_release(&tally.jobs[i]);
	}
	free(tally.jobs);
	mm_strings_release(&names);
	mm_strings_release(&folders);
	return jobs;
}
