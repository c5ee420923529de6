/* The mdoc language, as far as our pages need it. */
#include <ctype.h>

#include "base/fs.h"
#include "base/memory.h"
#include "docs/man/manual.h"

/* One character of TEXT, with what roff would take apart made harmless. Returns the bytes taken. */
static size_t put_escaped(struct mm_buffer *page, const char *text)
{
	static const struct {
		const char *utf8, *roff;
	} letters[] = { { "…", "..." }, { "→", "\\(->" }, { "±", "\\(+-" }, { "×", "\\(mu" } };
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
		if (strncmp(text, letters[i].utf8, strlen(letters[i].utf8)) == 0) {
			mm_buffer_puts(page, letters[i].roff);
			return strlen(letters[i].utf8);
		}
	}
	if (*text == '\\')
		mm_buffer_puts(page, "\\e");
	else if (*text == '-')
		mm_buffer_puts(page, "\\-");
	else
		mm_buffer_putc(page, *text);
	return 1;
}

static bool at_line_start(const struct mm_buffer *page)
{
	return !page->length || page->data[page->length - 1] == '\n';
}

void mm_page_text(struct mm_buffer *page, const char *text)
{
	while (*text) {
		if (*text == '\n' && text[1] == '\n') {
			mm_buffer_puts(page, at_line_start(page) ? ".Pp\n" : "\n.Pp\n");
			text += 2;
			continue;
		}
		if (at_line_start(page) && (*text == '.' || *text == '\''))
			mm_buffer_puts(page, "\\&");
		/* a sentence ends its line, so that every device spaces it right */
		if (*text == '\n' || (*text == ' ' && page->length && strchr(".!?", page->data[page->length - 1]) && text[1])) {
			mm_buffer_putc(page, '\n');
			text++;
			continue;
		}
		text += put_escaped(page, text);
	}
	if (!at_line_start(page))
		mm_buffer_putc(page, '\n');
}

void mm_page_word(struct mm_buffer *page, const char *word)
{
	mm_buffer_puts(page, "\\&"); /* never a macro, never punctuation */
	while (*word) {
		if (*word == ' ') {
			mm_buffer_puts(page, "\\ ");
			word++;
		} else if (*word == '"') {
			mm_buffer_puts(page, "\\(dq");
			word++;
		} else {
			word += put_escaped(page, word);
		}
	}
}

void mm_page_begin(const struct mm_manual *manual, struct mm_buffer *page, const char *name, const char *section,
		   const char *description)
{
	mm_buffer_printf(page, ".\\\" Made by docs/man/manual.c from the program's own tables.\n.Dd %s\n.Dt ", manual->date);
	for (const char *at = name; *at; at++)
		mm_buffer_putc(page, (char)toupper((unsigned char)*at));
	mm_buffer_printf(page, " %s\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", section, name);
	mm_page_word(page, description);
	mm_buffer_putc(page, '\n');
}

int mm_page_part(const struct mm_manual *manual, struct mm_buffer *page, const char *name, bool required,
		 struct mm_error *err)
{
	char *path = mm_format("%s/%s.mdoc", manual->parts, name);
	int code = required || mm_fs_exists(path) ? mm_fs_read(path, 0, page, err) : 0;
	free(path);
	return code;
}

int mm_manual_write(const struct mm_manual *manual, const char *name, const struct mm_buffer *text, struct mm_error *err)
{
	char *path = mm_path_join(manual->folder, name);
	int code = mm_fs_write_atomic(path, text->data, text->length, err);
	free(path);
	return code;
}
