/*
 * Why a thread: the client library blocks for as long as a statement takes and
 * offers no way to wake it, and signals only set a flag. Killing the server
 * ends every such wait at once, whatever the suite is doing, without each
 * suite having to think of it. The thread also has the pinning: it ends with
 * the pass, and neither servers nor compilers started later inherit it.
 */
#include "runners/supervise.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "runners/launch.h"
#include "runners/watchdog.h"

enum {
	LOOK_MS = 100,         /* how soon a signal is answered; ten wake-ups a second are lost in any measurement */
	DEATH_LIMIT_MS = 5000, /* how long a server may take to be gone after its socket is */
	LEAST_FREE = 1 << 20,  /* with less, a server waits for somebody to make room, and nobody will */
};

struct client {
	const struct mm_suite *suite;
	struct mm_suite_run *run;
	const char *cpus;
	struct mm_watchdog *dog;
	struct mm_error err;
	int code;
	bool done;
	pthread_mutex_t lock; /* of DONE */
	pthread_cond_t ended;
};

enum verdict { LEFT_ALONE, INTERRUPTED, TIMED_OUT, PASS_TIMED_OUT, DISK_FULL, HUNG };

static void *run_client(void *context)
{
	struct client *client = context;

	if (client->cpus != NULL && mm_os_child_pin(client->cpus) != 0)
		client->code = mm_error_errno(&client->err, "cannot run on CPUs '%s'", client->cpus);
	else if (mysql_thread_init() != 0)
		client->code = mm_error_set(&client->err, MM_EENV, "the client library cannot start a thread");
	else
		client->code = client->suite->run(client->run, &client->err);
	mysql_thread_end();
	(void)pthread_mutex_lock(&client->lock);
	client->done = true;
	(void)pthread_cond_signal(&client->ended);
	(void)pthread_mutex_unlock(&client->lock);
	return NULL;
}

/* Waits until the client is done or LOOK_MS have passed. */
static bool wait_client(struct client *client)
{
	struct timespec until;
	bool done;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	(void)pthread_mutex_lock(&client->lock);
	while (!client->done && pthread_cond_timedwait(&client->ended, &client->lock, &until) == 0)
		;
	done = client->done;
	(void)pthread_mutex_unlock(&client->lock);
	return done;
}

/* Is there no room for the server's data? Reserved blocks are for root alone. */
static bool disk_is_full(const struct mm_server *server)
{
	struct statvfs space;

	return statvfs(server->place->scratch, &space) == 0 && space.f_blocks > 0 &&
	       (uint64_t)(geteuid() == 0 ? space.f_bfree : space.f_bavail) * space.f_frsize < LEAST_FREE;
}

static enum verdict judge(const struct client *client, const struct mm_watch *limits, uint64_t pass_deadline)
{
	uint64_t deadline = limits->deadline_ns, now = mm_now_ns();

	if (mm_signals_pending() != 0)
		return INTERRUPTED;
	if (deadline != 0 && now > deadline)
		return TIMED_OUT;
	if (pass_deadline != 0 && now > pass_deadline)
		return PASS_TIMED_OUT;
	if (mm_watchdog_hung(client->dog))
		return HUNG;
	return disk_is_full(client->run->server) ? DISK_FULL : LEFT_ALONE;
}

static enum verdict watch(struct client *client, struct mm_watch *limits)
{
	uint64_t limit = (uint64_t)client->run->spec->pass_timeout_seconds * UINT64_C(1000000000),
		 deadline = limit > 0 ? mm_now_ns() + limit : 0;
	pid_t group = client->run->server->process.pid;
	enum verdict verdict = LEFT_ALONE;

	while (!wait_client(client)) {
		if (verdict != LEFT_ALONE)
			continue;
		verdict = judge(client, limits, deadline);
		if (verdict == LEFT_ALONE)
			continue;
		/* not reaped before the client has ended, so the number is still its own */
		(void)kill(-group, SIGKILL);
		limits->over = true;
	}
	return verdict;
}

