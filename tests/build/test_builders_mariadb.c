/*
 * The real thing: MariaDB's tree, configured at two flag sets, a few of its libraries compiled. The cell's level must
 * be the effective one on every command line of the whole tree, whatever the tree adds.
 *
 * The tarball's path comes in MM_MARIADB_TARBALL.
 */
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
#include "base/process.h"
#include "builders/archive.h"
#include "builders/builder.h"
#include "builders/compilers.h"

static char folder[] = "/tmp/mm-mariadb-XXXXXX";
static char *source_folder;
static struct mm_matrix *matrix;
static struct mm_store store;

static void load_matrix(const char *tarball)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	char *path = mm_path_join(folder, "MATRIX.json");
	/* strings is C, tpool is C++ */
	char *text = mm_format(
		"{ \"mymatrix\": 1, \"title\": \"t\",\n"
		"  \"sources\": { \"mariadb\": { \"tarball\": \"%s\", \"build\": { \"targets\": [\"strings\", "
		"\"tpool\"] } } },\n"
		"  \"toolchains\": { \"gcc\": { \"family\": \"gcc\", \"cc\": \"gcc\", \"cxx\": \"g++\" } },\n"
		"  \"flags\": { \"standard\": { \"*\": \"-O2\" }, \"optimized\": { \"*\": \"-O3 -fno-plt\" } },\n"
		"  \"matrix\": { \"source\": [\"mariadb\"], \"toolchain\": [\"gcc\"], \"bits\": [\"native\"], "
		"\"flags\": [\"standard\", \"optimized\"] },\n"
		"  \"suites\": [ { \"name\": \"classic\", \"suite\": \"sql-bench\" } ] }\n",
		tarball);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	free(text);
	free(path);
}

static int make_folder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	const char *tarball = getenv("MM_MARIADB_TARBALL");
	(void)state;
	if (!tarball || !*tarball || !mm_fs_exists(tarball)) {
		print_error("MM_MARIADB_TARBALL does not name MariaDB's source tarball ('%s'): './quickstart.sh test' "
			    "fetches it "
			    "and sets it\n",
			    tarball ? tarball : "");
		return -1;
	}
	if (!mkdtemp(folder))
		return -1;
	load_matrix(tarball);
	store = (struct mm_store){ .work = folder, .jobs = 2, .policy = &matrix->build, .matrix = matrix };
	source_folder = mm_path_join(folder, "source");
	if (mm_archive_unpack(tarball, source_folder, NULL, NULL, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	mm_matrix_free(matrix);
	free(source_folder);
	return mm_fs_remove_tree(folder, NULL);
}

/* Runs STAGE of JOB; a failure shows its error. */
static void run_stage(struct mm_job *job, const char *stage, int (*work)(struct mm_job *job, struct mm_error *err))
{
	struct mm_error err = MM_ERROR_INIT;
	mm_job_begin(job, stage);
	if (mm_job_end(job, work(job, &err), &err))
		fail_msg("%s: %s; hint: %s", stage, err.text, job->build->hint ? job->build->hint : "none");
}

/* How many commands compile_commands.json has: the tree is configured whole. */
static size_t count_commands(const struct mm_job *job)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(job->build_tree, "compile_commands.json");
	json_t *commands = mm_json_load(path, &err);
	size_t count = json_array_size(commands);
	json_decref(commands);
	free(path);
	return count;
}

/* What was compiled got LEVEL, and assertions are off. */
static void check_audit(struct mm_job *job, const char *level)
{
	struct mm_error err = MM_ERROR_INIT;
	if (mm_compilers_audit(job, &err))
		fail_msg("%s", err.text);
	const json_t *audit = job->build->audit;
	int64_t units = mm_json_integer(audit, "units", 0);
	assert_true(units > 5);
	assert_int_equal(mm_json_integer(json_object_get(audit, "levels"), level, 0), units);
	assert_int_equal(mm_json_integer(audit, "in_force", 0), units);
	assert_string_equal(mm_json_string(audit, "assertions", ""), "off");
}

static void build_cell(const char *id, const char *level)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_toolchain *toolchain = NULL;
	const struct mm_cell *cell = mm_matrix_cell(matrix, id);
	assert_non_null(cell);
	if (mm_build_prepare(&store, cell, &build, &err) || mm_toolchain_open(cell->toolchain, &toolchain, &err))
		fail_msg("%s", err.text);
	struct mm_job job = { .store = &store, .cell = cell, .build = &build, .toolchain = toolchain };
	mm_flags_resolve(matrix, cell->flags, cell->toolchain->family, cell->bits, &job.flags);
	if (mm_source_recognise(source_folder, &job.tree, &err))
		fail_msg("%s", err.text);
	if (mm_builder_choose(&job, &err))
		fail_msg("%s", err.text);
	assert_true(mm_strings_contain(&build.profiles, "mariadb-server"));
	mm_strings_extend(&job.options, &cell->source->build.options);
	job.build_tree = mm_path_join(build.folder, "tree");
	char *logs = mm_path_join(build.folder, "logs");
	assert_int_equal(mm_fs_mkdirs(logs, 0755, &err), 0);
	mm_process_clean_env(&job.env, build.folder);
	if (mm_compilers_provide(&job, &err))
		fail_msg("%s", err.text);
	run_stage(&job, "configure", mm_builder_cmake.configure);
	assert_true(count_commands(&job) > 500);
	run_stage(&job, "compile", mm_builder_cmake.compile);
	check_audit(&job, level);
	char *library = mm_path_join(job.build_tree, "strings/libstrings.a");
	assert_true(mm_fs_exists(library));
	free(library);
	assert_int_equal(mm_fs_remove_tree(build.folder, &err), 0);
	free(logs);
	free(job.build_tree);
	mm_wrapped_release(&job.compilers);
	mm_strings_release(&job.env);
	mm_strings_release(&job.options);
	mm_recipe_release(&job.recipe);
	mm_tree_release(&job.tree);
	mm_flag_words_release(&job.flags);
	mm_toolchain_free(toolchain);
	mm_build_release(&build);
}

static void test_standard(void **state)
{
	(void)state;
	build_cell("mariadb/gcc/native/standard", "-O2");
}

static void test_optimized(void **state)
{
	(void)state;
	build_cell("mariadb/gcc/native/optimized", "-O3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard),
		cmocka_unit_test(test_optimized),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
