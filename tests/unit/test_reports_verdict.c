/* The rules of verdicts, families and controls, on rows and on whole run folders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reports-fixture.h"
#include "reports/report.h"
#include "reports/variables.h"
#include "reports/verdict.h"

static const struct mm_thresholds usual = { 1, 2 };

static double percent(double value)
{
	return log1p(value / 100);
}

static struct mm_row row(double estimate, double low, double high, double p)
{
	struct mm_row made = MM_ROW_INIT;

	made.estimate = (struct mm_estimate){ 10, percent(estimate), percent(low), percent(high), 0.951 };
	made.p = made.adjusted_p = p;
	return made;
}

static const char *decide(struct mm_row made)
{
	mm_verdict_decide(&made, &usual);
	return mm_verdict_name(made.verdict);
}

static void each_verdict_has_its_rule(void **unused)
{
	(void)unused;
	assert_string_equal(decide(row(3, 2, 4, 0.01)), "faster");
	assert_string_equal(decide(row(-3, -4, -2, 0.01)), "slower");
	assert_string_equal(decide(row(1, 0.5, 1.5, 0.05)), "faster");        /* both limits are met exactly */
	assert_string_equal(decide(row(0.9, 0.5, 1.5, 0.001)), "equivalent"); /* sure, but too small to matter */
	assert_string_equal(decide(row(3, 2, 4, 0.06)), "inconclusive");
	assert_string_equal(decide(row(0, -2, 2, 1)), "equivalent");
	assert_string_equal(decide(row(0, -2.1, 2, 1)), "inconclusive");
	assert_string_equal(decide(row(0, 0, 0, 1)), "equivalent");
	assert_string_equal(decide(row(3, 2, 4, NAN)), "inconclusive"); /* not tested is not significant */
}

static void no_interval_is_no_verdict(void **unused)
{
	struct mm_row made = row(3, 2, 4, 0.01);

	(void)unused;
	made.estimate.confidence = 0;
	mm_verdict_decide(&made, &usual);
	assert_int_equal(made.verdict, MM_NO_VERDICT);
	assert_string_equal(mm_reason_text(made.reason), "too few pairs");
}

static void a_reason_that_is_known_stays(void **unused)
{
	(void)unused;
	for (int reason = MM_REASON_WRONG_ANSWERS; reason < MM_REASON_COUNT; reason++) {
		struct mm_row made = row(3, 2, 4, 0.01);

		made.reason = (enum mm_reason)reason;
		mm_verdict_decide(&made, &usual);
		assert_int_equal(made.verdict, MM_NO_VERDICT);
		assert_int_equal(made.reason, reason);
		assert_true(mm_reason_text(made.reason)[0] != '\0');
	}
}

static struct mm_control control(double estimate, double low, double high, double p)
{
	return (struct mm_control){ .present = true,
				    .p = p,
				    .estimate = { 10, percent(estimate), percent(low), percent(high), 0.951 } };
}

static struct mm_row judged_alone(struct mm_row made)
{
	struct mm_row *rows[] = { &made };

	mm_verdict_family(rows, 1, &usual);
	return made;
}

static void a_control_that_differs_takes_the_verdict(void **unused)
{
	struct mm_row made = row(5, 4, 6, 0.002);

	(void)unused;
	made.control = control(1.2, 0.8, 1.6, 0.002);
	made = judged_alone(made);
	assert_int_equal(made.verdict, MM_NO_VERDICT);
	assert_string_equal(mm_reason_text(made.reason), "control differs");
	assert_true(made.control.differs);
}

static void the_bias_of_a_control_is_added_to_the_thresholds(void **unused)
{
	struct mm_row made = row(1.3, 0.9, 1.7, 0.002);

	(void)unused;
	assert_string_equal(decide(made), "faster");
	made.control = control(0.7, 0.4, 0.9, 0.002); /* sure, too small to be called: a bias of 0.4% */
	made = judged_alone(made);
	assert_false(made.control.differs);
	assert_true(fabs(made.control.bias_percent - 0.4) < 1e-9);
	assert_int_equal(made.verdict, MM_EQUIVALENT); /* 1.3 is below 1 + 0.4, and within 2 + 0.4 */
	made = row(0.5, -0.5, 2.3, 0.5);
	made.control = control(-0.7, -0.9, -0.4, 0.002);
	assert_int_equal(judged_alone(made).verdict, MM_EQUIVALENT);
	made.control = control(0, -0.9, 0.9, 1); /* establishes nothing */
	made = judged_alone(made);
	assert_true(made.control.bias_percent == 0);
	assert_int_equal(made.verdict, MM_INCONCLUSIVE);
}

