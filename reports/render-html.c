/*
 * One self-contained file without scripts or outside references, since CI servers forbid them: the recommendation
 * first, then the evidence.
 */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/builds.h"
#include "reports/html-plots.h"
#include "reports/figures.h"
#include "reports/html.h"
#include "reports/render.h"
#include "reports/text.h"

enum { MOST_PLOTTED = 12, MOST_PASS_PLOTS = 30 };

/* The plots of one comparison; MM_NO_PLOT where there is none. */
struct plotted {
	long forest, threads;
	long *passes; /* one for each test */
	size_t pass_count;
};

struct page {
	const json_t *report, *comparisons;
	json_t *cells; /* by their ids */
	struct mm_plots plots;
	struct plotted *plotted;
	size_t plotted_count; /* the first so many comparisons have plots */
	long overview;
	struct mm_buffer *out;
};

static void plot_all(struct page *page)
{
	size_t count = json_array_size(page->comparisons);

	page->plotted_count = count < MOST_PLOTTED ? count : MOST_PLOTTED;
	page->plotted = mm_calloc(page->plotted_count + 1, sizeof(*page->plotted));
	page->overview = mm_plot_overview(&page->plots, page->comparisons);
	for (size_t i = 0; i < page->plotted_count; i++) {
		const json_t *comparison = json_array_get(page->comparisons, i),
			     *tests = json_object_get(comparison, "tests");
		struct plotted *plotted = &page->plotted[i];

		plotted->forest = mm_plot_forest(&page->plots, comparison);
		plotted->threads = mm_plot_threads(&page->plots, page->report, comparison);
		plotted->pass_count =
			json_array_size(tests) < MOST_PASS_PLOTS ? json_array_size(tests) : MOST_PASS_PLOTS;
		plotted->passes = mm_calloc(plotted->pass_count + 1, sizeof(long));
		for (size_t j = 0; j < plotted->pass_count; j++)
			plotted->passes[j] =
				mm_plot_passes(&page->plots, page->report, comparison, json_array_get(tests, j));
	}
	mm_plots_draw(&page->plots);
}

static void put_plot(struct page *page, long number, const char *alt)
{
	if (number != MM_NO_PLOT)
		mm_plots_put(&page->plots, (size_t)number, alt, page->out);
}

static void put_text(struct page *page, const char *before, const char *text, const char *after)
{
	mm_buffer_puts(page->out, before);
	mm_text_xml(page->out, text);
	mm_buffer_puts(page->out, after);
}

