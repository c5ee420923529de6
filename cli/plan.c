/* plan: what would be done, without starting anything. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/hint.h"
#include "cli/live.h"
#include "cli/text.h"
#include "executors/doctor.h"
#include "executors/estimate.h"
#include "executors/run.h"
#include "reports/power.h"
#include "reports/text.h"

#include <math.h>

/* Beyond so many cells a plan is about the matrix alone: looking each of them up would take longer than a person waits.
 */
enum { LOOK_AT_MOST = 2000 };

/* What is there of a cell; NULL when nobody looked. */
static const char *build_state(const struct mm_look *look, size_t cell)
{
	static const char *const names[] = { "to be built", "built", "failed before" };
	if (!look->matrix)
		return NULL;
	if (look->cells[cell].code)
		return "cannot be built";
	if (!look->matrix->cells[cell].toolchain && look->cells[cell].build.state == MM_BUILD_ABSENT)
		return "to be looked at";
	return names[look->cells[cell].build.state];
}

/* Why cells cannot be built, each reason once, however many cells it stands for. */
struct reasons {
	struct mm_strings texts;
	size_t *counts; /* of cells, for each text */
};

/* The number of a cell's reason, from 1; 0: it has none. */
static size_t reason_of(const struct mm_look *look, size_t cell, const struct reasons *reasons)
{
	for (size_t i = 0; look->cells[cell].code && i < reasons->texts.count; i++)
		if (strcmp(reasons->texts.items[i], look->cells[cell].failure) == 0)
			return i + 1;
	return 0;
}

static void gather_reasons(const struct mm_look *look, struct reasons *reasons)
{
	size_t cells = look->matrix ? look->matrix->cell_count : 0;
	reasons->counts = mm_calloc(cells + 1, sizeof *reasons->counts);
	for (size_t i = 0; i < cells; i++) {
		if (!look->cells[i].code)
			continue;
		if (!reason_of(look, i, reasons))
			mm_strings_push(&reasons->texts, look->cells[i].failure);
		reasons->counts[reason_of(look, i, reasons) - 1]++;
	}
}

static void put_reasons(const struct reasons *reasons, size_t cells, struct mm_buffer *out)
{
	size_t lost = 0;
	for (size_t i = 0; i < reasons->texts.count; i++) {
		size_t count = reasons->counts[i];
		char *text = mm_format("(%zu) %zu cell%s: %s", i + 1, count, mm_plural(count), reasons->texts.items[i]);
		mm_buffer_puts(out, "  ");
		mm_put_wrapped(text, 2, 6, out);
		free(text);
		lost += count;
	}
	if (lost) {
		char *text = mm_format("%zu of %zu cell%s cannot be built as things are; a plan is no failure, so that the exit "
				       "status is 0: 'mymatrix doctor' says what is missing, and ends with 3",
				       lost, cells, mm_plural(cells));
		struct mm_buffer words = MM_BUFFER_INIT;
		mm_put_hints(text, &words);
		mm_buffer_puts(out, "  ");
		mm_put_wrapped(mm_buffer_text(&words), 2, 2, out);
		mm_buffer_release(&words);
		free(text);
	}
}

static void put_flags(const struct mm_flag_words *words, struct mm_buffer *out)
{
	mm_buffer_printf(out, "  (C: %s; C++: %s", *words->c ? words->c : "no flags",
			 *words->cxx ? words->cxx : "no flags");
	if (*words->cpp)
		mm_buffer_printf(out, "; preprocessor: %s", words->cpp);
	if (*words->ld && strcmp(words->ld, words->c) != 0) /* what is said of no language goes to links as well */
		mm_buffer_printf(out, "; links: %s", words->ld);
	mm_buffer_putc(out, ')');
}