/* A lone p of 0.03 among three is 0.09 adjusted; with two others as small it is 0.03. */
static void p_is_adjusted_within_the_family(void **unused)
{
	struct mm_row made[3] = { row(3, 2, 4, 0.03), row(0, -1, 1, 0.9), row(0, -1, 1, 0.9) };
	struct mm_row *rows[3] = { &made[0], &made[1], &made[2] };

	(void)unused;
	mm_verdict_family(rows, 3, &usual);
	assert_true(fabs(made[0].adjusted_p - 0.09) < 1e-12);
	assert_int_equal(made[0].verdict, MM_INCONCLUSIVE);
	made[1].reason = made[2].reason = MM_REASON_WRONG_ANSWERS; /* what cannot get a verdict is no member */
	mm_verdict_family(rows, 3, &usual);
	assert_true(fabs(made[0].adjusted_p - 0.03) < 1e-12);
	assert_int_equal(made[0].verdict, MM_FASTER);
	assert_true(isnan(made[1].adjusted_p));
}

/* 2/2^10 = 0.00195 is above 0.05/80 and below 0.05/25. */
static void operations_need_enough_pairs_for_their_number(void **unused)
{
	struct mm_row made[80], *rows[80];

	(void)unused;
	for (size_t n = 25; n <= 80; n += 55) {
		for (size_t i = 0; i < n; i++) {
			made[i] = row(3, 2, 4, 2.0 / 1024);
			rows[i] = &made[i];
		}
		mm_verdict_operations(rows, n, &usual);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(made[i].verdict, n == 25 ? MM_FASTER : MM_NO_VERDICT);
			assert_int_equal(made[i].reason, n == 25 ? MM_REASON_NONE : MM_REASON_TOO_FEW);
		}
	}
}

/* ---- on run folders ---- */

static const struct fixture plain = { .title = "rules",
				      .cells = { "standard", "optimized" },
				      .comparisons = { { 0, 1, { "flags" } } },
				      .tests = { { "ATIS", NULL, 15.4, { 1, 1.05 }, 0, { NULL } },
						 { "connect", NULL, 7.6, { 0 }, 0.3, { NULL } },
						 { "select", NULL, 30, { 0 }, 0, { NULL } } },
				      .passes = 10,
				      .control = true,
				      .noise = 0.004,
				      .seed = 3 };

static json_t *made_of(const struct fixture *fixture)
{
	char *folder = fixture_folder();
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	fixture_write(fixture, folder);
	if (mm_report_make(folder, &report, &err) != 0)
		fail_msg("%s", err.text);
	fixture_remove(folder);
	return report;
}

static const json_t *first_comparison(const json_t *report)
{
	return json_array_get(json_object_get(report, "comparisons"), 0);
}

static const json_t *test_at(const json_t *report, size_t place)
{
	return json_array_get(json_object_get(first_comparison(report), "tests"), place);
}

static bool warns(const json_t *report, const char *text)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(report, "warnings"), i, warning)
		if (strstr(mm_json_string(warning, "text", ""), text) != NULL)
			return true;
	return false;
}

static void both_metrics_are_judged(void **unused)
{
	json_t *report = made_of(&plain);

	(void)unused;
	assert_string_equal(mm_json_string(test_at(report, 0), "verdict", ""), "faster");
	assert_string_equal(mm_json_string(json_object_get(test_at(report, 0), "server_cpu"), "verdict", ""), "faster");
	assert_string_equal(mm_json_string(test_at(report, 2), "verdict", ""), "equivalent");
	assert_true(json_is_object(json_object_get(test_at(report, 0), "control")));
	assert_int_equal(mm_json_integer(json_object_get(first_comparison(report), "geomean"), "tests", 0), 3);
	assert_true(json_is_true(json_object_get(report, "complete")));
	assert_int_equal(mm_report_decide(report), 0);
	json_decref(report);
}

