/* Locks between processes: one holder, gone with it however it ends, and no file left behind. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/lock.h"
#include "base/memory.h"

static char folder[] = "/tmp/mm-lock-XXXXXX";
static char *path;

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	path = mm_path_join(folder, "some/where/lock");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(path);
	return mm_fs_remove_tree(folder, NULL);
}

static void test_take_and_release(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_lock lock = MM_LOCK_INIT;
	(void)state;
	mm_lock_release(&lock); /* safe when not held */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(mm_lock_take(&lock, path, "x", &err), 0);
		assert_true(mm_fs_exists(path));
		mm_lock_release(&lock);
		assert_false(mm_fs_exists(path));
	}
}

/* Nobody waits for what can never be a lock, and what it is stands in the error. */
static void test_not_a_file(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_lock lock = MM_LOCK_INIT;
	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(mm_lock_take(&lock, path, "x", &err), MM_EENV);
	assert_non_null(strstr(err.text, "a fifo where a file belongs: remove it"));
	mm_error_clear(&err);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mm_lock_take(&lock, path, "x", &err), MM_EENV);
	assert_non_null(strstr(err.text, "a folder where a file belongs: remove it"));
	assert_int_equal(rmdir(path), 0);
}

/* A child that takes the lock, says so, and waits to be told to go. */
static pid_t holder(int *said, int *told)
{
	int out[2], in[2];
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(in), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct mm_lock lock = MM_LOCK_INIT;
		char byte = 'x';
		close(in[1]); /* or we would never see our parent close it */
		if (mm_lock_take(&lock, path, "x", NULL) || write(out[1], &byte, 1) != 1 || read(in[0], &byte, 1) < 0)
			_exit(1);
		mm_lock_release(&lock);
		_exit(0);
	}
	close(out[1]);
	close(in[0]);
	*said = out[0];
	*told = in[1];
	return pid;
}

static void wait_until_held(int said)
{
	char byte;
	assert_int_equal(read(said, &byte, 1), 1);
}

static void test_waits_for_the_holder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_lock lock = MM_LOCK_INIT;
	int said, told, status;
	(void)state;
	pid_t pid = holder(&said, &told);
	wait_until_held(said);
	pid_t waiter = fork();
	assert_true(waiter >= 0);
	if (waiter == 0) { /* must not get it before the holder lets go */
		close(told);
		_exit(mm_lock_take(&lock, path, "x", NULL) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(waiter, &status, WNOHANG), 0);
	close(told);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(waiter, &status, 0), waiter);
	assert_int_equal(status, 0);
	/* the waiter died with the lock: it is free, whatever file it left */
	assert_int_equal(mm_lock_take(&lock, path, "x", &err), 0);
	mm_lock_release(&lock);
	close(said);
}

static void test_dead_holder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_lock lock = MM_LOCK_INIT;
	int said, told, status;
	(void)state;
	pid_t pid = holder(&said, &told);
	wait_until_held(said);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(mm_fs_exists(path));
	assert_int_equal(mm_lock_take(&lock, path, "x", &err), 0);
	mm_lock_release(&lock);
	close(said);
	close(told);
}

static void test_bad_place(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_lock lock = MM_LOCK_INIT;
	(void)state;
	assert_int_equal(mm_lock_take(&lock, "/dev/null/lock", "x", &err), MM_EENV);
	assert_int_equal(lock.descriptor, -1);
	assert_null(lock.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take_and_release),
		cmocka_unit_test(test_not_a_file),
		cmocka_unit_test(test_waits_for_the_holder),
		cmocka_unit_test(test_dead_holder),
		cmocka_unit_test(test_bad_place),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
