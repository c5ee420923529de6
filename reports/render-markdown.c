/* For pull requests and wikis: the recommendation first, then a table per comparison. */
#include <string.h>

#include "base/json.h"
#include "reports/builds.h"
#include "reports/figures.h"
#include "reports/render.h"
#include "reports/text.h"

static void put_cell(struct mm_buffer *out, const char *text)
{
	mm_buffer_puts(out, " ");
	mm_text_markdown(out, text);
	mm_buffer_puts(out, " |");
}

static void put_figure(struct mm_buffer *out, const json_t *value, const char *unit)
{
	char figure[MM_FIGURE];
	struct mm_buffer text = MM_BUFFER_INIT;

	mm_buffer_puts(&text, mm_text_figure(value, figure));
	if (json_is_number(value) && unit[0] != '\0')
		mm_buffer_printf(&text, " %s", unit);
	put_cell(out, mm_buffer_text(&text));
	mm_buffer_release(&text);
}

static void put_row(struct mm_buffer *out, const char *name, const char *metric, const json_t *row, const char *unit,
		    bool waiting)
{
	char text[MM_FIGURE];
	struct mm_buffer verdict = MM_BUFFER_INIT;

	if (!json_is_object(row))
		return;
	mm_buffer_putc(out, '|');
	put_cell(out, name);
	put_cell(out, metric);
	put_figure(out, json_object_get(json_object_get(row, "baseline"), "mean"), unit);
	put_figure(out, json_object_get(json_object_get(row, "candidate"), "mean"), unit);
	put_cell(out, mm_text_percent(json_object_get(row, "delta_percent"), text));
	put_cell(out, mm_text_interval(json_object_get(row, "interval_percent"), text));
	put_cell(out, mm_text_p(json_object_get(row, "adjusted_p"), text));
	mm_render_verdict(row, &verdict);
	if (waiting)
		mm_buffer_puts(&verdict, " (waiting)");
	put_cell(out, mm_buffer_text(&verdict));
	mm_buffer_putc(out, '\n');
	mm_buffer_release(&verdict);
}

/* Why there is no verdict where the reason needs more than a word: where answers part, what was skipped. */
static void put_details(struct mm_buffer *out, const json_t *tests)
{
	const json_t *test;
	bool head = false;
	size_t i;

	json_array_foreach(tests, i, test) {
		if (mm_json_string(test, "detail", NULL) == NULL)
			continue;
		if (!head)
			mm_buffer_puts(out, "\nTests without a verdict:\n\n");
		head = true;
		mm_buffer_puts(out, "- ");
		mm_text_markdown(out, mm_json_string(test, "test", ""));
		mm_buffer_puts(out, ": ");
		mm_text_markdown(out, mm_json_string(test, "detail", ""));
		mm_buffer_putc(out, '\n');
	}
}

static void put_operations(struct mm_buffer *out, const json_t *tests)
{
	const json_t *test, *operation;
	bool head = false;
	size_t i, j;

	json_array_foreach(tests, i, test)
		json_array_foreach(json_object_get(test, "operations"), j, operation) {
			char text[MM_FIGURE];
			struct mm_buffer verdict = MM_BUFFER_INIT;

			if (!head)
				mm_buffer_puts(out, "\n<details><summary>Operations</summary>\n\n"
						    "| Test | Operation | baseline, s | candidate, s | +/- | 95% "
						    "interval, % | verdict |\n"
						    "|---|---|--:|--:|--:|---|---|\n");
			head = true;
			mm_buffer_putc(out, '|');
			put_cell(out, mm_json_string(test, "test", ""));
			put_cell(out, mm_json_string(operation, "operation", ""));
			put_figure(out, json_object_get(operation, "baseline_mean"), "");
			put_figure(out, json_object_get(operation, "candidate_mean"), "");
			put_cell(out, mm_text_percent(json_object_get(operation, "delta_percent"), text));
			put_cell(out, mm_text_interval(json_object_get(operation, "interval_percent"), text));
			mm_render_verdict(operation, &verdict);
			put_cell(out, mm_buffer_text(&verdict));
			mm_buffer_putc(out, '\n');
			mm_buffer_release(&verdict);
		}
	if (head)
		mm_buffer_puts(out, "\n</details>\n");
}

