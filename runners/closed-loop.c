#include "runners/closed-loop.h"

#include <errno.h>
#include <mysqld_error.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/os.h"

enum { STACK_BYTES = 512 << 10, SHOWN_STATEMENT = 160 };

struct client {
	struct mm_loop *loop;
	pthread_t thread;
	bool started;
	MYSQL *mysql;
	struct mm_mix_random random;
	struct mm_buffer statement;
	struct mm_loop_result result;
	uint64_t ended_ns;
};

struct mm_loop {
	struct mm_loop_spec spec;
	struct client *clients;
	uint64_t began_ns, deadline_ns; /* deadline 0: none */
	_Atomic int64_t left;           /* statements, by events */
	_Atomic bool stop;
	pthread_mutex_t lock; /* of the gate and of the error */
	pthread_cond_t gate;
	bool open;
	struct mm_error err;
};

/* Another client was faster: the statement is to be sent again, as every program of many clients does. */
static bool is_conflict(unsigned number)
{
	return number == ER_LOCK_DEADLOCK || number == ER_LOCK_WAIT_TIMEOUT || number == ER_CHECKREAD;
}

static void fail(struct client *client)
{
	struct mm_loop *loop = client->loop;
	const char *statement = mm_buffer_text(&client->statement);

	(void)pthread_mutex_lock(&loop->lock);
	(void)mm_error_set(&loop->err, mm_server_blame(mysql_errno(client->mysql)),
			   "mix '%s' with %u clients: '%.*s%s': %s (%u)", loop->spec.mix->name, loop->spec.clients,
			   SHOWN_STATEMENT, statement, strlen(statement) > SHOWN_STATEMENT ? " …" : "",
			   mysql_error(client->mysql), mysql_errno(client->mysql));
	(void)pthread_mutex_unlock(&loop->lock);
	loop->stop = true;
}

/* Sends the statement and reads the whole answer. 0, or the server's error number. */
static unsigned send(struct client *client)
{
	MYSQL_RES *answer;

	if (mysql_real_query(client->mysql, client->statement.data, client->statement.length) != 0)
		return mysql_errno(client->mysql);
	answer = mysql_store_result(client->mysql);
	if (answer == NULL)
		return mysql_errno(client->mysql);
	client->result.rows += mysql_num_rows(answer);
	mysql_free_result(answer);
	return 0;
}

/* Is there another statement to send? */
static bool goes_on(struct mm_loop *loop, uint64_t now)
{
	if (loop->stop)
		return false;
	if (loop->spec.events > 0 && atomic_fetch_sub(&loop->left, 1) <= 0)
		return false;
	return loop->deadline_ns == 0 || now < loop->deadline_ns;
}

static void work(struct client *client)
{
	struct mm_loop *loop = client->loop;
	const struct mm_loop_spec *spec = &loop->spec;
	uint64_t now = mm_now_ns();

	while (goes_on(loop, now)) {
		size_t query = mm_mix_draw(spec->mix, &client->random);
		uint64_t begin, ns;
		unsigned number;

		mm_mix_statement(spec->mix, spec->size, query, &client->random, &client->statement);
		begin = mm_now_ns();
		while ((number = send(client)) != 0 && is_conflict(number) && !loop->stop)
			client->result.errors++;
		now = mm_now_ns();
		if (number != 0) {
			fail(client);
			break;
		}
		ns = now - begin;
		mm_histogram_add(&client->result.latency, ns);
		client->result.queries[query].count++;
		client->result.queries[query].ns += ns;
	}
	client->ended_ns = now;
}

static void *run_client(void *context)
{
	struct client *client = context;
	struct mm_loop *loop = client->loop;

	(void)mysql_thread_init();
	(void)pthread_mutex_lock(&loop->lock);
	while (!loop->open)
		(void)pthread_cond_wait(&loop->gate, &loop->lock);
	(void)pthread_mutex_unlock(&loop->lock);
	work(client);
	mysql_thread_end();
	return NULL;
}

