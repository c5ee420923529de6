#include "executors/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/own-program.h"
#include "base/process.h"
#include "builders/record.h"
#include "executors/relay.h"
#include "executors/steps.h"
#include "executors/task.h"

extern char **environ;

enum {
	JOBS_A_CELL = 8,  /* see mm_crew_size */
	LOOK_MS = 100,    /* how often it is looked whether a worker has ended or a signal has come */
	GRACE_MS = 10000, /* a worker gives its own programs two seconds to end */
	STOP_LOOK_MS = 10,
};

struct worker {
	struct mm_process process;
	const struct mm_cell *cell;
	struct mm_buffer line; /* what has come of it so far */
	struct mm_relay_end end;
};

struct crew {
	struct mm_run *run;
	char *program;  /* mymatrix */
	char *folder;   /* <work>/jobs */
	char *errors;   /* what workers say when they crash */
	size_t *wanted; /* numbers of the cells whose builds are made here: one for each key */
	size_t wanted_count, begun;
	unsigned done; /* cells */
	struct worker *workers;
	unsigned size, active;
	uint64_t made_bytes;
};

/*
 * Two fill the gaps that one leaves on a few CPUs. The more CPUs, the shorter the compilation and the longer, beside
 * it, what only one CPU can do: one more cell for each eight. Each has a build tree on the disk, so not many more than
 * needed.
 */
unsigned mm_crew_size(int jobs)
{
	return jobs < 2 ? 1 : 2 + (unsigned)jobs / JOBS_A_CELL;
}

/* What there is to do */

static void count_done(struct crew *crew)
{
	mm_event_progress(NULL, "builds", ++crew->done, (unsigned)crew->run->matrix->cell_count);
}

/* Cells that differ in their option files only have a build in common: the first of them makes it. */
static int sort_cells(struct crew *crew, struct mm_error *err)
{
	const struct mm_matrix *matrix = crew->run->matrix;
	json_t *keys = json_object();
	int code = 0;
	crew->wanted = mm_calloc(matrix->cell_count, sizeof *crew->wanted);
	mm_event_progress(NULL, "builds", 0, (unsigned)matrix->cell_count);
	for (size_t i = 0; i < matrix->cell_count && !code; i++) {
		const char *key = crew->run->cells[i].build.key;
		code = mm_signals_check(err);
		if (code)
			break;
		if (crew->run->cells[i].code) {
			count_done(crew);
		} else if (!mm_step_is_wanted(crew->run, &matrix->cells[i])) {
			code = mm_step_collect(crew->run, &matrix->cells[i], NULL, err);
			count_done(crew);
		} else if (!json_object_get(keys, key)) {
			json_object_set_new(keys, key, json_true());
			crew->wanted[crew->wanted_count++] = i;
		}
	}
	json_decref(keys);
	return code;
}

static int write_task(const struct crew *crew, const struct mm_run_options *options, struct mm_error *err)
{
	json_t *record = mm_task_record(crew->run, options);
	char *path = mm_path_join(crew->folder, "task.json");
	mm_json_put_integer(record, "jobs", crew->run->store.jobs);
	mm_json_put_bool(record, "budget", crew->run->store.budget != NULL);
	int code = mm_fs_mkdirs(crew->folder, 0755, err);
	if (!code)
		code = mm_json_save(path, record, err);
	(void)unlink(crew->errors);
	json_decref(record);
	free(path);
	return code;
}

/* Workers */

static int begin(struct crew *crew, struct mm_error *err)
{
	const struct mm_cell *cell = &crew->run->matrix->cells[crew->wanted[crew->begun]];
	struct worker *worker = crew->workers;
	while (worker->cell)
		worker++;
	const char *const words[] = { crew->program, "worker", "--",
				      crew->folder,  cell->id, crew->run->cells[cell->index].build.key };
	struct mm_strings argv = MM_STRINGS_INIT;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		mm_strings_push(&argv, words[i]);
	/* it is us: our own environment is its environment */
	const struct mm_process_spec spec = {
		.argv = argv.items, .env = environ, .errors = crew->errors, .piped = true
	};
	*worker = (struct worker){ .line = MM_BUFFER_INIT };
	int code = mm_process_start(&spec, &worker->process, err);
	if (!code) {
		worker->cell = cell;
		crew->begun++;
		crew->active++;
	}
	mm_strings_release(&argv);
	return code;
}

