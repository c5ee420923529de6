#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/guardian.h"
#include "base/memory.h"
#include "base/os.h"

enum { OUTPUT_LIMIT = 16 << 20, LINE_LIMIT = 1 << 16 };

void mm_process_clean_env(struct mm_strings *env, const char *home)
{
	const char *path = getenv("PATH");
	const char *temporary = getenv("TMPDIR");
	mm_strings_pushf(env, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
	mm_strings_pushf(env, "HOME=%s", home);
	mm_strings_push(env, "LANG=C");
	mm_strings_push(env, "LC_ALL=C");
	mm_strings_push(env, "TZ=UTC");
	if (temporary)
		mm_strings_pushf(env, "TMPDIR=%s", temporary);
}

/* Makes GROUP the one that the terminal belongs to, although we may be in the background. Async-signal-safe. */
static void hand_terminal(pid_t group)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	(void)sigaction(SIGTTOU, &ignore, &before);
	(void)tcsetpgrp(STDIN_FILENO, group);
	(void)sigaction(SIGTTOU, &before, NULL);
}

/* RESOURCE has an upper limit of BYTES (0: what it has), or the lower one that we have ourselves. Async-signal-safe. */
static int limit(int resource, uint64_t bytes)
{
	struct rlimit now;
	if (!bytes)
		return 0;
	if (getrlimit(resource, &now))
		return -1;
	if (now.rlim_max == RLIM_INFINITY || now.rlim_max > (rlim_t)bytes)
		now.rlim_max = (rlim_t)bytes;
	now.rlim_cur = now.rlim_max;
	return setrlimit(resource, &now);
}

/* Why a child never became the program. */
struct refusal {
	int why;      /* errno */
	bool at_exec; /* everything before went well */
};

/* The child between fork and exec: async-signal-safe calls only. Says why through FAILED and never returns. */
static _Noreturn void child(const struct mm_process_spec *spec, const char *program, char *const *env,
			    const int standard[3], int failed, bool foreground)
{
	struct sigaction normal = { .sa_handler = SIG_DFL }, ignore = { .sa_handler = SIG_IGN };
	struct refusal refusal = { .at_exec = false };
	sigset_t none;
	(void)sigemptyset(&none);
	(void)sigaction(SIGINT, &normal, NULL);
	(void)sigaction(SIGTERM, &normal, NULL);
	(void)sigaction(SIGHUP, &normal, NULL);
	(void)sigaction(SIGXFSZ, &normal, NULL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL); /* the guardian's end may be gone */
	/* a session of its own where it needs no terminal: Ninja puts every compiler into a group of its own */
	if ((spec->terminal ? setpgid(0, 0) : -(setsid() < 0)) || mm_guardian_register(getpid()) ||
	    mm_os_child_die_with_parent())
		goto fail;
	(void)sigaction(SIGPIPE, &normal, NULL);
	if (foreground)
		hand_terminal(getpid());
	for (int i = 0; i < 3 && !spec->terminal; i++)
		if (dup2(standard[i], i) < 0)
			goto fail;
	if (spec->cwd && chdir(spec->cwd))
		goto fail;
	if (spec->cpus && mm_os_child_pin(spec->cpus))
		goto fail;
	if (spec->no_aslr && mm_os_child_no_aslr())
		goto fail;
	if (limit(RLIMIT_DATA, spec->memory_bytes) || limit(RLIMIT_FSIZE, spec->file_bytes))
		goto fail;
	refusal.at_exec = true;
	execve(program, spec->argv, env);
fail:
	refusal.why = errno;
	ssize_t ignored = write(failed, &refusal, sizeof refusal);
	(void)ignored;
	_exit(127);
}

/* The program is not what the machine has no room for. */
static bool is_scarcity(int why)
{
	return why == EAGAIN || why == ENOMEM || why == EMFILE || why == ENFILE || why == EIO;
}

static int refuse(const struct mm_process_spec *spec, const char *program, const struct refusal *refusal,
		  struct mm_error *err)
{
	if (refusal->why == EPIPE && !refusal->at_exec)
		return mm_error_set(
			err, MM_EENV,
			"cannot start '%s': the process that guards what we start is gone (was it killed?); run "
			"again",
			program);
	if (is_scarcity(refusal->why))
		return mm_error_set(
			err, MM_EENV,
			"cannot start '%s': %s; give this machine more memory, processes or open files (see "
			"'ulimit -a') and run again",
			program, strerror(refusal->why));
	return mm_error_set(err, refusal->at_exec && spec->unfit ? spec->unfit : MM_EENV, "cannot %s '%s': %s",
			    refusal->at_exec ? "execute" : "prepare the start of", program, strerror(refusal->why));
}

