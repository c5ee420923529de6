/*
 * wisconsin: three tables of 10,000 rows and one of 1,000, scans and joins on them.
 *
 * The rows follow the Wisconsin benchmark's own rule: "unique2" counts up, "unique1" is a permutation, everything else
 * is derived from them. The permutation is a Fisher-Yates shuffle driven by splitmix64 with a fixed seed for each size:
 * the same rows for every cell and pass.
 */
#include "runners/sql-bench/session.h"

#include "base/memory.h"

static const char *const tables[] = { "onek", "tenk1", "tenk2", "Bprime" };

enum { TABLES = sizeof tables / sizeof *tables, SMALL = 1000, LARGE = 10000 };

static const char *const columns[] = { "unique1", "unique2",  "two",         "four",      "ten",      "twenty",
				       "hundred", "thousand", "twothousand", "fivethous", "tenthous", "odd",
				       "even",    "stringu1", "stringu2",    "string4" };

enum { COLUMNS = sizeof columns / sizeof *columns, TEXTS = 13 };

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static unsigned *permutation(unsigned count)
{
	unsigned *values = mm_calloc(count, sizeof *values);
	uint64_t state = count;

	for (unsigned i = 0; i < count; i++) {
		unsigned other = (unsigned)(splitmix64(&state) % (i + 1));

		values[i] = values[other];
		values[other] = i;
	}
	return values;
}

static void insert_row(struct mm_sb_session *session, const char *table, unsigned unique1, unsigned unique2,
		       unsigned count)
{
	unsigned unit = count / 100; /* 100 in the large tables: "hundred" to "tenthous" shrink with the small one */
	unsigned hundred = unique1 % unit;
	static const char *const strings[] = { "AAAA", "HHHH", "OOOO", "VVVV" };

	mm_sb_query(
		session, "insert into %s values (%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,'%c%cAAAA','%c%c%cAAA','%sxx')",
		table, unique1, unique2, unique1 % 2, unique1 % 4, unique1 % 10, unique1 % 20, hundred,
		unique1 % (unit * 10), unique1 % (unit * 20), unique1 % (unit * 50), unique1, hundred * 2,
		hundred * 2 + 1, 'A' + (int)(unique1 % 26), 'A' + (int)(unique1 / 26 % 26), 'A' + (int)(unique2 % 26),
		'A' + (int)(unique2 / 26 % 26), 'A' + (int)(unique2 / 676), strings[unique2 % 4]);
}

static void create_tables(struct mm_sb_session *session)
{
	mm_sb_begin(session, "create_table", MM_SB_WRITES);
	for (unsigned t = 0; t < TABLES; t++) {
		mm_sb_drop_if_there(session, tables[t]);
		mm_sb_text(session, "create table %s (unique1 int(%u) NOT NULL,unique2 int(4) NOT NULL", tables[t],
			   t == 0 ? 5 : 4);
		for (unsigned c = 2; c < TEXTS; c++)
			mm_sb_more(session, ",%s int(4)%s", columns[c], c == 6 ? " NOT NULL" : "");
		for (unsigned c = TEXTS; c < COLUMNS; c++)
			mm_sb_more(session, ",%s char(16)", columns[c]);
		mm_sb_more(session, ",UNIQUE (unique1),UNIQUE (unique2),INDEX hundred%u (hundred))%s", t + 1,
			   session->clause);
		mm_sb_send(session);
	}
	/* Upstream's count is one short. */
	mm_sb_end(session, TABLES - 1);
}

static void fill(struct mm_sb_session *session)
{
	unsigned *small = permutation(SMALL), *large = permutation(LARGE), inserted = 0;

	mm_sb_begin(session, "insert", MM_SB_WRITES);
	for (unsigned t = 0; t < TABLES; t++) {
		unsigned rows = session->spec->script ? 0 : t == 0 ? SMALL : LARGE;

		if (session->spec->script)
			inserted += mm_sb_insert_file(session, tables[t],
						      t == 0 ? "Wisconsin/onek.data" : "Wisconsin/tenk.data");
		for (unsigned i = 0; i < rows; i++, inserted++)
			insert_row(session, tables[t], t == 0 ? small[i] : large[i], i, rows);
	}
	mm_sb_end(session, inserted);
	mm_sb_begin(session, "delete_big", MM_SB_WRITES);
	mm_sb_query(session, "delete from Bprime where Bprime.unique2 >= 1000");
	mm_sb_end(session, 1);
	free(small);
	free(large);
}

/* Every column of table ALIAS under a name of its own. */
static void more_columns(struct mm_sb_session *session, const char *alias)
{
	for (unsigned c = 0; c < COLUMNS; c++)
		mm_sb_more(session, ",%s.%s AS %s%s", alias, columns[c], alias, columns[c]);
}