/* Takes the lines that are there. */
static void hear(struct worker *worker)
{
	char chunk[1 << 14];
	ssize_t got;
	while ((got = read(worker->process.output, chunk, sizeof chunk)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (chunk[i] != '\n') {
				mm_buffer_putc(&worker->line, chunk[i]);
				continue;
			}
			mm_relay_take(mm_buffer_text(&worker->line), &worker->end);
			mm_buffer_reset(&worker->line);
		}
	}
}

static void release(struct crew *crew, struct worker *worker)
{
	close(worker->process.output);
	mm_buffer_release(&worker->line);
	free(worker->end.text);
	*worker = (struct worker){ .cell = NULL };
	crew->active--;
}

/* How the disk fills, while there is still time to do something about it. */
static void tell_space(struct crew *crew, const struct mm_build *build)
{
	crew->made_bytes += mm_fs_tree_bytes(build->folder);
	char *text = mm_format("builds of this call take %.1f GB, %.1f GB are free", (double)crew->made_bytes / 1e9,
			       (double)mm_fs_free_bytes(crew->run->work) / 1e9);
	mm_event_stage(MM_EVENT_NOTE, NULL, "disk", text);
	free(text);
}

/* The worker is gone without a last word, or somebody else has stopped it. One that had no memory to say so says 5. */
static void tell_crash(const struct crew *crew, struct worker *worker, const struct mm_process_result *result)
{
	char how[64];
	if (worker->end.said && worker->end.code != MM_EINTERRUPTED)
		return;
	free(worker->end.text);
	bool machine = result->exit_status == mm_error_status(MM_EENV);
	const char *cell = worker->cell->id;
	mm_process_describe(result, how);
	worker->end = (struct mm_relay_end){
		.said = true,
		.code = machine ? MM_EENV : MM_ECELL,
		.text = machine ? mm_format("cell '%s': the process that built it found no room on this machine (%s), "
					    "log "
					    "'%s': free memory or run fewer jobs, then run again",
					    cell, how, crew->errors)
				: mm_format("the process that built it ended too early (%s), log '%s': run again", how,
					    crew->errors)
	};
}

/* The cells of a build that has been made or has failed. */
static int settle(struct crew *crew, const struct worker *worker, struct mm_error *err)
{
	struct mm_run *run = crew->run;
	const char *key = run->cells[worker->cell->index].build.key;
	int code = 0;
	for (size_t i = 0; i < run->matrix->cell_count && !code; i++) {
		const struct mm_cell *cell = &run->matrix->cells[i];
		struct mm_build *build = &run->cells[i].build;
		if (run->cells[i].code || strcmp(build->key, key) != 0)
			continue;
		if (cell == worker->cell && !worker->end.code)
			mm_record_load(build);
		if (build->state != MM_BUILD_DONE)
			code = mm_step_collect(run, cell, worker->end.text, err);
		count_done(crew);
	}
	return code;
}

/* Has it ended? Then its cells are settled. */
static int look_after(struct crew *crew, struct worker *worker, struct mm_error *err)
{
	struct mm_process_result result = { 0 };
	if (mm_process_wait(&worker->process, 0, &result, NULL) != 1)
		return 0;
	hear(worker);
	int code = mm_signals_check(err);
	if (!code)
		tell_crash(crew, worker, &result);
	if (!code && worker->end.code && worker->end.code != MM_ECELL)
		code = mm_error_set(err, (enum mm_code)worker->end.code, "%s", worker->end.text);
	if (!code)
		code = settle(crew, worker, err);
	if (!code && !worker->end.code)
		tell_space(crew, &crew->run->cells[worker->cell->index].build);
	release(crew, worker);
	return code;
}

