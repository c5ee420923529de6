/* What a log holds besides the words of those that failed: it may say "error" and "Killed" and mean nothing by it. */
#include "builders/failure.h"

#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* "[12/345] Building …" of ninja, "[ 12%] Building …" of CMake's makefiles, and command lines. */
static bool is_command(const char *line)
{
	if (*line == '[') {
		const char *rest = line + 1 + strspn(line + 1, " 0123456789/%");
		if (mm_begins(rest, "] "))
			return true;
	}
	return mm_begins(line, "-- ") || mm_begins(line, "+ ") || mm_begins(line, ": && ") || strstr(line, " -c ") ||
	       (strstr(line, " -o ") && !strstr(line, "error:"));
}

/* gcc's "   12 | code", "      |  ^~~~" and "  +++ |+#include"; clang's since 17. */
static bool is_numbered_source(const char *line)
{
	line += strspn(line, " ");
	line += mm_begins(line, "+++") ? strlen("+++") : strspn(line, "0123456789");
	line += *line == ' ';
	return *line == '|';
}

static bool is_diagnostic(const char *line)
{
	return strstr(line, ": warning: ") || strstr(line, " error: ") || strstr(line, ": note: ") ||
	       strstr(line, ": remark: ");
}

/* "     ^~~~" under a line of source. */
static bool is_caret(const char *line)
{
	size_t length = strspn(line, " \t^~");
	return !line[length] && strchr(line, '^');
}

/* Warnings, notes and where they come from. What a warning says of errors is no error. */
static bool is_remark(const char *line)
{
	const char *warning = strcasestr(line, "warning:"), *error = strstr(line, "error:");
	size_t length = strlen(line);
	return (warning && (!error || warning < error)) || strstr(line, ": note: ") || strstr(line, ": remark: ") ||
	       mm_begins(line, "In file included from ") || strstr(line, " required from ") ||
	       (strstr(line, ": In ") && line[length - 1] == ':');
}

/* CMake's warnings go on in lines that are set in. */
static bool is_cmake_warning(const char *line)
{
	return mm_begins(line, "CMake Warning") || mm_begins(line, "CMake Deprecation Warning");
}

char *mm_failure_clean(const char *text)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	bool told = false, pointed = false, block = false; /* of the line before: a diagnostic; source; in a warning */
	char *line = mm_strndup(text, strcspn(text, "\r\n"));
	while (*text) {
		text += strcspn(text, "\r\n");
		text += strspn(text, "\r\n");
		char *next = mm_strndup(text, strcspn(text, "\r\n"));
		bool source = is_numbered_source(line) || (told && is_caret(next)) || (pointed && is_caret(line));
		pointed = told && is_caret(next);
		told = is_diagnostic(line);
		block = is_cmake_warning(line) || (block && (*line == ' ' || !*line));
		if (!source && !block && !is_command(line) && !is_remark(line)) {
			mm_buffer_puts(&out, line);
			mm_buffer_putc(&out, '\n');
		}
		free(line);
		line = next;
	}
	free(line);
	return mm_buffer_detach(&out);
}
