/*
 * A test case per comparison and test, for CI servers. What fails here is what makes the exit status fail: a
 * regression that the gate found, wrong answers, a failed cell. No verdict is "skipped", with its reason.
 */
#include <string.h>

#include "base/json.h"
#include "reports/builds.h"
#include "reports/render.h"
#include "reports/text.h"

struct counts {
	size_t tests, failures, errors, skipped;
};

/* The gate's check of SUBJECT in a comparison, NULL when it is not gated. */
static const json_t *check_of(const json_t *gate, const json_t *comparison, const char *subject)
{
	static const char *const keys[] = { "baseline", "candidate", "suite" };
	const json_t *check;
	size_t i;

	json_array_foreach(json_object_get(gate, "checks"), i, check) {
		bool same = strcmp(mm_json_string(check, "subject", ""), subject) == 0;

		for (size_t k = 0; same && k < sizeof(keys) / sizeof(*keys); k++)
			same = strcmp(mm_json_string(check, keys[k], ""), mm_json_string(comparison, keys[k], "")) == 0;
		if (same)
			return check;
	}
	return NULL;
}

static void put_message(struct mm_buffer *out, const char *element, const char *message)
{
	mm_buffer_printf(out, "      <%s message=\"", element);
	mm_text_xml(out, message);
	mm_buffer_puts(out, "\"/>\n");
}

/* The outcome that the exit status knows: the gate's check first, then wrong answers, then "no verdict". */
static void put_outcome(struct mm_buffer *out, const json_t *row, const json_t *check, struct counts *counts)
{
	const char *result = mm_json_string(check, "result", ""), *reason = mm_json_string(row, "reason", "");

	if (strcmp(result, "regression") == 0 || strcmp(reason, "wrong answers") == 0) {
		counts->failures++;
		put_message(out, "failure", mm_json_string(check, "reason", mm_json_string(row, "detail", reason)));
	} else if (strcmp(result, "undecided") == 0) {
		counts->errors++;
		put_message(out, "error", mm_json_string(check, "reason", "the gate could not decide"));
	} else if (reason[0] != '\0') {
		counts->skipped++;
		put_message(out, "skipped", reason);
	}
}

static void put_figures(struct mm_buffer *out, const json_t *row, const char *metric)
{
	char delta[MM_FIGURE], interval[MM_FIGURE], p[MM_FIGURE];
	struct mm_buffer verdict = MM_BUFFER_INIT;

	if (!json_is_object(row))
		return;
	mm_render_verdict(row, &verdict);
	mm_buffer_printf(out, "%s: %s, ", metric, mm_text_percent(json_object_get(row, "delta_percent"), delta));
	if (json_is_array(json_object_get(row, "interval_percent")))
		mm_buffer_printf(out, "95%% interval %s %%, ",
				 mm_text_interval(json_object_get(row, "interval_percent"), interval));
	else
		mm_buffer_puts(out, "no interval, ");
	mm_buffer_printf(out, "adjusted p %s, n %lld: ",
			 mm_text_p(json_object_get(row, "adjusted_p"), p), (long long)mm_json_integer(row, "n", 0));
	mm_text_xml(out, mm_buffer_text(&verdict));
	mm_buffer_putc(out, '\n');
	mm_buffer_release(&verdict);
}

static void put_case(struct mm_buffer *out, const json_t *gate, const json_t *comparison, const char *name,
		     const char *subject, const json_t *row, struct counts *counts)
{
	counts->tests++;
	mm_buffer_puts(out, "    <testcase classname=\"");
	mm_text_xml(out, mm_json_string(comparison, "candidate", ""));
	mm_buffer_puts(out, " against ");
	mm_text_xml(out, mm_json_string(comparison, "baseline", ""));
	mm_buffer_puts(out, "\" name=\"");
	mm_text_xml(out, name);
	mm_buffer_puts(out, "\">\n");
	put_outcome(out, row, check_of(gate, comparison, subject), counts);
	mm_buffer_puts(out, "      <system-out>");
	put_figures(out, row, "wall");
	put_figures(out, json_object_get(row, "server_cpu"), "server CPU");
	mm_buffer_puts(out, "</system-out>\n    </testcase>\n");
}

