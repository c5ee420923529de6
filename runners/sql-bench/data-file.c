/* Rows out of a folder of upstream's, instead of the rows that the tests make themselves. */
#include "runners/sql-bench/session.h"

#include <ctype.h>

#include "base/fs.h"

enum { LARGEST = 16 << 20 };

/* Upstream leaves out lines without a letter or digit, and doubles quotes instead of escaping them. */
static bool send_line(struct mm_sb_session *session, const char *table, const char *line, const char *end)
{
	const char *at = line;

	while (at < end && !isalnum((unsigned char)*at) && *at != '_')
		at++;
	if (at == end)
		return false;
	mm_sb_text(session, "insert into %s values (", table);
	for (at = line; at < end && !session->dry; at++)
		mm_buffer_putc(&session->text, at[0] == '\\' && at + 1 < end && at[1] == '\'' ? '\'' : at[0]);
	mm_sb_more_text(session, ")");
	mm_sb_send(session);
	return true;
}

unsigned mm_sb_insert_file(struct mm_sb_session *session, const char *table, const char *file)
{
	struct mm_buffer path = MM_BUFFER_INIT, content = MM_BUFFER_INIT;
	unsigned count = 0;

	if (session->code)
		return 0;
	mm_buffer_printf(&path, "%s/Data/%s", session->spec->script, file);
	session->code = mm_fs_read_input(mm_buffer_text(&path), LARGEST, &content, session->err);
	if (!session->code && content.length == 0)
		session->code = mm_error_set(session->err, MM_EENV,
					     "'%s' is empty: name the folder of an sql-bench whose Data is whole",
					     mm_buffer_text(&path));
	for (const char *line = content.data, *end = line + content.length; !session->code && line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline ? newline : end;

		count += send_line(session, table, line, stop);
		line = stop + 1;
	}
	mm_buffer_release(&content);
	mm_buffer_release(&path);
	return count;
}
