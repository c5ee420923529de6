#include "builders/failure.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"

enum { PIECE = 4 << 20, LINE_LIMIT = 500 };

/* In order of preference: a later kind of line often only repeats that an earlier one was there. */
static const char *const first_choice[] = {
	"fatal error:",
	" error:",
	"undefined reference to",
	"ld: cannot find ",
	"cannot find -l",
	"skipping incompatible",
	"is incompatible with",
	"multiple definition of",
	"CMake Error",
	"Connection refused",
	"Segmentation fault",
	"No space left on device",
	"internal compiler error",
	"frontend command failed",
	"unable to execute command",
	"terminated with signal",
	"virtual memory exhausted",
	"out of memory",
	"memory exhausted",
	"Cannot allocate memory",
	"File size limit exceeded",
	"Killed",
};
static const char *const second_choice[] = {
	"ninja: error",    "ninja: fatal", "error while loading shared libraries",
	"collect2: error", "ld: error",    "rror:",
	": not found",     "FAILED:",      "*** ",
	"cannot ",
};

static bool any(const char *line, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(line, patterns[i]))
			return true;
	return false;
}

static char *tidy(const char *line)
{
	line += strspn(line, " \t");
	size_t length = strlen(line);
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	return mm_strndup(line, length < LINE_LIMIT ? length : LINE_LIMIT);
}

/* "CMake Error at file:line (message):" says where; the indented line after it says what. Allocated. */
static char *with_continuation(const char *line, const char *rest)
{
	char *head = tidy(line);
	if (strncmp(head, "CMake Error", 11) != 0 || head[strlen(head) - 1] != ':')
		return head;
	rest += strspn(rest, " \t\r\n");
	size_t length = strcspn(rest, "\r\n");
	char *both = mm_format("%s %.*s", head, (int)(length < LINE_LIMIT ? length : LINE_LIMIT), rest);
	free(head);
	return both;
}

/* The line that mm_failure_line gives; *WHERE is where it begins in TEXT, the end when there is none. */
static char *error_line(const char *text, const char **where)
{
	char *second = NULL, *last = NULL, *found = NULL;
	const char *second_at = NULL;
	while (*text && !found) {
		size_t length = strcspn(text, "\r\n");
		char *line = mm_strndup(text, length);
		*where = text;
		text += length;
		text += strspn(text, "\r\n");
		/* the command lines of a build tool may hold any word, "-Werror=format" among them */
		bool command = strstr(line, " -c ") || strncmp(line, "-- ", 3) == 0 ||
			       strncmp(line, "+ ", 2) == 0;
		if (!command && any(line, first_choice, sizeof first_choice / sizeof *first_choice)) {
			found = with_continuation(line, text);
		} else if (!command && !second &&
			   any(line, second_choice, sizeof second_choice / sizeof *second_choice)) {
			second = tidy(line);
			second_at = *where;
		} else if (line[strspn(line, " \t")]) {
			free(last);
			last = tidy(line);
		}
		free(line);
	}
	if (!found) {
		*where = second_at ? second_at : text;
		found = second ? second : last ? last : mm_strdup("no message");
		second = found == second ? NULL : second;
		last = found == last ? NULL : last;
	}
	free(second);
	free(last);
	return found;
}

char *mm_failure_line(const char *text)
{
	const char *where;
	return error_line(text, &where);
}

char *mm_failure_near(const char *text)
{
	const char *where;
	char *line = error_line(text, &where);
	char *near = mm_format("%s\n%.800s", line, where);
	free(line);
	return near;
}

const char *mm_failure_hint(const char *text)
{
	char *near = mm_failure_near(text);
	const char *found = mm_failure_known(near, MM_BITS_NATIVE);
	free(near);
	return found;
}

bool mm_failure_disk_full(const char *text)
{
	return strstr(text, "No space left on device") || strstr(text, "Disk quota exceeded");
}

bool mm_failure_of_link(const char *text)
{
	static const char *const signs[] = {
		"undefined reference to", "ld: cannot find ", "cannot find -l", "ld returned", "collect2:",
		"linker command failed"
	};
	return any(text, signs, sizeof signs / sizeof *signs);
}

char *mm_failure_read_log(const char *path)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	struct stat st;
	int fd;
	if (mm_fs_open(path, &fd, NULL) == 0 && fstat(fd, &st) == 0) {
		/* errors of a parallel build stand near the end, those of a configuration anywhere */
		off_t from = st.st_size > 2 * (off_t)PIECE ? st.st_size - PIECE : 0;
		char chunk[1 << 14];
		ssize_t got;
		while ((got = pread(fd, chunk, sizeof chunk, from)) > 0 && out.length < (size_t)2 * PIECE) {
			mm_buffer_append(&out, chunk, (size_t)got);
			from += got;
		}
	}
	if (fd >= 0)
		close(fd);
	/* a NUL would end the text early */
	for (size_t i = 0; i < out.length; i++)
		if (!out.data[i])
			out.data[i] = ' ';
	return mm_buffer_detach(&out);
}
