/*
 * The comparisons are the edges of a graph over cells. Each connected part is
 * covered by the fewest trails that walk every edge exactly once: a part with
 * 2k odd cells needs k of them (one when k is 0). They come out of one Euler
 * walk over the part, made possible by k - 1 bridges between odd cells, and
 * cut at the bridges. All of it is linear in cells and comparisons, but for
 * one sort of the comparisons.
 *
 * Balance: indices 2b+1 and 2b+2 are a block. A block draws an order of its
 * trails and a direction for each of them; one of its two indices runs that
 * order, the other one its exact reverse. So every comparison runs AB once and
 * BA once, and over a block every pass has the same mean place in time: linear
 * drift cancels out. Which index gets the reverse is drawn as well.
 *
 * Control: each visit of a trail to a cell that is the baseline of the
 * comparison before or after it is doubled. Both comparisons share the A/A
 * pair, and each is next to one of its halves: C1 B B' C2, at an end A' A B.
 */
#include "runners/schedule.h"

#include "base/memory.h"

#define NONE SIZE_MAX

struct edge {
	size_t ends[2];   /* cells, the smaller first */
	bool baseline[2]; /* is this end a baseline? Both are, when AB and BA are asked for. */
	bool bridge;      /* between trails: no comparison */
	bool walked;
	size_t slots[2]; /* where each end's pass of the pair stands */
};

/* One step of the walk: a cell, and the edge that led to it (NONE at the start of a part). */
struct step {
	size_t cell, edge;
};

/* Steps [first, first + count) of the walk; the edge of its first step is not part of it. */
struct trail {
	size_t first, count;
};

struct plan {
	const struct mm_matrix *matrix;
	size_t cell_count, comparison_count;
	struct edge *edges;
	size_t edge_count;
	size_t *edge_of; /* by comparison; NONE for a cell compared with itself */
	size_t *first;   /* by cell: where its edges begin in LINKS; one more entry at the end */
	size_t *links;   /* edge numbers */
	size_t *next;    /* by cell: its first link that the walk has not tried */
	struct step *walk;
	size_t walk_count;
	struct step *stack;
	struct trail *trails;
	size_t trail_count;
};

/* splitmix64 (Steele, Lea, Flood 2014): a counter through a mixer. Small, fixed for ever, good enough to shuffle. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

static uint64_t draw(uint64_t *state)
{
	return mix(*state += 0x9e3779b97f4a7c15U);
}

/* Uniform below LIMIT: values of the uneven rest are drawn again. */
static size_t draw_below(uint64_t *state, size_t limit)
{
	uint64_t value, rest = UINT64_MAX % limit;

	do
		value = draw(state);
	while (value >= UINT64_MAX - rest);
	return (size_t)(value % limit);
}

/* The generator of a block: seed, suite and block go through the generator one after the other. */
static uint64_t block_state(uint64_t seed, size_t suite, int block)
{
	uint64_t state = seed;

	state = draw(&state) + suite;
	return draw(&state) + (uint64_t)block;
}

/* A comparison on its way to becoming an edge. */
struct wish {
	size_t low, high, comparison;
};

static int by_cells(const void *a, const void *b)
{
	const struct wish *one = a, *two = b;

	if (one->low != two->low)
		return one->low < two->low ? -1 : 1;
	if (one->high != two->high)
		return one->high < two->high ? -1 : 1;
	return one->comparison < two->comparison ? -1 : 1;
}

