/*
 * From axes to cells: the full product without what "exclude" matches, then what "include" adds. An entry that names
 * every axis adds its cell whatever "exclude" says; one that names some adds the rest of the product, excluded cells
 * left out. The cost is linear in the cells that are looked at.
 */
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

/* The bits of a point's axes that a packages or prefix source has not. */
enum { COMPILED_AXES = 1 << MM_AXIS_TOOLCHAIN | 1 << MM_AXIS_BITS | 1 << MM_AXIS_FLAGS, MASKS = 1 << MM_AXIS_COUNT };

struct expansion {
	struct mm_reader *reader;
	struct mm_matrix *matrix;
	const struct mm_at *at; /* $.matrix */
	int *values[MM_AXIS_COUNT];
	size_t counts[MM_AXIS_COUNT];
	struct mm_index excluded;   /* patterns: every axis by value, or a star */
	struct mm_strings patterns; /* own the keys of the index */
	bool masks[MASKS];          /* which axes some exclude entry names together */
	size_t capacity;            /* of matrix->cells */
	size_t walked;              /* cells looked at, added or not */
	size_t found;               /* cells that the present entry named and nothing excluded */
	struct mm_buffer scratch;
};

static unsigned mask_of(const struct mm_point *point)
{
	unsigned mask = 0;
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++)
		mask |= point->at[axis] >= 0 ? 1u << axis : 0;
	return mask;
}

/* The values of POINT on the axes of MASK, "*" on the others: no name holds a star or a slash. */
static const char *pattern_of(struct expansion *x, const struct mm_point *point, unsigned mask)
{
	mm_buffer_reset(&x->scratch);
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++) {
		bool named = mask & 1u << axis;
		mm_buffer_puts(&x->scratch, named ? mm_axis_text(x->matrix, (enum mm_axis)axis, point->at[axis]) : "*");
		mm_buffer_putc(&x->scratch, '/');
	}
	return mm_buffer_text(&x->scratch);
}

static bool is_excluded(struct expansion *x, const struct mm_point *point)
{
	unsigned have = mask_of(point);
	for (unsigned mask = 1; mask < MASKS; mask++)
		if (x->masks[mask] && (mask & ~have) == 0 &&
		    mm_index_find(&x->excluded, pattern_of(x, point, mask), NULL))
			return true;
	return false;
}

/* Adds the cell at POINT unless it is there already. */
static void add_cell(struct expansion *x, const struct mm_point *point)
{
	struct mm_matrix *matrix = x->matrix;
	const struct mm_source *source = &matrix->sources[point->at[MM_AXIS_SOURCE]];
	x->found++;
	mm_point_id(matrix, point, &x->scratch);
	if (mm_index_find(&matrix->own->cells, mm_buffer_text(&x->scratch), NULL))
		return;
	matrix->cells = mm_grow(matrix->cells, matrix->cell_count, &x->capacity, sizeof *matrix->cells);
	struct mm_cell *cell = &matrix->cells[matrix->cell_count];
	*cell = (struct mm_cell){ .id = mm_strdup(mm_buffer_text(&x->scratch)),
				  .source = source,
				  .bits = source->bits,
				  .config = &matrix->configs[point->at[MM_AXIS_CONFIG]],
				  .index = matrix->cell_count };
	if (point->at[MM_AXIS_TOOLCHAIN] >= 0) {
		cell->toolchain = &matrix->toolchains[point->at[MM_AXIS_TOOLCHAIN]];
		cell->bits = point->at[MM_AXIS_BITS];
		cell->flags = &matrix->flagsets[point->at[MM_AXIS_FLAGS]];
	}
	(void)mm_index_add(&matrix->own->cells, cell->id, cell->index);
	matrix->cell_count++;
}

/* The values that AXIS runs through: the one that is named, else those of the matrix. */
static size_t choices(const struct expansion *x, const struct mm_point *only, int axis, const int **values)
{
	bool named = only->at[axis] >= 0;
	*values = named ? &only->at[axis] : x->values[axis];
	return named ? 1 : x->counts[axis];
}

/* Walks the axes from AXIS on. Those that the source does not have stay at -1. */
static void walk_axes(struct expansion *x, const struct mm_point *only, struct mm_point *point, int axis, bool always)
{
	if (axis == MM_AXIS_COUNT) {
		if (always || !is_excluded(x, point))
			add_cell(x, point);
		return;
	}
	if (COMPILED_AXES & 1 << axis && !mm_source_is_compiled(&x->matrix->sources[point->at[MM_AXIS_SOURCE]])) {
		point->at[axis] = -1;
		walk_axes(x, only, point, axis + 1, always);
		return;
	}
	const int *values;
	size_t count = choices(x, only, axis, &values);
	for (size_t i = 0; i < count; i++) {
		point->at[axis] = values[i];
		walk_axes(x, only, point, axis + 1, always);
	}
}

