/* The gate, as MATRIX.json and the command line ask for it: can it be decided at all, and what is decided. */
#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "reports/power.h"
#include "reports/report.h"

int mm_cli_gate(const struct mm_arguments *arguments, json_t *report, struct mm_error *err)
{
	double limit = arguments->overrides.max_regression_percent;
	if (limit < 0 && !arguments->gate_tests.count && !arguments->gate_metric)
		return 0;
	return mm_report_gate(report, limit, &arguments->gate_tests, arguments->gate_metric, err);
}

/* Does NAME stand for a test of KNOWN? '*' stands for all of them. Else says so, and whose word it is. */
static int check_name(const char *name, const struct mm_strings *known, const char *place, enum mm_code code,
		      struct mm_error *err)
{
	if (strcmp(name, "*") == 0 || mm_strings_contain(known, name))
		return 0;
	const char *nearest = mm_nearest(name, known);
	char *all = mm_strings_join(known, ", ");
	code = nearest ? mm_error_set(err, code, "%s: no test is called '%s': did you mean '%s'?", place, name, nearest)
		       : mm_error_set(err, code, "%s: no test is called '%s': there is %s", place, name, all);
	free(all);
	return code;
}

/* The tests of all suites. False where a suite's are known only when it has run. */
static bool known_tests(const struct mm_matrix *matrix, struct mm_strings *names)
{
	bool known = true;
	for (size_t i = 0; i < matrix->suite_count && known; i++) {
		size_t before = names->count;
		mm_cli_suite_tests(&matrix->suites[i], names);
		known = names->count > before;
	}
	return known;
}

static int check_names(const struct mm_arguments *arguments, const struct mm_matrix *matrix, struct mm_error *err)
{
	const struct mm_strings *asked = &arguments->gate_tests;
	const struct mm_strings *names = asked->count ? asked : &matrix->gate.tests;
	struct mm_strings known = MM_STRINGS_INIT;
	char *place = asked->count ? mm_strdup("--gate-test") : mm_matrix_place(matrix, "$.gate.tests");
	int code = 0;
	if (names->count && known_tests(matrix, &known))
		for (size_t i = 0; i < names->count && !code; i++)
			code = check_name(names->items[i], &known, place, asked->count ? MM_EUSAGE : MM_EMATRIX, err);
	free(place);
	mm_strings_release(&known);
	return code;
}

/* A gate decides on comparisons. That --cell leaves the file's gate none is no mistake: some cells are looked at alone. */
static int check_comparisons(const struct mm_arguments *arguments, const struct mm_matrix *matrix, struct mm_error *err)
{
	bool narrowed = arguments->overrides.cell_globs.count > 0;
	if (matrix->comparison_count)
		return 0;
	if (arguments->overrides.max_regression_percent >= 0)
		return mm_error_set(err, MM_EUSAGE, "--max-regression: there is nothing to decide on: %s",
				    narrowed ? "--cell leaves no comparison"
					     : "\"compare\" in MATRIX.json says which cells are compared");
	if (narrowed)
		return 0;
	char *place = mm_matrix_place(matrix, "$.gate");
	int code = mm_error_set(err, MM_EMATRIX,
				"%s: there is nothing to decide on: \"compare\" says which cells are compared, or leave "
				"\"gate\" out",
				place);
	free(place);
	return code;
}

int mm_cli_check_gate(const struct mm_arguments *arguments, const struct mm_matrix *matrix, struct mm_error *err)
{
	bool asked = arguments->gate_tests.count || arguments->gate_metric;
	if (!matrix->gate.present)
		return asked ? mm_error_set(err, MM_EUSAGE, "a gate needs a limit: give --max-regression, e.g. 3%%") : 0;
	int code = check_comparisons(arguments, matrix, err);
	return code ? code : check_names(arguments, matrix, err);
}

/* It goes by intervals, which fewer pairs of passes do not have. */
void mm_cli_foresee_gate(const struct mm_matrix *matrix)
{
	int least = (int)mm_least_pairs(1);
	if (!matrix->gate.present)
		return;
	if (!matrix->comparison_count) {
		mm_warn("the gate will decide nothing, which is exit status 4: --cell leaves no comparison");
		return;
	}
	for (size_t i = 0; i < matrix->suite_count; i++) {
		const struct mm_suite_spec *spec = &matrix->suites[i];
		if (spec->passes >= least)
			continue;
		mm_warn("the gate cannot decide by %d pass%s of suite '%s', which is exit status 4 unless the servers are "
			"identical: plan %d or more",
			spec->passes, spec->passes == 1 ? "" : "es", spec->name, least);
		return;
	}
}

int mm_cli_check_gate_tests(const struct mm_arguments *arguments, const json_t *report, struct mm_error *err)
{
	struct mm_strings known = MM_STRINGS_INIT;
	const json_t *comparison, *test;
	size_t i, j;
	int code = 0;
	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		json_array_foreach(json_object_get(comparison, "tests"), j, test) {
			const char *name = mm_json_string(test, "test", "");
			if (!mm_strings_contain(&known, name))
				mm_strings_push(&known, name);
		}
	for (size_t k = 0; k < arguments->gate_tests.count && !code; k++)
		if (mm_nearest(arguments->gate_tests.items[k], &known)) /* else a test that was not measured: undecided */
			code = check_name(arguments->gate_tests.items[k], &known, "--gate-test", MM_EUSAGE, err);
	mm_strings_release(&known);
	return code;
}
