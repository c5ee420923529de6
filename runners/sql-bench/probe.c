/* Can this server do a test at all? Asked before the test, outside of all figures. */
#include "runners/sql-bench/session.h"

#include <stdarg.h>

#include "base/memory.h"

void mm_sb_skip(struct mm_sb_session *session, const char *format, ...)
{
	char reason[512];
	va_list arguments;

	if (session->test->skipped)
		return;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	session->test->skipped = mm_strdup(reason);
}

bool mm_sb_try(struct mm_sb_session *session, struct mm_buffer *why, const char *statement)
{
	MYSQL_RES *result;

	if (session->code)
		return false;
	if (mysql_real_query(session->mysql, statement, strlen(statement)) == 0) {
		result = mysql_store_result(session->mysql);
		mysql_free_result(result);
		return true;
	}
	if (mm_sb_is_broken(mysql_errno(session->mysql)))
		mm_sb_fail(session, "the server refused", statement);
	if (why) {
		mm_buffer_reset(why);
		mm_buffer_printf(why, "%s (error %u)", mysql_error(session->mysql), mysql_errno(session->mysql));
	}
	return false;
}

char *mm_sb_look_up(struct mm_sb_session *session, unsigned column, const char *statement)
{
	MYSQL_RES *result;
	MYSQL_ROW row;
	char *value = NULL;

	if (session->code)
		return NULL;
	if (mysql_real_query(session->mysql, statement, strlen(statement)) != 0 ||
	    !(result = mysql_store_result(session->mysql))) {
		if (mm_sb_is_broken(mysql_errno(session->mysql)))
			mm_sb_fail(session, "the server refused", statement);
		return NULL;
	}
	row = mysql_fetch_row(result);
	if (row && column < mysql_num_fields(result))
		value = mm_strdup(row[column]);
	mysql_free_result(result);
	return value;
}

void mm_sb_probe_table(struct mm_sb_session *session, const char *columns, const char *what)
{
	struct mm_buffer create = MM_BUFFER_INIT, why = MM_BUFFER_INIT;

	mm_buffer_printf(&create, "create table mm_probe (%s)%s", columns, session->clause);
	if (mm_sb_try(session, &why, mm_buffer_text(&create)))
		mm_sb_try(session, NULL, "drop table mm_probe");
	else if (!session->code)
		mm_sb_skip(session, "the server makes no table with %s: %s", what, mm_buffer_text(&why));
	mm_buffer_release(&create);
	mm_buffer_release(&why);
}

void mm_sb_probe_columns(struct mm_sb_session *session, unsigned columns)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char what[32];

	for (unsigned i = 1; i <= columns; i++)
		mm_buffer_printf(&text, "%si%u int", i == 1 ? "" : ",", i);
	snprintf(what, sizeof what, "%u columns", columns);
	mm_sb_probe_table(session, mm_buffer_text(&text), what);
	mm_buffer_release(&text);
}
