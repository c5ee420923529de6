/* What the targets of `mymatrix import` have in common: what it makes of foreign output must be a result file. */
#include "base/json.h"
#include "fuzz.h"
#include "reports/import.h"
#include "reports/result-file.h"

static void fuzz_import(const char *format, const uint8_t *data, size_t size)
{
	struct mm_import_options options = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_strings files = MM_STRINGS_INIT;
	json_t *result = NULL;
	mm_strings_push(&files, fuzz_file("output", data, size));
	int code = mm_import(format, &files, &options, &result, &err);
	fuzz_expect(code, &err);
	if (!code) {
		struct mm_result_file file;
		const char *path = fuzz_file("result.json", NULL, 0);
		fuzz_must(mm_json_save(path, result, &err) == 0, "a result that can be saved");
		fuzz_must(mm_result_file_load(path, &file, &err) == 0, "a result file");
		mm_result_file_release(&file);
	}
	json_decref(result);
	mm_strings_release(&files);
}
