/* Patches: which lists are understood, what applies, and what a patch may not do. */
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
#include "base/process.h"
#include "builders/job.h"
#include "builders/patch.h"
#include "builders/series.h"

static char *folder, *tree;
static struct mm_matrix matrix;
static struct mm_store store;
static char id[] = "s/gcc/64/f";
static struct mm_cell cell = { .id = id };
static struct mm_build build;
static struct mm_job job;

static const char ten[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";
/* hunk 2 changes "nine" */
static const char good[] = "--- a/sub/f\n+++ b/sub/f\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
			   "@@ -8,3 +8,3 @@\n eight\n-nine\n+NINE\n ten\n";

static void put(const char *name, const char *content)
{
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_mkdirs(parent, 0755, &err) || mm_fs_write_atomic(path, content, strlen(content), &err))
		fail_msg("%s", err.text);
	free(parent);
	free(path);
}

static int setup(void **state)
{
	(void)state;
	char name[] = "/tmp/mm-patch-XXXXXX";
	assert_non_null(mkdtemp(name));
	folder = mm_strdup(name);
	tree = mm_path_join(folder, "tree");
	put("tree/sub/f", ten);
	put("build/logs/none", "");
	build = (struct mm_build){ .folder = mm_path_join(folder, "build") };
	store = (struct mm_store){ .work = folder, .policy = &matrix.build, .matrix = &matrix };
	job = (struct mm_job){ .store = &store, .cell = &cell, .build = &build };
	mm_process_clean_env(&job.env, folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mm_strings_release(&job.env);
	mm_build_release(&build);
	assert_int_equal(mm_fs_remove_tree(folder, NULL), 0);
	free(tree);
	free(folder);
	return 0;
}

/* Applies the patch (or list) NAME as a stage would. */
static int apply(const char *name, struct mm_error *err)
{
	struct mm_series series = MM_SERIES_INIT;
	char *path = mm_path_join(folder, name);
	mm_error_clear(err);
	int code = mm_series_read(path, &series, err);
	mm_job_begin(&job, "patch");
	for (size_t i = 0; !code && i < series.count; i++)
		code = mm_patch_apply(&job, &series.items[i], tree, err);
	mm_series_release(&series);
	free(path);
	return code;
}

static void assert_applies(const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	if (apply(name, &err))
		fail_msg("%s", err.text);
}

static void assert_refused(const char *name, int code, const char *said)
{
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(apply(name, &err), code);
	if (!strstr(err.text, said))
		fail_msg("'%s' is not in: %s", said, err.text);
}

static void assert_holds(const char *name, const char *content)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_path_join(tree, name);
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_read(path, 0, &text, &err))
		fail_msg("%s", err.text);
	if (content)
		assert_string_equal(mm_buffer_text(&text), content);
	mm_buffer_release(&text);
	free(path);
}

static unsigned files;

static int count(void *context, const char *path, const char *relative)
{
	(void)context;
	(void)path;
	(void)relative;
	files++;
	return 0;
}

/* The tree has N files: no rejects and no copies were left. */
static void assert_files(unsigned n)
{
	struct mm_error err = MM_ERROR_INIT;
	files = 0;
	assert_int_equal(mm_fs_walk(tree, count, NULL, &err), 0);
	assert_int_equal(files, n);
}

static const char patched[] = "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nNINE\nten\n";

static void test_plain(void **state)
{
	(void)state;
	put("p.patch", good);
	assert_applies("p.patch");
	assert_holds("sub/f", patched);
	assert_files(1);
}

static void test_offset(void **state)
{
	(void)state;
	char *moved = mm_format("zero\nzero and a half\n%s", ten),
	     *wanted = mm_format("zero\nzero and a half\n%s", patched);
	put("tree/sub/f", moved);
	put("p.patch", good);
	assert_applies("p.patch");
	assert_holds("sub/f", wanted);
	assert_files(1);
	free(wanted);
	free(moved);
}

/* A line of the context is another one: patch alone would let it through. */
static void test_fuzz(void **state)
{
	(void)state;
	put("tree/sub/f", "one\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\nnine\nten\n");
	put("fuzzy.patch", good);
	assert_refused("fuzzy.patch", MM_ECELL,
		       "patch 'fuzzy.patch' does not apply to 'sub/f': hunk #2 fails at line 8");
	assert_non_null(strstr(build.failure, "hunk #2"));
	assert_null(build.hint);
	assert_files(1);
}

static void test_applied_already(void **state)
{
	(void)state;
	put("tree/sub/f", patched);
	put("p.patch", good);
	assert_refused("p.patch", MM_ECELL, "hunk #1 fails at line 1");
	assert_non_null(strstr(build.hint, "already"));
	assert_holds("sub/f", patched);
}

