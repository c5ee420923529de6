#include "builders/series.h"

#include <ctype.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"
#include "builders/patch-text.h"

enum { LIST_BYTES = 1 << 20, PATCH_BYTES = 64 << 20, STRIP_MOST = 9 };

/* Adds the patch TEXT of PATH; *IS says whether it is one. */
static int take_patch(const char *path, const struct mm_buffer *text, unsigned strip, struct mm_series *series,
		      bool *is, struct mm_error *err)
{
	struct mm_patch_text found;
	int code = mm_patch_text_read(path, text, strip, &found, err);
	*is = found.is;
	if (code || !found.is)
		return code;
	series->items = mm_grow(series->items, series->count, &series->capacity, sizeof *series->items);
	series->items[series->count++] = (struct mm_patch){
		.path = mm_strdup(path), .strip = strip, .context = found.context, .hunks = found.hunks
	};
	return 0;
}

/* Reads a patch that a list names. */
static int take_named(const char *list, unsigned line, const char *name, unsigned strip, struct mm_series *series,
		      struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error why = MM_ERROR_INIT;
	char *folder = mm_path_folder(list), *path = mm_path_join(folder, name);
	bool is = false;
	int code = 0;
	if (*name == '/' || strstr(name, "../"))
		code = mm_error_set(err, MM_EMATRIX, "'%s:%u' names '%s', which lies outside the list's own folder",
				    list, line, name);
	else if (mm_fs_read_input(path, PATCH_BYTES, &text, &why))
		code = mm_error_set(err, MM_EMATRIX, "'%s:%u': %s", list, line, why.text);
	else
		code = take_patch(path, &text, strip, series, &is, err);
	if (!code && !is)
		code = mm_error_set(err, MM_EMATRIX, "'%s:%u' names '%s', which is no unified or context diff", list,
				    line, name);
	mm_buffer_release(&text);
	free(path);
	free(folder);
	return code;
}

/* Options behind a name in a series: quilt knows -pN and -R. */
static int read_options(const char *list, unsigned line, const struct mm_strings *words, unsigned *strip,
			struct mm_error *err)
{
	for (size_t i = 1; i < words->count; i++) {
		const char *word = words->items[i];
		if (*word == '#')
			break;
		const char *digit = strcmp(word, "-p") == 0 && i + 1 < words->count ? words->items[++i] : word + 2;
		if (mm_begins(word, "-p") && isdigit((unsigned char)*digit) && !digit[1])
			*strip = (unsigned)(*digit - '0');
		else
			return mm_error_set(err, MM_EMATRIX,
					    "'%s:%u': '%s' is no option that is known here: -p0 … -p%d", list, line,
					    word, STRIP_MOST);
	}
	return 0;
}

/* "name.patch -p1 # why" */
static int take_series_line(const char *list, unsigned line, const char *text, struct mm_series *series,
			    struct mm_error *err)
{
	struct mm_strings words = MM_STRINGS_INIT;
	unsigned strip = 1;
	int code = 0;
	mm_strings_split(&words, text);
	if (words.count && words.items[0][0] != '#') {
		code = read_options(list, line, &words, &strip, err);
		if (!code)
			code = take_named(list, line, words.items[0], strip, series, err);
	}
	mm_strings_release(&words);
	return code;
}

/* "Patch12: name.patch" of a spec file; every other line of it is about something else. */
static int take_spec_line(const char *list, unsigned line, const char *text, struct mm_series *series,
			  struct mm_error *err)
{
	size_t digits = mm_begins(text, "Patch") ? strspn(text + 5, "0123456789") : 0;
	struct mm_strings words = MM_STRINGS_INIT;
	int code = 0;
	if (mm_begins(text, "Patch") && text[5 + digits] == ':')
		mm_strings_split(&words, text + 6 + digits);
	if (words.count && strchr(words.items[0], '%'))
		code = mm_error_set(err, MM_EMATRIX,
				    "'%s:%u': '%s' holds a macro: name the patches themselves, or write a series", list,
				    line, words.items[0]);
	else if (words.count)
		code = take_named(list, line, words.items[0], 1, series, err);
	mm_strings_release(&words);
	return code;
}

static bool is_spec(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".spec") == 0;
}

static int take_list(const char *path, const char *text, struct mm_series *series, struct mm_error *err)
{
	size_t before = series->count;
	unsigned number = 1;
	int code = 0;
	for (const char *line = text; !code && *line; line = mm_next_line(line), number++) {
		char *one = mm_strndup(line, strcspn(line, "\r\n"));
		code = is_spec(path) ? take_spec_line(path, number, one, series, err)
				     : take_series_line(path, number, one, series, err);
		free(one);
	}
	if (!code && series->count == before)
		code = mm_error_set(err, MM_EMATRIX, "'%s' is no patch and names none", path);
	return code;
}

int mm_series_read(const char *path, struct mm_series *series, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error why = MM_ERROR_INIT;
	char *file = mm_fs_is_folder(path) ? mm_path_join(path, "series") : mm_strdup(path);
	bool is = false;
	int code = 0;
	if (mm_fs_read_input(file, PATCH_BYTES, &text, &why))
		code = mm_error_set(err, MM_EMATRIX, "%s", why.text);
	if (!code)
		code = take_patch(file, &text, 1, series, &is, err);
	if (!code && !is && text.length > LIST_BYTES)
		code = mm_error_set(err, MM_EMATRIX, "'%s' is no patch, and too large for a list of patches", file);
	if (!code && !is)
		code = take_list(file, mm_buffer_text(&text), series, err);
	mm_buffer_release(&text);
	free(file);
	return code;
}

void mm_series_release(struct mm_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		free(series->items[i].path);
	free(series->items);
	*series = (struct mm_series)MM_SERIES_INIT;
}