static void waiting_tests_are_marked(void **unused)
{
	json_t *report = made_of(&plain);

	(void)unused;
	assert_true(json_is_false(json_object_get(test_at(report, 0), "waiting")));
	assert_true(json_is_true(json_object_get(test_at(report, 1), "waiting"))); /* CPU is 30% of wall */
	json_decref(report);
}

static void wrong_answers_get_no_verdict_and_status_1(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;
	const json_t *test;

	(void)unused;
	fixture.wrong_test = 1;
	report = made_of(&fixture);
	test = test_at(report, 0);
	assert_string_equal(mm_json_string(test, "verdict", ""), "no verdict");
	assert_string_equal(mm_json_string(test, "reason", ""), "wrong answers");
	assert_non_null(
		strstr(mm_json_string(test, "detail", ""), "'standard' answered 0000000000001000 in 20 passes"));
	assert_non_null(
		strstr(mm_json_string(test, "detail", ""), "'optimized' answered 0000000000001001 in 10 passes"));
	assert_string_equal(mm_json_string(json_object_get(test, "server_cpu"), "reason", ""), "wrong answers");
	assert_string_equal(mm_json_string(test_at(report, 2), "verdict", ""), "equivalent");
	assert_int_equal(mm_json_integer(json_object_get(first_comparison(report), "geomean"), "tests", 0), 2);
	assert_non_null(
		strstr(mm_json_string(first_comparison(report), "recommendation", ""), "their answers differ in ATIS"));
	assert_int_equal(mm_report_decide(report), MM_EREGRESSION);
	json_decref(report);
}

/* The "answers" of the first test when the cells left the run's ledger at these statements; owned by the caller. */
static json_t *answers_of(int baseline, int candidate, char **detail)
{
	struct fixture fixture = plain;
	json_t *report, *answers;

	fixture.wrong_test = 1;
	fixture.tests[0].operations[0] = "select";
	fixture.tests[0].operations[1] = "select_join";
	fixture.parted[0] = baseline;
	fixture.parted[1] = candidate;
	report = made_of(&fixture);
	answers = json_incref(json_object_get(test_at(report, 0), "answers"));
	*detail = mm_strdup(mm_json_string(test_at(report, 0), "detail", ""));
	assert_true(json_is_object(answers));
	assert_null(json_object_get(test_at(report, 1), "answers"));
	json_decref(report);
	return answers;
}

static void check_answers(int baseline, int candidate, const char *statement, const char *words)
{
	char *detail;
	json_t *answers = answers_of(baseline, candidate, &detail), *sides = json_object_get(answers, "sides");

	assert_string_equal(mm_json_string(answers, "operation", ""), "select_join");
	assert_string_equal(mm_json_string(answers, "statement", ""), statement);
	assert_string_equal(mm_json_string(json_array_get(sides, 0), "operation_checksum", ""), "0000000000000200");
	assert_string_equal(mm_json_string(json_array_get(sides, 1), "operation_checksum", ""), "0000000000000201");
	if (strstr(detail, words) == NULL)
		fail_msg("'%s' does not say '%s'", detail, words);
	json_decref(answers);
	free(detail);
}

static void the_first_statement_that_differs_is_named(void **unused)
{
	(void)unused;
	/* nothing was held against a ledger, as in files of older runs: the operation and its first statement */
	check_answers(0, 0, "select 1 from t", "which begins with: select 1 from t");
	/* the baseline is the ledger */
	check_answers(0, 7, "select 7 from t", "number 7 of the test, in operation");
	/* both differ from a third: the one that left first shows where the two part */
	check_answers(5, 7, "select 5 from t", "number 5 of the test");
	check_answers(7, 5, "select 5 from t", "number 5 of the test");
	/* both left it at one statement, with different answers */
	check_answers(6, 6, "select 6 from t", "number 6 of the test");
}

static void unexpected_answers_are_a_warning(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.wrong_test = 1;
	report = made_of(&fixture);
	assert_false(warns(report, "known to be right"));
	json_decref(report);
	fixture.unexpected = true;
	report = made_of(&fixture);
	assert_true(warns(report, "not the answer that is known to be right: count: got 3 instead of 4: select 1"));
	json_decref(report);
}