static void put_cells(const struct mm_matrix *matrix, const struct mm_look *look, struct mm_buffer *out)
{
	struct reasons reasons = { 0 };
	gather_reasons(look, &reasons);
	mm_buffer_printf(out, "%zu %s\n", matrix->cell_count, matrix->cell_count == 1 ? "cell" : "cells");
	for (size_t i = 0; i < matrix->cell_count; i++) {
		const struct mm_cell *cell = &matrix->cells[i];
		mm_buffer_printf(out, "  %s", cell->id);
		if (cell->flags) {
			struct mm_flag_words words;
			mm_flags_resolve(matrix, cell->flags, cell->toolchain->family, cell->bits, &words);
			put_flags(&words, out);
			mm_flag_words_release(&words);
		}
		if (build_state(look, i))
			mm_buffer_printf(out, ", %s", build_state(look, i));
		if (look->matrix && look->cells[i].code)
			mm_buffer_printf(out, " (%zu)", reason_of(look, i, &reasons));
		mm_buffer_putc(out, '\n');
	}
	put_reasons(&reasons, matrix->cell_count, out);
	mm_strings_release(&reasons.texts);
	free(reasons.counts);
}

static json_t *tree_json(const struct mm_cell *cell, const struct mm_build *build)
{
	json_t *tree = json_object(), *profiles = json_array();
	mm_json_put_string(tree, "source", cell->source->name);
	mm_json_put_integer(tree, "bits", cell->bits);
	mm_json_put_string(tree, "version", build->version);
	for (size_t i = 0; i < build->profiles.count; i++)
		json_array_append_new(profiles, json_string(build->profiles.items[i]));
	json_object_set_new(tree, "profiles", profiles);
	json_object_set_new(tree, "toolchains", json_array());
	return tree;
}

static void add_once(json_t *names, const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return;
	json_array_append_new(names, json_string(name));
}

static void put_names(const json_t *names, struct mm_buffer *out)
{
	for (size_t i = 0; i < json_array_size(names); i++)
		mm_buffer_printf(out, "%s %s", i ? "," : "", json_string_value(json_array_get(names, i)));
}

/*
 * What the trees are and what is done so that they build, once for each source and bits, and once more where compilers
 * need something else: in the order of the cells, those whose trees could be looked at. New reference.
 */
static json_t *trees(const struct mm_look *look)
{
	json_t *list = json_array(), *seen = json_object();
	for (size_t i = 0; look->matrix && i < look->matrix->cell_count; i++) {
		const struct mm_cell *cell = &look->matrix->cells[i];
		const struct mm_build *build = &look->cells[i].build;
		if (look->cells[i].code || !build->profiles.count)
			continue;
		char *profiles = mm_strings_join(&build->profiles, " ");
		char *name = mm_format("%s %d %s", cell->source->name, cell->bits, profiles);
		json_t *tree = json_object_get(seen, name);
		if (!tree) {
			tree = tree_json(cell, build);
			json_object_set(seen, name, tree);
			json_array_append_new(list, tree);
		}
		add_once(json_object_get(tree, "toolchains"), cell->toolchain->name);
		free(name);
		free(profiles);
	}
	json_decref(seen);
	return list;
}

static void put_trees(const struct mm_look *look, struct mm_buffer *out)
{
	json_t *list = trees(look), *tree;
	size_t index, count = json_array_size(list);
	if (count)
		mm_buffer_printf(out, "%zu %s\n", count, count == 1 ? "tree" : "trees");
	json_array_foreach(list, index, tree) {
		struct mm_buffer line = MM_BUFFER_INIT;
		long long bits = (long long)mm_json_integer(tree, "bits", 0);
		mm_buffer_printf(&line, "%s", mm_json_string(tree, "source", "?"));
		if (bits)
			mm_buffer_printf(&line, " at %lld bits", bits);
		if (look->matrix->toolchain_count > 1) {
			mm_buffer_puts(&line, " by");
			put_names(json_object_get(tree, "toolchains"), &line);
		}
		mm_buffer_printf(&line, " is %s, with the profiles", mm_json_string(tree, "version", "?"));
		put_names(json_object_get(tree, "profiles"), &line);
		mm_buffer_puts(out, "  ");
		mm_put_wrapped(mm_buffer_text(&line), 2, 4, out);
		mm_buffer_release(&line);
	}
	json_decref(list);
}

