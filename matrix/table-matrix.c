/* "matrix" and "compare". Both are only checked here: expand.c and compare.c take them from the document. */
#include "matrix/keys.h"
#include "matrix/matrix.h"

/* One entry of "exclude" or "include": a value for some of the axes. */
static const struct mm_key entry_keys[] = { { "source", MM_KIND_STRING, MM_CHECKED, .help = "a source" },
					    { "toolchain", MM_KIND_STRING, MM_CHECKED, .help = "a toolchain" },
					    { "bits", MM_KIND_BITS, MM_CHECKED, .native = true,
					      .help = "32, 64 or native" },
					    { "flags", MM_KIND_STRING, MM_CHECKED, .help = "a flag set" },
					    { "config", MM_KIND_STRING, MM_CHECKED, .help = "a config" },
					    { 0 } };

static int finish_entry(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			void *target)
{
	(void)variant;
	(void)target;
	if (json_object_size(object) == 0)
		return mm_reader_fail(reader, at,
				      "names no axis: at least one of 'source', 'toolchain', 'bits', 'flags' "
				      "and 'config' is needed");
	return 0;
}

static const struct mm_section entry_section = { .name = "entry", .keys = entry_keys, .finish = finish_entry };

static const struct mm_key axes_keys[] = {
	{ "source", MM_KIND_STRINGS, MM_CHECKED, .least = 1, .help = "sources by name" },
	{ "toolchain", MM_KIND_STRINGS, MM_CHECKED, .least = 1, .help = "toolchains by name" },
	{ "bits", MM_KIND_BITS_LIST, MM_CHECKED, .native = true, .help = "32, 64, \"native\"" },
	{ "flags", MM_KIND_STRINGS, MM_CHECKED, .least = 1, .help = "flag sets by name" },
	{ "config", MM_KIND_STRINGS, MM_CHECKED, .least = 1, .help = "configs by name; [\"default\"] by default" },
	{ "exclude", MM_KIND_LIST, MM_CHECKED, .section = &entry_section, .help = "cells that are left out" },
	{ "include", MM_KIND_LIST, MM_CHECKED, .section = &entry_section, .help = "cells that are added" },
	{ 0 }
};

const struct mm_section mm_axes_section = { .name = "axes", .keys = axes_keys };

/* compare */

static const char *const axes[] = { "source", "toolchain", "bits", "flags", "config", NULL };

static int read_side(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	(void)field;
	if ((json_is_string(value) && *json_string_value(value)) || mm_bits_value(value) >= 0)
		return 0;
	return mm_value_expected(reader, at, "the id of a cell, or with 'axis' one of its values", value);
}

#define SIDE_SCHEMA "{\"anyOf\": [{\"type\": \"string\", \"minLength\": 1}, {\"enum\": [32, 64]}]}"

static const struct mm_key compare_keys[] = {
	{ "axis", MM_KIND_WORD, MM_CHECKED, .words = axes,
	  .help = "compare two values of this axis, for each combination of the others" },
	{ "baseline", MM_KIND_JSON, MM_CHECKED, .required = true, .read = read_side, .schema = SIDE_SCHEMA,
	  .help = "the id of a cell, or with 'axis' one of its values" },
	{ "candidate", MM_KIND_JSON, MM_CHECKED, .required = true, .read = read_side, .schema = SIDE_SCHEMA,
	  .help = "the id of a cell, or with 'axis' one of its values" },
	{ 0 }
};

const struct mm_section mm_compare_section = { .name = "comparison", .keys = compare_keys };
