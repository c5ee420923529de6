#include "executors/slurm/watch.h"

#include <signal.h>

#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"

/* Passes whose builds end one after the other are submitted together, as long as nothing is lost by it. */
#define GATHER_NS UINT64_C(3000000000)

void mm_watch_init(struct mm_watch *watch, struct mm_run *run, const struct mm_run_options *options)
{
	*watch = (struct mm_watch){ .run = run, .options = options, .by_id = json_object(), .news = true };
	mm_slurm_settings(run->matrix, &watch->settings);
}

struct mm_unit *mm_watch_add(struct mm_watch *watch, enum mm_slurm_kind kind, json_t *json, unsigned weight)
{
	watch->units = mm_grow(watch->units, watch->unit_count, &watch->unit_capacity, sizeof *watch->units);
	struct mm_unit *unit = &watch->units[watch->unit_count];
	*unit = (struct mm_unit){ .id = mm_json_string(json, "id", ""),
				  .json = json,
				  .kind = kind,
				  .weight = weight,
				  .state = MM_UNIT_WAITING };
	json_object_set_new(watch->by_id, unit->id, json_integer((json_int_t)watch->unit_count++));
	return unit;
}

const struct mm_unit *mm_watch_find(const struct mm_watch *watch, const char *id)
{
	const json_t *place = json_object_get(watch->by_id, id);
	return place ? &watch->units[json_integer_value(place)] : NULL;
}

static void tell_progress(const struct mm_watch *watch, enum mm_slurm_kind kind)
{
	mm_event_progress(NULL, mm_slurm_kind_names[kind], watch->done[kind], watch->total[kind]);
}

void mm_watch_settle(struct mm_watch *watch, struct mm_unit *unit, enum mm_unit_state state, const char *failure)
{
	unit->state = state;
	free(unit->failure);
	unit->failure = mm_strdup(failure);
	if (state != MM_UNIT_DONE && state != MM_UNIT_LOST)
		return;
	watch->news = watch->news || unit->kind == MM_SLURM_BUILD;
	watch->done[unit->kind] += unit->weight;
	tell_progress(watch, unit->kind);
}

void mm_watch_release(struct mm_watch *watch)
{
	for (size_t i = 0; i < watch->unit_count; i++) {
		json_decref(watch->units[i].json);
		free(watch->units[i].failure);
		free(watch->units[i].cells);
	}
	for (size_t i = 0; i < watch->job_count; i++)
		mm_slurm_job_release(&watch->jobs[i]);
	free(watch->units);
	free(watch->jobs);
	json_decref(watch->by_id);
	*watch = (struct mm_watch){ 0 };
}

struct mm_slurm_job *mm_watch_take_job(struct mm_watch *watch, const struct mm_slurm_job *job)
{
	watch->jobs = mm_grow(watch->jobs, watch->job_count, &watch->job_capacity, sizeof *watch->jobs);
	watch->jobs[watch->job_count] = *job;
	return &watch->jobs[watch->job_count++];
}

struct count {
	size_t all[MM_SLURM_KINDS], waiting[MM_SLURM_KINDS], under_way; /* held or submitted */
};

static struct count count_units(const struct mm_watch *watch)
{
	struct count count = { .under_way = 0 };
	for (size_t i = 0; i < watch->unit_count; i++) {
		const struct mm_unit *unit = &watch->units[i];
		count.all[unit->kind]++;
		count.waiting[unit->kind] += unit->state == MM_UNIT_WAITING;
		count.under_way += unit->state == MM_UNIT_HELD || unit->state == MM_UNIT_SUBMITTED;
	}
	return count;
}

/* Passes wait a moment for more of their kind while builds go on. */
static bool is_time(const struct mm_watch *watch, enum mm_slurm_kind kind, const struct count *count)
{
	return kind == MM_SLURM_BUILD || !count->under_way || mm_now_ns() - watch->passes_submitted_ns >= GATHER_NS;
}

/* Once for each kind, as soon as there is something of it to do. */
static int adopt_all(struct mm_watch *watch, struct mm_error *err)
{
	struct count count = count_units(watch);
	int code = 0;
	for (enum mm_slurm_kind kind = 0; kind < MM_SLURM_KINDS && !code; kind++) {
		if (!count.all[kind] || watch->adopted[kind])
			continue;
		watch->adopted[kind] = true;
		tell_progress(watch, kind);
		code = mm_watch_adopt(watch, kind, err);
	}
	return code;
}

static int submit_all(struct mm_watch *watch, struct mm_error *err)
{
	struct count count = count_units(watch);
	int code = 0;
	for (enum mm_slurm_kind kind = 0; kind < MM_SLURM_KINDS && !code; kind++) {
		if (!count.waiting[kind] || !is_time(watch, kind, &count))
			continue;
		code = mm_watch_submit(watch, kind, err);
		if (kind == MM_SLURM_BENCH)
			watch->passes_submitted_ns = mm_now_ns();
	}
	return code;
}

/* *LEFT: there is something to wait for. */
static int hand_out(struct mm_watch *watch, bool *left, struct mm_error *err)
{
	int code = 0;
	if (watch->news) {
		watch->news = false;
		code = watch->builds_ended(watch, err);
	}
	if (!code)
		code = adopt_all(watch, err);
	if (!code)
		code = submit_all(watch, err);
	struct count count = count_units(watch);
	*left = count.under_way || count.waiting[MM_SLURM_BUILD] || count.waiting[MM_SLURM_BENCH];
	return code;
}

static int mark_over(struct mm_watch *watch, struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; i < watch->job_count && !code; i++)
		code = mm_slurm_job_mark(&watch->jobs[i], "over", err);
	return code;
}

static int watch_all(struct mm_watch *watch, struct mm_error *err)
{
	uint64_t heard = mm_now_ns();
	int pause = MM_SLURM_FIRST_PAUSE_MS, code = 0;
	while (!code) {
		size_t jobs = watch->job_count;
		unsigned changes = 0;
		bool known, left;
		code = hand_out(watch, &left, err);
		if (!code && !left)
			return mark_over(watch, err);
		if (!code)
			code = mm_watch_ask(watch, NULL, NULL, &known, err);
		if (code)
			break;
		heard = known ? mm_now_ns() : heard;
		for (size_t i = 0; i < watch->job_count; i++)
			changes += mm_watch_harvest(watch, &watch->jobs[i], known);
		if (mm_watch_is_late(heard))
			return mm_watch_no_answer(err);
		pause = changes || watch->job_count > jobs ? MM_SLURM_FIRST_PAUSE_MS : pause + pause / 3;
		pause = pause < MM_SLURM_LONGEST_PAUSE_MS ? pause : MM_SLURM_LONGEST_PAUSE_MS;
		code = mm_watch_rest(pause, err);
	}
	return code;
}

/* What is ours and nothing else. Marked first, so that nobody waits for it. */
static void cancel(struct mm_watch *watch)
{
	for (size_t i = 0; i < watch->job_count; i++) {
		struct mm_slurm_job *job = &watch->jobs[i];
		if (!mm_watch_is_watched(job))
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

int mm_watch_run(struct mm_watch *watch, struct mm_error *err)
{
	int code = watch_all(watch, err);
	if (code != MM_EINTERRUPTED)
		return code;
	if (mm_signals_pending() == SIGHUP) /* the terminal is gone, which says nothing against the work */
		mm_event_stage(MM_EVENT_NOTE, NULL, "queue", "Slurm jobs go on: the same command finds them again");
	else
		cancel(watch);
	return code;
}
