/* select: selects on a table whose keys have several parts. */
#include "runners/sql-bench/session.h"

enum { REGIONS = 6, GROUPS = 100, OR_PARTS = 500 };

struct plan {
	unsigned loop, medium, small;
	bool later;
};

static char region_of(uint64_t number, unsigned regions)
{
	return (char)('A' + number % regions);
}

static void create_and_fill(struct mm_sb_session *session, const struct plan *plan)
{
	/* The second half names its columns. */
	const char *columns = "";

	mm_sb_drop_if_there(session, "bench1");
	mm_sb_query(
		session,
		"create table bench1 (region char(1) NOT NULL,idn integer(6) NOT NULL,rev_idn integer(6) NOT NULL,"
		"grp integer(6) NOT NULL%s,primary key (region,idn),unique (region,rev_idn),unique (region,grp,idn))%s",
		plan->later ? ",grp_no_key integer(6) NOT NULL" : "", session->clause);
	mm_sb_begin(session, "insert", MM_SB_WRITES);
	for (unsigned id = 0; id < plan->loop; id++) {
		unsigned group = id * 3 % GROUPS;

		mm_sb_text(session, "insert into bench1 %svalues ('%c',%u,%u,%u", columns, region_of(id, REGIONS), id,
			   plan->loop - 1 - id, group);
		if (plan->later)
			mm_sb_more(session, ",%u", group);
		mm_sb_more_text(session, ")");
		mm_sb_send(session);
		if (id * 2 == plan->loop)
			columns = plan->later ? "(region,idn,rev_idn,grp,grp_no_key) " : "(region,idn,rev_idn,grp) ";
	}
	mm_sb_end(session, plan->loop);
}

static void cache(struct mm_sb_session *session, const struct plan *plan)
{
	/* So that the table is in memory. */
	mm_sb_query(session, "select sum(idn+1000),sum(rev_idn-1000) from bench1");
	if (mm_sb_begin(session, "select_cache", MM_SB_READS)) {
		mm_sb_text(session, "select sum(idn+100),sum(rev_idn-100) from bench1");
		for (unsigned i = 0; i < plan->loop; i++)
			mm_sb_send(session);
		mm_sb_end(session, plan->loop);
	}
	if (mm_sb_begin(session, "select_cache2", MM_SB_READS)) {
		for (unsigned i = 0; i < plan->loop; i++)
			mm_sb_query(session, "select sum(idn+%u),sum(rev_idn-%u) from bench1", i, i);
		mm_sb_end(session, plan->loop);
	}
}

static void big(struct mm_sb_session *session, const struct plan *plan)
{
	uint64_t rows = 0;

	if (!mm_sb_begin(session, "select_big", MM_SB_READS))
		return;
	for (unsigned i = 0; i < plan->small; i++) {
		unsigned group = i * 11 % GROUPS;
		char region = region_of(i, REGIONS + 1); /* one too many: some find nothing */

		rows += mm_sb_query(session, "select idn from bench1 where region='%c'", region);
		rows += mm_sb_query(session, "select idn from bench1 where region='%c' and idn=%u", region, i);
		rows += mm_sb_query(session, "select idn from bench1 where region='%c' and rev_idn=%u", region, i);
		rows += mm_sb_query(session, "select idn from bench1 where region='%c' and grp=%u", region, group);
		rows += mm_sb_query(session, "select idn from bench1 where region>='B' and region<='C' and grp=%u",
				    group);
		rows += mm_sb_query(session, "select idn from bench1 where region>='B' and region<='E' and grp=%u",
				    group);
		rows += mm_sb_query(session, "select idn from bench1 where grp=%u", group);
	}
	mm_sb_end_rows(session, (uint64_t)plan->small * 7, rows);
}

/*
 * Conditions of 500 parts: TEXT_A holds "grp = 1 or grp=…", TEXT_B "region='A' and grp=1 or region=… and grp=…",
 * and IN the groups of TEXT_A as a list.
 */
