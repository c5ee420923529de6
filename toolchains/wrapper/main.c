/*
 * mymatrix-cc, called under the names of compilers: runs the real one with the bits and flags of the cell whose
 * "config" stands beside the name it was called by, takes a token of the job budget meanwhile, and logs the line.
 * The compiler's exit status or signal is ours. Only libc, and only a few files are touched: this runs thousands of
 * times in a build.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include "base/buffer.h"
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/stamp.h"
#include "toolchains/wrapper/config.h"
#include "toolchains/wrapper/environment.h"
#include "toolchains/wrapper/record.h"
#include "toolchains/wrapper/rewrite.h"

extern char **environ;

enum { CANNOT = 127, CONFIG_LIMIT = 1 << 20 };

static volatile sig_atomic_t compiler; /* its pid while it runs */
static volatile int stop_signal;
static pid_t parent;

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/*
 * Who is asked to stop stops its compiler. When the build tool is gone, whatever of this job is left in its process
 * group (the compiler's own children) is told as well: nobody else would.
 */
static void on_signal(int number)
{
	int saved = errno;
	stop_signal = number;
	if (compiler > 0)
		(void)kill((pid_t)compiler, number);
	if (getppid() != parent)
		(void)kill(0, number);
	errno = saved;
}

static void catch_signals(void)
{
	/* a second time, as kill(0) reaches us too, must not loop: the action is reset when it begins */
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND }, old;
	(void)sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			(void)sigaction(passed_on[i], &action, NULL);
	parent = getppid();
#if defined(__linux__)
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

static uint64_t now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The configuration beside the name that we were called by: a path, or the first along PATH that has one. Allocated. */
static char *find_config(const char *name)
{
	const char *slash = strrchr(name, '/');
	if (slash)
		return mm_format("%.*s/" MM_WRAPPER_CONFIG, (int)(slash - name), name);
	const char *path = getenv("PATH");
	for (const char *at = path ? path : ""; *at;) {
		size_t length = strcspn(at, ":");
		char *config = mm_format("%.*s/" MM_WRAPPER_CONFIG, (int)length, at);
		char *link = mm_format("%.*s/%s", (int)length, at, name);
		bool both = is_file(config) && access(link, X_OK) == 0;
		free(link);
		if (both)
			return config;
		free(config);
		at += length;
		at += *at == ':';
	}
	return NULL;
}

static int read_config(const char *path, struct mm_wrapper_config *config, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char chunk[1 << 12];
	ssize_t got;
	int code = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return mm_error_errno(err, "cannot open '%s'", path);
	while ((got = read(fd, chunk, sizeof chunk)) > 0 && text.length < CONFIG_LIMIT)
		mm_buffer_append(&text, chunk, (size_t)got);
	code = got < 0 ? mm_error_errno(err, "cannot read '%s'", path)
		       : mm_wrapper_config_read(path, mm_buffer_text(&text), text.length, config, err);
	close(fd);
	mm_buffer_release(&text);
	return code;
}

/* Does the link work with link-time optimisation whose number of jobs is left to it? gcc asks MAKEFLAGS then. */
static bool wants_jobs(const struct mm_line *line, const struct mm_words *words)
{
	bool wants = false;
	if (line->kind != MM_LINE_LINK && line->kind != MM_LINE_BUILD)
		return false;
	for (size_t i = 0; i < words->count; i++) {
		const char *text = words->items[i].text;
		if (words->items[i].mark == MM_WORD_REMOVED || strncmp(text, "-f", 2) != 0)
			continue;
		if (strcmp(text, "-flto=auto") == 0 || strcmp(text, "-flto=jobserver") == 0)
			wants = true;
		else if (strncmp(text, "-flto", 5) == 0 || strcmp(text, "-fno-lto") == 0)
			wants = false;
	}
	return wants;
}

/* The environment with our budget in MAKEFLAGS; only the last string is of the heap. */
static char **with_jobs(int fd)
{
	size_t count = 0, kept = 0;
	while (environ[count])
		count++;
	char **env = mm_calloc(count + 2, sizeof *env);
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "MAKEFLAGS=", 10) != 0 && strncmp(environ[i], "MFLAGS=", 7) != 0)
			env[kept++] = environ[i];
	env[kept] = mm_format("MAKEFLAGS= -j --jobserver-auth=%d,%d", fd, fd);
	return env;
}

/* Starts the compiler; signals are blocked so that none falls between its birth and our knowing its pid. */
static int start(char *const *argv, char *const *env, pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t all, before, normal;
	(void)sigfillset(&all);
	(void)sigemptyset(&normal);
	for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
		struct sigaction now;
		if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler == on_signal)
			(void)sigaddset(&normal, passed_on[i]);
	}
	(void)sigprocmask(SIG_BLOCK, &all, &before);
	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setsigdefault(&attributes, &normal);
	(void)posix_spawnattr_setsigmask(&attributes, &before);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	int why = stop_signal ? EINTR : posix_spawn(pid, argv[0], NULL, &attributes, argv, env);
	if (!why)
		compiler = (sig_atomic_t)*pid;
	(void)posix_spawnattr_destroy(&attributes);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return why;
}

