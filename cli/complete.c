/* complete: names for a shell's completion, one a line. What cannot be had is no name and no error. */
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "runners/suite.h"

static void put_matrix(const struct mm_arguments *arguments, bool cells, struct mm_buffer *out)
{
	struct mm_matrix *matrix = NULL;
	struct mm_error ignored = MM_ERROR_INIT;
	const char *path = arguments->matrix ? arguments->matrix : "MATRIX.json";
	if (mm_cli_load_matrix(arguments, path, &matrix, NULL, &ignored) != 0)
		return;
	for (size_t i = 0; cells && i < matrix->cell_count; i++)
		mm_buffer_printf(out, "%s\n", matrix->cells[i].id);
	for (size_t i = 0; !cells && i < matrix->source_count; i++)
		mm_buffer_printf(out, "%s=\n", matrix->sources[i].name);
	mm_matrix_free(matrix);
}

static void put_cells(const struct mm_arguments *arguments, struct mm_buffer *out)
{
	put_matrix(arguments, true, out);
}

static void put_sources(const struct mm_arguments *arguments, struct mm_buffer *out)
{
	put_matrix(arguments, false, out);
}

static void put_suites(const struct mm_arguments *arguments, struct mm_buffer *out)
{
	(void)arguments;
	for (const struct mm_suite *const *suite = mm_suite_all(); *suite; suite++)
		mm_buffer_printf(out, "%s\n", (*suite)->name);
}

static void put_tests(const struct mm_arguments *arguments, struct mm_buffer *out)
{
	const char *name = arguments->positional.count > 1 ? arguments->positional.items[1] : "sql-bench";
	json_t *description = NULL, *test;
	struct mm_error ignored = MM_ERROR_INIT;
	size_t i;
	if (mm_cli_describe_suite(arguments, name, NULL, 0, &description, &ignored) != 0)
		return;
	json_array_foreach(json_object_get(description, "tests"), i, test)
		mm_buffer_printf(out, "%s\n", mm_json_string(test, "test", ""));
	json_decref(description);
}

static void put_commands(const struct mm_arguments *arguments, struct mm_buffer *out)
{
	(void)arguments;
	for (const struct mm_command *command = mm_commands(); command->name; command++)
		if (!command->hidden)
			mm_buffer_printf(out, "%s\n", command->name);
}

static const struct {
	const char *name;
	void (*put)(const struct mm_arguments *arguments, struct mm_buffer *out);
} classes[] = {
	{ "cell", put_cells }, { "command", put_commands }, { "source", put_sources }, { "suite", put_suites }, { "test", put_tests },
};

int mm_command_complete(const struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	const char *name = arguments->positional.items[0];
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strcmp(classes[i].name, name) == 0)
			classes[i].put(arguments, &out);
	int code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	mm_buffer_release(&out);
	return code;
}
