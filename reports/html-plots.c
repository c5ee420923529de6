/* Shapes carry the meaning, colours only repeat it: filled circles and whole lines against squares and dashes. */
#include "reports/html-plots.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

enum { FOREST_WIDTH = 600, ROW_HEIGHT = 26, FOREST_MARGIN = 86, PASSES_WIDTH = 360, PASSES_HEIGHT = 230 };

static double interval_end(const json_t *row, size_t end)
{
	const json_t *value = json_array_get(json_object_get(row, "interval_percent"), end);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double estimate_of(const json_t *row)
{
	double estimate = mm_json_number(row, "estimate_percent", NAN);

	return isfinite(estimate) ? estimate : mm_json_number(row, "delta_percent", NAN);
}

/* One line of a forest plot: "y estimate low high"; no whiskers without an interval. */
static void put_whisker(struct mm_plots *plots, double y, const json_t *row)
{
	double estimate = estimate_of(row), low = interval_end(row, 0), high = interval_end(row, 1);

	if (!isfinite(estimate))
		return;
	mm_buffer_printf(&plots->script, "%g %.6g %.6g %.6g\n", y, estimate, isfinite(low) ? low : estimate,
			 isfinite(high) ? high : estimate);
}

/* Rows from top to bottom; LABEL_OF and the two metrics' rows by place. */
struct forest {
	size_t count;
	const char *(*label)(const void *context, size_t place);
	const json_t *(*row)(const void *context, size_t place);
	const void *context;
	double effect;
};

static bool drawable(const struct forest *forest)
{
	for (size_t i = 0; i < forest->count; i++)
		if (isfinite(estimate_of(forest->row(forest->context, i))))
			return true;
	return false;
}

static void put_forest_data(struct mm_plots *plots, const struct forest *forest)
{
	mm_buffer_puts(&plots->script, "$wall << E\n");
	for (size_t i = 0; i < forest->count; i++)
		put_whisker(plots, (double)(forest->count - i) + 0.15, forest->row(forest->context, i));
	mm_buffer_puts(&plots->script, "NaN NaN NaN NaN\nE\n$cpu << E\n");
	for (size_t i = 0; i < forest->count; i++)
		put_whisker(plots, (double)(forest->count - i) - 0.15,
			    json_object_get(forest->row(forest->context, i), "server_cpu"));
	mm_buffer_puts(&plots->script, "NaN NaN NaN NaN\nE\n");
}

static long draw_forest(struct mm_plots *plots, const struct forest *forest)
{
	size_t number;

	if (!drawable(forest))
		return MM_NO_PLOT;
	number = mm_plots_begin(plots, FOREST_WIDTH, FOREST_MARGIN + ROW_HEIGHT * (int)forest->count);
	put_forest_data(plots, forest);
	mm_buffer_puts(&plots->script, "set ytics (");
	for (size_t i = 0; i < forest->count; i++) {
		mm_buffer_puts(&plots->script, i > 0 ? ", " : "");
		mm_plots_quote(plots, forest->label(forest->context, i));
		mm_buffer_printf(&plots->script, " %zu", forest->count - i);
	}
	mm_buffer_printf(
		&plots->script,
		")\nset yrange [0.4:%zu.6]\nset xlabel '%% faster than the baseline' offset 0,0.6\nset tmargin "
		"1.6\nset key outside top center horizontal\n"
		"set object 1 rect from %g, graph 0 to %g, graph 1 fc rgb '#808080' fs solid 0.18 noborder behind\n"
		"set arrow 1 from 0, graph 0 to 0, graph 1 nohead lw 1 lc rgb '%s' back\n"
		"plot $wall using 2:1:3:4 with xerrorbars pt 7 ps 0.6 lw 1.6 lc rgb '%s' title 'wall time or rate', "
		"$cpu using 2:1:3:4 with xerrorbars pt 4 ps 0.6 lw 1.2 dt 2 lc rgb '%s' title 'server CPU'\n",
		forest->count, -forest->effect, forest->effect, MM_PLOT_INK, MM_PLOT_BASELINE, MM_PLOT_CANDIDATE);
	return (long)number;
}

static size_t test_count(const json_t *comparison)
{
	return json_array_size(json_object_get(comparison, "tests"));
}

/* The geometric mean stands below the tests. */
static const json_t *test_row(const void *context, size_t place)
{
	const json_t *test = json_array_get(json_object_get(context, "tests"), place);

	return test != NULL ? test : json_object_get(context, "geomean");
}

static const char *test_label(const void *context, size_t place)
{
	return place < test_count(context) ? mm_json_string(test_row(context, place), "test", "") : "geometric mean";
}

long mm_plot_forest(struct mm_plots *plots, const json_t *comparison)
{
	struct forest forest = { test_count(comparison) + 1, test_label, test_row, comparison,
				 mm_json_number(json_object_get(comparison, "thresholds"), "effect_percent", 1) };

	return forest.count <= 200 ? draw_forest(plots, &forest) : MM_NO_PLOT;
}

static const json_t *comparison_row(const void *context, size_t place)
{
	return json_object_get(json_array_get(context, place), "geomean");
}

static const char *comparison_label(const void *context, size_t place)
{
	return mm_json_string(json_array_get(context, place), "candidate", "");
}

long mm_plot_overview(struct mm_plots *plots, const json_t *comparisons)
{
	const json_t *thresholds = json_object_get(json_array_get(comparisons, 0), "thresholds");
	struct forest forest = { json_array_size(comparisons), comparison_label, comparison_row, comparisons,
				 mm_json_number(thresholds, "effect_percent", 1) };

	return forest.count > 1 && forest.count <= 200 ? draw_forest(plots, &forest) : MM_NO_PLOT;
}

const json_t *mm_plot_series(const json_t *report, const char *cell, const char *suite)
{
	const json_t *series;
	size_t i;

	json_array_foreach(json_object_get(report, "samples"), i, series)
		if (strcmp(mm_json_string(series, "cell", ""), cell) == 0 &&
		    strcmp(mm_json_string(series, "suite", ""), suite) == 0)
			return series;
	return NULL;
}

static const json_t *values_of(const json_t *series, const char *name)
{
	const json_t *test;
	size_t i;

	json_array_foreach(json_object_get(series, "tests"), i, test)
		if (strcmp(mm_json_string(test, "test", ""), name) == 0)
			return json_object_get(test, "values");
	return NULL;
}

/* The samples of one side by pass; SIDE is the place in a pair, and without pairs every sample counts. */
static bool put_points(struct mm_plots *plots, const char *block, const json_t *values, const json_t *pairs,
		       size_t side)
{
	size_t count = json_array_size(pairs) > 0 ? json_array_size(pairs) : json_array_size(values);
	bool any = false;

	mm_buffer_printf(&plots->script, "$%s << E\n", block);
	for (size_t i = 0; i < count; i++) {
		const json_t *place = json_array_get(json_array_get(pairs, i), side);
		const json_t *value;

		if (json_array_size(pairs) > 0 && !json_is_integer(place))
			continue;
		value = json_array_get(values, json_is_integer(place) ? (size_t)json_integer_value(place) : i);
		if (!json_is_number(value))
			continue;
		mm_buffer_printf(&plots->script, "%zu %.9g\n", i + 1, json_number_value(value));
		any = true;
	}
	mm_buffer_puts(&plots->script, any ? "E\n" : "NaN NaN\nE\n");
	return any;
}

long mm_plot_passes(struct mm_plots *plots, const json_t *report, const json_t *comparison, const json_t *test)
{
	const char *suite = mm_json_string(comparison, "suite", ""), *name = mm_json_string(test, "test", "");
	const json_t *pairs = json_object_get(comparison, "pass_pairs");
	const json_t *b = values_of(mm_plot_series(report, mm_json_string(comparison, "baseline", ""), suite), name);
	const json_t *c = values_of(mm_plot_series(report, mm_json_string(comparison, "candidate", ""), suite), name);
	size_t number, length = plots->script.length;
	bool any;

	number = mm_plots_begin(plots, PASSES_WIDTH, PASSES_HEIGHT);
	any = put_points(plots, "b", b, pairs, 0);
	any = put_points(plots, "c", c, pairs, 1) || any;
	put_points(plots, "a", json_array_size(pairs) > 0 ? b : NULL, pairs, 2);
	if (!any) { /* nothing to see: take the plot back */
		plots->script.length = length;
		plots->script.data[length] = '\0';
		plots->count--;
		return MM_NO_PLOT;
	}
	mm_buffer_puts(&plots->script, "set title ");
	mm_plots_quote(plots, name);
	mm_buffer_puts(&plots->script, "\nset ylabel ");
	mm_plots_quote(plots, mm_json_string(test, "unit", "s"));
	mm_buffer_printf(
		&plots->script,
		"\nset xlabel 'pass' offset 0,0.6\nset tmargin 1.8\nset lmargin 9\nset offsets 0.4, 0.4, graph 0.1, "
		"graph 0.1\nset xtics 1\nunset key\n"
		"if (%zu > 12) set xtics autofreq\n"
		"plot $a with points pt 1 ps 0.7 lc rgb '%s', $b with linespoints pt 7 ps 0.5 lw 1.2 lc rgb '%s', "
		"$c with linespoints pt 4 ps 0.6 lw 1.2 dt 2 lc rgb '%s'\n",
		json_array_size(pairs) > 0 ? json_array_size(pairs) : json_array_size(b), MM_PLOT_INK, MM_PLOT_BASELINE,
		MM_PLOT_CANDIDATE);
	return (long)number;
}

/* The thread count in a test's name: its only number. -1 when there is none. */
static long threads_in(const char *name)
{
	const char *digit = strpbrk(name, "0123456789");

	return digit != NULL ? strtol(digit, NULL, 10) : -1;
}

static bool is_rate(const json_t *test)
{
	return strcmp(mm_json_string(test, "better", ""), "higher") == 0 &&
	       threads_in(mm_json_string(test, "test", "")) > 0;
}

static void put_curve(struct mm_plots *plots, const char *block, const json_t *tests, const char *side)
{
	const json_t *test;
	size_t i;
	long before = 0;

	mm_buffer_printf(&plots->script, "$%s << E\n", block);
	json_array_foreach(tests, i, test) {
		const json_t *summary = json_object_get(test, side);
		long threads = threads_in(mm_json_string(test, "test", ""));

		if (!is_rate(test) || !json_is_number(json_object_get(summary, "mean")))
			continue;
		if (threads <= before) /* a new sweep, such as light after heavy: a curve of its own */
			mm_buffer_puts(&plots->script, "\n");
		before = threads;
		mm_buffer_printf(&plots->script, "%ld %.9g %.9g %.9g\n", threads, mm_json_number(summary, "mean", NAN),
				 mm_json_number(summary, "min", NAN), mm_json_number(summary, "max", NAN));
	}
	mm_buffer_puts(&plots->script, "NaN NaN NaN NaN\nE\n");
}

/* A report says of which kind a suite is; where a comparison of files does not, the tests must be called "N threads".
 */
static bool sweeps(const json_t *report, const json_t *comparison)
{
	const char *name = mm_json_string(comparison, "suite", "");
	const json_t *suite, *first = json_array_get(json_object_get(comparison, "tests"), 0);
	size_t i;

	json_array_foreach(json_object_get(report, "suites"), i, suite) {
		const char *kind = mm_json_string(suite, "suite", "");

		if (strcmp(mm_json_string(suite, "name", ""), name) == 0)
			return strcmp(kind, "threads") == 0 || strcmp(kind, "sysbench") == 0;
	}
	return strstr(mm_json_string(first, "test", ""), "thread") != NULL;
}

long mm_plot_threads(struct mm_plots *plots, const json_t *report, const json_t *comparison)
{
	const json_t *tests = json_object_get(comparison, "tests"), *test;
	size_t i, rates = 0, number;

	json_array_foreach(tests, i, test)
		rates += is_rate(test);
	if (rates < 2 || !sweeps(report, comparison))
		return MM_NO_PLOT;
	number = mm_plots_begin(plots, FOREST_WIDTH, 320);
	put_curve(plots, "b", tests, "baseline");
	put_curve(plots, "c", tests, "candidate");
	mm_buffer_puts(&plots->script, "set xlabel 'client threads'\nset ylabel ");
	for (i = 0; i < json_array_size(tests); i++)
		if (is_rate(json_array_get(tests, i))) {
			mm_plots_quote(plots, mm_json_string(json_array_get(tests, i), "unit", ""));
			break;
		}
	mm_buffer_printf(&plots->script,
			 "\nset yrange [0:*]\nset offsets 0, 0, graph 0.08, 0\nset key outside top center horizontal\n"
			 "plot $b using 1:2 with lines lw 1.2 lc rgb '%s' notitle, $b with yerrorbars pt 7 ps 0.6 lc "
			 "rgb '%s' title "
			 "'baseline', $c using 1:2 with lines lw 1.2 dt 2 lc rgb '%s' notitle, $c with yerrorbars pt 4 "
			 "ps 0.6 lc rgb "
			 "'%s' title 'candidate'\n",
			 MM_PLOT_BASELINE, MM_PLOT_BASELINE, MM_PLOT_CANDIDATE, MM_PLOT_CANDIDATE);
	return (long)number;
}
