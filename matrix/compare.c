/* From "compare" to pairs of cells. The cost is linear in the cells that are looked at, whatever the number of entries.
 */
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

/* Cells by the value that they have on one axis: those of value V are order[start[V]] to order[start[V + 1]]. */
struct buckets {
	size_t *start; /* NULL: not made yet */
	size_t *order;
	size_t values;
};

struct comparing {
	struct mm_reader *reader;
	struct mm_matrix *matrix;
	struct buckets buckets[MM_AXIS_COUNT];
	struct mm_index known; /* ids of comparisons */
	size_t capacity;
	size_t walked;
	struct mm_buffer scratch;
};

/* Bits are 32, 64, 0; all other values are counted from 0. */
static size_t values_of(const struct mm_matrix *matrix, enum mm_axis axis)
{
	const size_t sizes[MM_AXIS_COUNT] = { matrix->source_count, matrix->toolchain_count, 65, matrix->flagset_count,
					      matrix->config_count };
	return sizes[axis];
}

static const struct buckets *buckets_of(struct comparing *x, enum mm_axis axis)
{
	struct buckets *buckets = &x->buckets[axis];
	if (buckets->start)
		return buckets;
	const struct mm_matrix *matrix = x->matrix;
	buckets->values = values_of(matrix, axis);
	buckets->start = mm_calloc(buckets->values + 2, sizeof *buckets->start);
	buckets->order = mm_calloc(matrix->cell_count + 1, sizeof *buckets->order);
	/* A counting sort: each count is kept two places on, so that after summing it is where filling begins. */
	for (size_t i = 0; i < matrix->cell_count; i++) {
		int value = mm_cell_point(matrix, &matrix->cells[i]).at[axis];
		if (value >= 0)
			buckets->start[value + 2]++;
	}
	for (size_t value = 2; value < buckets->values + 2; value++)
		buckets->start[value] += buckets->start[value - 1];
	for (size_t i = 0; i < matrix->cell_count; i++) {
		int value = mm_cell_point(matrix, &matrix->cells[i]).at[axis];
		if (value >= 0)
			buckets->order[buckets->start[value + 1]++] = i;
	}
	return buckets;
}

/* Axes whose values differ. Bits of packages count where both sides say them. */
static unsigned changed_axes(const struct mm_matrix *matrix, const struct mm_cell *a, const struct mm_cell *b)
{
	struct mm_point x = mm_cell_point(matrix, a), y = mm_cell_point(matrix, b);
	unsigned changed = 0;
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++)
		if (axis != MM_AXIS_BITS && x.at[axis] != y.at[axis])
			changed |= 1u << axis;
	bool both_known = (a->toolchain || a->bits) && (b->toolchain || b->bits);
	if (both_known && a->bits != b->bits)
		changed |= 1u << MM_AXIS_BITS;
	return changed;
}

/* Adds the pair unless it is there already. */
static int add(struct comparing *x, const struct mm_at *at, const struct mm_cell *baseline,
	       const struct mm_cell *candidate)
{
	struct mm_matrix *matrix = x->matrix;
	char *id = mm_format("%s vs %s", baseline->id, candidate->id);
	if (mm_index_find(&x->known, id, NULL)) {
		free(id);
		return 0;
	}
	if (matrix->comparison_count == MM_COMPARISONS_MOST) {
		free(id);
		return mm_reader_fail(x->reader, at, "that makes more than %d comparisons", MM_COMPARISONS_MOST);
	}
	matrix->comparisons =
		mm_grow(matrix->comparisons, matrix->comparison_count, &x->capacity, sizeof *matrix->comparisons);
	matrix->comparisons[matrix->comparison_count] =
		(struct mm_comparison){ .id = id,
					.baseline = baseline,
					.candidate = candidate,
					.changed = changed_axes(matrix, baseline, candidate) };
	(void)mm_index_add(&x->known, id, matrix->comparison_count++);
	return 0;
}

/* NULL, with the error set, when VALUE is not the id of a cell. */
static const struct mm_cell *find_cell(struct comparing *x, const struct mm_at *at, const json_t *value)
{
	if (!json_is_string(value)) {
		(void)mm_value_expected(x->reader, at, "the id of a cell (or add 'axis')", value);
		return NULL;
	}
	const char *id = json_string_value(value);
	const struct mm_cell *cell = mm_matrix_cell(x->matrix, id);
	if (cell)
		return cell;
	struct mm_strings known = MM_STRINGS_INIT;
	for (size_t i = 0; i < x->matrix->cell_count; i++)
		mm_strings_push(&known, x->matrix->cells[i].id);
	(void)mm_reader_fail(x->reader, at, "there is no cell '%s'%s", mm_clean(id).text, mm_hint(id, &known).text);
	return NULL;
}