/*
 * How many programs of ours live. When the last has ended, what these have left behind is nobody's: it goes. Until then
 * there is no telling whose it is.
 */
static pthread_mutex_t family = PTHREAD_MUTEX_INITIALIZER;
static unsigned living;
static pid_t counted_by; /* a process that was forked from us has none yet */

static void count_start(void)
{
	(void)pthread_mutex_lock(&family);
	if (counted_by != getpid())
		living = 0;
	counted_by = getpid();
	living++;
	(void)pthread_mutex_unlock(&family);
}

static void count_end(void)
{
	(void)pthread_mutex_lock(&family);
	if (counted_by == getpid() && --living == 0)
		mm_os_kill_orphans(mm_guardian_pid());
	(void)pthread_mutex_unlock(&family);
}

/* Forks; returns 0 once exec succeeded. STANDARD: the child's standard input, output and error. */
static int spawn(const struct mm_process_spec *spec, const char *program, const int standard[3],
		 struct mm_process *process, struct mm_error *err)
{
	struct refusal refusal = { .at_exec = false };
	int failed[2];
	struct mm_strings clean = MM_STRINGS_INIT;
	if (!spec->env)
		mm_process_clean_env(&clean, "/nonexistent");
	if (pipe2(failed, O_CLOEXEC)) {
		mm_strings_release(&clean);
		return mm_error_errno(err, "cannot make a pipe");
	}
	bool foreground = spec->terminal && tcgetpgrp(STDIN_FILENO) == getpgrp();
	count_start();
	pid_t pid = fork();
	if (pid == 0)
		child(spec, program, spec->env ? spec->env : clean.items, standard, failed[1], foreground);
	refusal.why = errno;
	close(failed[1]);
	mm_strings_release(&clean);
	if (pid < 0) {
		count_end();
		close(failed[0]);
		return refuse(spec, program, &refusal, err);
	}
	ssize_t got;
	while ((got = read(failed[0], &refusal, sizeof refusal)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	if (got == (ssize_t)sizeof refusal) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		mm_guardian_forget(pid);
		count_end();
		if (foreground)
			hand_terminal(getpgrp());
		return refuse(spec, program, &refusal, err);
	}
	process->pid = pid;
	process->foreground = foreground;
	return 0;
}

static int open_output(const char *log, struct mm_error *err)
{
	const char *path = log ? log : "/dev/null";
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		(void)mm_error_errno(err, "cannot open '%s'", path);
	return fd;
}

static int start(const struct mm_process_spec *spec, int out, struct mm_process *process, struct mm_error *err)
{
	int code = 0, standard[3] = { -1, out, out };
	process->pid = 0;
	char *program = mm_fs_find_program(spec->argv[0]);
	if (!program)
		return mm_error_set(err, spec->unfit ? spec->unfit : MM_EENV,
				    "cannot find the program '%s': install it or put it on PATH", spec->argv[0]);
	const char *input = spec->input ? spec->input : "/dev/null";
	standard[0] = open(input, O_RDONLY | O_CLOEXEC);
	if (standard[0] < 0)
		code = mm_error_errno(err, "cannot open '%s'", input);
	if (!code && spec->errors && (standard[2] = open_output(spec->errors, err)) < 0)
		code = MM_EENV;
	if (!code)
		code = mm_guardian_start(err);
	if (!code)
		code = spawn(spec, program, standard, process, err);
	if (standard[0] >= 0)
		close(standard[0]);
	if (standard[2] >= 0 && standard[2] != out)
		close(standard[2]);
	free(program);
	return code;
}

static int start_piped(const struct mm_process_spec *spec, struct mm_process *process, struct mm_error *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return mm_error_errno(err, "cannot make a pipe");
	int code = fcntl(ends[0], F_SETFL, O_NONBLOCK) ? mm_error_errno(err, "cannot make a pipe")
						       : start(spec, ends[1], process, err);
	close(ends[1]);
	if (code)
		close(ends[0]);
	else
		process->output = ends[0];
	return code;
}

int mm_process_start(const struct mm_process_spec *spec, struct mm_process *process, struct mm_error *err)
{
	*process = (struct mm_process){ .output = -1 };
	if (spec->piped)
		return start_piped(spec, process, err);
	int out = open_output(spec->log, err);
	if (out < 0)
		return MM_EENV;
	int code = start(spec, out, process, err);
	close(out);
	return code;
}

/* The program is dead and reaped: what it has left goes too, and RESULT is filled. */
static void bury(struct mm_process *process, int status, const struct rusage *usage, struct mm_process_result *result)
{
	mm_os_kill_session(process->pid);
	mm_guardian_forget(process->pid);
	count_end();
	process->pid = 0;
	if (process->foreground)
		hand_terminal(getpgrp());
	process->foreground = false;
	if (!result)
		return;
	result->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	result->user_ns = (uint64_t)usage->ru_utime.tv_sec * 1000000000U + (uint64_t)usage->ru_utime.tv_usec * 1000U;
	result->system_ns = (uint64_t)usage->ru_stime.tv_sec * 1000000000U + (uint64_t)usage->ru_stime.tv_usec * 1000U;
	result->peak_rss_bytes = (uint64_t)usage->ru_maxrss * 1024U;
}

static int look(struct mm_process *process, struct mm_process_result *result)
{
	int status;
	struct rusage usage;
	pid_t pid = wait4(process->pid, &status, process->foreground ? WNOHANG | WUNTRACED : WNOHANG, &usage);
	if (pid < 0 && errno == ECHILD) { /* somebody else has waited for it: it is gone, and nobody knows how */
		bury(process, 0, &(struct rusage){ 0 }, result);
		if (result)
			result->exit_status = -1;
		return 1;
	}
	if (pid != process->pid)
		return 0;
	if (WIFSTOPPED(status)) { /* nobody could wake it again: its shell is us */
		(void)kill(-process->pid, SIGCONT);
		return 0;
	}
	bury(process, status, &usage, result);
	return 1;
}

int mm_process_wait(struct mm_process *process, int timeout_ms, struct mm_process_result *result, struct mm_error *err)
{
	uint64_t end = mm_now_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000U;
	for (;;) {
		if (process->pid == 0 || look(process, result))
			return 1;
		if (timeout_ms >= 0 && mm_now_ns() >= end)
			return 0;
		int code = mm_signals_check(err);
		if (code)
			return code;
		(void)poll(NULL, 0, 5); /* a child's end is no descriptor everywhere; 5 ms is below what any caller measures */
	}
}

void mm_process_stop(struct mm_process *process, int signal_number, int grace_ms, struct mm_process_result *result)
{
	if (process->pid == 0)
		return;
	(void)kill(-process->pid, signal_number);
	uint64_t end = mm_now_ns() + (uint64_t)grace_ms * 1000000U;
	while (mm_now_ns() < end) {
		if (look(process, result))
			return;
		(void)poll(NULL, 0, 5);
	}
	(void)kill(-process->pid, SIGKILL);
	while (!look(process, result))
		(void)poll(NULL, 0, 1);
}

/* What mm_process_run does with the bytes that come: log, buffer, lines. */
struct drain {
	const struct mm_process_spec *spec;
	int log;
	struct mm_buffer line;
	int failed; /* errno of the log, 0 while it is well */
};

static void take(struct drain *drain, const char *bytes, size_t length)
{
	const struct mm_process_spec *spec = drain->spec;
	if (spec->log) {
		for (size_t done = 0; done < length;) {
			ssize_t put = write(drain->log, bytes + done, length - done);
			if (put < 0 && errno == EINTR)
				continue;
			if (put < 0) {
				drain->failed = errno;
				break;
			}
			done += (size_t)put;
		}
	}
	if (spec->output && spec->output->length + length <= OUTPUT_LIMIT)
		mm_buffer_append(spec->output, bytes, length);
	if (!spec->on_line)
		return;
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\n' && bytes[i] != '\r' && drain->line.length < LINE_LIMIT) {
			mm_buffer_putc(&drain->line, bytes[i]);
		} else if (drain->line.length) {
			spec->on_line(spec->context, drain->line.data);
			mm_buffer_reset(&drain->line);
		}
	}
}

