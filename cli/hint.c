#include "cli/hint.h"

#include "base/memory.h"

#define BEFORE "'mymatrix "

static struct {
	const char *folder, *work, *matrix; /* NULL: where they are looked for anyway */
} place;

void mm_hint_place(const struct mm_command *command, const struct mm_arguments *arguments)
{
	bool takes_matrix = command && command->values && strcmp(command->values, "@matrix") == 0;
	place.folder = place.work = place.matrix = NULL;
	if (!arguments)
		return;
	place.folder = arguments->folder;
	place.work = arguments->work;
	place.matrix = takes_matrix && arguments->positional.count ? arguments->positional.items[0] : arguments->matrix;
}

void mm_hint_matrix(const char *path)
{
	place.matrix = path;
}

/* A word of a command line as a shell wants it, inside of a text that stands in single quotes. */
static void put_word(const char *word, struct mm_buffer *out)
{
	bool plain = *word && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+:=@%,-")] == '\0';
	if (!plain)
		mm_buffer_putc(out, '"');
	for (; *word; word++) {
		if (!plain && strchr("\"\\$`", *word))
			mm_buffer_putc(out, '\\');
		mm_buffer_putc(out, *word);
	}
	if (!plain)
		mm_buffer_putc(out, '"');
}

static void put_option(const char *option, const char *value, struct mm_buffer *out)
{
	if (!value)
		return;
	mm_buffer_printf(out, "%s%s", option, *option ? " " : "");
	put_word(value, out);
	mm_buffer_putc(out, ' ');
}

/* "build --cell a" becomes "-C DIR build --work W --cell a M": WORDS up to LENGTH stand behind "mymatrix ". */
static void put_command(const char *words, size_t length, struct mm_buffer *out)
{
	size_t name_length = strcspn(words, " '");
	char *name = mm_strndup(words, name_length);
	const struct mm_command *command = mm_command_find(name);
	bool works = command && command->options & MM_OPTIONS_WORK;
	bool operand = command && command->values && strcmp(command->values, "@matrix") == 0;
	put_option("-C", command ? place.folder : NULL, out);
	mm_buffer_puts(out, name);
	mm_buffer_putc(out, ' ');
	put_option("--work", works ? place.work : NULL, out);
	put_option("--matrix", command && command->options & MM_OPTIONS_LOOK ? place.matrix : NULL, out);
	if (length > name_length) {
		mm_buffer_append(out, words + name_length + 1, length - name_length - 1);
		mm_buffer_putc(out, ' ');
	}
	put_option("", operand ? place.matrix : NULL, out);
	free(name);
}

void mm_put_hints(const char *text, struct mm_buffer *out)
{
	const char *at;
	while ((at = strstr(text, BEFORE)) != NULL) {
		const char *words = at + sizeof BEFORE - 1;
		size_t length = strcspn(words, "'");
		mm_buffer_append(out, text, (size_t)(words - text));
		struct mm_buffer command = MM_BUFFER_INIT;
		put_command(words, length, &command);
		mm_buffer_append(out, command.data, command.length - 1); /* less the last blank */
		mm_buffer_release(&command);
		text = words + length;
	}
	mm_buffer_puts(out, text);
}