static int start_thread(struct client *client, pthread_t *thread, struct mm_error *err)
{
	pthread_condattr_t attributes;
	int why;

	(void)pthread_mutex_init(&client->lock, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&client->ended, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	why = pthread_create(thread, NULL, run_client, client);
	if (why == 0)
		return 0;
	errno = why;
	return mm_error_errno(err, "cannot start a thread for the suite");
}

static const char *last_test(const struct mm_pass *pass)
{
	return pass->test_count == 0 ? "?" : pass->tests[pass->test_count - 1].name;
}

/* Does the server no longer take connections because it is gone? RESULT then says how it went. */
static bool server_died(struct mm_server *server, struct mm_process_result *result)
{
	MYSQL *mysql;

	if (mm_server_ask(server, &mysql, NULL) == 0) {
		mysql_close(mysql);
		return false;
	}
	return mm_process_wait(&server->process, DEATH_LIMIT_MS, result, NULL) == 1;
}

/* The line for a server that we killed. */
static int explain_kill(const struct client *client, enum verdict verdict, struct mm_error *err)
{
	const struct mm_server_place *place = client->run->server->place;
	const struct mm_suite_spec *spec = client->run->spec;
	const char *cell = place->cell->id, *test = last_test(client->run->pass);

	if (verdict == DISK_FULL)
		return mm_error_set(err, MM_EENV,
				    "cell '%s', test '%s' of suite '%s': the disk that holds '%s' is full: the server "
				    "was killed; make room "
				    "and run the same command again",
				    cell, test, spec->name, place->scratch);
	if (verdict == HUNG)
		return mm_error_set(err, MM_ECELL,
				    "cell '%s', test '%s' of suite '%s': the server answered no new connection for %d s: it "
				    "hangs and was killed; \"limits.hang_seconds\" is the limit",
				    cell, test, spec->name, place->limits.hang_seconds);
	if (verdict == PASS_TIMED_OUT)
		return mm_error_set(err, MM_ECELL,
				    "cell '%s': the pass of suite '%s' exceeded its time limit of %d s in test '%s' "
				    "(\"pass_timeout\"): the server was killed",
				    cell, spec->name, spec->pass_timeout_seconds, test);
	return mm_error_set(err, MM_ECELL,
			    "cell '%s', test '%s' of suite '%s' exceeded its time limit of %d s (\"timeout\"): the server "
			    "was killed",
			    cell, test, spec->name, spec->timeout_seconds);
}

/* The limit that the matrix has set, where that is what the server has met. Returns the error's code. */
static int name_limit(const struct mm_server *server, struct mm_error *err)
{
	struct mm_error plain = *err;
	char *limit = mm_launch_limit(server->place, plain.text, server->error_log, false);

	mm_error_clear(err);
	(void)mm_error_set(err, plain.code, "%s%s", plain.text, limit);
	free(limit);
	return plain.code;
}

/* Puts the reason of a suite's failure into ERR. */
static int explain(const struct client *client, enum verdict verdict, struct mm_error *err)
{
	struct mm_server *server = client->run->server;
	const char *cell = server->place->cell->id, *test = last_test(client->run->pass);
	struct mm_process_result result = { 0 };
	char how[64];
	int rc = mm_signals_check(err);

	if (rc != 0)
		return rc;
	if (verdict != LEFT_ALONE)
		return explain_kill(client, verdict, err);
	if (client->code == 0)
		return 0;
	/* a server that could not write may have died of it before we looked */
	if (disk_is_full(server))
		return mm_error_set(err, MM_EENV,
				    "%s; the disk that holds '%s' is full: make room and run the same command again",
				    client->err.text, server->place->scratch);
	if (server_died(server, &result))
		(void)mm_error_set(err, client->code, "server of cell '%s' died in test '%s' (%s): %s", cell, test,
				   mm_process_describe(&result, how), client->err.text);
	else
		(void)mm_error_set(err, client->code, "%s", client->err.text);
	return name_limit(server, err);
}

int mm_supervise(const struct mm_suite *suite, struct mm_suite_run *run, struct mm_error *err)
{
	struct mm_watch limits = {
		.limit_seconds = run->spec->timeout_seconds > 0 ? (unsigned)run->spec->timeout_seconds : 0,
	};
	struct client client = {
		.suite = suite,
		.run = run,
		.cpus = run->server->place->schedule->cpus_client,
		.err = MM_ERROR_INIT,
	};
	pthread_t thread;
	int rc;

	run->server->watch = &limits;
	rc = mm_watchdog_start(run->server, (unsigned)run->server->place->limits.hang_seconds, &client.dog, err);
	if (rc == 0)
		rc = start_thread(&client, &thread, err);
	if (rc == 0) {
		enum verdict verdict = watch(&client, &limits);

		(void)pthread_join(thread, NULL);
		rc = explain(&client, verdict, err);
	}
	mm_watchdog_stop(client.dog);
	run->server->watch = NULL;
	(void)pthread_cond_destroy(&client.ended);
	(void)pthread_mutex_destroy(&client.lock);
	return rc;
}
