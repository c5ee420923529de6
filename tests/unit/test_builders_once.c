/* Folders that are made once: by whom, and when one of an earlier start of the machine is not believed. */
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
#include "builders/once.h"

static char *top, *folder, *marker;
static unsigned made;

static int make(void *context, const char *path, struct mm_error *err)
{
	made++;
	assert_true(mm_fs_exists(marker)); /* before the folder has its name */
	assert_false(mm_fs_exists(path));
	if (context)
		return mm_error_set(err, MM_ECELL, "no");
	return mm_fs_mkdirs(path, 0755, err);
}

static int setup(void **state)
{
	char name[] = "/tmp/mm-once-XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(name));
	top = mm_strdup(name);
	folder = mm_path_join(top, "sources/x");
	marker = mm_format("%s.fresh", folder);
	made = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(mm_fs_remove_tree(top, NULL), 0);
	free(top);
	free(folder);
	free(marker);
	return 0;
}

static void want(unsigned times)
{
	struct mm_error err = MM_ERROR_INIT;
	if (mm_once(folder, "x", make, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(made, times);
	assert_true(mm_fs_is_folder(folder));
}

static void test_once(void **state)
{
	(void)state;
	want(1);
	want(1);
	mm_once_settled(folder);
	assert_false(mm_fs_exists(marker));
	want(1);
}

static void test_failure(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_once(folder, "x", make, &err, &err), MM_ECELL);
	assert_false(mm_fs_exists(folder));
	assert_false(mm_fs_exists(marker));
	want(2);
}

static void rewrite(const char *from_space_on, const char *boot)
{
	struct mm_error err = MM_ERROR_INIT;
	char *text = mm_format("%s%s", boot, from_space_on);
	assert_int_equal(mm_fs_write_atomic(marker, text, strlen(text), &err), 0);
	free(text);
}

static void test_after_a_crash(void **state)
{
	(void)state;
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	want(1);
	assert_int_equal(mm_fs_read(marker, 0, &text, &err), 0);
	const char *host = strchr(mm_buffer_text(&text), ' ');
	assert_non_null(host);
	rewrite(host, "another-start");
	want(2);
	want(2);
	assert_int_equal(mm_fs_write_atomic(marker, "", 0, &err), 0); /* not even the marker's content survived */
	want(3);
	rewrite(" some-other-host\n", "another-start");
	want(3);
	mm_buffer_release(&text);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { CASE(test_once), CASE(test_failure), CASE(test_after_a_crash) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
