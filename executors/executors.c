#include "base/json.h"
#include "base/memory.h"
#include "executors/crew.h"
#include "executors/executor.h"
#include "executors/slurm/slurm.h"

static const struct mm_executor *const executors[] = { &mm_executor_local, &mm_executor_slurm, NULL };

int mm_run_worker(const char *folder, const char *cell, const char *key, struct mm_error *err)
{
	if (cell && key)
		return mm_crew_work(folder, cell, key, err);
	return mm_slurm_work(folder, err);
}

const struct mm_executor *mm_executor_choose(const struct mm_run *run, const struct mm_run_options *options,
					     struct mm_error *err)
{
	const char *name = options->executor ? options->executor
					     : mm_json_string(run->matrix->executor, "name", mm_executor_local.name);
	struct mm_strings names = MM_STRINGS_INIT;
	for (const struct mm_executor *const *executor = executors; *executor; executor++) {
		if (strcmp((*executor)->name, name) == 0) {
			mm_strings_release(&names);
			return *executor;
		}
		mm_strings_push(&names, (*executor)->name);
	}
	char *all = mm_strings_join(&names, " or ");
	(void)mm_error_set(err, MM_EUSAGE, "unknown executor '%s': give %s", name, all);
	free(all);
	mm_strings_release(&names);
	return NULL;
}
