/* What is checked before a build begins, and what its key depends on. */
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
#include "builders/build.h"

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* SHA-256 of "abc" */

static char folder[] = "/tmp/mm-prepare-XXXXXX";
static char *work, *tarball;

static void put(const char *name, const char *content)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name);
	assert_int_equal(mm_fs_write_atomic(path, content, strlen(content), &err), 0);
	free(path);
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	work = mm_path_join(folder, "work");
	tarball = mm_path_join(folder, "a.tar.gz");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(work);
	free(tarball);
	return mm_fs_remove_tree(folder, NULL);
}

static const char source[] = "\"tarball\": \"a.tar.gz\"";
static const char flags[] = "{ \"*\": \"-O2\" }";

static struct mm_matrix *load_text(const char *text)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	struct mm_matrix *matrix;
	char *path = mm_path_join(folder, "MATRIX.json");
	put("MATRIX.json", text);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	free(path);
	return matrix;
}

static struct mm_matrix *load(const char *source_text, const char *flags_text, const char *config)
{
	char *text =
		mm_format("{ \"mymatrix\": 1, \"title\": \"t\",\n  \"sources\": { \"s\": { %s } },\n"
			  "  \"toolchains\": { \"gcc\": { \"family\": \"gcc\", \"cc\": \"gcc\", \"cxx\": \"g++\" } },\n"
			  "  \"flags\": { \"f\": %s },\n  \"configs\": { \"c\": { %s } },\n"
			  "  \"matrix\": { \"source\": [\"s\"], \"toolchain\": [\"gcc\"], \"bits\": [\"native\"], "
			  "\"flags\": [\"f\"], "
			  "\"config\": [\"c\"] },\n"
			  "  \"suites\": [ { \"name\": \"c\", \"suite\": \"sql-bench\" } ] }\n",
			  source_text, flags_text, config);
	struct mm_matrix *matrix = load_text(text);
	free(text);
	return matrix;
}

static int prepare(struct mm_matrix *matrix, struct mm_build_cache *cache, struct mm_build *build, struct mm_error *err)
{
	struct mm_store store = { .work = work, .jobs = 1, .policy = &matrix->build, .matrix = matrix, .cache = cache };
	mm_error_clear(err);
	return mm_build_prepare(&store, matrix->cells, build, err);
}

static void assert_refused(const char *source_text, const char *flags_text, const char *config, int code,
			   const char *place, const char *said)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = load(source_text, flags_text, config);
	assert_int_equal(prepare(matrix, NULL, &build, &err), code);
	if (!strstr(err.text, place) || !strstr(err.text, said))
		fail_msg("'%s' and '%s' are not in: %s", place, said, err.text);
	mm_matrix_free(matrix);
}

static void test_wrong_inputs(void **state)
{
	(void)state;
	assert_int_equal(mm_fs_remove_tree(tarball, NULL), 0);
	assert_refused(source, flags, "", MM_EMATRIX, "MATRIX.json:2:", "$.sources.s.tarball: there is no file");
	put("a.tar.gz", "abc");
	assert_refused("\"tarball\": \"a.tar.gz\", \"sha256\": "
		       "\"0000000000000000000000000000000000000000000000000000000000000000\"",
		       flags, "", MM_EMATRIX, "$.sources.s.sha256",
		       "has the sha256 " ABC
		       ", expected is 0000000000000000000000000000000000000000000000000000000000000000");
	assert_refused("\"tarball\": \".\"", flags, "", MM_EMATRIX, "$.sources.s.tarball", "is a folder");
	assert_refused(source, "{ \"*\": \"-O2 -DX=$(touch${IFS}/tmp/x)\" }", "", MM_EMATRIX, "$.flags.f",
		       "character '$'");
	assert_refused(source, flags, "\"my_cnf\": \"missing.cnf\"", MM_EMATRIX, "$.configs.c.my_cnf", "missing.cnf");
	assert_refused(source, "{ \"*\": \"-O2 -fno-such-flag\" }", "", MM_ECELL, "toolchain 'gcc'", "-fno-such-flag");
}

