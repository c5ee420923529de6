/* The way of a plan that is the same for every executor: check, prepare, carry out, record. */
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "executors/bench.h"
#include "executors/doctor.h"
#include "executors/executor.h"
#include "executors/last-call.h"
#include "executors/record.h"
#include "executors/remembered.h"
#include "executors/steps.h"
#include "runners/suite.h"

int mm_run_check_suites(const struct mm_matrix *matrix, bool here, struct mm_error *err)
{
	for (size_t i = 0; i < matrix->suite_count; i++) {
		const struct mm_suite_spec *spec = &matrix->suites[i];
		const struct mm_suite *suite = mm_suite_find(spec->suite);
		if (!suite)
			return mm_error_set(err, MM_EMATRIX, "suite '%s': this mymatrix has no suite '%s'", spec->name,
					    spec->suite);
		struct mm_error why = MM_ERROR_INIT;
		int code = suite->check(spec, &why);
		if (code && (here || code != MM_EENV))
			return mm_error_set(err, why.code, "suite '%s': %s", spec->name, why.text);
	}
	return 0;
}

/* The CPUs are this machine's; another executor's machines are asked there. */
static int check_cpus(const struct mm_schedule *schedule, struct mm_error *err)
{
	const char *const lists[] = { schedule->cpus_server, schedule->cpus_client };
	for (size_t i = 0; i < 2; i++)
		if (lists[i] && mm_os_check_cpus(lists[i], err))
			return mm_error_prefix(err, "schedule.cpus");
	return 0;
}

/* A folder in memory that is not there is a slip of the pen, and made on disk it would measure something else. */
static int check_datadir(const struct mm_schedule *schedule, struct mm_error *err)
{
	const char *folder = schedule->datadir;
	if (folder && (!mm_fs_is_folder(folder) || access(folder, W_OK | X_OK)))
		return mm_error_set(
			err, MM_EMATRIX,
			"schedule.datadir: there is no folder '%s' that can be written to: make it, or name "
			"another one",
			folder);
	return 0;
}

/* Everything that can be known to be wrong is said before the first compiler starts. */
static int prepare(struct mm_run *run, struct mm_error *err)
{
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		const struct mm_cell *cell = &run->matrix->cells[i];
		int code = mm_signals_check(err);
		if (!code)
			code = mm_build_prepare(&run->store, cell, &run->cells[i].build, err);
		if (code == MM_ECELL)
			mm_step_lose(run, cell, "build", err);
		else if (code)
			return code;
	}
	return 0;
}

void mm_passes_require_builds(struct mm_run *run)
{
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		struct mm_cell_state *state = &run->cells[i];
		if (state->code || state->build.state == MM_BUILD_DONE)
			continue;
		struct mm_error why = MM_ERROR_INIT;
		(void)mm_error_set(&why, MM_ECELL, "cell '%s' is not installed: run 'mymatrix build' first",
				   run->matrix->cells[i].id);
		mm_step_lose(run, &run->matrix->cells[i], "build", &why);
	}
}

int mm_passes_open(struct mm_run *run, const struct mm_executor *executor, const struct mm_run_options *options,
		   struct mm_error *err)
{
	int code = mm_record_open(run, executor, options->again, err);
	if (!code && run->remembered)
		mm_remember_passes(run, run->remembered);
	if (!code)
		code = mm_bench_given_up(run, options->retry_failed, err);
	if (!code)
		code = mm_record_cells(run, err);
	return code;
}

/* Also after an interruption: what became of the cells is part of the state that is taken up again. */
static int record(const struct mm_run *run, int code, struct mm_error *err)
{
	struct mm_error second = MM_ERROR_INIT;
	int recorded = run->folder ? mm_record_cells(run, code ? &second : err) : 0;
	return code ? code : recorded;
}

static void tell_space(const struct mm_run *run, const struct mm_run_options *options)
{
	struct mm_space left;
	mm_space_left(run->matrix, run->work, run->cells, options, &left);
	mm_doctor_tell(run->matrix, run->work, &left);
}

static int carry_out(struct mm_run *run, const struct mm_executor *executor, const struct mm_run_options *options,
		     struct mm_error *err)
{
	int code = 0;
	struct mm_remembered remembered = { 0 };
	if (executor->check)
		code = executor->check(run, options, err);
	if (!code && options->phases & MM_RUN_BENCH)
		code = mm_run_check_suites(run->matrix, true, err);
	if (!code && options->phases & MM_RUN_BENCH && executor == &mm_executor_local)
		code = check_cpus(&run->matrix->schedule, err);
	if (!code && options->phases & MM_RUN_BENCH && executor == &mm_executor_local)
		code = check_datadir(&run->matrix->schedule, err);
	if (!code)
		code = prepare(run, err);
	if (!code && executor == &mm_executor_local)
		tell_space(run, options);
	if (!code && !options->retry_failed) {
		mm_remember_builds(run, &remembered);
		run->remembered = &remembered;
	}
	if (!code)
		code = record(run, executor->carry_out(run, options, err), err);
	run->remembered = NULL;
	if (!code && options->phases & MM_RUN_BENCH) /* a build alone ends with a line on all that failed */
		mm_remembered_tell(&remembered);
	return code;
}

int mm_run_carry_out(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	const struct mm_executor *executor = mm_executor_choose(run, options, err);
	if (!executor)
		return MM_EUSAGE;
	mm_last_call_begin(run->work);
	int code = carry_out(run, executor, options, err);
	mm_last_call_end(run->work, err);
	return code;
}
