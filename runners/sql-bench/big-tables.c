/* big-tables: a table with very many columns. */
#include "runners/sql-bench/session.h"

/* "i1,i2,…" in TEXT_A, "1,1,…" in TEXT_B. */
static void compose(struct mm_sb_session *session, unsigned columns)
{
	mm_buffer_reset(&session->text_a);
	mm_buffer_reset(&session->text_b);
	for (unsigned i = 1; i <= columns; i++) {
		mm_buffer_printf(&session->text_a, "%si%u", i == 1 ? "" : ",", i);
		mm_buffer_puts(&session->text_b, i == 1 ? "1" : ",1");
	}
}

static void repeat(struct mm_sb_session *session, const char *operation, enum mm_sb_kind kind, unsigned loop)
{
	if (!mm_sb_begin(session, operation, kind))
		return;
	for (unsigned i = 0; i < loop; i++)
		mm_sb_send(session);
	mm_sb_end(session, loop);
}

static void run(struct mm_sb_session *session)
{
	unsigned loop = mm_sb_count(session, session->edition->big_loop, 1, 1);
	unsigned columns = session->edition->big_columns;
	const char *names, *values;

	compose(session, columns);
	names = mm_buffer_text(&session->text_a);
	values = mm_buffer_text(&session->text_b);
	mm_sb_connect(session);
	mm_sb_drop_if_there(session, "bench1");
	mm_sb_text(session, "create table bench1 (i1 int");
	for (unsigned i = 2; i <= columns; i++)
		mm_sb_more(session, ",i%u int", i);
	mm_sb_more(session, ")%s", session->clause);
	mm_sb_send(session);
	mm_sb_query(session, "insert into bench1 values (%s)", values);

	mm_sb_text(session, "select * from bench1");
	repeat(session, "select_many_fields", MM_SB_READS, loop);
	mm_sb_text(session, "select %s from bench1", names);
	repeat(session, "select_many_fields", MM_SB_READS, loop);
	mm_sb_text(session, "insert into bench1 values(%s)", values);
	repeat(session, "insert_many_fields", MM_SB_WRITES, loop);
	mm_sb_text(session, "insert into bench1 (%s) values(%s)", names, values);
	repeat(session, "insert_many_fields", MM_SB_WRITES, loop);
	mm_sb_query(session, "drop table bench1");
}

static void probe(struct mm_sb_session *session)
{
	mm_sb_probe_columns(session, session->edition->big_columns);
}

const struct mm_sb_test mm_sb_big_tables = { .name = "big-tables", .probe = probe, .run = run };
