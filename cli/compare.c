/* compare: deltas of any two result files. */
#include "reports/compare.h"

#include "base/json.h"
#include "cli/command.h"
#include "reports/report.h"

int mm_command_compare(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_compare_options options = { .baseline_cell = arguments->cell,
					      .candidate_cell = arguments->candidate_cell,
					      .suite = arguments->suite_name,
					      .unpaired = arguments->unpaired };
	double limit = arguments->overrides.max_regression_percent;
	json_t *rule = NULL, *report = NULL;
	int code;

	if (limit >= 0) {
		rule = json_object();
		mm_json_put_real(rule, "max_regression_percent", limit);
		options.gate = rule;
	}
	code = mm_compare_files(arguments->positional.items[0], arguments->positional.items[1], &options, &report, err);
	if (!code)
		code = mm_cli_render(arguments, report, "table", err);
	if (!code)
		code = mm_report_decide(report);
	json_decref(report);
	json_decref(rule);
	return code;
}