static void repeat(struct mm_sb_session *session, unsigned loop, uint64_t rows)
{
	for (unsigned i = 0; i < loop; i++)
		mm_sb_expect(session, mm_sb_send(session), rows);
}

static void select_rows(struct mm_sb_session *session, unsigned loop)
{
	mm_sb_text(session, "select * from tenk1 where (unique2 > 301) and (unique2 < 402)");
	repeat(session, loop, 100);
	mm_sb_text(session, "select * from tenk1 where (unique1 > 647) and (unique1 < 1648)");
	repeat(session, loop, 1000);
	mm_sb_text(session, "select * from tenk1 where unique2 = 2001");
	repeat(session, loop, 1);
	mm_sb_text(session, "select * from tenk1 where (unique2 > 301) and (unique2 < 402)");
	repeat(session, loop, 100);
}

static void join(struct mm_sb_session *session, unsigned loop)
{
	mm_sb_text(session, "select t1.*");
	more_columns(session, "t2");
	mm_sb_more_text(session, " from tenk1 t1, tenk1 t2 where (t1.unique2 = t2.unique2) and (t2.unique2 < 1000)");
	repeat(session, loop, 1000);

	mm_sb_text(session, "select t.*");
	more_columns(session, "B");
	mm_sb_more_text(session, " from tenk1 t, Bprime B where t.unique2 = B.unique2");
	repeat(session, loop, 1000);

	mm_sb_text(session, "select t1.*");
	more_columns(session, "o");
	mm_sb_more_text(session, " from onek o, tenk1 t1, tenk1 t2 where (o.unique2 = t1.unique2) and "
				 "(t1.unique2 = t2.unique2) and (t1.unique2 < 1000) and (t2.unique2 < 1000)");
	repeat(session, loop, 1000);
}

static void scan(struct mm_sb_session *session, unsigned loop)
{
	mm_sb_text(session, "select two, four, ten, twenty, hundred, string4 from tenk1");
	repeat(session, loop, LARGE);
	mm_sb_text(session, "select * from onek");
	repeat(session, loop, SMALL);
	mm_sb_text(session, "select MIN(unique2) as x from tenk1");
	repeat(session, loop, 1);
}

static void insert_one(struct mm_sb_session *session, unsigned unique1, unsigned unique2)
{
	mm_sb_text(session, "insert into tenk1 (unique1");
	for (unsigned c = 1; c < COLUMNS; c++)
		mm_sb_more(session, ", %s", columns[c]);
	mm_sb_more(session, ") values (%u, %u, 0, 2, 0, 10, 50, 688, 1950, 4950, 9950, 1, 100", unique1, unique2);
	mm_sb_more_text(session, ", 'ron may choi', 'jae kwang choi', 'u. c. berkeley')");
	mm_sb_send(session);
}

static void delete_one(struct mm_sb_session *session, unsigned unique2)
{
	mm_sb_query(session, "delete from tenk1 where tenk1.unique2 = %u", unique2);
}

static void update_one(struct mm_sb_session *session, unsigned from, unsigned to)
{
	mm_sb_query(session, "update tenk1 set unique2 = %u where tenk1.unique2 =%u", to, from);
}

static void change(struct mm_sb_session *session)
{
	insert_one(session, 10001, 74001);
	insert_one(session, 19991, 60001);
	delete_one(session, 877);
	delete_one(session, 876);
	update_one(session, 1491, 10001);
	update_one(session, 1480, 10023);
	insert_one(session, 20002, 70002);
	insert_one(session, 50002, 40002);
	delete_one(session, 10001);
	delete_one(session, 900);
	update_one(session, 187, 10088);
	update_one(session, 2000, 10003);
	update_one(session, 1974, 10020);
	update_one(session, 1140, 16001);
}

static void run(struct mm_sb_session *session)
{
	enum { SELECTS = 10, CHANGES = 14 };
	unsigned loop = mm_sb_count(session, session->edition->wisconsin_loop, 1, 1);

	mm_sb_connect(session);
	create_tables(session);
	fill(session);
	if (mm_sb_begin(session, "wisc_benchmark", MM_SB_READS)) {
		select_rows(session, loop);
		join(session, loop);
		scan(session, loop);
		change(session);
		mm_sb_end(session, (uint64_t)loop * SELECTS + CHANGES);
	}
	for (unsigned t = 0; t < TABLES; t++)
		mm_sb_query(session, "drop table %s", tables[t]);
}

const struct mm_sb_test mm_sb_wisconsin = { .name = "wisconsin", .run = run };
