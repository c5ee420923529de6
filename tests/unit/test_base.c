/* base/: buffers, paths, files, trees, hashes, JSON positions, processes and the guardian. */
#include <errno.h>
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
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"

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

/* What a program prints is read while it runs, without ever waiting for it. */
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

static void *look_at_host(const char *path)
{
	struct mm_host host;
	(void)path;
	mm_os_host(&host);
	return NULL;
}

/* What is there must not be taken for absent because no descriptor is left: nothing goes on then. */
static void test_exhausted(void **state)
{
	static void *(*const calls[])(const char *path) = { open_folder, load_file, look_at_host };
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
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_first_error_wins),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_write_is_whole_or_not),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_files_of_ours),
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_a_buffer_drains),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_json_positions),
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
