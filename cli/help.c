/* What --help and 'mymatrix help' print, all of it from the tables. */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/text.h"

enum { OPTION_COLUMN = 29 };

/* "  mymatrix run -j 4" and below it what it does, for each line "command # what it does". */
static void put_examples(const char *text, struct mm_buffer *out)
{
	mm_buffer_puts(out, "examples:\n");
	while (*text) {
		int length = (int)strcspn(text, "\n");
		const char *comment = memchr(text, '#', (size_t)length);
		const char *end = comment ? comment : text + length;
		while (end > text && end[-1] == ' ')
			end--;
		mm_buffer_printf(out, "  %.*s\n", (int)(end - text), text);
		if (comment) {
			char *words = mm_strndup(comment + 2, (size_t)(text + length - comment - 2));
			mm_buffer_puts(out, "      ");
			mm_put_wrapped(words, 6, 6, out);
			free(words);
		}
		text += length + (text[length] == '\n');
	}
	mm_buffer_putc(out, '\n');
}

static void put_option(const struct mm_option *option, struct mm_buffer *out)
{
	char left[64];
	(void)snprintf(left, sizeof left, "%s%.1s%s --%s%s%s", option->id < 256 ? "-" : "  ",
		       option->id < 256 ? (const char[]){ (char)option->id, '\0' } : "", option->id < 256 ? "," : " ",
		       option->name, option->argument ? " " : "", option->argument ? option->argument : "");
	mm_buffer_printf(out, "  %-26s ", left);
	mm_put_wrapped(option->help, OPTION_COLUMN, OPTION_COLUMN, out);
}

static void put_options(const struct mm_command *command, bool common, const char *title, struct mm_buffer *out)
{
	bool begun = false;
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		if (!mm_option_belongs(option, command) || common != !!(option->groups & MM_OPTIONS_COMMON))
			continue;
		if (!begun)
			mm_buffer_puts(out, title);
		begun = true;
		put_option(option, out);
	}
}

static void put_command(const struct mm_command *command, struct mm_buffer *out)
{
	bool options = command->options != 0;
	mm_buffer_printf(out, "usage: mymatrix %s%s %s\n\n%s\n\n", command->name, options ? " [options]" : "",
			 command->operands, command->summary);
	if (command->help) {
		mm_put_wrapped(command->help, 0, 0, out);
		mm_buffer_putc(out, '\n');
	}
	if (command->examples)
		put_examples(command->examples, out);
	put_options(command, false, "options:\n", out);
	put_options(command, true, options ? "\noptions of every command:\n" : "options of every command:\n", out);
}

void mm_options_help(const struct mm_command *command, struct mm_buffer *out)
{
	if (command) {
		put_command(command, out);
		return;
	}
	mm_buffer_puts(out, "usage: mymatrix COMMAND [options] …\n\n"
			    "Decides with evidence which build of MySQL to ship: builds every cell of a matrix,\n"
			    "runs a fixed suite of ten passes against each server, prints the deltas.\n\ncommands:\n");
	for (const struct mm_command *c = mm_commands(); c->name; c++)
		if (!c->hidden)
			mm_buffer_printf(out, "  %-9s %s\n", c->name, c->summary);
	mm_buffer_puts(out, "\n'mymatrix help COMMAND' explains one, with examples.\n\n");
	put_options(NULL, true, "options of every command:\n", out);
	mm_buffer_puts(out, "\nexit status: 0 done, and the gate (if any) holds; 1 regression or wrong answers;\n"
			    "2 usage or MATRIX.json; 3 some cells failed or lack samples; 4 the gate could not\n"
			    "decide; 5 environment or internal error; 128+n ended by signal n (141: what read the\n"
			    "output is gone)\n");
}

int mm_command_help(const struct mm_arguments *arguments, struct mm_error *err)
{
	const struct mm_command *command = NULL;
	struct mm_buffer text = MM_BUFFER_INIT;
	if (arguments->positional.count) {
		command = mm_command_find(arguments->positional.items[0]);
		if (!command)
			return mm_command_unknown(arguments->positional.items[0], err);
	}
	mm_options_help(command, &text);
	int code = mm_output(arguments, text.data, text.length, err);
	mm_buffer_release(&text);
	return code;
}
