/* Each gated figure is a check of its own; the most serious outcome is the gate's. */
#include "reports/gate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "reports/report.h"
#include "reports/verdict.h"

enum outcome { HOLDS, UNDECIDED, REGRESSION };

static const char *const outcome_names[] = {
	[HOLDS] = "holds", [UNDECIDED] = "undecided", [REGRESSION] = "regression"
};

struct gate {
	double limit;
	const char *metric;
	const json_t *tests; /* names gated besides the geometric mean; "*" gates every test */
	json_t *checks;
	enum outcome worst;
	size_t counts[3];
};

static enum outcome check_interval(const json_t *row, double limit, char **reason)
{
	const json_t *interval = json_object_get(row, "interval_percent");
	double low = json_number_value(json_array_get(interval, 0)),
	       high = json_number_value(json_array_get(interval, 1));

	if (high < -limit) {
		*reason = mm_format("the whole interval, %+.2f%% to %+.2f%%, is below %+.2f%%", low, high, -limit);
		return REGRESSION;
	}
	if (low > -limit) {
		*reason = mm_format("the whole interval, %+.2f%% to %+.2f%%, is above %+.2f%%", low, high, -limit);
		return HOLDS;
	}
	*reason = mm_format("the interval, %+.2f%% to %+.2f%%, holds the limit of %+.2f%%: more passes may decide", low,
			    high, -limit);
	return UNDECIDED;
}

static enum outcome check_row(const json_t *row, double limit, char **reason)
{
	const char *why = mm_json_string(row, "reason", "");

	if (!json_is_object(row)) {
		*reason = mm_strdup("it was not measured");
		return UNDECIDED;
	}
	if (strcmp(mm_json_string(row, "verdict", ""), mm_verdict_name(MM_NO_VERDICT)) != 0 &&
	    json_array_size(json_object_get(row, "interval_percent")) == 2)
		return check_interval(row, limit, reason);
	*reason = mm_format("no verdict: %s", why);
	if (strcmp(why, mm_reason_text(MM_REASON_WRONG_ANSWERS)) == 0)
		return REGRESSION;
	return strcmp(why, mm_reason_text(MM_REASON_IDENTICAL)) == 0 ? HOLDS : UNDECIDED;
}

static void add_check(struct gate *gate, const json_t *comparison, const char *subject, enum outcome outcome,
		      const char *reason)
{
	json_t *check = json_object();

	mm_json_put_string(check, "baseline", mm_json_string(comparison, "baseline", ""));
	mm_json_put_string(check, "candidate", mm_json_string(comparison, "candidate", ""));
	mm_json_put_string(check, "suite", mm_json_string(comparison, "suite", ""));
	mm_json_put_string(check, "subject", subject);
	mm_json_put_string(check, "result", outcome_names[outcome]);
	mm_json_put_string(check, "reason", reason);
	json_array_append_new(gate->checks, check);
	gate->counts[outcome]++;
	if (outcome > gate->worst)
		gate->worst = outcome;
}

static const json_t *metric_of(const struct gate *gate, const json_t *row)
{
	return strcmp(gate->metric, "server-cpu") == 0 ? json_object_get(row, "server_cpu") : row;
}

static bool gated(const struct gate *gate, const char *test)
{
	const json_t *name;
	size_t i;

	json_array_foreach(gate->tests, i, name)
		if (strcmp(json_string_value(name) != NULL ? json_string_value(name) : "", test) == 0 ||
		    strcmp(json_string_value(name) != NULL ? json_string_value(name) : "", "*") == 0)
			return true;
	return false;
}

/* A gated test that the comparison does not hold cannot be decided: a name in the rule is never dropped silently. */
static void check_missing(struct gate *gate, const json_t *comparison)
{
	const json_t *name, *test;
	size_t i, j;

	json_array_foreach(gate->tests, i, name) {
		const char *text = json_string_value(name) != NULL ? json_string_value(name) : "";
		bool found = strcmp(text, "*") == 0;

		json_array_foreach(json_object_get(comparison, "tests"), j, test)
			found = found || strcmp(mm_json_string(test, "test", ""), text) == 0;
		if (!found)
			add_check(gate, comparison, text, UNDECIDED, "the comparison holds no such test");
	}
}

static void check_comparison(struct gate *gate, const json_t *comparison)
{
	const json_t *test;
	char *reason = NULL;
	enum outcome outcome = check_row(metric_of(gate, json_object_get(comparison, "geomean")), gate->limit, &reason);
	size_t i;

	add_check(gate, comparison, "geometric mean", outcome, reason);
	free(reason);
	json_array_foreach(json_object_get(comparison, "tests"), i, test) {
		const char *name = mm_json_string(test, "test", "");

		if (strcmp(mm_json_string(test, "reason", ""), mm_reason_text(MM_REASON_WRONG_ANSWERS)) == 0) {
			add_check(gate, comparison, name, REGRESSION, "wrong answers");
		} else if (gated(gate, name)) {
			outcome = check_row(metric_of(gate, test), gate->limit, &reason);
			add_check(gate, comparison, name, outcome, reason);
			free(reason);
		}
	}
	check_missing(gate, comparison);
}

