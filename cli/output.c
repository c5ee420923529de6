#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "reports/report.h"
#include "toolchains/origin.h"

/* Where a command's data goes, in pieces. The first error wins; what comes after it is dropped. */
struct sink {
	const char *name;    /* for errors */
	struct mm_file file; /* for -o with an ordinary file */
	int fd;              /* for all else: standard output, devices, pipes */
	struct mm_error *err;
	int code;
};

static void put(void *context, const void *bytes, size_t length)
{
	struct sink *sink = context;
	if (sink->file.path && !sink->code)
		sink->code = mm_file_put(&sink->file, bytes, length, sink->err);
	for (const char *at = bytes; !sink->file.path && !sink->code && length;) {
		ssize_t written = write(sink->fd, at, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno == EPIPE) {
			sink->code = mm_error_set(sink->err, MM_EPIPE, "%s", ""); /* "| head" has seen enough */
			continue;
		}
		if (written < 0) {
			sink->code = mm_error_errno(sink->err, "cannot write to %s", sink->name);
			continue;
		}
		at += written;
		length -= (size_t)written;
	}
}

static bool is_standard_output(const struct stat *st)
{
	struct stat output;
	return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == st->st_dev && output.st_ino == st->st_ino;
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;
	return stat(path, &one) == 0 && stat(other, &two) == 0 && S_ISREG(one.st_mode) && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

/* What is read, or is a matrix, was not meant to be written over. */
static bool is_input(const struct mm_arguments *arguments, const char *path)
{
	bool is = false;
	for (size_t i = 0; i < arguments->positional.count && !is; i++)
		is = is_same_file(path, arguments->positional.items[i]);
	json_t *json = is || !mm_fs_exists(path) || mm_fs_is_folder(path) ? NULL : mm_json_load(path, NULL);
	is = is || mm_json_integer(json, "mymatrix", 0) == 1;
	json_decref(json);
	return is;
}

int mm_cli_check_place(const char *path, struct mm_error *err)
{
	char *folder = mm_path_folder(path);
	int code = 0;
	if (!*path)
		code = mm_error_set(err, MM_EUSAGE, "--output '': name a file");
	else if (mm_fs_is_folder(path))
		code = mm_error_set(err, MM_EUSAGE, "--output '%s': this is a folder: name a file", path);
	else if (!mm_fs_is_folder(folder))
		code = mm_error_set(err, MM_EUSAGE, "--output '%s': there is no folder '%s': make it, or name another file", path,
				    folder);
	else if (!mm_fs_exists(path) && access(folder, W_OK | X_OK))
		code = mm_error_errno(err, "--output '%s': cannot write to folder '%s'", path, folder);
	free(folder);
	return code;
}

static int check_output(const struct mm_arguments *arguments, struct mm_error *err)
{
	const char *path = arguments->output;
	if (path && is_input(arguments, path))
		return mm_error_set(err, MM_EUSAGE, "--output '%s': this would write over an input: name another file", path);
	return path ? mm_cli_check_place(path, err) : 0;
}

/*
 * A file is replaced as a whole; where -o names a link, the file that it leads to. What is no file (/dev/stdout,
 * /dev/full, a pipe of the shell) is written to, for a rename would put a file in its place.
 */
static int open_sink(struct sink *sink, const struct mm_arguments *arguments, struct mm_error *err)
{
	const char *path = arguments->output;
	struct stat st;
	*sink = (struct sink){ .name = path ? path : "standard output", .fd = STDOUT_FILENO, .err = err };
	int checked = check_output(arguments, err);
	if (checked || !path)
		return checked;
	bool exists = stat(path, &st) == 0;
	if (exists && is_standard_output(&st))
		return 0;
	if (exists && !S_ISREG(st.st_mode)) {
		sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return sink->fd < 0 ? mm_error_errno(err, "cannot open '%s'", path) : 0;
	}
	char *target = exists ? realpath(path, NULL) : NULL;
	int code = mm_file_begin(&sink->file, target ? target : path, err);
	free(target);
	return code;
}

/* A CODE other than 0 gives up what was to go to a file. */
static int close_sink(struct sink *sink, int code)
{
	code = code ? code : sink->code;
	if (sink->file.path)
		return mm_file_end(&sink->file, code, sink->err);
	if (sink->fd != STDOUT_FILENO && close(sink->fd) && !code)
		code = mm_error_errno(sink->err, "cannot write to %s", sink->name);
	return code;
}

int mm_output(const struct mm_arguments *arguments, const void *bytes, size_t length, struct mm_error *err)
{
	struct sink sink;
	int code = open_sink(&sink, arguments, err);
	if (code)
		return code;
	put(&sink, bytes, length);
	return close_sink(&sink, 0);
}

int mm_cli_work(const struct mm_arguments *arguments, char **work, struct mm_error *err)
{
	/* compilers and build tools see where they really are: one folder has one name */
	char *path = mm_path_real(arguments->work ? arguments->work : ".mymatrix");
	if (mm_fs_exists(path) && !mm_fs_is_folder(path)) {
		int code = mm_error_set(err, MM_EUSAGE, "--work '%s': this is no folder: name one, or one that is to be made", path);
		free(path);
		return code;
	}
	*work = path;
	return 0;
}

int mm_cli_load_matrix(const struct mm_arguments *arguments, const char *path, struct mm_matrix **matrix, char **work,
		       struct mm_error *err)
{
	if (!mm_fs_exists(path))
		return mm_error_set(err, MM_EUSAGE, "cannot find '%s': name a MATRIX.json, or go to its folder (-C)",
				    path);
	if (mm_fs_is_folder(path))
		return mm_error_set(err, MM_EUSAGE, "'%s' is a folder: name the MATRIX.json in it, or go there with -C %s", path,
				    path);
	int code = mm_matrix_load(path, &arguments->overrides, matrix, err);
	if (!code)
		code = mm_flag_origins(*matrix, err);
	return code || !work ? code : mm_cli_work(arguments, work, err);
}

int mm_cli_matrix(const struct mm_arguments *arguments, struct mm_matrix **matrix, char **work, struct mm_error *err)
{
	const char *path = arguments->positional.count ? arguments->positional.items[0] : "MATRIX.json";
	return mm_cli_load_matrix(arguments, path, matrix, work, err);
}

static int unknown_format(const char *name, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (const struct mm_report_format *format = mm_report_formats(); format->name; format++)
		mm_strings_push(&names, format->name);
	char *all = mm_strings_join(&names, ", ");
	int code = mm_error_set(err, MM_EUSAGE, "unknown format '%s': give one of %s", name, all);
	free(all);
	mm_strings_release(&names);
	return code;
}

int mm_cli_check_format(const struct mm_arguments *arguments, struct mm_error *err)
{
	const char *name = arguments->format;
	if (name && !mm_report_format_find(name))
		return unknown_format(name, err);
	return check_output(arguments, err);
}

int mm_cli_render(const struct mm_arguments *arguments, const json_t *report, const char *fallback,
		  struct mm_error *err)
{
	const char *name = arguments->format ? arguments->format : fallback;
	const struct mm_report_format *format = mm_report_format_find(name);
	if (!format)
		return unknown_format(name, err);
	struct sink sink;
	struct mm_buffer text = MM_BUFFER_INIT;
	int code = open_sink(&sink, arguments, err);
	if (code)
		return code;
	if (format->appends) {
		text.drain = put;
		text.context = &sink;
	}
	code = format->render(report, &text, err);
	if (!code)
		put(&sink, mm_buffer_text(&text), text.length);
	mm_buffer_release(&text);
	return close_sink(&sink, code);
}
