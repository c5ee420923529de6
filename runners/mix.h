/*
 * A query mix of the "threads" suite: a table with generated rows, and statements with generated values. A JSON file,
 * described in docs/SUITES.md; "heavy" and "light" are built in. Private to runners/.
 *
 * Everything generated is a function of a seed and of nothing else, so that every cell gets the same rows and asks the
 * same questions.
 */
#ifndef MM_RUNNERS_MIX_H
#define MM_RUNNERS_MIX_H

#include <stdint.h>

#include "base/buffer.h"

/* A sequence of numbers (splitmix64). */
struct mm_mix_random {
	uint64_t state;
};
struct mm_mix_random mm_mix_random_of(uint64_t a, uint64_t b); /* another sequence for every pair */
uint64_t mm_mix_random_next(struct mm_mix_random *random);

enum mm_mix_kind { MM_MIX_ROW, MM_MIX_INTEGER, MM_MIX_TEXT, MM_MIX_CHOICE };

/* A bound: a number, or the rows of the table divided by DIVISOR. */
struct mm_mix_bound {
	int64_t number;
	int64_t divisor; /* 0: it is a number */
};

struct mm_mix_value {
	char *name;
	enum mm_mix_kind kind;
	struct mm_mix_bound low, high; /* integer */
	int64_t length;                /* text: that many letters */
	struct mm_strings choices;
};

struct mm_mix_column {
	char *type;
	struct mm_mix_value value; /* its name is the column's */
};

/* A piece of a statement: text, then a value (by its place), the table's name, or nothing. */
enum { MM_MIX_NOTHING = -1, MM_MIX_TABLE = -2 };
struct mm_mix_piece {
	char *text;
	int value;
};

struct mm_mix_query {
	char *name;
	unsigned weight;
	struct mm_mix_piece *pieces;
	size_t piece_count;
	struct mm_mix_value *values;
	size_t value_count;
};

struct mm_mix {
	char *name, *table;
	int64_t rows;
	struct mm_mix_column *columns;
	size_t column_count;
	struct mm_strings keys;
	struct mm_mix_query *queries;
	size_t query_count;
	unsigned weights; /* the sum */
};

/* Loads the file PATH. Errors: MM_EMATRIX with the JSON path of what is wrong. Release MIX in any case. */
int mm_mix_load(const char *path, struct mm_mix *mix, struct mm_error *err);
/* A built-in one. MM_EINTERNAL when there is none of that name. */
int mm_mix_builtin(const char *name, struct mm_mix *mix, struct mm_error *err);
void mm_mix_release(struct mm_mix *mix);

/* How large it is made: rows of each table, and how many tables ("item1", "item2" …). */
struct mm_mix_size {
	int64_t rows, tables;
};

/* "create table item1 (…)", with CLAUSE behind it. */
void mm_mix_create(const struct mm_mix *mix, int64_t table, const char *clause, struct mm_buffer *out);
/* "insert into item1 values (…),(…)": rows FROM on, as many as fit into LIMIT bytes; returns the row after them. */
int64_t mm_mix_insert(const struct mm_mix *mix, const struct mm_mix_size *size, int64_t table, int64_t from,
		      size_t limit, struct mm_buffer *out);
/* Which query comes next, drawn by weight. */
size_t mm_mix_draw(const struct mm_mix *mix, struct mm_mix_random *random);
/* The statement of QUERY with values drawn, in place of what OUT held. */
void mm_mix_statement(const struct mm_mix *mix, const struct mm_mix_size *size, size_t query,
		      struct mm_mix_random *random, struct mm_buffer *out);

#endif
