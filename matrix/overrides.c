/* What the command line changes. */
#include <fnmatch.h>

#include "base/fs.h"
#include "base/memory.h"
#include "matrix/private.h"
#include "matrix/words.h"

void mm_matrix_overrides_init(struct mm_matrix_overrides *overrides)
{
	*overrides = (struct mm_matrix_overrides){ .max_regression_percent = -1 };
}

void mm_matrix_overrides_release(struct mm_matrix_overrides *overrides)
{
	mm_strings_release(&overrides->sources);
	mm_strings_release(&overrides->commits);
	mm_strings_release(&overrides->cell_globs);
	mm_matrix_overrides_init(overrides);
}

/* NULL, with ERR set, when there is none. */
static struct mm_source *find_source(struct mm_matrix *matrix, const char *name, struct mm_error *err)
{
	size_t number;
	if (mm_index_find(&matrix->own->names[MM_AXIS_SOURCE], name, &number))
		return &matrix->sources[number];
	struct mm_strings known = MM_STRINGS_INIT;
	for (size_t i = 0; i < matrix->source_count; i++)
		mm_strings_push(&known, matrix->sources[i].name);
	(void)mm_error_set(err, MM_EUSAGE, "--source: %s has no source '%s'%s", matrix->own->file, mm_clean(name).text,
			   mm_hint(name, &known).text);
	return NULL;
}

/* "NAME=PATH" */
static int replace_source(struct mm_matrix *matrix, const char *assignment, struct mm_error *err)
{
	const char *equals = strchr(assignment, '=');
	if (!equals || equals == assignment || !equals[1])
		return mm_error_set(err, MM_EUSAGE, "--source: expected NAME=PATH, found '%s'",
				    mm_clean(assignment).text);
	char *name = mm_strndup(assignment, (size_t)(equals - assignment));
	struct mm_source *source = find_source(matrix, name, err);
	free(name);
	if (!source)
		return MM_EUSAGE;
	if (source->kind == MM_SOURCE_PACKAGES)
		return mm_error_set(err, MM_EUSAGE,
				    "--source: '%s' is made of packages, which have no one path to replace",
				    source->name);
	const char *path = equals + 1;
	bool remote = source->kind == MM_SOURCE_GIT && mm_git_is_remote(path);
	free(source->path);
	source->path = remote ? mm_strdup(path) : mm_path_absolute(NULL, path);
	return 0;
}

/* "NAME=COMMIT" */
static int pin_source(struct mm_matrix *matrix, const char *assignment, struct mm_error *err)
{
	size_t length = strcspn(assignment, "=");
	char *name = mm_strndup(assignment, length);
	struct mm_source *source = find_source(matrix, name, err);
	free(name);
	if (!source)
		return MM_EUSAGE;
	if (source->kind != MM_SOURCE_GIT)
		return mm_error_set(err, MM_EUSAGE, "source '%s' is no git source: it has no commit", source->name);
	free(source->commit);
	source->commit = mm_strdup(assignment[length] ? assignment + length + 1 : "");
	return 0;
}

