/*
 * insert: fills one table in order, backwards and shuffled, and selects, groups, updates, joins and deletes on it.
 * The tables with many keys, which follow, stand in insert-keys.c; the selects in insert-select.c.
 */
#include "runners/sql-bench/session.h"

#include <mysqld_error.h>

#include "base/memory.h"
#include "runners/sql-bench/insert.h"

/* The rows of the third part in an order that every cell and pass shares: a fixed sequence of swaps. */
static void shuffle(struct mm_sb_insert_plan *plan)
{
	plan->shuffled = mm_calloc(plan->loop + 1, sizeof *plan->shuffled);
	for (unsigned i = 0; i < plan->loop; i++)
		plan->shuffled[i] = i + plan->loop;
	plan->last = 1;
	for (unsigned i = 0; i < plan->loop; i++) {
		uint32_t value = plan->shuffled[i], *other;

		plan->last = mm_sb_draw(plan->last, i, plan->loop);
		other = &plan->shuffled[plan->last % plan->loop];
		plan->shuffled[i] = *other;
		*other = value;
	}
}

static void insert_row(struct mm_sb_session *session, unsigned id, const char *text)
{
	mm_sb_query(session, "insert into bench1 (id,id2,id3,dummy1) values (%u,%u,%u,'%s')", id, id, id, text);
}

static void fill(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	mm_sb_drop_if_there(session, "bench1");
	mm_sb_drop_if_there(session, "bench2");
	mm_sb_drop_if_there(session, "bench3");
	mm_sb_query(session,
		    "create table bench1 (id int NOT NULL,id2 int NOT NULL,id3 int NOT NULL,dummy1 char(30),"
		    "primary key (id,id2),index ix_id3 (id3))%s",
		    session->clause);
	mm_sb_begin(session, "insert", MM_SB_WRITES);
	for (unsigned i = 0; i < plan->loop; i++)
		insert_row(session, i, "ABCDEFGHIJ");
	for (unsigned i = 0; i < plan->loop; i++)
		insert_row(session, plan->rows - 1 - i, "BCDEFGHIJK");
	for (unsigned i = 0; i < plan->loop; i++)
		insert_row(session, plan->shuffled[i], "CDEFGHIJKL");
	mm_sb_end(session, plan->rows);
}

static void insert_duplicates(struct mm_sb_session *session, struct mm_sb_insert_plan *plan)
{
	if (!mm_sb_begin(session, "insert_duplicates", MM_SB_WRITES))
		return;
	for (unsigned i = 0; i < plan->loop; i++) {
		unsigned id;

		plan->last = mm_sb_draw(plan->last, i, plan->loop);
		id = (unsigned)(plan->last % plan->rows);
		mm_sb_text(session, "insert into bench1 (id,id2,id3,dummy1) values  (%u,%u,2,'D')", id, id);
		mm_sb_send_refused(session, ER_DUP_ENTRY);
	}
	mm_sb_end(session, plan->loop);
}

static void update_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned step = plan->loop / plan->ranges + 1, count = 0;

	if (mm_sb_begin(session, "update_of_key", MM_SB_WRITES)) {
		for (unsigned i = 0; i < plan->loop / 2; i++) {
			unsigned id = plan->loop + plan->shuffled[i];

			mm_sb_query(session, "update bench1 set id3=-%u where id3=%u", id, id);
		}
		mm_sb_end(session, plan->loop / 2);
	}
	if (mm_sb_begin(session, "update_of_key_big", MM_SB_WRITES)) {
		for (unsigned i = 0; i < plan->loop; i += step, count++)
			mm_sb_query(session, "update bench1 set id3= 0-id3 where id3 >= 0 and id3 <= %u", i);
		mm_sb_query(session, "update bench1 set id3= 0-id3 where id3 >= 0 and id3 < %u", plan->loop);
		mm_sb_query(session, "update bench1 set id3= 0-id3 where id3 >= %u and id3 < %u", plan->loop,
			    plan->loop * 2);
		mm_sb_query(session, "select count(*) from bench1 where id3>=0");
		mm_sb_query(session, "update bench1 set id3=floor((0-id3)/20) where id3<0");
		mm_sb_end(session, count + 3);
	}
}

