/* Logs of failed builds. */
#include <stdlib.h>
#include <string.h>

#include "builders/failure.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mm_limits limits = { .memory_mib = 1, .file_mib = 2 };
	char *text = fuzz_text(data, size), *line = mm_failure_line(text);
	fuzz_must(line != NULL && strchr(line, '\n') == NULL, "one line");
	char *cleaned = mm_failure_clean(text);
	fuzz_must(strlen(cleaned) <= strlen(text) + 1, "nothing is added");
	free(cleaned);
	(void)mm_failure_hint(text);
	(void)mm_failure_known(text, size % 2 ? 32 : 64);
	free(mm_failure_limit(&limits, text, size % 2));
	(void)mm_failure_disk_full(text);
	(void)mm_failure_of_link(text);
	free(line);
	free(mm_failure_read_log(fuzz_file("build.log", data, size)));
	free(text);
	return 0;
}
