/* What is read out of sysbench's text, in the shape of every version. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "runners/sysbench-output.h"

#define GOLDEN MM_TEST_FOLDER "/golden/"

static struct mm_sysbench_output read_file(const char *path)
{
	struct mm_sysbench_output output;
	struct mm_buffer text = MM_BUFFER_INIT;

	assert_int_equal(mm_fs_read(path, 0, &text, NULL), 0);
	mm_sysbench_output_read(mm_buffer_text(&text), &output);
	mm_buffer_release(&text);
	return output;
}

static void near(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.12g instead of %.12g", got, wanted);
}

static void version_0_4(void **state)
{
	struct mm_sysbench_output output = read_file(GOLDEN "published/sysbench-0.4-oltp-ro-myisam-a.txt");

	(void)state;
	near(output.transactions, 100000);
	near(output.transactions_per_second, 261.10);
	near(output.events, 100000);
	near(output.seconds, 382.9903);
	near(output.events_per_second, 100000 / 382.9903);
	near(output.queries, 1600000);
	near(output.queries_per_second, 1600000 / 382.9903);
	near(output.latency_min_ms, 2.8);
	near(output.latency_avg_ms, 61.3);
	near(output.latency_max_ms, 848.2);
	near(output.latency_percentile_ms, 69.7);
	assert_int_equal(output.percentile, 95);
	near(output.errors, 0);
	assert_true(isnan(output.reconnects));
	assert_int_equal(output.threads, 0);
	assert_null(output.fatal);
	mm_sysbench_output_release(&output);
}

static void version_0_5(void **state)
{
	struct mm_sysbench_output output = read_file(GOLDEN "reports/sysbench/0.5-intervals.txt");

	(void)state;
	assert_int_equal(output.threads, 4);
	near(output.transactions_per_second, 1504.34);
	near(output.queries, 481440);
	near(output.latency_avg_ms, 2.66);
	near(output.latency_percentile_ms, 3.12);
	near(output.reconnects, 0);
	mm_sysbench_output_release(&output);
}

static void version_1_0(void **state)
{
	struct mm_sysbench_output output = read_file(GOLDEN "reports/sysbench/1.0-intervals.txt");

	(void)state;
	assert_int_equal(output.threads, 8);
	near(output.transactions, 21007);
	near(output.transactions_per_second, 2099.75);
	near(output.queries_per_second, 33596);
	near(output.seconds, 10.0037);
	near(output.latency_min_ms, 1.95);
	near(output.latency_max_ms, 30.4);
	near(output.latency_percentile_ms, 4.91);
	assert_int_equal(output.percentile, 95);
	near(output.errors, 0);
	mm_sysbench_output_release(&output);
}

static void master(void **state)
{
	struct mm_sysbench_output output = read_file(GOLDEN "reports/sysbench/master-cpu.txt");

	(void)state;
	near(output.events_per_second, 1104.0487);
	near(output.seconds, 10.0004);
	assert_true(isnan(output.transactions_per_second) && isnan(output.queries));
	mm_sysbench_output_release(&output);
}

static void a_run_that_failed(void **state)
{
	struct mm_sysbench_output output = read_file(GOLDEN "reports/sysbench/fatal.txt");

	(void)state;
	assert_non_null(strstr(output.fatal, "Lost connection"));
	assert_true(isnan(output.events_per_second));
	mm_sysbench_output_release(&output);
}

static void text_that_is_no_such_output(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n\r\n",
		"transactions: many (few per sec.)\ntotal time: -3\n95th percentile:\npercentile: 4\n",
		"    total time: inf\n  transactions: 1e999 (nan per sec.)\n0th percentile: 3\nNumber of threads: -1\n",
		"total: 5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct mm_sysbench_output output;

		mm_sysbench_output_read(texts[i], &output);
		assert_true(isnan(output.events_per_second) && isnan(output.transactions_per_second));
		assert_true(isnan(output.latency_percentile_ms) && isnan(output.queries) && output.threads == 0);
		mm_sysbench_output_release(&output);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_0_4),       cmocka_unit_test(version_0_5),
		cmocka_unit_test(version_1_0),       cmocka_unit_test(master),
		cmocka_unit_test(a_run_that_failed), cmocka_unit_test(text_that_is_no_such_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