/* Sources, flag sets and configs of which some make the same build and some another one. */
static const char key_matrix[] =
	"{ \"mymatrix\": 1, \"title\": \"t\", \"sources\": {\n"
	"    \"s\": { \"tarball\": \"a.tar.gz\" },\n"
	"    \"copy\": { \"tarball\": \"b.tar.gz\" },\n"
	"    \"summed\": { \"tarball\": \"a.tar.gz\", \"sha256\": \"" ABC "\" },\n"
	"    \"other\": { \"tarball\": \"c.tar.gz\" },\n"
	"    \"options\": { \"tarball\": \"a.tar.gz\", \"build\": { \"options\": [\"-DX=1\"] } },\n"
	"    \"targets\": { \"tarball\": \"a.tar.gz\", \"build\": { \"targets\": [\"all\"] } },\n"
	"    \"env\": { \"tarball\": \"a.tar.gz\", \"build\": { \"env\": { \"K\": \"v\" } } } },\n"
	"  \"toolchains\": { \"gcc\": { \"family\": \"gcc\", \"cc\": \"gcc\", \"cxx\": \"g++\" } },\n"
	"  \"flags\": { \"f\": { \"*\": \"-O2\" }, \"keyed\": { \"gcc\": \"-O2\", \"*\": \"-O3\" },\n"
	"    \"o3\": { \"*\": \"-O3\" }, \"free\": { \"*\": \"-O2\", \"enforce\": \"none\" },\n"
	"    \"split\": { \"*\": { \"c\": \"-O2\", \"cxx\": \"-O2\", \"cpp\": \"\", \"ld\": \"\" } } },\n"
	"  \"configs\": { \"tuned\": { \"my_cnf\": \"tuned.cnf\" }, \"run-env\": { \"run_env\": { \"A\": \"b\" } },\n"
	"    \"built\": { \"build_options\": [\"-DX=1\"] } },\n"
	"  \"matrix\": { \"source\": [\"s\", \"copy\", \"summed\", \"other\", \"options\", \"targets\", \"env\"],\n"
	"    \"toolchain\": [\"gcc\"], \"bits\": [\"native\"], \"flags\": [\"f\", \"keyed\", \"o3\", \"free\", "
	"\"split\"],\n"
	"    \"config\": [\"default\", \"tuned\", \"run-env\", \"built\"] },\n"
	"  \"suites\": [ { \"name\": \"c\", \"suite\": \"sql-bench\" } ] }\n";

static void key_of(const struct mm_store *store, const char *id, char key[MM_BUILD_KEY])
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_cell *cell = mm_matrix_cell(store->matrix, id);
	assert_non_null(cell);
	if (mm_build_prepare(store, cell, &build, &err))
		fail_msg("%s", err.text);
	assert_int_equal(strlen(build.key), MM_BUILD_KEY - 1);
	assert_int_equal(strspn(build.key, "0123456789abcdef"), MM_BUILD_KEY - 1);
	assert_non_null(strstr(build.prefix, build.key));
	memcpy(key, build.key, MM_BUILD_KEY);
	mm_build_release(&build);
}

static void test_key(void **state)
{
	static const char *const same[] = { "s/gcc/native/f",     "copy/gcc/native/f",    "summed/gcc/native/f",
					    "s/gcc/native/keyed", "s/gcc/native/f/tuned", "s/gcc/native/f/run-env" };
	static const char *const different[] = { "other/gcc/native/f", "options/gcc/native/f", "targets/gcc/native/f",
						 "env/gcc/native/f",   "s/gcc/native/o3",      "s/gcc/native/free",
						 "s/gcc/native/split", "s/gcc/native/f/built" };
	enum { DIFFERENT = sizeof different / sizeof *different };
	char key[MM_BUILD_KEY], other[MM_BUILD_KEY], seen[DIFFERENT][MM_BUILD_KEY];
	(void)state;
	put("a.tar.gz", "abc");
	put("b.tar.gz", "abc");
	put("c.tar.gz", "abcd");
	put("tuned.cnf", "[mysqld]\n");
	struct mm_matrix *matrix = load_text(key_matrix);
	struct mm_store store = { .work = work, .jobs = 1, .policy = &matrix->build, .matrix = matrix };
	store.cache = mm_build_cache_new();
	key_of(&store, same[0], key);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		key_of(&store, same[i], other);
		if (strcmp(key, other) != 0)
			fail_msg("'%s' has another key than '%s'", same[i], same[0]);
	}
	for (size_t i = 0; i < DIFFERENT; i++) {
		key_of(&store, different[i], seen[i]);
		if (strcmp(key, seen[i]) == 0)
			fail_msg("'%s' has the key of '%s'", different[i], same[0]);
		for (size_t j = 0; j < i; j++)
			if (strcmp(seen[i], seen[j]) == 0)
				fail_msg("'%s' has the key of '%s'", different[i], different[j]);
	}
	mm_build_cache_free(store.cache);
	mm_matrix_free(matrix);
}

