/* Job folders, and what is made of the answers of Slurm's programs, which are scripts here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/slurm/slurm.h"

static char folder[] = "/tmp/mm-slurm-XXXXXX";

static void put_program(const char *name, const char *script)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name);
	assert_int_equal(mm_fs_write_atomic(path, script, strlen(script), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	char *path = mm_format("%s:%s", folder, getenv("PATH"));
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static json_t *record(int tasks, int units)
{
	json_t *list = json_array();
	for (int i = 0; i < units; i++) {
		char *id = mm_format("unit-%d", i);
		json_array_append_new(list, json_pack("{s:s}", "id", id));
		free(id);
	}
	return json_pack("{s:i, s:s, s:i, s:o}", "mymatrix_slurm", 1, "kind", "build", "tasks", tasks, "units", list);
}

static void note_end(void *context, size_t unit, const char *text)
{
	char **ends = context;
	assert_in_range(unit, 0, 4);
	ends[unit] = mm_strdup(text);
}

static void test_job_folders(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_slurm_job first, second, loaded;
	struct mm_strings folders = MM_STRINGS_INIT;
	(void)state;
	assert_int_equal(mm_slurm_job_make(folder, record(2, 5), &first, &err), 0);
	assert_int_equal(mm_slurm_job_make(folder, record(1, 1), &second, &err), 0);
	assert_string_not_equal(first.name, second.name);
	assert_string_equal(mm_path_base(first.folder), "1");
	assert_string_equal(mm_path_base(second.folder), "2");
	assert_int_equal(mm_slurm_job_load(first.folder, &loaded, &err), 0);
	assert_string_equal(loaded.name, first.name);
	assert_int_equal(loaded.units, 5);
	assert_int_equal(loaded.tasks, 2);

	char *ends[5] = { NULL };
	assert_int_equal(mm_slurm_unit_end(&first, 0, NULL, &err), 0);
	assert_int_equal(mm_slurm_unit_end(&first, 3, "no compiler there", &err), 0);
	assert_true(mm_slurm_unit_ended(&first, 0));
	assert_false(mm_slurm_unit_ended(&first, 1));
	for (size_t i = 0; i < 5; i++)
		loaded.places[i] = i;
	loaded.places[0] = SIZE_MAX; /* what nobody waits for is not read */
	mm_slurm_units_ended(&loaded, note_end, ends);
	assert_null(ends[0]);
	assert_null(ends[1]);
	assert_string_equal(ends[3], "no compiler there");
	free(ends[3]);

	mm_slurm_jobs(folder, &folders);
	assert_int_equal(folders.count, 2);
	mm_strings_release(&folders);
	assert_int_equal(mm_slurm_job_mark(&first, "over", &err), 0);
	assert_int_equal(mm_slurm_job_mark(&second, "cancelled", &err), 0);
	mm_slurm_jobs(folder, &folders);
	assert_int_equal(folders.count, 0);
	mm_slurm_job_release(&loaded);
	mm_slurm_job_release(&first);
	mm_slurm_job_release(&second);
}

static void test_damaged_jobs(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{}",
		"{\"mymatrix_slurm\": 1, \"kind\": \"build\", \"name\": \"x\", \"tasks\": 1, \"units\": [{}]}",
		"{\"mymatrix_slurm\": 1, \"kind\": \"build\", \"name\": \"mymatrix-0123456789abcdef01234567\", "
		"\"tasks\": 2, "
		"\"units\": [{}]}",
		"{\"mymatrix_slurm\": 1, \"kind\": \"build\", \"name\": \"mymatrix-0123456789abcdef01234567\", "
		"\"tasks\": -1, "
		"\"units\": [{}]}",
		"{\"mymatrix_slurm\": 1, \"kind\": \"other\", \"name\": \"mymatrix-0123456789abcdef01234567\", "
		"\"tasks\": 1, "
		"\"units\": [{}]}",
		"{\"mymatrix_slurm\": 1, \"kind\": \"build\", \"name\": \"mymatrix-0123456789abcdef01234567\", "
		"\"tasks\": 1, "
		"\"units\": []}",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_slurm_job job;
		put_program("job.json", bad[i]);
		assert_int_equal(mm_slurm_job_load(folder, &job, &err), MM_EENV);
		assert_true(*err.text);
	}
}

