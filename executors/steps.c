#include "executors/steps.h"

#include "base/event.h"
#include "base/lock.h"
#include "base/memory.h"
#include "builders/record.h"
#include "executors/share.h"

void mm_step_lose(struct mm_run *run, const struct mm_cell *cell, const char *stage, struct mm_error *why)
{
	struct mm_cell_state *state = &run->cells[cell->index];
	state->code = why->code;
	free(state->failure);
	state->failure = mm_strdup(why->text);
	mm_event_stage(MM_EVENT_FAILED, cell->id, stage, why->text);
	mm_error_clear(why);
}

bool mm_step_is_wanted(const struct mm_run *run, const struct mm_cell *cell)
{
	const struct mm_cell_state *state = &run->cells[cell->index];
	return !state->code && (state->build.state == MM_BUILD_ABSENT ||
				(state->build.state == MM_BUILD_FAILED && run->store.retry_failed));
}

int mm_step_collect(struct mm_run *run, const struct mm_cell *cell, const char *why, struct mm_error *err)
{
	struct mm_build *build = &run->cells[cell->index].build;
	struct mm_store store = run->store;
	struct mm_error reason = MM_ERROR_INIT;
	store.retry_failed = false; /* that was the other's business */
	if (build->state != MM_BUILD_DONE)
		mm_record_load(build);
	int code = build->state == MM_BUILD_ABSENT ? mm_error_set(&reason, MM_ECELL, "cell '%s': %s", cell->id,
								  why && *why ? why : "nobody left a build")
						   : mm_build_make(&store, cell, build, &reason);
	if (code != MM_ECELL)
		return code ? mm_error_set(err, (enum mm_code)code, "%s", reason.text) : 0;
	mm_step_lose(run, cell, "build", &reason);
	return 0;
}

int mm_step_build(struct mm_run *run, const struct mm_cell *cell, struct mm_error *err)
{
	struct mm_build *build = &run->cells[cell->index].build;
	struct mm_lock lock = MM_LOCK_INIT;
	char *path = mm_format("%s.lock", build->folder);
	int code = mm_lock_take(&lock, path, cell->id, err);
	if (!code) {
		/* another cell with this key, or another process, may have made it meanwhile */
		mm_record_load(build);
		bool there = build->state == MM_BUILD_DONE;
		code = mm_build_make(&run->store, cell, build, err);
		if (!code && !there)
			code = mm_share_prefix(run->work, build, err);
		if (!code && !there)
			code = mm_record_settle(build, err);
	}
	mm_lock_release(&lock);
	free(path);
	return code;
}
