/* The table as people print it: 80 columns, every test, then what it means. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/builds.h"
#include "reports/figures.h"
#include "reports/render.h"
#include "reports/text.h"

enum { WIDTH = 79, NAME = 16, MOST_VARIABLES = 10 };

/* Reasons for missing verdicts, lettered in the order in which they turn up. */
struct notes {
	const char *reasons[16];
	size_t count;
	bool waiting;
};

static char letter_of(struct notes *notes, const char *reason)
{
	size_t i = 0;

	while (i < notes->count && strcmp(notes->reasons[i], reason) != 0)
		i++;
	if (i == sizeof(notes->reasons) / sizeof(*notes->reasons))
		return '?';
	if (i == notes->count)
		notes->reasons[notes->count++] = reason;
	return (char)('a' + i);
}

/* TEXT, and blanks up to WIDTH columns. */
static void put_padded(struct mm_buffer *out, const char *text, size_t width)
{
	size_t columns = mm_text_columns(text);

	mm_text_plain(out, text);
	mm_buffer_printf(out, "%*s", columns < width ? (int)(width - columns) : 0, "");
}

static void put_name(struct mm_buffer *out, const char *name, size_t indent)
{
	mm_buffer_printf(out, "%*s", (int)indent, "");
	put_padded(out, name, NAME - indent);
	if (indent + mm_text_columns(name) > NAME) /* too long for its column: a line of its own */
		mm_buffer_printf(out, "\n%*s", (int)NAME, "");
}

static void put_line(struct mm_buffer *out)
{
	for (size_t i = 0; i < WIDTH; i++)
		mm_buffer_putc(out, '-');
	mm_buffer_putc(out, '\n');
}

static void put_row(struct mm_buffer *out, const char *name, size_t indent, const json_t *row, const json_t *baseline,
		    const json_t *candidate, bool waiting, struct notes *notes)
{
	char b[MM_FIGURE], c[MM_FIGURE], delta[MM_FIGURE], interval[MM_FIGURE];
	const char *reason = mm_json_string(row, "reason", "");

	put_name(out, name, indent);
	mm_buffer_printf(out, " %8s %9s %8s  %-17s %s", mm_text_figure(baseline, b), mm_text_figure(candidate, c),
			 mm_text_percent(json_object_get(row, "delta_percent"), delta),
			 mm_text_interval(json_object_get(row, "interval_percent"), interval),
			 mm_json_string(row, "verdict", "no verdict"));
	if (reason[0] != '\0')
		mm_buffer_printf(out, " (%c)", letter_of(notes, reason));
	if (waiting)
		mm_buffer_puts(out, " w");
	mm_buffer_putc(out, '\n');
	notes->waiting = notes->waiting || waiting;
}

static const json_t *mean_of(const json_t *row, const char *side)
{
	return json_object_get(json_object_get(row, side), "mean");
}

static bool stands_out(const json_t *row)
{
	const char *verdict = mm_json_string(row, "verdict", "");

	return strcmp(verdict, "faster") == 0 || strcmp(verdict, "slower") == 0;
}

static void put_head(struct mm_buffer *out, const char *title)
{
	mm_buffer_printf(out, "\n%-*s %8s %9s %8s  %-17s %s\n", NAME, title, "baseline", "candidate", "+/-",
			 "95% interval, %", "verdict");
	put_line(out);
}

/* The unit that all tests have; NULL when they differ. */
static const char *common_unit(const json_t *tests)
{
	const char *unit = NULL;
	const json_t *test;
	size_t i;

	json_array_foreach(tests, i, test) {
		const char *own = mm_json_string(test, "unit", "s");

		if (unit != NULL && strcmp(unit, own) != 0)
			return NULL;
		unit = own;
	}
	return unit;
}

static void put_operations(struct mm_buffer *out, const json_t *test, struct notes *notes)
{
	const json_t *operation;
	size_t i;

	json_array_foreach(json_object_get(test, "operations"), i, operation)
		if (stands_out(operation))
			put_row(out, mm_json_string(operation, "operation", ""), 2, operation,
				json_object_get(operation, "baseline_mean"),
				json_object_get(operation, "candidate_mean"), false, notes);
}

static void put_wall(struct mm_buffer *out, const json_t *comparison, struct notes *notes)
{
	const json_t *tests = json_object_get(comparison, "tests"), *test;
	const char *unit = common_unit(tests);
	size_t i;

	put_head(out, "Test");
	json_array_foreach(tests, i, test) {
		const char *name = mm_json_string(test, "test", "");
		char *with_unit = unit == NULL ? mm_format("%s, %s", name, mm_json_string(test, "unit", "s")) : NULL;

		put_row(out, with_unit != NULL ? with_unit : name, 0, test, mean_of(test, "baseline"),
			mean_of(test, "candidate"), mm_json_true(test, "waiting"), notes);
		put_operations(out, test, notes);
		free(with_unit);
	}
	put_row(out, "geometric mean", 0, json_object_get(comparison, "geomean"), NULL, NULL, false, notes);
}

