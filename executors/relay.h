/*
 * Events of a process that works for us, a line of JSON each on its standard output; the last line says how it ended.
 * Private to executors/.
 */
#ifndef MM_EXECUTORS_RELAY_H
#define MM_EXECUTORS_RELAY_H

#include <stdbool.h>

#include "base/error.h"

/* The worker's side: from now on every event goes to DESCRIPTOR. */
void mm_relay_to(int descriptor);
/* The last line. */
void mm_relay_end(int code, const char *text);

struct mm_relay_end {
	bool said; /* the last line came */
	int code;
	char *text; /* owned */
};

/* Our side: emits the event of LINE, or fills END. What is neither (another program's output) is left alone. */
void mm_relay_take(const char *line, struct mm_relay_end *end);

#endif
