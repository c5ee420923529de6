/*
 * The order of passes. Within a pass index every comparison is two passes next
 * to each other, AB or BA; over each block of two indices both directions
 * occur once, which one first is drawn from the seed. Comparisons that share
 * cells are walked as trails through the graph whose edges are comparisons: a
 * cell that several comparisons need is visited again where it must be, so
 * that no comparison is ever stretched over other cells. With a control, each
 * trail's baseline is visited twice in a row.
 */
#ifndef MM_RUNNERS_SCHEDULE_H
#define MM_RUNNERS_SCHEDULE_H

#include "matrix/matrix.h"

struct mm_slot {
	size_t cell;  /* index in matrix->cells */
	int visit;    /* from 1, counted within the pass index */
	size_t trail; /* slots of one trail stand together: the unit that is redone after an interruption */
};

/* Which two passes of an index make a comparison's pair, and its A/A pair when there is a control. */
struct mm_pair {
	int baseline_visit, candidate_visit;
	int control_visit; /* the baseline's other visit, 0: none */
};

struct mm_order {
	struct mm_slot *slots;
	size_t slot_count;
	struct mm_pair *pairs; /* one for each comparison of the matrix, in its order */
	size_t trail_count;
};

/* The order of pass INDEX (from 1) of suite number SUITE. Cells without a comparison are trails of one slot. */
void mm_order_make(const struct mm_matrix *matrix, size_t suite, int index, struct mm_order *order);
void mm_order_release(struct mm_order *order);

#endif
