#include "matrix/reader.h"

#include <stdarg.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"
#include "matrix/words.h"

char *mm_at_path(const struct mm_at *at)
{
	if (!at || !at->up)
		return mm_strdup("$");
	char *up = mm_at_path(at->up);
	char *path = at->key ? mm_json_path_key(up, at->key) : mm_json_path_index(up, at->index);
	free(up);
	return path;
}

char *mm_reader_place(const struct mm_reader *reader, const char *path, bool key_itself)
{
	int line = 0, column = 0;
	char shown[400];
	mm_clean_into(path, shown, sizeof shown);
	if (!mm_json_locate(reader->text, path, key_itself, &line, &column))
		return mm_format("%s: %s", reader->file, shown);
	return mm_format("%s:%d:%d: %s", reader->file, line, column, shown);
}

int mm_reader_line(const struct mm_reader *reader, const struct mm_at *at)
{
	int line = 0, column = 0;
	char *path = mm_at_path(at);
	if (!mm_json_locate(reader->text, path, true, &line, &column))
		line = 0;
	free(path);
	return line;
}

static int fail(struct mm_reader *reader, const struct mm_at *at, bool key_itself, const char *words)
{
	char *path = mm_at_path(at);
	char *place = mm_reader_place(reader, path, key_itself);
	int code = mm_error_set(reader->err, MM_EMATRIX, "%s: %s", place, words);
	free(place);
	free(path);
	return code;
}

int mm_reader_fail(struct mm_reader *reader, const struct mm_at *at, const char *format, ...)
{
	char words[1500];
	va_list values;
	va_start(values, format);
	(void)vsnprintf(words, sizeof words, format, values);
	va_end(values);
	return fail(reader, at, false, words);
}

int mm_reader_fail_key(struct mm_reader *reader, const struct mm_at *at, const char *format, ...)
{
	char words[1500];
	va_list values;
	va_start(values, format);
	(void)vsnprintf(words, sizeof words, format, values);
	va_end(values);
	return fail(reader, at, true, words);
}