static int run(struct mm_strings *argv, char *const *env, struct mm_record *record)
{
	struct rusage usage;
	pid_t pid;
	int status;
	uint64_t began = now_us();
	int why = start(argv->items, env, &pid);
	if (why)
		return why;
	pid_t ended;
	while ((ended = wait4(pid, &status, 0, &usage)) < 0 && errno == EINTR)
		;
	compiler = 0;
	if (ended < 0)
		return errno;
	record->wall_us = now_us() - began;
	record->peak_kib = (uint64_t)usage.ru_maxrss;
	record->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	record->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return 0;
}

/*
 * Says that the compiler was ended, in gcc's own words for one of its parts: build tools show our output only, and a
 * driver that was killed could say nothing itself.
 */
static void tell_signal(const char *program, int number)
{
	(void)fprintf(stderr, "mymatrix-cc: fatal error: %s signal terminated program %s\n", strsignal(number),
		      program);
}

/* Ends us as the compiler ended, by the same signal if need be, so that the build tool sees the difference. */
static int end_as(const struct mm_record *record)
{
	int number = record->signal ? record->signal : stop_signal;
	if (!number)
		return record->exit_status;
	struct rlimit none = { 0, 0 };
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t only;
	(void)setrlimit(RLIMIT_CORE, &none); /* a core is the compiler's to leave, not ours */
	(void)sigaction(number, &normal, NULL);
	(void)sigemptyset(&only);
	(void)sigaddset(&only, number);
	(void)sigprocmask(SIG_UNBLOCK, &only, NULL);
	(void)raise(number);
	return 128 + number;
}

static int fail(const char *what)
{
	(void)fprintf(stderr, "mymatrix-cc: %s\n", what);
	return CANNOT;
}

/* What is needed to the very end goes with the process: who looks for leaks finds it held here. */
static struct {
	struct mm_wrapper_config config;
	struct mm_record record;
	struct mm_strings argv;
	struct mm_buffer text;
	char **env;
	char *path, *what;
} own;

static int compile(const struct mm_wrapper_config *config, bool cxx, char **args, size_t count)
{
	const char *program = cxx ? config->cxx : config->cc;
	struct mm_record *record = &own.record;
	struct mm_token token;
	struct mm_line line;
	record->cwd = getcwd(NULL, 0);
	own.env = environ;
	mm_rewrite(config, cxx, args, count, &line, &record->words, record->cwd);
	mm_rewrite_argv(program, &record->words, &own.argv);
	record->kind = line.kind;
	record->language = line.language;
	record->probe = line.probe;
	uint64_t began = now_us();
	bool works = line.kind != MM_LINE_QUERY;
	if (!mm_token_take(works ? config->jobs : NULL, &token, &stop_signal))
		return end_as(record);
	record->wait_us = now_us() - began;
	int shared = wants_jobs(&line, &record->words) ? mm_token_share(&token, config->jobs) : -1;
	if (shared >= 0)
		own.env = with_jobs(shared);
	int why = run(&own.argv, own.env, record);
	mm_token_put(&token);
	if (why && stop_signal)
		return end_as(record); /* stopped before it began */
	if (why) {
		own.what = mm_format("cannot execute '%s': %s", program, strerror(why));
		return fail(own.what);
	}
	if (record->signal && !stop_signal)
		tell_signal(program, record->signal);
	if (line.output && record->exit_status == 0 && !record->signal && !record->probe)
		record->stamp = mm_file_stamp(line.output);
	mm_record_print(record, &own.text);
	if (mm_record_append(config->log, &own.text)) {
		/* an unlogged line is one that nobody can vouch for */
		own.what = mm_format("cannot write '%s': %s", config->log, strerror(errno));
		return fail(own.what);
	}
	return end_as(record);
}

/* The configuration stands in the folder of the cell's compilers. */
static void clean_environment(void)
{
	char *folder = mm_strdup(own.path);
	*strrchr(folder, '/') = '\0';
	mm_environment_clean(folder);
	free(folder);
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	if (argc < 1)
		return fail("called without a name");
	own.path = find_config(argv[0]);
	if (!own.path)
		return fail("there is no '" MM_WRAPPER_CONFIG "' beside this name along PATH: this program is called "
			    "by builds of mymatrix only");
	if (read_config(own.path, &own.config, &err))
		return fail(err.text);
	clean_environment();
	catch_signals();
	(void)signal(SIGCHLD, SIG_DFL); /* a build tool may ignore it, which we inherit: no end could be waited for */
	return compile(&own.config, mm_driver_is_cxx(argv[0]), argv + 1, (size_t)(argc - 1));
}