static void update_rows(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	const char *text = session->edition->later ? "really updated" : "updated";

	if (mm_sb_begin(session, "update_with_key", MM_SB_WRITES)) {
		for (unsigned i = 0; i < plan->rows; i++)
			mm_sb_query(session, "update bench1 set dummy1='updated' where id=%u and id2=%u", i, i);
		mm_sb_end(session, plan->rows);
	}
	if (session->edition->later && mm_sb_begin(session, "update_with_key_record_unchanged", MM_SB_WRITES)) {
		for (unsigned i = 0; i < plan->rows; i++)
			mm_sb_query(session, "update bench1 set dummy1='updated' where id=%u and id2=%u", i, i);
		mm_sb_end(session, plan->rows);
	}
	if (mm_sb_begin(session, "update_with_key_prefix", MM_SB_WRITES)) {
		for (unsigned i = 1; i < plan->rows; i += 3)
			mm_sb_query(session, "update bench1 set dummy1='%s' where id=%u", text, i);
		mm_sb_end(session, plan->loop);
	}
	if (mm_sb_begin(session, "update_big", MM_SB_WRITES)) {
		for (unsigned i = 0; i < plan->scans; i++)
			mm_sb_query(session, "update bench1 set dummy1='updated %u'", i);
		mm_sb_end(session, plan->scans);
	}
}

/* Upstream's count of the last one is not how often it is done, but the number of ranges. */
static void outer_joins(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	static const char joined[] = "bench1 as a left outer join bench1 as b on (a.id2=b.id3)";
	const struct {
		const char *operation, *columns, *condition;
		unsigned count;
	} joins[] = {
		{ "outer_join_on_key", "count(*)", "", plan->scans },
		{ "outer_join", "count(a.dummy1),count(b.dummy1)", "", plan->scans },
		{ "outer_join_found", "count(a.dummy1),count(b.dummy1)", " where b.id3 is not null", plan->scans },
		{ "outer_join_not_found", "count(a.dummy1),count(b.dummy1)", " where b.id3 is null", plan->ranges },
	};

	for (size_t j = 0; j < sizeof joins / sizeof *joins; j++) {
		uint64_t rows = 0;

		if (!mm_sb_begin(session, joins[j].operation, MM_SB_READS))
			continue;
		mm_sb_text(session, "select %s from %s%s", joins[j].columns, joined, joins[j].condition);
		for (unsigned i = 0; i < plan->scans; i++)
			rows += mm_sb_send(session);
		mm_sb_end_rows(session, joins[j].count, rows);
	}
}

/*
 * IN with TO values, and a join with a table of the same values. Upstream times both, but in lines that its own
 * summary does not count; so they are part of the test and no operation.
 */
static void values_in_list(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan, unsigned from,
			   unsigned to)
{
	if (from >= to)
		return;
	for (unsigned i = from; i <= to; i++)
		mm_sb_query(session, "insert into bench2 values(%u)", i);
	mm_sb_text(session, "SELECT bench1.* FROM bench1 WHERE id IN (1");
	for (unsigned i = 2; i <= to; i++)
		mm_sb_more(session, ",%u", i);
	mm_sb_more_text(session, ")");
	for (unsigned i = 0; i < plan->ranges; i++)
		mm_sb_send(session);
	mm_sb_text(session, "SELECT bench1.* FROM bench2 left outer join bench1 on (bench1.id=bench2.id)");
	for (unsigned i = 0; i < plan->ranges; i++)
		mm_sb_send(session);
}

