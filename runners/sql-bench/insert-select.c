/* insert, its middle part: what is selected and grouped. The statements that it orders by are listed once, in tables.
 */
#include "runners/sql-bench/insert.h"

#include "base/memory.h"

static void by_primary_key(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	if (mm_sb_begin(session, "prepared_select", MM_SB_READS)) {
		for (unsigned i = 1; i <= plan->loop; i++)
			mm_sb_query(session, "select * from bench1 where id=%u", plan->shuffled[i]);
		mm_sb_end(session, plan->loop);
	}
	/* Perl's driver fills in the value itself, as a text: the server sees a plain statement here too. */
	if (mm_sb_begin(session, "once_prepared_select", MM_SB_READS)) {
		for (unsigned i = 1; i <= plan->loop; i++)
			mm_sb_query(session, "select * from bench1 where id='%u'", plan->shuffled[i]);
		mm_sb_end(session, plan->loop);
	}
}

static void whole_table(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	static const struct {
		const char *operation, *statement;
		bool ordered;
	} scans[] = {
		{ "select_big", "select id from bench1", false },
		{ "order_by_big_key", "select id,id2 from bench1 order by id,id2", true },
		{ "order_by_big_key_desc", "select id,id2 from bench1 order by id desc, id2 desc", true },
		{ "order_by_big_key_prefix", "select id from bench1 order by id desc", true },
		{ "order_by_big_key2", "select id3 from bench1 order by id3", true },
		{ "order_by_big_key_diff", "select id2 from bench1 order by id3", true },
		{ "order_by_big", "select id from bench1 order by id2,id3", true },
	};

	for (size_t s = 0; s < sizeof scans / sizeof *scans; s++) {
		uint64_t rows = 0;

		if (!mm_sb_begin(session, scans[s].operation, MM_SB_READS))
			continue;
		mm_sb_text(session, "%s", scans[s].statement);
		for (unsigned i = 0; i < plan->scans; i++) {
			uint64_t got = scans[s].ordered ? mm_sb_send_ordered(session) : mm_sb_send(session);

			mm_sb_expect(session, got, plan->rows);
			rows += got;
		}
		mm_sb_end_rows(session, plan->scans, rows);
	}
}

static void ordered_ranges(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	static const struct {
		const char *operation, *selected, *column, *order;
		bool wide; /* each range as wide as the last */
	} ranges[] = {
		{ "order_by_range", "dummy1", "id", "id3", false },
		{ "order_by_key_prefix", "dummy1", "id", "id", false },
		{ "order_by_key2_diff", "id2", "id3", "id3", true },
	};

	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
		uint64_t rows = 0;

		if (!mm_sb_begin(session, ranges[r].operation, MM_SB_READS))
			continue;
		for (unsigned i = 1; i <= plan->ranges; i++) {
			double start = (double)plan->loop / plan->ranges * i;

			/* 15 digits, where the quotient is not whole. */
			rows += mm_sb_query_ordered(session,
						    "select %s from bench1 where %s>=%.15g and %s <= %.15g order by %s",
						    ranges[r].selected, ranges[r].column, start, ranges[r].column,
						    start + (ranges[r].wide ? plan->ranges : i), ranges[r].order);
		}
		mm_sb_end_rows(session, plan->ranges, rows);
	}
}

static void different_keys(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan)
{
	uint64_t rows = 0;

	if (!mm_sb_begin(session, "select_diff_key", MM_SB_READS))
		return;
	for (unsigned i = 1; i <= plan->ranges; i++)
		rows += mm_sb_query(session, "select id2 from bench1 where id=%u or id3=%u", i, plan->shuffled[i]);
	mm_sb_end_rows(session, plan->ranges, rows);
}

/* One column compared with up to 48 values: by OR, by IN, and by OR within a range. The count is upstream's. */
static void or_ranges(struct mm_sb_session *session, struct mm_sb_insert_plan *plan, const char *column,
		      const char *operation)
{
	enum { MOST = 48, STATEMENTS = 15 };
	unsigned loop = (plan->ranges * 10 + STATEMENTS - 1) / STATEMENTS * STATEMENTS;
	struct mm_buffer *parts = &session->text_a, *in = &session->text_b;
	uint64_t rows = 0;

	if (!mm_sb_begin(session, operation, MM_SB_READS))
		return;
	for (unsigned count = 0; count < loop && !session->code; count += STATEMENTS) {
		for (unsigned values = 0; values <= MOST; values += MOST / 4) {
			mm_buffer_reset(parts);
			mm_buffer_reset(in);
			mm_buffer_printf(parts, "%s = 1", column);
			mm_buffer_puts(in, "1");
			for (unsigned i = 1; i < values; i++) {
				unsigned value;

				plan->last = mm_sb_draw(plan->last, i, plan->loop);
				value = (unsigned)(plan->last % ((uint64_t)plan->loop * 4));
				mm_buffer_printf(parts, " or %s=%u", column, value);
				mm_buffer_printf(in, ",%u", value);
			}
			rows += mm_sb_query(session, "select * from bench1 where %s", mm_buffer_text(parts));
			mm_sb_query(session, "select * from bench1 where %s IN (%s)", column, mm_buffer_text(in));
			rows += mm_sb_query(session, "select * from bench1 where (%s) and %s < 10",
					    mm_buffer_text(parts), column);
		}
	}
	mm_sb_end_rows(session, loop, rows);
}