/* Two comparisons of the same cells become one edge, or their passes would be run twice for nothing. */
static void make_edges(struct plan *plan)
{
	struct wish *wishes = mm_calloc(plan->comparison_count + 1, sizeof(*wishes));
	size_t count = 0;

	plan->edge_of = mm_calloc(plan->comparison_count + 1, sizeof(*plan->edge_of));
	/* bridges are fewer than half the cells */
	plan->edges = mm_calloc(plan->comparison_count + plan->cell_count / 2 + 1, sizeof(*plan->edges));
	for (size_t i = 0; i < plan->comparison_count; i++) {
		size_t a = plan->matrix->comparisons[i].baseline->index,
		       b = plan->matrix->comparisons[i].candidate->index;

		plan->edge_of[i] = NONE;
		if (a != b)
			wishes[count++] = (struct wish){ a < b ? a : b, a < b ? b : a, i };
	}
	qsort(wishes, count, sizeof(*wishes), by_cells);
	for (size_t i = 0; i < count; i++) {
		const struct wish *wish = &wishes[i];
		struct edge *edge;

		if (i == 0 || wish->low != wishes[i - 1].low || wish->high != wishes[i - 1].high)
			plan->edges[plan->edge_count++] = (struct edge){ .ends = { wish->low, wish->high } };
		edge = &plan->edges[plan->edge_count - 1];
		edge->baseline[plan->matrix->comparisons[wish->comparison].baseline->index == wish->high] = true;
		plan->edge_of[wish->comparison] = plan->edge_count - 1;
	}
	free(wishes);
}

/* FIRST, LINKS and NEXT from the edges that are there. */
static void link_edges(struct plan *plan)
{
	free(plan->first);
	free(plan->links);
	free(plan->next);
	plan->first = mm_calloc(plan->cell_count + 1, sizeof(*plan->first));
	plan->links = mm_calloc(2 * plan->edge_count + 1, sizeof(*plan->links));
	plan->next = mm_calloc(plan->cell_count + 1, sizeof(*plan->next));
	for (size_t i = 0; i < plan->edge_count; i++)
		for (int end = 0; end < 2; end++)
			plan->first[plan->edges[i].ends[end] + 1]++;
	for (size_t i = 0; i < plan->cell_count; i++)
		plan->first[i + 1] += plan->first[i];
	memcpy(plan->next, plan->first, plan->cell_count * sizeof(*plan->next));
	for (size_t i = 0; i < plan->edge_count; i++)
		for (int end = 0; end < 2; end++)
			plan->links[plan->next[plan->edges[i].ends[end]]++] = i;
	memcpy(plan->next, plan->first, plan->cell_count * sizeof(*plan->next));
}

static size_t other_end(const struct edge *edge, size_t cell)
{
	return edge->ends[edge->ends[0] == cell];
}

static bool is_odd(const struct plan *plan, size_t cell)
{
	return (plan->first[cell + 1] - plan->first[cell]) % 2 == 1;
}

/*
 * Goes through the part that START belongs to (SEEN marks its cells, QUEUE is scratch). Its odd cells o1, o2, o3 … are
 * joined by bridges o2-o3, o4-o5 …, so that only o1 and the last one stay odd. BEGIN: where a walk over it must begin.
 */
static void bridge_part(struct plan *plan, size_t start, bool *seen, size_t *queue, size_t *begin)
{
	size_t count = 0, odd = 0, waiting = NONE;

	queue[count++] = start;
	seen[start] = true;
	*begin = start;
	for (size_t at = 0; at < count; at++) {
		size_t cell = queue[at];

		for (size_t i = plan->first[cell]; i < plan->first[cell + 1]; i++) {
			size_t other = other_end(&plan->edges[plan->links[i]], cell);

			if (!seen[other]) {
				seen[other] = true;
				queue[count++] = other;
			}
		}
		if (!is_odd(plan, cell))
			continue;
		if (odd++ == 0) {
			*begin = cell;
		} else if (waiting == NONE) {
			waiting = cell;
		} else {
			/* added to the links only when every part is done: degrees must stay as they are until then */
			plan->edges[plan->edge_count++] = (struct edge){ .ends = { waiting, cell }, .bridge = true };
			waiting = NONE;
		}
	}
}

