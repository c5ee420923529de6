/* The takers' half of the job budget. Nothing but libc here: the compiler wrapper is linked with it. */
#include "base/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 1000 }; /* how often a waiting taker looks whether the budget's owner still lives */

static int lock_byte(int fd, int command, short type, off_t byte)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
	int code;
	do
		code = fcntl(fd, command, &lock);
	while (code && errno == EINTR && command == F_SETLKW);
	if (command == F_GETLK && code == 0)
		return lock.l_type != F_UNLCK;
	return code;
}

static int open_in(const char *folder, const char *name, int flags)
{
	char path[4096];
	int length = snprintf(path, sizeof path, "%s/%s", folder, name);
	return length > 0 && (size_t)length < sizeof path ? open(path, flags) : -1;
}

static void let_go(struct mm_token *token)
{
	if (token->pipe >= 0)
		close(token->pipe);
	if (token->holders >= 0)
		close(token->holders); /* and every lock with it */
	token->pipe = token->holders = -1;
}

/*
 * A byte and a lock that says whose it is, taken inside the gate: who counts tokens closes the gate first and so
 * never sees one without the other.
 */
static bool try_to_take(struct mm_token *token)
{
	bool taken = false;
	if (lock_byte(token->holders, F_SETLKW, F_RDLCK, MM_JOBS_GATE))
		return false;
	if (read(token->pipe, &token->byte, 1) == 1) {
		token->slot = 0;
		while (token->slot < MM_JOBS_MOST - 1 &&
		       lock_byte(token->holders, F_SETLK, F_WRLCK, MM_JOBS_FIRST_SLOT + token->slot))
			token->slot++;
		taken = true;
	}
	(void)lock_byte(token->holders, F_SETLK, F_UNLCK, MM_JOBS_GATE);
	return taken;
}

bool mm_token_take(const char *folder, struct mm_token *token, const volatile int *stop)
{
	*token = (struct mm_token){ .pipe = -1, .holders = -1 };
	if (!folder)
		return true;
	token->holders = open_in(folder, MM_JOBS_HOLDERS, O_RDWR | O_CLOEXEC);
	token->pipe = open_in(folder, MM_JOBS_PIPE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	while (token->holders >= 0 && token->pipe >= 0) {
		if (stop && *stop) {
			let_go(token);
			return false;
		}
		if (lock_byte(token->holders, F_GETLK, F_WRLCK, MM_JOBS_OWNER) != 1)
			break; /* the owner is gone, and with it whoever would put tokens back */
		if (try_to_take(token))
			return true;
		struct pollfd wait = { .fd = token->pipe, .events = POLLIN };
		(void)poll(&wait, 1, LOOK_MS);
	}
	let_go(token);
	return true;
}

void mm_token_put(struct mm_token *token)
{
	if (token->pipe < 0)
		return;
	(void)lock_byte(token->holders, F_SETLKW, F_RDLCK, MM_JOBS_GATE);
	while (write(token->pipe, &token->byte, 1) < 0 && errno == EINTR)
		;
	let_go(token);
}

int mm_token_share(struct mm_token *token, const char *folder)
{
	if (token->pipe < 0 || lock_byte(token->holders, F_SETLKW, F_RDLCK, MM_JOBS_SHARED))
		return -1;
	/* opened anew: the mode of our own descriptor is none of the program's business, nor its close-on-exec */
	return open_in(folder, MM_JOBS_PIPE, O_RDWR);
}
