/* Sections of the HTML report. Private to reports/. */
#ifndef MM_REPORTS_HTML_H
#define MM_REPORTS_HTML_H

#include <jansson.h>

#include "base/buffer.h"

/* The style sheet, with its element. */
void mm_html_style(struct mm_buffer *out);

/* Every test on both metrics, then the geometric mean. */
void mm_html_tests(struct mm_buffer *out, const json_t *comparison);
/* A cell in a suite that no comparison is about, an entry of mm_figures_alone. */
void mm_html_figures(struct mm_buffer *out, const json_t *series);
void mm_html_operations(struct mm_buffer *out, const json_t *comparison);
void mm_html_variables(struct mm_buffer *out, const json_t *comparison);
/* Build facts, command lines and the flag audit of every cell. */
void mm_html_cells(struct mm_buffer *out, const json_t *report);
void mm_html_host(struct mm_buffer *out, const json_t *report);
void mm_html_warnings(struct mm_buffer *out, const json_t *report);
/* The verdict as a word with a sign before it, so that colour is not needed. */
void mm_html_verdict(struct mm_buffer *out, const json_t *row);

#endif