/* Hierholzer's algorithm with its own stack: appends the walk over START's part to the walk. */
static void walk_part(struct plan *plan, size_t start)
{
	size_t depth = 0;

	plan->stack[depth++] = (struct step){ start, NONE };
	while (depth > 0) {
		struct step top = plan->stack[depth - 1];
		struct edge *edge = NULL;

		while (plan->next[top.cell] < plan->first[top.cell + 1]) {
			size_t number = plan->links[plan->next[top.cell]++];

			if (plan->edges[number].walked)
				continue;
			edge = &plan->edges[number];
			edge->walked = true;
			plan->stack[depth++] = (struct step){ other_end(edge, top.cell), number };
			break;
		}
		if (edge == NULL) {
			plan->walk[plan->walk_count++] = top;
			depth--;
		}
	}
}

/*
 * Cuts the walk, steps [from, walk_count), at its bridges. A walk comes out of the stack backwards: the edge of a step
 * leads from the step behind it in the array.
 */
static void cut_walk(struct plan *plan, size_t from)
{
	size_t begin = from;

	for (size_t i = from; i < plan->walk_count; i++) {
		size_t edge = plan->walk[i].edge;

		if (edge != NONE && !plan->edges[edge].bridge)
			continue;
		plan->trails[plan->trail_count++] = (struct trail){ begin, i + 1 - begin };
		begin = i + 1;
	}
}

static void make_trails(struct plan *plan)
{
	bool *seen = mm_calloc(plan->cell_count + 1, sizeof(*seen));
	size_t *queue = mm_calloc(plan->cell_count + 1, sizeof(*queue));
	size_t *begins = mm_calloc(plan->cell_count + 1, sizeof(*begins));
	size_t part_count = 0, limit;

	for (size_t cell = 0; cell < plan->cell_count; cell++)
		if (!seen[cell])
			bridge_part(plan, cell, seen, queue, &begins[part_count++]);
	link_edges(plan);
	limit = plan->edge_count + plan->cell_count + 1; /* each part's walk has one step more than edges */
	plan->walk = mm_calloc(limit, sizeof(*plan->walk));
	plan->stack = mm_calloc(limit, sizeof(*plan->stack));
	plan->trails = mm_calloc(limit, sizeof(*plan->trails));
	for (size_t part = 0; part < part_count; part++) {
		size_t from = plan->walk_count;

		walk_part(plan, begins[part]);
		cut_walk(plan, from);
	}
	free(seen);
	free(queue);
	free(begins);
}

static bool is_baseline(const struct edge *edge, size_t cell)
{
	return edge != NULL && edge->baseline[edge->ends[1] == cell];
}

static void add_slot(struct mm_order *order, size_t *capacity, size_t cell, size_t trail)
{
	order->slots = mm_grow(order->slots, order->slot_count, capacity, sizeof(*order->slots));
	order->slots[order->slot_count++] = (struct mm_slot){ .cell = cell, .trail = trail };
}

/* Lays a trail down as slots, forwards or backwards, and notes where each edge's pair came to stand. */
static void lay_trail(struct plan *plan, const struct trail *trail, bool backwards, struct mm_order *order,
		      size_t *capacity)
{
	for (size_t i = 0; i < trail->count; i++) {
		size_t at = trail->first + (backwards ? trail->count - 1 - i : i);
		size_t cell = plan->walk[at].cell;
		/* the edge of a step joins it with the next one of the array */
		struct edge *down = at > trail->first ? &plan->edges[plan->walk[at - 1].edge] : NULL;
		struct edge *up = at + 1 < trail->first + trail->count ? &plan->edges[plan->walk[at].edge] : NULL;
		struct edge *before = backwards ? up : down, *after = backwards ? down : up;

		add_slot(order, capacity, cell, order->trail_count);
		if (before != NULL)
			before->slots[before->ends[1] == cell] = order->slot_count - 1;
		if (plan->matrix->schedule.control && (is_baseline(before, cell) || is_baseline(after, cell)))
			add_slot(order, capacity, cell, order->trail_count);
		if (after != NULL)
			after->slots[after->ends[1] == cell] = order->slot_count - 1;
	}
	order->trail_count++;
}

