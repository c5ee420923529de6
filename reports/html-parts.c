/* The tables of the HTML report. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/builds.h"
#include "reports/html.h"
#include "reports/render.h"
#include "reports/text.h"
#include "toolchains/audit.h"

static void put_cell(struct mm_buffer *out, const char *class, const char *column, const char *text)
{
	mm_buffer_printf(out, "<td class=\"%s\" data-c=\"%s\">", class, column);
	mm_text_xml(out, text);
	mm_buffer_puts(out, "</td>");
}

static void put_heading(struct mm_buffer *out, const char *text)
{
	mm_buffer_puts(out, "<th scope=\"row\">");
	mm_text_xml(out, text);
	mm_buffer_puts(out, "</th>");
}

static const char *sign_of(const char *verdict)
{
	if (strcmp(verdict, "faster") == 0)
		return "\xe2\x96\xb2 "; /* up */
	if (strcmp(verdict, "slower") == 0)
		return "\xe2\x96\xbc "; /* down */
	if (strcmp(verdict, "equivalent") == 0)
		return "= ";
	return strcmp(verdict, "inconclusive") == 0 ? "? " : "\xe2\x80\x93 ";
}

void mm_html_verdict(struct mm_buffer *out, const json_t *row)
{
	const char *verdict = mm_json_string(row, "verdict", "no verdict"), *reason = mm_json_string(row, "reason", "");
	bool strong = strcmp(verdict, "faster") == 0 || strcmp(verdict, "slower") == 0;

	mm_buffer_printf(out, "<span class=\"%s\">%s", strong ? verdict : "open", sign_of(verdict));
	mm_text_xml(out, verdict);
	mm_buffer_puts(out, "</span>");
	if (reason[0] != '\0') {
		mm_buffer_puts(out, " <span class=\"dim\">");
		mm_text_xml(out, reason);
		mm_buffer_puts(out, "</span>");
	}
}

static void put_verdict_cell(struct mm_buffer *out, const char *column, const json_t *row, bool waiting)
{
	mm_buffer_printf(out, "<td class=\"v\" data-c=\"%s\">", column);
	mm_html_verdict(out, row);
	if (waiting)
		mm_buffer_puts(out, " <span class=\"dim\">waiting</span>");
	mm_buffer_puts(out, "</td>");
}

static const json_t *mean_of(const json_t *row, const char *side)
{
	return json_object_get(json_object_get(row, side), "mean");
}

static void put_mean(struct mm_buffer *out, const char *column, const json_t *mean, const char *unit)
{
	char text[MM_FIGURE];

	mm_buffer_printf(out, "<td class=\"n\" data-c=\"%s\">%s", column, mm_text_figure(mean, text));
	if (json_is_number(mean)) {
		mm_buffer_putc(out, ' ');
		mm_text_xml(out, unit);
	}
	mm_buffer_puts(out, "</td>");
}

static void put_delta(struct mm_buffer *out, const json_t *row, bool cpu)
{
	char text[MM_FIGURE];

	put_cell(out, "n", cpu ? "CPU +/-" : "+/-", mm_text_percent(json_object_get(row, "delta_percent"), text));
	put_cell(out, "n", cpu ? "CPU interval, %" : "interval, %",
		 mm_text_interval(json_object_get(row, "interval_percent"), text));
}

static void put_test(struct mm_buffer *out, const char *name, const json_t *row, const char *unit, bool cpu_column)
{
	const json_t *cpu = json_object_get(row, "server_cpu");

	mm_buffer_puts(out, "<tr>");
	put_heading(out, name);
	put_mean(out, "baseline", mean_of(row, "baseline"), unit);
	put_mean(out, "candidate", mean_of(row, "candidate"), unit);
	put_delta(out, row, false);
	put_verdict_cell(out, "verdict", row, mm_json_true(row, "waiting"));
	if (cpu_column) {
		put_delta(out, cpu, true);
		put_verdict_cell(out, "CPU verdict", cpu, false);
	}
	mm_buffer_puts(out, "</tr>\n");
}