static void put_cpu(struct mm_buffer *out, const json_t *comparison, struct notes *notes)
{
	const json_t *geomean = json_object_get(json_object_get(comparison, "geomean"), "server_cpu"), *test;
	size_t i;

	if (!json_is_object(geomean))
		return;
	put_head(out, "Server CPU, s");
	json_array_foreach(json_object_get(comparison, "tests"), i, test) {
		const json_t *cpu = json_object_get(test, "server_cpu");

		if (json_is_object(cpu))
			put_row(out, mm_json_string(test, "test", ""), 0, cpu, mean_of(cpu, "baseline"),
				mean_of(cpu, "candidate"), false, notes);
	}
	put_row(out, "geometric mean", 0, geomean, NULL, NULL, false, notes);
}

static void put_notes(struct mm_buffer *out, const struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++) {
		mm_buffer_printf(out, "(%c) ", (char)('a' + i));
		mm_text_plain(out, notes->reasons[i]);
		mm_buffer_putc(out, '\n');
	}
	if (notes->waiting)
		mm_buffer_puts(out, "w   waiting: server CPU is under half of the wall time (fsync, other load)\n");
}

/* Why there is no verdict where the reason needs more than a word: where answers part, what was skipped. */
static void put_details(struct mm_buffer *out, const json_t *comparison)
{
	const json_t *test;
	bool head = false;
	size_t i;

	json_array_foreach(json_object_get(comparison, "tests"), i, test) {
		char *line;

		if (mm_json_string(test, "detail", NULL) == NULL)
			continue;
		if (!head)
			mm_buffer_puts(out, "\nTests without a verdict:\n");
		head = true;
		line = mm_format("- %s: %s", mm_json_string(test, "test", ""), mm_json_string(test, "detail", ""));
		mm_text_wrap(out, line, WIDTH, 2);
		free(line);
	}
}

static const char *variable_text(const json_t *variable, const char *side)
{
	return mm_json_string(variable, side, "(not there)");
}

static void put_variables(struct mm_buffer *out, const json_t *variables)
{
	size_t count = json_array_size(variables);

	if (count > 0)
		mm_buffer_puts(out, "\nServer variables that differ, paths aside:\n");
	for (size_t i = 0; i < count && i < MOST_VARIABLES; i++) {
		const json_t *variable = json_array_get(variables, i);
		char *line = mm_format("- %s: baseline '%s', candidate '%s'", mm_json_string(variable, "name", ""),
				       variable_text(variable, "baseline"), variable_text(variable, "candidate"));

		mm_text_wrap(out, line, WIDTH, 2);
		free(line);
	}
	if (count > MOST_VARIABLES)
		mm_buffer_printf(out, "- and %zu more: see the other formats\n", count - MOST_VARIABLES);
}

/* Size and build cost, beside speed. */
static void put_cost(struct mm_buffer *out, const json_t *cells, const json_t *comparison)
{
	struct mm_buffer cost = MM_BUFFER_INIT;
	char *line;

	mm_builds_cost(cells, comparison, &cost);
	if (cost.length > 0) {
		line = mm_format("Cost: %s.", mm_buffer_text(&cost));
		mm_buffer_putc(out, '\n');
		mm_text_wrap(out, line, WIDTH, 0);
		free(line);
	}
	mm_buffer_release(&cost);
}

/* A paragraph "HEAD: what WORDS has to say."; nothing when it has nothing. */
static void put_paragraph(struct mm_buffer *out, const char *head, const json_t *comparison,
			  void (*words)(const json_t *comparison, struct mm_buffer *out))
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *line;

	words(comparison, &text);
	if (text.length > 0) {
		line = mm_format("%s: %s.", head, mm_buffer_text(&text));
		mm_buffer_putc(out, '\n');
		mm_text_wrap(out, line, WIDTH, 0);
		free(line);
	}
	mm_buffer_release(&text);
}

static void put_comparison(struct mm_buffer *out, const json_t *cells, const json_t *comparison)
{
	const char *unit = common_unit(json_object_get(comparison, "tests"));
	struct notes notes = { .count = 0 };
	struct mm_buffer words = MM_BUFFER_INIT;

	mm_buffer_puts(out, "\nbaseline:  ");
	mm_text_plain(out, mm_json_string(comparison, "baseline", ""));
	mm_buffer_puts(out, "\ncandidate: ");
	mm_text_plain(out, mm_json_string(comparison, "candidate", ""));
	mm_buffer_printf(&words, "suite:     %s; ", mm_json_string(comparison, "suite", ""));
	mm_render_pairs(comparison, &words);
	if (json_array_size(json_object_get(comparison, "changed")) > 0) {
		mm_buffer_puts(&words, "; changed: ");
		mm_render_changed(comparison, &words);
	}
	mm_buffer_printf(&words, "; %s%s; + means that the candidate is faster",
			 unit != NULL ? "figures are means in " : "units differ", unit != NULL ? unit : "");
	mm_buffer_putc(out, '\n');
	mm_text_wrap(out, mm_buffer_text(&words), WIDTH, 11);
	mm_buffer_release(&words);
	put_wall(out, comparison, &notes);
	put_cpu(out, comparison, &notes);
	put_notes(out, &notes);
	put_details(out, comparison);
	mm_buffer_putc(out, '\n');
	mm_text_wrap(out, mm_json_string(comparison, "recommendation", ""), WIDTH, 0);
	put_cost(out, cells, comparison);
	put_paragraph(out, "Control", comparison, mm_render_control);
	put_paragraph(out, "Client CPU as a share of wall time, baseline and candidate", comparison,
		      mm_render_client_shares);
	put_variables(out, json_object_get(comparison, "variables"));
}

