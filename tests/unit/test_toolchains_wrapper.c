/* The compiler wrapper as a program: what it executes, logs, waits for and ends as. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/own-program.h"
#include "base/process.h"
#include "toolchains/wrap.h"
#include "toolchains/wrapper/record.h"

static char folder[] = "/tmp/mm-wrapper-XXXXXX";
static char *bin, *jobs;
static struct mm_toolchain_spec spec;
static struct mm_toolchain toolchain;

static int make_folder(void **state)
{
	static char name[] = "tc", fake[] = "fake";
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	bin = mm_path_join(folder, "cell");
	jobs = mm_path_join(folder, "jobs");
	spec = (struct mm_toolchain_spec){ .name = name, .cc = fake, .cxx = fake };
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(bin);
	free(jobs);
	free(toolchain.cc);
	free(toolchain.cxx);
	return mm_fs_remove_tree(folder, NULL);
}

/* A compiler that is the shell script BODY. Allocated path. */
static char *compiler(const char *name, const char *body)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name), *text = mm_format("#!/bin/sh\n%s\n", body);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(text);
	return path;
}

/* Wraps compilers that are both the script BODY; a fresh log. */
static struct mm_wrapped wrap(const char *body, const char *budget)
{
	static char c[] = "-O3 -DC", cxx[] = "-O3 -DCXX", cpp[] = "", ld[] = "-s";
	static const struct mm_flag_words flags = { c, cxx, cpp, ld };
	static const struct mm_family_ops *ops;
	struct mm_wrapped wrapped;
	struct mm_error err = MM_ERROR_INIT;
	if (!ops) {
		/* the operations of gcc, without asking the script what it is */
		static char gcc[] = "gcc", gxx[] = "g++";
		struct mm_toolchain_spec real = { .name = spec.name, .cc = gcc, .cxx = gxx };
		struct mm_toolchain *open;
		if (mm_toolchain_open(&real, &open, &err))
			fail_msg("%s", err.text);
		ops = open->ops;
		mm_toolchain_free(open);
	}
	free(toolchain.cc);
	free(toolchain.cxx);
	toolchain = (struct mm_toolchain){ .spec = &spec, .ops = ops };
	toolchain.cc = compiler("fake-cc", body);
	toolchain.cxx = mm_strdup(toolchain.cc);
	struct mm_wrap_request request = { &toolchain, 64, &flags, MM_ENFORCE_LEVEL, budget };
	assert_int_equal(mm_fs_remove_tree(bin, &err), 0);
	if (mm_wrap(&request, bin, &wrapped, &err))
		fail_msg("%s", err.text);
	return wrapped;
}

static struct mm_record only_record(const char *log)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_record record;
	if (mm_fs_read(log, 0, &text, &err))
		fail_msg("%s", err.text);
	assert_int_equal(strcspn(text.data, "\n"), text.length - 1);
	text.data[text.length - 1] = '\0';
	assert_true(mm_record_parse(text.data, &record));
	mm_buffer_release(&text);
	return record;
}

static void run(const char *program, const char *args, struct mm_buffer *output, struct mm_process_result *result)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_error err = MM_ERROR_INIT;
	mm_strings_push(&argv, program);
	mm_strings_split(&argv, args);
	struct mm_process_spec process = { .argv = argv.items, .output = output, .cwd = folder, .timeout_seconds = 60 };
	if (mm_process_run(&process, result, &err))
		fail_msg("%s", err.text);
	mm_strings_release(&argv);
}

/* Exactly what the cell asked for, nothing from elsewhere; the whole line is in the log. */
static void test_line(void **state)
{
	struct mm_wrapped wrapped = wrap("echo \"$0\" \"$@\"; exit 7", NULL);
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	(void)state;
	run(wrapped.cxx, "-O2 -c a.cc -DVERY_LONG_OPTION_THAT_NOBODY_MAY_DROP=1", &output, &result);
	char *expected =
		mm_format("%s -c a.cc -DVERY_LONG_OPTION_THAT_NOBODY_MAY_DROP=1 -m64 -O3 -DCXX\n", toolchain.cc);
	assert_string_equal(output.data, expected);
	assert_int_equal(result.exit_status, 7);
	struct mm_record record = only_record(wrapped.log);
	assert_int_equal(record.kind, MM_LINE_COMPILE);
	assert_int_equal(record.exit_status, 7);
	assert_int_equal(record.words.count, 7);
	assert_string_equal(record.cwd, folder);
	mm_record_release(&record);
	mm_buffer_release(&output);
	free(expected);
	mm_wrapped_release(&wrapped);
}

