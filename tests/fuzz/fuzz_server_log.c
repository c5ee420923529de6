/* A server's error log, for messages. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "runners/serverlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file("error.log", data, size);
	char *line = mm_serverlog_errors(path);
	fuzz_must(strchr(line, '\n') == NULL && *line, "one line");
	free(line);
	free(mm_serverlog_tail(path));
	free(mm_serverlog_whole(path));
	return 0;
}
