#include <errno.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "reports/report.h"
#include "toolchains/origin.h"

int mm_output(const struct mm_arguments *arguments, const void *bytes, size_t length, struct mm_error *err)
{
	if (arguments->output)
		return mm_fs_write_atomic(arguments->output, bytes, length, err);
	for (const char *at = bytes; length;) {
		ssize_t put = write(STDOUT_FILENO, at, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return mm_error_errno(err, "cannot write to standard output");
		at += put;
		length -= (size_t)put;
	}
	return 0;
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
	struct mm_buffer text = MM_BUFFER_INIT;
	int code = format->render(report, &text, err);
	if (!code)
		code = mm_output(arguments, mm_buffer_text(&text), text.length, err);
	mm_buffer_release(&text);
	return code;
}

int mm_cli_gate(const struct mm_arguments *arguments, json_t *report, struct mm_error *err)
{
	double limit = arguments->overrides.max_regression_percent;
	if (limit < 0 && !arguments->gate_tests.count && !arguments->gate_metric)
		return 0;
	return mm_report_gate(report, limit, &arguments->gate_tests, arguments->gate_metric, err);
}