/* Does the source have all axes that it needs? Counts its cells into x->walked. */
static int check_axes(struct expansion *x, const struct mm_at *at, const struct mm_point *only, int source)
{
	const struct mm_source *spec = &x->matrix->sources[source];
	double cells = 1;
	for (int axis = MM_AXIS_TOOLCHAIN; axis < MM_AXIS_COUNT; axis++) {
		const int *values;
		size_t count = choices(x, only, axis, &values);
		if (COMPILED_AXES & 1 << axis && !mm_source_is_compiled(spec))
			continue;
		if (!count)
			return mm_reader_fail(
				x->reader, at,
				"source '%s' is compiled, so an axis '%s' is needed: add \"%s\": [...] to "
				"\"matrix\"",
				spec->name, mm_axis_name((enum mm_axis)axis), mm_axis_name((enum mm_axis)axis));
		cells *= (double)count;
	}
	if ((double)x->walked + cells > MM_CELLS_MOST)
		return mm_reader_fail(x->reader, at, "that makes more than %d cells: shorten the axes", MM_CELLS_MOST);
	x->walked += (size_t)cells;
	return 0;
}

/* The product restricted to ONLY; ALWAYS: excluded cells too. */
static int walk_product(struct expansion *x, const struct mm_at *at, const struct mm_point *only, bool always)
{
	const int *sources;
	size_t count = choices(x, only, MM_AXIS_SOURCE, &sources);
	for (size_t i = 0; i < count; i++) {
		struct mm_point point = mm_point_none;
		point.at[MM_AXIS_SOURCE] = sources[i];
		if (mask_of(only) & COMPILED_AXES && !mm_source_is_compiled(&x->matrix->sources[sources[i]]))
			continue; /* it has no such axis */
		int code = check_axes(x, at, only, sources[i]);
		if (code)
			return code;
		walk_axes(x, only, &point, MM_AXIS_TOOLCHAIN, always);
	}
	return 0;
}

/* The axis values that an entry of "exclude" or "include" names. */
static int read_entry(struct expansion *x, const struct mm_at *at, const json_t *entry, struct mm_point *point)
{
	*point = mm_point_none;
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++) {
		const struct mm_at here = { at, mm_axis_name((enum mm_axis)axis), 0 };
		const json_t *value = json_object_get(entry, here.key);
		if (!value)
			continue;
		int code = mm_axis_resolve(x->reader, x->matrix, &here, (enum mm_axis)axis, value, &point->at[axis]);
		if (code)
			return code;
		const struct mm_source *source =
			point->at[MM_AXIS_SOURCE] >= 0 ? &x->matrix->sources[point->at[MM_AXIS_SOURCE]] : NULL;
		if (COMPILED_AXES & 1 << axis && source && !mm_source_is_compiled(source))
			return mm_reader_fail_key(
				x->reader, &here,
				"source '%s' is not compiled here, so it has no axis '%s': leave it out", source->name,
				here.key);
	}
	return 0;
}

static int read_excludes(struct expansion *x, const json_t *list)
{
	const struct mm_at exclude = { x->at, "exclude", 0 };
	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct mm_at here = { &exclude, NULL, i };
		struct mm_point point;
		int code = read_entry(x, &here, json_array_get(list, i), &point);
		if (code)
			return code;
		unsigned mask = mask_of(&point);
		x->masks[mask] = true;
		mm_strings_push(&x->patterns, pattern_of(x, &point, mask));
		(void)mm_index_add(&x->excluded, x->patterns.items[x->patterns.count - 1], i);
	}
	return 0;
}

/* Does the entry name every axis, so that it is one cell? */
static bool is_whole(const struct expansion *x, const struct mm_point *point, bool has_configs)
{
	unsigned wanted = 1u << MM_AXIS_SOURCE | (has_configs ? 1u << MM_AXIS_CONFIG : 0);
	if (point->at[MM_AXIS_SOURCE] >= 0 && mm_source_is_compiled(&x->matrix->sources[point->at[MM_AXIS_SOURCE]]))
		wanted |= COMPILED_AXES;
	return (mask_of(point) & wanted) == wanted;
}

