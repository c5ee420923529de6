/* Which trees get which profiles, and what these come to on command lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/cmake.h"
#include "builders/profile.h"

static const struct {
	struct mm_tree tree;
	int bits;
	const char *target;
	const char *profiles; /* with one space between them */
} cases[] = {
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MARIADB, .version = { 10, 11, 18 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mariadb-server" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MARIADB, .version = { 10, 5, 0 } },
	  32,
	  "x86_64-linux-gnu",
	  "cmake mariadb-server" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MARIADB, .version = { 10, 4, 34 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mariadb-mysqld mariadb-no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MARIADB, .version = { 5, 5, 30 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mariadb-mysqld old-c++ no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 5, 5, 41 }, .facts = MM_TREE_PARSER },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-5.5 old-c++ no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 5, 5, 8 }, .facts = MM_TREE_OLD_GRAMMAR },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-5.5 old-c++ no-strict-aliasing old-grammar" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_PERCONA, .version = { 5, 6, 51 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-5.5 percona old-c++ no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 5, 7, 9 }, .facts = MM_TREE_BOOST },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-5.7 bundled-ssl own-boost old-c++ no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 5, 7, 44 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-5.7 old-c++ no-strict-aliasing" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 8, 0, 39 } },
	  64,
	  "x86_64-linux-gnu",
	  "cmake mysql-8" },
	{ { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MYSQL, .version = { 9, 7, 2 } },
	  0,
	  "aarch64-linux-gnu",
	  "cmake mysql-8" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS,
	    .version = { 5, 0, 15 },
	    .facts = MM_TREE_CONFIGURE | MM_TREE_OLD_AUTOCONF | MM_TREE_GRAMMAR | MM_TREE_PARSER },
	  64,
	  "x86_64-linux-gnu",
	  "autotools-5.0 old-c++ no-strict-aliasing werror-probes" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS,
	    .version = { 5, 0, 96 },
	    .facts = MM_TREE_CONFIGURE | MM_TREE_GRAMMAR | MM_TREE_PARSER },
	  32,
	  "x86_64-linux-gnu",
	  "autotools-5.0 old-c++ no-strict-aliasing no-static-nss large-files build-i686" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS,
	    .version = { 5, 0, 15 },
	    .facts = MM_TREE_CONFIGURE | MM_TREE_GRAMMAR | MM_TREE_PARSER },
	  0,
	  "i686-linux-gnu",
	  "autotools-5.0 old-c++ no-strict-aliasing large-files" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS,
	    .version = { 5, 1, 38 },
	    .facts = MM_TREE_CONFIGURE | MM_TREE_GRAMMAR | MM_TREE_OLD_GRAMMAR },
	  64,
	  "x86_64-linux-gnu",
	  "autotools-5.1 old-c++ no-strict-aliasing old-grammar generate-parser no-abi-check" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS, .version = { 5, 0, 15 }, .facts = MM_TREE_GRAMMAR | MM_TREE_OLD_GRAMMAR },
	  64,
	  "x86_64-linux-gnu",
	  "autotools-5.0 old-c++ no-strict-aliasing old-grammar generate-parser generate-configure generate-innobase" },
	{ { .builder = MM_SYSTEM_AUTOTOOLS, .version = { 4, 1, 22 }, .facts = MM_TREE_CONFIGURE | MM_TREE_OLD_AUTOCONF },
	  64,
	  "x86_64-linux-gnu",
	  "autotools-4 old-c++ no-strict-aliasing record-behind-its-end werror-probes" },
};

/* Only clang leaves the atomics of a 32-bit build to a library. */
static void test_families(void **state)
{
	const struct mm_tree tree = { .builder = MM_SYSTEM_CMAKE, .variant = MM_VARIANT_MARIADB, .version = { 10, 11, 18 } };
	struct mm_profile_question question = { .tree = &tree, .target = "x86_64-linux-gnu" };
	(void)state;
	for (question.bits = 32; question.bits <= 64; question.bits += 32) {
		for (question.family = MM_FAMILY_GCC; question.family <= MM_FAMILY_CLANG; question.family++) {
			struct mm_error err = MM_ERROR_INIT;
			struct mm_recipe recipe;
			bool wanted = question.bits == 32 && question.family == MM_FAMILY_CLANG;
			assert_int_equal(mm_recipe_make(&question, &recipe, &err), 0);
			assert_int_equal(mm_strings_contain(&recipe.profiles, "clang-32-atomics"), wanted);
			assert_int_equal(mm_strings_contain(&recipe.options, "-DCMAKE_CXX_STANDARD_LIBRARIES=-latomic"),
					 wanted);
			mm_recipe_release(&recipe);
		}
	}
}

