/* What the files of matrix/ share. */
#ifndef MM_MATRIX_PRIVATE_H
#define MM_MATRIX_PRIVATE_H

#include "matrix/index.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"

enum {
	MM_CELLS_MOST = 1000000, /* more is a mistake, and would end in memory */
	MM_COMPARISONS_MOST = 1000000,
	MM_USE_MOST = 64 /* flag sets that one set may pull in */
};

struct mm_matrix_own {
	char *file;                           /* as the user named it, for messages */
	char *text;                           /* of the file, for places */
	struct mm_index names[MM_AXIS_COUNT]; /* sources, toolchains, -, flag sets, configs */
	struct mm_index suites;
	struct mm_index cells; /* by id */
};

/* The value of each axis as a number: place in the matrix's vector, for bits the value; -1: no such axis, or not named.
 */
struct mm_point {
	int at[MM_AXIS_COUNT];
};
extern const struct mm_point mm_point_none;

bool mm_source_is_compiled(const struct mm_source *source);
/* Is what stands for a git repository an address on another machine, rather than a path? */
bool mm_git_is_remote(const char *text);
/* The id of the cell at POINT into ID, which is emptied first. */
void mm_point_id(const struct mm_matrix *matrix, const struct mm_point *point, struct mm_buffer *id);
struct mm_point mm_cell_point(const struct mm_matrix *matrix, const struct mm_cell *cell);
/* A name, or a bits value as text, for the number of an axis value; borrowed. */
const char *mm_axis_text(const struct mm_matrix *matrix, enum mm_axis axis, int number);
/* The number of the value that VALUE names on AXIS. Errors: MM_EMATRIX with the nearest name. */
int mm_axis_resolve(struct mm_reader *reader, const struct mm_matrix *matrix, const struct mm_at *at, enum mm_axis axis,
		    const json_t *value, int *number);

/* after the tables: names that must be known, sets that use each other (check.c, flags.c) */
int mm_matrix_check(struct mm_reader *reader, struct mm_matrix *matrix);
int mm_flags_check(struct mm_reader *reader, struct mm_matrix *matrix);
/* Does SET, or one that it uses, say anything for FAMILY and BITS? */
bool mm_flags_speak(const struct mm_matrix *matrix, const struct mm_flagset *set, enum mm_family family, int bits);
const struct mm_flagset *mm_flagset_find(const struct mm_matrix *matrix, const char *name);

int mm_matrix_expand(struct mm_reader *reader, struct mm_matrix *matrix);
int mm_matrix_compare(struct mm_reader *reader, struct mm_matrix *matrix);

/* overrides.c: before expansion, and the cells that are kept after it */
int mm_overrides_apply(struct mm_matrix *matrix, const struct mm_matrix_overrides *overrides, struct mm_error *err);
int mm_overrides_select(struct mm_matrix *matrix, const struct mm_matrix_overrides *overrides, struct mm_error *err);

#endif
