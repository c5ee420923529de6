/* The part of the doctor that costs nothing: noise, disk and memory. */
#include <inttypes.h>
#include <sys/stat.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/doctor.h"

enum {
	MB = 1 << 20,
	JOB_MB = 1000,    /* the largest C++ units */
	SERVER_MB = 600
};

static void judge_cpu(const struct mm_host *host, json_t *findings)
{
	if (strcmp(host->governor, "performance") == 0)
		mm_finding_add(findings, MM_FINDING_OK, "cpu frequency", NULL, "governor '%s'", host->governor);
	else if (strcmp(host->governor, "unknown") != 0)
		mm_finding_add(findings, MM_FINDING_NOTE, "cpu frequency",
			       "for the measurement: cpupower frequency-set -g performance",
			       "governor '%s': the CPU changes its speed with the load", host->governor);
	if (strcmp(host->turbo, "on") == 0)
		mm_finding_add(findings, MM_FINDING_NOTE, "turbo",
			       "turn it off where you can: 1 into /sys/devices/system/cpu/intel_pstate/no_turbo, or 0 into "
			       "/sys/devices/system/cpu/cpufreq/boost",
			       "the speed depends on temperature and on what the other cores do");
	if (strcmp(host->smt, "on") == 0)
		mm_finding_add(findings, MM_FINDING_NOTE, "SMT",
			       "give server and client cores of their own: schedule.cpus",
			       "two CPUs share each core: what one does slows the other");
	if (host->cpus == 1)
		mm_finding_add(findings, MM_FINDING_NOTE, "cpus", "look at server CPU rather than at wall time",
			       "there is one CPU: server and client share it");
	else
		mm_finding_add(findings, MM_FINDING_OK, "cpus", NULL, "%u, %s", host->cpus, host->cpu);
}

static void judge_kernel(const struct mm_host *host, json_t *findings)
{
	if (strcmp(host->thp, "always") == 0)
		mm_finding_add(findings, MM_FINDING_NOTE, "huge pages",
			       "madvise into /sys/kernel/mm/transparent_hugepage/enabled",
			       "transparent huge pages are 'always': the kernel rearranges memory while a pass runs");
	if (strcmp(host->aslr, "0") != 0 && strcmp(host->aslr, "unknown") != 0)
		mm_finding_add(findings, MM_FINDING_NOTE, "address randomisation",
			       "\"schedule\": { \"aslr\": false } turns it off for the servers",
			       "each server starts at other addresses: passes differ a little, and ten of them average over "
			       "it");
	if (strcmp(host->virtualisation, "none seen") != 0 && strcmp(host->virtualisation, "unknown") != 0)
		mm_finding_add(findings, MM_FINDING_NOTE, host->virtualisation,
			       "for differences of a few per cent take a machine of your own",
			       "neighbours share caches and memory with us, unseen");
}

void mm_doctor_judge_noise(const struct mm_host *host, const struct mm_machine_time *time, double load,
			   json_t *findings)
{
	judge_cpu(host, findings);
	judge_kernel(host, findings);
	if (load > 0.5)
		mm_finding_add(findings, load > 1 ? MM_FINDING_WARNING : MM_FINDING_NOTE, "load",
			       "end other programs first, or wait", "%.2f in the last minute: something else is running", load);
	else if (load >= 0)
		mm_finding_add(findings, MM_FINDING_OK, "load", NULL, "%.2f in the last minute", load);
	if (time->steal_ns == MM_UNKNOWN || time->busy_ns == MM_UNKNOWN || time->busy_ns + time->idle_ns == 0)
		return;
	double steal = 100.0 * (double)time->steal_ns / (double)(time->busy_ns + time->idle_ns + time->steal_ns);
	if (steal >= 0.1)
		mm_finding_add(findings, steal >= 1 ? MM_FINDING_WARNING : MM_FINDING_NOTE, "stolen CPU time",
			       "passes in which it happens are flagged; take a machine of your own",
			       "%.1f%% since boot went to other guests of the host", steal);
}

void mm_doctor_noise(json_t *findings)
{
	struct mm_host host;
	struct mm_machine_time time;
	mm_os_host(&host);
	mm_os_machine_time(&time);
	mm_doctor_judge_noise(&host, &time, mm_os_load(), findings);
}

