/* Lines that the scripts of sql-bench print. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "runners/sql-bench-output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct mm_sql_bench_line read;
		mm_sql_bench_line_read(line, &read);
		fuzz_must(read.kind != MM_SQL_BENCH_OPERATION || read.name != NULL, "a name");
		fuzz_must(!isinf(read.seconds), "seconds that are finite or unknown");
		mm_sql_bench_line_release(&read);
	}
	free(text);
	return 0;
}
