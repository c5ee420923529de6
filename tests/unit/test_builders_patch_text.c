/* What a patch holds: all that patch would pass over in silence is refused, and what is usual is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builders/patch-text.h"

#define X     "--- a/x\n+++ b/x\n"
#define HUNK  "@@ -1 +1 @@\n-a\n+b\n"
#define HUNK2 "@@ -9 +9 @@\n-c\n+d\n"
#define Y     "--- a/y\n+++ b/y\n"

static int look(const char *text, unsigned strip, struct mm_patch_text *found, struct mm_error *err)
{
	struct mm_buffer buffer = MM_BUFFER_INIT;
	mm_buffer_puts(&buffer, text);
	int code = mm_patch_text_read("p", &buffer, strip, found, err);
	mm_buffer_release(&buffer);
	return code;
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		const char *said;
	} cases[] = {
		/* mangled hunks, first and later */
		{ X HUNK Y "@@ 1 +1 @@\n-a\n+b\n", "'p:6' is the head of a diff" },
		{ X HUNK "@@ 9 +9 @@\n-c\n+d\n", "'p:6' is a part of a diff" },
		{ X HUNK "@ -9 +9 @@\n-c\n+d\n", "'p:6' is a part of a diff" },
		{ X HUNK "-9 +9 @@\n-c\n+d\n", "'p:6' is a part of a diff" },
		{ X HUNK "9,1 9,1\n-c\n+d\n", "'p:7' is a part of a diff" },
		{ X HUNK "words\n" HUNK2, "'p:7' begins a hunk that follows neither" },
		{ X HUNK "\n" HUNK2, "'p:7' begins a hunk that follows neither" },
		{ X HUNK "\n\n@@ -x +9 @@\n", "'p:8' is a part of a diff" },
		{ X "\n" HUNK, "'p:1' is the head of a diff" },
		{ X, "'p:1' is the head of a diff" },
		/* a hunk that is longer than it says */
		{ X HUNK "+c\n" Y HUNK, "'p:6' is a part of a diff" },
		{ X HUNK " c\n-d\n", "'p:7' is a part of a diff" },
		{ X HUNK "--- a/y\n@@ -9 +9 @@\n-c\n+d\n", "'p:6' is a part of a diff" },
		{ "*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n**-****\n*** 9 ****\n! a\n--- "
		  "9 "
		  "----\n! b\n",
		  "'p:9' is in no hunk" },
		{ "*** a/x\n--- b/x\n**-****\n*** 9 ****\n! a\n--- 9 ----\n! b\n", "'p:1' is the head of a diff" },
		/* files of which nothing is left */
		{ "diff --git a/x b/x\nindex 1..2\n" Y HUNK "diff --git a/z b/z\nindex 1..2 100644\n",
		  "'p:8' begins the diff of 'a/z b/z', but no hunk" },
		{ "diff --git a/z b/z\nindex 1..2 100644\ndiff --git a/x b/x\n" X HUNK, "'p:1' begins the diff of" },
		{ "diff --git a/z b/z\nold mode 100644\nnew mode 100755\nindex 1..2\n", "'p:1' begins the diff of" },
		{ "Index: z\n=====\nIndex: x\n=====\n" X HUNK, "'p:1' begins the diff of 'z'" },
		{ X HUNK "Index: z\n", "'p:6' begins the diff of 'z'" },
		/* binaries */
		{ "diff --git a/z b/z\nindex 1..2\nGIT binary patch\nliteral 3\n",
		  "'p:3' is a binary patch (a/z b/z), which patch cannot apply" },
		{ X HUNK "Binary files a/z and b/z differ\n",
		  "'p:6' is a binary patch (Binary files a/z and b/z differ)" },
		/* names */
		{ "--- a/x\n+++ b/../../../escape\n" HUNK, "'p:2' names 'b/../../../escape': a patch may not leave" },
		{ "--- a/../x\n+++ b/x\n" HUNK, "'p:1' names 'a/../x'" },
		{ "--- a/x\n+++ \"b/\\056./x\"\n" HUNK, "'p:2' names 'b/../x'" },
		{ "diff --git a/x b/../y\nrename from x\nrename to ../y\n", "'p:1' names 'a/x b/../y'" },
		{ "--- a/x\n+++ b/y\n" HUNK, "'p:1' names two files, 'a/x' and 'b/y'" },
		{ "--- a/x.c\n+++ b/x.cc\n" HUNK, "names two files" },
		{ "--- x\n+++ b/x\n" HUNK, "'p:1' names two files" },
		{ "*** a/x\n--- b/y\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "'p:1' names two files" },
		/* what no patch may do */
		{ "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
		  "'p:2' makes a symbolic link" },
		{ "*** a/x\n--- b/x\n***************\n" X HUNK, "mixes" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_patch_text found;
		struct mm_error err = MM_ERROR_INIT;
		int code = look(cases[i].text, 1, &found, &err);
		if (code != MM_EMATRIX || !found.is || !strstr(err.text, cases[i].said))
			fail_msg("%s\n%s: %d '%s'", cases[i].text, cases[i].said, code, err.text);
	}
}

