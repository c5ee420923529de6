/* The part of the doctor that costs nothing: noise, disk and memory. */
#include <sys/stat.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "executors/doctor.h"

enum {
	MB = 1 << 20,
	/* What a cell takes where nothing was measured here yet. A MySQL 8 server with its build tree is the largest. */
	BUILD_MB = 1500,
	TREE_FACTOR = 10, /* an unpacked source against its tarball */
	DATADIR_MB = 250, /* a fresh data directory with its redo log, and as much for the copy that a pass fills */
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

/* Bytes that the builds still to be made will take. Those that are there tell how large one is here. */
static uint64_t builds_bytes(const struct mm_matrix *matrix, const struct mm_cell_state *cells, unsigned *wanted)
{
	uint64_t known = 0;
	unsigned built = 0;
	*wanted = 0;
	for (size_t i = 0; i < matrix->cell_count; i++) {
		const struct mm_build *build = &cells[i].build;
		if (!matrix->cells[i].toolchain)
			continue;
		if (build->state == MM_BUILD_DONE && build->folder) {
			known += mm_fs_tree_bytes(build->folder);
			built++;
		} else {
			(*wanted)++;
		}
	}
	/* the build tree goes when a build is done: twice the result, and the one being made */
	uint64_t each = built ? 2 * (known / built) : (uint64_t)BUILD_MB * MB;
	return *wanted * each;
}

/* Sources that are not unpacked yet, each once however many cells have it. */
static uint64_t sources_bytes(const struct mm_matrix *matrix)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < matrix->source_count; i++) {
		const struct mm_source *source = &matrix->sources[i];
		struct stat st;
		if (source->kind == MM_SOURCE_TARBALL && stat(source->path, &st) == 0)
			bytes += (uint64_t)st.st_size * TREE_FACTOR;
	}
	return bytes;
}

static void judge_space(json_t *findings, const char *subject, const char *folder, uint64_t needed)
{
	uint64_t free_bytes = mm_fs_free_bytes(folder);
	double need = (double)needed / 1e9, have = (double)free_bytes / 1e9;
	if (free_bytes == UINT64_MAX)
		return;
	if (needed > free_bytes)
		mm_finding_add(findings, MM_FINDING_WARNING, subject, "make room, or take another folder",
			       "about %.1f GB are needed in '%s', %.1f GB are free", need, folder, have);
	else
		mm_finding_add(findings, MM_FINDING_OK, subject, NULL, "about %.1f GB are needed in '%s', %.1f GB are free",
			       need, folder, have);
}

static void judge_memory(const struct mm_matrix *matrix, unsigned wanted, json_t *findings)
{
	struct mm_host host;
	uint64_t available = mm_os_memory_available();
	mm_os_host(&host);
	unsigned jobs = matrix->build.jobs > 0 ? (unsigned)matrix->build.jobs : host.cpus;
	uint64_t needed = (uint64_t)SERVER_MB * MB;
	if (wanted && (uint64_t)jobs * JOB_MB * MB > needed)
		needed = (uint64_t)jobs * JOB_MB * MB;
	if (available == MM_UNKNOWN)
		return;
	double need = (double)needed / 1e9, have = (double)available / 1e9;
	if (needed > available)
		mm_finding_add(findings, MM_FINDING_WARNING, "memory", wanted ? "fewer compile jobs: -j" : "end other programs first",
			       "about %.1f GB are needed, %.1f GB are available", need, have);
	else
		mm_finding_add(findings, MM_FINDING_OK, "memory", NULL, "about %.1f GB are needed, %.1f GB are available", need,
			       have);
}

void mm_doctor_space(const struct mm_matrix *matrix, const char *work, const struct mm_cell_state *cells,
		     json_t *findings)
{
	unsigned wanted;
	const char *datadir = matrix->schedule.datadir;
	uint64_t count = matrix->cell_count;
	uint64_t needed = builds_bytes(matrix, cells, &wanted) + count * DATADIR_MB * MB;
	if (wanted)
		needed += sources_bytes(matrix);
	judge_space(findings, "disk", work, needed + (datadir ? 0 : (uint64_t)DATADIR_MB * MB));
	if (datadir)
		judge_space(findings, "data directories", datadir, (uint64_t)DATADIR_MB * MB);
	judge_memory(matrix, wanted, findings);
}

void mm_doctor_tell(const struct mm_matrix *matrix, const char *work, const struct mm_cell_state *cells)
{
	json_t *findings = json_array(), *finding;
	size_t i;
	mm_doctor_space(matrix, work, cells, findings);
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
