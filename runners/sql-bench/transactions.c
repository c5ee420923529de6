/* transactions: rows changed in one transaction, one by one, and rolled back. */
#include "runners/sql-bench/session.h"

enum { GROUPS = 27 };

struct plan {
	unsigned loop, rollback;
};

static void set_autocommit(struct mm_sb_session *session, bool on)
{
	mm_sb_query(session, "SET autocommit=%d", on);
}

static void insert_row(struct mm_sb_session *session, const char *table, unsigned id, unsigned reverse)
{
	/* The group is a fraction in the statement, and what the server rounds it to in the table. */
	mm_sb_query(session, "insert into %s values (%u,%u,'%c',%.15g,0)", table, id, reverse, 'A' + (int)(id % GROUPS),
		    (double)id / GROUPS);
}

enum change { INSERT, UPDATE, DELETE };

static void change_row(struct mm_sb_session *session, enum change change, const char *table, unsigned id,
		       const struct plan *plan)
{
	if (change == INSERT)
		insert_row(session, table, id, plan->loop - 1 - id);
	else if (change == UPDATE)
		mm_sb_query(session, "update %s set updated=1 where idn=%u", table, id);
	else
		mm_sb_query(session, "delete from %s where idn=%u", table, id);
}

/* Every row of a table changed: in one transaction where the engine can, and each row for itself. */
static void committed(struct mm_sb_session *session, const struct plan *plan, enum change change, const char *name,
		      const char *autocommit_name)
{
	if (session->transactional && mm_sb_begin(session, name, MM_SB_WRITES)) {
		for (unsigned id = 0; id < plan->loop; id++)
			change_row(session, change, "bench1", id, plan);
		mm_sb_query(session, "COMMIT");
		mm_sb_end(session, plan->loop);
	}
	if (session->transactional || change == INSERT)
		set_autocommit(session, true);
	if (mm_sb_begin(session, autocommit_name, MM_SB_WRITES)) {
		for (unsigned id = 0; id < plan->loop; id++)
			change_row(session, change, "bench2", id, plan);
		mm_sb_end(session, plan->loop);
	}
}

/* Some rows changed and rolled back, again and again. */
static void rolled_back(struct mm_sb_session *session, const struct plan *plan, enum change change, const char *name)
{
	unsigned pending = 0, count = 0;

	if (!mm_sb_begin(session, name, MM_SB_WRITES))
		return;
	for (unsigned id = 0; id < plan->loop; id++) {
		if (change == INSERT)
			insert_row(session, "bench1", plan->loop + id, plan->loop - id);
		else if (change == UPDATE)
			mm_sb_query(session, "update bench1 set updated=2 where idn=%u", id);
		else
			mm_sb_query(session, "delete from bench1 where idn=%u", id);
		if (++pending >= plan->rollback) {
			mm_sb_query(session, "ROLLBACK");
			pending = 0;
			count++;
		}
	}
	if (pending) {
		mm_sb_query(session, "ROLLBACK");
		count++;
	}
	mm_sb_end_rows(session, count, plan->loop);
}

static void run(struct mm_sb_session *session)
{
	struct plan plan = {
		.loop = mm_sb_count(session, session->edition->transactions_loop, 1, 10),
		.rollback = mm_sb_count(session, session->edition->transactions_rollback, 1, 1),
	};
	static const char *const tables[] = { "bench1", "bench2" };

	mm_sb_connect(session);
	for (unsigned t = 0; t < 2; t++)
		mm_sb_drop_if_there(session, tables[t]);
	for (unsigned t = 0; t < 2; t++)
		mm_sb_query(session,
			    "create table %s (idn int NOT NULL,rev_idn int NOT NULL,region char(1) NOT NULL,grp int "
			    "NOT NULL,"
			    "updated tinyint NOT NULL,primary key (idn),unique (region,grp))%s",
			    tables[t], session->clause);
	set_autocommit(session, false);
	committed(session, &plan, INSERT, "insert_commit", "insert_autocommit");
	if (session->transactional) {
		set_autocommit(session, false);
		rolled_back(session, &plan, INSERT, "insert_rollback");
		rolled_back(session, &plan, UPDATE, "update_rollback");
		rolled_back(session, &plan, DELETE, "delete_rollback");
	}
	committed(session, &plan, UPDATE, "update_commit", "update_autocommit");
	if (session->transactional)
		set_autocommit(session, false);
	committed(session, &plan, DELETE, "delete_commit", "delete_autocommit");
	for (unsigned t = 0; t < 2; t++)
		mm_sb_query(session, "drop table %s", tables[t]);
}

/* The first edition leaves the whole test out where the later one leaves out its transactions. */
static void probe(struct mm_sb_session *session)
{
	if (!session->transactional && !session->edition->later)
		mm_sb_skip(session, "the tables' engine has no transactions");
}

const struct mm_sb_test mm_sb_transactions = { .name = "transactions", .probe = probe, .run = run };
