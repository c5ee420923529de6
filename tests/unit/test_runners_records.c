/* What the runners make of logs, clocks and paths, without a server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/noise.h"
#include "runners/server.h"
#include "runners/serverlog.h"

static char folder[] = "/tmp/mymatrix-records.XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static void assert_errors(const char *log, const char *wanted)
{
	char *path = mm_path_join(folder, "error.log"), *line;

	assert_int_equal(mm_fs_write_atomic(path, log, strlen(log), NULL), 0);
	line = mm_serverlog_errors(path);
	assert_string_equal(line, wanted);
	free(line);
	free(path);
}

static void the_error_of_a_log(void **state)
{
	(void)state;
	assert_errors("", "its log is empty");
	assert_errors("\n  \n", "its log is empty");
	assert_errors("2026-11-30 10:56:23 0 [Note] Starting\n"
		      "2026-11-30 10:56:23 0 [ERROR] /x/mariadbd: unknown variable 'nonsense=1'\n"
		      "2026-11-30 10:56:23 0 [ERROR] Aborting\n",
		      "/x/mariadbd: unknown variable 'nonsense=1'");
	/* MySQL 8 has a number and a part of the server in brackets */
	assert_errors("2026-11-30T10:56:23.1Z 0 [ERROR] [MY-012592] [InnoDB] Operating system error number 13\n"
		      "2026-11-30T10:56:23.1Z 0 [ERROR] [MY-010119] [Server] Aborting\n",
		      "Operating system error number 13");
	/* the same error again and again is said once, and only the first three are said */
	assert_errors("0 [ERROR] a\n0 [ERROR] a\n0 [ERROR] b\n0 [ERROR] c\n0 [ERROR] d\n", "a; b; c");
	/* what a statement of a bootstrap leaves; and the last word alone is all there is to say */
	assert_errors("ERROR: 1030  Got error 24 from storage engine\n0 [ERROR] Aborting\n",
		      "Got error 24 from storage engine");
	assert_errors("0 [ERROR] Aborting\n", "0 [ERROR] Aborting");
	/* a server that the loader could not even begin */
	assert_errors("/x/mariadbd: error while loading shared libraries: libfoo.so.1: not found\n",
		      "/x/mariadbd: error while loading shared libraries: libfoo.so.1: not found");
	/* nothing that would upset a terminal */
	assert_errors("0 [ERROR] a\033[31mred\ttab\r\n", "a [31mred tab ");
	assert_errors("0 [ERROR] [never closed\n", "[never closed");
}

static void the_tail_of_a_log(void **state)
{
	char *path = mm_path_join(folder, "error.log"), *tail;
	struct mm_buffer log = MM_BUFFER_INIT;

	(void)state;
	for (int i = 1; i <= 10000; i++)
		mm_buffer_printf(&log, "line %d\n", i);
	assert_int_equal(mm_fs_write_atomic(path, log.data, log.length, NULL), 0);
	tail = mm_serverlog_tail(path);
	assert_ptr_equal(strstr(tail, "line 9881\n"), tail);
	assert_string_equal(tail + strlen(tail) - strlen("line 10000\n"), "line 10000\n");
	free(tail);
	mm_buffer_reset(&log);
	for (int i = 0; i < 1000000; i++)
		mm_buffer_putc(&log, 'x');
	assert_int_equal(mm_fs_write_atomic(path, log.data, log.length, NULL), 0);
	tail = mm_serverlog_tail(path);
	assert_int_equal(strlen(tail), 16384);
	free(tail);
	tail = mm_serverlog_tail("/nonexistent/error.log");
	assert_string_equal(tail, "");
	free(tail);
	mm_buffer_release(&log);
	free(path);
}

