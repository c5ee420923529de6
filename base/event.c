#include "base/event.h"

#include <stdarg.h>

static void (*sink)(void *context, const struct mm_event *event);
static void *sink_context;

void mm_event_set_sink(void (*new_sink)(void *context, const struct mm_event *event), void *context)
{
	sink = new_sink;
	sink_context = context;
}

void mm_event_emit(const struct mm_event *event)
{
	if (sink)
		sink(sink_context, event);
}

void mm_event_stage(enum mm_event_kind kind, const char *cell, const char *stage, const char *text)
{
	mm_event_emit(&(struct mm_event){ .kind = kind, .cell = cell, .stage = stage, .text = text });
}

void mm_event_progress(const char *cell, const char *stage, unsigned done, unsigned total)
{
	mm_event_emit(&(struct mm_event){
		.kind = MM_EVENT_PROGRESS, .cell = cell, .stage = stage, .done = done, .total = total });
}

void mm_warn(const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	mm_event_stage(MM_EVENT_WARNING, NULL, NULL, text);
}
