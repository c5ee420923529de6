#include <math.h>
#include <sys/resource.h>

#include "base/os.h"
#include "runners/suite.h"

uint64_t mm_measure_client_cpu_ns(void)
{
	struct rusage children;
	uint64_t ns = mm_own_cpu_ns();

	/* a running server is not among them: only those that were waited for are */
	if (getrusage(RUSAGE_CHILDREN, &children) == 0)
		ns += (uint64_t)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1000000000U +
		      (uint64_t)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1000U;
	return ns;
}

static uint64_t since(uint64_t before, uint64_t after)
{
	if (before == MM_UNKNOWN || after == MM_UNKNOWN)
		return MM_UNKNOWN;
	/* context switches are of live threads only: an ended one takes its count away */
	return after > before ? after - before : 0;
}

void mm_measure_begin(struct mm_measure *measure, const struct mm_server *server)
{
	struct mm_watch *watch = server->watch;

	mm_os_reset_peak(server->process.pid);
	measure->counters = NULL;
	if (server->has_counters)
		(void)mm_counters_open(server->process.pid, &measure->counters, NULL);
	measure->have_usage = mm_os_usage(server->process.pid, &measure->before, NULL) == 0;
	measure->client_cpu_ns = mm_measure_client_cpu_ns();
	measure->wall_ns = mm_now_ns();
	if (watch != NULL && watch->limit_seconds > 0)
		watch->deadline_ns = measure->wall_ns + watch->limit_seconds * UINT64_C(1000000000);
}

void mm_measure_end(struct mm_measure *measure, const struct mm_server *server, struct mm_test_sample *test)
{
	const struct mm_usage *before = &measure->before;
	struct mm_counters counted;
	struct mm_usage after;

	/* wall time ends first, so that reading the counters is not part of it */
	test->wall_ns = mm_now_ns() - measure->wall_ns;
	test->client_cpu_ns = mm_measure_client_cpu_ns() - measure->client_cpu_ns;
	if (server->watch != NULL)
		server->watch->deadline_ns = 0;
	mm_counters_close(measure->counters, &counted);
	measure->counters = NULL;
	test->cycles = counted.cycles;
	test->instructions = counted.instructions;
	test->cache_misses = counted.cache_misses;
	test->branch_misses = counted.branch_misses;
	if (isnan(test->value))
		test->value = (double)test->wall_ns / 1e9;
	if (!measure->have_usage || mm_os_usage(server->process.pid, &after, NULL) != 0)
		return;
	test->server_cpu_ns = since(before->cpu_ns, after.cpu_ns);
	test->peak_rss_bytes = after.peak_rss_bytes;
	test->minor_faults = since(before->minor_faults, after.minor_faults);
	test->major_faults = since(before->major_faults, after.major_faults);
	test->voluntary_switches = since(before->voluntary_switches, after.voluntary_switches);
	test->involuntary_switches = since(before->involuntary_switches, after.involuntary_switches);
	test->read_bytes = since(before->read_bytes, after.read_bytes);
	test->write_bytes = since(before->write_bytes, after.write_bytes);
}
