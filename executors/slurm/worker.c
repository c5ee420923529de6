/*
 * What a Slurm task does: its share of the units of a job. It holds no lock of the work folder, since others work there
 * too, but one for each build and trail. A task that is requeued begins again and finds what is there already.
 */
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/os.h"
#include "executors/bench.h"
#include "executors/record.h"
#include "executors/slurm/slurm.h"
#include "executors/task.h"

struct worker {
	struct mm_slurm_job job;
	struct mm_task task;
	char node[MM_SHA256_HEX]; /* a word for the node, of one length */
	bool plan_checked;
};

static unsigned long number_of(const char *variable, unsigned long fallback)
{
	const char *text = getenv(variable);
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;
	return text && end != text && !*end ? value : fallback;
}

static const char *node_name(void)
{
	const char *name = getenv("SLURMD_NODENAME");
	return name ? name : "unknown";
}

static void name_node(struct worker *worker)
{
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, node_name());
	mm_hash_finish(hash, worker->node);
	worker->node[16] = '\0';
}

static int open_worker(struct worker *worker, const char *folder, struct mm_error *err)
{
	int code = mm_slurm_job_load(folder, &worker->job, err);
	if (!code)
		code = mm_task_open(worker->job.record, &worker->task, err);
	if (code)
		return code;
	struct mm_run *run = &worker->task.run;
	if (worker->task.matrix->build.jobs <= 0)
		run->store.jobs = (int)number_of("SLURM_CPUS_ON_NODE", (unsigned long)run->store.jobs);
	if (worker->job.kind == MM_SLURM_BENCH) {
		run->folder = mm_format("%s/runs/%s", run->work, mm_json_string(worker->job.record, "run", "0"));
		run->name = mm_strdup(mm_json_string(worker->job.record, "run_name", NULL));
	}
	name_node(worker);
	return 0;
}

static void close_worker(struct worker *worker)
{
	mm_task_close(&worker->task);
	mm_slurm_job_release(&worker->job);
}

static int build_unit(struct worker *worker, const json_t *unit, struct mm_error *err)
{
	char *place = mm_format("node '%s'", node_name());
	int code = mm_task_build(&worker->task, mm_json_string(unit, "cell", ""), mm_json_string(unit, "id", ""), place,
				 err);
	free(place);
	return code;
}

/* All nodes of a run must be of one kind, or deltas would be those of machines. The first one says which. */
static int compare_host(const char *path, const json_t *mine, struct mm_error *err)
{
	static const char *const kind[] = { "kernel", "machine", "cpu", "microcode" };
	json_t *first = mm_json_load(path, err);
	int code = first ? 0 : MM_EENV;
	for (size_t i = 0; i < sizeof kind / sizeof *kind && !code; i++) {
		const char *a = mm_json_string(first, kind[i], ""), *b = mm_json_string(mine, kind[i], "");
		if (strcmp(a, b) != 0)
			code = mm_error_set(
				err, MM_ECELL,
				"node '%s' is of another kind (%s '%s') than '%s', which this run was begun on "
				"('%s'): name a 'constraint' or a 'node' for the executor",
				node_name(), kind[i], b, mm_json_string(first, "name", "?"), a);
	}
	json_decref(first);
	return code;
}

static int register_host(const struct worker *worker, struct mm_error *err)
{
	struct mm_lock lock = MM_LOCK_INIT;
	char *guard = mm_path_join(worker->task.run.folder, "locks/host");
	char *path = mm_path_join(worker->task.run.folder, "host.json");
	json_t *mine = mm_record_host();
	mm_json_put_string(mine, "name", node_name());
	int code = mm_lock_take(&lock, guard, "host.json", err);
	if (!code)
		code = mm_fs_exists(path) ? compare_host(path, mine, err) : mm_json_save(path, mine, err);
	mm_lock_release(&lock);
	json_decref(mine);
	free(path);
	free(guard);
	return code;
}

static int check_plan(struct worker *worker, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	if (worker->plan_checked)
		return 0;
	mm_record_plan_digest(worker->task.matrix, hex);
	if (strcmp(hex, mm_json_string(worker->job.record, "plan", "")) != 0)
		return mm_error_set(err, MM_ECELL, "the plan is another one now: MATRIX.json was changed");
	worker->plan_checked = true;
	return register_host(worker, err);
}

