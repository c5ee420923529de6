/* Adoption of what an earlier process has submitted: its units are not submitted again. */
#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/slurm/watch.h"

static bool concerns_us(const struct mm_watch *watch, enum mm_slurm_kind kind, const struct mm_slurm_job *job)
{
	return job->kind == kind && (kind == MM_SLURM_BUILD || strcmp(mm_json_string(job->record, "run", ""),
								      mm_path_base(watch->run->folder)) == 0);
}

/* Units that the job still has to end are its own. */
static void map_units(struct mm_watch *watch, struct mm_slurm_job *job)
{
	const json_t *units = json_object_get(job->record, "units"), *unit;
	size_t i;
	json_array_foreach(units, i, unit) {
		const json_t *place = json_object_get(watch->by_id, mm_json_string(unit, "id", ""));
		if (!place || !job->states[i % job->tasks].active || mm_slurm_unit_ended(job, i))
			continue;
		struct mm_unit *mine = &watch->units[json_integer_value(place)];
		if (mine->state != MM_UNIT_WAITING && mine->state != MM_UNIT_HELD)
			continue;
		mine->state = MM_UNIT_SUBMITTED;
		job->places[i] = (size_t)json_integer_value(place);
	}
}

static int adopt_one(struct mm_watch *watch, enum mm_slurm_kind kind, const char *folder, struct mm_error *err)
{
	struct mm_slurm_job job;
	struct mm_error why = MM_ERROR_INIT;
	bool found = false, active = false;
	if (mm_slurm_job_load(folder, &job, &why))
		return 0; /* it never came to a submission */
	bool ours = concerns_us(watch, kind, &job);
	int code = ours ? mm_watch_insist(watch, &job, &found, err) : 0;
	for (unsigned task = 0; task < job.tasks; task++)
		active = active || job.states[task].active;
	if (code || !ours) {
		mm_slurm_job_release(&job);
	} else if (!active) {
		code = mm_slurm_job_mark(&job, "over", err);
		mm_slurm_job_release(&job);
	} else {
		map_units(watch, &job);
		(void)mm_watch_take_job(watch, &job);
		mm_event_stage(MM_EVENT_NOTE, NULL, mm_slurm_kind_names[kind],
			       "a job of an earlier call is still in Slurm's queue");
	}
	return code;
}

static bool is_known(const struct mm_watch *watch, const char *folder)
{
	for (size_t i = 0; i < watch->job_count; i++)
		if (strcmp(watch->jobs[i].folder, folder) == 0)
			return true;
	return false;
}

int mm_watch_adopt(struct mm_watch *watch, enum mm_slurm_kind kind, struct mm_error *err)
{
	struct mm_strings folders = MM_STRINGS_INIT;
	int code = 0;
	mm_slurm_jobs(watch->run->work, &folders);
	for (size_t i = 0; i < folders.count && !code; i++)
		if (!is_known(watch, folders.items[i]))
			code = adopt_one(watch, kind, folders.items[i], err);
	mm_strings_release(&folders);
	return code;
}
