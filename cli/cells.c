#include "cli/cells.h"

#include <fnmatch.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/hint.h"

enum { NAMED = 5 };

/* "'x' is no cell: did you mean …": the nearest by its whole id, else the cells that there are. */
static int no_cell(const struct mm_matrix *matrix, const char *name, struct mm_error *err)
{
	struct mm_strings ids = MM_STRINGS_INIT, some = MM_STRINGS_INIT;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		mm_strings_push(&ids, matrix->cells[i].id);
		if (i < NAMED)
			mm_strings_push(&some, matrix->cells[i].id);
	}
	const char *nearest = mm_nearest(name, &ids);
	char *list = mm_strings_join(&some, ", ");
	int code = nearest ? mm_error_set(err, MM_EUSAGE, "no cell is called '%s': did you mean '%s'?", name, nearest)
			   : mm_error_set(err, MM_EUSAGE, "no cell is called '%s': there is %s%s", name, list,
					  matrix->cell_count > NAMED ? " …, see 'mymatrix plan'" : "");
	free(list);
	mm_strings_release(&ids);
	mm_strings_release(&some);
	return code;
}

/* An id, or a pattern that one cell alone matches; '*' matches '/' too, as in --cell. */
static int find(const struct mm_matrix *matrix, const char *name, const struct mm_cell **cell, struct mm_error *err)
{
	size_t count = 0;
	struct mm_strings some = MM_STRINGS_INIT;
	*cell = mm_matrix_cell(matrix, name);
	if (*cell)
		return 0;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		if (fnmatch(name, matrix->cells[i].id, 0) != 0)
			continue;
		*cell = &matrix->cells[i];
		if (count++ < NAMED)
			mm_strings_push(&some, matrix->cells[i].id);
	}
	int code = 0;
	if (!count) {
		code = no_cell(matrix, name, err);
	} else if (count > 1) {
		char *list = mm_strings_join(&some, ", ");
		code = mm_error_set(err, MM_EUSAGE, "'%s' matches %zu cells (%s%s): name one of them", name, count, list,
				    count > NAMED ? " …" : "");
		free(list);
	}
	mm_strings_release(&some);
	return code;
}

int mm_cli_choose_cell(const struct mm_arguments *arguments, const char *name, struct mm_chosen *chosen,
		       struct mm_error *err)
{
	char *work = NULL;
	*chosen = (struct mm_chosen){ 0 };
	int code = mm_cli_load_matrix(arguments, arguments->matrix ? arguments->matrix : "MATRIX.json", &chosen->matrix,
				      &work, err);
	if (!code)
		code = find(chosen->matrix, name, &chosen->cell, err);
	if (!code)
		code = mm_look_open_cell(chosen->matrix, chosen->cell, work, &chosen->look, err);
	if (!code)
		chosen->state = &chosen->look.cells[chosen->cell->index];
	free(work);
	return code;
}

void mm_chosen_release(struct mm_chosen *chosen)
{
	if (chosen->look.matrix)
		mm_look_release(&chosen->look);
	mm_matrix_free(chosen->matrix);
	*chosen = (struct mm_chosen){ 0 };
}

/* The matrix of the newest run in WORK, where that is still there. Allocated, or NULL. */
static char *matrix_of_run(const char *work)
{
	char *run = mm_run_newest(work), *path = run ? mm_path_join(run, "plan.json") : NULL;
	json_t *plan = path ? mm_json_load(path, NULL) : NULL;
	const char *matrix = mm_json_string(plan, "matrix_path", "");
	char *found = mm_fs_exists(matrix) ? mm_strdup(matrix) : NULL;
	json_decref(plan);
	free(path);
	free(run);
	return found;
}

char *mm_cli_matrix_of_work(const char *work, const char *named)
{
	if (named)
		return mm_strdup(named);
	char *path = matrix_of_run(work), *here = mm_path_absolute(NULL, "MATRIX.json");
	bool other = path && strcmp(path, here) != 0;
	free(here);
	if (other)
		mm_hint_matrix(path);
	return path || !mm_fs_exists("MATRIX.json") ? path : mm_strdup("MATRIX.json");
}
