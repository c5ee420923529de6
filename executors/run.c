#include "executors/executor.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"

enum { HOLDER_ROOM = 32, LOOK_EVERY_MS = 200 };

static void read_holder(int fd, char holder[HOLDER_ROOM])
{
	ssize_t got = pread(fd, holder, HOLDER_ROOM - 1, 0);
	holder[got > 0 ? got : 0] = '\0';
	holder[strspn(holder, "0123456789")] = '\0';
	if (!*holder)
		(void)snprintf(holder, HOLDER_ROOM, "unknown");
}

/* Until whoever has the lock is gone, or another one who was quicker, or a signal comes. */
static int wait_for_holder(const char *work, int fd, struct mm_error *err)
{
	char holder[HOLDER_ROOM];
	int code = 0;
	read_holder(fd, holder);
	mm_warn("work folder '%s' is in use by mymatrix with pid %s: waiting for it", work, holder);
	while (!code && flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return mm_error_errno(err, "cannot lock '%s/lock'", work);
		(void)poll(NULL, 0, LOOK_EVERY_MS);
		code = mm_signals_check(err);
	}
	return code;
}

static int tell_holder(const char *work, int fd, struct mm_error *err)
{
	char holder[HOLDER_ROOM];
	read_holder(fd, holder);
	return mm_error_set(err, MM_EENV,
			    "work folder '%s' is in use by mymatrix with pid %s: wait for it (with --wait), or use another folder "
			    "with --work", work, holder);
}

/* A folder in which nothing can be written is another user's, most often: theirs is the name to know. */
static int open_lock(const char *work, const char *path, int *lock, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	struct stat st;
	int code = mm_fs_open_lock(path, lock, &why);
	if (!code)
		return 0;
	if (stat(work, &st) || st.st_uid == geteuid())
		return mm_error_set(err, why.code, "%s", why.text);
	char names[1024];
	struct passwd entry, *owner = NULL;
	(void)getpwuid_r(st.st_uid, &entry, names, sizeof names, &owner);
	return mm_error_set(err, why.code, "%s: the work folder is of user '%s' (%lu): work there as that user, or use another folder "
			    "with --work", why.text, owner ? owner->pw_name : "unknown", (unsigned long)st.st_uid);
}

/* For whoever finds the lock taken; the kernel drops the lock with us, whatever stands here. */
static int leave_pid(const char *path, int fd, struct mm_error *err)
{
	char pid[32];
	int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)length, 0) != length)
		return mm_error_errno(err, "cannot write lock '%s'", path);
	return 0;
}

int mm_work_lock(const char *work, bool wait, int *lock, struct mm_error *err)
{
	char *path = mm_path_join(work, "lock");
	int code = open_lock(work, path, lock, err);
	if (!code && flock(*lock, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK)
			code = mm_error_errno(err, "cannot lock '%s'", path);
		else
			code = wait ? wait_for_holder(work, *lock, err) : tell_holder(work, *lock, err);
	}
	if (!code)
		code = leave_pid(path, *lock, err);
	if (code && *lock >= 0) {
		close(*lock);
		*lock = -1;
	}
	free(path);
	return code;
}

int mm_run_jobs(const struct mm_matrix *matrix)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	return matrix->build.jobs > 0 ? matrix->build.jobs : cpus > 0 ? (int)cpus : 1;
}

void mm_run_init(const struct mm_matrix *matrix, const char *work, struct mm_run *run)
{
	*run = (struct mm_run){ .matrix = matrix, .lock = -1 };
	run->work = mm_path_absolute(NULL, work);
	run->cells = mm_calloc(matrix->cell_count, sizeof *run->cells);
	run->store = (struct mm_store){ .work = run->work,
					.jobs = mm_run_jobs(matrix),
					.policy = &matrix->build,
					.matrix = matrix,
					.cache = mm_build_cache_new() };
}

/* Everything that compiles shares one budget; a file system without named pipes is no reason not to build. */
static void open_budget(struct mm_run *run)
{
	struct mm_error why = MM_ERROR_INIT;
	char fewer[200], *folder = mm_path_join(run->work, "jobs");
	run->store.jobs = mm_jobs_fit(run->store.jobs, mm_os_memory_available(), fewer, sizeof fewer);
	if (*fewer)
		mm_warn("%s", fewer);
	if (mm_jobserver_start(&run->budget, folder, run->store.jobs, &why) == 0)
		run->store.budget = &run->budget;
	else
		mm_warn("builds do without a common job budget: %s", why.text);
	free(folder);
}

int mm_run_open(const struct mm_matrix *matrix, const struct mm_run_options *options, struct mm_run *run,
		struct mm_error *err)
{
	mm_run_init(matrix, options->work, run);
	run->store.retry_failed = options->retry_failed;
	int code = mm_fs_mkdirs(run->work, 0755, err);
	if (!code)
		code = mm_work_lock(run->work, options->wait, &run->lock, err);
	if (!code)
		open_budget(run);
	if (code)
		mm_run_close(run);
	return code;
}

void mm_run_close(struct mm_run *run)
{
	for (size_t i = 0; run->cells && i < run->matrix->cell_count; i++) {
		mm_build_release(&run->cells[i].build);
		free(run->cells[i].failure);
	}
	free(run->cells);
	mm_build_cache_free(run->store.cache);
	mm_jobserver_stop(&run->budget);
	free(run->folder);
	free(run->name);
	free(run->work);
	if (run->lock >= 0)
		close(run->lock);
	*run = (struct mm_run){ .lock = -1 };
}