/* Tables of another engine leave out operations: no wrong answers, but nothing to compare either. */
static void other_work_gets_no_verdict(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;
	const json_t *test;

	(void)unused;
	fixture.wrong_test = 1;
	fixture.tests[0].operations[0] = "select";
	fixture.tests[0].operations[1] = "select_join";
	fixture.leaves_out = true;
	report = made_of(&fixture);
	test = test_at(report, 0);
	assert_string_equal(mm_json_string(test, "reason", ""), "missing on one side");
	assert_non_null(strstr(mm_json_string(test, "detail", ""), "operation 'select_join' differs"));
	assert_null(json_object_get(test, "answers"));
	assert_int_equal(mm_json_integer(json_object_get(first_comparison(report), "geomean"), "tests", 0), 2);
	assert_int_not_equal(mm_report_decide(report), MM_EREGRESSION);
	json_decref(report);
}

static void identical_binaries_get_no_verdict_and_hold_the_gate(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.code[0] = fixture.code[1] = "0123456789abcdef";
	fixture.gate = 3;
	report = made_of(&fixture);
	assert_string_equal(mm_json_string(test_at(report, 0), "reason", ""), "identical binaries");
	assert_string_equal(mm_json_string(json_object_get(first_comparison(report), "geomean"), "reason", ""),
			    "identical binaries");
	assert_true(warns(report, "identical"));
	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "result", ""), "holds");
	assert_int_equal(mm_report_decide(report), 0);
	json_decref(report);
	fixture.sql_mode[1] = "ANSI"; /* whatever the digest says, this is another server */
	report = made_of(&fixture);
	assert_string_not_equal(mm_json_string(test_at(report, 0), "reason", ""), "identical binaries");
	assert_false(warns(report, "identical"));
	json_decref(report);
	fixture.sql_mode[1] = NULL;
	fixture.comparisons[0].changed[0] = "config"; /* one program under two configurations is two servers */
	report = made_of(&fixture);
	assert_string_equal(mm_json_string(test_at(report, 0), "verdict", ""), "faster");
	json_decref(report);
}

/* `report --max-regression`: another limit, the same tests. */
static void the_gate_can_be_decided_anew(void **unused)
{
	struct fixture fixture = plain;
	struct mm_strings tests = MM_STRINGS_INIT;
	struct mm_error err = MM_ERROR_INIT;
	json_t *report;

	(void)unused;
	fixture.tests[0].speed[1] = fixture.tests[1].speed[1] = fixture.tests[2].speed[1] = 0.96;
	report = made_of(&fixture);
	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "result", ""), "none");
	assert_int_equal(mm_report_decide(report), 0);
	assert_int_equal(mm_report_gate(report, -1, NULL, "wall", &err), MM_EUSAGE);
	assert_int_equal(mm_report_gate(report, 2, NULL, NULL, NULL), 0);
	assert_int_equal(mm_report_decide(report), MM_EREGRESSION);
	assert_int_equal(mm_report_gate(report, 10, NULL, NULL, NULL), 0);
	assert_int_equal(mm_report_decide(report), 0);
	mm_strings_push(&tests, "*");
	assert_int_equal(mm_report_gate(report, -1, &tests, "server-cpu", NULL), 0); /* the limit stays */
	assert_string_equal(mm_json_string(json_object_get(report, "gate"), "metric", ""), "server-cpu");
	assert_int_equal(json_array_size(json_object_get(json_object_get(report, "gate"), "checks")), 4);
	mm_strings_release(&tests);
	json_decref(report);
}

