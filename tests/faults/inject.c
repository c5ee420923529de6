/*
 * Preloaded into mymatrix by tests: makes a call of the C library fail, as a full disk, a lost file system or an exhausted
 * machine would. What we start runs in a clean environment, so nothing of this reaches servers and compilers.
 *
 *   MM_INJECT_LOG=FILE   appends "FUNCTION SITE COUNT" for each place that called one, when the program ends
 *   MM_INJECT=FUNCTION:SITE:NTH:ERRNO   the NTH call (from 1; 0: every call) from SITE fails with ERRNO (a number)
 *   MM_INJECT_FIRED=FILE   grows by one byte for each call that was made to fail
 *
 * A SITE is a digest of the return addresses in the program itself, so a function that is called from different places
 * has as many sites as there are ways to it; "any" is every site. Counters are shared with processes that were forked and
 * did not execute anything else yet: the guardian, and children on their way to exec.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { FRAMES = 24, SITES = 1 << 14, NAME = 16 };

/* One place that calls one function; in memory that forked processes share. */
struct site {
	_Atomic uint32_t id; /* 0: free */
	_Atomic uint32_t count;
	char function[NAME];
};

static struct site *sites;
static uintptr_t text_from, text_to; /* of the program, without its libraries */
static char wanted[NAME];
static uint32_t wanted_site;
static unsigned long wanted_nth;
static int wanted_errno;
static _Atomic unsigned long wanted_count_of_any;
static pid_t owner;
static __thread int inside; /* what this library itself calls is nobody's call */

static int note_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
			text_from = info->dlpi_addr + part->p_vaddr;
			text_to = text_from + part->p_memsz;
		}
	}
	return 1; /* the first is the program */
}