/* Reads until the program ended and its pipe is empty. Returns 0, 1 on time-out, MM_EINTERRUPTED. */
static int pump(struct drain *drain, int in, struct mm_process *process, struct mm_process_result *result,
		struct mm_error *err)
{
	unsigned limit = drain->spec->timeout_seconds;
	uint64_t end = mm_now_ns() + (uint64_t)limit * 1000000000U;
	char chunk[1 << 14];
	bool open_end = true;
	while (process->pid || open_end) {
		int code = mm_signals_check(err);
		if (code)
			return code;
		if (limit && mm_now_ns() >= end)
			return 1;
		struct pollfd wait = { .fd = open_end ? in : -1, .events = POLLIN };
		/* a background grandchild may keep the pipe open after the program's end: look at both; once the pipe
		   is closed the end is near */
		int ready = poll(&wait, 1, open_end ? 20 : 1);
		if (ready > 0) {
			ssize_t got = read(in, chunk, sizeof chunk);
			if (got > 0)
				take(drain, chunk, (size_t)got);
			else if (got == 0)
				open_end = false;
			continue;
		}
		if (process->pid == 0)
			break;
		(void)look(process, result);
	}
	return 0;
}

int mm_process_run(const struct mm_process_spec *spec, struct mm_process_result *result, struct mm_error *err)
{
	struct mm_process process = { 0 };
	struct drain drain = { .spec = spec, .log = -1, .line = MM_BUFFER_INIT };
	struct mm_process_result own;
	int ends[2] = { -1, -1 };
	int code = 0;
	uint64_t begin = mm_now_ns();
	if (!result)
		result = &own;
	*result = (struct mm_process_result){ 0 };
	if (spec->log && (drain.log = open_output(spec->log, err)) < 0)
		return MM_EENV;
	if (pipe2(ends, O_CLOEXEC)) {
		code = mm_error_errno(err, "cannot make a pipe");
		goto out;
	}
	code = start(spec, ends[1], &process, err);
	close(ends[1]);
	if (code)
		goto out;
	code = pump(&drain, ends[0], &process, result, err);
	if (code)
		mm_process_stop(&process, SIGTERM, 2000, result);
	if (code == 1) {
		result->timed_out = true;
		result->exit_status = -1; /* also of one that ended as if all were well when it was told to */
		code = 0;
	}
	if (drain.line.length)
		spec->on_line(spec->context, drain.line.data);
	if (!code && drain.failed) {
		errno = drain.failed;
		code = mm_error_errno(err, "cannot write '%s'", spec->log);
	}
	result->wall_ns = mm_now_ns() - begin;
out:
	if (ends[0] >= 0)
		close(ends[0]);
	if (drain.log >= 0)
		close(drain.log);
	mm_buffer_release(&drain.line);
	return code;
}