/* Cells that share a build have option files of their own, named by what is in them. */
static void test_option_files(void **state)
{
	struct mm_build plain, tuned, changed;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	put("a.tar.gz", "abc");
	put("tuned.cnf", "[mysqld]\n");
	struct mm_matrix *matrix = load_text(key_matrix);
	struct mm_store store = { .work = work, .jobs = 1, .policy = &matrix->build, .matrix = matrix };
	store.cache = mm_build_cache_new();
	const struct mm_cell *with = mm_matrix_cell(matrix, "s/gcc/native/f/tuned");
	assert_int_equal(mm_build_prepare(&store, mm_matrix_cell(matrix, "s/gcc/native/f"), &plain, &err), 0);
	assert_int_equal(mm_build_prepare(&store, with, &tuned, &err), 0);
	put("tuned.cnf", "[mysqld]\nx\n");
	assert_int_equal(mm_build_prepare(&store, with, &changed, &err), 0);
	assert_string_equal(plain.prefix, tuned.prefix);
	assert_string_not_equal(plain.my_cnf, tuned.my_cnf);
	assert_string_not_equal(tuned.my_cnf, changed.my_cnf);
	mm_build_release(&plain);
	mm_build_release(&tuned);
	mm_build_release(&changed);
	mm_build_cache_free(store.cache);
	mm_matrix_free(matrix);
}

/* Only an intact record of this very place is believed. */
static void test_records(void **state)
{
	static const char *const records[] = {
		"",
		"{",
		"[]",
		"{}",
		"{ \"mymatrix_build\": 1, \"key\": \"%s\", \"state\": \"done\" }",
		"{ \"mymatrix_build\": 1, \"key\": \"%s\", \"state\": \"done\", \"prefix\": \"%s\", \"variant\": "
		"\"mariadb\", "
		"\"version\": \"1\", \"server\": \"/nonexistent\", \"basedir\": \"/\" }",
		"{ \"mymatrix_build\": 1, \"key\": \"%s\", \"state\": \"failed\", \"prefix\": \"%s\" }",
		"{ \"mymatrix_build\": 2, \"key\": \"%s\", \"state\": \"failed\", \"prefix\": \"%s\", "
		"\"failed_stage\": \"x\", "
		"\"failure\": \"y\" }",
	};
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	put("a.tar.gz", "abc");
	struct mm_matrix *matrix = load(source, flags, "");
	struct mm_build_cache *cache = mm_build_cache_new();
	assert_int_equal(prepare(matrix, cache, &build, &err), 0);
	assert_int_equal(build.state, MM_BUILD_ABSENT);
	assert_int_equal(mm_fs_mkdirs(build.folder, 0755, &err), 0);
	char *path = mm_path_join(build.folder, "build.json"), *prefix = mm_strdup(build.prefix);
	char key[MM_BUILD_KEY];
	memcpy(key, build.key, sizeof key);
	mm_build_release(&build);
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct mm_buffer text = MM_BUFFER_INIT;
		const char *const values[] = { key, prefix };
		size_t value = 0;
		for (const char *at = records[i]; *at; at++) {
			if (at[0] == '%' && at[1] == 's') {
				mm_buffer_puts(&text, values[value++]);
				at++;
			} else {
				mm_buffer_putc(&text, *at);
			}
		}
		assert_int_equal(mm_fs_write_atomic(path, mm_buffer_text(&text), text.length, &err), 0);
		if (prepare(matrix, cache, &build, &err))
			fail_msg("%s", err.text);
		if (build.state != MM_BUILD_ABSENT)
			fail_msg("believed: %s", mm_buffer_text(&text));
		mm_build_release(&build);
		mm_buffer_release(&text);
	}
	mm_build_cache_free(cache);
	mm_matrix_free(matrix);
	free(prefix);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_inputs),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_option_files),
		cmocka_unit_test(test_records),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
