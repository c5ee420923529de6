/* Completions for bash, zsh and fish: words from the tables; cells, tests and the like from 'mymatrix complete'. */
#include "base/fs.h"
#include "base/memory.h"
#include "docs/man/manual.h"

/* What "@cell" and its like are asked from the program as; NULL: the shell itself knows ("@file" …) or it is words. */
static const char *asked(const char *values)
{
	static const char *const classes[] = { "@cell", "@suite", "@test", "@source", "@command" };
	for (size_t i = 0; values && i < sizeof classes / sizeof *classes; i++)
		if (strcmp(values, classes[i]) == 0)
			return classes[i] + 1;
	return NULL;
}

static bool is(const char *values, const char *class)
{
	return values && strcmp(values, class) == 0;
}

/* TEXT within single quotes of a shell; characters of ALSO get a backslash. */
static void put_quoted(struct mm_buffer *out, const char *text, const char *also)
{
	for (; *text; text++) {
		if (*text == '\'')
			mm_buffer_puts(out, "'\\''");
		else if (strchr(also, *text))
			mm_buffer_printf(out, "\\%c", *text);
		else
			mm_buffer_putc(out, *text);
	}
}

/* bash */

static void bash_option_names(struct mm_buffer *out, const struct mm_command *command)
{
	const char *separator = "";
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		if (!mm_option_belongs(option, command))
			continue;
		if (option->id < 256)
			mm_buffer_printf(out, "%s-%c", separator, option->id), separator = " ";
		mm_buffer_printf(out, "%s--%s", separator, option->name);
		separator = " ";
	}
}

static void put_bash(struct mm_buffer *out)
{
	const struct mm_command *command;
	mm_buffer_puts(out, "# bash completion for mymatrix; made by docs/man/manual.c from the program's own tables\n\n"
			    "_mymatrix_options() {\n\tcase $1 in\n");
	for (command = mm_commands(); command->name; command++) {
		if (command->hidden)
			continue;
		mm_buffer_printf(out, "\t%s) echo \"", command->name);
		bash_option_names(out, command);
		mm_buffer_puts(out, "\" ;;\n");
	}
	mm_buffer_puts(out, "\t*) echo \"");
	bash_option_names(out, NULL);
	mm_buffer_puts(out, "\" ;;\n\tesac\n}\n\n# what an option's value may be\n_mymatrix_values() {\n\tcase $1 in\n");
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		if (!option->argument)
			continue;
		mm_buffer_puts(out, "\t");
		if (option->id < 256)
			mm_buffer_printf(out, "-%c | ", option->id);
		mm_buffer_printf(out, "--%s) echo \"%s\" ;;\n", option->name, option->values ? option->values : "@nothing");
	}
	mm_buffer_puts(out, "\tesac\n}\n\n# what the operand number $2 of a command may be\n_mymatrix_operand() {\n\tcase $1:$2 in\n");
	for (command = mm_commands(); command->name; command++) {
		if (command->hidden || !command->values)
			continue;
		mm_buffer_printf(out, "\t%s:1) echo \"%s\" ;;\n", command->name, command->values);
		if (command->more_values)
			mm_buffer_printf(out, "\t%s:*) echo \"%s\" ;;\n", command->name, command->more_values);
	}
	mm_buffer_puts(out, "\tesac\n}\n\n");
}

/* zsh */

static void zsh_action(struct mm_buffer *out, const char *values)
{
	if (is(values, "@file"))
		mm_buffer_puts(out, "_files");
	else if (is(values, "@folder"))
		mm_buffer_puts(out, "_files -/");
	else if (is(values, "@matrix"))
		mm_buffer_puts(out, "_files -g \"*.json\"");
	else if (asked(values))
		mm_buffer_printf(out, "_mymatrix_ask %s", asked(values));
	else if (values)
		mm_buffer_printf(out, "(%s)", values);
	else
		mm_buffer_puts(out, " ");
}

static void zsh_option(struct mm_buffer *out, const struct mm_option *option)
{
	if (option->id < 256)
		mm_buffer_printf(out, "\t\t'(-%c --%s)'{-%c,--%s%s}'", option->id, option->name, option->id, option->name,
				 option->argument ? "=" : "");
	else
		mm_buffer_printf(out, "\t\t'%s--%s%s", strcmp(option->name, "cell") == 0 || strcmp(option->name, "source") == 0 ? "*" : "",
				 option->name, option->argument ? "=" : "");
	mm_buffer_putc(out, '[');
	put_quoted(out, option->help, "[]:");
	mm_buffer_putc(out, ']');
	if (option->argument) {
		mm_buffer_putc(out, ':');
		put_quoted(out, option->argument, "[]:");
		mm_buffer_putc(out, ':');
		zsh_action(out, option->values);
	}
	mm_buffer_puts(out, "' \\\n");
}

static void zsh_command(struct mm_buffer *out, const struct mm_command *command)
{
	mm_buffer_printf(out, "\t%s)\n\t\t_arguments -s : \\\n", command->name);
	for (const struct mm_option *option = mm_options(); option->name; option++)
		if (mm_option_belongs(option, command))
			zsh_option(out, option);
	if (command->values) {
		mm_buffer_puts(out, "\t\t'1: :");
		zsh_action(out, command->values);
		mm_buffer_puts(out, "' \\\n");
	}
	if (command->more_values) {
		mm_buffer_puts(out, "\t\t'*: :");
		zsh_action(out, command->more_values);
		mm_buffer_puts(out, "' \\\n");
	}
	mm_buffer_puts(out, "\t\t;;\n");
}

