/* base/: buffers, paths, files, trees, hashes, JSON positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/memory.h"

static char scratch[64];

static int make_scratch(void **state)
{
	(void)state;
	(void)snprintf(scratch, sizeof scratch, "/tmp/mymatrix-base.XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int drop_scratch(void **state)
{
	(void)state;
	return mm_fs_remove_tree(scratch, NULL);
}

static void test_paths(void **state)
{
	(void)state;
	static const struct {
		const char *folder, *path, *wanted;
	} cases[] = {
		{ "/a/b", "c", "/a/b/c" },   { "/a/b", "../c", "/a/c" }, { "/a", "../../c", "/c" },
		{ "/a/", "./b//c/", "/a/b/c" }, { "/a", "/x/../y", "/y" }, { "/", "..", "/" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *path = mm_path_absolute(cases[i].folder, cases[i].path);
		assert_string_equal(path, cases[i].wanted);
		free(path);
	}
}

static void test_first_error_wins(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_error_set(&err, MM_ECELL, "first\nline"), MM_ECELL);
	(void)mm_error_set(&err, MM_EENV, "second");
	(void)mm_error_prefix(&err, "cell '%s'", "a");
	assert_string_equal(err.text, "cell 'a': first line");
	assert_int_equal(err.code, MM_ECELL);
	assert_int_equal(mm_error_status(err.code), 3);
}

static void test_hash(void **state)
{
	(void)state;
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add(hash, "abc", 3);
	mm_hash_finish(hash, hex);
	/* FIPS 180-4, example of a one-block message */
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void test_write_is_whole_or_not(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_path_join(scratch, "file.json");
	assert_int_equal(mm_fs_write_atomic(path, "one", 3, &err), 0);
	assert_int_equal(mm_fs_write_atomic(path, "two", 3, &err), 0);
	assert_int_equal(mm_fs_read(path, 0, &text, &err), 0);
	assert_string_equal(text.data, "two");
	mm_buffer_reset(&text);
	assert_int_equal(mm_fs_read(path, 2, &text, &err), MM_EENV);
	mm_error_clear(&err);
	assert_int_equal(mm_fs_write_atomic("/dev/full/x", "one", 3, &err), MM_EENV);
	mm_buffer_release(&text);
	free(path);
}

/* As an ordinary user, also where root runs the tests. */
static void become(uid_t user)
{
	assert_int_equal(seteuid(user), 0);
}

/* What is wrong with a file that a user named is a wrong input; it is not waited for. */
static void test_inputs(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer out = MM_BUFFER_INIT;
	uid_t before = geteuid();
	char *file = mm_path_join(scratch, "input"), *fifo = mm_path_join(scratch, "input-fifo");
	(void)state;
	assert_int_equal(mm_fs_write_atomic(file, "text", 4, &err), 0);
	assert_int_equal(mm_fs_read_input(file, 0, &out, &err), 0);
	assert_string_equal(out.data, "text");
	assert_int_equal(mkfifo(fifo, 0644), 0);
	assert_int_equal(mm_fs_read_input(fifo, 0, &out, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "is a fifo"));
	mm_error_clear(&err);
	assert_int_equal(mm_fs_read_input(scratch, 0, &out, &err), MM_EMATRIX);
	mm_error_clear(&err);
	assert_int_equal(mm_fs_read_input("/dev/zero", 0, &out, &err), MM_EMATRIX);
	mm_error_clear(&err);
	assert_int_equal(mm_fs_read_input(file, 3, &out, &err), MM_EMATRIX);
	mm_error_clear(&err);
	assert_int_equal(chmod(scratch, 0711), 0);
	assert_int_equal(chmod(file, 0), 0);
	if (before == 0)
		become(65534);
	assert_int_equal(mm_fs_read_input(file, 0, &out, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "Permission denied"));
	if (before == 0)
		become(0);
	mm_buffer_release(&out);
	free(file);
	free(fifo);
}

/* What lies in a folder of ours is a file, or an error; it is not waited for either. */
static void test_files_of_ours(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer out = MM_BUFFER_INIT;
	char *fifo = mm_path_join(scratch, "own-fifo");
	const char *const others[][2] = { { fifo, "is a fifo" }, { scratch, "is a folder" }, { "/dev/zero", "is a device" } };
	int fd;
	(void)state;
	assert_int_equal(mkfifo(fifo, 0644), 0);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(mm_fs_read(others[i][0], 0, &out, &err), MM_EENV);
		assert_non_null(strstr(err.text, others[i][1]));
		mm_error_clear(&err);
		assert_int_equal(mm_fs_open(others[i][0], &fd, NULL), MM_EENV);
		assert_int_equal(fd, -1);
		assert_null(mm_json_load(others[i][0], &err));
		mm_error_clear(&err);
	}
	assert_int_equal(out.length, 0);
	mm_buffer_release(&out);
	free(fifo);
}

