/*
 * What a build was and what it cost, in words that every format shows: size, time and memory beside speed, and where the
 * binaries come from. Private to reports/.
 */
#ifndef MM_REPORTS_BUILDS_H
#define MM_REPORTS_BUILDS_H

#include <jansson.h>

#include "base/buffer.h"

/* A cell's build as labels and texts, parallel; nothing where nothing is known. */
void mm_builds_describe(const json_t *cell, struct mm_strings *labels, struct mm_strings *texts);

/*
 * "server text 20.0 MiB, candidate 20.7 MiB (+3.3%); built in 620 s of CPU, candidate 701 s (+13.1%)" of the two cells of a
 * COMPARISON; nothing when neither is known of both. CELLS: the report's cells by their ids.
 */
void mm_builds_cost(const json_t *cells, const json_t *comparison, struct mm_buffer *out);

/*
 * Figures of a build, all in base units; negative: not known. Seconds of all stages, by the clock and of the CPUs, and the
 * largest process of any.
 */
struct mm_build_figures {
	double text_bytes, data_bytes, bss_bytes, seconds, cpu_seconds, peak_bytes;
};
void mm_builds_figures(const json_t *cell, struct mm_build_figures *out);

#endif
