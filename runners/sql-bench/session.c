#include "runners/sql-bench/session.h"

#include <ctype.h>
#include <errmsg.h>
#include <inttypes.h>
#include <stdarg.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "runners/server.h"

enum { SHOWN_STATEMENT = 160, KEPT_WRONG = 8 };

unsigned mm_sb_count(const struct mm_sb_session *session, unsigned count, unsigned step, unsigned minimum)
{
	return mm_sb_scaled(session->spec->scale, count, step, minimum);
}

/* Connection */

void mm_sb_fail(struct mm_sb_session *session, const char *what, const char *statement)
{
	const char *more = strlen(statement) > SHOWN_STATEMENT ? " …" : "";

	session->code =
		mm_error_set(session->err, mm_server_blame(mysql_errno(session->mysql)),
			     "test '%s', operation '%s': %s '%.*s%s': %s (error %u)", session->test->name,
			     session->operation ? session->operation : "(between operations)", what, SHOWN_STATEMENT,
			     statement, more, mysql_error(session->mysql), mysql_errno(session->mysql));
}

void mm_sb_connect(struct mm_sb_session *session)
{
	if (session->code || session->dry)
		return;
	session->mysql = mysql_init(NULL);
	if (!session->mysql) {
		session->code =
			mm_error_set(session->err, MM_EENV, "the client library has no memory for a connection");
		return;
	}
	if (!mysql_real_connect(session->mysql, NULL, "root", "", "test", 0, session->socket, 0))
		mm_sb_fail(session, "cannot connect to", session->socket);
	if (!session->code)
		session->code = mm_signals_check(session->err);
}

void mm_sb_disconnect(struct mm_sb_session *session)
{
	if (session->mysql)
		mysql_close(session->mysql);
	session->mysql = NULL;
}

void mm_sb_session_release(struct mm_sb_session *session)
{
	mm_sb_disconnect(session);
	mm_buffer_release(&session->text);
	mm_buffer_release(&session->text_a);
	mm_buffer_release(&session->text_b);
	mm_ledger_release(&session->ledger);
}

/* Operations */

static bool asked_for(const struct mm_sb_session *session, const char *operation)
{
	return session->spec->operations.count == 0 || mm_strings_contain(&session->spec->operations, operation);
}

bool mm_sb_begin(struct mm_sb_session *session, const char *operation, enum mm_sb_kind kind)
{
	session->recorded = asked_for(session, operation);
	if (session->code || (kind == MM_SB_READS && !session->recorded))
		return false;
	session->operation = operation;
	session->operation_checksum = session->operation_rows = 0;
	session->operation_named = false;
	session->operation_ns = session->dry ? 0 : mm_now_ns();
	return true;
}

/* extra.operations.NAME of the sample, made when it is not there. */
static json_t *operation_extra(struct mm_test_sample *test, const char *name)
{
	json_t *operations, *operation;

	if (!test->extra)
		test->extra = json_object();
	operations = json_object_get(test->extra, "operations");
	if (!operations) {
		operations = json_object();
		json_object_set_new(test->extra, "operations", operations);
	}
	operation = json_object_get(operations, name);
	if (!operation) {
		operation = json_object();
		json_object_set_new(operations, name, operation);
	}
	return operation;
}

static void record(struct mm_sb_session *session, uint64_t count, const uint64_t *rows)
{
	uint64_t wall_ns = session->dry ? 0 : mm_now_ns() - session->operation_ns;
	const char *name = session->operation;
	json_t *extra;
	char digits[17];

	session->operation = NULL;
	if (session->code || !session->recorded)
		return;
	mm_test_add_operation(session->test, name, count, wall_ns);
	if (session->dry)
		return;
	extra = operation_extra(session->test, name);
	/* An operation of one name can be done in several places: its checksums are chained. */
	session->operation_checksum += strtoull(mm_json_string(extra, "checksum", "0"), NULL, 16) * 31;
	snprintf(digits, sizeof digits, "%016" PRIx64, session->operation_checksum);
	mm_json_put_string(extra, "checksum", digits);
	mm_json_put_integer(extra, "rows_fetched",
			    mm_json_integer(extra, "rows_fetched", 0) + (int64_t)session->operation_rows);
	if (rows)
		mm_json_put_integer(extra, "rows", mm_json_integer(extra, "rows", 0) + (int64_t)*rows);
}

