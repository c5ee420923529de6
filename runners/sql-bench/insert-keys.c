/* insert, its last part: tables with many keys, and rows inserted many at a time. */
#include "runners/sql-bench/insert.h"

/* Types of the first seven columns; the others are texts. */
static const char *const types[] = { "tinyint", "mediumint", "smallint", "char(16)", "integer", "float", "double" };

enum { FIXED = sizeof types / sizeof *types, GROUPS = 128 };

/* A primary key over all columns but one, and a key for nearly each of them. */
static void compose_columns(const struct mm_sb_session *session, struct mm_buffer *text)
{
	unsigned keys = session->edition->max_keys, parts = session->edition->max_key_parts;

	mm_buffer_reset(text);
	mm_buffer_printf(text, "field1 %s not null,field_search tinyint not null,", types[0]);
	for (unsigned i = 2; i <= keys; i++)
		mm_buffer_printf(text, "field%u %s not null,", i, i <= FIXED ? types[i - 1] : "char(6)");
	mm_buffer_puts(text, "primary key (field1");
	for (unsigned i = 2; i <= parts; i++)
		mm_buffer_printf(text, ",field%u", i);
	mm_buffer_puts(text, "),index index2 (field_search)");
	for (unsigned i = 3; i <= keys; i++)
		mm_buffer_printf(text, ",index index%u (field%u)", i, i);
}

void mm_sb_probe_many_keys(struct mm_sb_session *session)
{
	compose_columns(session, &session->text_a);
	mm_sb_probe_table(session, mm_buffer_text(&session->text_a), "the keys of this test");
}

void mm_sb_insert_many_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	compose_columns(session, &session->text_a);
	mm_sb_query(session, "create table bench1 (%s)%s", mm_buffer_text(&session->text_a), session->clause);

	mm_sb_begin(session, "insert_key", MM_SB_WRITES);
	for (unsigned i = 0; i < plan->loop; i++) {
		unsigned group = i & (GROUPS - 1), value = plan->shuffled[i];

		mm_sb_text(session, "insert into bench1 values (%u,%u,%u,%u,'ABCDEF%u',0,%u,%u.0", group, group, value,
			   i & 32767, value, value, value);
		for (unsigned j = FIXED + 1; j <= session->edition->max_keys; j++)
			mm_sb_more(session, ",'%u'", value);
		mm_sb_more_text(session, ")");
		mm_sb_send(session);
	}
	mm_sb_end(session, plan->loop);

	/* Half of the groups do not exist. */
	mm_sb_begin(session, "update_of_primary_key_many_keys", MM_SB_WRITES);
	for (unsigned i = 0; i < GROUPS * 2; i++)
		mm_sb_query(session, "update bench1 set field5=1 where field_search=%u", i);
	mm_sb_end(session, 2UL * GROUPS);

	mm_sb_begin(session, "delete_big_many_keys", MM_SB_WRITES);
	for (unsigned i = 0; i < GROUPS; i++)
		mm_sb_query(session, "delete from bench1 where field_search = %u", i);
	mm_sb_end(session, GROUPS);

	mm_sb_begin(session, "delete_all_many_keys", MM_SB_WRITES);
	mm_sb_query(session, "delete from bench1 where field1 > 0");
	mm_sb_end(session, 1);
	mm_sb_query(session, "drop table bench1");
}

static unsigned digits_of(unsigned number)
{
	unsigned digits = 1;

	while (number >= 10) {
		number /= 10;
		digits++;
	}
	return digits;
}

void mm_sb_insert_multiple_values(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	static const char start[] = "insert into bench1 values ";
	const char *comma = "";

	mm_sb_drop_if_there(session, "bench1");
	mm_sb_query(session,
		    "create table bench1 (id int NOT NULL,id2 int NOT NULL,id3 int NOT NULL,dummy1 char(30),"
		    "primary key (id,id2),index index_id3 (id3))%s",
		    session->clause);
	mm_sb_begin(session, "multiple_value_insert", MM_SB_WRITES);
	mm_sb_text(session, "%s", start);
	for (unsigned i = 0; i < plan->loop; i++) {
		/* Upstream's rule for a full statement, trailing comma included: it decides how many there are. */
		if (session->text.length + 1 + digits_of(i) >= session->edition->query_size && !session->dry) {
			mm_sb_send(session);
			mm_sb_text(session, "%s", start);
			comma = "";
		}
		mm_sb_more(session, "%s(%u,%u,%u,'EFGHIJKLM')", comma, i, i, i);
		comma = ",";
	}
	mm_sb_send(session);
	mm_sb_end(session, plan->loop);
	mm_sb_query(session, "drop table bench1");
}

static void update_by(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan, const char *operation,
		      const char *assignments, unsigned shift, unsigned column)
{
	unsigned updates = mm_sb_count(session, session->edition->insert_key_updates, 10, 10);

	mm_sb_begin(session, operation, MM_SB_WRITES);
	for (unsigned i = 0; i < updates; i++) {
		unsigned row = i * 11 % plan->loop + shift;

		if (assignments)
			mm_sb_query(session, "update bench1 set %s where field%u=%u", assignments, column, row);
		else
			mm_sb_query(session, "update bench1 set field7=%u%s where field%u=%u", i,
				    column == 2 ? "+1" : "", column, row);
	}
	mm_sb_end(session, updates);
}

void mm_sb_insert_many_secondary_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	enum { COLUMNS = 16, KEYS = 8 };

	mm_sb_text(session,
		   "create table bench1 (field1 integer not null,field2 integer not null,field3 char(16) not null,"
		   "field4 varchar(64) not null,field5 float not null,field6 double not null,"
		   "field7 integer not null");
	for (unsigned i = FIXED + 1; i <= COLUMNS; i++)
		mm_sb_more(session, ",field%u varchar(16) not null", i);
	mm_sb_more_text(session, ",primary key (field1) ");
	for (unsigned i = 2; i <= KEYS; i++)
		mm_sb_more(session, ",index index%u (field%u)", i, i);
	mm_sb_more(session, ")%s", session->clause);
	mm_sb_send(session);

	mm_sb_begin(session, "insert_many_keys", MM_SB_WRITES);
	for (unsigned i = 1; i <= plan->loop; i++) {
		unsigned value = plan->shuffled[i];

		mm_sb_text(session, "insert into bench1 values (%u,%u,'test%u','ABCDEF%u',%u.0,%u.0,%u", i, i, value,
			   value, value, value, value);
		for (unsigned j = FIXED + 1; j < COLUMNS; j++)
			mm_sb_more(session, ",'%u'", value);
		mm_sb_more(session, ",%u)", value);
		mm_sb_send(session);
	}
	mm_sb_end(session, plan->loop);

	update_by(session, plan, "many_key_update_of_key_with_primary", NULL, 1, 1);
	update_by(session, plan, "many_key_update_of_key_with_secondary", NULL, 1, 2);
	update_by(session, plan, "many_key_update_of_field_with_primary", "field8='hello', field9='world'", 2, 1);
	update_by(session, plan, "many_key_update_of_field_with_secondary", "field8='world', field9='hello'", 3, 2);
	mm_sb_query(session, "drop table bench1");
}