static struct mm_profile_question question_of(size_t i)
{
	return (struct mm_profile_question){ .tree = &cases[i].tree, .bits = cases[i].bits, .target = cases[i].target };
}

static void test_selection(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_recipe recipe;
		const struct mm_profile_question question = question_of(i);
		if (mm_recipe_make(&question, &recipe, &err))
			fail_msg("%s: %s", cases[i].profiles, err.text);
		char *names = mm_strings_join(&recipe.profiles, " ");
		assert_string_equal(names, cases[i].profiles);
		assert_true(recipe.targets.count > 0);
		free(names);
		mm_recipe_release(&recipe);
	}
}

/* -m32 without a 64-bit off_t works, and stops at 2 GiB a day later. */
static void test_large_files(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_tree tree = { .builder = MM_SYSTEM_AUTOTOOLS, .version = { 5, 1, 38 } };
	(void)state;
	for (int bits = 32; bits <= 64; bits += 32) {
		struct mm_recipe recipe;
		const struct mm_profile_question question = { .tree = &tree, .bits = bits, .target = "x86_64-linux-gnu" };
		assert_int_equal(mm_recipe_make(&question, &recipe, &err), 0);
		assert_int_equal(mm_strings_contain(&recipe.cpp, "-D_FILE_OFFSET_BITS=64"), bits == 32);
		assert_int_equal(mm_strings_contain(&recipe.options, "--build=i686-pc-linux-gnu"), bits == 32);
		mm_recipe_release(&recipe);
	}
}

static void test_refusal(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_recipe recipe;
	const struct mm_tree tree = { .builder = MM_SYSTEM_CMAKE, .version = { 9, 7, 2 } };
	struct mm_profile_question question = { .tree = &tree, .bits = 32, .target = "x86_64-linux-gnu" };
	struct mm_strings wanted = MM_STRINGS_INIT;
	(void)state;
	assert_int_equal(mm_recipe_make(&question, &recipe, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "not supported at 32 bits"));
	mm_recipe_release(&recipe);
	/* who names profiles knows what he does, and still is told when he names this one */
	mm_error_clear(&err);
	mm_strings_push(&wanted, "mysql-8");
	mm_strings_push(&wanted, "cmake");
	mm_strings_push(&wanted, "32-bit-mysql-8");
	question.wanted = &wanted;
	assert_int_equal(mm_recipe_make(&question, &recipe, &err), 0);
	char *names = mm_strings_join(&recipe.profiles, " ");
	assert_string_equal(names, "cmake mysql-8 32-bit-mysql-8");
	assert_int_equal(recipe.warnings.count, 1);
	free(names);
	mm_recipe_release(&recipe);
	mm_strings_release(&wanted);
	/* none at all is a choice, too */
	assert_int_equal(mm_recipe_make(&question, &recipe, &err), 0);
	assert_int_equal(recipe.profiles.count, 0);
	assert_null(recipe.steps);
	mm_recipe_release(&recipe);
}

static void test_unknown_names(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_recipe recipe;
	const struct mm_tree tree = { .builder = MM_SYSTEM_AUTOTOOLS, .version = { 5, 0, 15 } };
	struct mm_strings wanted = MM_STRINGS_INIT;
	const struct mm_profile_question question = { .tree = &tree, .bits = 64, .target = "", .wanted = &wanted };
	(void)state;
	assert_int_equal(mm_profiles_check(&wanted, &err), 0);
	mm_strings_push(&wanted, "old-gramar");
	assert_int_equal(mm_profiles_check(&wanted, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "did you mean 'old-grammar'?"));
	mm_error_clear(&err);
	mm_strings_release(&wanted);
	mm_strings_push(&wanted, "mysql-8");
	assert_int_equal(mm_profiles_check(&wanted, &err), 0);
	assert_int_equal(mm_recipe_make(&question, &recipe, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "autotools-5.0"));
	mm_recipe_release(&recipe);
	mm_strings_release(&wanted);
}

static void check_table(const struct mm_profile *table, const char *page)
{
	for (size_t i = 0; table[i].name; i++) {
		char *row = mm_format("\n| `%s` |", table[i].name);
		if (!strstr(page, row))
			fail_msg("docs/VARIANTS.md does not say what '%s' is", table[i].name);
		free(row);
		assert_true(table[i].why && *table[i].why);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(table[i].name, table[j].name);
		for (const struct mm_edit *edit = table[i].edits; edit && edit->file; edit++) {
			assert_true(*edit->find);
			assert_true(edit->file[0] != '/' && !strstr(edit->file, ".."));
		}
	}
}

