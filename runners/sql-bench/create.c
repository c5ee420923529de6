/* create: how fast tables are made, counted and dropped, many at a time and one by one. */
#include "runners/sql-bench/session.h"

static const char plain[] = "i int NOT NULL,d double,f float,s char(10),v varchar(100),primary key (i)";

static void many_tables(struct mm_sb_session *session, unsigned count)
{
	mm_sb_begin(session, "create_MANY_tables", MM_SB_WRITES);
	for (unsigned i = 1; i <= count; i++)
		mm_sb_query(session, "create table bench_%u (%s)%s", i, plain, session->clause);
	mm_sb_end(session, count);
	if (mm_sb_begin(session, "select_group_when_MANY_tables", MM_SB_READS)) {
		for (unsigned i = 1; i <= count; i++)
			mm_sb_query(session, "select count(*) from  bench_%u", i);
		mm_sb_end(session, count);
	}
	mm_sb_begin(session, "drop_table_when_MANY_tables", MM_SB_WRITES);
	for (unsigned i = 1; i <= count; i++)
		mm_sb_query(session, "drop table bench_%u", i);
	mm_sb_end(session, count);
}

static void one_by_one(struct mm_sb_session *session, const char *operation, unsigned count, const char *columns)
{
	/* Nothing is left behind, so it counts as reading: it is left out when it was not asked for. */
	if (!mm_sb_begin(session, operation, MM_SB_READS))
		return;
	for (unsigned i = 1; i <= count; i++) {
		mm_sb_query(session, "create table bench_%u (%s)%s", i, columns, session->clause);
		mm_sb_query(session, "drop table bench_%u", i);
	}
	mm_sb_end(session, count);
}

/* Columns of many types, and keys on them. Edition 5.0 means to make the keys, but makes none. */
static void compose_keys(struct mm_sb_session *session, struct mm_buffer *text)
{
	unsigned keys = session->edition->max_keys, parts = session->edition->max_key_parts;

	mm_buffer_reset(text);
	mm_buffer_puts(text, "field1 tinyint not null,field2 mediumint not null,field3 smallint not null,"
			     "field4 char(16) not null,field5 integer not null,field6 float not null,"
			     "field7 double not null");
	for (unsigned i = 8; i <= keys; i++)
		mm_buffer_printf(text, ",field%u char(5) not null", i);
	if (!session->edition->later)
		return;
	mm_buffer_puts(text, ",primary key (field1");
	for (unsigned i = 2; i <= parts; i++)
		mm_buffer_printf(text, ",field%u", i);
	mm_buffer_puts(text, ")");
	for (unsigned i = 2; i <= keys; i++)
		mm_buffer_printf(text, ",index index%u (field%u)", i, i);
}

static void run(struct mm_sb_session *session)
{
	const struct mm_sb_edition *edition = session->edition;
	unsigned tables = mm_sb_count(session, edition->create_tables, 1, 1);
	unsigned loop = mm_sb_count(session, edition->create_loop, 1, 1);

	mm_sb_connect(session);
	many_tables(session, tables < edition->max_tables ? tables : edition->max_tables);
	one_by_one(session, "create+drop", loop, plain);
	compose_keys(session, &session->text_a);
	one_by_one(session, "create_key+drop", loop, mm_buffer_text(&session->text_a));
}

static void probe(struct mm_sb_session *session)
{
	compose_keys(session, &session->text_a);
	mm_sb_probe_table(session, mm_buffer_text(&session->text_a), "the columns and keys of this test");
}

const struct mm_sb_test mm_sb_create = { .name = "create", .probe = probe, .run = run };
