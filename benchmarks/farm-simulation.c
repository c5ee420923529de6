/*
 * A farm of equal nodes that carries a matrix out, simulated with measured times: when is the last pass done, and what
 * did the tasks wait for? Tasks and order are those of the Slurm executor: one build per node at a time; each trail of
 * passes alone on a node, in order, as soon as its builds are there (with --barrier: when all builds are).
 * A task takes OVERHEAD seconds more than what it does: the scheduler's and the worker's own time.
 *
 * usage: farm-simulation [--cells N] [--passes N] [--overhead S] [--barrier] [--seed N] TIMES.json|WORK_FOLDER
 *
 * TIMES.json: {"builds": [seconds, …], "passes": [seconds, …]}, or a work folder, whose finished builds and passes of
 * the newest run are taken. Each simulated cell draws its times from these (with the seed, so that it can be repeated).
 * Every second cell is the candidate of the one before it: a trail is a pass of each.
 *
 * Columns: nodes; hours until the end; hours in the ideal case (all work spread evenly, no task left whole); efficiency
 * (ideal / real, per cent); how long a build and a trail waited for a node, mean and longest, in hours; the share of
 * node time that was idle.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/run.h"

struct times {
	double *values;
	size_t count, capacity;
};

struct setting {
	size_t cells, passes;
	double overhead;
	bool barrier;
	uint64_t seed;
	struct times builds, trails_from; /* measured */
};

static void push(struct times *times, double value)
{
	times->values = mm_grow(times->values, times->count, &times->capacity, sizeof *times->values);
	times->values[times->count++] = value;
}

static void die(const char *text, const char *subject)
{
	(void)fprintf(stderr, "farm-simulation: %s '%s'\n", text, subject);
	exit(2);
}

/* Measured times */

static int take_build(void *context, const char *path, const char *relative)
{
	double seconds = 0;
	struct mm_error ignored = MM_ERROR_INIT;
	size_t length = strlen(relative), i;
	if (length < 11 || strcmp(relative + length - 11, "/build.json") != 0)
		return 0;
	json_t *build = mm_json_load(path, &ignored), *stage;
	json_array_foreach(json_object_get(build, "stages"), i, stage) seconds += mm_json_number(stage, "seconds", 0);
	if (strcmp(mm_json_string(build, "state", ""), "done") == 0)
		push(context, seconds);
	json_decref(build);
	return 0;
}

static int take_pass(void *context, const char *path, const char *relative)
{
	static const char *const overheads[] = { "copy_ns", "start_ns", "stop_ns" };
	struct mm_error ignored = MM_ERROR_INIT;
	double ns = 0;
	size_t i;
	(void)relative;
	if (strstr(path, ".superseded-"))
		return 0;
	json_t *pass = mm_json_load(path, &ignored), *test;
	const json_t *server = json_object_get(pass, "server");
	for (i = 0; i < 3; i++)
		ns += mm_json_number(server, overheads[i], 0);
	json_array_foreach(json_object_get(pass, "tests"), i, test) ns += mm_json_number(test, "wall_ns", 0);
	if (pass && !mm_json_string(pass, "failure", NULL))
		push(context, ns / 1e9);
	json_decref(pass);
	return 0;
}

static void take_array(const json_t *array, struct times *times)
{
	size_t i;
	const json_t *value;
	json_array_foreach(array, i, value) if (json_is_number(value)) push(times, json_number_value(value));
}

static void load(const char *path, struct setting *setting)
{
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_is_folder(path)) {
		char *builds = mm_path_join(path, "builds"), *run = mm_run_newest(path);
		char *passes = run ? mm_path_join(run, "passes") : NULL;
		(void)mm_fs_walk(builds, take_build, &setting->builds, &err);
		if (passes)
			(void)mm_fs_walk(passes, take_pass, &setting->trails_from, &err);
		free(passes);
		free(run);
		free(builds);
	} else {
		json_t *json = mm_json_load(path, &err);
		take_array(json_object_get(json, "builds"), &setting->builds);
		take_array(json_object_get(json, "passes"), &setting->trails_from);
		json_decref(json);
	}
	if (!setting->builds.count || !setting->trails_from.count)
		die(*err.text ? err.text : "no times of builds and passes in", path);
}

/* The farm */

static uint64_t next_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double draw(const struct times *times, uint64_t *state)
{
	return times->values[next_random(state) % times->count];
}

struct farm {
	double *free_at; /* of each node: a heap, the earliest first */
	size_t nodes;
	double work; /* of all tasks */
	double end;
};

static void sink(struct farm *farm, size_t at)
{
	for (;;) {
		size_t least = at, left = 2 * at + 1, right = left + 1;
		if (left < farm->nodes && farm->free_at[left] < farm->free_at[least])
			least = left;
		if (right < farm->nodes && farm->free_at[right] < farm->free_at[least])
			least = right;
		if (least == at)
			return;
		double value = farm->free_at[at];
		farm->free_at[at] = farm->free_at[least];
		farm->free_at[least] = value;
		at = least;
	}
}

