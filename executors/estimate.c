#include "executors/estimate.h"

#include <sys/types.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/crew.h"
#include "runners/pass.h"
#include "runners/schedule.h"

enum { SAMPLES = 20 }; /* passes that are read for the mean of a suite */

/* What a build adds to the time of all, when its gaps are filled by others: never less than its programs' CPU time. */
static double build_seconds(const struct mm_build *build, int jobs)
{
	double wall = 0, cpu = 0;
	for (size_t i = 0; i < build->stage_count; i++) {
		wall += build->stages[i].seconds;
		cpu += build->stages[i].cpu_seconds;
	}
	double shared = wall / mm_crew_size(jobs);
	return cpu / jobs > shared ? cpu / jobs : shared;
}

static void estimate_builds(const struct mm_look *look, struct mm_estimate_times *times)
{
	double seconds = 0;
	size_t measured = 0, wanted = 0;
	int jobs = mm_run_jobs(look->matrix);
	for (size_t i = 0; i < look->matrix->cell_count; i++) {
		const struct mm_cell_state *state = &look->cells[i];
		const struct mm_build *build = &state->build;
		times->lost += state->code != 0;
		if (state->code)
			continue;
		times->built += build->state == MM_BUILD_DONE;
		times->failed += build->state == MM_BUILD_FAILED;
		times->absent += build->state == MM_BUILD_ABSENT;
		wanted += build->state == MM_BUILD_ABSENT && look->matrix->cells[i].toolchain;
		if (build->state != MM_BUILD_DONE || !look->matrix->cells[i].toolchain)
			continue;
		seconds += build_seconds(build, jobs);
		measured++;
	}
	if (!wanted)
		times->build_seconds = 0;
	else
		times->build_seconds = measured ? seconds / (double)measured * (double)wanted : -1;
}

/* The whole of a pass: its tests, and what the server's start and stop take; negative when the file does not say. */
static double pass_seconds(const char *path)
{
	struct mm_pass pass;
	double ns = 0;
	mm_pass_init(&pass);
	if (mm_pass_load(path, &pass, NULL) != 0 || pass.failure) {
		mm_pass_release(&pass);
		return -1;
	}
	for (size_t i = 0; i < pass.test_count; i++)
		ns += pass.tests[i].wall_ns == MM_UNKNOWN ? 0 : (double)pass.tests[i].wall_ns;
	const uint64_t overheads[] = { pass.start_ns, pass.copy_ns, pass.stop_ns };
	for (size_t i = 0; i < 3; i++)
		ns += overheads[i] == MM_UNKNOWN ? 0 : (double)overheads[i];
	mm_pass_release(&pass);
	return ns / 1e9;
}

/* What was planned for SUITE in the newest run, passes aside: how many there are does not change how long one takes. */
static bool same_settings(const json_t *then, const json_t *now)
{
	json_t *a = json_deep_copy(then), *b = json_deep_copy(now);
	(void)json_object_del(a, "passes");
	(void)json_object_del(b, "passes");
	bool same = a && b && json_equal(a, b);
	json_decref(a);
	json_decref(b);
	return same;
}

static const json_t *suite_of(const json_t *plan, const char *name)
{
	size_t i;
	json_t *suite;
	json_array_foreach(json_object_get(plan, "suites"), i, suite)
	{
		if (strcmp(mm_json_string(suite, "name", ""), name) == 0)
			return suite;
	}
	return NULL;
}

/* Mean seconds of a pass of SUITE in the run that RECORDED plans; negative when it was never measured. */
static double suite_seconds(const char *run, const json_t *recorded, const json_t *now, const char *name)
{
	const json_t *then = suite_of(json_object_get(recorded, "plan"), name), *entry, *slot;
	double seconds = 0;
	unsigned count = 0;
	size_t i, j;
	if (!then || !same_settings(then, now))
		return -1;
	json_array_foreach(json_object_get(recorded, "order"), i, entry)
	{
		if (strcmp(mm_json_string(entry, "suite", ""), name) != 0)
			continue;
		json_array_foreach(json_object_get(entry, "slots"), j, slot)
		{
			char *path = mm_pass_path(run, mm_json_string(slot, "cell", ""), name,
						  (int)mm_json_integer(entry, "index", 0),
						  (int)mm_json_integer(slot, "visit", 1));
			double one = count < SAMPLES && mm_fs_exists(path) ? pass_seconds(path) : -1;
			seconds += one >= 0 ? one : 0;
			count += one >= 0;
			free(path);
		}
	}
	return count ? seconds / count : -1;
}

static void estimate_passes(const struct mm_look *look, struct mm_estimate_times *times)
{
	char *run = mm_run_newest(look->work), *path = run ? mm_path_join(run, "plan.json") : NULL;
	struct mm_error ignored = MM_ERROR_INIT;
	json_t *recorded = path ? mm_json_load(path, &ignored) : NULL, *plan = mm_matrix_plan(look->matrix);
	for (size_t s = 0; s < look->matrix->suite_count; s++) {
		const struct mm_suite_spec *spec = &look->matrix->suites[s];
		struct mm_order order;
		mm_order_make(look->matrix, s, 1, &order);
		unsigned passes = (unsigned)order.slot_count * (unsigned)spec->passes;
		mm_order_release(&order);
		double each = recorded ? suite_seconds(run, recorded, suite_of(plan, spec->name), spec->name) : -1;
		times->passes += passes;
		if (each < 0)
			times->pass_seconds = -1;
		else if (times->pass_seconds >= 0)
			times->pass_seconds += each * passes;
	}
	json_decref(recorded);
	json_decref(plan);
	free(path);
	free(run);
}

void mm_estimate_times(const struct mm_look *look, struct mm_estimate_times *times)
{
	*times = (struct mm_estimate_times){ 0 };
	estimate_builds(look, times);
	estimate_passes(look, times);
}

static void put_seconds(json_t *json, const char *key, double seconds)
{
	json_object_set_new(json, key, seconds < 0 ? json_null() : mm_json_real(seconds));
}

json_t *mm_estimate_json(const struct mm_estimate_times *times)
{
	json_t *json = json_object();
	mm_json_put_integer(json, "built", (int64_t)times->built);
	mm_json_put_integer(json, "failed", (int64_t)times->failed);
	mm_json_put_integer(json, "absent", (int64_t)times->absent);
	mm_json_put_integer(json, "lost", (int64_t)times->lost);
	put_seconds(json, "build_seconds", times->build_seconds);
	mm_json_put_integer(json, "passes", times->passes);
	put_seconds(json, "pass_seconds", times->pass_seconds);
	return json;
}
