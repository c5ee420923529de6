/*
 * What version 1 of MATRIX.json allows and this build of mymatrix cannot do yet. It is refused when a cell or
 * the run asks for it; a toolchain that no cell uses may stand in the file. Work that brings something to life
 * deletes its row here.
 */
#include "base/json.h"
#include "base/memory.h"
#include "matrix/private.h"

/* Whom a row is about, and what its predicate is given. */
enum scope { OF_SOURCE, OF_TOOLCHAIN, OF_FLAGS, OF_MATRIX };

struct missing {
	enum scope scope;
	bool (*asked)(const void *thing);
	const char *key;  /* below the thing */
	const char *what; /* "X are not supported yet: what to do instead" */
};

static bool has_pgo(const void *set)
{
	return ((const struct mm_flagset *)set)->pgo;
}

static bool is_relinked(const void *matrix)
{
	return ((const struct mm_matrix *)matrix)->schedule.relink;
}

static const struct missing missing[] = {
	{ OF_FLAGS, has_pgo, "pgo", "profile-guided builds are not supported yet: leave 'pgo' out" },
	{ OF_MATRIX, is_relinked, "schedule", "\"control\": \"relink\" is not supported yet: use true" },
};

/* Refuses THING, at PATH, for the first row of SCOPE that it asks for. */
static int check(const struct mm_matrix *matrix, enum scope scope, const void *thing, const char *path,
		 struct mm_error *err)
{
	for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
		const struct missing *row = &missing[i];
		if (row->scope != scope || !row->asked(thing))
			continue;
		char *full = row->key ? mm_json_path_key(path, row->key) : mm_strdup(path);
		char *place = mm_matrix_place(matrix, full);
		int code = mm_error_set(err, MM_EMATRIX, "%s: %s", place, row->what);
		free(place);
		free(full);
		return code;
	}
	return 0;
}

static int check_named(const struct mm_matrix *matrix, enum scope scope, const void *thing, const char *section,
		       const char *name, struct mm_error *err)
{
	char *path = mm_json_path_key(section, name);
	int code = check(matrix, scope, thing, path, err);
	free(path);
	return code;
}

/* What the cells use. */
struct used {
	bool *sources, *toolchains, *flagsets;
};

static void use_flags(const struct mm_matrix *matrix, struct used *used, const struct mm_flagset *set)
{
	bool *known = &used->flagsets[set - matrix->flagsets];
	if (*known)
		return;
	*known = true;
	for (size_t i = 0; i < set->use.count; i++)
		use_flags(matrix, used, mm_flagset_find(matrix, set->use.items[i]));
}

static void use_cells(const struct mm_matrix *matrix, struct used *used)
{
	for (size_t i = 0; i < matrix->cell_count; i++) {
		const struct mm_cell *cell = &matrix->cells[i];
		used->sources[cell->source - matrix->sources] = true;
		if (!cell->toolchain)
			continue;
		used->toolchains[cell->toolchain - matrix->toolchains] = true;
		use_flags(matrix, used, cell->flags);
	}
}

static int check_used(const struct mm_matrix *matrix, const struct used *used, struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; !code && i < matrix->source_count; i++)
		if (used->sources[i])
			code = check_named(matrix, OF_SOURCE, &matrix->sources[i], "$.sources", matrix->sources[i].name,
					   err);
	for (size_t i = 0; !code && i < matrix->toolchain_count; i++)
		if (used->toolchains[i])
			code = check_named(matrix, OF_TOOLCHAIN, &matrix->toolchains[i], "$.toolchains",
					   matrix->toolchains[i].name, err);
	for (size_t i = 0; !code && i < matrix->flagset_count; i++)
		if (used->flagsets[i])
			code = check_named(matrix, OF_FLAGS, &matrix->flagsets[i], "$.flags", matrix->flagsets[i].name,
					   err);
	return code;
}

int mm_matrix_check_supported(const struct mm_matrix *matrix, struct mm_error *err)
{
	struct used used = { .sources = mm_calloc(matrix->source_count + 1, sizeof(bool)),
			     .toolchains = mm_calloc(matrix->toolchain_count + 1, sizeof(bool)),
			     .flagsets = mm_calloc(matrix->flagset_count + 1, sizeof(bool)) };
	use_cells(matrix, &used);
	int code = check_used(matrix, &used, err);
	if (!code)
		code = check(matrix, OF_MATRIX, matrix, "$", err);
	free(used.sources);
	free(used.toolchains);
	free(used.flagsets);
	return code;
}
