/*
 * A thread, since the client library blocks until its time is out, and who supervises a pass has signals to answer
 * meanwhile.
 */
#include "runners/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/memory.h"
#include "base/os.h"

struct mm_watchdog {
	const struct mm_server *server;
	unsigned patience; /* seconds of one look, and between two */
	pthread_t thread;
	pthread_mutex_t lock; /* of ENDED */
	pthread_cond_t wake;
	bool ended;
	_Atomic bool hung;
};

/* One that took its time and failed; a refusal comes at once, and a server that is gone is not hung. */
static bool looks_hung(const struct mm_watchdog *dog)
{
	uint64_t begin = mm_now_ns();

	return mm_server_probe(dog->server, dog->patience, NULL) != 1 &&
	       mm_now_ns() - begin >= dog->patience * UINT64_C(1000000000);
}

/* Waits for the next look; false: there is none. */
static bool sleep_until_next(struct mm_watchdog *dog)
{
	struct timespec until;
	bool ended;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += dog->patience;
	(void)pthread_mutex_lock(&dog->lock);
	while (!dog->ended && pthread_cond_timedwait(&dog->wake, &dog->lock, &until) == 0)
		;
	ended = dog->ended;
	(void)pthread_mutex_unlock(&dog->lock);
	return !ended;
}

/* Twice, for when it was us who had been stopped for a while. */
static void *run(void *context)
{
	struct mm_watchdog *dog = context;

	if (mysql_thread_init() != 0)
		return NULL;
	while (sleep_until_next(dog)) {
		bool hung = looks_hung(dog);

		if (hung && looks_hung(dog))
			dog->hung = true;
	}
	mysql_thread_end();
	return NULL;
}

int mm_watchdog_start(const struct mm_server *server, unsigned seconds, struct mm_watchdog **out, struct mm_error *err)
{
	struct mm_watchdog *dog;
	pthread_condattr_t attributes;
	int why;

	*out = NULL;
	if (seconds == 0)
		return 0;
	dog = mm_alloc(sizeof(*dog));
	dog->server = server;
	dog->patience = (seconds + 1) / 2;
	(void)pthread_mutex_init(&dog->lock, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&dog->wake, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	why = pthread_create(&dog->thread, NULL, run, dog);
	if (why == 0) {
		*out = dog;
		return 0;
	}
	free(dog);
	errno = why;
	return mm_error_errno(err, "cannot start a thread that watches the server");
}

bool mm_watchdog_hung(const struct mm_watchdog *dog)
{
	return dog != NULL && dog->hung;
}

void mm_watchdog_stop(struct mm_watchdog *dog)
{
	if (dog == NULL)
		return;
	(void)pthread_mutex_lock(&dog->lock);
	dog->ended = true;
	(void)pthread_cond_signal(&dog->wake);
	(void)pthread_mutex_unlock(&dog->lock);
	(void)pthread_join(dog->thread, NULL);
	(void)pthread_cond_destroy(&dog->wake);
	(void)pthread_mutex_destroy(&dog->lock);
	free(dog);
}
