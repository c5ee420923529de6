/* build, bench, run, report: the commands that work in a work folder. */
#include <sys/stat.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "executors/run.h"
#include "reports/report.h"

/* Why a run is reported: it was measured now, it was named, or it is the newest one. */
enum occasion { MEASURED, NAMED, NEWEST };

/* The newest run is shown, and it can be a look at a few cells, or a new beginning, that came after the run that matters. */
static void tell_fuller(const char *folder, const json_t *report)
{
	bool fewer;
	char *fuller = mm_run_fuller(folder, mm_json_true(report, "complete"), &fewer);
	const char *run = mm_path_base(folder), *other = fuller ? mm_path_base(fuller) : NULL;
	if (fuller && fewer)
		mm_warn("run %s is of fewer cells than the complete run %s: 'mymatrix report %s' shows that one", run, other, other);
	else if (fuller)
		mm_warn("run %s is not complete, but run %s of the same plan is: 'mymatrix report %s' shows that one", run, other,
			other);
	free(fuller);
}

/*
 * Keeps the report in its run folder. A folder that cannot be written to, as of another user or on a read-only disk, can
 * be shown all the same: its report.json is made of nothing but what lies there. What was measured now is to be kept.
 */
static int keep(const char *path, const json_t *json, enum occasion occasion, bool *kept, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	int code = mm_report_save(path, json, &why);
	*kept = !code;
	if (code && (code != MM_EENV || occasion == MEASURED))
		return mm_error_set(err, why.code, "%s", why.text);
	if (code)
		mm_warn("the report is shown, but not kept: %s; -o FILE writes it elsewhere", why.text);
	return 0;
}

/*
 * Makes the report of a run folder, keeps it there as report.json, prints it, and says what it decides. Of what was
 * measured before, a slip of the command line is told instead of it.
 */
static int report(const struct mm_arguments *arguments, const char *folder, enum occasion occasion, struct mm_error *err)
{
	json_t *json = NULL;
	char *path = mm_path_join(folder, "report.json");
	bool shown = false, kept = false;
	/* before anything is written; what has just been measured is kept whatever has become of the place of -o */
	int code = occasion == MEASURED ? 0 : mm_cli_check_format(arguments, err);
	if (!code)
		code = mm_report_make(folder, &json, err);
	if (!code && occasion == NEWEST)
		tell_fuller(folder, json);
	if (!code && occasion != MEASURED)
		code = mm_cli_check_gate_tests(arguments, json, err);
	/* the gate of a look at what was measured before is that look's alone */
	if (!code && occasion != MEASURED)
		code = keep(path, json, occasion, &kept, err);
	if (!code)
		code = mm_cli_gate(arguments, json, err);
	if (!code && occasion == MEASURED)
		code = keep(path, json, occasion, &kept, err);
	if (!code)
		code = mm_cli_render(arguments, json, "table", err);
	if (code == MM_EUSAGE && occasion == MEASURED) /* it was well when we began */
		code = err->code = MM_EENV;
	if (!code) {
		shown = true;
		code = mm_report_decide(json);
	}
	if (shown && !arguments->quiet && (kept || arguments->output))
		mm_event_stage(MM_EVENT_NOTE, NULL, "report", arguments->output ? arguments->output : path);
	free(path);
	json_decref(json);
	return code;
}

/* The exit of a build alone: are all cells there? */
static int judge_builds(const struct mm_run *run, struct mm_error *err)
{
	size_t failed = 0;
	for (size_t i = 0; i < run->matrix->cell_count; i++)
		failed += run->cells[i].code != 0;
	if (!failed)
		return 0;
	return mm_error_set(err, MM_ECELL, "%zu of %zu cell%s failed: see above, mend, then 'mymatrix build --retry-failed' tries %s again",
			    failed, run->matrix->cell_count, mm_plural(run->matrix->cell_count), failed == 1 ? "it" : "them");
}