static void test_by_path(void **state)
{
	struct mm_wrapped wrapped = wrap("echo ran; exit 0", NULL);
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	char *path = mm_format("PATH=%s:/usr/bin:/bin", bin), *shell[] = { NULL, NULL, NULL, NULL },
	     *env[] = { path, NULL };
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	shell[0] = mm_strdup("/bin/sh");
	shell[1] = mm_strdup("-c");
	shell[2] = mm_strdup("for name in cc fake-cc c++ gcc g++ clang clang++; do $name -c a.c || exit; done");
	struct mm_process_spec process = { .argv = shell, .env = env, .output = &output };
	assert_int_equal(mm_process_run(&process, &result, &err), 0);
	assert_string_equal(output.data, "ran\nran\nran\nran\nran\nran\nran\n");
	assert_int_equal(result.exit_status, 0);
	mm_buffer_release(&output);
	for (size_t i = 0; i < 3; i++)
		free(shell[i]);
	free(path);
	mm_wrapped_release(&wrapped);
}

/* What tells a compiler to be another one, or to take options from elsewhere, does not reach it; all else does. */
static void test_environment(void **state)
{
	struct mm_wrapped wrapped = wrap("env", NULL);
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_format("PATH=%s:/usr/bin:%s:/bin", bin, bin);
	char ccc[] = "CCC_OVERRIDE_OPTIONS=# x-O2 +-O0", parts[] = "COMPILER_PATH=/elsewhere",
	     prefix[] = "GCC_EXEC_PREFIX=/elsewhere/", other[] = "CPATH=/include", option[] = "-c", file[] = "a.c";
	char *argv[] = { wrapped.cc, option, file, NULL }, *env[] = { path, ccc, parts, prefix, other, NULL };
	struct mm_process_spec process = { .argv = argv, .env = env, .output = &output };
	(void)state;
	assert_int_equal(mm_process_run(&process, &result, &err), 0);
	assert_null(strstr(mm_buffer_text(&output), "OVERRIDE"));
	assert_null(strstr(mm_buffer_text(&output), "elsewhere"));
	assert_non_null(strstr(mm_buffer_text(&output), "CPATH=/include"));
	assert_non_null(strstr(mm_buffer_text(&output), "PATH=/usr/bin:/bin\n"));
	mm_buffer_release(&output);
	free(path);
	mm_wrapped_release(&wrapped);
}

/* A compiler that is killed is no compiler that fails. */
static void test_signal(void **state)
{
	struct mm_wrapped wrapped = wrap("kill -9 $$", NULL);
	struct mm_process_result result;
	struct mm_buffer output = MM_BUFFER_INIT;
	(void)state;
	run(wrapped.cc, "-c a.c", &output, &result);
	assert_non_null(strstr(mm_buffer_text(&output), "fatal error: Killed signal terminated program"));
	mm_buffer_release(&output);
	assert_int_equal(result.signal, SIGKILL);
	struct mm_record record = only_record(wrapped.log);
	assert_int_equal(record.signal, SIGKILL);
	assert_int_equal(record.exit_status, -1);
	mm_record_release(&record);
	mm_wrapped_release(&wrapped);
}

static void test_failures(void **state)
{
	struct mm_wrapped wrapped = wrap("exit 0", NULL);
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	(void)state;
	/* the compiler is gone */
	assert_int_equal(unlink(toolchain.cc), 0);
	run(wrapped.cc, "-c a.c", &output, &result);
	assert_int_equal(result.exit_status, 127);
	assert_non_null(strstr(output.data, "cannot execute"));
	mm_wrapped_release(&wrapped);
	/* the log cannot be written: what nobody can vouch for is no success */
	wrapped = wrap("exit 0", NULL);
	assert_int_equal(mkdir(wrapped.log, 0755), 0);
	mm_buffer_reset(&output);
	run(wrapped.cc, "-c a.c", &output, &result);
	assert_int_equal(result.exit_status, 127);
	assert_non_null(strstr(output.data, "cannot write"));
	mm_wrapped_release(&wrapped);
	/* a damaged configuration */
	wrapped = wrap("exit 0", NULL);
	char *config = mm_path_join(bin, "config");
	assert_int_equal(truncate(config, 40), 0);
	mm_buffer_reset(&output);
	run(wrapped.cc, "-c a.c", &output, &result);
	assert_int_equal(result.exit_status, 127);
	assert_non_null(strstr(output.data, "build the cell again"));
	/* none at all */
	assert_int_equal(unlink(config), 0);
	mm_buffer_reset(&output);
	run(wrapped.cc, "-c a.c", &output, &result);
	assert_int_equal(result.exit_status, 127);
	free(config);
	mm_wrapped_release(&wrapped);
	mm_buffer_release(&output);
}

