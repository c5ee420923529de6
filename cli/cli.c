/* From argv to an exit status. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/hint.h"

static int print_help(const struct mm_command *command, const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	mm_options_help(command, &text);
	int code = mm_output(arguments, text.data, text.length, err);
	mm_buffer_release(&text);
	return code;
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
		return mm_error_set(err, MM_EUSAGE, "-C '%s': cannot change to this folder: %s", arguments->folder,
				    strerror(errno));
	mm_hint_place(command, arguments);
	mm_progress_install(arguments);
	int code = command->run(arguments, err);
	mm_progress_finish();
	return code;
}

/* "mymatrix [common options] COMMAND [options] [operands]" */
static int parse_and_run(int argc, char **argv, struct mm_arguments *arguments, struct mm_error *err)
{
	const struct mm_command *command = NULL;
	int used = 1;
	int code = mm_options_parse(NULL, argc, argv, &used, arguments, err);
	if (!code && used < argc) {
		command = mm_command_find(argv[used]);
		code = command ? mm_options_parse(command, argc - used, argv + used, NULL, arguments, err)
			       : mm_command_unknown(argv[used], err);
	}
	return code ? code : run_command(command, arguments, err);
}

/*
 * A standard stream that the caller closed becomes /dev/null: else the next file that is opened, such as the lock,
 * takes its place, and what is printed is written into it. Standard output is opened for reading, so that lost output
 * is an error.
 */
static int fill_streams(struct mm_error *err)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_RDWR : O_RDONLY) != fd)
			return mm_error_errno(err, "cannot open '/dev/null'");
	return 0;
}

/* The same command goes on where it was stopped, but for the option that begins anew. */
static void tell_error(const struct mm_arguments *arguments, const struct mm_error *err)
{
	bool anew = err->code == MM_EINTERRUPTED && arguments->again;
	char *text = mm_format("%s%s", err->text, anew ? ", but without --again" : "");
	mm_progress_error(text);
	free(text);
}

/* Whatever the caller's mask says, what we make is open to ourselves. */
static void keep_access(void)
{
	mode_t mask = umask(0);
	(void)umask(mask & ~(mode_t)0700);
}

int mm_cli_main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_arguments arguments;
	int code = fill_streams(&err); /* before anything else is opened */
	mm_json_begin();
	mm_hash_begin();
	mm_signals_install();
	keep_access();
	mm_arguments_init(&arguments);
	arguments.program = mm_fs_find_program(argv[0]);
	if (!code)
		code = parse_and_run(argc, argv, &arguments, &err);
	if (code && *err.text)
		tell_error(&arguments, &err);
	mm_hint_place(NULL, NULL);
	free(arguments.program);
	mm_arguments_release(&arguments);
	return mm_error_status((enum mm_code)code);
}
