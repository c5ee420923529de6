/* The operand CELL of commands that look at one cell. Private to cli/. */
#ifndef MM_CLI_CELLS_H
#define MM_CLI_CELLS_H

#include "cli/command.h"
#include "executors/look.h"

/* One cell of a matrix, and what is there of its build. Release also after an error. */
struct mm_chosen {
	struct mm_matrix *matrix;
	const struct mm_cell *cell; /* of matrix */
	struct mm_look look;
	const struct mm_cell_state *state; /* of look; its code tells whether build is known */
};

/*
 * Loads the matrix (--matrix, --source) and finds the cell that NAME, an id or a glob, means: exactly one. Errors:
 * MM_EUSAGE with the nearest id, or the ids when several match.
 */
int mm_cli_choose_cell(const struct mm_arguments *arguments, const char *name, struct mm_chosen *chosen,
		       struct mm_error *err);
void mm_chosen_release(struct mm_chosen *chosen);

/*
 * The matrix that is NAMED, else that of the work folder's newest run, which need not be the one that lies here, else the
 * one here. NULL: there is none. Allocated.
 */
char *mm_cli_matrix_of_work(const char *work, const char *named);

#endif
