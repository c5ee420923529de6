/*
 * Plots as inline SVG, drawn by gnuplot: all plots of a report in one call. Where there is no gnuplot, or it fails,
 * there are no plots, and why not is at hand for the reader.
 */
#ifndef MM_REPORTS_PLOT_H
#define MM_REPORTS_PLOT_H

#include "base/buffer.h"

/* Ink that follows the page's text colour, light or dark; and two colours that are readable on both. */
#define MM_PLOT_INK       "black"
#define MM_PLOT_BASELINE  "#2f86c9"
#define MM_PLOT_CANDIDATE "#d8702a"

struct mm_plots {
	struct mm_buffer script; /* gnuplot's commands so far */
	size_t count;
	char **svg;    /* after mm_plots_draw: one for each plot, NULL where it was not drawn */
	char *trouble; /* why there are none; NULL: all is well */
};

void mm_plots_init(struct mm_plots *plots);
void mm_plots_release(struct mm_plots *plots);

/* Begins a plot of WIDTH x HEIGHT; its commands are then appended to plots->script. Returns its number. */
size_t mm_plots_begin(struct mm_plots *plots, int width, int height);

/* Appends 'TEXT' as a quoted gnuplot string that cannot end early or be run, at most 28 columns of it. */
void mm_plots_quote(struct mm_plots *plots, const char *text);

/* Runs gnuplot. Never an error: see trouble. */
void mm_plots_draw(struct mm_plots *plots);

/* The SVG element of plot NUMBER with ALT as its accessible name; nothing when it was not drawn. */
void mm_plots_put(const struct mm_plots *plots, size_t number, const char *alt, struct mm_buffer *out);

#endif