void mm_sb_end(struct mm_sb_session *session, uint64_t count)
{
	record(session, count, NULL);
}

void mm_sb_end_rows(struct mm_sb_session *session, uint64_t count, uint64_t rows)
{
	record(session, count, &rows);
}

/* Statements */

static void MM_PRINTF(2, 0) append(struct mm_sb_session *session, const char *format, va_list arguments)
{
	char piece[512];
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(piece, sizeof piece, format, arguments);
	if (length >= 0 && (size_t)length < sizeof piece) {
		mm_buffer_append(&session->text, piece, (size_t)length);
	} else if (length > 0) {
		char *longer = mm_alloc((size_t)length + 1);

		vsnprintf(longer, (size_t)length + 1, format, again);
		mm_buffer_append(&session->text, longer, (size_t)length);
		free(longer);
	}
	va_end(again);
}

/* Begins the statement anew. */
static void MM_PRINTF(2, 0) build(struct mm_sb_session *session, const char *format, va_list arguments)
{
	if (session->code || session->dry)
		return;
	mm_buffer_reset(&session->text);
	append(session, format, arguments);
}

void mm_sb_text(struct mm_sb_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	build(session, format, arguments);
	va_end(arguments);
}

void mm_sb_more(struct mm_sb_session *session, const char *format, ...)
{
	va_list arguments;

	if (session->code || session->dry)
		return;
	va_start(arguments, format);
	append(session, format, arguments);
	va_end(arguments);
}

void mm_sb_more_text(struct mm_sb_session *session, const char *text)
{
	if (!session->code && !session->dry)
		mm_buffer_puts(&session->text, text);
}

/* Answers */

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t digest_row(const char *const *row, const unsigned long *lengths, unsigned columns)
{
	uint64_t hash = columns, word;

	for (unsigned i = 0; i < columns; i++) {
		const char *bytes = row[i];
		unsigned long left = lengths[i];

		if (!bytes) {
			hash = mix(hash, UINT64_MAX);
			continue;
		}
		hash = mix(hash, left);
		for (; left >= sizeof word; left -= sizeof word, bytes += sizeof word) {
			memcpy(&word, bytes, sizeof word);
			hash = mix(hash, word);
		}
		word = 0;
		memcpy(&word, bytes, left);
		hash = mix(hash, word);
	}
	return mix(hash, 0);
}

/* Names the operation by the first of its statements: where answers differ, a report can say in which. */
static void name_first(struct mm_sb_session *session)
{
	json_t *extra;
	char shown[SHOWN_STATEMENT + 1];

	session->operation_named = true;
	if (!session->recorded)
		return;
	extra = operation_extra(session->test, session->operation);
	snprintf(shown, sizeof shown, "%s", mm_buffer_text(&session->text));
	if (!json_object_get(extra, "first_statement"))
		mm_json_put_string(extra, "first_statement", shown);
}

static void account(struct mm_sb_session *session, uint64_t digest, uint64_t rows)
{
	session->test->statements++;
	session->test->rows += rows;
	session->test->checksum = mix(session->test->checksum, digest);
	if (mm_ledger_add(&session->ledger, digest))
		mm_ledger_name(&session->ledger, session->operation, session->text.data, session->text.length);
	if (session->operation) {
		if (!session->operation_named)
			name_first(session);
		session->operation_checksum = mix(session->operation_checksum, digest);
		session->operation_rows += rows;
	}
}

/* What a server reports after other statements (copied rows of ALTER TABLE …) is its own affair, and no answer. */
static bool changes_rows(const struct mm_buffer *text)
{
	static const char *const verbs[] = { "insert", "update", "delete" };

	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (strncasecmp(text->data, verbs[i], 6) == 0)
			return true;
	return false;
}

/* Reads the answer whole, as Perl's driver does: all of it is stored in the client before the first row is looked at.
 */
