/* A look at what is there of a matrix, without a lock, a compiler tried out or anything changed. */
#ifndef MM_EXECUTORS_LOOK_H
#define MM_EXECUTORS_LOOK_H

#include "executors/run.h"

struct mm_look {
	const struct mm_matrix *matrix; /* borrowed */
	char *work;                     /* absolute */
	struct mm_build_cache *cache;   /* of toolchains and digests */
	struct mm_cell_state *cells;    /* builds with key, folder and state; code and failure where not even that is known */
};

/*
 * Computes each cell's key and reads its record. A cell whose source or compiler is not there has code and failure.
 * Errors: MM_EENV, MM_EINTERRUPTED. Release also after an error, before the matrix.
 */
int mm_look_open(const struct mm_matrix *matrix, const char *work, struct mm_look *look, struct mm_error *err);
/* The same for one cell only. */
int mm_look_open_cell(const struct mm_matrix *matrix, const struct mm_cell *cell, const char *work,
		      struct mm_look *look, struct mm_error *err);
void mm_look_release(struct mm_look *look);

/* The pid of the mymatrix that works in WORK; 0: none; -1: one that cannot be told. */
long mm_look_holder(const char *work);

#endif