void mm_html_tests(struct mm_buffer *out, const json_t *comparison)
{
	const json_t *tests = json_object_get(comparison, "tests"), *geomean = json_object_get(comparison, "geomean"),
		     *test;
	bool cpu = json_is_object(json_object_get(geomean, "server_cpu"));
	size_t i;

	mm_buffer_puts(
		out,
		"<div class=\"scroll\"><table class=\"cards\"><thead><tr><th>Test</th><th class=\"n\">baseline</th>"
		"<th class=\"n\">candidate</th><th class=\"n\">+/-</th><th class=\"n\">95% interval, %</th>"
		"<th>verdict</th>");
	if (cpu)
		mm_buffer_puts(
			out, "<th class=\"n\">server CPU +/-</th><th class=\"n\">95% interval, %</th><th>verdict</th>");
	mm_buffer_puts(out, "</tr></thead><tbody>\n");
	json_array_foreach(tests, i, test)
		put_test(out, mm_json_string(test, "test", ""), test, mm_json_string(test, "unit", "s"), cpu);
	mm_buffer_puts(out, "</tbody><tfoot>\n");
	put_test(out, "geometric mean", geomean, "", cpu);
	mm_buffer_puts(out, "</tfoot></table></div>\n");
	json_array_foreach(tests, i, test) {
		const char *detail = mm_json_string(test, "detail", NULL);

		if (detail == NULL)
			continue;
		mm_buffer_puts(out, "<p class=\"dim\">");
		mm_text_xml(out, mm_json_string(test, "test", ""));
		mm_buffer_puts(out, ": ");
		mm_text_xml(out, detail);
		mm_buffer_puts(out, "</p>\n");
	}
}

void mm_html_figures(struct mm_buffer *out, const json_t *series)
{
	const json_t *test;
	char text[MM_FIGURE];
	size_t i;

	mm_buffer_puts(out, "<h2>");
	mm_text_xml(out, mm_json_string(series, "suite", ""));
	mm_buffer_puts(out, ": ");
	mm_text_xml(out, mm_json_string(series, "cell", ""));
	mm_buffer_printf(
		out,
		"</h2>\n<p class=\"dim\">In no comparison. Good passes: %lld.</p>\n"
		"<div class=\"scroll\"><table class=\"cards\"><thead><tr><th>Test</th><th class=\"n\">mean</th>"
		"<th class=\"n\">sd, %%</th><th class=\"n\">server CPU</th></tr></thead><tbody>\n",
		(long long)mm_json_integer(series, "passes", 0));
	json_array_foreach(json_object_get(series, "tests"), i, test) {
		mm_buffer_puts(out, "<tr>");
		put_heading(out, mm_json_string(test, "test", ""));
		put_mean(out, "mean", json_object_get(test, "mean"), mm_json_string(test, "unit", "s"));
		put_cell(out, "n", "sd, %", mm_text_figure(json_object_get(test, "sd_percent"), text));
		put_mean(out, "server CPU", json_object_get(test, "server_cpu"), "s");
		mm_buffer_puts(out, "</tr>\n");
	}
	mm_buffer_puts(out, "</tbody></table></div>\n");
}

static size_t operation_count(const json_t *comparison)
{
	const json_t *test;
	size_t i, count = 0;

	json_array_foreach(json_object_get(comparison, "tests"), i, test)
		count += json_array_size(json_object_get(test, "operations"));
	return count;
}

static void put_operation(struct mm_buffer *out, const char *test, const json_t *operation)
{
	mm_buffer_puts(out, "<tr>");
	put_heading(out, mm_json_string(operation, "operation", ""));
	put_cell(out, "", "test", test);
	put_mean(out, "baseline", json_object_get(operation, "baseline_mean"), "s");
	put_mean(out, "candidate", json_object_get(operation, "candidate_mean"), "s");
	put_delta(out, operation, false);
	put_verdict_cell(out, "verdict", operation, false);
	mm_buffer_puts(out, "</tr>\n");
}

void mm_html_operations(struct mm_buffer *out, const json_t *comparison)
{
	const json_t *test, *operation;
	size_t i, j, count = operation_count(comparison);

	if (count == 0)
		return;
	mm_buffer_printf(
		out,
		"<details><summary>%zu operation%s of the tests</summary><div class=\"scroll\"><table "
		"class=\"cards\"><thead>"
		"<tr><th>Operation</th><th>test</th><th class=\"n\">baseline</th><th class=\"n\">candidate</th>"
		"<th class=\"n\">+/-</th><th class=\"n\">95%% interval, %%</th><th>verdict</th></tr></thead><tbody>\n",
		count, mm_plural(count));
	json_array_foreach(json_object_get(comparison, "tests"), i, test)
		json_array_foreach(json_object_get(test, "operations"), j, operation)
			put_operation(out, mm_json_string(test, "test", ""), operation);
	mm_buffer_puts(out, "</tbody></table></div></details>\n");
}