static void compose(struct mm_sb_session *session, struct mm_buffer *in, uint64_t *drawn)
{
	mm_buffer_reset(&session->text_a);
	mm_buffer_reset(&session->text_b);
	mm_buffer_reset(in);
	mm_buffer_puts(&session->text_a, "grp = 1");
	mm_buffer_puts(&session->text_b, "region='A' and grp=1");
	mm_buffer_puts(in, "1");
	for (unsigned j = 1; j < OR_PARTS; j++) {
		*drawn = mm_sb_draw(*drawn, j, 100000);
		mm_buffer_printf(&session->text_a, " or grp=%u", (unsigned)(*drawn % GROUPS));
		mm_buffer_printf(&session->text_b, " or region='%c' and grp=%u", region_of(*drawn, REGIONS),
				 (unsigned)(*drawn % GROUPS));
		mm_buffer_printf(in, ",%u", (unsigned)(*drawn % GROUPS));
	}
}

static uint64_t range_queries(struct mm_sb_session *session, char region)
{
	const char *parts = mm_buffer_text(&session->text_a), *pairs = mm_buffer_text(&session->text_b);
	uint64_t rows = 0;

	for (unsigned j = 0; j < 10; j++) {
		mm_sb_text(session, "select * from bench1 where region='%c' and (", region);
		mm_sb_more_text(session, parts);
		mm_sb_more_text(session, ")");
		rows += mm_sb_send(session);

		mm_sb_text(session, "select * from bench1 where ");
		mm_sb_more_text(session, pairs);
		rows += mm_sb_send(session);

		mm_sb_text(session, "select * from bench1 where  (region='%c' and (", region);
		mm_sb_more_text(session, parts);
		mm_sb_more_text(session, ")) and idn < 50");
		rows += mm_sb_send(session);

		mm_sb_text(session, "select * from bench1 where  ((region='%c' and (", region);
		mm_sb_more_text(session, parts);
		mm_sb_more_text(session, ")) or (region='A' and grp < 10)) and region <='B'");
		rows += mm_sb_send(session);
	}
	return rows;
}

static void ranges(struct mm_sb_session *session, const struct plan *plan)
{
	struct mm_buffer in = MM_BUFFER_INIT;
	uint64_t drawn = 0, rows = 0;

	if (!mm_sb_begin(session, "select_range", MM_SB_READS))
		return;
	for (unsigned i = 0; i < plan->small && !session->code; i++) {
		char region = region_of(i, REGIONS + 1);

		compose(session, &in, &drawn);
		mm_sb_text(session, "select * from bench1 where region='%c' and (grp IN (", region);
		mm_sb_more_text(session, mm_buffer_text(&in));
		mm_sb_more_text(session, "))");
		rows += mm_sb_send(session);
		rows += range_queries(session, region);
	}
	mm_sb_end_rows(session, (uint64_t)plan->small * 41, rows);
	mm_buffer_release(&in);
}

static void min_max_on_key(struct mm_sb_session *session, const struct plan *plan)
{
	if (!mm_sb_begin(session, "min_max_on_key", MM_SB_READS))
		return;
	for (unsigned i = 0; i < plan->loop; i++) {
		unsigned group = i * 3 % GROUPS;
		char region = region_of(i, REGIONS);

		mm_sb_query(session, "select min(region) from bench1");
		mm_sb_query(session, "select max(region) from bench1");
		mm_sb_query(session, "select min(region),max(region) from bench1");
		mm_sb_query(session, "select min(rev_idn) from bench1 where region='%c'", region);
		mm_sb_query(session, "select max(grp) from bench1 where region='%c'", region);
		mm_sb_query(session, "select max(idn) from bench1 where region='%c' and grp=%u", region, group);
		mm_sb_query(session, "select max(region) from bench1 where region<'%c'", region);
	}
	mm_sb_end(session, (uint64_t)plan->loop * 7);
}

