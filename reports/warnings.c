#include "reports/warnings.h"

#include <stdarg.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"

void mm_warning_add(json_t *list, const char *kind, const struct mm_warning_place *place, const char *format, ...)
{
	json_t *warning = json_object();
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is just above */
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	text = mm_alloc((size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	mm_json_put_string(warning, "kind", kind);
	mm_json_put_string(warning, "cell", place->cell);
	mm_json_put_string(warning, "comparison", place->comparison);
	mm_json_put_string(warning, "suite", place->suite);
	mm_json_put_string(warning, "text", text);
	json_array_append_new(list, warning);
	free(text);
}

/* An error's text names its cell: not twice. */
static const char *without_cell(const char *text, const char *id)
{
	size_t length = strlen(id);

	if (strncmp(text, "cell '", 6) == 0 && strncmp(text + 6, id, length) == 0 &&
	    strncmp(text + 6 + length, "': ", 3) == 0)
		return text + 6 + length + 3;
	return text;
}

static void warn_of_build(json_t *list, const char *id, const json_t *cell)
{
	const json_t *build = json_object_get(cell, "build"), *audit = json_object_get(build, "audit"), *warning;
	struct mm_warning_place place = { .cell = id };
	size_t i;

	if (strcmp(mm_json_string(cell, "state", ""), "failed") == 0)
		mm_warning_add(list, "failed cell", &place, "cell '%s' failed: %s", id,
			       without_cell(mm_json_string(cell, "failure",
							   mm_json_string(build, "failure", "no reason was recorded")),
					    id));
	json_array_foreach(json_object_get(audit, "warnings"), i, warning)
		if (json_is_string(warning))
			mm_warning_add(list, "flag audit", &place, "cell '%s': %s", id, json_string_value(warning));
}

/* Passes whose noise record says that the machine did something else meanwhile. */
static void warn_of_noise(json_t *list, const struct mm_samples *series)
{
	const json_t *passes = json_object_get(series->json, "passes"), *pass;
	struct mm_warning_place place = { .cell = series->cell, .suite = series->suite };
	struct mm_buffer which = MM_BUFFER_INIT;
	const char *reason = NULL;
	size_t i, noisy = 0;

	json_array_foreach(passes, i, pass) {
		const json_t *noise = json_object_get(pass, "noise");

		if (!mm_json_true(noise, "noisy"))
			continue;
		mm_buffer_printf(&which, "%s%d.%d", noisy++ > 0 ? ", " : "", series->passes[i].index,
				 series->passes[i].visit);
		if (noisy == 1)
			reason = json_string_value(json_array_get(json_object_get(noise, "reasons"), 0));
	}
	if (noisy > 0)
		mm_warning_add(list, "noise", &place, "%zu of %zu pass%s of '%s' in '%s' %s disturbed (%s: %s)", noisy,
			       series->pass_count, series->pass_count == 1 ? "" : "es", series->cell, series->suite, noisy == 1 ? "was" : "were", mm_buffer_text(&which),
			       reason != NULL ? reason : "no reason was recorded");
	mm_buffer_release(&which);
}

/* Both sides can be wrong alike: what upstream knows of an answer is asked as well. The first one of each test. */
static void warn_of_unexpected(json_t *list, const struct mm_samples *series)
{
	struct mm_warning_place place = { .cell = series->cell, .suite = series->suite };

	for (size_t i = 0; i < series->test_count; i++) {
		const json_t *extras = json_object_get(series->tests[i].json, "extra"), *extra;
		size_t pass;

		json_array_foreach(extras, pass, extra) {
			const char *wrong = json_string_value(json_array_get(json_object_get(extra, "wrong"), 0));

			if (wrong == NULL)
				continue;
			mm_warning_add(
				list, "unexpected answers", &place,
				"test '%s' of '%s' in '%s', pass %d: not the answer that is known to be right: %s",
				series->tests[i].name, series->cell, series->suite, series->passes[pass].index, wrong);
			break;
		}
	}
}

static void warn_of_passes(json_t *list, const struct mm_run_series *entry)
{
	const struct mm_samples *series = &entry->series;
	struct mm_warning_place place = { .cell = series->cell, .suite = series->suite };
	const json_t *pass;
	size_t i;

	json_array_foreach(json_object_get(series->json, "passes"), i, pass)
		if (json_object_get(pass, "failure") != NULL) {
			mm_warning_add(list, "failed pass", &place,
				       "%zu of %zu pass%s of '%s' in '%s' failed: first pass %d: %s", entry->failed,
				       entry->planned, entry->planned == 1 ? "" : "es", series->cell, series->suite, series->passes[i].index,
				       mm_json_string(pass, "failure", ""));
			break;
		}
	if (entry->good + entry->failed < entry->planned && entry->good + entry->failed > 0)
		mm_warning_add(
			list, "missing passes", &place, "%zu of %zu planned passes of '%s' in '%s' are not there yet",
			entry->planned - entry->good - entry->failed, entry->planned, series->cell, series->suite);
	warn_of_noise(list, series);
	warn_of_unexpected(list, series);
}

void mm_warnings_of_cells(json_t *list, const struct mm_run_folder *run)
{
	const json_t *cell;
	size_t i;

	if (json_object_size(run->cells) == 0)
		mm_warning_add(list, "builds not known", &(struct mm_warning_place){ 0 },
			       "the run folder holds no cells.json: nothing is known of the builds, nor whether programs are "
			       "identical, and verdicts and gate do without");

	json_array_foreach(json_object_get(run->plan, "cells"), i, cell) {
		const char *id = mm_json_string(cell, "id", "");

		warn_of_build(list, id, json_object_get(run->cells, id));
	}
	for (size_t s = 0; s < run->series_count; s++)
		warn_of_passes(list, &run->series[s]);
}

static void warn_when_differing(json_t *list, const struct mm_warning_place *place, const struct mm_analysis *analysis,
				const char *key, const char *words)
{
	const char *b = mm_json_string(analysis->baseline->json, key, NULL);
	const char *c = mm_json_string(analysis->candidate->json, key, NULL);

	if (b != NULL && c != NULL && strcmp(b, c) != 0)
		mm_warning_add(list, key, place, "%s: '%s' in '%s', '%s' in '%s'", words, b, analysis->baseline->cell,
			       c, analysis->candidate->cell);
}

static bool holds(const json_t *changed, const char *name)
{
	const json_t *axis;
	size_t i;

	json_array_foreach(changed, i, axis)
		if (json_is_string(axis) && strcmp(json_string_value(axis), name) == 0)
			return true;
	return false;
}

static bool has_toolchain(const json_t *cell)
{
	return json_is_string(json_object_get(cell, "toolchain"));
}

/* Packages have the bits that they have: with another source, other bits are no second change. */
static void warn_of_changes(json_t *list, const struct mm_warning_place *place, const json_t *changed,
			    const json_t *const cells[2])
{
	struct mm_buffer axes = MM_BUFFER_INIT;
	const json_t *axis;
	size_t i, count = json_array_size(changed);

	if (!has_toolchain(cells[0]) && !has_toolchain(cells[1]) && holds(changed, "source") && holds(changed, "bits"))
		count--;
	if (count < 2)
		return;
	json_array_foreach(changed, i, axis)
		mm_buffer_printf(&axes, "%s%s", i > 0 ? ", " : "",
				 json_string_value(axis) != NULL ? json_string_value(axis) : "");
	mm_warning_add(list, "changed axes", place,
		       "more than one axis changed (%s): the figures cannot say which of them made the difference",
		       mm_buffer_text(&axes));
	mm_buffer_release(&axes);
}

/* Two sources of different versions are compared for their versions; but not when it is said that something else changed. */
static void warn_of_versions(json_t *list, const struct mm_warning_place *place, const json_t *changed,
			     const json_t *const cells[2])
{
	const char *version[2], *variant[2];
	bool other;

	for (int side = 0; side < 2; side++) {
		const json_t *build = json_object_get(cells[side], "build");

		version[side] = mm_json_string(build, "version", NULL);
		variant[side] = mm_json_string(build, "variant", NULL);
		if (version[side] == NULL || variant[side] == NULL)
			return;
	}
	other = strcmp(variant[0], variant[1]) != 0;
	if ((!other && strcmp(version[0], version[1]) == 0) || (json_array_size(changed) == 1 && holds(changed, "source")))
		return;
	mm_warning_add(list, "versions", place, "'%s' is %s%s%s, '%s' is %s%s%s: the difference may be the version's",
		       mm_json_string(cells[0], "id", ""), other ? variant[0] : "", other ? " " : "", version[0],
		       mm_json_string(cells[1], "id", ""), other ? variant[1] : "", other ? " " : "", version[1]);
}

void mm_warnings_of_comparison(json_t *list, const char *id, const json_t *changed, const struct mm_analysis *analysis,
			       const json_t *variables, const json_t *const cells[2])
{
	struct mm_warning_place place = { .comparison = id, .suite = analysis->baseline->suite };

	warn_of_changes(list, &place, changed, cells);
	warn_of_versions(list, &place, changed, cells);
	if (analysis->geomean[MM_WALL].reason == MM_REASON_IDENTICAL)
		mm_warning_add(list, "identical binaries", &place,
			       "the server programs of both cells are identical: what differs between them is noise");
	warn_when_differing(list, &place, analysis, "engine", "the tables had different engines");
	warn_when_differing(list, &place, analysis, "client_version", "the client libraries differ");
	if (analysis->mode == MM_PAIRED && analysis->pairs < analysis->planned_pairs)
		mm_warning_add(list, "missing pairs", &place, "%zu of %zu pair%s of passes %s complete", analysis->pairs,
			       analysis->planned_pairs, mm_plural(analysis->planned_pairs),
			       analysis->pairs == 1 ? "is" : "are");
	for (size_t i = 0; i < analysis->test_count; i++) {
		const struct mm_test_row *test = &analysis->tests[i];

		if (test->metrics[MM_WALL].reason == MM_REASON_WRONG_ANSWERS)
			mm_warning_add(list, "wrong answers", &place, "the answers of test '%s' differ: %s",
				       test->baseline->name, test->detail);
	}
	if (json_array_size(variables) > 0)
		mm_warning_add(list, "variables", &place,
			       "%zu server variable%s differ%s between the cells, paths aside",
			       json_array_size(variables), json_array_size(variables) == 1 ? "" : "s",
			       json_array_size(variables) == 1 ? "s" : "");
}
