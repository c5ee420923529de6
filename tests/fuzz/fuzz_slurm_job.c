/* job.json of a submission to Slurm. */
#include <stdlib.h>

#include "base/fs.h"
#include "executors/slurm/slurm.h"
#include "fuzz.h"

static void seen(void *context, size_t unit, const char *text)
{
	(void)text;
	fuzz_must(unit < ((const struct mm_slurm_job *)context)->units, "a unit of the job");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_slurm_job job;
	(void)fuzz_file("work/slurm/1/ended/0", (const uint8_t *)"lost", 4);
	(void)fuzz_file("work/slurm/1/job.json", data, size);
	char *work = mm_path_join(fuzz_folder(), "work/slurm/1");
	int code = mm_slurm_job_load(work, &job, &err);
	fuzz_must(!code || err.text[0], "an error with a text"); /* the file's own error keeps its own code */
	if (!code) {
		mm_slurm_units_ended(&job, seen, &job);
		mm_slurm_job_release(&job);
	}
	free(work);
	return 0;
}