static uint64_t read_answer(struct mm_sb_session *session, bool ordered)
{
	MYSQL_RES *result = mysql_store_result(session->mysql);
	uint64_t rows = 0, digest = 0;
	unsigned columns;
	MYSQL_ROW row;

	if (!result) {
		if (mysql_field_count(session->mysql) != 0) {
			mm_sb_fail(session, "cannot read the answer to", mm_buffer_text(&session->text));
			return 0;
		}
		account(session, changes_rows(&session->text) ? mysql_affected_rows(session->mysql) : 0, 0);
		return 0;
	}
	columns = mysql_num_fields(result);
	while ((row = mysql_fetch_row(result))) {
		uint64_t hash = digest_row((const char *const *)row, mysql_fetch_lengths(result), columns);

		digest = ordered ? mix(digest, hash) : digest + hash;
		rows++;
	}
	mysql_free_result(result);
	account(session, mix(digest, rows), rows);
	return rows;
}

/* Sends the statement. 0, or the server's error number: the caller judges that one. */
static unsigned put(struct mm_sb_session *session)
{
	session->code = mm_signals_check(session->err);
	if (session->code)
		return 0;
	if (mysql_real_query(session->mysql, session->text.data, session->text.length) == 0)
		return 0;
	return mysql_errno(session->mysql);
}

static uint64_t send_statement(struct mm_sb_session *session, bool ordered)
{
	if (session->code)
		return 0;
	if (session->dry) {
		session->test->statements++;
		return 0;
	}
	if (put(session) != 0)
		mm_sb_fail(session, "the server refused", mm_buffer_text(&session->text));
	return session->code ? 0 : read_answer(session, ordered);
}

uint64_t mm_sb_send(struct mm_sb_session *session)
{
	return send_statement(session, false);
}

uint64_t mm_sb_send_ordered(struct mm_sb_session *session)
{
	return send_statement(session, true);
}

uint64_t mm_sb_query(struct mm_sb_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	build(session, format, arguments);
	va_end(arguments);
	return send_statement(session, false);
}

uint64_t mm_sb_query_ordered(struct mm_sb_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	build(session, format, arguments);
	va_end(arguments);
	return send_statement(session, true);
}

bool mm_sb_is_broken(unsigned mysql_error_number)
{
	return mysql_error_number >= CR_MIN_ERROR && mysql_error_number <= CR_MAX_ERROR;
}

void mm_sb_drop_if_there(struct mm_sb_session *session, const char *table)
{
	unsigned error;

	mm_sb_text(session, "drop table %s", table);
	if (session->code)
		return;
	if (session->dry) {
		session->test->statements++;
		return;
	}
	error = put(session);
	if (session->code)
		return;
	if (error == 0)
		read_answer(session, false);
	else if (mm_sb_is_broken(error))
		mm_sb_fail(session, "the server refused", mm_buffer_text(&session->text));
	else
		account(session, error, 0);
}

void mm_sb_send_refused(struct mm_sb_session *session, unsigned expected)
{
	unsigned error;

	if (session->code)
		return;
	if (session->dry) {
		session->test->statements++;
		return;
	}
	error = put(session);
	if (session->code)
		return;
	if (error == expected) {
		account(session, error, 0);
	} else if (error) {
		mm_sb_fail(session, "the server refused for another reason than expected",
			   mm_buffer_text(&session->text));
	} else {
		read_answer(session, false);
		mm_sb_expect(session, 0, expected);
	}
}

void mm_sb_expect(struct mm_sb_session *session, uint64_t got, uint64_t wanted)
{
	json_t *wrong;

	if (session->code || session->dry || got == wanted)
		return;
	if (!session->test->extra)
		session->test->extra = json_object();
	wrong = json_object_get(session->test->extra, "wrong");
	if (!wrong) {
		wrong = json_array();
		json_object_set_new(session->test->extra, "wrong", wrong);
	}
	if (json_array_size(wrong) < KEPT_WRONG)
		json_array_append_new(wrong, json_sprintf("%s: got %llu instead of %llu: %.300s",
							  session->operation ? session->operation : "-",
							  (unsigned long long)got, (unsigned long long)wanted,
							  mm_buffer_text(&session->text)));
}