static int start_client(struct mm_loop *loop, unsigned number, const pthread_attr_t *attributes, struct mm_error *err)
{
	struct client *client = &loop->clients[number];
	int why, rc = mm_server_connect(loop->spec.server, &client->mysql, err);

	if (rc != 0)
		return mm_error_prefix(err, "client %u of %u", number + 1, loop->spec.clients);
	if (mysql_select_db(client->mysql, loop->spec.database) != 0)
		return mm_error_set(err, mm_server_blame(mysql_errno(client->mysql)), "client %u of %u cannot use the database '%s': %s", number + 1,
				    loop->spec.clients, loop->spec.database, mysql_error(client->mysql));
	/* the same questions for every cell, others for every client */
	client->random = mm_mix_random_of(loop->spec.clients, number + 1);
	client->result.queries = mm_calloc(loop->spec.mix->query_count, sizeof(*client->result.queries));
	client->loop = loop;
	why = pthread_create(&client->thread, attributes, run_client, client);
	if (why == 0) {
		client->started = true;
		return 0;
	}
	errno = why;
	return mm_error_errno(err, "cannot start client %u of %u", number + 1, loop->spec.clients);
}

int mm_loop_open(const struct mm_loop_spec *spec, struct mm_loop **out, struct mm_error *err)
{
	struct mm_loop *loop = mm_alloc(sizeof(*loop));
	pthread_attr_t attributes;
	int rc = 0;

	loop->spec = *spec;
	loop->clients = mm_calloc(spec->clients, sizeof(*loop->clients));
	loop->left = (int64_t)spec->events;
	(void)pthread_mutex_init(&loop->lock, NULL);
	(void)pthread_cond_init(&loop->gate, NULL);
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned i = 0; rc == 0 && i < spec->clients; i++)
		rc = start_client(loop, i, &attributes, err);
	(void)pthread_attr_destroy(&attributes);
	*out = loop;
	if (rc != 0) {
		mm_loop_close(loop);
		*out = NULL;
	}
	return rc;
}

/* Opens the gate and waits for all. */
static void go(struct mm_loop *loop)
{
	(void)pthread_mutex_lock(&loop->lock);
	loop->began_ns = mm_now_ns();
	loop->deadline_ns = loop->spec.time_ns > 0 ? loop->began_ns + loop->spec.time_ns : 0;
	loop->open = true;
	(void)pthread_cond_broadcast(&loop->gate);
	(void)pthread_mutex_unlock(&loop->lock);
	for (unsigned i = 0; i < loop->spec.clients; i++) {
		if (loop->clients[i].started)
			(void)pthread_join(loop->clients[i].thread, NULL);
		loop->clients[i].started = false;
	}
}

int mm_loop_run(struct mm_loop *loop, struct mm_loop_result *result, struct mm_error *err)
{
	go(loop);
	*result = (struct mm_loop_result){ 0 };
	if (loop->err.code != 0)
		return mm_error_set(err, loop->err.code, "%s", loop->err.text);
	result->queries = mm_calloc(loop->spec.mix->query_count, sizeof(*result->queries));
	for (unsigned i = 0; i < loop->spec.clients; i++) {
		const struct client *client = &loop->clients[i];
		uint64_t span = client->ended_ns - loop->began_ns;

		mm_histogram_merge(&result->latency, &client->result.latency);
		result->rows += client->result.rows;
		result->errors += client->result.errors;
		if (span > result->span_ns)
			result->span_ns = span;
		for (size_t q = 0; q < loop->spec.mix->query_count; q++) {
			result->queries[q].count += client->result.queries[q].count;
			result->queries[q].ns += client->result.queries[q].ns;
		}
	}
	return 0;
}

void mm_loop_close(struct mm_loop *loop)
{
	if (loop == NULL)
		return;
	/* those that still wait find nothing to do */
	loop->stop = true;
	go(loop);
	for (unsigned i = 0; i < loop->spec.clients; i++) {
		struct client *client = &loop->clients[i];

		if (client->mysql != NULL)
			mysql_close(client->mysql);
		mm_buffer_release(&client->statement);
		free(client->result.queries);
	}
	(void)pthread_mutex_destroy(&loop->lock);
	(void)pthread_cond_destroy(&loop->gate);
	free(loop->clients);
	free(loop);
}

void mm_loop_result_release(struct mm_loop_result *result)
{
	free(result->queries);
	result->queries = NULL;
}