/* Waits for something to be said, or a while. */
static void listen_to(const struct crew *crew, struct pollfd *fds)
{
	nfds_t count = 0;
	for (unsigned i = 0; i < crew->size; i++)
		if (crew->workers[i].cell)
			fds[count++] = (struct pollfd){ .fd = crew->workers[i].process.output, .events = POLLIN };
	(void)poll(fds, count, LOOK_MS);
}

static int work(struct crew *crew, struct mm_error *err)
{
	struct pollfd *fds = mm_calloc(crew->size, sizeof *fds);
	int code = 0;
	while (!code && (crew->active || crew->begun < crew->wanted_count)) {
		code = mm_signals_check(err);
		while (!code && crew->active < crew->size && crew->begun < crew->wanted_count)
			code = begin(crew, err);
		if (!code)
			listen_to(crew, fds);
		for (unsigned i = 0; i < crew->size && !code; i++) {
			if (!crew->workers[i].cell)
				continue;
			hear(&crew->workers[i]);
			code = look_after(crew, &crew->workers[i], err);
		}
	}
	free(fds);
	return code;
}

/* All at once; they leave what can be gone on with. What they still say is not heard, but read, or they would block. */
static void stop(struct crew *crew)
{
	uint64_t end = mm_now_ns() + (uint64_t)GRACE_MS * 1000000U;
	char chunk[1 << 14];
	for (unsigned i = 0; i < crew->size; i++)
		if (crew->workers[i].cell)
			(void)kill(crew->workers[i].process.pid, SIGTERM);
	while (crew->active) {
		bool late = mm_now_ns() >= end;
		for (unsigned i = 0; i < crew->size; i++) {
			struct worker *worker = &crew->workers[i];
			while (worker->cell && read(worker->process.output, chunk, sizeof chunk) > 0)
				;
			if (worker->cell && late)
				mm_process_stop(&worker->process, SIGKILL, 0, NULL);
			if (worker->cell && mm_process_wait(&worker->process, 0, NULL, NULL) == 1)
				release(crew, worker);
		}
		(void)poll(NULL, 0, STOP_LOOK_MS);
	}
}

int mm_crew_build(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	struct crew crew = { .run = run, .folder = mm_path_join(run->work, "jobs") };
	crew.errors = mm_path_join(crew.folder, "errors.log");
	int code = sort_cells(&crew, err);
	if (!code && crew.wanted_count) {
		crew.program = options->program ? mm_strdup(options->program) : mm_own_program();
		crew.size = mm_crew_size(run->store.jobs);
		crew.workers = mm_calloc(crew.size, sizeof *crew.workers);
		code = crew.program ? write_task(&crew, options, err)
				    : mm_error_set(err, MM_EENV,
						   "cannot tell where mymatrix itself is: start it by its path");
		if (!code)
			code = work(&crew, err);
		stop(&crew);
	}
	free(crew.workers);
	free(crew.wanted);
	free(crew.program);
	free(crew.errors);
	free(crew.folder);
	return code;
}

/* The worker */

static int take_part(const json_t *record, const char *folder, struct mm_task *task, struct mm_jobserver *budget,
		     struct mm_error *err)
{
	struct mm_store *store = &task->run.store;
	store->jobs = (int)mm_json_integer(record, "jobs", 1);
	store->look_only = true; /* compilers were tried out before any worker began */
	if (!mm_json_true(record, "budget"))
		return 0;
	store->budget = budget;
	return mm_jobserver_join(budget, folder, store->jobs, err);
}

int mm_crew_work(const char *folder, const char *cell, const char *key, struct mm_error *err)
{
	struct mm_task task = { .run = { .lock = -1 } };
	struct mm_jobserver budget = { .folder = NULL };
	char *path = mm_path_join(folder, "task.json");
	mm_relay_to(STDOUT_FILENO);
	json_t *record = mm_json_load(path, err);
	int code = record ? mm_task_open(record, &task, err) : MM_EENV;
	if (!code)
		code = take_part(record, folder, &task, &budget, err);
	if (!code)
		code = mm_task_build(&task, cell, key, "this machine", err);
	mm_relay_end(code, err->text);
	mm_jobserver_stop(&budget);
	mm_task_close(&task);
	json_decref(record);
	free(path);
	mm_error_clear(err);
	return 0; /* it has been said */
}