/* "SIGKILL"; the names that C libraries have for this are theirs alone. */
static void name_signal(int number, char *text, size_t size)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ SIGHUP, "HUP" },   { SIGINT, "INT" },	  { SIGQUIT, "QUIT" }, { SIGILL, "ILL" },   { SIGTRAP, "TRAP" },
		{ SIGABRT, "ABRT" }, { SIGBUS, "BUS" },	  { SIGFPE, "FPE" },   { SIGKILL, "KILL" }, { SIGUSR1, "USR1" },
		{ SIGSEGV, "SEGV" }, { SIGUSR2, "USR2" }, { SIGPIPE, "PIPE" }, { SIGALRM, "ALRM" }, { SIGTERM, "TERM" },
		{ SIGXCPU, "XCPU" }, { SIGXFSZ, "XFSZ" }, { SIGSYS, "SYS" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].number == number) {
			(void)snprintf(text, size, "SIG%s", names[i].name);
			return;
		}
	}
	(void)snprintf(text, size, "signal %d", number);
}

const char *mm_process_describe(const struct mm_process_result *result, char text[64])
{
	char name[32];
	if (result->signal)
		name_signal(result->signal, name, sizeof name);
	if (result->timed_out)
		(void)snprintf(text, 64, "timed out");
	else if (result->signal)
		(void)snprintf(text, 64, "killed by %s", name);
	else if (result->exit_status < 0)
		(void)snprintf(text, 64, "gone, nobody knows how");
	else
		(void)snprintf(text, 64, "exit status %d", result->exit_status);
	return text;
}
