/* Figures that a program prints, a line for each: "name value unit [lower|higher]". */
#ifndef MM_RUNNERS_FIGURES_H
#define MM_RUNNERS_FIGURES_H

#include "runners/pass.h"

/*
 * Reads TEXT and adds a test to PASS for each line; empty ones and those that begin with '#' do not count. The last word
 * says which is better; times (lower) and units that end in "/s" (higher) need none. Errors: MM_ECELL, naming the first
 * line that is none of these, or that there is no figure at all.
 */
int mm_figures_read(const char *text, struct mm_pass *pass, struct mm_error *err);

#endif
