#include "toolchains/wrapper/response.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_LIMIT = 2000, SIZE_LIMIT = 64 << 20, WORD_LIMIT = 1 << 20 }; /* as many files as gcc reads */

/* One expansion: files that name each other would grow without end, or be read without end. */
struct reading {
	struct mm_strings *words;
	size_t files, bytes;
	bool too_much;
};

/* A fifo is left to the compiler, which may want what is in it. */
static bool read_file(struct reading *reading, const char *path, struct mm_buffer *text)
{
	char chunk[1 << 14];
	ssize_t got = -1;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		reading->too_much = ++reading->files > FILE_LIMIT;
		while (!reading->too_much && (got = read(fd, chunk, sizeof chunk)) > 0) {
			mm_buffer_append(text, chunk, (size_t)got);
			reading->bytes += (size_t)got;
			reading->too_much = reading->bytes > SIZE_LIMIT;
		}
	}
	close(fd);
	return got == 0;
}

static bool is_space(char byte)
{
	return byte && strchr(" \t\n\r\v\f", byte);
}

/* Takes the next word of TEXT into WORD; returns where it ends, NULL when none is left. */
static const char *next_word(const char *text, struct mm_buffer *word)
{
	char quote = '\0';
	mm_buffer_reset(word);
	while (is_space(*text))
		text++;
	if (!*text)
		return NULL;
	for (; *text && (quote || !is_space(*text)); text++) {
		if (*text == '\\' && text[1])
			mm_buffer_putc(word, *++text);
		else if (quote && *text == quote)
			quote = '\0';
		else if (!quote && (*text == '\'' || *text == '"'))
			quote = *text;
		else
			mm_buffer_putc(word, *text);
	}
	return text;
}

static bool expand(struct reading *reading, const char *path)
{
	struct mm_buffer text = MM_BUFFER_INIT, word = MM_BUFFER_INIT;
	bool done = read_file(reading, path, &text);
	const char *at = mm_buffer_text(&text);
	while (done && !reading->too_much && (at = next_word(at, &word))) {
		const char *taken = mm_buffer_text(&word);
		if (*taken == '@' && expand(reading, taken + 1))
			continue;
		mm_strings_push(reading->words, taken);
		reading->too_much |= reading->words->count > WORD_LIMIT;
	}
	mm_buffer_release(&word);
	mm_buffer_release(&text);
	return done;
}

bool mm_response_expand(const char *arg, struct mm_strings *words)
{
	struct reading reading = { .words = words };
	size_t before = words->count;
	if (*arg != '@' || !expand(&reading, arg + 1))
		return false;
	while (reading.too_much && words->count > before) {
		free(words->items[--words->count]);
		words->items[words->count] = NULL;
	}
	return !reading.too_much;
}
