/* base/: processes, the guardian, and what the system says of them. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"

static char scratch[] = "/tmp/mymatrix-process.XXXXXX";

static int make_scratch(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static int drop_scratch(void **state)
{
	(void)state;
	return mm_fs_remove_tree(scratch, NULL);
}

static int run(char *const *argv, unsigned limit, struct mm_buffer *output, struct mm_process_result *result)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process_spec spec = { .argv = argv, .output = output, .timeout_seconds = limit };
	return mm_process_run(&spec, result, &err);
}

static void test_processes(void **state)
{
	(void)state;
	struct mm_process_result result;
	struct mm_buffer output = MM_BUFFER_INIT;
	char text[64];
	char *env[] = { (char[]){ "env" }, NULL };
	assert_int_equal(setenv("MYSQL_HOST", "planted", 1), 0);
	assert_int_equal(run(env, 0, &output, &result), 0);
	assert_int_equal(result.exit_status, 0);
	assert_null(strstr(output.data, "planted"));
	assert_non_null(strstr(output.data, "TZ=UTC"));

	char *fails[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "exit 3" }, NULL };
	assert_int_equal(run(fails, 0, NULL, &result), 0);
	assert_string_equal(mm_process_describe(&result, text), "exit status 3");

	char *dies[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "kill -SEGV $$" }, NULL };
	assert_int_equal(run(dies, 0, NULL, &result), 0);
	assert_string_equal(mm_process_describe(&result, text), "killed by SIGSEGV");

	char *hangs[] = { (char[]){ "sleep" }, (char[]){ "1000" }, NULL };
	assert_int_equal(run(hangs, 1, NULL, &result), 0);
	assert_true(result.timed_out);

	char *writes[] = { (char[]){ "dd" }, (char[]){ "if=/dev/zero" }, (char[]){ "of=/tmp/mm-base-limit" },
			   (char[]){ "bs=1M" }, (char[]){ "count=4" }, NULL };
	struct mm_process_spec limited = { .argv = writes, .file_bytes = 1 << 20 };
	assert_int_equal(mm_process_run(&limited, &result, NULL), 0);
	assert_string_equal(mm_process_describe(&result, text), "killed by SIGXFSZ");
	assert_int_equal(unlink("/tmp/mm-base-limit"), 0);
	writes[2] = (char[]){ "of=/dev/null" };
	writes[3] = (char[]){ "bs=64M" };
	limited = (struct mm_process_spec){ .argv = writes, .memory_bytes = 16 << 20 };
	assert_int_equal(mm_process_run(&limited, &result, NULL), 0);
	assert_string_equal(mm_process_describe(&result, text), "exit status 1");

	/* one that calls it a success to be ended for lack of time has not succeeded */
	char *polite[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "trap 'exit 0' TERM; sleep 1000 & wait" }, NULL };
	assert_int_equal(run(polite, 1, NULL, &result), 0);
	assert_true(result.timed_out && result.exit_status != 0);

	char *missing[] = { (char[]){ "no-such-program-anywhere" }, NULL };
	assert_int_equal(run(missing, 0, NULL, &result), MM_EENV);
	char *not_executable[] = { (char[]){ "/dev/null" }, NULL };
	assert_int_equal(run(not_executable, 0, NULL, &result), MM_EENV);
	mm_buffer_release(&output);
}

/* What the program cannot help is the machine's fault, whatever the caller says of programs that are unfit. */
static void test_whose_fault(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct rlimit before, none;
	char *text = mm_path_join(scratch, "unfit"), absent[] = "/nonexistent/program", good[] = "true";
	char *const unfit[] = { text, NULL }, *const missing[] = { absent, NULL }, *const well[] = { good, NULL };
	struct mm_process_spec spec = { .argv = unfit, .unfit = MM_ECELL };
	(void)state;
	assert_int_equal(mm_fs_write_atomic(text, "no program", 10, &err), 0);
	assert_int_equal(chmod(text, 0755), 0);
	assert_int_equal(mm_process_run(&spec, NULL, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "cannot execute"));
	spec.argv = missing;
	assert_int_equal(mm_process_run(&spec, NULL, NULL), MM_ECELL);
	spec.argv = well;
	assert_int_equal(mm_process_run(&spec, NULL, NULL), 0);
	spec.cwd = "/nonexistent";
	assert_int_equal(mm_process_run(&spec, NULL, NULL), MM_EENV);
	spec = (struct mm_process_spec){ .argv = well, .unfit = MM_ECELL };
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	for (none.rlim_cur = 3; none.rlim_cur < 64; none.rlim_cur++) { /* wherever it fails for want of a descriptor */
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
		int code = mm_process_run(&spec, NULL, NULL);
		assert_true(code == MM_EENV || (code == 0 && none.rlim_cur > 5));
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	free(text);
}

static void *open_folder(const char *path)
{
	return mm_fs_opendir(path);
}

static void *load_file(const char *path)
{
	return mm_json_load(path, NULL);
}

#ifndef MM_OS_PLAIN /* POSIX tells of the host without a file */
static void *look_at_host(const char *path)
{
	struct mm_host host;
	(void)path;
	mm_os_host(&host);
	return NULL;
}
#endif

/* What is there must not be taken for absent because no descriptor is left: nothing goes on then. */
static void test_exhausted(void **state)
{
	static void *(*const calls[])(const char *path) = {
		open_folder,
		load_file,
#ifndef MM_OS_PLAIN
		look_at_host,
#endif
	};
	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		int status;
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			const struct rlimit none = { 3, 3 };
			if (setrlimit(RLIMIT_NOFILE, &none))
				_exit(1);
			_exit(calls[i]("/") ? 2 : 3);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	}
}

