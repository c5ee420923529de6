/* Words that several formats share. */
#include "reports/render.h"

#include <string.h>

#include "base/json.h"
#include "reports/text.h"

void mm_render_verdict(const json_t *row, struct mm_buffer *out)
{
	const char *reason = mm_json_string(row, "reason", "");

	mm_buffer_puts(out, mm_json_string(row, "verdict", "no verdict"));
	if (reason[0] != '\0')
		mm_buffer_printf(out, ": %s", reason);
}

void mm_render_changed(const json_t *comparison, struct mm_buffer *out)
{
	const json_t *changed = json_object_get(comparison, "changed"), *axis;
	size_t i;

	json_array_foreach(changed, i, axis)
		if (json_is_string(axis))
			mm_buffer_printf(out, "%s%s", i > 0 ? ", " : "", json_string_value(axis));
}

void mm_render_pairs(const json_t *comparison, struct mm_buffer *out)
{
	if (strcmp(mm_json_string(comparison, "mode", ""), "paired") == 0)
		mm_buffer_printf(out, "%lld of %lld pair%s of passes",
				 (long long)mm_json_integer(comparison, "pairs", 0),
				 (long long)mm_json_integer(comparison, "planned_pairs", 0),
				 mm_plural((size_t)mm_json_integer(comparison, "planned_pairs", 0)));
	else
		mm_buffer_printf(out, "passes of different runs (%s)",
				 mm_json_string(comparison, "mode", "not interleaved"));
}

static void put_share(const json_t *share, struct mm_buffer *out)
{
	if (json_is_number(share))
		mm_buffer_printf(out, "%.0f%%", 100 * json_number_value(share));
	else
		mm_buffer_putc(out, '-');
}

void mm_render_client_shares(const json_t *comparison, struct mm_buffer *out)
{
	const json_t *test;
	size_t i, count = 0;

	json_array_foreach(json_object_get(comparison, "tests"), i, test) {
		const json_t *shares = json_object_get(test, "client_share");
		const json_t *b = json_object_get(shares, "baseline"), *c = json_object_get(shares, "candidate");

		if (!json_is_number(b) && !json_is_number(c))
			continue;
		mm_buffer_printf(out, "%s%s ", count++ > 0 ? ", " : "", mm_json_string(test, "test", ""));
		put_share(b, out);
		mm_buffer_puts(out, " and ");
		put_share(c, out);
	}
}

void mm_render_origin(const json_t *report, struct mm_buffer *out)
{
	const char *run = mm_json_string(report, "run", ""), *created = mm_json_string(report, "created", "");
	const json_t *host = json_object_get(report, "host");
	size_t length = strcspn(run, "-"); /* the rest is the date */

	if (!json_is_object(host))
		return;
	if (run[0] != '\0')
		mm_buffer_printf(out, "run %.*s of ", (int)length, run);
	mm_buffer_printf(out, "%s on %s", created, mm_json_string(host, "name", "an unnamed host"));
	if (mm_json_string(host, "cpu", NULL) != NULL)
		mm_buffer_printf(out, ", %s", mm_json_string(host, "cpu", ""));
	mm_buffer_printf(out, ", kernel %s", mm_json_string(host, "kernel", "unknown"));
}

void mm_render_warning(const json_t *report, const json_t *warning, struct mm_buffer *out)
{
	const char *comparison = mm_json_string(warning, "comparison", NULL);

	mm_buffer_puts(out, mm_json_string(warning, "text", ""));
	if (comparison != NULL && json_array_size(json_object_get(report, "comparisons")) > 1)
		mm_buffer_printf(out, " (%s)", comparison);
}

static const json_t *control_of(const json_t *row)
{
	const json_t *control = json_object_get(row, "control");

	return json_is_number(json_object_get(control, "estimate_percent")) ? control : NULL;
}

static void put_control(const json_t *control, struct mm_buffer *out)
{
	char percent[MM_FIGURE], interval[MM_FIGURE];

	mm_buffer_puts(out, mm_text_percent(json_object_get(control, "estimate_percent"), percent));
	if (json_array_size(json_object_get(control, "interval_percent")) == 2)
		mm_buffer_printf(out, " (95%% interval %s%%)",
				 mm_text_interval(json_object_get(control, "interval_percent"), interval));
}

/* Tests of one metric whose A/A pair says something: by how much their thresholds grew, or that they have no verdict. */
static void put_biased(const json_t *comparison, bool cpu, const char *head, bool differs, size_t *count,
		       struct mm_buffer *out)
{
	const json_t *test;
	size_t i;

	json_array_foreach(json_object_get(comparison, "tests"), i, test) {
		const json_t *control = control_of(cpu ? json_object_get(test, "server_cpu") : test);
		double bias = mm_json_number(control, "bias_percent", 0);

		if (mm_json_true(control, "differs") != differs || (!differs && !(bias >= 0.005)))
			continue;
		mm_buffer_printf(out, "%s%s%s", (*count)++ > 0 ? ", " : head, cpu ? "server CPU of " : "",
				 mm_json_string(test, "test", ""));
		if (!differs)
			mm_buffer_printf(out, " %.2f%%", bias);
	}
}

void mm_render_control(const json_t *comparison, struct mm_buffer *out)
{
	const json_t *geomean = json_object_get(comparison, "geomean");
	const json_t *wall = control_of(geomean), *cpu = control_of(json_object_get(geomean, "server_cpu"));
	size_t biased = 0, different = 0;

	if (wall == NULL)
		return;
	mm_buffer_puts(out, "the baseline against itself, in the geometric mean: ");
	put_control(wall, out);
	if (cpu != NULL) {
		mm_buffer_puts(out, ", on server CPU ");
		put_control(cpu, out);
	}
	for (int metric = 0; metric < 2; metric++)
		put_biased(comparison, metric != 0, "; so much is added to thresholds: ", false, &biased, out);
	for (int metric = 0; metric < 2; metric++)
		put_biased(comparison, metric != 0, "; too far from itself for a verdict: ", true, &different, out);
}

void mm_render_gate(const json_t *report, struct mm_buffer *out)
{
	const json_t *gate = json_object_get(report, "gate");
	const char *result = mm_json_string(gate, "result", "none");

	if (strcmp(result, "none") == 0)
		return;
	mm_buffer_printf(out, "Gate (no regression of more than %g%% on %s): %s; %s",
			 mm_json_number(gate, "max_regression_percent", 0), mm_json_string(gate, "metric", "wall"),
			 result, mm_json_string(gate, "reason", ""));
}