void mm_html_variables(struct mm_buffer *out, const json_t *comparison)
{
	const json_t *variables = json_object_get(comparison, "variables"), *variable;
	size_t i;

	if (json_array_size(variables) == 0)
		return;
	mm_buffer_printf(
		out,
		"<details><summary>%zu server variables differ (paths aside)</summary><div class=\"scroll\">"
		"<table "
		"class=\"cards\"><thead><tr><th>Variable</th><th>baseline</th><th>candidate</th></tr></thead><tbody>\n",
		json_array_size(variables));
	json_array_foreach(variables, i, variable) {
		mm_buffer_puts(out, "<tr>");
		put_heading(out, mm_json_string(variable, "name", ""));
		put_cell(out, "", "baseline", mm_json_string(variable, "baseline", "(not there)"));
		put_cell(out, "", "candidate", mm_json_string(variable, "candidate", "(not there)"));
		mm_buffer_puts(out, "</tr>\n");
	}
	mm_buffer_puts(out, "</tbody></table></div></details>\n");
}

void mm_html_warnings(struct mm_buffer *out, const json_t *report)
{
	const json_t *warnings = json_object_get(report, "warnings"), *warning;
	size_t i;

	if (json_array_size(warnings) == 0)
		return;
	mm_buffer_puts(out, "<h2>Warnings</h2>\n<ul>\n");
	json_array_foreach(warnings, i, warning) {
		struct mm_buffer line = MM_BUFFER_INIT;

		mm_render_warning(report, warning, &line);
		mm_buffer_puts(out, "<li>");
		mm_text_xml(out, mm_buffer_text(&line));
		mm_buffer_puts(out, "</li>\n");
		mm_buffer_release(&line);
	}
	mm_buffer_puts(out, "</ul>\n");
}

/* A JSON value as words: strings bare, the rest as JSON. */
static void put_value(struct mm_buffer *out, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		mm_text_xml(out, json_string_value(value));
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
	mm_text_xml(out, text != NULL ? text : "");
	free(text);
}

/* A member of an object as a row; nothing where there is none. */
static void put_fact(struct mm_buffer *out, const char *name, const json_t *value)
{
	if (value == NULL || json_is_null(value))
		return;
	mm_buffer_puts(out, "<tr>");
	put_heading(out, name);
	mm_buffer_puts(out, "<td>");
	put_value(out, value);
	mm_buffer_puts(out, "</td></tr>\n");
}

static void put_part(struct mm_buffer *out, const char *lead, const char *text)
{
	if (text == NULL)
		return;
	mm_buffer_puts(out, lead);
	mm_text_xml(out, text);
}

static void put_suites(struct mm_buffer *out, const json_t *suites)
{
	const char *suite;
	json_t *facts;

	json_object_foreach(mm_json_each(suites), suite, facts) {
		const json_t *argv = json_object_get(facts, "server_argv"), *word;
		size_t i;

		mm_buffer_puts(out, "<tr>");
		put_heading(out, suite);
		mm_buffer_printf(out, "<td>%lld of %lld passes good, %lld failed; engine ",
				 (long long)mm_json_integer(facts, "good_passes", 0),
				 (long long)mm_json_integer(facts, "planned_passes", 0),
				 (long long)mm_json_integer(facts, "failed_passes", 0));
		mm_text_xml(out, mm_json_string(facts, "engine", "unknown"));
		mm_buffer_puts(out, "; server ");
		mm_text_xml(out, mm_json_string(facts, "server_version", "unknown"));
		put_part(out, ", build id ", mm_json_string(facts, "build_id", NULL));
		put_part(out, "; hardware counters ", mm_json_string(facts, "hardware_counters", NULL));
		if (json_array_size(argv) > 0)
			mm_buffer_puts(out, "<br><code>");
		json_array_foreach(argv, i, word) {
			mm_buffer_puts(out, i > 0 ? " " : "");
			mm_text_xml(out, json_string_value(word) != NULL ? json_string_value(word) : "");
		}
		mm_buffer_puts(out, json_array_size(argv) > 0 ? "</code></td></tr>\n" : "</td></tr>\n");
	}
}