struct seen {
	unsigned count, active;
	char states[8][24];
};

static void note_task(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	struct seen *seen = context;
	assert_string_equal(name, "mymatrix-a");
	assert_in_range(task, 0, 7);
	seen->count++;
	seen->active += state->active;
	strcpy(seen->states[task], state->state);
}

static void test_queue(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_strings names = MM_STRINGS_INIT;
	struct seen seen = { 0 };
	(void)state;
	mm_strings_push(&names, "mymatrix-a");
	mm_strings_push(&names, "mymatrix-b");
	put_program("squeue",
		    "#!/bin/sh\n"
		    "case \"$*\" in *--name=mymatrix-a,mymatrix-b*) ;; *) exit 7 ;; esac\n"
		    "echo 'squeue: warning: something | else' >&2\n"
		    "printf 'mymatrix-a|0|RUNNING\\nmymatrix-a|1|PENDING\\nmymatrix-a|2|NODE_FAIL\\n'\n"
		    "printf 'mymatrix-a|3|CANCELLED by 0\\nmymatrix-a|4|A_STATE_OF_THE_FUTURE_WITH_A_LONG_NAME\\n'\n"
		    "printf "
		    "'mymatrix-a|N/A|RUNNING\\nmymatrix-a|99999999999|RUNNING\\nmymatrix-a|-1|RUNNING\\n|\\n||\\n'\n");
	assert_int_equal(mm_slurm_query(&names, note_task, &seen, &err), 0);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.active, 3); /* a state that we do not know is no end */
	assert_string_equal(seen.states[3], "CANCELLED");

	put_program("squeue",
		    "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n");
	assert_int_equal(mm_slurm_query(&names, note_task, &seen, &err), MM_EENV);
	assert_non_null(strstr(err.text, "Unable to contact slurm controller"));
	mm_strings_release(&names);
}

static void test_submission(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_strings arguments = MM_STRINGS_INIT;
	char id[32];
	(void)state;
	mm_strings_push(&arguments, "--job-name=x");
	mm_strings_push(&arguments, "a 'b' $(c)\n");
	put_program("sbatch",
		    "#!/bin/sh\n[ $# = 3 ] && [ \"$1\" = --parsable ] && [ \"$3\" = \"a 'b' \\$(c)\n\" ] || exit 3\n"
		    "echo 'sbatch: a warning' >&2\necho '4711;cluster'\n");
	if (mm_slurm_submit(&arguments, id, &err))
		fail_msg("%s", err.text);
	assert_string_equal(id, "4711");
	put_program("sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition specified: x' >&2\nexit 1\n");
	assert_int_equal(mm_slurm_submit(&arguments, id, &err), MM_EENV);
	assert_non_null(strstr(err.text, "invalid partition specified: x"));
	mm_strings_release(&arguments);
}

static void test_most_tasks(void **state)
{
	(void)state;
	put_program("scontrol",
		    "#!/bin/sh\nprintf 'Configuration data\\nMaxArraySize            = 17\\nMaxJobCount = 9\\n'\n");
	assert_int_equal(mm_slurm_most_tasks(), 17);
	put_program("scontrol", "#!/bin/sh\nprintf '\\nMaxArraySize            = 4000001\\n'\n");
	assert_int_equal(mm_slurm_most_tasks(), 1000);
	put_program("scontrol", "#!/bin/sh\nexit 1\n");
	assert_int_equal(mm_slurm_most_tasks(), 1000);
}

static void test_cancel(void **state)
{
	(void)state;
	put_program("scancel", "#!/bin/sh\n[ \"$*\" = --name=mymatrix-a ]\n");
	assert_true(mm_slurm_cancel("mymatrix-a"));
	assert_false(mm_slurm_cancel("mymatrix-b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_folders), cmocka_unit_test(test_damaged_jobs), cmocka_unit_test(test_queue),
		cmocka_unit_test(test_submission),  cmocka_unit_test(test_most_tasks),   cmocka_unit_test(test_cancel),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
