#include <errno.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "reports/report.h"
#include "toolchains/origin.h"

/* Where a command's data goes, in pieces. The first error wins; what comes after it is dropped. */
struct sink {
	const struct mm_arguments *arguments;
	struct mm_file file; /* for -o */
	struct mm_error *err;
	int code;
};

static void put(void *context, const void *bytes, size_t length)
{
	struct sink *sink = context;
	if (sink->arguments->output && !sink->code)
		sink->code = mm_file_put(&sink->file, bytes, length, sink->err);
	for (const char *at = bytes; !sink->arguments->output && !sink->code && length;) {
		ssize_t written = write(STDOUT_FILENO, at, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			sink->code = mm_error_errno(sink->err, "cannot write to standard output");
			continue;
		}
		at += written;
		length -= (size_t)written;
	}
}

static int open_sink(struct sink *sink, const struct mm_arguments *arguments, struct mm_error *err)
{
	*sink = (struct sink){ .arguments = arguments, .err = err };
	return arguments->output ? mm_file_begin(&sink->file, arguments->output, err) : 0;
}

/* A CODE other than 0 gives up what was to go to a file. */
static int close_sink(struct sink *sink, int code)
{
	code = code ? code : sink->code;
	return sink->arguments->output ? mm_file_end(&sink->file, code, sink->err) : code;
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

int mm_cli_load_matrix(const struct mm_arguments *arguments, const char *path, struct mm_matrix **matrix, char **work,
		       struct mm_error *err)
{
	if (!mm_fs_exists(path))
		return mm_error_set(err, MM_EUSAGE, "cannot find '%s': name a MATRIX.json, or go to its folder (-C)", path);
	int code = mm_matrix_load(path, &arguments->overrides, matrix, err);
	if (!code)
		code = mm_flag_origins(*matrix, err);
	if (!code && work)
		*work = mm_path_absolute(NULL, arguments->work ? arguments->work : ".mymatrix");
	return code;
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

int mm_cli_gate(const struct mm_arguments *arguments, json_t *report, struct mm_error *err)
{
	double limit = arguments->overrides.max_regression_percent;
	if (limit < 0 && !arguments->gate_tests.count && !arguments->gate_metric)
		return 0;
	return mm_report_gate(report, limit, &arguments->gate_tests, arguments->gate_metric, err);
}
