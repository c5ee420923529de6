/* What a program starts dies with it, also when it is put into a process group of its own, as Ninja does with
 * compilers. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/guardian.h"
#include "base/memory.h"
#include "base/process.h"

static char folder[] = "/tmp/mm-session-XXXXXX";

/* "set -m" gives a background job of bash a group of its own; it says its pid when it runs. */
static char script[] = "set -m; sh -c 'echo $$ >\"$1.tmp\" && mv \"$1.tmp\" \"$1\"; exec sleep 1000' sh \"$1\" & wait";

/* What a compiler cache or a test daemon does, and worse: a session of its own, a parent that is gone, a deaf ear. */
static char runaway[] = "setsid sh -c 'trap \"\" TERM INT HUP; (echo $$ >\"$1.tmp\"; mv \"$1.tmp\" \"$1\"); "
			"sleep 1000; sleep 1000' sh \"$1\" & until [ -e \"$1\" ]; do sleep 0.01; done; ";

static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int drop(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static void start(char *text, const char *pid_file, struct mm_process *process)
{
	struct mm_error err = MM_ERROR_INIT;
	char sh[] = "bash", option[] = "-c", *file = mm_strdup(pid_file);
	char *const argv[] = { sh, option, text, sh, file, NULL };
	struct mm_process_spec spec = { .argv = argv };
	if (mm_process_start(&spec, process, &err))
		fail_msg("%s", err.text);
	free(file);
}

static pid_t grandchild(const char *pid_file)
{
	while (!mm_fs_exists(pid_file))
		(void)poll(NULL, 0, 5);
	struct mm_buffer text = MM_BUFFER_INIT;
	assert_int_equal(mm_fs_read(pid_file, 0, &text, NULL), 0);
	pid_t pid = (pid_t)strtol(mm_buffer_text(&text), NULL, 10);
	mm_buffer_release(&text);
	assert_true(pid > 1);
	return pid;
}

/* Gone, or a zombie that whoever inherited it has not looked at yet. */
static bool is_gone(pid_t pid)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_format("/proc/%ld/stat", (long)pid);
	bool gone = mm_fs_read(path, 0, &text, NULL) != 0 || strstr(mm_buffer_text(&text), ") Z ");
	mm_buffer_release(&text);
	free(path);
	return gone;
}

static void test_stop(void **state)
{
	struct mm_process process;
	char *file = mm_path_join(folder, "stopped");
	(void)state;
	start(script, file, &process);
	pid_t pid = grandchild(file);
	assert_int_not_equal(getpgid(pid), process.pid); /* or the test would prove nothing */
	assert_false(is_gone(pid));
	mm_process_stop(&process, SIGKILL, 5000, NULL);
	assert_true(is_gone(pid));
	free(file);
}

/* The same when we are killed ourselves: that is the guardian's work. */
static void test_killed(void **state)
{
	char *file = mm_path_join(folder, "killed");
	int status;
	(void)state;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct mm_process process;
		start(script, file, &process);
		(void)pause();
		_exit(1);
	}
	pid_t pid = grandchild(file);
	assert_false(is_gone(pid));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	for (int i = 0; i < 2000 && !is_gone(pid); i++)
		(void)poll(NULL, 0, 5);
	assert_true(is_gone(pid));
	free(file);
}

/* It goes when what has started it ends, whether by itself or because it was stopped, and leaves no zombie. */
static void test_runaway(void **state)
{
	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		struct mm_process process, other;
		struct mm_process_result result = { 0 };
		char *file = mm_path_join(folder, stopped ? "runaway-1" : "runaway-0"), sleeps[] = "exec sleep 1000";
		char *text = mm_format("%s%s", runaway, stopped ? "sleep 1000" : "exit 3");
		start(sleeps, file, &other);
		start(text, file, &process);
		pid_t pid = grandchild(file);
		if (stopped) {
			mm_process_stop(&process, SIGTERM, 500, NULL);
		} else {
			assert_int_equal(mm_process_wait(&process, -1, &result, NULL), 1);
			assert_int_equal(result.exit_status, 3);
		}
		assert_false(is_gone(pid)); /* it may be the other's */
		mm_process_stop(&other, SIGKILL, 5000, NULL);
		assert_int_equal(kill(pid, 0), -1);
		free(text);
		free(file);
	}
}

/* Without a guardian nothing is started, and that is said: neither a program nor its cell is to blame. */
static void test_guardian_gone(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	char program[] = "true", *const argv[] = { program, NULL };
	const struct mm_process_spec spec = { .argv = argv, .unfit = MM_ECELL };
	int status;
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		if (mm_process_run(&spec, NULL, NULL) || kill(mm_guardian_pid(), SIGKILL) ||
		    waitpid(mm_guardian_pid(), NULL, 0) < 0)
			_exit(1);
		(void)signal(SIGPIPE, SIG_IGN); /* as mm_signals_install */
		int code = mm_process_run(&spec, NULL, &err);
		_exit(code == MM_EENV && strstr(err.text, "guards what we start") ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A child that we have not started by base/process.h is none of its business. */
static void test_others_stay(void **state)
{
	struct mm_process process;
	char *file = mm_path_join(folder, "others"), ends[] = "exit 0";
	int status;
	(void)state;
	pid_t child = fork();
	if (child == 0) {
		(void)pause();
		_exit(1);
	}
	start(ends, file, &process);
	assert_int_equal(mm_process_wait(&process, -1, NULL, NULL), 1);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	free(file);
}

int main(void)
{
#ifdef MM_OS_PLAIN
	print_message("POSIX does not tell which processes are of a session: those that leave their group are not found\n");
	return 0;
#endif
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stop), cmocka_unit_test(test_killed),
					    cmocka_unit_test(test_runaway), cmocka_unit_test(test_others_stay),
					    cmocka_unit_test(test_guardian_gone) };
	return cmocka_run_group_tests(tests, make, drop);
}
