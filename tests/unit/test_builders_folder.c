/* Folders as inputs: what makes their identity, and copies of them. */
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
#include "builders/folder.h"

static char *top, *one, *two;

static void put(const char *folder, const char *name, const char *content)
{
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_mkdirs(parent, 0755, &err) || mm_fs_write_atomic(path, content, strlen(content), &err))
		fail_msg("%s", err.text);
	free(parent);
	free(path);
}

static void put_link(const char *folder, const char *name, const char *target)
{
	char *path = mm_path_join(folder, name);
	(void)unlink(path);
	assert_int_equal(symlink(target, path), 0);
	free(path);
}

static void set_mode(const char *folder, const char *name, mode_t mode)
{
	char *path = mm_path_join(folder, name);
	assert_int_equal(chmod(path, mode), 0);
	free(path);
}

static void fill(const char *folder)
{
	put(folder, "a", "1");
	put(folder, "sub/run", "2");
	set_mode(folder, "sub/run", 0755);
	put_link(folder, "sub/up", "../a");
}

static int setup(void **state)
{
	char name[] = "/tmp/mm-folder-XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(name));
	top = mm_strdup(name);
	one = mm_path_join(top, "one");
	two = mm_path_join(top, "two");
	fill(one);
	fill(two);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(mm_fs_remove_tree(top, NULL), 0);
	free(top);
	free(one);
	free(two);
	return 0;
}

static void digest(const char *path, char hex[MM_SHA256_HEX])
{
	char *skip = mm_path_join(path, ".mymatrix");
	const struct mm_folder folder = { .path = path, .skip = skip };
	struct mm_error err = MM_ERROR_INIT;
	if (mm_folder_digest(&folder, hex, &err))
		fail_msg("%s", err.text);
	free(skip);
}

static bool alike(void)
{
	char a[MM_SHA256_HEX], b[MM_SHA256_HEX];
	digest(one, a);
	digest(two, b);
	return strcmp(a, b) == 0;
}

static void test_identity(void **state)
{
	(void)state;
	assert_true(alike()); /* wherever they are, whenever they were written */
	put(two, ".git/HEAD", "version control's own");
	put(two, ".mymatrix/builds/x", "ours");
	assert_true(alike());
	put(two, "sub/.git", "but not elsewhere");
	assert_false(alike());
	assert_int_equal(mm_fs_remove_tree(two, NULL), 0);
	fill(two);
	set_mode(two, "a", 0600);
	assert_true(alike());
	set_mode(two, "a", 0755);
	assert_false(alike());
	set_mode(two, "a", 0644);
	put(two, "a", "3");
	assert_false(alike());
	put(two, "a", "1");
	put_link(two, "sub/up", "../b");
	assert_false(alike());
	put_link(two, "sub/up", "../a");
	assert_true(alike());
	char *empty = mm_path_join(two, "empty");
	assert_int_equal(mkdir(empty, 0755), 0);
	assert_false(alike());
	assert_int_equal(rmdir(empty), 0);
	char *pipe = mm_path_join(two, "pipe");
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_true(alike());
	free(pipe);
	free(empty);
}

/* Where one name ends and the next begins is part of it. */
static void test_no_confusion(void **state)
{
	(void)state;
	assert_int_equal(mm_fs_remove_tree(one, NULL), 0);
	assert_int_equal(mm_fs_remove_tree(two, NULL), 0);
	put(one, "ab", "c");
	put(two, "a", "bc");
	assert_false(alike());
	assert_int_equal(mm_fs_remove_tree(one, NULL), 0);
	put(one, "a/b", "c");
	put(one, "d", "");
	assert_int_equal(mm_fs_remove_tree(two, NULL), 0);
	put(two, "a/b", "c");
	put(two, "a/d", "");
	assert_false(alike());
}