/* Turns the whole order round: slots, numbers of trails, and what the edges know. */
static void reverse(struct plan *plan, struct mm_order *order)
{
	for (size_t low = 0, high = order->slot_count; low + 1 < high; low++) {
		struct mm_slot slot = order->slots[low];

		order->slots[low] = order->slots[--high];
		order->slots[high] = slot;
	}
	for (size_t i = 0; i < order->slot_count; i++)
		order->slots[i].trail = order->trail_count - 1 - order->slots[i].trail;
	for (size_t i = 0; i < plan->edge_count; i++)
		for (int end = 0; end < 2; end++)
			plan->edges[i].slots[end] = order->slot_count - 1 - plan->edges[i].slots[end];
}

static void number_visits(const struct plan *plan, struct mm_order *order)
{
	int *visits = mm_calloc(plan->cell_count + 1, sizeof(*visits));

	for (size_t i = 0; i < order->slot_count; i++)
		order->slots[i].visit = ++visits[order->slots[i].cell];
	free(visits);
}

/* The visit in the slot beside AT that repeats its cell in the same trail; 0: there is none. */
static int twin_visit(const struct mm_order *order, size_t at)
{
	const struct mm_slot *slot = &order->slots[at];

	if (at > 0 && slot[-1].cell == slot->cell && slot[-1].trail == slot->trail)
		return slot[-1].visit;
	if (at + 1 < order->slot_count && slot[1].cell == slot->cell && slot[1].trail == slot->trail)
		return slot[1].visit;
	return 0;
}

static void make_pairs(const struct plan *plan, struct mm_order *order)
{
	order->pairs = mm_calloc(plan->comparison_count + 1, sizeof(*order->pairs));
	for (size_t i = 0; i < plan->comparison_count; i++) {
		const struct edge *edge;
		size_t baseline;
		int end;

		if (plan->edge_of[i] == NONE) {
			order->pairs[i] = (struct mm_pair){ 1, 1, 0 };
			continue;
		}
		edge = &plan->edges[plan->edge_of[i]];
		end = edge->ends[1] == plan->matrix->comparisons[i].baseline->index;
		baseline = edge->slots[end];
		order->pairs[i] = (struct mm_pair){
			.baseline_visit = order->slots[baseline].visit,
			.candidate_visit = order->slots[edge->slots[!end]].visit,
			.control_visit = plan->matrix->schedule.control ? twin_visit(order, baseline) : 0,
		};
	}
}

static void shuffle(struct trail *trails, size_t count, uint64_t *state)
{
	for (size_t left = count; left > 1; left--) {
		size_t pick = draw_below(state, left);
		struct trail last = trails[left - 1];

		trails[left - 1] = trails[pick];
		trails[pick] = last;
	}
}

void mm_order_make(const struct mm_matrix *matrix, size_t suite, int index, struct mm_order *order)
{
	struct plan plan = {
		.matrix = matrix,
		.cell_count = matrix->cell_count,
		.comparison_count = matrix->comparison_count,
	};
	uint64_t state = block_state(matrix->schedule.seed, suite, (index - 1) / 2);
	bool second = (index - 1) % 2 == 1, swapped;
	size_t capacity = 0;

	*order = (struct mm_order){ 0 };
	make_edges(&plan);
	link_edges(&plan);
	make_trails(&plan);
	swapped = draw(&state) % 2 == 1;
	shuffle(plan.trails, plan.trail_count, &state);
	for (size_t i = 0; i < plan.trail_count; i++)
		lay_trail(&plan, &plan.trails[i], draw(&state) % 2 == 1, order, &capacity);
	if (second != swapped)
		reverse(&plan, order);
	number_visits(&plan, order);
	make_pairs(&plan, order);
	free(plan.edges);
	free(plan.edge_of);
	free(plan.first);
	free(plan.links);
	free(plan.next);
	free(plan.walk);
	free(plan.stack);
	free(plan.trails);
}

void mm_order_release(struct mm_order *order)
{
	free(order->slots);
	free(order->pairs);
	*order = (struct mm_order){ 0 };
}