static void lists(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned most = (session->edition->query_size - 50) / 6;

	if (most > plan->loop)
		most = plan->loop;
	mm_sb_query(session, "create table bench2 (id int NOT NULL,primary key (id))%s", session->clause);
	values_in_list(session, plan, 1, 10);
	values_in_list(session, plan, 11, most < 100 ? most : 100);
	values_in_list(session, plan, 101, most < 1000 ? most : 1000);
	mm_sb_query(session, "DROP TABLE bench2");
}

static void insert_select(struct mm_sb_session *session)
{
	static const char columns[] =
		"id int NOT NULL,id2 int NOT NULL,id3 int NOT NULL,dummy1 char(30),primary key (id,id2)";

	mm_sb_query(session, "create table bench2 (%s)%s", columns, session->clause);
	mm_sb_query(session, "create table bench3 (%s,index index_id3 (id3))%s", columns, session->clause);
	mm_sb_begin(session, "insert_select_1_key", MM_SB_WRITES);
	mm_sb_query(session, "INSERT INTO bench2 SELECT * from bench1");
	mm_sb_end(session, 1);
	mm_sb_begin(session, "insert_select_2_keys", MM_SB_WRITES);
	mm_sb_query(session, "INSERT INTO bench3 SELECT * from bench1");
	mm_sb_end(session, 1);
	mm_sb_query(session, "DROP TABLE bench2");
	mm_sb_query(session, "DROP TABLE bench3");
}

static void delete_rows(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	unsigned count = 0;

	mm_sb_begin(session, "delete_key", MM_SB_WRITES);
	for (unsigned i = 0; i < plan->loop; i += 10, count++)
		mm_sb_query(session, "delete from bench1 where id3=%u", plan->loop + plan->shuffled[i]);
	mm_sb_end(session, count);

	mm_sb_begin(session, "delete_range", MM_SB_WRITES);
	count = 0;
	for (unsigned i = 0; i < plan->loop; i += plan->loop / 10, count++)
		mm_sb_query(session, "delete from bench1 where id3 >= 0 and id3 <= %u", i);
	mm_sb_query(session, "delete from bench1 where id3 >= 0 and id3 <= %u", plan->loop);
	mm_sb_query(session, "delete from bench1 where id >= %u and id <= %u", plan->loop, plan->loop * 2);
	mm_sb_query(session, "delete from bench1 where id3 < %u", plan->rows);
	mm_sb_end(session, count + 2);
}

static void run(struct mm_sb_session *session)
{
	const struct mm_sb_edition *edition = session->edition;
	struct mm_sb_insert_plan plan = { .loop = mm_sb_count(session, edition->insert_loop, 100, 100) };

	plan.rows = plan.loop * 3;
	plan.scans = mm_sb_count(session, edition->insert_scans, 1, 1);
	plan.ranges = mm_sb_count(session, edition->insert_ranges, 10, 10);
	if (plan.ranges > plan.loop)
		plan.ranges = plan.loop;
	shuffle(&plan);

	mm_sb_connect(session);
	fill(session, &plan);
	insert_duplicates(session, &plan);
	mm_sb_insert_selects(session, &plan);
	update_keys(session, &plan);
	update_rows(session, &plan);
	outer_joins(session, &plan);
	lists(session, &plan);
	insert_select(session);
	delete_rows(session, &plan);
	mm_sb_query(session, "drop table bench1");
	mm_sb_insert_many_keys(session, &plan);
	mm_sb_insert_multiple_values(session, &plan);
	if (edition->later)
		mm_sb_insert_many_secondary_keys(session, &plan);
	free(plan.shuffled);
}

static void probe(struct mm_sb_session *session)
{
	unsigned needed = session->edition->query_size + 1024;
	char *allowed = mm_sb_look_up(session, 1, "show variables like 'max_allowed_packet'");

	if (allowed && strtoull(allowed, NULL, 10) < needed)
		mm_sb_skip(session,
			   "the server's max_allowed_packet is %s, a statement of this edition has up to %u bytes",
			   allowed, needed);
	free(allowed);
	mm_sb_probe_many_keys(session);
}

const struct mm_sb_test mm_sb_insert = { .name = "insert", .probe = probe, .run = run };