/* The digest is remembered as long as nothing has been touched, and not when a change could hide. */
static void test_remembered(void **state)
{
	(void)state;
	struct mm_digests digests = MM_DIGESTS_INIT;
	const struct mm_folder folder = { .path = one };
	char first[MM_SHA256_HEX], stamp[MM_SHA256_HEX], other[MM_SHA256_HEX], again[MM_SHA256_HEX];
	struct mm_error err = MM_ERROR_INIT;
	bool settled = true;
	assert_int_equal(mm_folder_stamp(&folder, stamp, &settled, &err), 0);
	assert_false(settled); /* it was written this very moment */
	assert_int_equal(mm_digests_folder(&digests, top, &folder, first, &err), 0);
	assert_null(json_object_get(digests.known, one));
	json_t *known = json_pack("{s:s, s:s}", "stamp", stamp, "sha256",
				  "00000000000000000000000000000000000000000000000000000000000000ff");
	assert_int_equal(json_object_set_new(digests.known, one, known), 0);
	assert_int_equal(mm_digests_folder(&digests, top, &folder, again, &err), 0);
	assert_string_equal(again + 62, "ff"); /* taken from what is remembered */
	put(one, "sub/new", "x");
	assert_int_equal(mm_folder_stamp(&folder, other, &settled, &err), 0);
	assert_string_not_equal(stamp, other);
	assert_int_equal(mm_digests_folder(&digests, top, &folder, again, &err), 0);
	assert_string_not_equal(again + 62, "ff");
	mm_digests_release(&digests);
}

static void test_copy(void **state)
{
	(void)state;
	char *to = mm_path_join(top, "copy"), *run = mm_path_join(to, "sub/run"), *link = mm_path_join(to, "sub/up");
	char *skip = mm_path_join(one, ".mymatrix"), hex[MM_SHA256_HEX], copied[MM_SHA256_HEX], target[64] = "";
	const struct mm_folder folder = { .path = one, .skip = skip };
	struct mm_error err = MM_ERROR_INIT;
	struct stat before, after;
	put(one, ".mymatrix/builds/x", "ours");
	put(one, ".git/HEAD", "x");
	digest(one, hex);
	set_mode(one, "", 0555); /* never written into */
	if (mm_folder_copy(&folder, to, hex, &err))
		fail_msg("%s", err.text);
	set_mode(one, "", 0755);
	digest(to, copied);
	assert_string_equal(hex, copied);
	char *original = mm_path_join(one, "sub/run");
	assert_int_equal(stat(original, &before), 0);
	assert_int_equal(stat(run, &after), 0);
	assert_int_equal(after.st_mode & 0777, 0755);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_true(readlink(link, target, sizeof target - 1) > 0);
	assert_string_equal(target, "../a");
	free(original);
	free(link);
	free(run);
	free(skip);
	free(to);
}

static void assert_not_copied(const struct mm_folder *folder, const char *sha256, const char *said)
{
	char *to = mm_path_join(top, "copy"), *part = mm_path_join(top, "copy.part");
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_folder_copy(folder, to, sha256, &err), MM_ECELL);
	if (!strstr(err.text, said) || !strstr(err.text, one))
		fail_msg("'%s' is not in: %s", said, err.text);
	assert_false(mm_fs_exists(to));
	assert_false(mm_fs_exists(part));
	free(part);
	free(to);
}

static void test_refused_copies(void **state)
{
	(void)state;
	const struct mm_folder folder = { .path = one };
	char hex[MM_SHA256_HEX];
	digest(one, hex);
	put(one, "a", "changed since");
	assert_not_copied(&folder, hex, "it changed while it was copied");
	put(one, "a", "1");
	put_link(one, "out", "../two/a");
	assert_not_copied(&folder, NULL, "link");
	put_link(one, "out", "/etc/passwd");
	assert_not_copied(&folder, NULL, "absolute");
}

/* In a sysroot "/usr" means the sysroot's. */
static void test_package_links(void **state)
{
	(void)state;
	char *to = mm_path_join(top, "copy"), *link = mm_path_join(to, "sub/lib.so"), target[64] = "";
	const struct mm_folder folder = { .path = one, .package = true };
	struct mm_error err = MM_ERROR_INIT;
	put_link(one, "sub/lib.so", "/lib/lib.so.1");
	if (mm_folder_copy(&folder, to, NULL, &err))
		fail_msg("%s", err.text);
	assert_true(readlink(link, target, sizeof target - 1) > 0);
	assert_string_equal(target, "../lib/lib.so.1");
	free(link);
	free(to);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_identity), CASE(test_no_confusion),   CASE(test_remembered),
		CASE(test_copy),     CASE(test_refused_copies), CASE(test_package_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