static void failed_cells_and_passes_are_shown_and_end_with_status_3(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.failed_pass = 4;
	report = made_of(&fixture);
	assert_int_equal(mm_json_integer(test_at(report, 0), "n", 0), 9);
	assert_int_equal(mm_json_integer(first_comparison(report), "pairs", 0), 9);
	assert_true(warns(report, "1 of 10 passes of 'optimized' in 'classic' failed: first pass 4: server ended"));
	assert_true(warns(report, "9 of 10 pairs"));
	assert_int_equal(mm_report_decide(report), MM_ECELL);
	json_decref(report);
	fixture = plain;
	fixture.failed[1] = "compile: no such instruction";
	report = made_of(&fixture);
	assert_string_equal(mm_json_string(test_at(report, 0), "reason", ""), "missing on one side");
	assert_true(warns(report, "cell 'optimized' failed: compile: no such instruction"));
	assert_int_equal(mm_report_decide(report), MM_ECELL);
	json_decref(report);
}

static void too_few_passes_for_any_verdict(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.passes = 5;
	report = made_of(&fixture);
	assert_string_equal(mm_json_string(test_at(report, 0), "reason", ""), "too few pairs");
	assert_true(json_is_number(json_object_get(test_at(report, 0), "estimate_percent")));
	assert_int_equal(mm_report_decide(report), 0); /* all is there that was planned, and no gate was asked for */
	json_decref(report);
}

static void several_changed_axes_and_noise_are_said(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.comparisons[0].changed[1] = "bits";
	fixture.noisy_pass = 2;
	report = made_of(&fixture);
	assert_true(warns(report, "more than one axis changed (flags, bits)"));
	assert_true(warns(report, "1 of 10 passes of 'optimized' in 'classic' was disturbed"));
	assert_true(warns(report, "1 server variable differs"));
	json_decref(report);
}

/* A version that changes together with something else could be what made the difference. */
static void different_versions_are_said(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;

	(void)unused;
	fixture.versions[1] = "10.11.19";
	report = made_of(&fixture);
	assert_true(warns(report, "'standard' is 10.11.18, 'optimized' is 10.11.19: the difference may be the version's"));
	json_decref(report);
	fixture.comparisons[0].changed[0] = "source"; /* that is what was asked for */
	report = made_of(&fixture);
	assert_false(warns(report, "the version's"));
	json_decref(report);
	fixture.comparisons[0].changed[1] = "bits";
	report = made_of(&fixture);
	assert_true(warns(report, "the version's"));
	json_decref(report);
}

/* "prefix" without "bits": what was installed says them, and then they have changed. */
static void bits_are_those_of_the_program(void **unused)
{
	struct fixture fixture = plain;
	json_t *report, *changed;

	(void)unused;
	fixture.elf_bits[0] = 32;
	fixture.elf_bits[1] = 64;
	fixture.comparisons[0].changed[0] = "source";
	fixture.comparisons[0].changed[1] = "config";
	report = made_of(&fixture);
	changed = json_pack("[s, s, s]", "source", "bits", "config");
	assert_true(json_equal(json_object_get(first_comparison(report), "changed"), changed));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(mm_json_integer(json_array_get(json_object_get(report, "cells"), i), "bits", 0),
				 fixture.elf_bits[i]);
	json_decref(changed);
	json_decref(report);
	fixture.elf_bits[0] = 64;
	fixture.comparisons[0].changed[1] = NULL;
	report = made_of(&fixture);
	changed = json_pack("[s]", "source");
	assert_true(json_equal(json_object_get(first_comparison(report), "changed"), changed));
	json_decref(changed);
	json_decref(report);
}

static void the_version_is_the_first_variable_that_differs(void **unused)
{
	json_t *baseline = json_pack("{s:s, s:s, s:s}", "autocommit", "ON", "version", "1", "wait_timeout", "1");
	json_t *candidate = json_pack("{s:s, s:s, s:s}", "autocommit", "OFF", "version", "2", "wait_timeout", "2");
	json_t *list = mm_variables_diff(baseline, candidate);

	(void)unused;
	assert_int_equal(json_array_size(list), 3);
	assert_string_equal(mm_json_string(json_array_get(list, 0), "name", ""), "version");
	assert_string_equal(mm_json_string(json_array_get(list, 1), "name", ""), "autocommit");
	json_decref(list);
	json_decref(candidate);
	json_decref(baseline);
}

