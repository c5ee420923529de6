/* The order of a whole run, trail by trail, and which of them still lack passes. */
#include "base/fs.h"
#include "base/memory.h"
#include "executors/bench.h"
#include "runners/pass.h"

static size_t end_of_trail(const struct mm_order *order, size_t begin)
{
	size_t end = begin + 1;
	while (end < order->slot_count && order->slots[end].trail == order->slots[begin].trail)
		end++;
	return end;
}

/* Visits the trails of one order; the position moves on. */
static int visit_order(const struct mm_matrix *matrix, struct mm_trail *trail,
		       int (*visit)(void *context, const struct mm_trail *trail, struct mm_error *err), void *context,
		       struct mm_error *err)
{
	struct mm_order order;
	int code = 0;
	mm_order_make(matrix, trail->suite, trail->index, &order);
	trail->number = 0;
	for (size_t begin = 0, end; begin < order.slot_count && !code; begin = end) {
		end = end_of_trail(&order, begin);
		trail->slots = order.slots + begin;
		trail->slot_count = end - begin;
		code = visit(context, trail, err);
		trail->position += (int)trail->slot_count;
		trail->number++;
	}
	trail->slots = NULL;
	mm_order_release(&order);
	return code;
}

int mm_trails_each(const struct mm_matrix *matrix,
		   int (*visit)(void *context, const struct mm_trail *trail, struct mm_error *err), void *context,
		   struct mm_error *err)
{
	struct mm_trail trail = { .position = 1 };
	int code = 0;
	for (trail.suite = 0; trail.suite < matrix->suite_count && !code; trail.suite++)
		for (trail.index = 1; trail.index <= matrix->suites[trail.suite].passes && !code; trail.index++)
			code = visit_order(matrix, &trail, visit, context, err);
	return code;
}

int mm_trails_of_index(const struct mm_matrix *matrix, size_t suite, int index,
		       int (*visit)(void *context, const struct mm_trail *trail, struct mm_error *err), void *context,
		       struct mm_error *err)
{
	struct mm_trail trail = { .suite = suite, .index = index, .position = 1 };
	return visit_order(matrix, &trail, visit, context, err);
}

/* Is the pass of SLOT there, and to be kept? */
static bool have_pass(const struct mm_run *run, const struct mm_trail *trail, const struct mm_slot *slot,
		      bool retry_failed)
{
	const char *cell = run->matrix->cells[slot->cell].id, *suite = run->matrix->suites[trail->suite].name;
	char *path = mm_pass_path(run->folder, cell, suite, trail->index, slot->visit);
	bool have = mm_fs_exists(path);
	if (have && retry_failed) {
		struct mm_pass pass;
		have = mm_pass_load(path, &pass, NULL) == 0 && !pass.failure &&
		       mm_pass_is(&pass, run->name, cell, suite, trail->index, slot->visit);
		mm_pass_release(&pass);
	}
	free(path);
	return have;
}

bool mm_trail_complete(const struct mm_run *run, const struct mm_trail *trail, bool retry_failed)
{
	bool complete = true;
	for (size_t i = 0; i < trail->slot_count && complete; i++) {
		const struct mm_slot *slot = &trail->slots[i];
		complete = run->cells[slot->cell].code || have_pass(run, trail, slot, retry_failed);
	}
	return complete;
}
