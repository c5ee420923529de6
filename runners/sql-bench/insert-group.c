/* insert: group functions on the whole table. */
#include "runners/sql-bench/insert.h"

static void groups(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned count = 1; /* upstream's starts at one */

	if (!mm_sb_begin(session, "select_group", MM_SB_READS))
		return;
	for (unsigned i = 0; i < plan->scans; i++) {
		mm_sb_query(session, "select count(*) from bench1");
		mm_sb_query(session, "select min(id) from bench1");
		mm_sb_query(session, "select max(id) from bench1");
		mm_sb_query(session, "select sum(id+0.0) from bench1");
		mm_sb_query(session, "select min(id3),max(id3),sum(id3-0.0) from bench1");
		mm_sb_query(session, "select min(dummy1),max(dummy1) from bench1");
		mm_sb_query(session, "select count(*) from bench1 where id >= %u", plan->loop * 2);
		mm_sb_query(session, "select count(*),sum(id+0.0),min(id),max(id),avg(id-0.0) from bench1");
		count += 10;
		mm_sb_expect(session, mm_sb_query(session, "select id %% 10,count(*) from bench1 group by 1"), 10);
		count++;
		/* The count only makes the text a new one each time. */
		mm_sb_expect(session,
			     mm_sb_query_ordered(session,
						 "select id,id3,dummy1 from bench1 where id < 100+%u-%u "
						 "group by id,id3,dummy1 order by id desc,id3,dummy1",
						 count, count),
			     100);
	}
	mm_sb_end(session, count);
}

static void min_max(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned loop = plan->ranges * 5;

	if (mm_sb_begin(session, "min_max_on_key", MM_SB_READS)) {
		for (unsigned i = 1; i <= loop; i++) {
			mm_sb_query(session, "select min(id) from bench1");
			mm_sb_query(session, "select max(id) from bench1");
			mm_sb_query(session, "select min(id2) from bench1 where id=%u", i);
			mm_sb_query(session, "select max(id2) from bench1 where id=%u", i);
			mm_sb_query(session, "select min(dummy1) from bench1 where id=%u", i);
			mm_sb_query(session, "select max(dummy1) from bench1 where id=%u", i);
		}
		mm_sb_end(session, (uint64_t)loop * 6);
	}
	if (mm_sb_begin(session, "min_max", MM_SB_READS)) {
		for (unsigned i = 1; i <= plan->scans; i++) {
			mm_sb_query(session, "select min(id2) from bench1");
			mm_sb_query(session, "select max(id2) from bench1");
			mm_sb_query(session, "select min(id3) from bench1 where id2=%u", i);
			mm_sb_query(session, "select max(id3) from bench1 where id2=%u", i);
			mm_sb_query(session, "select min(dummy1) from bench1 where id2=%u", i);
			mm_sb_query(session, "select max(dummy1) from bench1 where id2=%u", i);
		}
		mm_sb_end(session, (uint64_t)plan->scans * 6);
	}
}

static void counts(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned step = plan->rows / 100;

	if (mm_sb_begin(session, "count_on_key", MM_SB_READS)) {
		for (unsigned id = 0; id < plan->rows; id += step)
			mm_sb_query(session, "select count(id) from bench1 where id < %u", id);
		mm_sb_end(session, 100);
	}
	if (mm_sb_begin(session, "count", MM_SB_READS)) {
		for (unsigned id = 0; id < plan->rows; id += step)
			mm_sb_query(session, "select count(dummy1) from bench1 where id2 < %u", id);
		mm_sb_end(session, 100);
	}
	if (mm_sb_begin(session, "count_distinct_big", MM_SB_READS)) {
		for (unsigned i = 0; i < plan->scans; i++) {
			mm_sb_query(session, "select count(distinct dummy1) from bench1");
			mm_sb_query(session, "select dummy1,count(distinct id) from bench1 group by dummy1");
		}
		mm_sb_end(session, (uint64_t)plan->scans * 2);
	}
}

void mm_sb_insert_groups(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	groups(session, plan);
	min_max(session, plan);
	counts(session, plan);
}
