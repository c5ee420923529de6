#include "runners/serverlog.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"

#define WINDOW                                                                                                         \
	((size_t)64 * 1024) /* a crash report with its stack fits; a log that a mad server filled is not read whole */

enum {
	TAIL_BYTES = 16 * 1024,
	TAIL_LINES = 120, /* a crash report with its stack and its core limits */
	ERROR_LINES = 3,
	ERROR_BYTES = 700,
};

/* The last WINDOW bytes of a file; control characters (a log may hold anything) become spaces. */
static void read_end(const char *path, struct mm_buffer *out)
{
	/* what a server of any kind has put there: no link is followed, no fifo waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char chunk[4096];
	ssize_t got;

	if (fd < 0)
		return;
	bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (file && st.st_size > (off_t)WINDOW)
		(void)lseek(fd, st.st_size - (off_t)WINDOW, SEEK_SET);
	while (file && out->length < 2 * WINDOW && (got = read(fd, chunk, sizeof(chunk))) > 0) {
		for (ssize_t i = 0; i < got; i++)
			if ((unsigned char)chunk[i] < ' ' && chunk[i] != '\n')
				chunk[i] = ' ';
		mm_buffer_append(out, chunk, (size_t)got);
	}
	close(fd);
}

char *mm_serverlog_tail(const char *path)
{
	struct mm_buffer log = MM_BUFFER_INIT;
	size_t start;
	int lines = 0;
	char *tail;

	read_end(path, &log);
	start = log.length;
	while (start > 0 && log.length - start < TAIL_BYTES) {
		/* a newline at the very end closes the last line and begins none */
		if (log.data[start - 1] == '\n' && start != log.length && ++lines == TAIL_LINES)
			break;
		start--;
	}
	tail = mm_strdup(mm_buffer_text(&log) + start);
	mm_buffer_release(&log);
	return tail;
}

char *mm_serverlog_whole(const char *path)
{
	struct mm_buffer log = MM_BUFFER_INIT;

	read_end(path, &log);
	return mm_buffer_detach(&log);
}

/*
 * The texts of "2026-11-30 11:07:54 0 [ERROR] text", "[ERROR] [MY-013276] [Server] text", and of "ERROR: 1030  text",
 * which is what a statement of a bootstrap leaves.
 */
static const char *error_of(const char *line)
{
	const char *mark = strstr(line, "[ERROR] ");

	if (strncmp(line, "ERROR: ", 7) == 0)
		mark = line + 7 + strspn(line + 7, "0123456789 ");
	else if (mark != NULL)
		mark += strlen("[ERROR] ");
	else
		return NULL;
	while (*mark == '[' && strchr(mark, ']') != NULL)
		mark = strchr(mark, ']') + 1 + strspn(strchr(mark, ']') + 1, " ");
	/* the last word of every failed start explains nothing */
	return *mark == '\0' || strcmp(mark, "Aborting") == 0 ? NULL : mark;
}

/* "got signal 11 ;" would end a clause twice. */
static void trim_end(char *line)
{
	size_t length = strlen(line);

	if (length > 2 && strcmp(line + length - 2, " ;") == 0)
		line[length - 2] = '\0';
}

char *mm_serverlog_errors(const char *path)
{
	struct mm_buffer log = MM_BUFFER_INIT;
	struct mm_strings found = MM_STRINGS_INIT;
	const char *last = "its log is empty";
	char *line, *next, *text;

	read_end(path, &log);
	for (line = log.data; line != NULL && found.count < ERROR_LINES; line = next) {
		const char *error;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (line[strspn(line, " ")] == '\0')
			continue;
		last = line;
		error = error_of(line);
		if (error != NULL)
			trim_end(line);
		if (error != NULL && !mm_strings_contain(&found, error))
			mm_strings_push(&found, error);
	}
	text = found.count > 0 ? mm_strings_join(&found, "; ") : mm_strdup(last);
	if (strlen(text) > ERROR_BYTES)
		text[ERROR_BYTES] = '\0';
	mm_strings_release(&found);
	mm_buffer_release(&log);
	return text;
}