static void count_on_key(struct mm_sb_session *session, const struct plan *plan)
{
	if (!mm_sb_begin(session, "count_on_key", MM_SB_READS))
		return;
	for (unsigned i = 0; i < plan->loop; i++) {
		unsigned group = i * 3 % GROUPS;
		char region = region_of(i, REGIONS);

		mm_sb_query(session, "select count(*) from bench1 where region='%c'", region);
		mm_sb_query(session, "select count(*) from bench1 where region='%c' and grp=%u", region, group);
		mm_sb_query(session, "select count(*) from bench1 where region>'%c'", region);
		mm_sb_query(session, "select count(*) from bench1 where region<='%c'", region);
		mm_sb_query(session, "select count(*) from bench1 where region='%c' and grp>%u", region, group);
	}
	mm_sb_end(session, (uint64_t)plan->loop * 5);
}

/* One statement LOOP times. */
static void repeat(struct mm_sb_session *session, const char *operation, unsigned loop, bool ordered,
		   const char *statement)
{
	uint64_t rows = 0;

	if (!mm_sb_begin(session, operation, MM_SB_READS))
		return;
	mm_sb_text(session, "%s", statement);
	for (unsigned i = 0; i < loop; i++)
		rows += ordered ? mm_sb_send_ordered(session) : mm_sb_send(session);
	mm_sb_end_rows(session, loop, rows);
}

static void groups(struct mm_sb_session *session, const struct plan *plan)
{
	repeat(session, "count_group_on_key_parts", plan->medium, false,
	       "select grp,count(*) from bench1 group by grp");
	if (!plan->later)
		return;
	repeat(session, "count_group", plan->medium, false,
	       "select grp_no_key,count(*) from bench1 group by grp_no_key");
	repeat(session, "count_group_order_group", plan->medium, true,
	       "select grp_no_key,count(*) from bench1 group by grp_no_key order by grp_no_key");
	repeat(session, "count_group_order_null", plan->medium, false,
	       "select grp_no_key,count(*) from bench1 group by grp_no_key order by null");
	/* Many groups are of one size: the order is not defined. */
	repeat(session, "count_group_with_order", plan->medium, false,
	       "select grp_no_key,count(*) as cnt from bench1 group by grp_no_key order by cnt");
}

static void distinct(struct mm_sb_session *session, const struct plan *plan)
{
	repeat(session, "count_distinct_key_prefix", plan->medium, false, "select count(distinct region) from bench1");
	repeat(session, "count_distinct", plan->medium, false, "select count(distinct grp) from bench1");
	repeat(session, "count_distinct_2", plan->medium, false,
	       "select count(distinct grp),count(distinct rev_idn) from bench1");
	repeat(session, "count_distinct_group_on_key", plan->medium, false,
	       "select region,count(distinct idn) from bench1 group by region");
	repeat(session, "count_distinct_group_on_key_parts", plan->medium, false,
	       "select grp,count(distinct idn) from bench1 group by grp");
	repeat(session, "count_distinct_group", plan->medium, false,
	       "select grp,count(distinct rev_idn) from bench1 group by grp");
	repeat(session, "count_distinct_big", plan->medium / 10, false,
	       "select idn,count(distinct region) from bench1 group by idn");
}

static void run(struct mm_sb_session *session)
{
	const struct mm_sb_edition *edition = session->edition;
	struct plan plan = {
		.loop = mm_sb_count(session, edition->select_loop, 10, 100),
		.medium = mm_sb_count(session, edition->select_medium, 10, 10),
		.small = mm_sb_count(session, edition->select_small, 1, 1),
		.later = edition->later,
	};

	mm_sb_connect(session);
	create_and_fill(session, &plan);
	cache(session, &plan);
	big(session, &plan);
	ranges(session, &plan);
	min_max_on_key(session, &plan);
	count_on_key(session, &plan);
	groups(session, &plan);
	distinct(session, &plan);
	mm_sb_query(session, "drop table bench1");
}

const struct mm_sb_test mm_sb_select = { .name = "select", .run = run };
