#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/os.h"
#include "runners/schedule.h"

/* A matrix of bare cells and comparisons: the order asks for no more. */
static struct mm_matrix *matrix_of(size_t cells, const size_t (*pairs)[2], size_t count, bool control)
{
	struct mm_matrix *matrix = mm_alloc(sizeof(*matrix));

	matrix->schedule.seed = 1;
	matrix->schedule.control = control;
	matrix->cell_count = cells;
	matrix->cells = mm_calloc(cells + 1, sizeof(*matrix->cells));
	for (size_t i = 0; i < cells; i++)
		matrix->cells[i].index = i;
	matrix->comparison_count = count;
	matrix->comparisons = mm_calloc(count + 1, sizeof(*matrix->comparisons));
	for (size_t i = 0; i < count; i++) {
		matrix->comparisons[i].baseline = &matrix->cells[pairs[i][0]];
		matrix->comparisons[i].candidate = &matrix->cells[pairs[i][1]];
	}
	return matrix;
}

static void matrix_drop(struct mm_matrix *matrix)
{
	free(matrix->cells);
	free(matrix->comparisons);
	free(matrix);
}

/* The order as text, for small cases: cells as letters, repeated visits with their number, trails apart. */
static char *order_text(const struct mm_order *order)
{
	struct mm_buffer text = MM_BUFFER_INIT;

	for (size_t i = 0; i < order->slot_count; i++) {
		if (i > 0)
			mm_buffer_puts(&text, order->slots[i].trail == order->slots[i - 1].trail ? " " : " | ");
		mm_buffer_putc(&text, (char)('A' + order->slots[i].cell));
		if (order->slots[i].visit > 1)
			mm_buffer_printf(&text, "%d", order->slots[i].visit);
	}
	return mm_buffer_detach(&text);
}

static char *text_of(const struct mm_matrix *matrix, size_t suite, int index)
{
	struct mm_order order;
	char *text;

	mm_order_make(matrix, suite, index, &order);
	text = order_text(&order);
	mm_order_release(&order);
	return text;
}

static void assert_one_of(char *text, const char *a, const char *b)
{
	if (strcmp(text, a) != 0 && strcmp(text, b) != 0)
		fail_msg("'%s' is neither '%s' nor '%s'", text, a, b);
}

/* Both directions of A and B occur once in each block of two indices. */
static void one_comparison(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 } };
	struct mm_matrix *matrix = matrix_of(2, pairs, 1, false);
	int forward_first = 0;

	(void)state;
	for (int block = 0; block < 64; block++) {
		char *first = text_of(matrix, 0, 2 * block + 1), *second = text_of(matrix, 0, 2 * block + 2);

		assert_one_of(first, "A B", "B A");
		assert_one_of(second, "A B", "B A");
		assert_string_not_equal(first, second);
		forward_first += strcmp(first, "A B") == 0;
		free(first);
		free(second);
	}
	/* the first direction is drawn, not fixed; the seed is, and so is this count */
	assert_in_range(forward_first, 20, 44);
	matrix_drop(matrix);
}

static void one_comparison_with_control(void **state)
{
	static const size_t pairs[][2] = { { 1, 0 } }; /* the baseline is the second cell */
	struct mm_matrix *matrix = matrix_of(2, pairs, 1, true);

	(void)state;
	for (int index = 1; index <= 4; index++) {
		struct mm_order order;
		char *text;

		mm_order_make(matrix, 0, index, &order);
		text = order_text(&order);
		assert_one_of(text, "B B2 A", "A B B2");
		assert_int_equal(order.pairs[0].candidate_visit, 1);
		assert_int_equal(order.pairs[0].baseline_visit, strcmp(text, "B B2 A") == 0 ? 2 : 1);
		assert_int_equal(order.pairs[0].control_visit, 3 - order.pairs[0].baseline_visit);
		free(text);
		mm_order_release(&order);
	}
	matrix_drop(matrix);
}

/* A baseline with two candidates stands between them, once; with a control it is doubled there and both share it. */
static void baseline_between_candidates(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 0, 2 } };
	struct mm_matrix *matrix = matrix_of(3, pairs, 2, false);
	char *text = text_of(matrix, 0, 1);

	(void)state;
	assert_one_of(text, "B A C", "C A B");
	free(text);
	matrix->schedule.control = true;
	text = text_of(matrix, 0, 1);
	assert_one_of(text, "B A A2 C", "C A A2 B");
	free(text);
	matrix_drop(matrix);
}

/* Two axes compared on four cells: a ring, walked once around. */
static void ring_is_one_trail(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 2, 3 }, { 0, 2 }, { 1, 3 } };
	struct mm_matrix *matrix = matrix_of(4, pairs, 4, false);
	struct mm_order order;

	(void)state;
	mm_order_make(matrix, 0, 1, &order);
	assert_int_equal(order.slot_count, 5);
	assert_int_equal(order.trail_count, 1);
	mm_order_release(&order);
	matrix_drop(matrix);
}

