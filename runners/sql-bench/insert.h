/* The parts of the test insert. */
#ifndef MM_RUNNERS_SQL_BENCH_INSERT_H
#define MM_RUNNERS_SQL_BENCH_INSERT_H

#include "runners/sql-bench/session.h"

struct mm_sb_insert_plan {
	unsigned loop; /* a third of the rows */
	unsigned rows;
	unsigned ranges;    /* how often ranges are selected */
	unsigned scans;     /* how often the whole table is read */
	uint32_t *shuffled; /* loop + 1 ids, the last is 0 */
	uint64_t last;      /* of mm_sb_draw */
};

void mm_sb_insert_selects(struct mm_sb_session *session, struct mm_sb_insert_plan *plan);
void mm_sb_insert_groups(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan);
void mm_sb_insert_many_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan);
void mm_sb_insert_multiple_values(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan);
void mm_sb_insert_many_secondary_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan);
/* Skips the test when the server does not make the table of many keys. */
void mm_sb_probe_many_keys(struct mm_sb_session *session);

#endif
