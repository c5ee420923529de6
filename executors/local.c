/* The local executor: builds one cell after the other, each with all jobs; then the passes. */
#include "base/event.h"
#include "base/memory.h"
#include "base/process.h"
#include "executors/bench.h"
#include "executors/record.h"
#include "runners/suite.h"

/* Does the code mean that this cell is out and the others go on? */
static bool is_cell_failure(int code)
{
	return code == MM_ECELL;
}

static void lose_cell(struct mm_cell_state *state, const struct mm_cell *cell, struct mm_error *why)
{
	state->code = why->code;
	state->failure = mm_strdup(why->text);
	mm_event_stage(MM_EVENT_FAILED, cell->id, "build", why->text);
	mm_error_clear(why);
}

static int check_suites(const struct mm_matrix *matrix, struct mm_error *err)
{
	for (size_t i = 0; i < matrix->suite_count; i++) {
		const struct mm_suite_spec *spec = &matrix->suites[i];
		const struct mm_suite *suite = mm_suite_find(spec->suite);
		if (!suite)
			return mm_error_set(err, MM_EMATRIX, "suite '%s': this mymatrix has no suite '%s'", spec->name,
					    spec->suite);
		if (suite->check(spec, err))
			return mm_error_prefix(err, "suite '%s'", spec->name);
	}
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
		if (is_cell_failure(code))
			lose_cell(&run->cells[i], cell, err);
		else if (code)
			return code;
	}
	return 0;
}

static int build_all(struct mm_run *run, struct mm_error *err)
{
	size_t total = run->matrix->cell_count;
	for (size_t i = 0; i < total; i++) {
		const struct mm_cell *cell = &run->matrix->cells[i];
		struct mm_cell_state *state = &run->cells[i];
		mm_event_progress(NULL, "builds", (unsigned)i, (unsigned)total);
		if (state->code)
			continue;
		int code = mm_build_make(&run->store, cell, &state->build, err);
		if (is_cell_failure(code))
			lose_cell(state, cell, err);
		else if (code)
			return code;
	}
	mm_event_progress(NULL, "builds", (unsigned)total, (unsigned)total);
	return 0;
}

/* For bench alone: what is not installed cannot be measured. */
static void require_installed(struct mm_run *run)
{
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		struct mm_cell_state *state = &run->cells[i];
		if (state->code || state->build.state == MM_BUILD_DONE)
			continue;
		struct mm_error why = MM_ERROR_INIT;
		(void)mm_error_set(&why, MM_ECELL, "cell '%s' is not installed: run 'mymatrix build' first",
				   run->matrix->cells[i].id);
		lose_cell(state, &run->matrix->cells[i], &why);
	}
}

int mm_run_local(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	int code = 0;
	if (options->phases & MM_RUN_BENCH)
		code = check_suites(run->matrix, err);
	if (!code)
		code = prepare(run, err);
	if (!code && options->phases & MM_RUN_BUILD)
		code = build_all(run, err);
	if (code || !(options->phases & MM_RUN_BENCH))
		return code;
	require_installed(run);
	code = mm_record_open(run, options->again, err);
	if (!code)
		code = mm_record_cells(run, err);
	if (!code)
		code = mm_bench_passes(run, options, err);
	/* also after an interruption: what became of the cells is part of the state that is taken up again */
	struct mm_error second = MM_ERROR_INIT;
	int recorded = run->folder ? mm_record_cells(run, code ? &second : err) : 0;
	return code ? code : recorded;
}
