/* import: foreign output to a result file. */
#include "reports/import.h"

#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"

int mm_command_import(const struct mm_arguments *arguments, struct mm_error *err)
{
	const struct mm_strings *operands = &arguments->positional;
	struct mm_import_options options = { .cell = arguments->cell, .suite = arguments->suite_name };
	struct mm_strings files = MM_STRINGS_INIT;
	json_t *result = NULL;
	int code;

	for (size_t i = 1; i < operands->count; i++)
		mm_strings_push(&files, operands->items[i]);
	code = mm_import(operands->items[0], &files, &options, &result, err);
	if (!code) {
		char *text = mm_json_text(result);

		code = mm_output(arguments, text, strlen(text), err);
		free(text);
	}
	json_decref(result);
	mm_strings_release(&files);
	return code;
}
