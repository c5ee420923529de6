/* Source trees say what they are by their own files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/digest.h"
#include "builders/source.h"
#include "folder-fixture.h"

static void put(const char *name, const char *content)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	assert_int_equal(mm_fs_mkdirs(parent, 0755, &err), 0);
	assert_int_equal(mm_fs_write_atomic(path, content, strlen(content), &err), 0);
	free(parent);
	free(path);
}

struct file {
	const char *name, *content;
};

static const struct {
	struct file files[3];
	enum mm_build_system builder;
	enum mm_variant variant;
	const char *version;
} trees[] = {
	{ { { "CMakeLists.txt", "" },
	    { "VERSION",
	      "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=18\nSERVER_MATURITY=stable\n" } },
	  MM_SYSTEM_CMAKE,
	  MM_VARIANT_MARIADB,
	  "10.11.18" },
	{ { { "CMakeLists.txt", "" },
	    { "VERSION",
	      "MYSQL_VERSION_MAJOR=5\nMYSQL_VERSION_MINOR=5\nMYSQL_VERSION_PATCH=30\nMYSQL_VERSION_EXTRA=\n" },
	    { "storage/maria/CMakeLists.txt", "" } },
	  MM_SYSTEM_CMAKE,
	  MM_VARIANT_MARIADB,
	  "5.5.30" },
	{ { { "CMakeLists.txt", "" },
	    { "MYSQL_VERSION",
	      "MYSQL_VERSION_MAJOR=8\nMYSQL_VERSION_MINOR=4\nMYSQL_VERSION_PATCH=6\nMYSQL_VERSION_EXTRA=\n"
	      "MYSQL_VERSION_STABILITY=\"LTS\"\n" } },
	  MM_SYSTEM_CMAKE,
	  MM_VARIANT_MYSQL,
	  "8.4.6" },
	{ { { "CMakeLists.txt", "" },
	    { "VERSION", "# comment\r\nMYSQL_VERSION_MAJOR=5\r\nMYSQL_VERSION_MINOR=6\r\nMYSQL_VERSION_PATCH=21\r\n"
			 "MYSQL_VERSION_EXTRA=-name\r\n" } },
	  MM_SYSTEM_CMAKE,
	  MM_VARIANT_MYSQL,
	  "5.6.21-name" },
	{ { { "CMakeLists.txt", "" },
	    { "VERSION",
	      "MYSQL_VERSION_MAJOR=5\nMYSQL_VERSION_MINOR=7\nMYSQL_VERSION_PATCH=44\nMYSQL_VERSION_EXTRA=-48\n" },
	    { "build-ps/README", "" } },
	  MM_SYSTEM_CMAKE,
	  MM_VARIANT_PERCONA,
	  "5.7.44-48" },
	{ { { "configure.in", "dnl x\nAM_INIT_AUTOMAKE(mysql, 5.0.45)\nAM_CONFIG_HEADER(config.h)\n" } },
	  MM_SYSTEM_AUTOTOOLS,
	  MM_VARIANT_MYSQL,
	  "5.0.45" },
	{ { { "configure.in", "AC_INIT([MySQL Server], [5.1.38-beta], [], [mysql])\n" } },
	  MM_SYSTEM_AUTOTOOLS,
	  MM_VARIANT_MYSQL,
	  "5.1.38-beta" },
};

static void test_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_tree tree;
		assert_int_equal(mm_fs_remove_tree(folder, &err), 0);
		for (size_t j = 0; j < 3 && trees[i].files[j].name; j++)
			put(trees[i].files[j].name, trees[i].files[j].content);
		if (mm_source_recognise(folder, &tree, &err))
			fail_msg("%s: %s", trees[i].version, err.text);
		assert_string_equal(tree.text, trees[i].version);
		assert_int_equal(tree.builder, trees[i].builder);
		assert_int_equal(tree.variant, trees[i].variant);
		mm_tree_release(&tree);
	}
}

static void test_unknown_trees(void **state)
{
	static const struct file files[] = {
		{ "README", "MySQL 5.0" },
		{ "VERSION",
		  "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=18\n" }, /* no CMakeLists.txt */
		{ "configure.in", "AC_INIT([PostgreSQL], [15.2])\n" },
		{ "configure.in", "AM_INIT_AUTOMAKE(mysql, 5.x)\n" },
		{ "configure.in", "AM_INIT_AUTOMAKE(mysql, 999999999999.0.1)\n" },
		{ "VERSION/x", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_tree tree;
		assert_int_equal(mm_fs_remove_tree(folder, &err), 0);
		put(files[i].name, files[i].content);
		assert_int_equal(mm_source_recognise(folder, &tree, &err), MM_ECELL);
		assert_non_null(strstr(err.text, "looked for"));
	}
}

/* The digest of a file is remembered, and forgotten when the file changes. */
static void test_digests(void **state)
{
	(void)state;
	struct mm_digests digests = MM_DIGESTS_INIT;
	struct mm_error err = MM_ERROR_INIT;
	char first[MM_SHA256_HEX], second[MM_SHA256_HEX];
	put("tarball", "abc");
	char *path = mm_path_join(folder, "tarball");
	assert_int_equal(mm_digests_file(&digests, folder, path, first, &err), 0);
	assert_string_equal(first, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	mm_digests_release(&digests);
	/* a digest that only the list can hold shows that it is used, across processes */
	char *list = mm_path_join(folder, "sources/digests.json");
	struct mm_buffer text = MM_BUFFER_INIT;
	assert_int_equal(mm_fs_read(list, 0, &text, &err), 0);
	char *at = strstr(text.data, "ba7816bf");
	assert_non_null(at);
	memcpy(at, "00000000", 8);
	assert_int_equal(mm_fs_write_atomic(list, text.data, text.length, &err), 0);
	assert_int_equal(mm_digests_file(&digests, folder, path, second, &err), 0);
	assert_memory_equal(second, "00000000", 8);
	put("tarball", "abcd");
	assert_int_equal(mm_digests_file(&digests, folder, path, second, &err), 0);
	assert_string_equal(second, "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589");
	/* nor is it believed of content that has the size and the time of what was there */
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	put("tarball", "efgh");
	assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[]){ st.st_atim, st.st_mtim }, 0), 0);
	assert_int_equal(mm_digests_file(&digests, folder, path, first, &err), 0);
	assert_string_equal(first, "e5e088a0b66163a0a26a5e053d2a4496dc16ab6e0e3dd1adf2d16aa84a078c9d");
	assert_int_equal(mm_digests_file(&digests, folder, path, second, &err), 0);
	mm_digests_release(&digests);
	/* a damaged list costs time, nothing else */
	assert_int_equal(mm_fs_write_atomic(list, "{", 1, &err), 0);
	assert_int_equal(mm_digests_file(&digests, folder, path, first, &err), 0);
	assert_string_equal(first, second);
	mm_digests_release(&digests);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mm_digests_file(&digests, folder, path, first, &err), MM_EMATRIX);
	mm_digests_release(&digests);
	mm_buffer_release(&text);
	free(list);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_unknown_trees),
		cmocka_unit_test(test_digests),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
