/* What a process that does part of a run is told, and what it makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/task.h"
#include "folder-fixture.h"

static const char text[] = "{ \"mymatrix\": 1, \"//\": \"as it was written\","
			   " \"sources\": { \"g\": { \"git\": \"https://host/x.git\", \"ref\": \"main\" }, \"t\": { "
			   "\"tarball\": \"t.tar.gz\" } },"
			   " \"toolchains\": { \"gcc\": { \"family\": \"gcc\", \"cc\": \"gcc\", \"cxx\": \"g++\" } },"
			   " \"flags\": { \"a\": { \"*\": \"-O1\" }, \"b\": { \"*\": \"-O2\" } },"
			   " \"matrix\": { \"source\": [\"g\", \"t\"], \"toolchain\": [\"gcc\"], \"bits\": "
			   "[\"native\"], \"flags\": [\"a\", \"b\"] },"
			   " \"suites\": [ { \"name\": \"s\", \"suite\": \"sql-bench\", \"passes\": 7 } ] }";

static const struct mm_source *source_of(const struct mm_matrix *matrix, const char *name)
{
	for (size_t i = 0; i < matrix->source_count; i++)
		if (strcmp(matrix->sources[i].name, name) == 0)
			return &matrix->sources[i];
	fail_msg("no source '%s'", name);
	return NULL;
}

/* The record of a run with overrides, as the worker reads it from a file. */
static json_t *record_of(const struct mm_matrix_overrides *overrides)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix;
	struct mm_run run;
	const struct mm_run_options options = { .overrides = overrides, .retry_failed = true };
	if (mm_matrix_parse("/somewhere/MATRIX.json", text, overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_run_init(matrix, folder, &run);
	for (size_t i = 0; i < matrix->cell_count; i++)
		if (matrix->cells[i].source->kind == MM_SOURCE_GIT)
			run.cells[i].build.inputs = json_pack("{s:{s:s}}", "source", "commit", "0123abcd");
	json_t *record = mm_task_record(&run, &options);
	char *path = mm_path_join(folder, "task.json");
	assert_int_equal(mm_json_save(path, record, &err), 0);
	json_decref(record);
	record = mm_json_load(path, &err);
	assert_non_null(record);
	free(path);
	mm_run_close(&run);
	mm_matrix_free(matrix);
	return record;
}

static void a_task_is_what_the_run_was(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	struct mm_task task;
	(void)state;
	mm_matrix_overrides_init(&overrides);
	mm_strings_push(&overrides.sources, "t=other.tar.gz");
	mm_strings_push(&overrides.cell_globs, "*/a");
	overrides.passes = 3;
	overrides.jobs = 5;
	json_t *record = record_of(&overrides);
	char *here = mm_path_absolute(NULL, "other.tar.gz");
	assert_int_equal(chdir("/"), 0); /* a worker may be started anywhere */
	if (mm_task_open(record, &task, &err))
		fail_msg("%s", err.text);
	assert_string_equal(mm_matrix_text(task.matrix), text);
	assert_string_equal(task.matrix->path, "/somewhere/MATRIX.json");
	assert_string_equal(source_of(task.matrix, "t")->path, here);
	/* a branch that moves meanwhile does not move for us */
	assert_string_equal(source_of(task.matrix, "g")->commit, "0123abcd");
	assert_string_equal(source_of(task.matrix, "g")->ref, "main");
	assert_int_equal(task.matrix->cell_count, 2);
	assert_int_equal(task.matrix->suites[0].passes, 3);
	assert_int_equal(task.run.store.jobs, 5);
	assert_true(task.run.store.retry_failed);
	assert_int_equal(task.run.lock, -1);
	assert_string_equal(task.run.work, folder);
	mm_task_close(&task);
	json_decref(record);
	free(here);
	mm_matrix_overrides_release(&overrides);
}

/* What the run began with is not there any more: that cell is out, and says why. */
static void another_build_is_refused(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	struct mm_task task;
	char *tarball = mm_path_join(folder, "t.tar.gz"), *assignment = mm_format("t=%s", tarball);
	(void)state;
	mm_matrix_overrides_init(&overrides);
	mm_strings_push(&overrides.sources, assignment);
	json_t *record = record_of(&overrides);
	assert_int_equal(mm_task_open(record, &task, &err), 0);
	task.run.store.look_only = true;
	assert_int_equal(mm_task_build(&task, "t/gcc/native/a", "0123", "node 'n7'", &err), MM_ECELL);
	assert_non_null(strstr(err.text, "on node 'n7': "));
	assert_non_null(strstr(err.text, tarball));
	mm_error_clear(&err);
	assert_int_equal(mm_fs_write_atomic(tarball, "x", 1, &err), 0);
	assert_int_equal(mm_task_build(&task, "t/gcc/native/a", "0123", "node 'n7'", &err), MM_ECELL);
	mm_error_clear(&err);
	assert_int_equal(mm_task_build(&task, "t/gcc/native/c", "0123", "node 'n7'", &err), MM_ECELL);
	assert_non_null(strstr(err.text, "no cell 't/gcc/native/c'"));
	mm_task_close(&task);
	json_decref(record);
	mm_matrix_overrides_release(&overrides);
	free(assignment);
	free(tarball);
}

static void damaged_records(void **state)
{
	static const char *const records[] = { "{}", "[]", "{\"text\": \"{}\", \"matrix\": 7}",
					       "{\"text\": \"{\", \"matrix\": \"m\"}" };
	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_task task;
		json_t *record = json_loads(records[i], 0, NULL);
		assert_int_equal(mm_task_open(record, &task, &err), MM_EMATRIX);
		mm_task_close(&task);
		json_decref(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_is_what_the_run_was),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(damaged_records),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