static void test_taken(void **state)
{
	static const struct {
		const char *text;
		unsigned strip, hunks;
	} cases[] = {
		{ X HUNK HUNK2 Y HUNK, 1, 3 },
		/* a mail, with its list of changes and its end; then the next */
		{ "From 12 Mon\nSubject: x\n\n- one\n+ two\n---\n x | 2 +-\n\ndiff --git a/x b/x\nindex 1..2 100644\n" X
			  HUNK "-- \n2.39.2\n\nFrom 13 Mon\n\n- three\n\ndiff --git a/y b/y\nindex 1..2\n" Y HUNK
		  "-- \n2.39.2\n\n",
		  1, 2 },
		{ X "@@ -1,3 +1,3 @@ int f(void)\n a\n--- b\n+++ c\n\n" Y HUNK, 1, 2 }, /* lines "-- b" and "++ c" */
		{ X "@@ -1 +1 @@\r\n-a\r\n+b\r\n\r\n", 1, 1 },
		{ X "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n" Y HUNK, 1, 2 },
		{ "Index: x\n=====\n" X HUNK "Index: y\n=====\n" Y HUNK, 1, 2 },
		{ "Index: x\n=====\ndiff --git a/x b/x\n" X HUNK
		  "\nProperty changes on: x\n____\n## -0,0 +1 ##\n+native\n",
		  1, 1 },
		{ "diff -ru a/x b/x\n" X HUNK "Only in b: z\ndiff -ru a/y b/y\n" Y HUNK, 1, 2 },
		/* without a hunk: modes, names, files without content */
		{ "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", 1, 0 },
		{ "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", 1, 0 },
		{ "diff --git a/x b/x\nnew file mode 100644\nindex 000..e69de29\ndiff --git a/y b/y\n" Y HUNK, 1, 1 },
		/* names: other folders, copies, times, spaces, both sides of a new file and of a rename */
		{ "--- ../old/x\t2026-01-01\n+++ ../new/x\t2026-01-02\n" HUNK, 2, 1 },
		{ "--- mysql-5.5.orig/x 2026-01-01\n+++ mysql-5.5/x 2026-01-02\n" HUNK, 1, 1 },
		{ "--- sql/x.cc.orig\t2026-01-01 00:00:00 UTC\n+++ sql/x.cc\n" HUNK, 0, 1 },
		{ "--- sql/x.cc~\n+++ sql/x.cc\n" HUNK, 0, 1 },
		{ "--- a/with space\t\n+++ b/with space\t\n" HUNK, 1, 1 },
		{ "--- \"a/\\303\\244 \\\"x\\\"\"\n+++ \"b/\\303\\244 \\\"x\\\"\"\n" HUNK, 1, 1 },
		{ "--- /dev/null\n+++ b/x..y\n@@ -0,0 +1 @@\n+b\n", 1, 1 },
		{ "diff --git a/x b/y\nrename from x\nrename to y\nindex 1..2\n--- a/x\n+++ b/y\n" HUNK, 1, 1 },
		{ "*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n***************\n*** 9 "
		  "****\n--- 9,10 "
		  "----\n  c\n+ d\n",
		  1, 2 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_patch_text found;
		struct mm_error err = MM_ERROR_INIT;
		if (look(cases[i].text, cases[i].strip, &found, &err) || !found.is || found.hunks != cases[i].hunks)
			fail_msg("%s\n'%s', %u hunks", cases[i].text, err.text, found.hunks);
	}
}

static void test_no_patch(void **state)
{
	static const char *const texts[] = { "",           "one.patch\n",
					     "Index: x\n", "Binary files a and b differ\n",
					     HUNK,         "Patch1: a.patch\n%changelog\n- b\n+ c\n" };
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct mm_patch_text found;
		struct mm_error err = MM_ERROR_INIT;
		assert_int_equal(look(texts[i], 1, &found, &err), 0);
		assert_false(found.is);
	}
}

/* What stands behind a NUL is patched all the same. */
static void test_nul(void **state)
{
	static const char text[] = X HUNK "\0\ndiff --git a/l b/l\nnew file mode 120000\n";
	struct mm_buffer buffer = MM_BUFFER_INIT;
	struct mm_patch_text found;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	mm_buffer_append(&buffer, text, sizeof text - 1);
	assert_int_equal(mm_patch_text_read("p", &buffer, 1, &found, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "'p:6' holds a NUL"));
	mm_buffer_release(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_no_patch),
		cmocka_unit_test(test_nul),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