/* A machine of two CPUs over ten seconds: the server used six, the client one; OTHERS and STEAL are in seconds. */
static json_t *judge(double others, double steal)
{
	struct mm_noise_span span = {
		.wall_ns = 10000000000,
		.busy_ns = 7000000000 + (uint64_t)(others * 1e9),
		.steal_ns = (uint64_t)(steal * 1e9),
		.server_cpu_ns = 6000000000,
		.client_cpu_ns = 1000000000,
		.load_before = 0.5,
		.load_after = -1,
	};

	span.idle_ns = 20000000000 - span.busy_ns - span.steal_ns;
	return mm_noise_judge(&span);
}

static void noise_is_judged(void **state)
{
	json_t *noise = judge(0.2, 0);
	struct mm_noise_span unknown = { .wall_ns = 1000, .busy_ns = MM_UNKNOWN, .steal_ns = MM_UNKNOWN, .idle_ns = 5 };

	(void)state;
	assert_false(mm_json_true(noise, "noisy"));
	assert_true(json_is_false(json_object_get(noise, "noisy")));
	assert_int_equal((int)(mm_json_number(noise, "other_cpu_percent", -1) * 100 + 0.5), 200);
	assert_true(mm_json_number(noise, "steal_percent", -1) == 0);
	assert_true(mm_json_number(noise, "load_before", -1) == 0.5);
	assert_true(json_is_null(json_object_get(noise, "load_after")));
	assert_int_equal(json_array_size(json_object_get(noise, "reasons")), 0);
	json_decref(noise);

	noise = judge(5, 0);
	assert_true(mm_json_true(noise, "noisy"));
	assert_string_equal(json_string_value(json_array_get(json_object_get(noise, "reasons"), 0)),
			    "other processes used 50.0% of a CPU");
	json_decref(noise);

	noise = judge(0, 1);
	assert_true(mm_json_true(noise, "noisy"));
	assert_string_equal(json_string_value(json_array_get(json_object_get(noise, "reasons"), 0)),
			    "the hypervisor took 5.0% of the CPUs");
	json_decref(noise);

	noise = mm_noise_judge(&unknown);
	assert_true(json_is_null(json_object_get(noise, "other_cpu_percent")));
	assert_true(json_is_null(json_object_get(noise, "steal_percent")));
	assert_false(mm_json_true(noise, "noisy"));
	json_decref(noise);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void sockets_have_a_short_private_place(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	char *inside = mm_path_join(folder, "socket"), *place = mm_server_socket_place(folder, &err), *again;
	char *deep = mm_format("%s/%0100d", folder, 0), *deeper = mm_format("%s/%0200d", folder, 0);

	(void)state;
	assert_string_equal(place, inside);
	assert_int_equal(mode_of(place), 0700);
	free(place);

	/* too long for a socket: below TMPDIR, always the same one */
	assert_int_equal(setenv("TMPDIR", folder, 1), 0);
	place = mm_server_socket_place(deep, &err);
	again = mm_server_socket_place(deep, &err);
	assert_non_null(place);
	assert_string_equal(place, again);
	assert_ptr_equal(strstr(place, folder), place);
	assert_true(strlen(place) + strlen("/sock") <= 107);
	assert_int_equal(mode_of(place), 0700);

	/* somebody got there first: a link is not followed */
	assert_int_equal(rmdir(place), 0);
	assert_int_equal(symlink("/tmp", place), 0);
	assert_null(mm_server_socket_place(deep, &err));
	assert_int_equal(err.code, MM_EENV);
	assert_non_null(strstr(err.text, "is no folder of this user: remove it"));
	free(place);
	free(again);

	mm_error_clear(&err);
	assert_int_equal(setenv("TMPDIR", deep, 1), 0);
	assert_null(mm_server_socket_place(deeper, &err));
	assert_int_equal(err.code, MM_EENV);
	assert_non_null(strstr(err.text, "set TMPDIR to a shorter folder"));
	assert_int_equal(unsetenv("TMPDIR"), 0);
	free(inside);
	free(deep);
	free(deeper);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_of_a_log),
		cmocka_unit_test(the_tail_of_a_log),
		cmocka_unit_test(noise_is_judged),
		cmocka_unit_test(sockets_have_a_short_private_place),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