/* What the flag audit found, in its own words. */
static void put_audit(struct mm_buffer *out, const json_t *audit)
{
	char *text;

	if (!json_is_object(audit))
		return;
	text = mm_audit_text(audit);
	mm_buffer_puts(out, "<tr>");
	put_heading(out, "all of the audit");
	mm_buffer_puts(out, "<td><pre>");
	for (const char *line = text; *line != '\0';) { /* line by line: the escape makes one line of what it gets */
		size_t length = strcspn(line, "\n");
		char *one = mm_strndup(line, length);

		mm_text_xml(out, one);
		mm_buffer_putc(out, '\n');
		free(one);
		line += length + (line[length] == '\n');
	}
	mm_buffer_puts(out, "</pre></td></tr>\n");
	free(text);
}

static void put_build(struct mm_buffer *out, const json_t *cell)
{
	struct mm_strings labels = MM_STRINGS_INIT, texts = MM_STRINGS_INIT;

	mm_builds_describe(cell, &labels, &texts);
	for (size_t i = 0; i < labels.count; i++) {
		mm_buffer_puts(out, "<tr>");
		put_heading(out, labels.items[i]);
		mm_buffer_puts(out, "<td>");
		mm_text_xml(out, texts.items[i]);
		mm_buffer_puts(out, "</td></tr>\n");
	}
	mm_strings_release(&labels);
	mm_strings_release(&texts);
}

static void put_cell_facts(struct mm_buffer *out, const json_t *cell)
{
	static const char *const axes[] = { "source", "toolchain", "bits", "flags", "config" };
	static const char *const facts[][2] = {
		{ "variant", "variant" },
		{ "version", "version" },
		{ "elf_bits", "ELF bits" },
		{ "needed", "needed libraries" },
		{ "code_sha256", "SHA-256 of the code" },
		{ "prefix", "prefix" },
		{ "key", "key" },
		{ "hint", "hint" },
		{ "log", "log" },
	};
	const json_t *build = json_object_get(cell, "build");

	mm_buffer_puts(out, "<div class=\"scroll\"><table><tbody>\n");
	for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++)
		put_fact(out, axes[i], json_object_get(cell, axes[i]));
	put_fact(out, "failure", json_object_get(cell, "failure"));
	put_build(out, cell);
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		put_fact(out, facts[i][1], json_object_get(build, facts[i][0]));
	put_audit(out, json_object_get(build, "audit"));
	put_suites(out, json_object_get(cell, "suites"));
	mm_buffer_puts(out, "</tbody></table></div>\n");
}

void mm_html_cells(struct mm_buffer *out, const json_t *report)
{
	const json_t *cells = json_object_get(report, "cells"), *cell;
	size_t i;

	if (json_array_size(cells) == 0)
		return;
	mm_buffer_puts(out, "<h2>Cells</h2>\n");
	json_array_foreach(cells, i, cell) {
		mm_buffer_puts(out, "<details><summary>");
		mm_text_xml(out, mm_json_string(cell, "id", ""));
		if (strcmp(mm_json_string(cell, "state", "done"), "done") != 0) {
			mm_buffer_puts(out, " <span class=\"slower\">");
			mm_text_xml(out, mm_json_string(cell, "state", ""));
			mm_buffer_puts(out, "</span>");
		}
		mm_buffer_puts(out, "</summary>\n");
		put_cell_facts(out, cell);
		mm_buffer_puts(out, "</details>\n");
	}
}

void mm_html_host(struct mm_buffer *out, const json_t *report)
{
	const json_t *host = json_object_get(report, "host");
	const char *key;
	json_t *value;

	if (!json_is_object(host))
		return;
	mm_buffer_puts(out, "<h2>Host</h2>\n<div class=\"scroll\"><table><tbody>\n");
	json_object_foreach(mm_json_each(host), key, value)
		put_fact(out, key, value);
	put_fact(out, "client library", json_object_get(report, "client_library"));
	mm_buffer_puts(out, "</tbody></table></div>\n");
}
