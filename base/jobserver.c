#include "base/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"

/* What the largest translation units of MySQL and MariaDB take with gcc at -O3, and some for the rest. */
#define JOB_BYTES ((uint64_t)768 << 20)

static int lock_byte(int fd, short type, off_t byte)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	return fcntl(fd, F_SETLK, &lock);
}

static bool is_locked(int fd, off_t byte)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int fill(int fd, int tokens)
{
	while (tokens > 0) {
		ssize_t put = write(fd, "+", 1);
		if (put < 0 && errno != EINTR)
			return -1;
		tokens -= put == 1;
	}
	return 0;
}

static int open_holders(struct mm_jobserver *server, struct mm_error *err)
{
	char *path = mm_path_join(server->folder, MM_JOBS_HOLDERS);
	int code = 0;
	(void)unlink(path); /* who holds one of an earlier run keeps that file, not ours */
	server->holders = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (server->holders < 0 || lock_byte(server->holders, F_WRLCK, MM_JOBS_OWNER))
		code = mm_error_errno(err, "cannot make and lock '%s'", path);
	free(path);
	return code;
}

static int open_pipe(struct mm_jobserver *server, struct mm_error *err)
{
	char *path = mm_path_join(server->folder, MM_JOBS_PIPE);
	int code = 0;
	(void)unlink(path);
	if (mkfifo(path, 0600) == 0)
		server->pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (server->pipe < 0 || fill(server->pipe, server->tokens))
		code = mm_error_errno(err, "cannot make the named pipe '%s'", path);
	free(path);
	return code;
}

int mm_jobserver_start(struct mm_jobserver *server, const char *folder, int tokens, struct mm_error *err)
{
	*server = (struct mm_jobserver){ .folder = mm_strdup(folder), .pipe = -1, .holders = -1 };
	server->tokens = tokens < 1 ? 1 : tokens < MM_JOBS_MOST ? tokens : MM_JOBS_MOST;
	int code = mm_fs_mkdirs(folder, 0755, err);
	/* holders first: a taker that finds it without the pipe has no budget, which is no harm */
	if (!code)
		code = open_holders(server, err);
	if (!code)
		code = open_pipe(server, err);
	if (code)
		mm_jobserver_stop(server);
	return code;
}

int mm_jobserver_join(struct mm_jobserver *server, const char *folder, int tokens, struct mm_error *err)
{
	char *pipe = mm_path_join(folder, MM_JOBS_PIPE), *holders = mm_path_join(folder, MM_JOBS_HOLDERS);
	*server = (struct mm_jobserver){ .folder = mm_strdup(folder), .tokens = tokens };
	server->holders = open(holders, O_RDWR | O_CLOEXEC);
	server->pipe = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int code = server->holders < 0 || server->pipe < 0
			   ? mm_error_errno(err, "cannot take part in the job budget of '%s'", folder)
			   : 0;
	if (code)
		mm_jobserver_stop(server);
	free(holders);
	free(pipe);
	return code;
}

int mm_jobserver_reclaim(struct mm_jobserver *server)
{
	int free_tokens = 0, held = 0;
	char byte;
	if (!server->folder || lock_byte(server->holders, F_WRLCK, MM_JOBS_SHARED))
		return 0;
	/* somebody is about to take or to put one: nothing is lost by looking another time, but it takes an instant */
	struct flock gate = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = MM_JOBS_GATE, .l_len = 1 };
	while (fcntl(server->holders, F_SETLKW, &gate) && errno == EINTR)
		;
	while (read(server->pipe, &byte, 1) == 1)
		free_tokens++;
	for (int slot = 0; slot < MM_JOBS_MOST; slot++)
		held += is_locked(server->holders, MM_JOBS_FIRST_SLOT + slot);
	int lost = server->tokens - free_tokens - held;
	if (lost < 0)
		lost = 0;
	(void)fill(server->pipe, free_tokens + lost);
	(void)lock_byte(server->holders, F_UNLCK, MM_JOBS_GATE);
	(void)lock_byte(server->holders, F_UNLCK, MM_JOBS_SHARED);
	return lost;
}

void mm_jobserver_stop(struct mm_jobserver *server)
{
	if (!server->folder)
		return;
	if (server->pipe >= 0)
		close(server->pipe);
	if (server->holders >= 0)
		close(server->holders);
	free(server->folder);
	*server = (struct mm_jobserver){ .pipe = -1, .holders = -1 };
}

int mm_jobs_fit(int wanted, uint64_t memory, char *text, unsigned size)
{
	uint64_t most = memory / JOB_BYTES;
	*text = '\0';
	if (wanted < 1)
		wanted = 1;
	if (memory == MM_UNKNOWN || most >= (uint64_t)wanted)
		return wanted;
	int jobs = most ? (int)most : 1;
	if (jobs < wanted)
		(void)snprintf(text, size,
			       "jobs lowered from %d to %d: %.1f GiB of memory are free, and a compiler may need %.2f",
			       wanted, jobs, (double)memory / (1 << 30), (double)JOB_BYTES / (1 << 30));
	return jobs;
}
