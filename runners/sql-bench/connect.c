/* connect: how fast are connections made, and the simplest of answers sent? */
#include "runners/sql-bench/session.h"

#include "base/memory.h"

static void connections(struct mm_sb_session *session, unsigned loop)
{
	if (mm_sb_begin(session, "connect", MM_SB_READS)) {
		for (unsigned i = 0; i < loop && !session->code; i++) {
			mm_sb_connect(session);
			mm_sb_disconnect(session);
		}
		mm_sb_end(session, loop);
	}
	if (mm_sb_begin(session, "connect+select_simple", MM_SB_READS)) {
		for (unsigned i = 0; i < loop && !session->code; i++) {
			mm_sb_connect(session);
			mm_sb_query(session, "select %u", i);
			mm_sb_disconnect(session);
		}
		mm_sb_end(session, loop);
	}
}

static void constants(struct mm_sb_session *session, unsigned loop)
{
	if (mm_sb_begin(session, "select_simple", MM_SB_READS)) {
		for (unsigned i = 0; i < loop; i++)
			mm_sb_query(session, "select %u", i);
		mm_sb_end(session, loop);
	}
	/* The same text each time: what a query cache answers. */
	if (mm_sb_begin(session, "select_simple_cache", MM_SB_READS)) {
		mm_sb_text(session, "select 10000");
		for (unsigned i = 0; i < loop; i++)
			mm_sb_send(session);
		mm_sb_end(session, loop);
	}
}

static void connections_with_table(struct mm_sb_session *session, unsigned loop)
{
	if (!mm_sb_begin(session, "connect+select_1_row", MM_SB_READS))
		return;
	for (unsigned i = 0; i < loop && !session->code; i++) {
		mm_sb_connect(session);
		mm_sb_query(session, "select a,i,s,%u from bench1", i);
		mm_sb_disconnect(session);
	}
	mm_sb_end(session, loop);
}

static void rows_of_table(struct mm_sb_session *session, unsigned loop)
{
	if (mm_sb_begin(session, "select_1_row", MM_SB_READS)) {
		for (unsigned i = 0; i < loop; i++)
			mm_sb_query(session, "select a,i,s,%u from bench1", i);
		mm_sb_end(session, loop);
	}
	if (mm_sb_begin(session, "select_1_row_cache", MM_SB_READS)) {
		mm_sb_text(session, "select a,i,s from bench1");
		for (unsigned i = 0; i < loop; i++)
			mm_sb_send(session);
		mm_sb_end(session, loop);
	}
	mm_sb_query(session, "insert into bench1 values(2,200,'BBB')");
	if (mm_sb_begin(session, "select_2_rows", MM_SB_READS)) {
		for (unsigned i = 0; i < loop; i++)
			mm_sb_query(session, "select a,i,s,%u from bench1", i);
		mm_sb_end(session, loop);
	}
	if (mm_sb_begin(session, "select_column+column", MM_SB_READS)) {
		for (unsigned i = 0; i < loop; i++)
			mm_sb_query(session, "select a+a+a+a+a+a+a+a+a+%u from bench1", i);
		mm_sb_end(session, loop);
	}
}

static void large_value(struct mm_sb_session *session, unsigned loop)
{
	size_t size = session->edition->blob_size;
	char *value = mm_alloc(size + 1);

	memset(value, 'A', size);
	mm_sb_query(session, "create table bench1 (b blob)%s", session->clause);
	mm_sb_text(session, "insert into bench1 values('");
	mm_sb_more_text(session, value);
	mm_sb_more_text(session, "')");
	mm_sb_send(session);
	free(value);
	if (mm_sb_begin(session, "select_big_str", MM_SB_READS)) {
		for (unsigned i = 0; i < loop; i++)
			mm_sb_query(session, "select b,%u from bench1", i);
		mm_sb_end(session, loop);
	}
	mm_sb_query(session, "drop table bench1");
}

static void run(struct mm_sb_session *session)
{
	unsigned loop = mm_sb_count(session, session->edition->connect_loop, 10, 10);

	connections(session, loop / 10);
	mm_sb_connect(session);
	constants(session, loop);
	mm_sb_drop_if_there(session, "bench1");
	mm_sb_query(session, "create table bench1 (a int NOT NULL,i int,s char(10),primary key (a))%s",
		    session->clause);
	mm_sb_query(session, "insert into bench1 values(1,100,'AAA')");
	mm_sb_disconnect(session);
	connections_with_table(session, loop / 10);
	mm_sb_connect(session);
	rows_of_table(session, loop);
	mm_sb_query(session, "drop table bench1");
	large_value(session, loop / 10);
}

/* MEMORY tables hold no large values. */
static void probe(struct mm_sb_session *session)
{
	mm_sb_probe_table(session, "b blob", "a blob");
}

const struct mm_sb_test mm_sb_connect_test = { .name = "connect", .probe = probe, .run = run };
