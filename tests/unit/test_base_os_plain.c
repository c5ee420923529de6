/*
 * The OS layer of systems of which only POSIX is known, compiled here and tried on this system: what it offers works, and
 * what it does not offer is said to be unknown, never 0. The functions below take the place of those of os-linux.c.
 */
#ifndef MM_OS_PLAIN
#define MM_OS_PLAIN
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os-posix.c"

#include <fcntl.h>
#include <sys/wait.h>

#include <cmocka.h>

static void test_usage(void **state)
{
	(void)state;
	struct mm_usage usage;
	struct mm_error err = MM_ERROR_INIT;
	uint64_t end = mm_own_cpu_ns() + 20000000;
	while (mm_own_cpu_ns() < end)
		;
	assert_int_equal(mm_os_usage(getpid(), &usage, &err), 0);
	assert_true(usage.cpu_ns >= 20000000 && usage.cpu_ns < UINT64_C(3600000000000));
	assert_true(usage.peak_rss_bytes == MM_UNKNOWN && usage.read_bytes == MM_UNKNOWN);
	assert_true(usage.voluntary_switches == MM_UNKNOWN);
	/* a process that is gone */
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(mm_os_usage(pid, &usage, &err), MM_EENV);
	assert_non_null(strstr(err.text, "CPU clock"));
	mm_os_reset_peak(getpid());
}

static void test_unknown(void **state)
{
	(void)state;
	struct mm_machine_time time;
	struct mm_host host;
	mm_os_machine_time(&time);
	assert_true(time.busy_ns == MM_UNKNOWN && time.idle_ns == MM_UNKNOWN && time.steal_ns == MM_UNKNOWN);
	assert_true(mm_os_memory_available() == MM_UNKNOWN);
	mm_os_host(&host);
	assert_string_equal(host.governor, "unknown");
	assert_string_equal(host.thp, "unknown");
	assert_string_equal(host.virtualisation, "unknown");
	assert_true(host.cpus >= 1 && host.memory_bytes > (1 << 20) && *host.kernel && *host.machine);
}

static void test_what_cannot_be_done(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_os_check_cpus("0", &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "cannot be pinned"));
	errno = 0;
	assert_int_equal(mm_os_child_pin("0"), -1);
	assert_int_equal(errno, ENOTSUP);
	assert_int_equal(mm_os_child_no_aslr(), -1);
	assert_int_equal(mm_os_child_die_with_parent(), 0); /* the guardian does it */
}

static void test_copy(void **state)
{
	(void)state;
	static char bytes[3 << 16], back[sizeof bytes];
	FILE *from = tmpfile(), *to = tmpfile();
	assert_true(from && to);
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 31 + i / 251);
	assert_int_equal(write(fileno(from), bytes, sizeof bytes), sizeof bytes);
	assert_int_equal(lseek(fileno(from), 0, SEEK_SET), 0);
	assert_int_equal(mm_os_copy_content(fileno(from), fileno(to)), 0);
	assert_int_equal(pread(fileno(to), back, sizeof back, 0), sizeof back);
	assert_memory_equal(bytes, back, sizeof bytes);
	fclose(from);
	fclose(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_what_cannot_be_done),
		cmocka_unit_test(test_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