static void put_comparisons(const struct mm_matrix *matrix, struct mm_buffer *out)
{
	mm_buffer_printf(out, "%zu %s\n", matrix->comparison_count,
			 matrix->comparison_count == 1 ? "comparison" : "comparisons");
	if (!matrix->comparison_count) {
		mm_buffer_puts(out, "  ");
		mm_put_wrapped("the cells will be measured, but nothing is said of them: \"compare\" sets them against each other", 2, 2, out);
	}
	for (size_t i = 0; i < matrix->comparison_count; i++) {
		const struct mm_comparison *comparison = &matrix->comparisons[i];
		const char *separator = "";
		mm_buffer_printf(out, "  %s  (changes ", comparison->id);
		for (int axis = 0; axis < MM_AXIS_COUNT; axis++) {
			if (comparison->changed & 1U << axis) {
				mm_buffer_printf(out, "%s%s", separator, mm_axis_name((enum mm_axis)axis));
				separator = ", ";
			}
		}
		mm_buffer_puts(out, ")\n");
	}
}

/* What the planned passes can find; nothing without a comparison. */
static json_t *detectable(const struct mm_matrix *matrix)
{
	json_t *list = json_array();
	for (size_t i = 0; i < matrix->suite_count && matrix->comparison_count; i++) {
		const struct mm_suite_spec *spec = &matrix->suites[i];
		struct mm_strings names = MM_STRINGS_INIT;
		mm_cli_suite_tests(spec, &names);
		size_t tests = names.count;
		mm_strings_release(&names);
		double percent = mm_detectable_percent((size_t)spec->passes, tests, MM_TYPICAL_NOISE_PERCENT,
						       matrix->effect_percent);
		json_t *json = json_object();
		mm_json_put_string(json, "suite", spec->name);
		mm_json_put_integer(json, "tests", (int64_t)tests);
		mm_json_put_integer(json, "passes", spec->passes);
		mm_json_put_real(json, "noise_percent", MM_TYPICAL_NOISE_PERCENT);
		mm_json_put_real(json, "effect_percent", percent);
		mm_json_put_integer(json, "least_passes", (int64_t)mm_least_pairs(tests));
		json_array_append_new(list, json);
	}
	return list;
}

static void put_detectable(const json_t *suite, struct mm_buffer *out)
{
	double percent = mm_json_number(suite, "effect_percent", INFINITY);
	long long tests = (long long)mm_json_integer(suite, "tests", 0), passes = mm_json_integer(suite, "passes", 0);
	if (!suite)
		return;
	if (isfinite(percent))
		mm_buffer_printf(out, "    finds %.1f%% on one of %lld %s in 4 of 5 runs, where passes vary by %g%%\n",
				 percent, tests > 1 ? tests : 1, tests > 1 ? "tests" : "test",
				 mm_json_number(suite, "noise_percent", 0));
	else
		mm_buffer_printf(out, "    %lld %s too few for a verdict on one of %lld test%s: plan %lld or more\n", passes,
				 passes == 1 ? "pass is" : "passes are", tests > 1 ? tests : 1, tests > 1 ? "s" : "",
				 (long long)mm_json_integer(suite, "least_passes", 0));
}

static void put_suites(const struct mm_matrix *matrix, struct mm_buffer *out)
{
	json_t *found = detectable(matrix);
	mm_buffer_printf(out, "%zu %s\n", matrix->suite_count, matrix->suite_count == 1 ? "suite" : "suites");
	for (size_t i = 0; i < matrix->suite_count; i++) {
		mm_buffer_printf(out, "  %s  (%s, %d pass%s%s)\n", matrix->suites[i].name, matrix->suites[i].suite,
				 matrix->suites[i].passes, matrix->suites[i].passes == 1 ? "" : "es", matrix->schedule.control ? ", each baseline twice" : "");
		put_detectable(json_array_get(found, i), out);
	}
	json_decref(found);
}

