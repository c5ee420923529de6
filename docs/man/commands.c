/* mymatrix(1) and a page for each command. */
#include "base/memory.h"
#include "docs/man/manual.h"

/* "[MATRIX.json]" → ".Op Ar MATRIX.json", "[-- COMMAND…]" → ".Op Fl - Ar COMMAND ..." */
static void put_operands(struct mm_buffer *page, const char *operands)
{
	while (*operands) {
		bool optional = *operands == '[';
		size_t length = optional ? strcspn(operands, "]") + 1 : strcspn(operands, " ");
		char *text = optional ? mm_strndup(operands + 1, length - 2) : mm_strndup(operands, length);
		const char *word = text;
		mm_buffer_puts(page, optional ? ".Op " : ".");
		if (strncmp(word, "-- ", 3) == 0) {
			mm_buffer_puts(page, "Fl \\- ");
			word += 3;
		}
		mm_buffer_puts(page, "Ar ");
		mm_page_word(page, word);
		mm_buffer_putc(page, '\n');
		free(text);
		operands += length;
		operands += strspn(operands, " ");
	}
}

static void put_option(struct mm_buffer *page, const struct mm_option *option)
{
	mm_buffer_puts(page, ".It ");
	if (option->id < 256)
		mm_buffer_printf(page, "Fl %c , ", option->id);
	mm_buffer_puts(page, "Fl \\-");
	for (const char *at = option->name; *at; at++)
		mm_buffer_printf(page, *at == '-' ? "\\-" : "%c", *at);
	if (option->argument) {
		mm_buffer_puts(page, " Ar ");
		mm_page_word(page, option->argument);
	}
	mm_buffer_putc(page, '\n');
	mm_page_text(page, option->help);
}

static void put_options(struct mm_buffer *page, const struct mm_command *command, bool common)
{
	bool begun = false;
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		if (!mm_option_belongs(option, command) || common != !!(option->groups & MM_OPTIONS_COMMON))
			continue;
		if (!begun)
			mm_buffer_puts(page, ".Bl -tag -width Ds\n");
		begun = true;
		put_option(page, option);
	}
	if (begun)
		mm_buffer_puts(page, ".El\n");
}

/* Lines "command # what it does". */
static void put_examples(struct mm_buffer *page, const char *text)
{
	if (!text)
		return;
	mm_buffer_puts(page, ".Sh EXAMPLES\n");
	for (bool first = true; *text; first = false) {
		size_t length = strcspn(text, "\n");
		char *line = mm_strndup(text, length), *comment = strstr(line, " # ");
		if (comment) {
			if (!first)
				mm_buffer_puts(page, ".Pp\n");
			*comment = '\0';
			mm_page_text(page, comment + 3);
		}
		mm_buffer_puts(page, ".Bd -literal -offset indent\n");
		mm_page_text(page, line);
		mm_buffer_puts(page, ".Ed\n");
		free(line);
		text += length + (text[length] == '\n');
	}
}

static int command_page(const struct mm_manual *manual, const struct mm_command *command, struct mm_error *err)
{
	struct mm_buffer page = MM_BUFFER_INIT;
	char *name = mm_format("mymatrix-%s", command->name), *file = mm_format("%s.1", name);
	mm_page_begin(manual, &page, name, "1", command->summary);
	mm_buffer_printf(&page, ".Sh SYNOPSIS\n.Nm mymatrix\n.Cm %s\n", command->name);
	if (command->options)
		mm_buffer_puts(&page, ".Op Ar options\n");
	put_operands(&page, command->operands);
	mm_buffer_puts(&page, ".Sh DESCRIPTION\n");
	mm_page_text(&page, command->help ? command->help : command->summary);
	int code = mm_page_part(manual, &page, command->name, false, err);
	if (command->options)
		mm_buffer_puts(&page, ".Ss Options\n");
	put_options(&page, command, false);
	mm_buffer_puts(&page, ".Ss Options of every command\n");
	put_options(&page, command, true);
	mm_buffer_puts(&page, ".Sh EXIT STATUS\nSee\n.Xr mymatrix 1 .\n");
	put_examples(&page, command->examples);
	mm_buffer_puts(&page, ".Sh SEE ALSO\n.Xr mymatrix 1 ,\n.Xr mymatrix.json 5\n");
	if (!code)
		code = mm_manual_write(manual, file, &page, err);
	mm_buffer_release(&page);
	free(file);
	free(name);
	return code;
}

static int main_page(const struct mm_manual *manual, struct mm_error *err)
{
	struct mm_buffer page = MM_BUFFER_INIT;
	mm_page_begin(manual, &page, "mymatrix", "1", "decide with evidence which build of MySQL to ship");
	mm_buffer_puts(&page, ".Sh SYNOPSIS\n.Nm mymatrix\n.Ar command\n.Op Ar options\n.Op Ar operand ...\n");
	int code = mm_page_part(manual, &page, "mymatrix", true, err);
	mm_buffer_puts(&page, ".Ss Commands\nEach has a page of its own.\n.Bl -tag -width Ds\n");
	for (const struct mm_command *command = mm_commands(); command->name; command++) {
		if (command->hidden)
			continue;
		mm_buffer_printf(&page, ".It Xr mymatrix-%s 1\n", command->name);
		mm_page_text(&page, command->summary);
	}
	mm_buffer_puts(&page, ".El\n.Ss Options of every command\n");
	put_options(&page, NULL, true);
	if (!code)
		code = mm_page_part(manual, &page, "mymatrix-end", true, err);
	if (!code)
		code = mm_manual_write(manual, "mymatrix.1", &page, err);
	mm_buffer_release(&page);
	return code;
}

int mm_manual_commands(const struct mm_manual *manual, struct mm_error *err)
{
	int code = main_page(manual, err);
	for (const struct mm_command *command = mm_commands(); command->name && !code; command++)
		if (!command->hidden)
			code = command_page(manual, command, err);
	return code;
}
