/* compare: deltas of any two result files. */
#include "reports/compare.h"

#include "cli/command.h"
#include "reports/report.h"

int mm_command_compare(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_compare_options options = { .baseline_cell = arguments->cell,
					      .candidate_cell = arguments->candidate_cell,
					      .suite = arguments->suite_name,
					      .unpaired = arguments->unpaired };
	const struct mm_strings *files = &arguments->positional;
	json_t *report = NULL;
	int code;

	if (files->count == 1 && !arguments->candidate_cell)
		return mm_error_set(err, MM_EUSAGE, "compare needs BASE.json CAND.json, or one file and --cell twice: its "
						    "baseline and its candidate");
	code = mm_compare_files(files->items[0], files->items[files->count - 1], &options, &report, err);

	if (!code)
		code = mm_cli_check_gate_tests(arguments, report, err);
	if (!code)
		code = mm_cli_gate(arguments, report, err);
	if (!code)
		code = mm_cli_render(arguments, report, "table", err);
	if (!code)
		code = mm_report_decide(report);
	json_decref(report);
	return code;
}
