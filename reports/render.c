/* Words that several formats share. */
#include "reports/render.h"

#include <string.h>

#include "base/json.h"

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