static void cells_without_comparison_run_alone(void **state)
{
	struct mm_matrix *matrix = matrix_of(3, NULL, 0, true);
	struct mm_order order;

	(void)state;
	mm_order_make(matrix, 0, 1, &order);
	assert_int_equal(order.slot_count, 3);
	assert_int_equal(order.trail_count, 3);
	mm_order_release(&order);
	matrix_drop(matrix);
}

static void same_comparison_twice_costs_nothing(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
	struct mm_matrix *matrix = matrix_of(2, pairs, 4, false);
	struct mm_order order;

	(void)state;
	mm_order_make(matrix, 0, 1, &order);
	assert_int_equal(order.slot_count, 2);
	mm_order_release(&order);
	matrix->schedule.control = true;
	mm_order_make(matrix, 0, 1, &order);
	assert_int_equal(order.slot_count, 4); /* both are baselines */
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(order.pairs[i].control_visit, 0);
	mm_order_release(&order);
	matrix_drop(matrix);
}

/* Where a visit of a cell stands. */
static size_t find_slot(const struct mm_order *order, size_t cell, int visit)
{
	for (size_t i = 0; i < order->slot_count; i++)
		if (order->slots[i].cell == cell && order->slots[i].visit == visit)
			return i;
	fail_msg("visit %d of cell %zu is not in the order", visit, cell);
	return 0;
}

static bool adjacent(size_t a, size_t b)
{
	return a + 1 == b || b + 1 == a;
}

/* Every cell visited, visits numbered in order, trails standing together and numbered in order. */
static void check_slots(const struct mm_matrix *matrix, const struct mm_order *order)
{
	int *visits = mm_calloc(matrix->cell_count, sizeof(*visits));
	size_t trail = 0;

	for (size_t i = 0; i < order->slot_count; i++) {
		const struct mm_slot *slot = &order->slots[i];

		assert_true(slot->cell < matrix->cell_count);
		assert_int_equal(slot->visit, ++visits[slot->cell]);
		assert_true(slot->trail == trail || (i > 0 && slot->trail == trail + 1));
		trail = slot->trail;
	}
	assert_int_equal(trail + 1, order->trail_count);
	for (size_t i = 0; i < matrix->cell_count; i++)
		assert_true(visits[i] > 0);
	free(visits);
}

/* Every comparison is two slots of one trail next to each other; its A/A pair too. Returns the direction of each. */
static void check_pairs(const struct mm_matrix *matrix, const struct mm_order *order, int *directions)
{
	for (size_t i = 0; i < matrix->comparison_count; i++) {
		const struct mm_pair *pair = &order->pairs[i];
		size_t a = find_slot(order, matrix->comparisons[i].baseline->index, pair->baseline_visit);
		size_t b = find_slot(order, matrix->comparisons[i].candidate->index, pair->candidate_visit);

		assert_true(adjacent(a, b));
		assert_int_equal(order->slots[a].trail, order->slots[b].trail);
		directions[i] = a < b ? 1 : -1;
		if (!matrix->schedule.control) {
			assert_int_equal(pair->control_visit, 0);
			continue;
		}
		size_t twin = find_slot(order, matrix->comparisons[i].baseline->index, pair->control_visit);

		assert_true(adjacent(a, twin));
		assert_int_equal(order->slots[a].trail, order->slots[twin].trail);
	}
}

/* The fewest trails: half the odd cells of each connected part, at least one. By union-find, not by walking. */
static size_t fewest_trails(const struct mm_matrix *matrix)
{
	size_t *root = mm_calloc(matrix->cell_count, sizeof(*root)), *odd = mm_calloc(matrix->cell_count, sizeof(*odd));
	size_t *degree = mm_calloc(matrix->cell_count, sizeof(*degree)), trails = 0;

	for (size_t i = 0; i < matrix->cell_count; i++)
		root[i] = i;
	for (size_t i = 0; i < matrix->comparison_count; i++) {
		size_t a = matrix->comparisons[i].baseline->index, b = matrix->comparisons[i].candidate->index;

		degree[a]++;
		degree[b]++;
		while (root[a] != a)
			a = root[a];
		while (root[b] != b)
			b = root[b];
		root[a] = b;
	}
	for (size_t i = 0; i < matrix->cell_count; i++) {
		size_t top = i;

		while (root[top] != top)
			top = root[top];
		odd[top] += degree[i] % 2;
	}
	for (size_t i = 0; i < matrix->cell_count; i++)
		if (root[i] == i)
			trails += odd[i] == 0 ? 1 : odd[i] / 2;
	free(root);
	free(odd);
	free(degree);
	return trails;
}

/* A fixed generator, so that a failure can be seen again. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static struct mm_matrix *random_matrix(uint64_t *state)
{
	size_t cells = 1 + next_random(state) % 12, wanted = next_random(state) % 20, count = 0;
	size_t pairs[20][2];

	for (size_t i = 0; i < wanted && cells > 1; i++) {
		size_t a = next_random(state) % cells, b = next_random(state) % cells;
		bool known = a == b;

		for (size_t k = 0; k < count; k++)
			known |= (pairs[k][0] == a && pairs[k][1] == b) || (pairs[k][0] == b && pairs[k][1] == a);
		if (known)
			continue;
		pairs[count][0] = a;
		pairs[count++][1] = b;
	}
	return matrix_of(cells, (const size_t(*)[2])pairs, count, next_random(state) % 2 == 1);
}

/* The second index is the first one backwards: each pass has the same mean place over a block, so linear drift cancels.
 */