static void put_build(struct mm_buffer *out, const json_t *cell, bool *head)
{
	struct mm_strings labels = MM_STRINGS_INIT, texts = MM_STRINGS_INIT;

	mm_builds_describe(cell, &labels, &texts);
	if (labels.count > 0) {
		mm_buffer_puts(out, *head ? "" : "\nBuilds:\n");
		*head = true;
		mm_text_plain(out, mm_json_string(cell, "id", ""));
		mm_buffer_putc(out, '\n');
	}
	for (size_t i = 0; i < labels.count; i++) {
		char *line = mm_format("%s: %s", labels.items[i], texts.items[i]);

		mm_buffer_puts(out, "  ");
		mm_text_wrap(out, line, WIDTH - 2, 4);
		free(line);
	}
	mm_strings_release(&labels);
	mm_strings_release(&texts);
}

static void put_figures(struct mm_buffer *out, const json_t *series)
{
	long long passes = (long long)mm_json_integer(series, "passes", 0);
	char *head = mm_format("'%s' in suite '%s', in no comparison; %lld good %s", mm_json_string(series, "cell", ""),
			       mm_json_string(series, "suite", ""), passes, passes == 1 ? "pass" : "passes");
	const json_t *test;
	size_t i;

	mm_buffer_putc(out, '\n');
	mm_text_wrap(out, head, WIDTH, 2);
	free(head);
	mm_buffer_printf(out, "\n%-*s %8s %-10s %8s  %s\n", NAME, "Test", "mean", "", "sd, %", "server CPU, s");
	put_line(out);
	json_array_foreach(json_object_get(series, "tests"), i, test) {
		char mean[MM_FIGURE], sd[MM_FIGURE], cpu[MM_FIGURE];
		const char *deviation = mm_text_figure(json_object_get(test, "sd_percent"), sd);

		put_name(out, mm_json_string(test, "test", ""), 0);
		mm_buffer_printf(out, " %8s ", mm_text_figure(json_object_get(test, "mean"), mean));
		put_padded(out, mm_json_string(test, "unit", ""), 10);
		mm_buffer_printf(out, " %8s  %13s\n", deviation,
				 mm_text_figure(json_object_get(test, "server_cpu"), cpu));
	}
}

/* Cells that nothing is said of were measured all the same. */
static void put_alone(struct mm_buffer *out, const json_t *report)
{
	json_t *alone = mm_figures_alone(report);
	const json_t *series;
	size_t i;

	json_array_foreach(alone, i, series)
		put_figures(out, series);
	json_decref(alone);
}

static void put_builds(struct mm_buffer *out, const json_t *report)
{
	const json_t *cell;
	bool head = false;
	size_t i;

	json_array_foreach(json_object_get(report, "cells"), i, cell)
		put_build(out, cell, &head);
}

static void put_warnings(struct mm_buffer *out, const json_t *report)
{
	const json_t *warnings = json_object_get(report, "warnings"), *warning;
	size_t i;

	if (json_array_size(warnings) == 0)
		return;
	mm_buffer_puts(out, "\nWarnings:\n");
	json_array_foreach(warnings, i, warning) {
		struct mm_buffer line = MM_BUFFER_INIT;

		mm_buffer_puts(&line, "- ");
		mm_render_warning(report, warning, &line);
		mm_text_wrap(out, mm_buffer_text(&line), WIDTH, 2);
		mm_buffer_release(&line);
	}
}

int mm_render_table(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	const json_t *comparisons = json_object_get(report, "comparisons"), *comparison;
	json_t *cells = mm_json_by_key(json_object_get(report, "cells"), "id");
	struct mm_buffer gate = MM_BUFFER_INIT, origin = MM_BUFFER_INIT;
	size_t i;

	(void)err;
	mm_text_plain(out, mm_json_string(report, "title", ""));
	mm_buffer_putc(out, '\n');
	mm_render_origin(report, &origin);
	if (origin.length > 0)
		mm_text_wrap(out, mm_buffer_text(&origin), WIDTH, 0);
	mm_buffer_release(&origin);
	json_array_foreach(comparisons, i, comparison)
		put_comparison(out, cells, comparison);
	if (json_array_size(comparisons) == 0)
		mm_buffer_puts(out, "\nThere is no comparison to show.\n");
	put_alone(out, report);
	put_builds(out, report);
	put_warnings(out, report);
	mm_render_gate(report, &gate);
	if (gate.length > 0) {
		mm_buffer_putc(out, '\n');
		mm_text_wrap(out, mm_buffer_text(&gate), WIDTH, 0);
	}
	mm_buffer_release(&gate);
	json_decref(cells);
	return 0;
}