__attribute__((constructor)) static void begin(void)
{
	void *first[2];
	const char *inject = getenv("MM_INJECT");
	if (!inject && !getenv("MM_INJECT_LOG"))
		return;
	inside = 1;
	(void)backtrace(first, 2); /* loads what it needs, by malloc */
	(void)dl_iterate_phdr(note_program, NULL);
	struct site *shared = mmap(NULL, SITES * sizeof *sites, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char site[16] = "";
	if (inject && sscanf(inject, "%15[^:]:%15[^:]:%lu:%d", wanted, site, &wanted_nth, &wanted_errno) != 4)
		abort();
	wanted_site = strcmp(site, "any") == 0 ? 0 : (uint32_t)strtoul(site, NULL, 16);
	owner = getpid();
	sites = shared == MAP_FAILED ? NULL : shared;
	inside = 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("MM_INJECT_LOG");
	if (!sites || !path || getpid() != owner)
		return;
	inside = 1;
	FILE *log = fopen(path, "ae");
	for (size_t i = 0; log && i < SITES; i++)
		if (sites[i].id)
			(void)fprintf(log, "%s %08x %u\n", sites[i].function, sites[i].id, sites[i].count);
	if (log)
		(void)fclose(log);
}

/* Where the program called from: the return addresses in it, relative to its start, as one number that is not 0. */
static uint32_t site_of_caller(const char *function)
{
	void *frames[FRAMES];
	int count = backtrace(frames, FRAMES);
	uint32_t hash = 2166136261U;
	for (const char *c = function; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619U;
	for (int i = 0; i < count; i++) {
		uintptr_t at = (uintptr_t)frames[i];
		if (at < text_from || at >= text_to)
			continue;
		for (uintptr_t rest = at - text_from; rest; rest >>= 8)
			hash = (hash ^ (rest & 255)) * 16777619U;
	}
	return hash ? hash : 1;
}

/* By the kernel alone: the caller may be anywhere, a child on its way to exec included. */
static void note_fired(void)
{
	const char *path = getenv("MM_INJECT_FIRED");
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
	if (fd >= 0) {
		(void)syscall(SYS_write, fd, "x", 1);
		(void)syscall(SYS_close, fd);
	}
}

/* Counts the call; is it the one that fails? errno is set then. */
static int fails(const char *function)
{
	int saved = errno, failed = 0;
	if (!sites || inside || (*wanted && strcmp(function, wanted) != 0))
		return 0;
	inside = 1;
	uint32_t id = site_of_caller(function);
	uint32_t slot = id % SITES, nth = 0;
	for (int tries = 0; tries < SITES && !nth; tries++, slot = (slot + 1) % SITES) {
		uint32_t none = 0;
		if (atomic_compare_exchange_strong(&sites[slot].id, &none, id))
			(void)snprintf(sites[slot].function, NAME, "%s", function);
		if (sites[slot].id == id)
			nth = atomic_fetch_add(&sites[slot].count, 1) + 1;
	}
	if (*wanted && (!wanted_site || wanted_site == id)) {
		unsigned long number = wanted_site ? nth : atomic_fetch_add(&wanted_count_of_any, 1) + 1;
		failed = !wanted_nth || number == wanted_nth;
	}
	if (failed)
		note_fired();
	inside = 0;
	errno = failed ? wanted_errno : saved;
	return failed;
}

/* The C library's own function of that name. */
#define REAL(name, type, ...)                                                                                          \
	static type (*real)(__VA_ARGS__);                                                                              \
	if (!real)                                                                                                     \
		*(void **)&real = dlsym(RTLD_NEXT, #name)

#define WRAP(name, type, failure, parameters, arguments, ...)                                                          \
	type name parameters                                                                                           \
	{                                                                                                              \
		REAL(name, type, __VA_ARGS__);                                                                         \
		return fails(#name) ? (failure) : real arguments;                                                      \
	}

WRAP(write, ssize_t, -1, (int fd, const void *bytes, size_t size), (fd, bytes, size), int, const void *, size_t)
WRAP(read, ssize_t, -1, (int fd, void *bytes, size_t size), (fd, bytes, size), int, void *, size_t)
WRAP(copy_file_range, ssize_t, -1, (int in, off64_t *at, int out, off64_t *to, size_t size, unsigned flags),
     (in, at, out, to, size, flags), int, off64_t *, int, off64_t *, size_t, unsigned)
WRAP(fsync, int, -1, (int fd), (fd), int)
WRAP(ftruncate64, int, -1, (int fd, off64_t size), (fd, size), int, off64_t)
WRAP(rename, int, -1, (const char *from, const char *to), (from, to), const char *, const char *)
WRAP(mkdir, int, -1, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
WRAP(mkdirat, int, -1, (int fd, const char *path, mode_t mode), (fd, path, mode), int, const char *, mode_t)
WRAP(link, int, -1, (const char *from, const char *to), (from, to), const char *, const char *)
WRAP(linkat, int, -1, (int fd, const char *from, int to_fd, const char *to, int flags), (fd, from, to_fd, to, flags), int,
     const char *, int, const char *, int)
WRAP(symlink, int, -1, (const char *to, const char *path), (to, path), const char *, const char *)
WRAP(symlinkat, int, -1, (const char *to, int fd, const char *path), (to, fd, path), const char *, int, const char *)
WRAP(unlink, int, -1, (const char *path), (path), const char *)
WRAP(unlinkat, int, -1, (int fd, const char *path, int flags), (fd, path, flags), int, const char *, int)
WRAP(rmdir, int, -1, (const char *path), (path), const char *)
WRAP(chmod, int, -1, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
WRAP(mkfifo, int, -1, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
WRAP(flock, int, -1, (int fd, int what), (fd, what), int, int)
WRAP(pipe2, int, -1, (int ends[2], int flags), (ends, flags), int *, int)
WRAP(dup2, int, -1, (int from, int to), (from, to), int, int)
WRAP(chdir, int, -1, (const char *path), (path), const char *)
WRAP(fork, pid_t, -1, (void), (), void)
WRAP(execve, int, -1, (const char *path, char *const argv[], char *const env[]), (path, argv, env), const char *,
     char *const *, char *const *)
WRAP(opendir, void *, NULL, (const char *path), (path), const char *)
WRAP(fopen64, FILE *, NULL, (const char *path, const char *mode), (path, mode), const char *, const char *)
WRAP(mysql_init, void *, NULL, (void *handle), (handle), void *)
WRAP(pthread_create, int, wanted_errno, (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *context),
     (thread, how, run, context), pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)

int open64(const char *path, int flags, ...)
{
	REAL(open64, int, const char *, int, ...);
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails("open64") ? -1 : real(path, flags, mode);
}

int openat64(int fd, const char *path, int flags, ...)
{
	REAL(openat64, int, int, const char *, int, ...);
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails("openat64") ? -1 : real(fd, path, flags, mode);
}

/*
 * Allocation. Before the library is ready, and for what it calls itself, memory comes from where it always does: glibc
 * has second names for its functions, so no dlsym is needed, which would allocate.
 */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return fails("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails("calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails("realloc") ? NULL : __libc_realloc(old, size);
}
