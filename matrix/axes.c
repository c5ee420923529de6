/* Values of axes: names and numbers for each other, ids of cells. */
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

static const char *const axis_names[MM_AXIS_COUNT] = { "source", "toolchain", "bits", "flags", "config" };

const struct mm_point mm_point_none = { { -1, -1, -1, -1, -1 } };

const char *mm_axis_name(enum mm_axis axis)
{
	return axis_names[axis];
}

bool mm_source_is_compiled(const struct mm_source *source)
{
	return source->kind != MM_SOURCE_PACKAGES && source->kind != MM_SOURCE_PREFIX;
}

const char *mm_axis_text(const struct mm_matrix *matrix, enum mm_axis axis, int number)
{
	switch (axis) {
	case MM_AXIS_SOURCE:
		return matrix->sources[number].name;
	case MM_AXIS_TOOLCHAIN:
		return matrix->toolchains[number].name;
	case MM_AXIS_BITS:
		return number == 32 ? "32" : number == 64 ? "64" : "native";
	case MM_AXIS_FLAGS:
		return matrix->flagsets[number].name;
	case MM_AXIS_CONFIG:
		return matrix->configs[number].name;
	case MM_AXIS_COUNT:
		break;
	}
	return "";
}

void mm_point_id(const struct mm_matrix *matrix, const struct mm_point *point, struct mm_buffer *id)
{
	mm_buffer_reset(id);
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++) {
		int number = point->at[axis];
		if (number < 0 || (axis == MM_AXIS_CONFIG && number == 0)) /* the first config is "default" */
			continue;
		if (axis != MM_AXIS_SOURCE)
			mm_buffer_putc(id, '/');
		mm_buffer_puts(id, mm_axis_text(matrix, (enum mm_axis)axis, number));
	}
}

struct mm_point mm_cell_point(const struct mm_matrix *matrix, const struct mm_cell *cell)
{
	struct mm_point point = mm_point_none;
	point.at[MM_AXIS_SOURCE] = (int)(cell->source - matrix->sources);
	point.at[MM_AXIS_CONFIG] = (int)(cell->config - matrix->configs);
	if (cell->toolchain) {
		point.at[MM_AXIS_TOOLCHAIN] = (int)(cell->toolchain - matrix->toolchains);
		point.at[MM_AXIS_BITS] = cell->bits;
		point.at[MM_AXIS_FLAGS] = (int)(cell->flags - matrix->flagsets);
	}
	return point;
}

static size_t axis_size(const struct mm_matrix *matrix, enum mm_axis axis)
{
	switch (axis) {
	case MM_AXIS_SOURCE:
		return matrix->source_count;
	case MM_AXIS_TOOLCHAIN:
		return matrix->toolchain_count;
	case MM_AXIS_FLAGS:
		return matrix->flagset_count;
	case MM_AXIS_CONFIG:
		return matrix->config_count;
	case MM_AXIS_BITS:
	case MM_AXIS_COUNT:
		break;
	}
	return 0;
}

int mm_axis_resolve(struct mm_reader *reader, const struct mm_matrix *matrix, const struct mm_at *at, enum mm_axis axis,
		    const json_t *value, int *number)
{
	static const char *const nouns[MM_AXIS_COUNT + 1] = { "source", "toolchain", "bits", "flag set", "config", "" };
	if (axis == MM_AXIS_BITS) {
		*number = mm_bits_value(value);
		return *number >= 0 ? 0 : mm_value_expected(reader, at, "32, 64 or \"native\"", value);
	}
	char *wanted = NULL;
	if (!json_is_string(value)) {
		wanted = mm_format("the name of a %s", nouns[axis]);
		int code = mm_value_expected(reader, at, wanted, value);
		free(wanted);
		return code;
	}
	size_t found;
	if (mm_index_find(&matrix->own->names[axis], json_string_value(value), &found)) {
		*number = (int)found;
		return 0;
	}
	struct mm_strings known = MM_STRINGS_INIT;
	for (size_t i = 0; i < axis_size(matrix, axis); i++)
		mm_strings_push(&known, mm_axis_text(matrix, axis, (int)i));
	return mm_reader_fail(reader, at, "unknown %s '%s'%s", nouns[axis], mm_clean(json_string_value(value)).text,
			      mm_hint(json_string_value(value), &known).text);
}
