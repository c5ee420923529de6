/*
 * N clients, each with a connection and a thread of its own, that send one statement of a mix after another without a
 * pause: a closed loop. Private to runners/.
 */
#ifndef MM_RUNNERS_CLOSED_LOOP_H
#define MM_RUNNERS_CLOSED_LOOP_H

#include <mysql.h>

#include "runners/histogram.h"
#include "runners/mix.h"
#include "runners/server.h"

struct mm_loop_spec {
	const struct mm_server *server; /* all borrowed */
	const struct mm_mix *mix;
	const struct mm_mix_size *size;
	const char *database;
	unsigned clients;
	uint64_t time_ns; /* 0: by EVENTS */
	uint64_t events;  /* statements of all clients; 0: by time */
};

struct mm_loop_query {
	uint64_t count, ns;
};

struct mm_loop_result {
	struct mm_histogram latency;   /* nanoseconds of a statement, its answer read */
	uint64_t rows, errors;         /* errors: statements that lost against another client, to be sent again */
	uint64_t span_ns;              /* from the start to the last answer */
	struct mm_loop_query *queries; /* for each of the mix; owned */
};

struct mm_loop;

/* Connects all clients; they wait. Errors: MM_ECELL, MM_EENV; *OUT is NULL then. */
int mm_loop_open(const struct mm_loop_spec *spec, struct mm_loop **out, struct mm_error *err);
/* Lets them go and waits for their end. Errors: MM_ECELL, the first statement that failed. RESULT is filled on success.
 */
int mm_loop_run(struct mm_loop *loop, struct mm_loop_result *result, struct mm_error *err);
void mm_loop_close(struct mm_loop *loop); /* NULL is fine */
void mm_loop_result_release(struct mm_loop_result *result);

#endif