static void put_comparison(struct mm_buffer *out, const json_t *cells, const json_t *comparison)
{
	const json_t *tests = json_object_get(comparison, "tests"), *geomean = json_object_get(comparison, "geomean"),
		     *test;
	struct mm_buffer words = MM_BUFFER_INIT;
	size_t i;

	mm_buffer_puts(out, "\n## ");
	mm_text_markdown(out, mm_json_string(comparison, "suite", ""));
	mm_buffer_puts(out, ": ");
	mm_text_markdown(out, mm_json_string(comparison, "candidate", ""));
	mm_buffer_puts(out, " against ");
	mm_text_markdown(out, mm_json_string(comparison, "baseline", ""));
	mm_buffer_puts(out, "\n\n**");
	mm_text_markdown(out, mm_json_string(comparison, "recommendation", ""));
	mm_buffer_puts(out, "**\n\n");
	mm_builds_cost(cells, comparison, &words);
	if (words.length > 0) {
		mm_buffer_puts(out, "Cost: ");
		mm_text_markdown(out, mm_buffer_text(&words));
		mm_buffer_puts(out, ".\n\n");
		mm_buffer_reset(&words);
	}
	mm_render_control(comparison, &words);
	if (words.length > 0) {
		mm_buffer_puts(out, "Control: ");
		mm_text_markdown(out, mm_buffer_text(&words));
		mm_buffer_puts(out, ".\n\n");
		mm_buffer_reset(&words);
	}
	mm_render_client_shares(comparison, &words);
	if (words.length > 0) {
		mm_buffer_puts(out, "Client CPU as a share of wall time, baseline and candidate: ");
		mm_text_markdown(out, mm_buffer_text(&words));
		mm_buffer_puts(out, ".\n\n");
		mm_buffer_reset(&words);
	}
	mm_render_pairs(comparison, &words);
	if (json_array_size(json_object_get(comparison, "changed")) > 0) {
		mm_buffer_puts(&words, "; changed: ");
		mm_render_changed(comparison, &words);
	}
	mm_text_markdown(out, mm_buffer_text(&words));
	mm_buffer_release(&words);
	mm_buffer_puts(out, "; + means that the candidate is faster.\n\n"
			    "| Test | Metric | baseline | candidate | +/- | 95% interval, % | adjusted p | verdict |\n"
			    "|---|---|--:|--:|--:|---|--:|---|\n");
	json_array_foreach(tests, i, test) {
		const char *name = mm_json_string(test, "test", ""), *unit = mm_json_string(test, "unit", "s");
		const json_t *cpu = json_object_get(test, "server_cpu");

		put_row(out, name, strcmp(unit, "s") == 0 ? "wall" : "rate", test, unit, mm_json_true(test, "waiting"));
		put_row(out, name, "server CPU", cpu, mm_json_string(cpu, "unit", "s"), false);
	}
	put_row(out, "geometric mean", "wall", geomean, "", false);
	put_row(out, "geometric mean", "server CPU", json_object_get(geomean, "server_cpu"), "", false);
	put_details(out, tests);
	put_operations(out, tests);
}

static void put_variables(struct mm_buffer *out, const json_t *report)
{
	const json_t *comparison, *variable;
	bool head = false;
	size_t i, j;

	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		json_array_foreach(json_object_get(comparison, "variables"), j, variable) {
			if (!head)
				mm_buffer_puts(out,
					       "\n## Server variables that differ\n\n"
					       "| Variable | Cell | Value | Cell | Value |\n|---|---|---|---|---|\n");
			head = true;
			mm_buffer_putc(out, '|');
			put_cell(out, mm_json_string(variable, "name", ""));
			put_cell(out, mm_json_string(comparison, "baseline", ""));
			put_cell(out, mm_json_string(variable, "baseline", "-"));
			put_cell(out, mm_json_string(comparison, "candidate", ""));
			put_cell(out, mm_json_string(variable, "candidate", "-"));
			mm_buffer_putc(out, '\n');
		}
}

