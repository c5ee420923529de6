/* Linux: /proc, /sys, prctl, affinity, personality, reflinks. */
#if defined(__linux__) && !defined(MM_OS_PLAIN)

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/os.h"

/* Reads a small kernel file into TEXT, without its final newline. Returns false when there is none. */
static bool read_small(const char *path, char *text, size_t size)
{
	errno = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size_t length = 0;
	ssize_t got;
	while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	close(fd);
	while (length && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return length > 0;
}

/* The number after "KEY" at the start of a line of TEXT, MM_UNKNOWN when it is not there. */
static uint64_t field(const char *text, const char *key)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0)
			return strtoull(line + length, NULL, 10);
	}
	return MM_UNKNOWN;
}

int mm_os_usage(pid_t pid, struct mm_usage *usage, struct mm_error *err)
{
	*usage = (struct mm_usage){ MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN,
				    MM_UNKNOWN };
	clockid_t clock;
	struct timespec cpu;
	int why = clock_getcpuclockid(pid, &clock);
	if (why || clock_gettime(clock, &cpu)) {
		errno = why ? why : errno;
		return mm_error_errno(err, "cannot read the CPU clock of process %ld", (long)pid);
	}
	usage->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000U + (uint64_t)cpu.tv_nsec;

	char path[64], text[4096];
	(void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	if (read_small(path, text, sizeof text)) {
		uint64_t kib = field(text, "VmHWM:");
		usage->peak_rss_bytes = kib == MM_UNKNOWN ? kib : kib * 1024;
	}
	(void)snprintf(path, sizeof path, "/proc/%ld/io", (long)pid);
	if (read_small(path, text, sizeof text)) {
		usage->read_bytes = field(text, "read_bytes:");
		usage->write_bytes = field(text, "write_bytes:");
	}
	(void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	if (read_small(path, text, sizeof text)) {
		/* fields 10 and 12, counted after the name, which may hold anything up to the last ')' */
		const char *rest = strrchr(text, ')');
		unsigned long minor, major;
		if (rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) == 2) {
			usage->minor_faults = minor;
			usage->major_faults = major;
		}
	}
	(void)snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return 0;
	uint64_t voluntary = 0, involuntary = 0;
	const struct dirent *entry;
	while ((entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		char task[400];
		(void)snprintf(task, sizeof task, "%s/%s/status", path, entry->d_name);
		if (!read_small(task, text, sizeof text))
			continue;
		uint64_t given = field(text, "voluntary_ctxt_switches:");
		uint64_t taken = field(text, "nonvoluntary_ctxt_switches:");
		voluntary += given == MM_UNKNOWN ? 0 : given;
		involuntary += taken == MM_UNKNOWN ? 0 : taken;
	}
	closedir(tasks);
	usage->voluntary_switches = voluntary;
	usage->involuntary_switches = involuntary;
	return 0;
}

void mm_os_reset_peak(pid_t pid)
{
	char path[64];
	(void)snprintf(path, sizeof path, "/proc/%ld/clear_refs", (long)pid);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t ignored = write(fd, "5", 1);
	(void)ignored;
	close(fd);
}

void mm_os_machine_time(struct mm_machine_time *time)
{
	char text[512];
	unsigned long long user, nice, kernel, idle, wait, irq, soft, steal = 0;
	*time = (struct mm_machine_time){ MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN };
	if (!read_small("/proc/stat", text, sizeof text) ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &kernel, &idle, &wait, &irq, &soft,
		   &steal) < 7)
		return;
	uint64_t tick = 1000000000U / (uint64_t)sysconf(_SC_CLK_TCK);
	time->busy_ns = (user + nice + kernel + irq + soft) * tick;
	time->idle_ns = (idle + wait) * tick;
	time->steal_ns = steal * tick;
}

uint64_t mm_os_memory_available(void)
{
	char text[4096];
	uint64_t kib = read_small("/proc/meminfo", text, sizeof text) ? field(text, "MemAvailable:") : MM_UNKNOWN;
	return kib == MM_UNKNOWN ? kib : kib * 1024;
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

/* For what a run is told apart by: a fact that is there, but cannot be read now, would be another host's. */
static bool read_fact(const char *path, char *text, size_t size)
{
	bool read = read_small(path, text, size);
	if (!read)
		mm_end_if_exhausted(errno);
	return read;
}

/* The word in brackets of "always [madvise] never". */
static void chosen(char *to, size_t size, const char *path)
{
	char text[256];
	copy_text(to, size, "unknown");
	if (!read_fact(path, text, sizeof text))
		return;
	char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;
	if (end) {
		*end = '\0';
		copy_text(to, size, begin + 1);
	}
}

static void fact(char *to, size_t size, const char *path)
{
	if (!read_fact(path, to, size))
		copy_text(to, size, "unknown");
}

/* The value of "KEY : value" in /proc/cpuinfo. */
static void cpuinfo(const char *text, const char *key, char *to, size_t size)
{
	copy_text(to, size, "unknown");
	const char *line = strstr(text, key);
	const char *colon = line ? strchr(line, ':') : NULL;
	if (!colon)
		return;
	colon += 1 + strspn(colon + 1, " \t");
	(void)snprintf(to, size, "%.*s", (int)strcspn(colon, "\n"), colon);
}

static void turbo(struct mm_host *host)
{
	char text[16];
	copy_text(host->turbo, sizeof host->turbo, "unknown");
	if (read_fact("/sys/devices/system/cpu/intel_pstate/no_turbo", text, sizeof text))
		copy_text(host->turbo, sizeof host->turbo, *text == '0' ? "on" : "off");
	else if (read_fact("/sys/devices/system/cpu/cpufreq/boost", text, sizeof text))
		copy_text(host->turbo, sizeof host->turbo, *text == '1' ? "on" : "off");
}

void mm_os_host(struct mm_host *host)
{
	*host = (struct mm_host){ .cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN) };
	struct utsname names;
	if (uname(&names) == 0) {
		copy_text(host->name, sizeof host->name, names.nodename);
		copy_text(host->os, sizeof host->os, names.sysname);
		copy_text(host->kernel, sizeof host->kernel, names.release);
		copy_text(host->machine, sizeof host->machine, names.machine);
	}
	char text[16384];
	if (!read_fact("/proc/cpuinfo", text, sizeof text))
		*text = '\0';
	cpuinfo(text, "model name", host->cpu, sizeof host->cpu);
	cpuinfo(text, "microcode", host->microcode, sizeof host->microcode);
	copy_text(host->virtualisation, sizeof host->virtualisation, strstr(text, " hypervisor") ? "virtual machine" : "none seen");
	fact(host->governor, sizeof host->governor, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	fact(host->smt, sizeof host->smt, "/sys/devices/system/cpu/smt/control");
	chosen(host->thp, sizeof host->thp, "/sys/kernel/mm/transparent_hugepage/enabled");
	fact(host->aslr, sizeof host->aslr, "/proc/sys/kernel/randomize_va_space");
	turbo(host);
	host->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void mm_os_close_from(int first)
{
#ifdef SYS_close_range /* Linux 5.9; C libraries offer it later or never */
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
#endif
	mm_os_close_by_hand(first);
}

int mm_os_child_die_with_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Parses "0-3,8". Returns false when it is not such a list. Async-signal-safe. */
static bool parse_cpus(const char *list, cpu_set_t *set)
{
	CPU_ZERO(set);
	do {
		unsigned range[2] = { 0, 0 };
		int parts = 0;
		do {
			if (*list < '0' || *list > '9')
				return false;
			while (*list >= '0' && *list <= '9' && range[parts] < CPU_SETSIZE)
				range[parts] = range[parts] * 10 + (unsigned)(*list++ - '0');
			parts++;
		} while (parts < 2 && *list == '-' && list++);
		unsigned last = parts == 2 ? range[1] : range[0];
		if (last >= CPU_SETSIZE || range[0] > last)
			return false;
		for (unsigned cpu = range[0]; cpu <= last; cpu++)
			CPU_SET(cpu, set);
	} while (*list == ',' && list++);
	return *list == '\0';
}

/* What /proc says of a process. */
struct relation {
	long pid, parent, session;
	char state;
	unsigned long long start; /* ticks since boot */
};

/* Of the process NAME (a number) of /proc. */
static bool look_at(const char *name, struct relation *process)
{
	char path[64], text[1024];
	(void)snprintf(path, sizeof path, "/proc/%.20s/stat", name);
	if (*name < '1' || *name > '9' || !read_small(path, text, sizeof text))
		return false;
	const char *rest = strrchr(text, ')'); /* the program's name may hold anything */
	process->pid = strtol(name, NULL, 10);
	return rest && sscanf(rest, ") %c %ld %*d %ld %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			      &process->state, &process->parent, &process->session, &process->start) == 4;
}

/* Kills each process that IS_ONE; was there any? REAP: they are children of ours. */
static bool kill_each(bool (*is_one)(const struct relation *process, const struct relation *of),
		      const struct relation *of, bool reap)
{
	struct relation process;
	bool found = false;
	DIR *dir = opendir("/proc");
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!look_at(entry->d_name, &process) || !is_one(&process, of))
			continue;
		found = true;
		(void)kill((pid_t)process.pid, SIGKILL);
		if (reap)
			(void)waitpid((pid_t)process.pid, NULL, WNOHANG);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool is_member(const struct relation *process, const struct relation *leader)
{
	return process->session == leader->session && process->state != 'Z';
}

void mm_os_kill_session(pid_t leader)
{
	const struct relation of = { .session = leader };
	(void)kill(-leader, SIGKILL);
	/* one that forked while we looked has a child that was not seen */
	for (int looks = 0; looks < 50 && kill_each(is_member, &of, false); looks++)
		(void)poll(NULL, 0, 1);
}

void mm_os_name_process(const char *name)
{
	(void)prctl(PR_SET_NAME, name);
}

void mm_os_adopt_orphans(void)
{
	siginfo_t info;
	/* whoever became us by exec may have left us children: what these leave behind is not ours to end */
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* A child of ours that we have not started: not in our session, and not from before, when another program was us. */
static bool is_orphan(const struct relation *process, const struct relation *keep)
{
	return process->parent == getpid() && process->pid != keep->pid && process->session != getsid(0) &&
	       process->start >= keep->start;
}

void mm_os_kill_orphans(pid_t keep)
{
	struct relation of;
	char name[24];
	(void)snprintf(name, sizeof name, "%ld", (long)keep);
	/* as process 1 we are given everybody's orphans */
	if (getpid() == 1 || !look_at(name, &of))
		return;
	for (int looks = 0; looks < 200 && kill_each(is_orphan, &of, true); looks++)
		(void)poll(NULL, 0, 1);
}

int mm_os_child_pin(const char *cpus)
{
	cpu_set_t set;
	if (!parse_cpus(cpus, &set)) {
		errno = EINVAL;
		return -1;
	}
	return sched_setaffinity(0, sizeof set, &set);
}

int mm_os_check_cpus(const char *cpus, struct mm_error *err)
{
	cpu_set_t set, here, both;
	if (!parse_cpus(cpus, &set))
		return mm_error_set(err, MM_EMATRIX, "'%s' is not a CPU list such as \"0\" or \"0-3,8\"", cpus);
	if (sched_getaffinity(0, sizeof here, &here))
		return mm_error_errno(err, "cannot read the CPUs of this process");
	CPU_AND(&both, &set, &here);
	if (!CPU_EQUAL(&both, &set))
		return mm_error_set(err, MM_EMATRIX, "CPU list '%s' names CPUs that this process may not use", cpus);
	return 0;
}

int mm_os_child_no_aslr(void)
{
	return personality(ADDR_NO_RANDOMIZE) == -1 ? -1 : 0;
}

int mm_os_copy_content(int from, int to)
{
	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	for (;;) {
		ssize_t copied = copy_file_range(from, NULL, to, NULL, (size_t)1 << 30, 0);
		if (copied == 0)
			return 0;
		if (copied < 0 && errno == EINTR)
			continue;
		if (copied < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
			return mm_os_copy_by_hand(from, to);
		if (copied < 0)
			return -1;
	}
}

#else
/* An empty translation unit is not C. */
extern int mm_os_linux_not_used;
#endif