static struct mm_process start(char *program)
{
	char option[] = "-c", file[] = "a.c", *argv[] = { program, option, file, NULL };
	struct mm_process_spec process = { .argv = argv };
	struct mm_process child = { 0 };
	struct mm_error err = MM_ERROR_INIT;
	if (mm_process_start(&process, &child, &err))
		fail_msg("%s", err.text);
	return child;
}

static void wait_for_file(const char *path)
{
	for (int i = 0; i < 3000 && !mm_fs_exists(path); i++)
		(void)poll(NULL, 0, 10);
	assert_true(mm_fs_exists(path));
}

static int free_tokens(const struct mm_jobserver *server)
{
	int count = 0;
	char bytes[64];
	ssize_t got = read(server->pipe, bytes, sizeof bytes);
	count = got > 0 ? (int)got : 0;
	if (count)
		assert_int_equal(write(server->pipe, bytes, (size_t)count), count);
	return count;
}

/* While it runs the compiler holds one token; it comes back however the compiler ends. */
static void test_tokens(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	char *started = mm_path_join(folder, "started"), *body = mm_format("echo > %s; exec sleep 100", started);
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, 2, &err), 0);
	struct mm_wrapped wrapped = wrap(body, jobs);
	for (int round = 0; round < 2; round++) {
		struct mm_process_result result;
		struct mm_process process = start(wrapped.cc);
		wait_for_file(started);
		assert_int_equal(free_tokens(&server), 1);
		assert_int_equal(mm_jobserver_reclaim(&server), 0);
		/* the wrapper is told to stop; it stops the compiler, gives the token back and ends by that signal */
		if (round == 0)
			assert_int_equal(kill(process.pid, SIGTERM), 0);
		else
			assert_int_equal(kill(-process.pid, SIGINT), 0);
		assert_int_equal(mm_process_wait(&process, 60000, &result, &err), 1);
		assert_int_equal(result.signal, round ? SIGINT : SIGTERM);
		assert_int_equal(free_tokens(&server), 2);
		assert_int_equal(unlink(started), 0);
	}
	mm_wrapped_release(&wrapped);
	wrapped = wrap("kill -9 $$", jobs);
	for (int i = 0; i < 5; i++) {
		struct mm_process_result result;
		run(wrapped.cc, "-c a.c", NULL, &result);
		assert_int_equal(result.signal, SIGKILL);
	}
	assert_int_equal(free_tokens(&server), 2);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
	free(body);
	free(started);
}

/* A wrapper that is killed cannot give its token back: it is found out. */
static void test_reclaim(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process_result result;
	char *started = mm_path_join(folder, "begun"), *body = mm_format("echo > %s; exec sleep 100", started);
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, 3, &err), 0);
	struct mm_wrapped wrapped = wrap(body, jobs);
	struct mm_process killed = start(wrapped.cc);
	wait_for_file(started);
	assert_int_equal(unlink(started), 0);
	struct mm_process living = start(wrapped.cc);
	wait_for_file(started);
	assert_int_equal(free_tokens(&server), 1);
	assert_int_equal(kill(-killed.pid, SIGKILL), 0);
	assert_int_equal(mm_process_wait(&killed, 60000, &result, &err), 1);
	assert_int_equal(free_tokens(&server), 1);
	assert_int_equal(mm_jobserver_reclaim(&server), 1);
	assert_int_equal(free_tokens(&server), 2);
	assert_int_equal(mm_jobserver_reclaim(&server), 0);
	mm_process_stop(&living, SIGTERM, 60000, &result);
	assert_int_equal(free_tokens(&server), 3);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
	free(body);
	free(started);
}