static void put_time(const char *what, double seconds, struct mm_buffer *out)
{
	mm_buffer_printf(out, "  %s: ", what);
	if (seconds < 0) {
		mm_buffer_puts(out, "not known before the first was measured here");
	} else {
		mm_buffer_puts(out, "about ");
		mm_put_duration(out, seconds);
	}
	mm_buffer_putc(out, '\n');
}

/* Time and disk, as far as this work folder knows. */
static void put_estimate(const struct mm_look *look, struct mm_buffer *out)
{
	struct mm_estimate_times times;
	struct mm_space left;
	json_t *space = json_array(), *finding;
	size_t i;
	if (!look->matrix)
		return;
	mm_estimate_times(look, &times);
	mm_space_left(look->matrix, look->work, look->cells, NULL, &left);
	mm_buffer_puts(out, "time and space\n");
	if (times.build_seconds != 0)
		put_time("builds", times.build_seconds, out);
	mm_buffer_printf(out, "  %u pass%s in all, %u left to do\n", times.passes, times.passes == 1 ? "" : "es", left.passes);
	if (left.passes)
		put_time("passes", times.pass_seconds < 0 ? -1 : times.pass_seconds / times.passes * left.passes, out);
	mm_doctor_space(look->matrix, look->work, &left, space);
	json_array_foreach(space, i, finding) {
		char *text = mm_format("%s: %s", mm_json_string(finding, "subject", "?"),
				       mm_json_string(finding, "text", ""));
		mm_buffer_puts(out, "  ");
		mm_put_wrapped(text, 2, 4, out);
		free(text);
	}
	json_decref(space);
}

static void put_table(const struct mm_matrix *matrix, const struct mm_look *look, struct mm_buffer *out)
{
	mm_text_plain(out, matrix->title);
	mm_buffer_puts(out, *matrix->title ? "\n" : "");
	put_cells(matrix, look, out);
	put_trees(look, out);
	put_comparisons(matrix, out);
	put_suites(matrix, out);
	put_estimate(look, out);
}

static void put_json(const struct mm_matrix *matrix, const struct mm_look *look, struct mm_buffer *out)
{
	json_t *plan = mm_matrix_plan(matrix), *builds = json_object();
	json_object_set_new(plan, "detectable", detectable(matrix));
	for (size_t i = 0; look->matrix && i < matrix->cell_count; i++)
		mm_json_put_string(builds, matrix->cells[i].id, build_state(look, i));
	if (look->matrix) {
		struct mm_estimate_times times;
		struct mm_space left;
		mm_estimate_times(look, &times);
		mm_space_left(matrix, look->work, look->cells, NULL, &left);
		json_object_set(plan, "builds", builds);
		json_object_set_new(plan, "trees", trees(look));
		json_t *estimate = mm_estimate_json(&times);
		mm_json_put_integer(estimate, "passes_left", left.passes);
		mm_json_put_integer(estimate, "disk_bytes", (int64_t)(left.work_bytes + left.datadir_bytes));
		json_object_set_new(plan, "estimate", estimate);
	}
	char *text = mm_json_text(plan);
	mm_buffer_puts(out, text);
	free(text);
	json_decref(builds);
	json_decref(plan);
}

int mm_command_plan(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_matrix *matrix = NULL;
	struct mm_look look = { 0 };
	struct mm_buffer out = MM_BUFFER_INIT;
	char *work = NULL;
	int code = mm_cli_matrix(arguments, &matrix, &work, err);
	if (!code)
		code = mm_matrix_check_supported(matrix, err);
	if (!code)
		code = mm_run_check_suites(matrix, false, err);
	if (!code)
		code = mm_cli_check_gate(arguments, matrix, err);
	if (!code && matrix->cell_count <= LOOK_AT_MOST)
		code = mm_look_open(matrix, work, &look, err);
	if (!code && arguments->format && strcmp(arguments->format, "json") == 0)
		put_json(matrix, &look, &out);
	else if (!code)
		put_table(matrix, &look, &out);
	if (!code)
		code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	mm_buffer_release(&out);
	if (look.matrix)
		mm_look_release(&look);
	mm_matrix_free(matrix);
	free(work);
	return code;
}