/* Rates: the delta is turned round, and the CPU is that of one event. */
static void rates_compare_cpu_per_event(void **unused)
{
	struct fixture fixture = plain;
	json_t *report;
	const json_t *cpu;

	(void)unused;
	memset(fixture.tests, 0, sizeof(fixture.tests));
	fixture.tests[0] = (struct fixture_test){ "4 threads", "queries/s", 2000, { 1, 1.05 }, 0, { NULL } };
	report = made_of(&fixture);
	cpu = json_object_get(test_at(report, 0), "server_cpu");
	assert_string_equal(mm_json_string(test_at(report, 0), "verdict", ""), "faster");
	assert_true(mm_json_number(test_at(report, 0), "delta_percent", 0) > 4);
	assert_string_equal(mm_json_string(cpu, "unit", ""), "s/event");
	assert_string_equal(mm_json_string(cpu, "verdict", ""), "faster"); /* the same CPU did more work */
	json_decref(report);
}

static void a_run_folder_that_is_none_is_said(void **unused)
{
	char *folder = fixture_folder(), *plan = mm_path_join(folder, "plan.json");
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	(void)unused;
	assert_int_equal(mm_report_make(folder, &report, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "not a run folder"));
	mm_error_clear(&err);
	assert_int_equal(mm_fs_write_atomic(plan, "{}", 2, NULL), 0);
	assert_int_equal(mm_report_make(folder, &report, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "plan.json"));
	assert_null(report);
	free(plan);
	fixture_remove(folder);
}

static void a_damaged_pass_is_named(void **unused)
{
	static const char *const damages[] = { "{", "{}", "" };

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		char *folder = fixture_folder(), *path;
		struct mm_error err = MM_ERROR_INIT;
		json_t *report = NULL;

		fixture_write(&plain, folder);
		path = mm_pass_path(folder, "standard", "classic", 3, 1);
		assert_int_equal(mm_fs_write_atomic(path, damages[i], strlen(damages[i]), NULL), 0);
		assert_int_equal(mm_report_make(folder, &report, &err), MM_EMATRIX);
		assert_non_null(strstr(err.text, "classic-03.json"));
		free(path);
		fixture_remove(folder);
	}
}

/* A pass file under another pass's name must not become its sample. */
static void a_pass_under_a_wrong_name_is_refused(void **unused)
{
	char *folder = fixture_folder(), *from, *to;
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;

	(void)unused;
	fixture_write(&plain, folder);
	from = mm_pass_path(folder, "optimized", "classic", 1, 1);
	to = mm_pass_path(folder, "standard", "classic", 1, 1);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(mm_report_make(folder, &report, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "not the pass that its name says"));
	free(from);
	free(to);
	fixture_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_verdict_has_its_rule),
		cmocka_unit_test(no_interval_is_no_verdict),
		cmocka_unit_test(a_reason_that_is_known_stays),
		cmocka_unit_test(a_control_that_differs_takes_the_verdict),
		cmocka_unit_test(the_bias_of_a_control_is_added_to_the_thresholds),
		cmocka_unit_test(p_is_adjusted_within_the_family),
		cmocka_unit_test(operations_need_enough_pairs_for_their_number),
		cmocka_unit_test(both_metrics_are_judged),
		cmocka_unit_test(waiting_tests_are_marked),
		cmocka_unit_test(wrong_answers_get_no_verdict_and_status_1),
		cmocka_unit_test(the_first_statement_that_differs_is_named),
		cmocka_unit_test(other_work_gets_no_verdict),
		cmocka_unit_test(unexpected_answers_are_a_warning),
		cmocka_unit_test(identical_binaries_get_no_verdict_and_hold_the_gate),
		cmocka_unit_test(the_gate_can_be_decided_anew),
		cmocka_unit_test(failed_cells_and_passes_are_shown_and_end_with_status_3),
		cmocka_unit_test(too_few_passes_for_any_verdict),
		cmocka_unit_test(several_changed_axes_and_noise_are_said),
		cmocka_unit_test(different_versions_are_said),
		cmocka_unit_test(bits_are_those_of_the_program),
		cmocka_unit_test(the_version_is_the_first_variable_that_differs),
		cmocka_unit_test(rates_compare_cpu_per_event),
		cmocka_unit_test(a_run_folder_that_is_none_is_said),
		cmocka_unit_test(a_damaged_pass_is_named),
		cmocka_unit_test(a_pass_under_a_wrong_name_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