/* With no token left it waits; whose budget's maker is gone waits for nobody. */
static void test_waiting(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process_result result;
	char byte;
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, 1, &err), 0);
	struct mm_wrapped wrapped = wrap("exit 0", jobs);
	assert_int_equal(read(server.pipe, &byte, 1), 1);
	struct mm_process process = start(wrapped.cc);
	assert_int_equal(mm_process_wait(&process, 300, &result, &err), 0);
	assert_int_equal(write(server.pipe, &byte, 1), 1);
	assert_int_equal(mm_process_wait(&process, 60000, &result, &err), 1);
	assert_int_equal(result.exit_status, 0);
	assert_int_equal(read(server.pipe, &byte, 1), 1);
	process = start(wrapped.cc);
	assert_int_equal(mm_process_wait(&process, 300, &result, &err), 0);
	/* asked to stop while it waits */
	mm_process_stop(&process, SIGTERM, 60000, &result);
	assert_int_equal(result.signal, SIGTERM);
	process = start(wrapped.cc);
	mm_jobserver_stop(&server);
	assert_int_equal(mm_process_wait(&process, 60000, &result, &err), 1);
	assert_int_equal(result.exit_status, 0);
	mm_wrapped_release(&wrapped);
}

/* Never more at once than there are tokens, and all of them in the end. */
static void test_budget(void **state)
{
	enum { CALLS = 24, TOKENS = 3 };
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process processes[CALLS];
	char *lane = mm_path_join(folder, "lane");
	/* a folder for each that runs: made, counted, removed */
	char *body = mm_format("mkdir %s.$$; set -- %s.*; [ $# -le %d ] || exit 9; sleep 0.02; rmdir %s.$$", lane, lane,
			       TOKENS, lane);
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, TOKENS, &err), 0);
	struct mm_wrapped wrapped = wrap(body, jobs);
	for (size_t i = 0; i < CALLS; i++)
		processes[i] = start(wrapped.cc);
	for (size_t i = 0; i < CALLS; i++) {
		struct mm_process_result result;
		assert_int_equal(mm_process_wait(&processes[i], 60000, &result, &err), 1);
		assert_int_equal(result.exit_status, 0);
	}
	assert_int_equal(free_tokens(&server), TOKENS);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
	free(body);
	free(lane);
}

/* Many at once write whole lines, longer than a pipe takes in one piece. */
static void test_log_together(void **state)
{
	enum { CALLS = 12, LONG = 3000 };
	struct mm_wrapped wrapped = wrap("exit 0", NULL);
	struct mm_process processes[CALLS];
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_strings argv = MM_STRINGS_INIT;
	(void)state;
	mm_strings_push(&argv, wrapped.cc);
	mm_strings_push(&argv, "-c");
	mm_strings_push(&argv, "a.c");
	for (size_t i = 0; i < LONG; i++)
		mm_strings_pushf(&argv, "-DMACRO_%zu=1234567890123456789012345678901234567890", i);
	struct mm_process_spec process = { .argv = argv.items };
	for (size_t i = 0; i < CALLS; i++)
		assert_int_equal(mm_process_start(&process, &processes[i], &err), 0);
	for (size_t i = 0; i < CALLS; i++)
		assert_int_equal(mm_process_wait(&processes[i], 60000, NULL, &err), 1);
	assert_int_equal(mm_fs_read(wrapped.log, 0, &text, &err), 0);
	size_t lines = 0;
	for (char *line = text.data; *line; lines++) {
		size_t length = strcspn(line, "\n");
		struct mm_record record;
		line[length] = '\0';
		assert_true(mm_record_parse(line, &record));
		assert_int_equal(record.words.count, LONG + 2 + 3);
		mm_record_release(&record);
		line += length + 1;
	}
	assert_int_equal(lines, CALLS);
	mm_buffer_release(&text);
	mm_strings_release(&argv);
	mm_wrapped_release(&wrapped);
}