static void put_builds(struct mm_buffer *out, const json_t *report)
{
	const json_t *cell;
	bool head = false;
	size_t i, j;

	json_array_foreach(json_object_get(report, "cells"), i, cell) {
		struct mm_strings labels = MM_STRINGS_INIT, texts = MM_STRINGS_INIT;

		mm_builds_describe(cell, &labels, &texts);
		if (labels.count > 0 && !head)
			mm_buffer_puts(out, "\n## Builds\n\n| Cell | | |\n|---|---|---|\n");
		head = head || labels.count > 0;
		for (j = 0; j < labels.count; j++) {
			mm_buffer_putc(out, '|');
			put_cell(out, j == 0 ? mm_json_string(cell, "id", "") : "");
			put_cell(out, labels.items[j]);
			put_cell(out, texts.items[j]);
			mm_buffer_putc(out, '\n');
		}
		mm_strings_release(&labels);
		mm_strings_release(&texts);
	}
}

/* Cells that nothing is said of were measured all the same. */
static void put_alone(struct mm_buffer *out, const json_t *report)
{
	json_t *alone = mm_figures_alone(report);
	const json_t *series, *test;
	char text[MM_FIGURE];
	size_t i, j;

	json_array_foreach(alone, i, series) {
		mm_buffer_puts(out, "\n## ");
		mm_text_markdown(out, mm_json_string(series, "suite", ""));
		mm_buffer_puts(out, ": ");
		mm_text_markdown(out, mm_json_string(series, "cell", ""));
		mm_buffer_printf(out,
				 "\n\nIn no comparison. Good passes: %lld.\n\n| Test | mean | sd, %% | server CPU |\n"
				 "|---|--:|--:|--:|\n",
				 (long long)mm_json_integer(series, "passes", 0));
		json_array_foreach(json_object_get(series, "tests"), j, test) {
			mm_buffer_putc(out, '|');
			put_cell(out, mm_json_string(test, "test", ""));
			put_figure(out, json_object_get(test, "mean"), mm_json_string(test, "unit", "s"));
			put_cell(out, mm_text_figure(json_object_get(test, "sd_percent"), text));
			put_figure(out, json_object_get(test, "server_cpu"), "s");
			mm_buffer_putc(out, '\n');
		}
	}
	json_decref(alone);
}

int mm_render_markdown(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	const json_t *item;
	json_t *cells = mm_json_by_key(json_object_get(report, "cells"), "id");
	struct mm_buffer gate = MM_BUFFER_INIT, origin = MM_BUFFER_INIT;
	size_t i;

	(void)err;
	mm_buffer_puts(out, "# ");
	mm_text_markdown(out, mm_json_string(report, "title", ""));
	mm_buffer_putc(out, '\n');
	mm_render_origin(report, &origin);
	if (origin.length > 0) {
		mm_buffer_putc(out, '\n');
		mm_text_markdown(out, mm_buffer_text(&origin));
		mm_buffer_putc(out, '\n');
	}
	mm_buffer_release(&origin);
	mm_render_gate(report, &gate);
	if (gate.length > 0) {
		mm_buffer_puts(out, "\n**");
		mm_text_markdown(out, mm_buffer_text(&gate));
		mm_buffer_puts(out, "**\n");
	}
	mm_buffer_release(&gate);
	json_array_foreach(json_object_get(report, "comparisons"), i, item)
		put_comparison(out, cells, item);
	put_alone(out, report);
	put_variables(out, report);
	put_builds(out, report);
	json_array_foreach(json_object_get(report, "warnings"), i, item) {
		struct mm_buffer line = MM_BUFFER_INIT;

		mm_buffer_puts(out, i == 0 ? "\n## Warnings\n\n- " : "- ");
		mm_render_warning(report, item, &line);
		mm_text_markdown(out, mm_buffer_text(&line));
		mm_buffer_putc(out, '\n');
		mm_buffer_release(&line);
	}
	json_decref(cells);
	return 0;
}
