#include "base/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"

/* Messages are single writes of a pid, positive to register and negative to forget: shorter than PIPE_BUF, so atomic. */
static int pipe_out = -1;
static pid_t started_by, guardian;

static void kill_all(const pid_t *groups, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mm_os_kill_session(groups[i]);
}

static _Noreturn void guard(int in)
{
	pid_t *groups = NULL;
	size_t count = 0, capacity = 0;
	pid_t message;
	ssize_t got;
	while ((got = read(in, &message, sizeof message)) == (ssize_t)sizeof message || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		if (message > 0) {
			groups = mm_grow(groups, count, &capacity, sizeof *groups);
			groups[count++] = message;
			continue;
		}
		for (size_t i = 0; i < count; i++)
			if (groups[i] == -message)
				groups[i--] = groups[--count];
	}
	kill_all(groups, count);
	_exit(0);
}

int mm_guardian_start(struct mm_error *err)
{
	if (pipe_out >= 0 && started_by == getpid())
		return 0;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return mm_error_errno(err, "cannot make a pipe");
	mm_os_adopt_orphans();
	pid_t pid = fork();
	if (pid < 0) {
		int code = mm_error_errno(err, "cannot start a process");
		close(ends[0]);
		close(ends[1]);
		return code;
	}
	if (pid == 0) {
		/* Nothing of ours may be kept open by it, and no terminal signal may reach it. */
		(void)setsid();
		mm_os_name_process("mm-guardian"); /* who kills all that is called mymatrix is to leave it its work */
		struct sigaction ignore = { .sa_handler = SIG_IGN };
		(void)sigaction(SIGINT, &ignore, NULL);
		(void)sigaction(SIGTERM, &ignore, NULL);
		(void)sigaction(SIGHUP, &ignore, NULL);
		if (dup2(ends[0], 0) < 0)
			_exit(1);
		int null = open("/dev/null", O_RDWR);
		(void)dup2(null, 1);
		(void)dup2(null, 2);
		mm_os_close_from(3);
		guard(0);
	}
	close(ends[0]);
	pipe_out = ends[1];
	started_by = getpid();
	guardian = pid;
	return 0;
}

pid_t mm_guardian_pid(void)
{
	return started_by == getpid() ? guardian : 0;
}

int mm_guardian_register(pid_t group)
{
	return write(pipe_out, &group, sizeof group) == (ssize_t)sizeof group ? 0 : -1;
}

void mm_guardian_forget(pid_t group)
{
	pid_t message = -group;
	ssize_t ignored = write(pipe_out, &message, sizeof message);
	(void)ignored;
}