/* One trail at a time on a node, and a trail at one place only, whatever the queue may do. */
static int run_trail(struct worker *worker, const struct mm_trail *trail, const char *id, struct mm_error *err)
{
	struct mm_run *run = &worker->task.run;
	struct mm_lock node = MM_LOCK_INIT, own = MM_LOCK_INIT;
	struct mm_bench bench = { .run = run };
	char *node_path = mm_format("%s/locks/node-%s", run->folder, worker->node);
	char *own_path = mm_format("%s/locks/trail-%zu-%d-%zu", run->folder, trail->suite, trail->index, trail->number);
	bool *wanted = mm_calloc(worker->task.matrix->cell_count, sizeof *wanted);
	for (size_t i = 0; i < trail->slot_count; i++)
		wanted[trail->slots[i].cell] = run->cells[trail->slots[i].cell].build.folder == NULL;
	int code = mm_record_load_cells(run, wanted, err);
	if (!code)
		code = mm_bench_given_up(run, false, err);
	if (!code)
		code = mm_lock_take(&own, own_path, id, err);
	if (!code)
		code = mm_lock_take(&node, node_path, "another benchmark on this node", err);
	if (!code) {
		code = mm_bench_open(&bench, run, worker->node, err);
		bench.retry_failed = run->store.retry_failed;
		if (!code)
			code = mm_bench_trail(&bench, trail, err);
		mm_bench_close(&bench);
	}
	mm_lock_release(&node);
	mm_lock_release(&own);
	free(wanted);
	free(node_path);
	free(own_path);
	return code;
}

/* A trail by its number within an order. */
struct wanted_trail {
	struct worker *worker;
	const json_t *unit;
	size_t suite;
	bool found;
};

static int visit_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct wanted_trail *wanted = context;
	if (trail->number != (size_t)mm_json_integer(wanted->unit, "trail", -1))
		return 0;
	struct mm_trail mine = *trail;
	mine.position = (int)mm_json_integer(wanted->unit, "position", 1);
	wanted->found = true;
	return run_trail(wanted->worker, &mine, mm_json_string(wanted->unit, "id", "?"), err);
}

static int bench_unit(struct worker *worker, const json_t *unit, struct mm_error *err)
{
	struct wanted_trail wanted = { .worker = worker, .unit = unit, .suite = SIZE_MAX };
	const char *suite = mm_json_string(unit, "suite", "");
	int index = (int)mm_json_integer(unit, "index", 0);
	int code = check_plan(worker, err);
	for (size_t i = 0; i < worker->task.matrix->suite_count; i++)
		if (strcmp(worker->task.matrix->suites[i].name, suite) == 0)
			wanted.suite = i;
	if (!code && wanted.suite != SIZE_MAX && index >= 1)
		code = mm_trails_of_index(worker->task.matrix, wanted.suite, index, visit_trail, &wanted, err);
	if (!code && !wanted.found)
		code = mm_error_set(err, MM_ECELL, "the plan has no such trail");
	return code;
}

static int do_unit(struct worker *worker, size_t number, const json_t *unit, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	int code = worker->job.kind == MM_SLURM_BUILD ? build_unit(worker, unit, &why) : bench_unit(worker, unit, &why);
	if (!code)
		return mm_slurm_unit_end(&worker->job, number, NULL, err);
	if (code != MM_ECELL)
		return mm_error_set(err, (enum mm_code)code, "%s", why.text);
	mm_event_stage(MM_EVENT_FAILED, mm_json_string(unit, "cell", NULL), mm_json_string(unit, "id", "unit"),
		       why.text);
	return mm_slurm_unit_end(&worker->job, number, why.text, err);
}

int mm_slurm_work(const char *folder, struct mm_error *err)
{
	struct worker worker = { .task = { .run = { .lock = -1 } } };
	int code = open_worker(&worker, folder, err);
	size_t task = number_of("SLURM_ARRAY_TASK_ID", SIZE_MAX);
	if (!code && task >= worker.job.tasks)
		code = mm_error_set(err, MM_EUSAGE, "worker: to be started by sbatch as one of %u tasks of '%s'",
				    worker.job.tasks, folder);
	const json_t *units = json_object_get(worker.job.record, "units");
	for (size_t i = task; !code && i < worker.job.units; i += worker.job.tasks)
		if (!mm_slurm_unit_ended(&worker.job, i))
			code = do_unit(&worker, i, json_array_get(units, i), err);
	close_worker(&worker);
	return code;
}
