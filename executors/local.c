/* The local executor: builds, some cells at a time; then the passes, one after the other, alone on the machine. */
#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "executors/bench.h"
#include "executors/crew.h"
#include "executors/doctor.h"
#include "executors/executor.h"
#include "executors/record.h"
#include "executors/steps.h"

static json_t *host(const struct mm_run *run, struct mm_strings *identity)
{
	static const char *const facts[] = { "name", "system", "kernel", "machine", "cpu" };
	json_t *json = mm_record_host();
	(void)run;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		mm_strings_push(identity, mm_json_string(json, facts[i], ""));
	return json;
}

/* Passes of the whole plan, done and in all. */
struct passes {
	struct mm_bench bench;
	unsigned done, total;
};

static int count_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct passes *passes = context;
	(void)err;
	passes->total += (unsigned)trail->slot_count;
	if (mm_trail_complete(passes->bench.run, trail, passes->bench.retry_failed))
		passes->done += (unsigned)trail->slot_count;
	return 0;
}

static int run_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct passes *passes = context;
	return mm_bench_trail(&passes->bench, trail, err);
}

static void count_pass(void *context)
{
	struct passes *passes = context;
	mm_event_progress(NULL, "passes", ++passes->done, passes->total);
}

/* TOLD: what will make results noisy was said already. */
static int bench(struct mm_run *run, const struct mm_run_options *options, bool told, struct mm_error *err)
{
	struct passes passes = { .bench = { .run = run, .retry_failed = options->retry_failed } };
	int code = mm_trails_each(run->matrix, count_trail, &passes, err);
	if (code || passes.done == passes.total) {
		mm_event_stage(MM_EVENT_REUSED, NULL, "passes", "every pass is there already");
		return code;
	}
	if (!told)
		mm_doctor_tell_noise();
	mm_event_progress(NULL, "passes", passes.done, passes.total);
	passes.done = 0;
	code = mm_bench_open(&passes.bench, run, NULL, err);
	passes.bench.retry_failed = options->retry_failed;
	passes.bench.pass_done = count_pass;
	passes.bench.context = &passes;
	if (!code)
		code = mm_trails_each(run->matrix, run_trail, &passes, err);
	mm_bench_close(&passes.bench);
	return code;
}

static bool builds_left(const struct mm_run *run)
{
	for (size_t i = 0; i < run->matrix->cell_count; i++)
		if (mm_step_is_wanted(run, &run->matrix->cells[i]))
			return true;
	return false;
}

static int carry_out(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	/* before hours of building, whose own load it is not to tell of; else when it is known that passes are left */
	bool early = options->phases & MM_RUN_BUILD && options->phases & MM_RUN_BENCH && builds_left(run);
	if (early)
		mm_doctor_tell_noise();
	int code = options->phases & MM_RUN_BUILD ? mm_crew_build(run, options, err) : 0;
	if (code || !(options->phases & MM_RUN_BENCH))
		return code;
	mm_passes_require_builds(run);
	code = mm_passes_open(run, &mm_executor_local, options, err);
	return code ? code : bench(run, options, early, err);
}

const struct mm_executor mm_executor_local = { .name = "local", .host = host, .carry_out = carry_out };