/* Somebody else waits for our child: it is gone, and is not waited for any longer. */
static void test_waited_for_by_another(void **state)
{
	char text[64], program[] = "true", *const argv[] = { program, NULL };
	const struct mm_process_spec spec = { .argv = argv };
	struct mm_process process;
	struct mm_process_result result = { 0 };
	(void)state;
	assert_int_equal(mm_process_start(&spec, &process, NULL), 0);
	pid_t pid = process.pid;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(mm_process_wait(&process, 10000, &result, NULL), 1);
	assert_string_equal(mm_process_describe(&result, text), "gone, nobody knows how");
	assert_int_equal(process.pid, 0);
}

/* What a program prints is read while it runs, without ever waiting for it. */
static void test_piped(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process process;
	struct mm_process_result result;
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
			       (char[]){ "echo one; while [ ! -e \"$0\" ]; do sleep 0.02; done; echo two" },
			       (char[]){ "/tmp/mm-piped-test" }, NULL };
	const struct mm_process_spec spec = { .argv = argv, .piped = true };
	char text[64] = "";
	(void)unlink(argv[3]);
	assert_int_equal(mm_process_start(&spec, &process, &err), 0);
	while (read(process.output, text, sizeof text - 1) < 0)
		assert_int_equal(mm_process_wait(&process, 10, &result, &err), 0);
	assert_string_equal(text, "one\n");
	assert_true(read(process.output, text, sizeof text) < 0 && errno == EAGAIN);
	assert_int_equal(mm_fs_write_atomic(argv[3], "", 0, &err), 0);
	assert_int_equal(mm_process_wait(&process, -1, &result, &err), 1);
	assert_int_equal(read(process.output, text, sizeof text), 4);
	assert_int_equal(read(process.output, text, sizeof text), 0);
	assert_int_equal(close(process.output), 0);
	assert_int_equal(unlink(argv[3]), 0);
	char *const missing[] = { (char[]){ "no-such-program-anywhere" }, NULL };
	const struct mm_process_spec none = { .argv = missing, .piped = true };
	assert_int_equal(mm_process_start(&none, &process, &err), MM_EENV);
	assert_int_equal(process.output, -1);
}

static bool gone(pid_t pid)
{
	/* a zombie that its parent has not reaped yet answers kill(0): ask /proc for its state */
	char path[64], state = 'X';
	(void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *stat = fopen(path, "r");
	if (!stat)
		return true;
	if (fscanf(stat, "%*d %*s %c", &state) != 1)
		state = 'X';
	(void)fclose(stat);
	return state == 'Z' || state == 'X';
}

/* A process of ours is killed -9 while its grandchild sleeps: the grandchild must go too. */
static void test_nothing_outlives_us(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t us = fork();
	if (us == 0) {
		char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "sleep 1000 & echo $! >&3; wait" }, NULL };
		struct mm_process process;
		struct mm_process_spec spec = { .argv = argv };
		if (dup2(ends[1], 3) < 0 || mm_process_start(&spec, &process, NULL))
			_exit(1);
		(void)pause();
		_exit(0);
	}
	close(ends[1]);
	char text[32] = "";
	assert_true(read(ends[0], text, sizeof text - 1) > 0);
	pid_t grandchild = (pid_t)strtol(text, NULL, 10);
	assert_false(gone(grandchild));
	assert_int_equal(kill(us, SIGKILL), 0);
	(void)waitpid(us, NULL, 0);
	for (int i = 0; i < 1000 && !gone(grandchild); i++)
		(void)usleep(10000);
	assert_true(gone(grandchild));
	close(ends[0]);
}

static void test_usage_counts_ended_threads(void **state)
{
	(void)state;
	struct mm_usage usage;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_os_usage(getpid(), &usage, &err), 0);
	assert_true(usage.cpu_ns > 0 && usage.cpu_ns != MM_UNKNOWN);
	assert_int_equal(mm_os_usage(999999999, &usage, &err), MM_EENV);
	struct mm_host host;
	mm_os_host(&host);
	assert_true(host.cpus >= 1);
	assert_true(*host.kernel);
}

static void test_cpu_lists(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "a", "0-", "-1", "0,,1", "1-0", "99999999999", "0 1", "0-1-2" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct mm_error err = MM_ERROR_INIT;
		assert_int_equal(mm_os_check_cpus(bad[i], &err), MM_EMATRIX);
	}
#ifdef MM_OS_PLAIN /* POSIX cannot pin: every list is refused, before anything starts */
	assert_int_equal(mm_os_check_cpus("0", NULL), MM_EMATRIX);
	return;
#endif
	assert_int_equal(mm_os_check_cpus("0", NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_whose_fault),
		cmocka_unit_test(test_exhausted),
		cmocka_unit_test(test_waited_for_by_another),
		cmocka_unit_test(test_piped),
		cmocka_unit_test(test_nothing_outlives_us),
		cmocka_unit_test(test_usage_counts_ended_threads),
		cmocka_unit_test(test_cpu_lists),
	};
	return cmocka_run_group_tests(tests, make_scratch, drop_scratch);
}
