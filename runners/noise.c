#include "runners/noise.h"

#include <math.h>

#include "base/json.h"
#include "base/memory.h"
#include "runners/suite.h"

/*
 * Work that the kernel does for the server outside of its process (journal, write-back) counts as others' too and
 * stays below the first limit. A pass so short that the kernel's clock ticks (10 ms on each CPU) weigh is not judged.
 */
static const double OTHER_CPU_LIMIT = 10, STEAL_LIMIT = 1;
enum { LEAST_NS = 50 * 1000 * 1000 };

static uint64_t server_cpu(pid_t server)
{
	struct mm_usage usage;

	return mm_os_usage(server, &usage, NULL) == 0 ? usage.cpu_ns : MM_UNKNOWN;
}

void mm_noise_begin(struct mm_noise *noise, pid_t server)
{
	*noise = (struct mm_noise){ .server = server, .load = mm_os_load(), .server_cpu_ns = server_cpu(server) };
	noise->client_cpu_ns = mm_measure_client_cpu_ns();
	mm_os_machine_time(&noise->machine);
	noise->wall_ns = mm_now_ns();
}

static uint64_t since(uint64_t before, uint64_t after)
{
	if (before == MM_UNKNOWN || after == MM_UNKNOWN)
		return MM_UNKNOWN;
	return after > before ? after - before : 0;
}

static void add_reason(json_t *reasons, char *text)
{
	json_array_append_new(reasons, json_string(text));
	free(text);
}

json_t *mm_noise_judge(const struct mm_noise_span *span)
{
	json_t *noise = json_object(), *reasons = json_array();
	double other = NAN, steal = NAN;

	if (span->busy_ns != MM_UNKNOWN && span->server_cpu_ns != MM_UNKNOWN && span->wall_ns > 0) {
		uint64_t ours = span->server_cpu_ns + span->client_cpu_ns;
		uint64_t others = span->busy_ns > ours ? span->busy_ns - ours : 0;

		other = 100.0 * (double)others / (double)span->wall_ns;
		if (other > OTHER_CPU_LIMIT && others > LEAST_NS)
			add_reason(reasons, mm_format("other processes used %.1f%% of a CPU", other));
	}
	if (span->steal_ns != MM_UNKNOWN && span->busy_ns != MM_UNKNOWN && span->idle_ns != MM_UNKNOWN) {
		uint64_t all = span->busy_ns + span->idle_ns + span->steal_ns;

		steal = all == 0 ? 0 : 100.0 * (double)span->steal_ns / (double)all;
		if (steal > STEAL_LIMIT && span->steal_ns > LEAST_NS)
			add_reason(reasons, mm_format("the hypervisor took %.1f%% of the CPUs", steal));
	}
	mm_json_put_real(noise, "other_cpu_percent", other);
	mm_json_put_real(noise, "steal_percent", steal);
	mm_json_put_real(noise, "load_before", span->load_before < 0 ? NAN : span->load_before);
	mm_json_put_real(noise, "load_after", span->load_after < 0 ? NAN : span->load_after);
	mm_json_put_bool(noise, "noisy", json_array_size(reasons) > 0);
	json_object_set_new(noise, "reasons", reasons);
	return noise;
}

json_t *mm_noise_end(const struct mm_noise *noise)
{
	struct mm_machine_time now;
	struct mm_noise_span span;

	mm_os_machine_time(&now);
	span = (struct mm_noise_span){
		.wall_ns = mm_now_ns() - noise->wall_ns,
		.busy_ns = since(noise->machine.busy_ns, now.busy_ns),
		.idle_ns = since(noise->machine.idle_ns, now.idle_ns),
		.steal_ns = since(noise->machine.steal_ns, now.steal_ns),
		.server_cpu_ns = since(noise->server_cpu_ns, server_cpu(noise->server)),
		.client_cpu_ns = mm_measure_client_cpu_ns() - noise->client_cpu_ns,
		.load_before = noise->load,
		.load_after = mm_os_load(),
	};
	return mm_noise_judge(&span);
}