int mm_overrides_apply(struct mm_matrix *matrix, const struct mm_matrix_overrides *overrides, struct mm_error *err)
{
	for (size_t i = 0; i < overrides->sources.count; i++) {
		int code = replace_source(matrix, overrides->sources.items[i], err);
		if (code)
			return code;
	}
	for (size_t i = 0; i < overrides->commits.count; i++) {
		int code = pin_source(matrix, overrides->commits.items[i], err);
		if (code)
			return code;
	}
	if (overrides->passes < 0 || overrides->passes > 1000)
		return mm_error_set(err, MM_EUSAGE, "--passes: expected a number from 1 to 1000, found %d",
				    overrides->passes);
	if (!(overrides->scale >= 0 && overrides->scale <= 1000))
		return mm_error_set(err, MM_EUSAGE, "--scale: expected a number above 0 and at most 1000, found %g",
				    overrides->scale);
	if (overrides->jobs < 0 || overrides->jobs > 4096)
		return mm_error_set(err, MM_EUSAGE, "--jobs: expected a number from 1 to 4096, found %d",
				    overrides->jobs);
	if (!(overrides->max_regression_percent <= 100))
		return mm_error_set(err, MM_EUSAGE, "--max-regression: expected a number from 0 to 100, found %g",
				    overrides->max_regression_percent);
	for (size_t i = 0; i < matrix->suite_count; i++) {
		if (overrides->passes)
			matrix->suites[i].passes = overrides->passes;
		if (overrides->scale > 0)
			matrix->suites[i].scale = overrides->scale;
	}
	if (overrides->jobs)
		matrix->build.jobs = overrides->jobs;
	if (overrides->max_regression_percent >= 0) {
		matrix->gate.present = true;
		matrix->gate.max_regression_percent = overrides->max_regression_percent;
	}
	return 0;
}

/* Marks what GLOB matches. */
static int match(const struct mm_matrix *matrix, const char *glob, bool *keep, struct mm_error *err)
{
	bool any = false;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		if (fnmatch(glob, matrix->cells[i].id, 0) == 0)
			any = keep[i] = true;
	}
	if (any)
		return 0;
	struct mm_strings known = MM_STRINGS_INIT;
	for (size_t i = 0; i < matrix->cell_count; i++)
		mm_strings_push(&known, matrix->cells[i].id);
	return mm_error_set(err, MM_EUSAGE, "--cell: no cell matches '%s'%s", mm_clean(glob).text,
			    mm_hint(glob, &known).text);
}

/* Comparisons of kept cells move down; the others are dropped. MOVED is the new place of each cell. */
static void keep_comparisons(struct mm_matrix *matrix, const bool *keep, const size_t *moved)
{
	size_t kept = 0;
	for (size_t i = 0; i < matrix->comparison_count; i++) {
		struct mm_comparison *comparison = &matrix->comparisons[i];
		size_t baseline = comparison->baseline->index, candidate = comparison->candidate->index;
		if (!keep[baseline] || !keep[candidate]) {
			free(comparison->id);
			continue;
		}
		matrix->comparisons[kept] = *comparison;
		matrix->comparisons[kept].baseline = &matrix->cells[moved[baseline]];
		matrix->comparisons[kept++].candidate = &matrix->cells[moved[candidate]];
	}
	matrix->comparison_count = kept;
}

static void keep_cells(struct mm_matrix *matrix, const bool *keep)
{
	size_t kept = 0;
	mm_index_release(&matrix->own->cells);
	for (size_t i = 0; i < matrix->cell_count; i++) {
		if (!keep[i]) {
			free(matrix->cells[i].id);
			continue;
		}
		matrix->cells[kept] = matrix->cells[i];
		matrix->cells[kept].index = kept;
		(void)mm_index_add(&matrix->own->cells, matrix->cells[kept].id, kept);
		kept++;
	}
	matrix->cell_count = kept;
}

int mm_overrides_select(struct mm_matrix *matrix, const struct mm_matrix_overrides *overrides, struct mm_error *err)
{
	if (!overrides->cell_globs.count)
		return 0;
	bool *keep = mm_calloc(matrix->cell_count, sizeof *keep);
	size_t *moved = mm_calloc(matrix->cell_count, sizeof *moved);
	size_t kept = 0;
	int code = 0;
	for (size_t i = 0; !code && i < overrides->cell_globs.count; i++)
		code = match(matrix, overrides->cell_globs.items[i], keep, err);
	for (size_t i = 0; i < matrix->cell_count; i++) {
		moved[i] = kept;
		kept += keep[i];
	}
	if (!code) {
		keep_comparisons(matrix, keep, moved);
		keep_cells(matrix, keep);
	}
	free(moved);
	free(keep);
	return code;
}
