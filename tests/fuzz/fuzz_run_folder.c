/*
 * A run folder: plan.json, cells.json and two pass files, separated by NULs. Its report is made and rendered, and its
 * status told.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "executors/status.h"
#include "fuzz.h"
#include "reports/report.h"

static void put(const char *name, const uint8_t **data, size_t *size)
{
	char *text = fuzz_take(data, size);
	(void)fuzz_file(name, (const uint8_t *)text, strlen(text));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;
	char *run = mm_path_join(fuzz_folder(), "work/runs/1"), *work = mm_path_join(fuzz_folder(), "work");
	put("work/runs/1/plan.json", &data, &size);
	put("work/runs/1/cells.json", &data, &size);
	put("work/runs/1/passes/a/s-01.json", &data, &size);
	put("work/runs/1/passes/b/s-01.json", &data, &size);
	int code = mm_report_make(run, &report, &err);
	fuzz_expect(code, &err);
	for (const struct mm_report_format *format = mm_report_formats(); !code && format->name; format++) {
		struct mm_buffer out = MM_BUFFER_INIT;
		fuzz_expect(format->render(report, &out, &err), &err);
		mm_buffer_release(&out);
	}
	json_decref(report);
	json_decref(mm_status(work, NULL));
	free(run);
	free(work);
	return 0;
}
