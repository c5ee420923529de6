/* Editions of sql-bench: loop counts at scale 1, and the limits that upstream writes down instead of asking the server.
 */
#ifndef MM_RUNNERS_SQL_BENCH_EDITION_H
#define MM_RUNNERS_SQL_BENCH_EDITION_H

#include <stdbool.h>
#include <stdint.h>

struct mm_sb_edition {
	const char *name;
	bool later; /* what was added or changed after 5.0: see each test */

	/* Limits. They shape statements and counts, so they are constants of the edition; a server that allows less is
	 * not measured. */
	unsigned max_columns, max_keys, max_key_parts, max_tables;
	unsigned query_size; /* bytes of one statement */
	unsigned blob_size;  /* bytes of the large value in connect */

	/* Loop counts at scale 1. */
	unsigned atis_loop;
	unsigned alter_steps, alter_columns, alter_rows;
	unsigned big_loop, big_columns;
	unsigned connect_loop;
	unsigned create_loop, create_tables;
	unsigned insert_loop, insert_ranges, insert_scans, insert_key_updates;
	unsigned select_loop, select_medium, select_small;
	unsigned transactions_loop, transactions_rollback;
	unsigned wisconsin_loop;
};

/* NULL: there is no such edition. A NULL name is the default, "5.0". */
const struct mm_sb_edition *mm_sb_edition_find(const char *name);
/* The table, ended by an entry without a name. */
const struct mm_sb_edition *mm_sb_editions(void);

/*
 * The rule of scale: COUNT × SCALE, rounded to the nearest multiple of STEP, at least MINIMUM (a multiple of STEP).
 * At scale 1 it is COUNT itself.
 */
unsigned mm_sb_scaled(double scale, unsigned count, unsigned step, unsigned minimum);

enum { MM_SB_MAX_SCALE = 1000 };

#endif