static int compare_cells(struct comparing *x, const struct mm_at *at, const json_t *entry)
{
	const struct mm_at baseline_at = { at, "baseline", 0 }, candidate_at = { at, "candidate", 0 };
	const struct mm_cell *baseline = find_cell(x, &baseline_at, json_object_get(entry, "baseline"));
	const struct mm_cell *candidate =
		baseline ? find_cell(x, &candidate_at, json_object_get(entry, "candidate")) : NULL;
	if (!baseline || !candidate)
		return MM_EMATRIX;
	if (baseline == candidate)
		return mm_reader_fail(x->reader, &candidate_at,
				      "a cell is not compared with itself: name another, or ask for \"control\" in "
				      "\"schedule\"");
	return add(x, at, baseline, candidate);
}

/* The cell that CELL is compared with: VALUE on AXIS, all else the same as far as the other's source has such axes. */
static const struct mm_cell *partner(struct comparing *x, const struct mm_cell *cell, enum mm_axis axis, int value)
{
	struct mm_point point = mm_cell_point(x->matrix, cell);
	point.at[axis] = value;
	if (!mm_source_is_compiled(&x->matrix->sources[point.at[MM_AXIS_SOURCE]]))
		point.at[MM_AXIS_TOOLCHAIN] = point.at[MM_AXIS_BITS] = point.at[MM_AXIS_FLAGS] = -1;
	mm_point_id(x->matrix, &point, &x->scratch);
	return mm_matrix_cell(x->matrix, mm_buffer_text(&x->scratch));
}

static int read_value(struct comparing *x, const struct mm_at *at, enum mm_axis axis, const json_t *value, int *number)
{
	int code = mm_axis_resolve(x->reader, x->matrix, at, axis, value, number);
	if (code)
		return code;
	const struct buckets *buckets = buckets_of(x, axis);
	if (buckets->start[*number] == buckets->start[*number + 1])
		return mm_reader_fail(x->reader, at,
				      "no cell has '%s' on the axis '%s': add it to \"matrix\", or compare "
				      "another value",
				      mm_axis_text(x->matrix, axis, *number), mm_axis_name(axis));
	return 0;
}

/* Walks the cells of one side; the other side is their partner. */
static int pair_up(struct comparing *x, const struct mm_at *at, enum mm_axis axis, int baseline, int candidate)
{
	/* Many cells of a compiled source may face one cell of packages: walk the side that has more axes. */
	bool walk_candidate = axis == MM_AXIS_SOURCE && !mm_source_is_compiled(&x->matrix->sources[baseline]);
	int value = walk_candidate ? candidate : baseline;
	const struct buckets *buckets = buckets_of(x, axis);
	size_t pairs = 0;
	for (size_t i = buckets->start[value]; i < buckets->start[value + 1]; i++) {
		const struct mm_cell *cell = &x->matrix->cells[buckets->order[i]];
		const struct mm_cell *other = partner(x, cell, axis, walk_candidate ? baseline : candidate);
		if (++x->walked > (size_t)16 * MM_COMPARISONS_MOST)
			return mm_reader_fail(x->reader, at,
					      "the entries of \"compare\" cover the same cells over and over: "
					      "keep those that are needed");
		if (!other)
			continue;
		pairs++;
		int code = walk_candidate ? add(x, at, other, cell) : add(x, at, cell, other);
		if (code)
			return code;
	}
	if (!pairs)
		return mm_reader_fail(x->reader, at,
				      "compares nothing: no cell with '%s' has a partner that differs in '%s' only",
				      mm_axis_text(x->matrix, axis, baseline), mm_axis_name(axis));
	return 0;
}

static int compare_axis(struct comparing *x, const struct mm_at *at, const json_t *entry, enum mm_axis axis)
{
	const struct mm_at baseline_at = { at, "baseline", 0 }, candidate_at = { at, "candidate", 0 };
	int baseline = -1, candidate = -1;
	int code = read_value(x, &baseline_at, axis, json_object_get(entry, "baseline"), &baseline);
	if (!code)
		code = read_value(x, &candidate_at, axis, json_object_get(entry, "candidate"), &candidate);
	if (!code && baseline == candidate)
		code = mm_reader_fail(x->reader, &candidate_at, "is the baseline's value too: name another");
	return code ? code : pair_up(x, at, axis, baseline, candidate);
}

int mm_matrix_compare(struct mm_reader *reader, struct mm_matrix *matrix)
{
	const struct mm_at root = { NULL, NULL, 0 }, list_at = { &root, "compare", 0 };
	const json_t *list = json_object_get(matrix->document, "compare");
	struct comparing x = { .reader = reader, .matrix = matrix };
	int code = 0;
	for (size_t i = 0; !code && i < json_array_size(list); i++) {
		const struct mm_at at = { &list_at, NULL, i };
		const json_t *entry = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(entry, "axis"));
		int axis = 0;
		while (name && strcmp(mm_axis_name((enum mm_axis)axis), name) != 0)
			axis++;
		code = name ? compare_axis(&x, &at, entry, (enum mm_axis)axis) : compare_cells(&x, &at, entry);
	}
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++) {
		free(x.buckets[axis].start);
		free(x.buckets[axis].order);
	}
	mm_index_release(&x.known);
	mm_buffer_release(&x.scratch);
	return code;
}
