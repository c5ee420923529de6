/* Lines that squeue answers. */
#include <stdlib.h>
#include <string.h>

#include "executors/slurm/slurm.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *name;
		unsigned task;
		struct mm_slurm_task state;
		if (mm_slurm_answer_read(line, &name, &task, &state))
			fuzz_must(strlen(state.state) < sizeof state.state && name == line, "a task");
	}
	free(text);
	return 0;
}