static void test_tables(void **state)
{
	struct mm_buffer page = MM_BUFFER_INIT;
	(void)state;
	assert_int_equal(mm_fs_read(MM_SOURCE_FOLDER "/docs/VARIANTS.md", 0, &page, NULL), 0);
	check_table(mm_profiles_cmake, mm_buffer_text(&page));
	check_table(mm_profiles_autotools, mm_buffer_text(&page));
	mm_buffer_release(&page);
}

/* What both generators of CMake print for "help". */
static void test_target_lists(void **state)
{
	static const char ninja[] = "[1/1] All primary targets available:\nedit_cache: phony\nmysqld: phony\n"
				    "sql/mysqld: phony\nlibmysql.a: phony\n";
	static const char make[] = "The following are some of the valid targets for this Makefile:\n... all (the default)\n"
				   "... clean\n... mysqld\n... mysqlduff\n";
	(void)state;
	assert_true(mm_cmake_lists_target(ninja, "mysqld") && mm_cmake_lists_target(make, "mysqld"));
	assert_true(mm_cmake_lists_target(make, "all"));
	assert_false(mm_cmake_lists_target(ninja, "mysql") || mm_cmake_lists_target(make, "mysql"));
	assert_false(mm_cmake_lists_target(ninja, "libmysql") || mm_cmake_lists_target("", "mysqld"));
}

static void test_items(void **state)
{
	bool optional;
	(void)state;
	char *name = mm_profile_item("zlib?", &optional);
	assert_string_equal(name, "zlib");
	assert_true(optional);
	free(name);
	name = mm_profile_item("sql", &optional);
	assert_string_equal(name, "sql");
	assert_false(optional);
	free(name);
}

static void digest_of(const struct mm_profile *row, char hex[MM_SHA256_HEX])
{
	struct mm_hash *hash = mm_hash_new();
	mm_profile_hash(hash, row);
	mm_hash_finish(hash, hex);
}

/* Whatever a row does is in its digest; its reasons are not. */
static void test_digest(void **state)
{
	static const char *const words[] = { "a", NULL };
	static const struct mm_install_step steps[] = { { "a", "b" }, { NULL, NULL } };
	static const struct mm_edit edits[] = { { .file = "f", .find = "a", .replace = "b" }, { .file = NULL } },
				    optional[] = { { "f", "a", "b", true }, { .file = NULL } };
	static const struct mm_generation generations[] = { { "a", words }, { NULL, NULL } };
	const struct mm_profile base = { .name = "x" };
	const struct mm_profile others[] = {
		{ .name = "y" },
		{ .name = "x", .fit.system = MM_SYSTEM_AUTOTOOLS },
		{ .name = "x", .fit.variants = 1 },
		{ .name = "x", .fit.from = 1 },
		{ .name = "x", .fit.below = 1 },
		{ .name = "x", .fit.has = 1 },
		{ .name = "x", .fit.lacks = 1 },
		{ .name = "x", .fit.bits = 32 },
		{ .name = "x", .fit.target = "i686" },
		{ .name = "x", .fit.families = 1 },
		{ .name = "x", .options = words },
		{ .name = "x", .env = words },
		{ .name = "x", .cpp = "a" },
		{ .name = "x", .c = "a" },
		{ .name = "x", .cxx = "a" },
		{ .name = "x", .make = words },
		{ .name = "x", .targets = words },
		{ .name = "x", .installs = words },
		{ .name = "x", .steps = steps },
		{ .name = "x", .helpers = words },
		{ .name = "x", .libraries = "a" },
		{ .name = "x", .generations = generations },
		{ .name = "x", .edits = edits },
		{ .name = "x", .edits = optional },
		{ .name = "x", .out_of_tree = true },
		{ .name = "x", .refusal = "a" },
	};
	enum { COUNT = sizeof others / sizeof *others };
	char seen[COUNT + 1][MM_SHA256_HEX], again[MM_SHA256_HEX];
	(void)state;
	digest_of(&base, seen[COUNT]);
	for (size_t i = 0; i < COUNT; i++) {
		digest_of(&others[i], seen[i]);
		for (size_t j = 0; j <= COUNT; j++)
			if ((j < i || j == COUNT) && strcmp(seen[i], seen[j]) == 0)
				fail_msg("rows %zu and %zu have one digest", i, j);
	}
	digest_of(&(struct mm_profile){ .name = "x", .why = "because", .warning = "beware" }, again);
	assert_string_equal(again, seen[COUNT]);
	mm_profiles_digest(seen[0]);
	mm_profiles_digest(again);
	assert_string_equal(again, seen[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_families),     cmocka_unit_test(test_large_files),
		cmocka_unit_test(test_refusal),       cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_tables),        cmocka_unit_test(test_target_lists),
		cmocka_unit_test(test_items),        cmocka_unit_test(test_digest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