static void single_keys(struct mm_sb_session *session, struct mm_sb_insert_plan *plan)
{
	static const struct {
		const char *operation, *selected, *column;
		bool both; /* the whole primary key: id and id2 */
	} keys[] = {
		{ "select_key_prefix", "*", "id", false },
		{ "select_key", "*", "id", true },
		{ "select_key_return_key", "id,id2", "id", true },
		{ "select_key2", "*", "id3", false },
		{ "select_key2_return_key", "id3", "id3", false },
		{ "select_key2_return_prim", "id,id2", "id3", false },
	};

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		if (!mm_sb_begin(session, keys[k].operation, MM_SB_READS))
			continue;
		for (unsigned i = 1; i <= plan->loop; i++) {
			unsigned id;

			plan->last = mm_sb_draw(plan->last, i, plan->loop);
			id = (unsigned)(plan->last % plan->rows);
			/* One that is there, and one that is not. */
			for (unsigned there = 1; there <= 1; there--, id += plan->rows) {
				mm_sb_text(session, "select %s from bench1 where %s=%u", keys[k].selected,
					   keys[k].column, id);
				if (keys[k].both)
					mm_sb_more(session, " and id2=%u", id);
				mm_sb_expect(session, mm_sb_send(session), there);
			}
		}
		mm_sb_end(session, (uint64_t)plan->loop * 2);
	}
}

/*
 * Conditions on one column ("$"), which all are ranges in the end, and how many of the rows 0, 1, 2 … they find.
 * %1 to %4 stand for numbers that depend on the size of the table.
 */
static const struct {
	const char *condition;
	unsigned rows;
} conditions[] = {
	{ "$=3 or $=2 or $=1 or $=4 or $=16 or $=10", 6 },
	{ "$>=%1 or $<1", 2 },
	{ "$>=1 and $<=2", 2 },
	{ "($>=1 and $<=2) or ($>=1 and $<=2)", 2 },
	{ "$>=1 and $<=10 and $<=5", 5 },
	{ "($>0 and $<2) or $>=%1", 2 },
	{ "($>0 and $<2) or ($>= %2 and $ <= %3) or $ = %4", 5 },
	{ "($>=5 and $<=10) or ($>=1 and $<=4)", 10 },
	{ "($=1 or $=2) and ($=3 or $=4)", 0 },
	{ "($=1 or $=2) and ($=2 or $=3)", 1 },
	{ "($=1 or $=5 or $=20 or $=40) and ($=1 or $>=20 or $=4)", 3 },
	{ "(($=1 or $=3) or ($>1 and $<3)) and $<=2", 2 },
	{ "($ >= 0 and $ < 4) or ($ >=4 and $ < 6)", 6 },
	{ "$ <= -1 or ($ >= 0 and $ <= 5) or ($ >=4 and $ < 6) or ($ >=6 and $ <=7) or ($>7 and $ <= 8)", 9 },
	{ "($>=1 and $<=2 or $>=4 and $<=5) or ($>=0 and $ <=10)", 11 },
	{ "($>=1 and $<=2 or $>=4 and $<=5) or ($>2 and $ <=10)", 10 },
	{ "($>1 or $ <1) and $<=2", 2 },
	{ "$ <= 2 and ($>1 or $ <=1)", 3 },
	{ "($>=1 or $ <1) and $<=2", 3 },
	{ "($>=1 or $ <=2) and $<=2", 3 },
};

enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static void compose_condition(const struct mm_sb_insert_plan *plan, const char *column, const char *condition,
			      struct mm_buffer *text)
{
	unsigned half = plan->loop / 2;
	const unsigned numbers[] = { plan->rows - 1, half, half + 2, half - 1 };

	mm_buffer_puts(text, "select * from bench1 where ");
	for (const char *at = condition; *at; at++) {
		if (*at == '$')
			mm_buffer_puts(text, column);
		else if (*at == '%')
			mm_buffer_printf(text, "%u", numbers[*++at - '1']);
		else
			mm_buffer_putc(text, *at);
	}
}

/* Upstream counts each of these twice. */
static void simple_ranges(struct mm_sb_session *session, const struct mm_sb_insert_plan *plan, const char *column,
			  const char *operation)
{
	struct mm_buffer statements[CONDITIONS] = { MM_BUFFER_INIT };
	uint64_t rows = 0;

	if (!mm_sb_begin(session, operation, MM_SB_READS))
		return;
	for (unsigned c = 0; c < CONDITIONS; c++)
		compose_condition(plan, column, conditions[c].condition, &statements[c]);
	for (unsigned i = 0; i < plan->ranges; i++) {
		for (unsigned c = 0; c < CONDITIONS; c++) {
			uint64_t got = mm_sb_query(session, "%s", statements[c].data);

			mm_sb_expect(session, got, conditions[c].rows);
			rows += got;
		}
	}
	mm_sb_end_rows(session, (uint64_t)plan->ranges * CONDITIONS * 2, rows);
	for (unsigned c = 0; c < CONDITIONS; c++)
		mm_buffer_release(&statements[c]);
}

void mm_sb_insert_selects(struct mm_sb_session *session, struct mm_sb_insert_plan *plan)
{
	by_primary_key(session, plan);
	whole_table(session, plan);
	ordered_ranges(session, plan);
	different_keys(session, plan);
	or_ranges(session, plan, "id", "select_range_prefix");
	or_ranges(session, plan, "id3", "select_range_key2");
	single_keys(session, plan);
	simple_ranges(session, plan, "id", "select_range_prefix");
	simple_ranges(session, plan, "id3", "select_range_key2");
	mm_sb_insert_groups(session, plan);
}
