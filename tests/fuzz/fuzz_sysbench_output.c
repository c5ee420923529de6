/* What sysbench prints at the end of a run. */
#include <stdlib.h>

#include "fuzz.h"
#include "runners/sysbench-output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_sysbench_output output;
	char *text = fuzz_text(data, size);
	mm_sysbench_output_read(text, &output);
	fuzz_must(output.threads >= 0, "threads that can be counted");
	mm_sysbench_output_release(&output);
	free(text);
	return 0;
}
