/* The renderers, one file each; reports/formats.c lists them. Private to reports/. */
#ifndef MM_REPORTS_RENDER_H
#define MM_REPORTS_RENDER_H

#include <jansson.h>

#include "base/buffer.h"

int mm_render_json(const json_t *report, struct mm_buffer *out, struct mm_error *err);
int mm_render_table(const json_t *report, struct mm_buffer *out, struct mm_error *err);
int mm_render_markdown(const json_t *report, struct mm_buffer *out, struct mm_error *err);
int mm_render_csv(const json_t *report, struct mm_buffer *out, struct mm_error *err);
int mm_render_junit(const json_t *report, struct mm_buffer *out, struct mm_error *err);
int mm_render_html(const json_t *report, struct mm_buffer *out, struct mm_error *err);

/* "no verdict: wrong answers", "faster": a row's verdict with its reason, appended to OUT as it is. */
void mm_render_verdict(const json_t *row, struct mm_buffer *out);
/* "flags, bits" from a comparison's "changed"; "nothing" when it is empty. */
void mm_render_changed(const json_t *comparison, struct mm_buffer *out);
/* "10 of 10 pairs", "not interleaved: passes of different runs". */
void mm_render_pairs(const json_t *comparison, struct mm_buffer *out);
/* "ATIS 21% and 22%, …": the client's own CPU time as a share of wall time, of both sides; nothing when not known. */
void mm_render_client_shares(const json_t *comparison, struct mm_buffer *out);
/* "run 0b56 of 2026-11-30T12:35:24Z on HOST, CPU, kernel 6.1": where figures come from; nothing when not known. */
void mm_render_origin(const json_t *report, struct mm_buffer *out);
/* A warning of REPORT, with its comparison where there are several. */
void mm_render_warning(const json_t *report, const json_t *warning, struct mm_buffer *out);
/* How far the baseline is from itself: what the A/A pairs say; nothing without them. */
void mm_render_control(const json_t *comparison, struct mm_buffer *out);
/* What the gate decided, in one line without a newline; nothing when there is none. */
void mm_render_gate(const json_t *report, struct mm_buffer *out);

#endif