static void test_second_patch_is_named(void **state)
{
	(void)state;
	put("debian/patches/first", good);
	put("debian/patches/more/second", good);
	put("debian/patches/series", "# a comment\n\nfirst\nmore/second # why\n");
	assert_refused("debian/patches/series", MM_ECELL, "patch 'second' does not apply to 'sub/f': hunk #1");
}

static void test_missing_file(void **state)
{
	(void)state;
	put("p.patch", "--- a/no/such\n+++ b/no/such\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
	assert_refused("p.patch", MM_ECELL, "line 3 it names a file that the tree does not have");
	put("p.patch", "--- a/sub/f\n+++ b/sub/f\n@@ -1,3 +1,3 @@\n one\n-two\n+TW");
	assert_refused("p.patch", MM_ECELL, "patch 'p.patch' is refused: ");
}

static void test_new_and_deleted_files(void **state)
{
	(void)state;
	put("p.patch",
	    "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+fresh\n"
	    "diff --git a/sub/f b/sub/f\ndeleted file mode 100644\n--- a/sub/f\n+++ /dev/null\n@@ -1,10 +0,0 "
	    "@@\n-one\n-two\n-three\n-four\n-five\n-six\n-seven\n-eight\n-nine\n-ten\n");
	assert_applies("p.patch");
	assert_holds("new", "fresh\n");
	assert_files(1);
}

static void test_strip_and_formats(void **state)
{
	(void)state;
	put("q/zero", "--- sub/f\n+++ sub/f\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
	put("q/two", "--- x/y/sub/f\n+++ x/y/sub/f\n@@ -8,3 +8,3 @@\n eight\n-nine\n+NINE\n ten\n");
	put("q/series", "zero -p0\ntwo -p 2\n");
	assert_applies("q"); /* the folder of a series */
	assert_holds("sub/f", patched);
	put("tree/sub/f", ten);
	put("context.patch", "*** a/sub/f\n--- b/sub/f\n***************\n*** 1,3 ****\n  one\n! two\n  three\n--- 1,3 "
			     "----\n  one\n! TWO\n  three\n");
	assert_applies("context.patch");
	assert_holds("sub/f", "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n");
}

static void test_spec_file(void **state)
{
	(void)state;
	put("rpm/server.spec", "Name: server\nSource0: %{name}.tar.gz\nPatch1:\tone.patch\nPatch20: two.patch\n%prep\n"
			       "%patch1 -p1\n");
	put("rpm/one.patch", "--- a/sub/f\n+++ b/sub/f\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
	put("rpm/two.patch", "--- a/sub/f\n+++ b/sub/f\n@@ -8,3 +8,3 @@\n eight\n-nine\n+NINE\n ten\n");
	assert_applies("rpm/server.spec");
	assert_holds("sub/f", patched);
	put("rpm/server.spec", "Patch: %{name}.patch\n");
	assert_refused("rpm/server.spec", MM_EMATRIX, "server.spec:1': '%{name}.patch' holds a macro");
}

static void test_wrong_lists(void **state)
{
	static const struct {
		const char *content, *said;
	} cases[] = {
		{ "", "is no patch and names none" },
		{ "# only a comment\n", "is no patch and names none" },
		{ "missing.patch\n", "series:1': cannot open" },
		{ "\nreal.patch\n../tree/sub/f\n", "series:3' names '../tree/sub/f', which lies outside" },
		{ "/etc/passwd\n", "lies outside" },
		{ "notes.txt\n", "which is no unified or context diff" },
		{ "real.patch -R\n", "'-R' is no option" },
		{ "real.patch -p12\n", "'-p12' is no option" },
		{ "real.patch -p\n", "'-p' is no option" },
	};
	(void)state;
	put("l/real.patch", good);
	put("l/notes.txt", "words\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put("l/series", cases[i].content);
		assert_refused("l/series", MM_EMATRIX, cases[i].said);
	}
	assert_refused("l/nowhere", MM_EMATRIX, "cannot open");
	assert_refused("tree", MM_EMATRIX, "tree/series"); /* a folder without one */
}

#define EVIL "@@ -0,0 +1 @@\n+evil\n"

static void test_hostile(void **state)
{
	static const struct {
		const char *content;
		int code;
		const char *said;
	} cases[] = {
		{ "--- /dev/null\n+++ b/../escaped\n" EVIL, MM_EMATRIX, "p.patch:2' names 'b/../escaped'" },
		{ "--- /dev/null\n+++ b/../../../../../../tmp/mm-escaped\n" EVIL, MM_EMATRIX, "p.patch:2' names" },
		{ "diff --git a/sub/f b/../escaped\nrename from sub/f\nrename to ../escaped\n", MM_EMATRIX,
		  "p.patch:1' names" },
		{ "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp\n\\ No "
		  "newline "
		  "at end of file\n",
		  MM_EMATRIX, "symbolic link" },
		{ "diff --git a/l b/l\nnew file mode 160000\n--- /dev/null\n+++ b/l\n" EVIL, MM_EMATRIX, "submodule" },
		{ "--- a/sub/f\n+++ b/sub/f\n0a\n!touch /tmp/mm-escaped\n.\nw\nq\n", MM_EMATRIX, "nothing to change" },
		{ "diff --git a/sub/f b/sub/f\n--- a/sub/f\n+++ b/sub/f\n1e touch /tmp/mm-escaped\n.\nw\n@@ -1,2 "
		  "+1,2 @@\n-none\n+NONE\n two\n",
		  MM_EMATRIX, "p.patch:2' is the head" },
		{ "diff --git a/b b/b\nGIT binary patch\nliteral 5\nMcmZQzU|<Ri0{{a900000\n\n", MM_EMATRIX,
		  "p.patch:2' is a binary patch (a/b b/b)" },
		{ "*** a/sub/f\n--- b/sub/f\n***************\n--- a/x\n+++ b/x\n" EVIL, MM_EMATRIX, "mixes" },
	};
	(void)state;
	char *escaped = mm_path_join(folder, "escaped");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put("p.patch", cases[i].content);
		assert_refused("p.patch", cases[i].code, cases[i].said);
		assert_false(mm_fs_exists(escaped));
		assert_false(mm_fs_exists("/tmp/mm-escaped"));
		assert_holds("sub/f", ten);
	}
	free(escaped);
}

/* The second file's hunk is mangled: patch itself passes over it in silence, and ends well. */
static void test_half_a_patch(void **state)
{
	(void)state;
	put("tree/g", "a\n");
	put("p.patch", "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n--- a/sub/f\n+++ b/sub/f\n@@ 1 +1 @@\n-one\n+ONE\n");
	assert_refused("p.patch", MM_EMATRIX, "p.patch:6' is the head of a diff");
	assert_holds("g", "a\n");
}

/* What patch applies is as much as was found in the patch: it finds diffs that are set in, too. */
static void test_count(void **state)
{
	(void)state;
	put("tree/g", "a\n");
	put("p.patch", "Applied after:\n  --- a/g\n  +++ b/g\n  @@ -1 +1 @@\n  -a\n  +b\n\n"
		       "--- a/sub/f\n+++ b/sub/f\n@@ -1 +1 @@\n-one\n+ONE\n");
	assert_refused("p.patch", MM_ECELL, "patch 'p.patch' holds 1 hunk, but 2 were applied");
	assert_int_equal(mm_patch_count("|Hunk #1 succeeded at 1.\nHunk #2 succeeded at 2 (offset 3 lines).\n"
					"Hunk #3 FAILED at 4.\n"),
			 1);
}

static void test_absolute_names(void **state)
{
	(void)state;
	put("q/p.patch", "--- /dev/null\n+++ /tmp/mm-escaped\n" EVIL);
	put("q/series", "p.patch -p0\n");
	assert_refused("q/series", MM_ECELL, "patch 'p.patch'");
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
	assert_files(1);
}

/* A tree may have links, within itself; a patch may not go through one that leads out of it. */
static void test_through_a_link(void **state)
{
	(void)state;
	char *link = mm_path_join(tree, "out"), *escaped = mm_path_join(folder, "escaped");
	assert_int_equal(symlink("..", link), 0);
	put("p.patch", "--- /dev/null\n+++ b/out/escaped\n" EVIL);
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(apply("p.patch", &err), MM_ECELL);
	assert_false(mm_fs_exists(escaped));
	free(escaped);
	free(link);
}

static void test_explanations(void **state)
{
	(void)state;
	char *text =
		mm_patch_explain("x", "patching file a\npatching file b c\nHunk #1 succeeded at 3 (offset 2 lines).\n"
				      "Hunk #12 FAILED at 345.\n1 out of 12 hunks FAILED\n");
	assert_string_equal(text, "patch 'x' does not apply to 'b c': hunk #12 fails at line 345");
	free(text);
	text = mm_patch_explain("x", "patch: **** Only garbage was found in the patch input.\n");
	assert_string_equal(text, "patch 'x' is refused: Only garbage was found in the patch input.");
	free(text);
	text = mm_patch_explain(
		"x", "+ export PATH='/bin'\n+ patch --force\nx\nFile f: git binary diffs are not supported.\n");
	assert_string_equal(text, "patch 'x' is refused: File f: git binary diffs are not supported.");
	free(text);
	text = mm_patch_explain("x", "");
	assert_string_equal(text, "patch 'x' does not apply: no message");
	free(text);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_plain),
		CASE(test_offset),
		CASE(test_fuzz),
		CASE(test_applied_already),
		CASE(test_second_patch_is_named),
		CASE(test_missing_file),
		CASE(test_new_and_deleted_files),
		CASE(test_strip_and_formats),
		CASE(test_spec_file),
		CASE(test_wrong_lists),
		CASE(test_hostile),
		CASE(test_half_a_patch),
		CASE(test_count),
		CASE(test_absolute_names),
		CASE(test_through_a_link),
		CASE(test_explanations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