/* Where there is no first column, there is a first line. */
static void test_no_json(void **state)
{
	static const char *const texts[][2] = { { "", ":1:1: not JSON" },
						{ "\xff", ":1:1: not JSON" },
						{ "{\n\"a\": \"\\u0000\"}", ":2:13: not JSON: a string holds" } };
	char *path = mm_path_join(scratch, "no.json");
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct mm_error err = MM_ERROR_INIT;
		assert_int_equal(mm_fs_write_atomic(path, texts[i][0], strlen(texts[i][0]), NULL), 0);
		assert_null(mm_json_load(path, &err));
		if (!strstr(err.text, texts[i][1]))
			fail_msg("'%s'", err.text);
	}
	free(path);
}

static void keep(void *context, const void *bytes, size_t length)
{
	mm_buffer_append(context, bytes, length);
}

static void test_a_buffer_drains(void **state)
{
	(void)state;
	struct mm_buffer whole = MM_BUFFER_INIT, wanted = MM_BUFFER_INIT, buffer = MM_BUFFER_INIT;
	buffer.drain = keep;
	buffer.context = &whole;
	for (int i = 0; i < 400000; i++) {
		mm_buffer_printf(&buffer, "line %d\n", i);
		mm_buffer_printf(&wanted, "line %d\n", i);
	}
	assert_true(buffer.capacity < 4 << 20);
	assert_true(whole.length > 0);
	keep(&whole, mm_buffer_text(&buffer), buffer.length);
	assert_string_equal(whole.data, wanted.data);
	mm_buffer_release(&whole);
	mm_buffer_release(&wanted);
	mm_buffer_release(&buffer);
}

static int collect(void *context, const char *path, const char *relative)
{
	(void)path;
	mm_strings_push(context, relative);
	return 0;
}

static void test_trees(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	char *from = mm_path_join(scratch, "from"), *to = mm_path_join(scratch, "to");
	char *deep = mm_path_join(from, "b/c"), *file = mm_path_join(deep, "x"), *link = mm_path_join(from, "a");
	assert_int_equal(mm_fs_mkdirs(deep, 0755, &err), 0);
	assert_int_equal(mm_fs_write_atomic(file, "content", 7, &err), 0);
	assert_int_equal(chmod(file, 0750), 0);
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(mm_fs_copy_tree(from, to, &err), 0);
	struct mm_strings names = MM_STRINGS_INIT;
	assert_int_equal(mm_fs_walk(to, collect, &names, &err), 0);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "b/c/x");
	char *copy = mm_path_join(to, "b/c/x");
	struct stat st;
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	assert_true(mm_fs_tree_bytes(to) > 0);
	assert_int_equal(mm_fs_copy_tree(from, to, &err), MM_EENV); /* never over something */
	assert_int_equal(mm_fs_remove_tree(to, NULL), 0);
	assert_false(mm_fs_exists(to));
	assert_true(mm_fs_exists("/etc/passwd"));
	assert_int_equal(mm_fs_remove_tree(to, NULL), 0);
	mm_strings_release(&names);
	free(from), free(to), free(deep), free(file), free(link), free(copy);
}

static void test_real_path(void **state)
{
	(void)state;
	char *top = mm_path_real(scratch), *real = mm_path_join(top, "real"), *link = mm_path_join(top, "way"),
	     *lost = mm_path_join(top, "nowhere");
	static const char *const cases[][2] = { { "way", "real" }, { "way/new/deep", "real/new/deep" }, { "real/../way", "real" },
						{ "nowhere", "nowhere" }, { "nowhere/x", "nowhere/x" } };
	assert_int_equal(mm_fs_mkdirs(real, 0755, NULL), 0);
	assert_int_equal(symlink("real", link), 0);
	assert_int_equal(symlink("/nonexistent/place", lost), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *path = mm_path_join(top, cases[i][0]), *wanted = mm_path_join(top, cases[i][1]), *got = mm_path_real(path);
		assert_string_equal(got, wanted);
		free(path), free(wanted), free(got);
	}
	char *root = mm_path_real("/"), *none = mm_path_real("/nonexistent/x");
	assert_string_equal(root, "/");
	assert_string_equal(none, "/nonexistent/x");
	free(root), free(none), free(top), free(real), free(link), free(lost);
}