static void put_suite(struct mm_buffer *out, const char *name, const struct mm_buffer *cases,
		      const struct counts *counts)
{
	mm_buffer_puts(out, "  <testsuite name=\"");
	mm_text_xml(out, name);
	mm_buffer_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", counts->tests,
			 counts->failures, counts->errors, counts->skipped);
	mm_buffer_append(out, mm_buffer_text(cases), cases->length);
	mm_buffer_puts(out, "  </testsuite>\n");
}

static void put_comparison(struct mm_buffer *out, const json_t *report, const json_t *comparison)
{
	const json_t *gate = json_object_get(report, "gate"), *tests = json_object_get(comparison, "tests"), *test;
	struct mm_buffer cases = MM_BUFFER_INIT, name = MM_BUFFER_INIT;
	struct counts counts = { 0 };
	size_t i;

	mm_buffer_printf(&name, "%s: %s vs %s", mm_json_string(comparison, "suite", ""),
			 mm_json_string(comparison, "baseline", ""), mm_json_string(comparison, "candidate", ""));
	put_case(&cases, gate, comparison, "(geometric mean)", "geometric mean", json_object_get(comparison, "geomean"),
		 &counts);
	json_array_foreach(tests, i, test)
		put_case(&cases, gate, comparison, mm_json_string(test, "test", ""), mm_json_string(test, "test", ""),
			 test, &counts);
	put_suite(out, mm_buffer_text(&name), &cases, &counts);
	mm_buffer_release(&cases);
	mm_buffer_release(&name);
}

static void put_build(struct mm_buffer *out, const json_t *cell)
{
	struct mm_strings labels = MM_STRINGS_INIT, texts = MM_STRINGS_INIT;

	mm_builds_describe(cell, &labels, &texts);
	if (labels.count > 0)
		mm_buffer_puts(out, "      <system-out>");
	for (size_t i = 0; i < labels.count; i++) {
		mm_text_xml(out, labels.items[i]);
		mm_buffer_puts(out, ": ");
		mm_text_xml(out, texts.items[i]);
		mm_buffer_putc(out, '\n');
	}
	if (labels.count > 0)
		mm_buffer_puts(out, "</system-out>\n");
	mm_strings_release(&labels);
	mm_strings_release(&texts);
}

static void put_cells(struct mm_buffer *out, const json_t *report)
{
	const json_t *cell;
	struct mm_buffer cases = MM_BUFFER_INIT;
	struct counts counts = { 0 };
	size_t i;

	json_array_foreach(json_object_get(report, "cells"), i, cell) {
		counts.tests++;
		mm_buffer_puts(&cases, "    <testcase classname=\"cells\" name=\"");
		mm_text_xml(&cases, mm_json_string(cell, "id", ""));
		mm_buffer_puts(&cases, "\">\n");
		if (strcmp(mm_json_string(cell, "state", "done"), "done") != 0) {
			counts.errors++;
			put_message(&cases, "error", mm_json_string(cell, "failure", "the cell was not built"));
		}
		put_build(&cases, cell);
		mm_buffer_puts(&cases, "    </testcase>\n");
	}
	if (counts.tests > 0)
		put_suite(out, "cells", &cases, &counts);
	mm_buffer_release(&cases);
}

int mm_render_junit(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	const json_t *comparison;
	struct mm_buffer gate = MM_BUFFER_INIT;
	size_t i;

	(void)err;
	mm_render_gate(report, &gate);
	mm_buffer_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"");
	mm_text_xml(out, mm_json_string(report, "title", ""));
	mm_buffer_puts(out, "\">\n");
	put_cells(out, report);
	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		put_comparison(out, report, comparison);
	if (gate.length > 0) {
		struct mm_buffer cases = MM_BUFFER_INIT;
		struct counts counts = { .tests = 1 };
		const char *result = mm_json_string(json_object_get(report, "gate"), "result", "");

		mm_buffer_puts(&cases, "    <testcase classname=\"gate\" name=\"gate\">\n");
		if (strcmp(result, "holds") != 0) {
			bool found = strcmp(result, "regression") == 0;

			counts.failures = found;
			counts.errors = !found;
			put_message(&cases, found ? "failure" : "error", mm_buffer_text(&gate));
		}
		mm_buffer_puts(&cases, "      <system-out>");
		mm_text_xml(&cases, mm_buffer_text(&gate));
		mm_buffer_puts(&cases, "</system-out>\n    </testcase>\n");
		put_suite(out, "gate", &cases, &counts);
		mm_buffer_release(&cases);
	}
	mm_buffer_puts(out, "</testsuites>\n");
	mm_buffer_release(&gate);
	return 0;
}
