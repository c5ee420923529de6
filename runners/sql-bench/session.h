/*
 * What all tests of sql-bench share: a connection, statements in one reused
 * buffer, answers read whole and digested, operations timed.
 *
 * Errors stick: after the first one every call below does nothing, so that a
 * test is written as what it does and its caller looks once, at the end.
 *
 * In a dry run no server is there: nothing is sent or built, every answer is
 * empty, and the operations and counts come out of the very loops that run.
 */
#ifndef MM_RUNNERS_SQL_BENCH_SESSION_H
#define MM_RUNNERS_SQL_BENCH_SESSION_H

#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "matrix/matrix.h"
#include "runners/ledger.h"
#include "runners/pass.h"
#include "runners/sql-bench/edition.h"

struct mm_sb_session {
	const struct mm_sb_edition *edition; /* borrowed, as are the next two */
	const struct mm_suite_spec *spec;
	const char *socket;
	bool dry;
	bool transactional; /* the tables' engine knows transactions */

	struct mm_test_sample *test; /* where figures go; borrowed */
	struct mm_error *err;
	int code; /* 0, or the first error */

	MYSQL *mysql;                    /* NULL: not connected */
	struct mm_buffer text;           /* the statement */
	struct mm_buffer text_a, text_b; /* pieces that a test composes statements from */
	const char *clause;              /* " ENGINE=x", or "": the end of every create table */

	const char *operation; /* under way; NULL: none */
	bool recorded;         /* it is one of those asked for */
	bool operation_named;  /* its first statement is noted */
	uint64_t operation_ns;
	uint64_t operation_checksum, operation_rows;
	struct mm_ledger ledger; /* of the test's answers */
};

/* Does the operation only look, or do later ones need what it does? */
enum mm_sb_kind { MM_SB_READS, MM_SB_WRITES };

unsigned mm_sb_count(const struct mm_sb_session *session, unsigned count, unsigned step, unsigned minimum);

void mm_sb_connect(struct mm_sb_session *session);
void mm_sb_disconnect(struct mm_sb_session *session);

/*
 * Begins an operation. False: it was not asked for and only reads, leave it out. One that writes always runs, since
 * later operations need what it leaves behind, but is not recorded when it was not asked for.
 */
bool mm_sb_begin(struct mm_sb_session *session, const char *operation, enum mm_sb_kind kind);
/* Ends it, with the count that upstream prints. */
void mm_sb_end(struct mm_sb_session *session, uint64_t count);
/* As mm_sb_end, with the number of rows that upstream prints behind the count. */
void mm_sb_end_rows(struct mm_sb_session *session, uint64_t count, uint64_t rows);

/* The statement's text: begun anew, or continued. Not for text from outside: nothing is escaped. */
void mm_sb_text(struct mm_sb_session *session, const char *format, ...) MM_PRINTF(2, 3);
void mm_sb_more(struct mm_sb_session *session, const char *format, ...) MM_PRINTF(2, 3);
void mm_sb_more_text(struct mm_sb_session *session, const char *text);

/*
 * Sends the statement and reads the whole answer. Returns its rows. The rows count as a set (SEND) or, where ORDER BY
 * leaves no choice, as a list (SEND_ORDERED). QUERY is TEXT and SEND.
 */
uint64_t mm_sb_send(struct mm_sb_session *session);
uint64_t mm_sb_send_ordered(struct mm_sb_session *session);
uint64_t mm_sb_query(struct mm_sb_session *session, const char *format, ...) MM_PRINTF(2, 3);
uint64_t mm_sb_query_ordered(struct mm_sb_session *session, const char *format, ...) MM_PRINTF(2, 3);

/* "drop table NAME", whether it is there or not. */
void mm_sb_drop_if_there(struct mm_sb_session *session, const char *table);
/* Sends the statement, which must be refused with this error number. */
void mm_sb_send_refused(struct mm_sb_session *session, unsigned mysql_errno);

/* Notes in the sample that the last answer was not what it must be. */
void mm_sb_expect(struct mm_sb_session *session, uint64_t got, uint64_t wanted);

/* Ends the session's work with the server's last error: "test …, operation …: WHAT 'STATEMENT': …". */
void mm_sb_fail(struct mm_sb_session *session, const char *what, const char *statement);
/* The connection is gone, or the server: never a mere refusal. */
bool mm_sb_is_broken(unsigned mysql_error_number);

/* Probes (probe.c). The test cannot run against this server: the reason. */
void mm_sb_skip(struct mm_sb_session *session, const char *format, ...) MM_PRINTF(2, 3);
/* Tries the statement. False, with the server's words in WHY when not NULL, when it is refused. */
bool mm_sb_try(struct mm_sb_session *session, struct mm_buffer *why, const char *statement);
/* A column (from 0) of the first row, allocated; NULL when there is none. */
char *mm_sb_look_up(struct mm_sb_session *session, unsigned column, const char *statement);
/* Skips the test when the server does not make a table of these columns and keys; WHAT says what is special about it.
 */
void mm_sb_probe_table(struct mm_sb_session *session, const char *columns, const char *what);
void mm_sb_probe_columns(struct mm_sb_session *session, unsigned columns);

void mm_sb_session_release(struct mm_sb_session *session);

/* Inserts each line of Data/FILE in the folder that the suite's "script" names (data-file.c). Returns how many. */
unsigned mm_sb_insert_file(struct mm_sb_session *session, const char *table, const char *file);

/* One step of the sequence from which upstream draws its order: the next value from the last one and I, modulo SIZE. */
static inline uint64_t mm_sb_draw(uint64_t last, uint64_t i, uint64_t size)
{
	return last ^ ((last + 63 + i) * 3 % size);
}

/* A test: one file, one row of the table in suite.c. */
struct mm_sb_test {
	const char *name;
	void (*probe)(struct mm_sb_session *session); /* can this server do it? NULL: always */
	void (*run)(struct mm_sb_session *session);
};

extern const struct mm_sb_test mm_sb_atis, mm_sb_alter_table, mm_sb_big_tables, mm_sb_connect_test, mm_sb_create,
	mm_sb_insert, mm_sb_select, mm_sb_transactions, mm_sb_wisconsin;

#endif
