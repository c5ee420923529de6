#include "builders/failure.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"

enum { PIECE = 4 << 20, LINE_LIMIT = 500, NEAR = 800 };

/* In order of preference. What a compiler itself calls an error is one; other words may stand anywhere. */
static const char *const errors[] = { " error:", ": Error: " };
/* … but for those that only say that there were some. */
static const char *const summaries[] = {
	"linker command failed",
	"ld returned ",
	"frontend command failed",
	"ninja: error: rebuilding",
};
static const char *const first_choice[] = {
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
/* These often only repeat that an earlier one was there. */
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

/* How good a choice LINE is: 0 is best, CHOICES none. */
enum { CHOICES = 3 };
static int choice(const char *line)
{
	if (any(line, errors, sizeof errors / sizeof *errors) &&
	    !any(line, summaries, sizeof summaries / sizeof *summaries))
		return 0;
	if (any(line, first_choice, sizeof first_choice / sizeof *first_choice))
		return 1;
	return any(line, second_choice, sizeof second_choice / sizeof *second_choice) ? 2 : CHOICES;
}

/* The first of the best lines of TEXT, or the last one that is not empty; *WHERE is where it begins. Allocated. */
static char *best_line(const char *text, int *best, const char **where)
{
	char *found = NULL;
	*best = CHOICES;
	*where = text;
	while (*text && *best) {
		const char *begin = text;
		char *line = mm_strndup(text, strcspn(text, "\r\n"));
		text += strlen(line);
		text += strspn(text, "\r\n");
		int is = choice(line);
		if (is < *best || (*best == CHOICES && line[strspn(line, " \t")])) {
			free(found);
			found = with_continuation(line, text);
			*best = is;
			*where = begin;
		}
		free(line);
	}
	return found;
}

/* The words of TEXT up to END, with single spaces. Allocated. */
static char *words_until(const char *text, const char *end)
{
	struct mm_strings words = MM_STRINGS_INIT;
	char *part = mm_strndup(text, (size_t)(end - text));
	mm_strings_split(&words, part);
	char *joined = mm_strings_join(&words, " ");
	mm_strings_release(&words);
	free(part);
	return joined;
}

/*
 * CMake tries the compiler first, and shows what came of it in the middle of a long text: "The C compiler … is not able
 * to compile a simple test program. It fails with the following output: …". Both, or NULL. Allocated.
 */
static char *of_compiler(const char *text, const char **where)
{
	const char *head = strstr(text, "CMake Error at "), *test = head ? strstr(head, "/CMakeTest") : NULL;
	const char *said = test ? strstr(test, "(message):") : NULL;
	const char *output = said ? strstr(said, "It fails with the following output") : NULL;
	const char *end = output ? strstr(output, "CMake will not be able") : NULL;
	if (!end)
		return NULL;
	int best;
	const char *at;
	char *shown = mm_strndup(output, (size_t)(end - output)), *line = best_line(shown, &best, &at);
	char *sentence = words_until(said + strlen("(message):"), output);
	size_t length = strlen(sentence);
	if (length && sentence[length - 1] == '.')
		sentence[length - 1] = '\0';
	bool known = best < CHOICES;
	char *both = mm_format("%.*s%s%s", LINE_LIMIT, sentence, known ? ": " : "", known ? line : "");
	*where = known ? output + (at - shown) : output;
	free(sentence);
	free(line);
	free(shown);
	return both;
}

/* The line that mm_failure_line gives; *WHERE is where it begins in TEXT, which is clean. */
static char *error_line(const char *text, const char **where)
{
	int best;
	char *line = of_compiler(text, where);
	if (!line)
		line = best_line(text, &best, where);
	return line ? line : mm_strdup("no message");
}

/* Only what is not noise, unless there is nothing else. Allocated. */
static char *clean(const char *text)
{
	char *cleaned = mm_failure_clean(text);
	if (cleaned[strspn(cleaned, " \t\n")])
		return cleaned;
	free(cleaned);
	return mm_strdup(text);
}

char *mm_failure_line(const char *text)
{
	const char *where;
	char *cleaned = clean(text), *line = error_line(cleaned, &where);
	free(cleaned);
	return line;
}

/* LINE behind "path:12:3:", where it is a compiler's: a path may hold any word. */
static const char *behind_place(const char *line, size_t length)
{
	for (const char *at = line; (at = strchr(at, ':')) && at < line + length; at++) {
		size_t digits = strspn(at + 1, "0123456789");
		if (digits && at + 1 + digits < line + length && at[1 + digits] == ':')
			return at + 1 + digits;
	}
	return line;
}

char *mm_failure_near(const char *text)
{
	const char *where;
	struct mm_buffer near = MM_BUFFER_INIT;
	char *cleaned = clean(text), *line = error_line(cleaned, &where);
	mm_buffer_printf(&near, "%s\n", behind_place(line, strlen(line)));
	for (size_t left = NEAR; *where && left;) {
		size_t length = strcspn(where, "\r\n");
		length = length < left ? length : left;
		const char *from = behind_place(where, length);
		mm_buffer_append(&near, from, (size_t)(where + length - from));
		mm_buffer_putc(&near, '\n');
		left -= length;
		where += length;
		where += strspn(where, "\r\n");
	}
	free(line);
	free(cleaned);
	return mm_buffer_detach(&near);
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
	static const char *const signs[] = { "No space left on device", "Disk quota exceeded", "rror 28", "rrno: 28",
					     "rrno 28", "rror number 28", NULL };
	return mm_failure_says(text, signs);
}

bool mm_failure_of_link(const char *text)
{
	static const char *const signs[] = {
		"undefined reference to", "ld: cannot find ", "cannot find -l", "ld returned", "collect2:",
		"linker command failed"
	};
	char *cleaned = mm_failure_clean(text);
	bool is = any(cleaned, signs, sizeof signs / sizeof *signs);
	free(cleaned);
	return is;
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