/* Whatever else has a folder's name is no folder: a file, a link to nowhere. */
static void test_folders(void **state)
{
	(void)state;
	char *top = mm_path_join(scratch, "folders"), *file = mm_path_join(top, "file"), *lost = mm_path_join(top, "lost"),
	     *link = mm_path_join(top, "link");
	const char *const no[] = { "file", "file/below", "lost", "lost/below" }, *const yes[] = { "link", "link/below", "a/b/c", "." };
	assert_int_equal(mm_fs_mkdirs(top, 0755, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(file, "", 0, NULL), 0);
	assert_int_equal(symlink("/nonexistent/place", lost), 0);
	assert_int_equal(symlink(scratch, link), 0);
	for (size_t i = 0; i < 4; i++) {
		struct mm_error err = MM_ERROR_INIT;
		char *bad = mm_path_join(top, no[i]), *good = mm_path_join(top, yes[i]);
		assert_int_equal(mm_fs_mkdirs(bad, 0755, &err), MM_EENV);
		assert_non_null(strstr(err.text, "cannot make folder '"));
		assert_false(mm_fs_is_folder(bad));
		assert_int_equal(mm_fs_mkdirs(good, 0755, NULL), 0);
		assert_true(mm_fs_is_folder(good));
		free(bad), free(good);
	}
	free(top), free(file), free(lost), free(link);
}

/* What MANIFEST says of the tree below the scratch folder, against NAME: the first file that differs, NULL for none. */
static void assert_differs(const char *root, const char *manifest, bool exact, const char *name)
{
	char *differs = mm_manifest_differs(root, manifest, exact);
	if (name)
		assert_string_equal(differs, name);
	else
		assert_null(differs);
	free(differs);
}

static void test_manifest(void **state)
{
	(void)state;
	struct mm_buffer text = MM_BUFFER_INIT;
	char *root = mm_path_join(scratch, "vouched"), *folder = mm_path_join(root, "a b"), *file = mm_path_join(folder, "c"),
	     *other = mm_path_join(root, "d"), *odd = mm_path_join(root, "e\nf");
	assert_int_equal(mm_fs_mkdirs(folder, 0755, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(file, "12", 2, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(other, "", 0, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(odd, "", 0, NULL), 0);
	assert_int_equal(mm_manifest_take(root, other, true, &text, NULL), 0);
	assert_null(strstr(mm_buffer_text(&text), "d\n"));
	assert_differs(root, mm_buffer_text(&text), false, NULL);
	assert_differs(root, mm_buffer_text(&text), true, "a file that came in addition");
	assert_int_equal(unlink(other), 0); /* it was left out */
	assert_differs(root, mm_buffer_text(&text), true, NULL);
	assert_int_equal(chmod(file, 0600), 0);
	assert_differs(root, mm_buffer_text(&text), false, "a b/c");
	assert_int_equal(chmod(file, 0644), 0);
	assert_differs(root, mm_buffer_text(&text), false, NULL);
	assert_int_equal(mm_fs_write_atomic(file, "34", 2, NULL), 0);
	assert_differs(root, mm_buffer_text(&text), false, "a b/c");
	mm_buffer_reset(&text); /* without its time */
	assert_int_equal(mm_manifest_take(root, NULL, false, &text, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(file, "56", 2, NULL), 0);
	assert_differs(root, mm_buffer_text(&text), true, NULL);
	assert_int_equal(mm_fs_write_atomic(file, "3", 1, NULL), 0);
	assert_differs(root, mm_buffer_text(&text), false, "a b/c");
	assert_int_equal(mm_fs_remove_tree(folder, NULL), 0);
	assert_differs(root, mm_buffer_text(&text), false, "a b/c");
	/* a list that was cut short or is none vouches for nothing in the line that is damaged */
	static const char *const damaged[] = { "0", "0 ", "0 1", "x", " ", "\n", "0 1 ", "0 644 0", "0 644 0 ", "99999999999999999999 644 1 e" };
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		char *differs = mm_manifest_differs(root, damaged[i], false);
		assert_non_null(differs);
		free(differs);
	}
	free(root), free(folder), free(file), free(other), free(odd);
	mm_buffer_release(&text);
}

static void test_json_positions(void **state)
{
	(void)state;
	static const char text[] = "{\n  \"a\": [1, {\"b.c\": \"}\\\"\"}],\n  \"é\": {\"z\": null}, \"d\": 2\n}\n";
	static const struct {
		const char *path;
		int key, line, column;
	} cases[] = {
		{ "$", 0, 1, 1 },	     { "$.a", 0, 2, 8 },	  { "$.a", 1, 2, 3 },
		{ "$.a[1]", 0, 2, 12 },    { "$.a[1][\"b.c\"]", 0, 2, 20 }, { "$[\"é\"].z", 0, 3, 14 },
		{ "$.d", 0, 3, 26 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int line = 0, column = 0;
		assert_true(mm_json_locate(text, cases[i].path, cases[i].key, &line, &column));
		assert_int_equal(line, cases[i].line);
		assert_int_equal(column, cases[i].column);
	}
	int line, column;
	assert_false(mm_json_locate(text, "$.a[2]", false, &line, &column));
	assert_false(mm_json_locate(text, "$.nope", false, &line, &column));
	char *path = mm_json_path_key("$.sources", "a.b");
	assert_string_equal(path, "$.sources[\"a.b\"]");
	free(path);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_first_error_wins),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_write_is_whole_or_not),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_files_of_ours),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_a_buffer_drains),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_real_path),
		cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_json_positions),
	};
	return cmocka_run_group_tests(tests, make_scratch, drop_scratch);
}
