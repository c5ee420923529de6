/*
 * Lower rooms say what happens by emitting events and never print; the one
 * renderer (cli/progress.c) decides what a terminal, a log or a pipeline sees.
 */
#ifndef MM_BASE_EVENT_H
#define MM_BASE_EVENT_H

#include <stdint.h>

#include "base/error.h"

enum mm_event_kind {
	MM_EVENT_BEGIN,    /* a stage of a cell begins */
	MM_EVENT_PROGRESS, /* done of total (build steps, tests) */
	MM_EVENT_END,      /* a stage ended well */
	MM_EVENT_FAILED,   /* a stage failed; text is the error */
	MM_EVENT_REUSED,   /* a stage was not needed: its result is already there */
	MM_EVENT_NOTE,     /* worth a line in a log */
	MM_EVENT_WARNING   /* worth a line always */
};

struct mm_event {
	enum mm_event_kind kind;
	const char *cell;  /* cell id, NULL for the whole run */
	const char *stage; /* "unpack", "configure", "compile", "install", "datadir", "pass" … */
	unsigned done, total;
	const char *text; /* more words, may be NULL */
};

void mm_event_emit(const struct mm_event *event);
void mm_event_stage(enum mm_event_kind kind, const char *cell, const char *stage, const char *text);
void mm_event_progress(const char *cell, const char *stage, unsigned done, unsigned total);
void mm_warn(const char *format, ...) MM_PRINTF(1, 2);

/* Where events go; NULL: nowhere. One sink per process. */
void mm_event_set_sink(void (*sink)(void *context, const struct mm_event *event), void *context);

#endif