static int carry_out(const struct mm_arguments *arguments, unsigned phases, struct mm_error *err)
{
	struct mm_matrix *matrix = NULL;
	char *work = NULL;
	struct mm_run run;
	struct mm_run_options options = { .again = arguments->again,
					  .retry_failed = arguments->retry_failed,
					  .wait = arguments->wait,
					  .phases = phases,
					  .executor = arguments->executor,
					  .program = arguments->program,
					  .overrides = &arguments->overrides };
	int code = mm_cli_matrix(arguments, &matrix, &work, err);
	if (!code)
		code = mm_cli_check_format(arguments, err); /* said now, not after hours */
	if (!code)
		code = mm_matrix_check_supported(matrix, err);
	if (!code)
		code = mm_cli_check_gate(arguments, matrix, err);
	if (code)
		goto out;
	if (phases & MM_RUN_BENCH)
		mm_cli_foresee_gate(matrix);
	options.work = work;
	code = mm_run_open(matrix, &options, &run, err);
	if (code)
		goto out;
	code = mm_run_carry_out(&run, &options, err);
	mm_progress_finish();
	if (!code && phases & MM_RUN_BENCH)
		code = report(arguments, run.folder, MEASURED, err);
	else if (!code)
		code = judge_builds(&run, err);
	mm_run_close(&run);
out:
	free(work);
	mm_matrix_free(matrix);
	return code;
}

int mm_command_build(const struct mm_arguments *arguments, struct mm_error *err)
{
	return carry_out(arguments, MM_RUN_BUILD, err);
}

int mm_command_bench(const struct mm_arguments *arguments, struct mm_error *err)
{
	return carry_out(arguments, MM_RUN_BENCH, err);
}

int mm_command_run(const struct mm_arguments *arguments, struct mm_error *err)
{
	return carry_out(arguments, MM_RUN_BUILD | MM_RUN_BENCH, err);
}

/* Started by an executor, see executors/run.h. */
int mm_command_worker(const struct mm_arguments *arguments, struct mm_error *err)
{
	const struct mm_strings *words = &arguments->positional;
	return mm_run_worker(words->items[0], words->count > 1 ? words->items[1] : NULL,
			     words->count > 2 ? words->items[2] : NULL, err);
}

/* Renders a report.json that was kept somewhere. False when PATH is no report. */
static bool report_again(const struct mm_arguments *arguments, const char *path, int *code, struct mm_error *err)
{
	json_t *json = mm_json_load_input(path, NULL);
	bool is_report = mm_json_integer(json, "mymatrix_report", 0) == 1;
	if (is_report) {
		*code = mm_cli_check_gate_tests(arguments, json, err);
		if (!*code)
			*code = mm_cli_gate(arguments, json, err);
		if (!*code)
			*code = mm_cli_render(arguments, json, "table", err);
		if (!*code)
			*code = mm_report_decide(json);
	}
	json_decref(json);
	return is_report;
}

/* "3": a run of the work folder, by the number that status names. Allocated, or NULL. */
static char *run_of_number(const struct mm_arguments *arguments, const char *word)
{
	char *folder = word[strspn(word, "0123456789")] ? NULL : mm_format("%s/runs/%s", arguments->work ? arguments->work : ".mymatrix", word);
	if (folder && *word && mm_fs_is_folder(folder))
		return folder;
	free(folder);
	return NULL;
}

int mm_command_report(const struct mm_arguments *arguments, struct mm_error *err)
{
	const char *operand = arguments->positional.count ? arguments->positional.items[0] : NULL;
	int code = 0;
	if (operand && mm_fs_is_folder(operand))
		return report(arguments, operand, NAMED, err);
	char *numbered = operand && !mm_fs_exists(operand) ? run_of_number(arguments, operand) : NULL;
	if (numbered) {
		code = report(arguments, numbered, NAMED, err);
		free(numbered);
		return code;
	}
	if (operand && !mm_fs_exists(operand))
		return mm_error_set(err, MM_EUSAGE,
				    "cannot find '%s': name a run by its number or folder, a report.json or a MATRIX.json", operand);
	if (operand && report_again(arguments, operand, &code, err))
		return code;
	struct mm_matrix *matrix = NULL;
	if (operand) /* the newest run instead of a damaged report would be taken for what was asked for */
		code = mm_matrix_load(operand, &arguments->overrides, &matrix, err);
	mm_matrix_free(matrix);
	if (code)
		return code;
	char *work = NULL;
	code = mm_cli_work(arguments, &work, err);
	char *folder = work ? mm_run_newest(work) : NULL;
	if (!code)
		code = folder ? report(arguments, folder, NEWEST, err)
		      : mm_error_set(err, MM_EUSAGE,
				     "there is no run in '%s': run 'mymatrix run' first, or name a run folder", work);
	free(folder);
	free(work);
	return code;
}