/* Something is said of the size even where it is small: a round 0 would be none. */
static void put_size(char *text, size_t room, uint64_t bytes)
{
	if (bytes < 100000000)
		(void)snprintf(text, room, "%" PRIu64 " MB", bytes / 1000000 + 1);
	else
		(void)snprintf(text, room, "%.1f GB", (double)bytes / 1e9);
}

static void judge_space(json_t *findings, const char *subject, const char *folder, uint64_t needed, bool measured)
{
	uint64_t free_bytes = mm_fs_free_bytes(folder);
	char need[32], have[32];
	if (free_bytes == UINT64_MAX)
		return;
	put_size(need, sizeof need, needed);
	put_size(have, sizeof have, free_bytes);
	const char *about = measured ? "about" : "perhaps, as nothing like it was made here yet,";
	if (needed > free_bytes)
		mm_finding_add(findings, MM_FINDING_WARNING, subject, "make room, or take another folder",
			       "%s %s more are needed in '%s', %s are free", about, need, folder, have);
	else
		mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "%s %s more are needed in '%s', %s are free", about,
			       need, folder, have);
}

static void judge_memory(const struct mm_matrix *matrix, unsigned compiled, json_t *findings)
{
	struct mm_host host;
	uint64_t available = mm_os_memory_available();
	mm_os_host(&host);
	unsigned jobs = matrix->build.jobs > 0 ? (unsigned)matrix->build.jobs : host.cpus;
	uint64_t needed = (uint64_t)SERVER_MB * MB;
	if (compiled && (uint64_t)jobs * JOB_MB * MB > needed)
		needed = (uint64_t)jobs * JOB_MB * MB;
	if (available == MM_UNKNOWN)
		return;
	double need = (double)needed / 1e9, have = (double)available / 1e9;
	if (needed > available)
		mm_finding_add(findings, MM_FINDING_WARNING, "memory", compiled ? "fewer compile jobs: -j" : "end other programs first",
			       "about %.1f GB are needed, %.1f GB are available", need, have);
	else
		mm_finding_add(findings, MM_FINDING_OK, "memory", NULL, "about %.1f GB are needed, %.1f GB are available", need,
			       have);
}

void mm_doctor_space(const struct mm_matrix *matrix, const char *work, const struct mm_space *left, json_t *findings)
{
	const char *datadir = matrix->schedule.datadir;
	if (!left->builds && !left->passes)
		return;
	judge_space(findings, "disk", work, left->work_bytes, left->measured);
	if (datadir && left->passes)
		judge_space(findings, "data directories", datadir, left->datadir_bytes, left->measured);
	judge_memory(matrix, left->compiled, findings);
}

void mm_doctor_tell(const struct mm_matrix *matrix, const char *work, const struct mm_space *left)
{
	json_t *findings = json_array(), *finding;
	size_t i;
	mm_doctor_space(matrix, work, left, findings);
	json_array_foreach(findings, i, finding)
	{
		if (mm_finding_state(finding) == MM_FINDING_WARNING)
			mm_warn("%s: %s: %s", mm_json_string(finding, "subject", "?"), mm_json_string(finding, "text", ""),
				mm_json_string(finding, "advice", "see 'mymatrix doctor'"));
	}
	json_decref(findings);
}

void mm_doctor_tell_noise(void)
{
	json_t *findings = json_array(), *finding;
	struct mm_strings noisy = MM_STRINGS_INIT;
	size_t i;
	mm_doctor_noise(findings);
	json_array_foreach(findings, i, finding)
	{
		if (mm_finding_state(finding) != MM_FINDING_OK)
			mm_strings_push(&noisy, mm_json_string(finding, "subject", "?"));
	}
	if (noisy.count) {
		char *list = mm_strings_join(&noisy, ", ");
		char *text = mm_format("results may be noisy (%s): 'mymatrix doctor' says what to do", list);
		mm_event_stage(MM_EVENT_NOTE, NULL, "host", text);
		free(text);
		free(list);
	}
	mm_strings_release(&noisy);
	json_decref(findings);
}
