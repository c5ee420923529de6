#include "toolchains/wrapper/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"

#define VERSION "1"
#define STAMP   "#" /* before the last field, where there is one */

void mm_words_push(struct mm_words *words, enum mm_word_mark mark, const char *text)
{
	words->items = mm_grow(words->items, words->count, &words->capacity, sizeof *words->items);
	words->items[words->count++] = (struct mm_word){ mark, mm_strdup(text) };
}

void mm_words_release(struct mm_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i].text);
	free(words->items);
	*words = (struct mm_words){ 0 };
}

static void put_escaped(struct mm_buffer *out, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	while (*text) {
		size_t plain =
			strcspn(text, "\\\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13"
				      "\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f");
		mm_buffer_append(out, text, plain);
		text += plain;
		if (!*text)
			break;
		unsigned char byte = (unsigned char)*text++;
		char escape[] = { '\\', 'x', digits[byte >> 4], digits[byte & 15] };
		mm_buffer_append(out, escape, sizeof escape);
	}
}

static int hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The text of LENGTH escaped bytes, allocated; NULL when it was damaged. */
static char *unescape(const char *text, size_t length)
{
	char *out = mm_alloc(length + 1);
	size_t put = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '\\') {
			out[put++] = text[i];
			continue;
		}
		int high = i + 3 < length && text[i + 1] == 'x' ? hex_digit(text[i + 2]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 3]) : -1;
		if (low < 0 || !(high || low)) {
			free(out);
			return NULL;
		}
		out[put++] = (char)(high << 4 | low);
		i += 3;
	}
	return out;
}

void mm_record_print(const struct mm_record *record, struct mm_buffer *out)
{
	mm_buffer_printf(out, VERSION "\t%s\t%s\t%s\t%d\t%d\t%llu\t%llu\t%llu\t", mm_line_kind_name(record->kind),
			 mm_language_name(record->language), record->probe ? "probe" : "build", record->exit_status,
			 record->signal, (unsigned long long)record->wall_us, (unsigned long long)record->wait_us,
			 (unsigned long long)record->peak_kib);
	put_escaped(out, record->cwd ? record->cwd : "");
	for (size_t i = 0; i < record->words.count; i++) {
		mm_buffer_putc(out, '\t');
		mm_buffer_putc(out, (char)record->words.items[i].mark);
		put_escaped(out, record->words.items[i].text);
	}
	if (record->stamp)
		mm_buffer_printf(out, "\t" STAMP "%lld", (long long)record->stamp);
	mm_buffer_putc(out, '\n');
}

/* Cuts the field at *AT off; returns its length, and leaves *AT at the next one or NULL at the end. */
static size_t cut(const char **at)
{
	size_t length = strcspn(*at, "\t");
	*at = (*at)[length] ? *at + length + 1 : NULL;
	return length;
}

static bool same(const char *field, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(field, word, length) == 0;
}

static bool parse_number(const char *field, long long least, long long most, long long *value)
{
	char *end;
	if (*field != '-' && (*field < '0' || *field > '9'))
		return false;
	errno = 0;
	*value = strtoll(field, &end, 10);
	return end != field && (*end == '\t' || *end == '\0') && !errno && *value >= least && *value <= most;
}

/* The fixed fields in front of the arguments; returns where these begin. */
static bool parse_head(const char **at, struct mm_record *record)
{
	enum { FIELDS = 10 };
	const char *fields[FIELDS];
	size_t lengths[FIELDS];
	long long numbers[5];
	for (size_t i = 0; i < FIELDS; i++) {
		if (!*at)
			return false;
		fields[i] = *at;
		lengths[i] = cut(at);
	}
	int kind = 0, language = 0;
	while (kind < MM_LINE_KIND_COUNT && !same(fields[1], lengths[1], mm_line_kind_name((enum mm_line_kind)kind)))
		kind++;
	while (language < MM_LANGUAGE_COUNT &&
	       !same(fields[2], lengths[2], mm_language_name((enum mm_language)language)))
		language++;
	record->probe = same(fields[3], lengths[3], "probe");
	if (!same(fields[0], lengths[0], VERSION) || kind == MM_LINE_KIND_COUNT || language == MM_LANGUAGE_COUNT ||
	    (!record->probe && !same(fields[3], lengths[3], "build")))
		return false;
	for (size_t i = 0; i < 5; i++)
		if (!parse_number(fields[4 + i], -1, i < 2 ? 255 : INT64_MAX, &numbers[i]))
			return false;
	record->kind = (enum mm_line_kind)kind;
	record->language = (enum mm_language)language;
	record->exit_status = (int)numbers[0];
	record->signal = (int)numbers[1];
	record->wall_us = (uint64_t)numbers[2];
	record->wait_us = (uint64_t)numbers[3];
	record->peak_kib = (uint64_t)numbers[4];
	record->cwd = unescape(fields[9], lengths[9]);
	return record->cwd != NULL;
}

bool mm_record_parse(const char *line, struct mm_record *record)
{
	const char *at = line;
	*record = (struct mm_record){ 0 };
	if (!parse_head(&at, record))
		return false;
	while (at) {
		const char *field = at;
		size_t length = cut(&at);
		long long stamp;
		if (!at && length && *field == *STAMP && parse_number(field + 1, INT64_MIN, INT64_MAX, &stamp)) {
			record->stamp = stamp;
			break;
		}
		if (!length || !strchr("=@.-+", *field))
			return false;
		char *text = unescape(field + 1, length - 1);
		if (!text)
			return false;
		mm_words_push(&record->words, (enum mm_word_mark) * field, text);
		free(text);
	}
	return true;
}

void mm_record_release(struct mm_record *record)
{
	free(record->cwd);
	mm_words_release(&record->words);
	*record = (struct mm_record){ 0 };
}

/* A writer that was killed in the middle leaves half a line: the next one begins on a line of its own. */
static bool ends_in_a_line(int fd)
{
	char last = '\n';
	off_t size = lseek(fd, 0, SEEK_END);
	return size <= 0 || pread(fd, &last, 1, size - 1) != 1 || last == '\n';
}

int mm_record_append(const char *path, const struct mm_buffer *line)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	/* a line may be longer than what is written in one piece everywhere; the lock ends with the descriptor */
	while (fcntl(fd, F_SETLKW, &whole) && errno == EINTR)
		;
	int failed = ends_in_a_line(fd) || write(fd, "\n", 1) == 1 ? 0 : -1;
	for (size_t done = 0; !failed && done < line->length;) {
		ssize_t put = write(fd, line->data + done, line->length - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			failed = -1;
		else
			done += (size_t)put;
	}
	int why = errno;
	close(fd);
	errno = why;
	return failed;
}