static void put_head(struct page *page)
{
	const char *title = mm_json_string(page->report, "title", "");
	struct mm_buffer gate = MM_BUFFER_INIT, origin = MM_BUFFER_INIT;

	mm_buffer_puts(page->out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
				  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
	put_text(page, "<title>", title, "</title>\n");
	mm_html_style(page->out);
	put_text(page, "</head>\n<body>\n<h1>", title, "</h1>\n");
	mm_render_origin(page->report, &origin);
	if (origin.length > 0)
		put_text(page, "<p class=\"dim\">", mm_buffer_text(&origin), "</p>\n");
	mm_buffer_release(&origin);
	mm_render_gate(page->report, &gate);
	if (gate.length > 0)
		put_text(page, "<p class=\"say\"><strong>", mm_buffer_text(&gate), "</strong></p>\n");
	mm_buffer_release(&gate);
}

static void put_recommendations(struct page *page)
{
	const json_t *comparison;
	size_t i;

	mm_buffer_puts(page->out, json_array_size(page->comparisons) == 1 ? "<h2>Recommendation</h2>\n"
									  : "<h2>Recommendations</h2>\n");
	json_array_foreach(page->comparisons, i, comparison)
		put_text(page, "<p class=\"say\">", mm_json_string(comparison, "recommendation", ""), "</p>\n");
	if (i == 0)
		mm_buffer_puts(page->out, "<p>There is no comparison to show.</p>\n");
}

/* Said once, where the plots would begin. */
static void put_plot_notes(struct page *page)
{
	if (page->plots.trouble != NULL)
		put_text(page, "<p class=\"dim\">This report has no plots: ", page->plots.trouble,
			 ". The tables hold the same figures.</p>\n");
	else if (page->plotted_count < json_array_size(page->comparisons))
		mm_buffer_printf(page->out,
				 "<p class=\"dim\">Plots are drawn for the first %zu of %zu comparisons; the tables "
				 "hold all.</p>\n",
				 page->plotted_count, json_array_size(page->comparisons));
}

static void put_passes(struct page *page, const struct plotted *plotted, const json_t *tests)
{
	bool head = false;

	for (size_t i = 0; i < plotted->pass_count; i++) {
		char *alt;

		if (plotted->passes[i] == MM_NO_PLOT || page->plots.svg == NULL)
			continue;
		if (!head)
			mm_buffer_puts(page->out,
				       "<h3>The passes in their order</h3>\n<p class=\"dim\">Circles and whole lines: "
				       "baseline; squares "
				       "and dashes: candidate; crosses: the baseline's second pass (control).</p>\n"
				       "<div class=\"passes\">\n");
		head = true;
		alt = mm_format("passes of test %s", mm_json_string(json_array_get(tests, i), "test", ""));
		put_plot(page, plotted->passes[i], alt);
		free(alt);
	}
	if (head)
		mm_buffer_puts(page->out, "</div>\n");
}

static void put_comparison(struct page *page, size_t place)
{
	const json_t *comparison = json_array_get(page->comparisons, place);
	const struct plotted *plotted = place < page->plotted_count ? &page->plotted[place] : NULL;
	struct mm_buffer words = MM_BUFFER_INIT;

	put_text(page, "<h2>", mm_json_string(comparison, "suite", ""), ": ");
	put_text(page, "", mm_json_string(comparison, "candidate", ""), " against ");
	put_text(page, "", mm_json_string(comparison, "baseline", ""), "</h2>\n");
	mm_render_pairs(comparison, &words);
	if (json_array_size(json_object_get(comparison, "changed")) > 0) {
		mm_buffer_puts(&words, "; changed: ");
		mm_render_changed(comparison, &words);
	}
	put_text(page, "<p class=\"dim\">", mm_buffer_text(&words), "; + means that the candidate is faster.</p>\n");
	mm_buffer_reset(&words);
	mm_builds_cost(page->cells, comparison, &words);
	if (words.length > 0)
		put_text(page, "<p>Cost: ", mm_buffer_text(&words), ".</p>\n");
	mm_buffer_reset(&words);
	mm_render_control(comparison, &words);
	if (words.length > 0)
		put_text(page, "<p>Control: ", mm_buffer_text(&words), ".</p>\n");
	mm_buffer_reset(&words);
	mm_render_client_shares(comparison, &words);
	if (words.length > 0)
		put_text(page, "<p class=\"dim\">Client CPU as a share of wall time, baseline and candidate: ",
			 mm_buffer_text(&words), ".</p>\n");
	mm_buffer_release(&words);
	if (plotted != NULL)
		put_plot(page, plotted->forest, "deltas with 95% intervals, wall time and server CPU");
	mm_html_tests(page->out, comparison);
	if (plotted != NULL) {
		put_plot(page, plotted->threads, "rates over client threads");
		put_passes(page, plotted, json_object_get(comparison, "tests"));
	}
	mm_html_operations(page->out, comparison);
	mm_html_variables(page->out, comparison);
}

/* Cells that nothing is said of were measured all the same. */
static void put_alone(struct page *page)
{
	json_t *alone = mm_figures_alone(page->report);
	const json_t *series;
	size_t i;

	json_array_foreach(alone, i, series)
		mm_html_figures(page->out, series);
	json_decref(alone);
}

static void put_method(struct page *page)
{
	mm_buffer_puts(page->out,
		       "<h2>How to read this</h2>\n<p>+/- is the published convention: baseline mean over candidate "
		       "mean, less one, "
		       "in per cent (rates the other way round), so that plus means that the candidate is faster. The "
		       "interval is that "
		       "of the Hodges\xe2\x80\x93Lehmann estimate over pairs of passes, exact; verdicts take the exact "
		       "signed-rank test, "
		       "adjusted for the number of tests (Benjamini\xe2\x80\x93Hochberg). Faster and slower need an "
		       "adjusted p of at most "
		       "0.05 and an estimate beyond the effect threshold (the grey band in the plots); equivalent "
		       "needs the whole "
		       "interval within the equivalence threshold; everything else is undecided, which is not the same "
		       "as equal. A "
		       "verdict is about these binaries on this host: one build is one sample of code layout.</p>\n");
}

int mm_render_html(const json_t *report, struct mm_buffer *out, struct mm_error *err)
{
	struct page page = { .report = report, .comparisons = json_object_get(report, "comparisons"), .out = out };

	(void)err;
	page.cells = mm_json_by_key(json_object_get(report, "cells"), "id");
	mm_plots_init(&page.plots);
	plot_all(&page);
	put_head(&page);
	put_recommendations(&page);
	put_plot_notes(&page);
	put_plot(&page, page.overview, "geometric means of all comparisons with 95% intervals");
	for (size_t i = 0; i < json_array_size(page.comparisons); i++)
		put_comparison(&page, i);
	put_alone(&page);
	mm_html_warnings(out, report);
	mm_html_cells(out, report);
	mm_html_host(out, report);
	put_method(&page);
	mm_buffer_puts(out, "</body>\n</html>\n");
	for (size_t i = 0; i < page.plotted_count; i++)
		free(page.plotted[i].passes);
	free(page.plotted);
	json_decref(page.cells);
	mm_plots_release(&page.plots);
	return 0;
}