static int read_includes(struct expansion *x, const json_t *list, bool has_configs)
{
	const struct mm_at include = { x->at, "include", 0 };
	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct mm_at here = { &include, NULL, i };
		struct mm_point point;
		int code = read_entry(x, &here, json_array_get(list, i), &point);
		if (code)
			return code;
		if (point.at[MM_AXIS_SOURCE] < 0 && !x->counts[MM_AXIS_SOURCE])
			return mm_reader_fail(x->reader, &here,
					      "names no source, and the matrix has no axis 'source': add one of them");
		x->found = 0;
		code = walk_product(x, &here, &point, is_whole(x, &point, has_configs));
		if (code)
			return code;
		if (!x->found)
			return mm_reader_fail(x->reader, &here,
					      "adds no cell: all that it names is excluded, or is of "
					      "sources that have no such axis");
	}
	return 0;
}

/* The values that "matrix" lists for AXIS. */
static int read_axis(struct expansion *x, enum mm_axis axis, const json_t *list)
{
	const struct mm_at at = { x->at, mm_axis_name(axis), 0 };
	size_t count = json_array_size(list);
	x->values[axis] = mm_calloc(count + 1, sizeof **x->values);
	for (size_t i = 0; i < count; i++) {
		const struct mm_at here = { &at, NULL, i };
		int code = mm_axis_resolve(x->reader, x->matrix, &here, axis, json_array_get(list, i),
					   &x->values[axis][i]);
		if (code)
			return code;
	}
	x->counts[axis] = count;
	if (axis == MM_AXIS_CONFIG && !count)
		x->counts[axis] = 1; /* number 0, the built-in "default" */
	return 0;
}

/* A flag set that says nothing about a compiler would be measured as if it had: refuse it. */
static int check_flags(struct expansion *x)
{
	const struct mm_at root = { NULL, NULL, 0 }, flags = { &root, "flags", 0 };
	bool *seen = mm_calloc(x->matrix->flagset_count + 1, (size_t)3 * MM_FAMILY_COUNT);
	int code = 0;
	for (size_t i = 0; !code && i < x->matrix->cell_count; i++) {
		const struct mm_cell *cell = &x->matrix->cells[i];
		if (!cell->toolchain)
			continue;
		enum mm_family family = cell->toolchain->family;
		size_t set = (size_t)(cell->flags - x->matrix->flagsets);
		bool *known = &seen[(set * MM_FAMILY_COUNT + family) * 3 + (size_t)cell->bits / 32];
		if (*known)
			continue;
		*known = true;
		const struct mm_at here = { &flags, cell->flags->name, 0 };
		if (!mm_flags_speak(x->matrix, cell->flags, family, cell->bits))
			code = mm_reader_fail_key(
				x->reader, &here,
				"says nothing for family '%s' at bits '%s', but cell '%s' uses it: add "
				"\"%s\" or \"*\" (an empty string is no options)",
				mm_family_name(family), mm_axis_text(x->matrix, MM_AXIS_BITS, cell->bits), cell->id,
				mm_family_name(family));
	}
	free(seen);
	return code;
}

int mm_matrix_expand(struct mm_reader *reader, struct mm_matrix *matrix)
{
	const struct mm_at root = { NULL, NULL, 0 }, at = { &root, "matrix", 0 };
	const json_t *axes = json_object_get(matrix->document, "matrix");
	struct expansion x = { .reader = reader, .matrix = matrix, .at = &at };
	int code = 0;
	for (int axis = 0; !code && axis < MM_AXIS_COUNT; axis++)
		code = read_axis(&x, (enum mm_axis)axis, json_object_get(axes, mm_axis_name((enum mm_axis)axis)));
	if (!code)
		code = read_excludes(&x, json_object_get(axes, "exclude"));
	if (!code)
		code = walk_product(&x, &at, &mm_point_none, false);
	if (!code)
		code = read_includes(&x, json_object_get(axes, "include"), json_object_get(axes, "config"));
	if (!code && !matrix->cell_count)
		code = mm_reader_fail_key(reader, &at,
					  x.counts[MM_AXIS_SOURCE] ? "every cell is excluded: leave something to build"
								   : "makes no cell: add \"source\": [...]");
	if (!code)
		code = check_flags(&x);
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++)
		free(x.values[axis]);
	mm_index_release(&x.excluded);
	mm_strings_release(&x.patterns);
	mm_buffer_release(&x.scratch);
	return code;
}
