/* What the tables cannot say: names that must be unique or known, across the sections of the file. */
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

static const struct mm_at root = { NULL, NULL, 0 };

/* The built-in config stands first, so that number 0 is the default. */
static void add_default_config(struct mm_matrix *matrix)
{
	matrix->configs = mm_realloc(matrix->configs, matrix->config_count + 1, sizeof *matrix->configs);
	memmove(matrix->configs + 1, matrix->configs, matrix->config_count * sizeof *matrix->configs);
	matrix->configs[0] = (struct mm_config){ .name = mm_strdup("default") };
	matrix->config_count++;
}

static void add_default_suite(struct mm_matrix *matrix)
{
	matrix->suites = mm_alloc(sizeof *matrix->suites);
	mm_suite_section.begin(matrix->suites);
	matrix->suites->name = mm_strdup("sql-bench");
	matrix->suites->suite = mm_strdup("sql-bench");
	matrix->suites->edition = mm_strdup("5.0");
	matrix->suite_count = 1;
}

static void index_names(struct mm_matrix *matrix)
{
	struct mm_index *names = matrix->own->names;
	for (size_t i = 0; i < matrix->source_count; i++)
		(void)mm_index_add(&names[MM_AXIS_SOURCE], matrix->sources[i].name, i);
	for (size_t i = 0; i < matrix->toolchain_count; i++)
		(void)mm_index_add(&names[MM_AXIS_TOOLCHAIN], matrix->toolchains[i].name, i);
	for (size_t i = 0; i < matrix->flagset_count; i++)
		(void)mm_index_add(&names[MM_AXIS_FLAGS], matrix->flagsets[i].name, i);
	for (size_t i = 0; i < matrix->config_count; i++)
		(void)mm_index_add(&names[MM_AXIS_CONFIG], matrix->configs[i].name, i);
}

static int check_suites(struct mm_reader *reader, struct mm_matrix *matrix)
{
	const struct mm_at suites = { &root, "suites", 0 };
	for (size_t i = 0; i < matrix->suite_count; i++) {
		const struct mm_at suite = { &suites, NULL, i }, name = { &suite, "name", 0 };
		size_t first;
		if (mm_index_add(&matrix->own->suites, matrix->suites[i].name, i))
			continue;
		(void)mm_index_find(&matrix->own->suites, matrix->suites[i].name, &first);
		const struct mm_at other = { &suites, NULL, first }, other_name = { &other, "name", 0 };
		return mm_reader_fail(reader, &name,
				      "the suite of line %d is named '%s' too: give each a name of its own",
				      mm_reader_line(reader, &other_name), matrix->suites[i].name);
	}
	return 0;
}

/* The suite that a profile-guided build is trained with. */
static int check_training(struct mm_reader *reader, const struct mm_matrix *matrix)
{
	const struct mm_at flags = { &root, "flags", 0 };
	for (size_t i = 0; i < matrix->flagset_count; i++) {
		const struct mm_at set = { &flags, matrix->flagsets[i].name, 0 }, pgo = { &set, "pgo", 0 },
				   train = { &pgo, "train", 0 };
		const char *suite = json_string_value(json_object_get(matrix->flagsets[i].pgo, "train"));
		if (!suite || mm_index_find(&matrix->own->suites, suite, NULL))
			continue;
		struct mm_strings known = MM_STRINGS_INIT;
		for (size_t j = 0; j < matrix->suite_count; j++)
			mm_strings_push(&known, matrix->suites[j].name);
		return mm_reader_fail(reader, &train, "unknown suite '%s'%s", mm_clean(suite).text,
				      mm_hint(suite, &known).text);
	}
	return 0;
}

int mm_matrix_check(struct mm_reader *reader, struct mm_matrix *matrix)
{
	add_default_config(matrix);
	if (!matrix->suite_count)
		add_default_suite(matrix);
	if (!matrix->gate.metric)
		matrix->gate.metric = mm_strdup("wall");
	index_names(matrix);
	int code = check_suites(reader, matrix);
	if (!code)
		code = check_training(reader, matrix);
	return code ? code : mm_flags_check(reader, matrix);
}
