/* The local executor: builds one cell after the other, each with all jobs; then the passes, one after the other. */
#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "executors/bench.h"
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

/* How the disk fills, while there is still time to do something about it. */
static void tell_space(const struct mm_run *run, const struct mm_build *build, uint64_t *made_bytes)
{
	*made_bytes += mm_fs_tree_bytes(build->folder);
	char *text = mm_format("builds of this call take %.1f GB, %.1f GB are free", (double)*made_bytes / 1e9,
			       (double)mm_fs_free_bytes(run->work) / 1e9);
	mm_event_stage(MM_EVENT_NOTE, NULL, "disk", text);
	free(text);
}

static int build(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	size_t total = run->matrix->cell_count;
	uint64_t made_bytes = 0;
	(void)options;
	for (size_t i = 0; i < total; i++) {
		const struct mm_cell *cell = &run->matrix->cells[i];
		mm_event_progress(NULL, "builds", (unsigned)i, (unsigned)total);
		if (run->cells[i].code)
			continue;
		bool there = run->cells[i].build.state == MM_BUILD_DONE;
		int code = mm_signals_check(err);
		if (!code)
			code = mm_step_build(run, cell, err);
		if (!code && !there)
			tell_space(run, &run->cells[i].build, &made_bytes);
		if (code == MM_ECELL)
			mm_step_lose(run, cell, "build", err);
		else if (code)
			return code;
	}
	mm_event_progress(NULL, "builds", (unsigned)total, (unsigned)total);
	return 0;
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

static int bench(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	struct passes passes = { .bench = { .run = run, .retry_failed = options->retry_failed } };
	int code = mm_trails_each(run->matrix, count_trail, &passes, err);
	if (code || passes.done == passes.total) {
		mm_event_stage(MM_EVENT_REUSED, NULL, "passes", "every pass is there already");
		return code;
	}
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

const struct mm_executor mm_executor_local = { .name = "local", .host = host, .build = build, .bench = bench };