static void put_zsh(struct mm_buffer *out)
{
	const struct mm_command *command;
	mm_buffer_puts(out, "#compdef mymatrix\n# made by docs/man/manual.c from the program's own tables\n\n"
			    "_mymatrix_commands() {\n\tlocal -a commands=(\n");
	for (command = mm_commands(); command->name; command++) {
		if (command->hidden)
			continue;
		mm_buffer_printf(out, "\t\t'%s:", command->name);
		put_quoted(out, command->summary, ":");
		mm_buffer_puts(out, "'\n");
	}
	mm_buffer_puts(out, "\t)\n\t_describe command commands\n}\n\n");
	mm_buffer_puts(out, "_mymatrix_command() {\n\tlocal curcontext=$curcontext\n\tcase $1 in\n");
	for (command = mm_commands(); command->name; command++)
		if (!command->hidden)
			zsh_command(out, command);
	mm_buffer_puts(out, "\tesac\n}\n\n_mymatrix_common=(\n");
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		struct mm_buffer line = MM_BUFFER_INIT;
		if (!mm_option_belongs(option, NULL))
			continue;
		zsh_option(&line, option);
		mm_buffer_printf(out, "%.*s\n", (int)line.length - 3, line.data); /* without the continuation */
		mm_buffer_release(&line);
	}
	mm_buffer_puts(out, ")\n\n");
}

/* fish */

static void fish_values(struct mm_buffer *out, const char *values)
{
	if (is(values, "@file"))
		mm_buffer_puts(out, " -F");
	else if (is(values, "@folder"))
		mm_buffer_puts(out, " -xa '(__fish_complete_directories)'");
	else if (is(values, "@matrix"))
		mm_buffer_puts(out, " -xa '(__fish_complete_suffix .json)'");
	else if (asked(values))
		mm_buffer_printf(out, " -xa '(__mymatrix_ask %s)'", asked(values));
	else if (values)
		mm_buffer_printf(out, " -xa '%s'", values);
}

static void fish_option(struct mm_buffer *out, const struct mm_option *option, const char *condition)
{
	mm_buffer_printf(out, "complete -c mymatrix -n '%s'", condition);
	if (option->id < 256)
		mm_buffer_printf(out, " -s %c", option->id);
	mm_buffer_printf(out, " -l %s", option->name);
	if (option->argument && !option->values)
		mm_buffer_puts(out, " -x");
	if (option->argument && is(option->values, "@file"))
		mm_buffer_puts(out, " -r");
	fish_values(out, option->argument ? option->values : NULL);
	mm_buffer_puts(out, " -d '");
	for (const char *at = option->help; *at; at++)
		mm_buffer_printf(out, *at == '\'' ? "\\'" : "%c", *at);
	mm_buffer_puts(out, "'\n");
}

static void put_fish(struct mm_buffer *out)
{
	mm_buffer_puts(out, "set -g __mymatrix_with_value");
	for (const struct mm_option *option = mm_options(); option->name; option++) {
		if (option->argument && option->id < 256)
			mm_buffer_printf(out, " -%c", option->id);
		if (option->argument)
			mm_buffer_printf(out, " --%s", option->name);
	}
	mm_buffer_putc(out, '\n');
	for (const struct mm_option *option = mm_options(); option->name; option++)
		if (mm_option_belongs(option, NULL))
			fish_option(out, option, "true");
	for (const struct mm_command *command = mm_commands(); command->name; command++) {
		char *condition = mm_format("__mymatrix_in %s", command->name);
		if (command->hidden) {
			free(condition);
			continue;
		}
		mm_buffer_printf(out, "complete -c mymatrix -n __mymatrix_no_command -xa %s -d '", command->name);
		put_quoted(out, command->summary, "");
		mm_buffer_puts(out, "'\n");
		for (const struct mm_option *option = mm_options(); option->name; option++)
			if (mm_option_belongs(option, command) && !(option->groups & MM_OPTIONS_COMMON))
				fish_option(out, option, condition);
		const char *const values[] = { command->values, command->more_values };
		for (size_t i = 0; i < 2; i++) {
			if (!values[i])
				continue;
			mm_buffer_printf(out, "complete -c mymatrix -n '__mymatrix_at %s %zu'", command->name, i + 1);
			fish_values(out, values[i]);
			mm_buffer_putc(out, '\n');
		}
		free(condition);
	}
}

static int put_script(const struct mm_manual *manual, const char *part, const char *file,
		      void (*put)(struct mm_buffer *out), bool part_first, struct mm_error *err)
{
	struct mm_buffer script = MM_BUFFER_INIT;
	char *path = mm_format("%s/%s", manual->parts, part);
	int code = part_first ? mm_fs_read(path, 0, &script, err) : 0;
	put(&script);
	if (!code && !part_first)
		code = mm_fs_read(path, 0, &script, err);
	if (!code)
		code = mm_manual_write(manual, file, &script, err);
	mm_buffer_release(&script);
	free(path);
	return code;
}

int mm_manual_completions(const struct mm_manual *manual, struct mm_error *err)
{
	int code = put_script(manual, "completion.bash", "mymatrix.bash", put_bash, false, err);
	if (!code)
		code = put_script(manual, "completion.zsh", "_mymatrix", put_zsh, false, err);
	if (!code)
		code = put_script(manual, "completion.fish", "mymatrix.fish", put_fish, true, err);
	return code;
}
