/* Result files and reports: compared with themselves, every cell with the first, and rendered in every format. */
#include "base/buffer.h"
#include "fuzz.h"
#include "reports/compare.h"
#include "reports/report.h"
#include "reports/result-file.h"

static void render(const json_t *report)
{
	for (const struct mm_report_format *format = mm_report_formats(); format->name; format++) {
		struct mm_buffer out = MM_BUFFER_INIT;
		struct mm_error err = MM_ERROR_INIT;
		fuzz_expect(format->render(report, &out, &err), &err);
		mm_buffer_release(&out);
	}
}

static void compare(const char *path, const char *cell, bool unpaired)
{
	struct mm_compare_options options = { .candidate_cell = cell, .unpaired = unpaired };
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;
	int code = mm_compare_files(path, path, &options, &report, &err);
	fuzz_expect(code, &err);
	if (!code)
		render(report);
	json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_result_file file;
	const char *path = fuzz_file("result.json", data, size);
	int code = mm_result_file_load(path, &file, &err);
	fuzz_expect(code, &err);
	if (code)
		return 0;
	compare(path, NULL, true);
	if (!file.small)
		render(file.document); /* what `mymatrix report` does with a report.json */
	if (file.series_count)
		compare(path, file.series[file.series_count - 1].cell, false);
	mm_result_file_release(&file);
	return 0;
}
