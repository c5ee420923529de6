/* From argv to an exit status. */
#include <errno.h>
#include <unistd.h>

#include "base/event.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/process.h"
#include "cli/command.h"

static int unknown_command(const char *name, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (const struct mm_command *command = mm_commands(); command->name; command++)
		mm_strings_push(&names, command->name);
	const char *nearest = mm_nearest(name, &names);
	int code = nearest ? mm_error_set(err, MM_EUSAGE, "unknown command '%s': did you mean '%s'?", name, nearest)
			   : mm_error_set(err, MM_EUSAGE, "unknown command '%s': see 'mymatrix help'", name);
	mm_strings_release(&names);
	return code;
}

static int print_help(const struct mm_command *command, const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	mm_options_help(command, &text);
	int code = mm_output(arguments, text.data, text.length, err);
	mm_buffer_release(&text);
	return code;
}

int mm_command_help(const struct mm_arguments *arguments, struct mm_error *err)
{
	const struct mm_command *command = NULL;
	if (arguments->positional.count) {
		command = mm_command_find(arguments->positional.items[0]);
		if (!command)
			return unknown_command(arguments->positional.items[0], err);
	}
	return print_help(command, arguments, err);
}

static int run_command(const struct mm_command *command, const struct mm_arguments *arguments, struct mm_error *err)
{
	static const char version[] = "mymatrix " MM_VERSION "\n";
	if (arguments->help)
		return print_help(command, arguments, err);
	if (arguments->version)
		return mm_output(arguments, version, sizeof version - 1, err);
	if (!command)
		return mm_error_set(err, MM_EUSAGE, "no command given: see 'mymatrix help'");
	if (arguments->folder && chdir(arguments->folder))
		return mm_error_errno(err, "cannot change to folder '%s'", arguments->folder);
	mm_progress_install(arguments);
	int code = command->run(arguments, err);
	mm_progress_finish();
	return code;
}

int mm_cli_main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_arguments arguments;
	const struct mm_command *command = NULL;
	int code = 0, skipped = 0;
	mm_signals_install();
	if (argc > 1 && *argv[1] != '-') {
		command = mm_command_find(argv[1]);
		if (!command)
			code = unknown_command(argv[1], &err);
		skipped = 1;
	}
	if (!code) {
		code = mm_options_parse(command, argc - skipped, argv + skipped, &arguments, &err);
		if (!code)
			code = run_command(command, &arguments, &err);
		mm_arguments_release(&arguments);
	}
	if (code && *err.text)
		(void)fprintf(stderr, "mymatrix: %s\n", err.text);
	return mm_error_status((enum mm_code)code);
}