struct waits {
	double sum, longest;
	size_t count;
};

/* Gives a task that can begin at READY to the node that is free first; returns its end. */
static double place(struct farm *farm, double ready, double seconds, struct waits *waits)
{
	double begin = farm->free_at[0] > ready ? farm->free_at[0] : ready, end = begin + seconds;
	waits->sum += begin - ready;
	waits->longest = fmax(waits->longest, begin - ready);
	waits->count++;
	farm->free_at[0] = end;
	farm->work += seconds;
	farm->end = fmax(farm->end, end);
	sink(farm, 0);
	return end;
}

struct trail {
	double ready, seconds;
	size_t order;
};

static int by_ready(const void *a, const void *b)
{
	const struct trail *x = a, *y = b;
	if (x->ready != y->ready)
		return x->ready < y->ready ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void simulate(const struct setting *setting, size_t nodes)
{
	uint64_t state = setting->seed;
	struct farm farm = { .free_at = mm_calloc(nodes, sizeof(double)), .nodes = nodes };
	struct waits builds = { 0 }, trails = { 0 };
	double *built = mm_calloc(setting->cells, sizeof *built), longest = 0;
	size_t pairs = setting->cells / 2, count = 0;
	struct trail *all = mm_calloc(pairs * setting->passes + 1, sizeof *all);
	for (size_t i = 0; i < setting->cells; i++) {
		double seconds = draw(&setting->builds, &state) + setting->overhead;
		built[i] = place(&farm, 0, seconds, &builds);
		longest = fmax(longest, seconds);
	}
	double barrier = farm.end;
	for (size_t pass = 0; pass < setting->passes; pass++)
		for (size_t pair = 0; pair < pairs; pair++, count++)
			all[count] = (struct trail){
				.ready = setting->barrier ? barrier : fmax(built[2 * pair], built[2 * pair + 1]),
				.seconds = draw(&setting->trails_from, &state) + draw(&setting->trails_from, &state) +
					   setting->overhead,
				.order = count,
			};
	qsort(all, count, sizeof *all, by_ready);
	for (size_t i = 0; i < count; i++)
		(void)place(&farm, all[i].ready, all[i].seconds, &trails);
	double ideal = fmax(farm.work / (double)nodes, longest);
	(void)printf("%5zu %10.2f %10.2f %9.1f %11.2f %10.2f %11.2f %10.2f %7.1f\n", nodes, farm.end / 3600,
		     ideal / 3600, 100 * ideal / farm.end, builds.sum / (double)builds.count / 3600,
		     builds.longest / 3600, trails.count ? trails.sum / (double)trails.count / 3600 : 0,
		     trails.longest / 3600, 100 * (1 - farm.work / (farm.end * (double)nodes)));
	free(all);
	free(built);
	free(farm.free_at);
}

static double number(const char *option, const char *text)
{
	char *end;
	double value = text ? strtod(text, &end) : -1;
	if (!text || end == text || *end || !(value >= 0 && value <= 1e7))
		die("no number for", option);
	return value;
}

int main(int argc, char **argv)
{
	static const size_t nodes[] = { 1, 2, 4, 8, 16, 24, 32, 48, 64 };
	struct setting setting = { .cells = 100, .passes = 10, .overhead = 2, .seed = 1 };
	const char *path = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--cells") == 0)
			setting.cells = (size_t)number("--cells", argv[++i]);
		else if (strcmp(argv[i], "--passes") == 0)
			setting.passes = (size_t)number("--passes", argv[++i]);
		else if (strcmp(argv[i], "--overhead") == 0)
			setting.overhead = number("--overhead", argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0)
			setting.seed = (uint64_t)number("--seed", argv[++i]);
		else if (strcmp(argv[i], "--barrier") == 0)
			setting.barrier = true;
		else
			path = argv[i];
	}
	if (!path || setting.cells < 2)
		die("usage: farm-simulation [options] TIMES.json|WORK_FOLDER, not", path ? path : "nothing");
	load(path, &setting);
	(void)printf("# %zu cells, %zu passes, %g s overhead, %s; from %zu builds and %zu passes\n", setting.cells,
		     setting.passes, setting.overhead,
		     setting.barrier ? "passes when all is built" : "passes as soon as both cells are built",
		     setting.builds.count, setting.trails_from.count);
	(void)printf(
		"#nodes   makespan      ideal efficiency  build-wait    longest  trail-wait    longest  idle-%%\n");
	for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
		simulate(&setting, nodes[i]);
	free(setting.builds.values);
	free(setting.trails_from.values);
	return 0;
}