static char *summary(const struct gate *gate)
{
	const json_t *check;
	size_t i, total = json_array_size(gate->checks);

	if (total == 0)
		return mm_strdup("there is nothing to decide on: no comparison");
	if (gate->worst == HOLDS)
		return total == 1 ? mm_strdup(mm_json_string(json_array_get(gate->checks, 0), "reason", ""))
				  : mm_format("all %zu checks hold", total);
	json_array_foreach(gate->checks, i, check)
		if (strcmp(mm_json_string(check, "result", ""), outcome_names[gate->worst]) == 0)
			return mm_format("%zu of %zu checks: first the %s of '%s' against '%s' in '%s': %s",
					 gate->counts[gate->worst], total, mm_json_string(check, "subject", ""),
					 mm_json_string(check, "candidate", ""), mm_json_string(check, "baseline", ""),
					 mm_json_string(check, "suite", ""), mm_json_string(check, "reason", ""));
	return mm_strdup("");
}

void mm_gate_apply(json_t *report, const json_t *rule)
{
	struct gate gate = { .limit = mm_json_number(rule, "max_regression_percent", NAN),
			     .metric = mm_json_string(rule, "metric", "wall"),
			     .tests = json_object_get(rule, "tests"),
			     .checks = json_array(),
			     .worst = HOLDS };
	json_t *json = json_object(), *comparison;
	char *reason;
	size_t i;

	if (!isfinite(gate.limit)) {
		mm_json_put_string(json, "result", "none");
		mm_json_put_string(json, "reason", "no gate was asked for");
		json_decref(gate.checks);
		json_object_set_new(report, "gate", json);
		return;
	}
	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		check_comparison(&gate, comparison);
	if (json_array_size(gate.checks) == 0)
		gate.worst = UNDECIDED;
	reason = summary(&gate);
	mm_json_put_string(json, "result", outcome_names[gate.worst]);
	mm_json_put_string(json, "reason", reason);
	mm_json_put_real(json, "max_regression_percent", gate.limit);
	mm_json_put_string(json, "metric", gate.metric);
	if (json_is_array(gate.tests))
		json_object_set_new(json, "tests", json_deep_copy(gate.tests));
	json_object_set_new(json, "checks", gate.checks);
	json_object_set_new(report, "gate", json);
	free(reason);
}

static json_t *names_json(const struct mm_strings *names)
{
	json_t *list = json_array();

	for (size_t i = 0; i < names->count; i++)
		json_array_append_new(list, json_string(names->items[i]));
	return list;
}

int mm_report_gate(json_t *report, double max_regression_percent, const struct mm_strings *tests, const char *metric,
		   struct mm_error *err)
{
	const json_t *stored = json_object_get(report, "gate");
	double limit = max_regression_percent >= 0 ? max_regression_percent
						   : mm_json_number(stored, "max_regression_percent", NAN);
	json_t *rule;

	if (!isfinite(limit))
		return mm_error_set(err, MM_EUSAGE, "a gate needs a limit: give --max-regression, e.g. 3%%");
	rule = json_object();
	mm_json_put_real(rule, "max_regression_percent", limit);
	mm_json_put_string(rule, "metric", metric != NULL ? metric : mm_json_string(stored, "metric", NULL));
	if (tests != NULL && tests->count > 0)
		json_object_set_new(rule, "tests", names_json(tests));
	else if (json_object_get(stored, "tests") != NULL)
		json_object_set(rule, "tests", json_object_get(stored, "tests"));
	mm_gate_apply(report, rule);
	json_decref(rule);
	return 0;
}

/* Wrong answers end with 1, gate or not; then failed cells and missing samples; then a gate that could not decide. */
int mm_report_decide(const json_t *report)
{
	const char *result = mm_json_string(json_object_get(report, "gate"), "result", "none");
	const json_t *comparison, *test;
	size_t i, j;

	if (strcmp(result, "regression") == 0)
		return MM_EREGRESSION;
	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		json_array_foreach(json_object_get(comparison, "tests"), j, test)
			if (strcmp(mm_json_string(test, "reason", ""), mm_reason_text(MM_REASON_WRONG_ANSWERS)) == 0)
				return MM_EREGRESSION;
	if (json_is_false(json_object_get(report, "complete")))
		return MM_ECELL;
	return strcmp(result, "undecided") == 0 ? MM_EUNDECIDED : 0;
}
