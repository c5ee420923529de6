#include "toolchains/wrapper/response.h"

#include <fcntl.h>
#include <unistd.h>

enum { DEPTH = 8, SIZE_LIMIT = 64 << 20, WORD_LIMIT = 1 << 20 };

static bool read_file(const char *path, struct mm_buffer *text)
{
	char chunk[1 << 14];
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	while ((got = read(fd, chunk, sizeof chunk)) > 0 && text->length < SIZE_LIMIT)
		mm_buffer_append(text, chunk, (size_t)got);
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

static bool expand(const char *path, struct mm_strings *words, int depth)
{
	struct mm_buffer text = MM_BUFFER_INIT, word = MM_BUFFER_INIT;
	bool done = depth < DEPTH && read_file(path, &text);
	const char *at = mm_buffer_text(&text);
	/* files that name themselves many times would grow without end */
	while (done && words->count < WORD_LIMIT && (at = next_word(at, &word))) {
		const char *taken = mm_buffer_text(&word);
		if (*taken != '@' || !expand(taken + 1, words, depth + 1))
			mm_strings_push(words, taken);
	}
	mm_buffer_release(&word);
	mm_buffer_release(&text);
	return done;
}

bool mm_response_expand(const char *arg, struct mm_strings *words)
{
	return *arg == '@' && expand(arg + 1, words, 0);
}