/* The build tool is killed with kill -9: its compilers do not go on. */
static void test_killed_build_tool(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	char *started = mm_path_join(folder, "going"), *body = mm_format("echo $$ > %s; exec sleep 100", started);
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, 1, &err), 0);
	struct mm_wrapped wrapped = wrap(body, jobs);
	/* a build tool that runs jobs in groups of their own, as Ninja does */
	pid_t tool = fork();
	assert_true(tool >= 0);
	if (tool == 0) {
		if (fork() == 0) {
			(void)setpgid(0, 0);
			(void)execl(wrapped.cc, wrapped.cc, "-c", "a.c", (char *)NULL);
			_exit(1);
		}
		for (;;)
			(void)pause();
	}
	wait_for_file(started);
	struct mm_buffer text = MM_BUFFER_INIT;
	for (int i = 0; i < 3000 && !text.length; i++) {
		(void)poll(NULL, 0, 10);
		assert_int_equal(mm_fs_read(started, 0, &text, &err), 0);
	}
	pid_t compiling = (pid_t)strtol(mm_buffer_text(&text), NULL, 10);
	assert_true(compiling > 1 && kill(compiling, 0) == 0);
	assert_int_equal(kill(tool, SIGKILL), 0);
	assert_int_equal(waitpid(tool, NULL, 0), tool);
	int gone = 0;
	for (int i = 0; i < 3000 && !gone; i++) {
		char path[64];
		struct mm_buffer stat = MM_BUFFER_INIT;
		struct mm_error ignored = MM_ERROR_INIT;
		(void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)compiling);
		gone = kill(compiling, 0) != 0 || mm_fs_read(path, 0, &stat, &ignored) != 0 ||
		       strstr(mm_buffer_text(&stat), ") Z ");
		mm_buffer_release(&stat);
		(void)poll(NULL, 0, 10);
	}
	assert_true(gone);
	/* the token is there, or can be had back */
	for (int i = 0; i < 3000 && free_tokens(&server) == 0; i++) {
		(void)mm_jobserver_reclaim(&server);
		(void)poll(NULL, 0, 10);
	}
	assert_int_equal(free_tokens(&server), 1);
	mm_buffer_release(&text);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
	free(body);
	free(started);
}

/* A link with -flto=auto is told the budget, so that its own jobs take tokens too; nobody else is. */
static void test_lto_jobs(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, jobs, 2, &err), 0);
	struct mm_wrapped wrapped =
		wrap("echo \"flags: $MAKEFLAGS\"; fd=${MAKEFLAGS##*,}; [ -z \"$fd\" ] || [ -p /proc/$$/fd/$fd ]", jobs);
	run(wrapped.cc, "-flto=auto a.o -o a", &output, &result);
	assert_int_equal(result.exit_status, 0);
	assert_non_null(strstr(output.data, "flags:  -j --jobserver-auth="));
	static const char *const others[] = { "-flto=auto -c a.c", "-flto=4 a.o -o a", "-flto=auto a.o -fno-lto",
					      "a.o" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		mm_buffer_reset(&output);
		run(wrapped.cc, others[i], &output, &result);
		assert_string_equal(output.data, "flags: \n");
	}
	assert_int_equal(free_tokens(&server), 2);
	mm_buffer_release(&output);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
}

/* Real link-time optimisation by gcc within the budget. */
static void test_real_lto(void **state)
{
	struct mm_jobserver server;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process_result result;
	struct mm_buffer output = MM_BUFFER_INIT;
	static const char source[] = "int f(int x) { return x + 1; }\nint main(void) { return f(-1); }\n";
	char *file = mm_path_join(folder, "lto.c");
	(void)state;
	assert_int_equal(mm_fs_write_atomic(file, source, strlen(source), &err), 0);
	assert_int_equal(mm_jobserver_start(&server, jobs, 2, &err), 0);
	struct mm_wrapped wrapped = wrap("exec gcc \"$@\"", jobs);
	run(wrapped.cc, "-flto=auto -c lto.c -o lto.o", &output, &result);
	if (result.exit_status)
		fail_msg("%s", mm_buffer_text(&output));
	run(wrapped.cc, "-flto=auto -flto-partition=max lto.o -o lto", &output, &result);
	if (result.exit_status)
		fail_msg("%s", mm_buffer_text(&output));
	char *program = mm_path_join(folder, "lto");
	run(program, "", &output, &result);
	assert_int_equal(result.exit_status, 0);
	assert_int_equal(free_tokens(&server), 2);
	free(program);
	free(file);
	mm_buffer_release(&output);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),         cmocka_unit_test(test_by_path),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_signal),       cmocka_unit_test(test_failures),
		cmocka_unit_test(test_tokens),       cmocka_unit_test(test_reclaim),
		cmocka_unit_test(test_waiting),      cmocka_unit_test(test_budget),
		cmocka_unit_test(test_log_together), cmocka_unit_test(test_killed_build_tool),
		cmocka_unit_test(test_lto_jobs),     cmocka_unit_test(test_real_lto),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
