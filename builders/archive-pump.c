#include "builders/archive-pump.h"

#include <archive.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/memory.h"

enum { PIECE = 1 << 18, PIECES = 8 };

struct piece {
	char bytes[PIECE];
	ssize_t length; /* as mm_pump_next returns it */
};

struct mm_pump {
	struct archive *source;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned filled, emptied; /* pieces so far; the one being looked at counts as not emptied */
	bool stop, looking, threaded;
	_Atomic uint64_t taken;
	struct piece *pieces;
};

static void fill(struct mm_pump *pump, struct piece *piece)
{
	piece->length = archive_read_data(pump->source, piece->bytes, sizeof piece->bytes);
	if (piece->length < 0)
		piece->length = -1;
	int64_t taken = archive_filter_bytes(pump->source, -1);
	atomic_store_explicit(&pump->taken, taken > 0 ? (uint64_t)taken : 0, memory_order_relaxed);
}

static void *run(void *context)
{
	struct mm_pump *pump = context;
	bool more = true;
	while (more) {
		pthread_mutex_lock(&pump->mutex);
		while (!pump->stop && pump->filled - pump->emptied == PIECES)
			pthread_cond_wait(&pump->changed, &pump->mutex);
		more = !pump->stop;
		pthread_mutex_unlock(&pump->mutex);
		if (!more)
			break;
		struct piece *piece = &pump->pieces[pump->filled % PIECES];
		fill(pump, piece);
		more = piece->length > 0;
		pthread_mutex_lock(&pump->mutex);
		pump->filled++;
		pthread_cond_broadcast(&pump->changed);
		pthread_mutex_unlock(&pump->mutex);
	}
	return NULL;
}

struct mm_pump *mm_pump_start(struct archive *source)
{
	struct mm_pump *pump = mm_alloc(sizeof *pump);
	pump->source = source;
	pump->pieces = mm_calloc(PIECES, sizeof *pump->pieces);
	pthread_mutex_init(&pump->mutex, NULL);
	pthread_cond_init(&pump->changed, NULL);
	/* without a thread it goes on, one piece at a time */
	pump->threaded = pthread_create(&pump->thread, NULL, run, pump) == 0;
	return pump;
}

ssize_t mm_pump_next(struct mm_pump *pump, const void **piece)
{
	if (!pump->threaded) {
		fill(pump, &pump->pieces[0]);
		*piece = pump->pieces[0].bytes;
		return pump->pieces[0].length;
	}
	pthread_mutex_lock(&pump->mutex);
	if (pump->looking)
		pump->emptied++;
	pump->looking = true;
	pthread_cond_broadcast(&pump->changed);
	while (pump->filled == pump->emptied)
		pthread_cond_wait(&pump->changed, &pump->mutex);
	struct piece *next = &pump->pieces[pump->emptied % PIECES];
	if (next->length <= 0)
		pump->looking = false; /* the end stays where it is, however often it is asked for */
	pthread_mutex_unlock(&pump->mutex);
	*piece = next->bytes;
	return next->length;
}

uint64_t mm_pump_taken(const struct mm_pump *pump)
{
	return atomic_load_explicit(&pump->taken, memory_order_relaxed);
}

void mm_pump_stop(struct mm_pump *pump)
{
	if (!pump)
		return;
	if (pump->threaded) {
		pthread_mutex_lock(&pump->mutex);
		pump->stop = true;
		pthread_cond_broadcast(&pump->changed);
		pthread_mutex_unlock(&pump->mutex);
		pthread_join(pump->thread, NULL);
	}
	pthread_cond_destroy(&pump->changed);
	pthread_mutex_destroy(&pump->mutex);
	free(pump->pieces);
	free(pump);
}
