/* The job budget's maker; its takers are tested with the compiler wrapper. */
#include <setjmp.h>
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
#include "folder-fixture.h"

static size_t tokens_in(const struct mm_jobserver *server)
{
	char bytes[2 * MM_JOBS_MOST];
	ssize_t got = read(server->pipe, bytes, sizeof bytes);
	if (got > 0)
		assert_int_equal(write(server->pipe, bytes, (size_t)got), got);
	return got > 0 ? (size_t)got : 0;
}

/* Whatever an earlier run left, the budget is made anew and whole. */
static void test_start(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_jobserver server, second;
	char *deep = mm_path_join(folder, "a/b/jobs"), *tokens = mm_path_join(deep, MM_JOBS_PIPE);
	(void)state;
	assert_int_equal(mm_jobserver_start(&server, deep, 5, &err), 0);
	assert_int_equal(tokens_in(&server), 5);
	struct stat st;
	assert_int_equal(stat(tokens, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	/* as if the first one had crashed in the middle of its work */
	assert_int_equal(mm_jobserver_start(&second, deep, 3, &err), 0);
	assert_int_equal(tokens_in(&second), 3);
	assert_int_equal(tokens_in(&server), 5);
	mm_jobserver_stop(&server);
	mm_jobserver_stop(&second);
	mm_jobserver_stop(&second);
	/* a plain file is in the way */
	assert_int_equal(unlink(tokens), 0);
	assert_int_equal(mm_fs_write_atomic(tokens, "x", 1, &err), 0);
	assert_int_equal(mm_jobserver_start(&server, deep, 0, &err), 0);
	assert_int_equal(server.tokens, 1);
	assert_int_equal(tokens_in(&server), 1);
	mm_jobserver_stop(&server);
	assert_int_equal(mm_jobserver_start(&server, deep, 1000000, &err), 0);
	assert_int_equal(tokens_in(&server), MM_JOBS_MOST);
	mm_jobserver_stop(&server);
	/* a folder is in the way */
	assert_int_equal(unlink(tokens), 0);
	assert_int_equal(mkdir(tokens, 0755), 0);
	assert_int_equal(mm_jobserver_start(&server, deep, 2, &err), MM_EENV);
	assert_non_null(strstr(err.text, tokens));
	assert_null(server.folder);
	assert_int_equal(mm_jobserver_reclaim(&server), 0);
	free(tokens);
	free(deep);
}

/* A taker in another process: with the lock that says so; without a budget nobody waits. */
static void test_taker(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_jobserver server;
	struct mm_token token;
	char *jobs = mm_path_join(folder, "jobs");
	(void)state;
	assert_true(mm_token_take(NULL, &token, NULL));
	mm_token_put(&token);
	assert_true(mm_token_take(jobs, &token, NULL));
	assert_int_equal(token.pipe, -1);
	mm_token_put(&token);
	assert_int_equal(mm_jobserver_start(&server, jobs, 2, &err), 0);
	for (int round = 0; round < 2; round++) {
		int status;
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			struct mm_token mine;
			bool taken = mm_token_take(jobs, &mine, NULL) && mine.pipe >= 0;
			if (round == 1)
				_exit(taken ? 0 : 1); /* dies with it */
			mm_token_put(&mine);
			_exit(taken ? 0 : 1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(tokens_in(&server), round ? 1 : 2);
		assert_int_equal(mm_jobserver_reclaim(&server), round);
		assert_int_equal(tokens_in(&server), 2);
	}
	mm_jobserver_stop(&server);
	free(jobs);
}

/* Another process of ours takes part: it may put back what was lost as well. */
static void test_join(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_jobserver owner, other;
	char *jobs = mm_path_join(folder, "joined");
	(void)state;
	assert_int_equal(mm_jobserver_join(&other, jobs, 3, &err), MM_EENV);
	assert_null(other.folder);
	assert_int_equal(mm_jobserver_start(&owner, jobs, 3, &err), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char byte;
		bool fine = mm_jobserver_join(&other, jobs, 3, &err) == 0 && read(other.pipe, &byte, 1) == 1 &&
			    mm_jobserver_reclaim(&other) == 1 && mm_jobserver_reclaim(&other) == 0;
		mm_jobserver_stop(&other);
		_exit(fine ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(tokens_in(&owner), 3);
	mm_jobserver_stop(&owner);
	free(jobs);
}

static void test_fit(void **state)
{
	const uint64_t gib = UINT64_C(1) << 30;
	char text[200];
	(void)state;
	assert_int_equal(mm_jobs_fit(16, 64 * gib, text, sizeof text), 16);
	assert_string_equal(text, "");
	assert_int_equal(mm_jobs_fit(16, MM_UNKNOWN, text, sizeof text), 16);
	assert_string_equal(text, "");
	assert_int_equal(mm_jobs_fit(16, 3 * gib, text, sizeof text), 4);
	assert_string_equal(text,
			    "jobs lowered from 16 to 4: 3.0 GiB of memory are free, and a compiler may need 0.75");
	assert_int_equal(mm_jobs_fit(2, gib / 10, text, sizeof text), 1);
	assert_non_null(strstr(text, "from 2 to 1"));
	assert_int_equal(mm_jobs_fit(1, 0, text, sizeof text), 1);
	assert_string_equal(text, "");
	assert_int_equal(mm_jobs_fit(-3, 64 * gib, text, sizeof text), 1);
}

static void test_own_program(void **state)
{
	char *program = mm_own_program(), *wrapper = mm_own_helper("mymatrix-cc"),
	     *none = mm_own_helper("no-such-helper");
	(void)state;
	assert_non_null(program);
	assert_non_null(strstr(mm_path_base(program), "base_jobserver"));
	assert_non_null(wrapper);
	assert_int_equal(access(wrapper, X_OK), 0);
	assert_null(none);
	free(program);
	free(wrapper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_taker),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_own_program),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
