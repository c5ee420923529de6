/* The state of a run as progress shows it, and the live lines of a terminal. Private to cli/. */
#ifndef MM_CLI_LIVE_H
#define MM_CLI_LIVE_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/event.h"
#include "cli/eta.h"

/* A cell that is being built or measured. */
struct mm_job_line {
	char *cell;
	char *stage;        /* "compile" … */
	char *detail;       /* more words, NULL: none */
	bool is_pass;
	unsigned step, steps; /* of the stage; steps 0: it does not say */
	uint64_t began_ns;    /* the stage */
	uint64_t told_ns;     /* when a log or a pipeline last heard of a step */
};

struct mm_live {
	struct mm_rate builds, passes;
	struct mm_job_line *jobs; /* in the order in which they began */
	size_t job_count, job_capacity;
};

/* Takes note of an event. */
void mm_live_take(struct mm_live *live, const struct mm_event *event, uint64_t now_ns);
void mm_live_release(struct mm_live *live);

struct mm_job_line *mm_live_job(const struct mm_live *live, const char *cell); /* NULL: it does not run */

/* Seconds that the whole run still takes; negative: not known. *ONLY_BUILDS: passes come on top of that. */
double mm_live_left(const struct mm_live *live, bool *only_builds, uint64_t now_ns);
void mm_put_duration(struct mm_buffer *out, double seconds); /* "1h 02m", "2m 10s", "8s" */
/* ", ETA 2m 10s", or nothing while it is not known. */
void mm_live_put_eta(const struct mm_live *live, struct mm_buffer *out, uint64_t now_ns);
/* "compile 345/1200 (28%)" */
void mm_live_put_job(const struct mm_job_line *job, struct mm_buffer *out);

/*
 * What a terminal of WIDTH columns and ROWS rows shows: a line for the whole and one for each running cell, no line
 * wider than the terminal, none beyond its height; what does not fit is counted in the last line.
 */
void mm_live_render(const struct mm_live *live, int width, int rows, uint64_t now_ns, struct mm_strings *lines);

#endif
