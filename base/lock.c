#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"

enum { LOOK_EVERY_MS = 100, SAY_AFTER = 50 };

/* Is PATH still the file that was locked? Its last holder has removed it perhaps, and somebody else made it again. */
static bool is_current(int descriptor, const char *path)
{
	struct stat held, named;
	return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

/* 1: taken, 0: somebody has it (or the file has just gone), else an error. */
static int try_once(struct mm_lock *lock, struct mm_error *err)
{
	int fd, code = mm_fs_open_lock(lock->path, &fd, err);
	if (code)
		return code;
	bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
	int why = errno;
	if (locked && is_current(fd, lock->path)) {
		lock->descriptor = fd;
		return 1;
	}
	close(fd);
	if (locked || why == EWOULDBLOCK || why == EINTR)
		return 0;
	errno = why;
	return mm_error_errno(err, "cannot lock '%s'", lock->path);
}

int mm_lock_take(struct mm_lock *lock, const char *path, const char *what, struct mm_error *err)
{
	*lock = (struct mm_lock){ -1, mm_strdup(path) };
	char *folder = mm_path_folder(path);
	int code = mm_fs_mkdirs(folder, 0755, err);
	free(folder);
	for (unsigned tries = 0; !code; tries++) {
		code = try_once(lock, err);
		if (code == 1)
			return 0;
		if (!code)
			code = mm_signals_check(err);
		if (tries == SAY_AFTER)
			mm_event_stage(MM_EVENT_NOTE, NULL, "waiting for another process", what);
		if (!code)
			(void)poll(NULL, 0, LOOK_EVERY_MS);
	}
	mm_lock_release(lock);
	return code;
}

void mm_lock_release(struct mm_lock *lock)
{
	if (lock->descriptor >= 0) {
		(void)unlink(lock->path);
		close(lock->descriptor);
	}
	free(lock->path);
	*lock = (struct mm_lock)MM_LOCK_INIT;
}