static void check_block(const struct mm_order *first, const struct mm_order *second)
{
	assert_int_equal(first->slot_count, second->slot_count);
	for (size_t i = 0; i < first->slot_count; i++)
		assert_int_equal(first->slots[i].cell, second->slots[second->slot_count - 1 - i].cell);
}

static void properties_on_random_graphs(void **state)
{
	uint64_t random = 20240607;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct mm_matrix *matrix = random_matrix(&random);
		int directions[2][20];
		struct mm_order orders[2];
		size_t suite = next_random(&random) % 3;
		int block = (int)(next_random(&random) % 5);

		matrix->schedule.seed = next_random(&random);
		for (int i = 0; i < 2; i++) {
			mm_order_make(matrix, suite, 2 * block + 1 + i, &orders[i]);
			check_slots(matrix, &orders[i]);
			check_pairs(matrix, &orders[i], directions[i]);
			assert_int_equal(orders[i].trail_count, fewest_trails(matrix));
			if (!matrix->schedule.control)
				assert_int_equal(orders[i].slot_count,
						 matrix->comparison_count + fewest_trails(matrix));
		}
		for (size_t i = 0; i < matrix->comparison_count; i++)
			assert_int_equal(directions[0][i], -directions[1][i]);
		check_block(&orders[0], &orders[1]);
		mm_order_release(&orders[0]);
		mm_order_release(&orders[1]);
		matrix_drop(matrix);
	}
}

/* The texts of 16 indices of a suite, one after the other. */
static char *whole_text(const struct mm_matrix *matrix, size_t suite)
{
	struct mm_buffer all = MM_BUFFER_INIT;

	for (int index = 1; index <= 16; index++) {
		char *text = text_of(matrix, suite, index);

		mm_buffer_printf(&all, "%s\n", text);
		free(text);
	}
	return mm_buffer_detach(&all);
}

static void deterministic_and_seeded(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 0, 2 }, { 3, 4 }, { 5, 6 } };
	struct mm_matrix *matrix = matrix_of(8, pairs, 4, false);
	char *one = whole_text(matrix, 0), *again = whole_text(matrix, 0), *other_suite = whole_text(matrix, 1);
	char *other_seed;

	(void)state;
	matrix->schedule.seed = 2;
	other_seed = whole_text(matrix, 0);
	assert_string_equal(one, again);
	assert_string_not_equal(one, other_suite);
	assert_string_not_equal(one, other_seed);
	free(one);
	free(again);
	free(other_suite);
	free(other_seed);
	matrix_drop(matrix);
}

/* The order belongs to the evidence: the same seed gives it for ever, on every machine. */
static void known_order_of_seed_1(void **state)
{
	static const size_t pairs[][2] = { { 0, 1 }, { 2, 3 } };
	struct mm_matrix *matrix = matrix_of(5, pairs, 2, true);
	char *text = whole_text(matrix, 0);

	(void)state;
	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, "C C2 D | E | B A A2");
	free(text);
	matrix_drop(matrix);
}

/* A star and a chain of 100,000 cells: linear, or this test would not end. */
static void hundred_thousand_cells(void **state)
{
	enum { CELLS = 100000 };
	size_t(*pairs)[2] = mm_calloc(CELLS, sizeof(*pairs));
	uint64_t begin = mm_now_ns();

	(void)state;
	for (int star = 0; star < 2; star++) {
		struct mm_matrix *matrix;
		struct mm_order order;

		for (size_t i = 0; i + 1 < CELLS; i++) {
			pairs[i][0] = star ? 0 : i;
			pairs[i][1] = i + 1;
		}
		matrix = matrix_of(CELLS, (const size_t(*)[2])pairs, CELLS - 1, true);
		mm_order_make(matrix, 0, 1, &order);
		assert_int_equal(order.trail_count, star ? CELLS / 2 : 1);
		check_slots(matrix, &order);
		mm_order_release(&order);
		matrix_drop(matrix);
	}
	print_message("two orders of %d cells: %.0f ms\n", CELLS, (double)(mm_now_ns() - begin) / 1e6);
	free(pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_comparison),
		cmocka_unit_test(one_comparison_with_control),
		cmocka_unit_test(baseline_between_candidates),
		cmocka_unit_test(ring_is_one_trail),
		cmocka_unit_test(cells_without_comparison_run_alone),
		cmocka_unit_test(same_comparison_twice_costs_nothing),
		cmocka_unit_test(properties_on_random_graphs),
		cmocka_unit_test(deterministic_and_seeded),
		cmocka_unit_test(known_order_of_seed_1),
		cmocka_unit_test(hundred_thousand_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
