/* alter-table: a table that gains columns, loses its keys and its columns again. */
#include "runners/sql-bench/session.h"

struct plan {
	unsigned columns, rows;
	unsigned step; /* columns of one statement */
};

enum { FIRST = 8 }; /* columns at the beginning */

static void create_and_fill(struct mm_sb_session *session, const struct plan *plan)
{
	mm_sb_drop_if_there(session, "bench");
	mm_sb_text(session, "create table bench (i1 int not null");
	for (unsigned i = 2; i <= FIRST; i++)
		mm_sb_more(session, ",i%u int not null", i);
	mm_sb_more(session, ")%s", session->clause);
	mm_sb_send(session);
	/* Upstream times this in a line that its own summary does not count: no operation. */
	for (unsigned row = 0; row < plan->rows; row++)
		mm_sb_query(session, "insert into bench values ( %u,%u,%u,%u,%u,%u,%u,%u)", row, row, row, row, row,
			    row, row, row);
}

static unsigned add_columns(struct mm_sb_session *session, const struct plan *plan, unsigned columns,
			    const char *operation, const char *place)
{
	unsigned count = 0;

	mm_sb_begin(session, operation, MM_SB_WRITES);
	for (; columns < plan->columns; count++) {
		const char *separator = "";

		mm_sb_text(session, "ALTER TABLE bench ");
		for (unsigned i = 0; i < plan->step && columns < plan->columns; i++, separator = ",")
			mm_sb_more(session, "%sADD  i%u integer%s", separator, ++columns, place);
		mm_sb_send(session);
	}
	mm_sb_end(session, count);
	return columns;
}

static void keys(struct mm_sb_session *session)
{
	mm_sb_begin(session, "create_index", MM_SB_WRITES);
	for (unsigned i = 1; i <= FIRST; i++)
		mm_sb_query(session, "CREATE INDEX bench_ind%u ON bench (i%u)", i, i);
	mm_sb_end(session, FIRST);
	mm_sb_begin(session, "drop_index", MM_SB_WRITES);
	for (unsigned i = 1; i <= FIRST; i++)
		mm_sb_query(session, "DROP INDEX bench_ind%u ON bench", i);
	mm_sb_end(session, FIRST);
}

/* Edition 5.0 passes one column over in each step, which thus stays. Returns what upstream takes for the number left.
 */
static unsigned drop_columns(struct mm_sb_session *session, const struct plan *plan, unsigned columns)
{
	unsigned count = 0, skip = session->edition->later ? 0 : 1;

	mm_sb_begin(session, "alter_table_drop", MM_SB_WRITES);
	for (; columns > FIRST; count++) {
		unsigned end = columns > FIRST + plan->step ? columns - plan->step : FIRST;
		const char *separator = "";

		mm_sb_text(session, "ALTER TABLE bench ");
		/* END itself is dropped only where the step begins below its first column. */
		for (columns -= skip; columns > end - skip; columns--, separator = ",")
			mm_sb_more(session, "%sDROP i%u", separator, columns);
		mm_sb_send(session);
	}
	mm_sb_end(session, count);
	return columns;
}

static void run(struct mm_sb_session *session)
{
	const struct mm_sb_edition *edition = session->edition;
	unsigned columns = mm_sb_count(session, edition->alter_columns, 1, FIRST + 2);
	unsigned steps = mm_sb_count(session, edition->alter_steps, 1, 1);
	struct plan plan = { .rows = mm_sb_count(session, edition->alter_rows, 1, 1) };

	plan.columns = columns < edition->alter_columns ? columns : edition->alter_columns;
	plan.step = (plan.columns - FIRST) / steps + 1;
	mm_sb_connect(session);
	create_and_fill(session, &plan);
	columns = add_columns(session, &plan, FIRST, "alter_table_add", "");
	keys(session);
	columns = drop_columns(session, &plan, columns);
	if (edition->later)
		add_columns(session, &plan, columns, "alter_table_add_in_middle", " after i1");
	mm_sb_query(session, "drop table bench");
}

static void probe(struct mm_sb_session *session)
{
	mm_sb_probe_columns(session, session->edition->alter_columns);
}

const struct mm_sb_test mm_sb_alter_table = { .name = "alter-table", .probe = probe, .run = run };
