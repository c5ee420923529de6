#include "builders/landing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"

int mm_landing_open(struct mm_landing *landing, const char *folder, bool package, bool strip_top, struct mm_error *err)
{
	*landing = (struct mm_landing){ .package = package, .fixed = strip_top ? 1 : 0, .parent_fd = -1 };
	landing->root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (landing->root < 0)
		return mm_error_errno(err, "cannot open folder '%s'", folder);
	return 0;
}

static void forget_parent(struct mm_landing *landing)
{
	if (landing->parent_fd >= 0)
		close(landing->parent_fd);
	landing->parent_fd = -1;
	free(landing->parent);
	landing->parent = NULL;
}

void mm_landing_close(struct mm_landing *landing)
{
	forget_parent(landing);
	if (landing->root >= 0)
		close(landing->root);
	landing->root = -1;
}

int mm_landing_clean(const char *path, char **clean, struct mm_error *err)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	*clean = NULL;
	if (*path == '/')
		return mm_error_set(err, MM_ECELL, "entry '%s' has an absolute path", path);
	if (strlen(path) >= PATH_MAX)
		return mm_error_set(err, MM_ECELL, "entry '%.64s…' has a path of %zu bytes", path, strlen(path));
	for (const char *at = path; *at;) {
		at += strspn(at, "/");
		size_t length = strcspn(at, "/");
		if (length == 2 && at[0] == '.' && at[1] == '.') {
			mm_buffer_release(&out);
			return mm_error_set(err, MM_ECELL, "entry '%s' climbs out with '..'", path);
		}
		if (length && !(length == 1 && *at == '.')) {
			if (out.length)
				mm_buffer_putc(&out, '/');
			mm_buffer_append(&out, at, length);
		}
		at += length;
	}
	*clean = mm_buffer_detach(&out);
	return 0;
}

/* The entry PATH cannot be made as WHAT: by errno the archive's fault, or the machine's. */
static int refused(const char *what, const char *path, struct mm_error *err)
{
	static const int own[] = { EEXIST, EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP, EILSEQ, EINVAL };
	int why = errno;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (why == own[i])
			return mm_error_set(err, MM_ECELL, "entry '%s' cannot be made as a %s: %s", path, what,
					    why == EEXIST ? "an earlier entry made a folder of it" : strerror(why));
	return mm_error_errno(err, "cannot make the %s '%s'", what, path);
}

/* Opens the folder NAME below *FD, which is closed and replaced; MAKEs it when it is missing. Never follows a link. */
static int step(int *fd, const char *name, bool make, mode_t mode, const char *path, struct mm_error *err)
{
	int from = *fd, why = 0;
	*fd = -1;
	if (make && mkdirat(from, name, mode) && errno != EEXIST)
		why = errno;
	if (!why && (*fd = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		why = errno;
	close(from);
	if (why == ELOOP || why == ENOTDIR)
		return mm_error_set(err, MM_ECELL,
				    "entry '%s' goes through '%s', which an earlier entry made a link or a file", path,
				    name);
	errno = why;
	return why ? refused("folder", path, err) : 0;
}

/* Opens the clean path FOLDER from the root. */
static int walk(struct mm_landing *landing, const char *folder, bool make, const char *path, int *fd,
		struct mm_error *err)
{
	int code = 0;
	*fd = fcntl(landing->root, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		return mm_error_errno(err, "cannot open the folder of entry '%s'", path);
	while (!code && *folder) {
		size_t length = strcspn(folder, "/");
		char *name = mm_strndup(folder, length);
		code = step(fd, name, make, 0755, path, err);
		free(name);
		folder += length + (folder[length] == '/');
	}
	return code;
}

/* *FD becomes the descriptor (borrowed) of the folder that holds the clean path PATH; *NAME is its last component. */
static int parent(struct mm_landing *landing, const char *path, int *fd, const char **name, struct mm_error *err)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	*name = slash ? slash + 1 : path;
	*fd = landing->root;
	if (!slash)
		return 0;
	if (!landing->parent || strncmp(landing->parent, path, length) != 0 || landing->parent[length]) {
		forget_parent(landing);
		char *folder = mm_strndup(path, length);
		int code = walk(landing, folder, true, path, &landing->parent_fd, err);
		if (code) {
			free(folder);
			return code;
		}
		landing->parent = folder;
	}
	*fd = landing->parent_fd;
	return 0;
}

/* Cleans PATH into *CLEAN, opens its folder into *FD (borrowed) and points *NAME into *CLEAN. */
static int locate(struct mm_landing *landing, const char *path, char **clean, int *fd, const char **name,
		  struct mm_error *err)
{
	int code = mm_landing_clean(path, clean, err);
	if (code)
		return code;
	if (!**clean)
		return mm_error_set(err, MM_ECELL, "entry '%s' would replace the target folder itself", path);
	return parent(landing, *clean, fd, name, err);
}

int mm_landing_folder(struct mm_landing *landing, const char *path, mode_t mode, struct mm_error *err)
{
	char *clean = NULL;
	const char *name;
	int fd;
	int code = mm_landing_clean(path, &clean, err);
	if (code || !*clean)
		goto out;
	code = parent(landing, clean, &fd, &name, err);
	if (code)
		goto out;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		code = mm_error_errno(err, "cannot make folder '%s'", clean);
		goto out;
	}
	code = step(&fd, name, true, (mode & 0777) | 0700, clean, err);
	if (!code)
		close(fd);
out:
	free(clean);
	return code;
}

/* Whatever an earlier entry put at NAME goes; a folder stays and makes the caller fail. */
static void make_room(int fd, const char *name)
{
	(void)unlinkat(fd, name, 0);
}

int mm_landing_file(struct mm_landing *landing, const char *path, mode_t mode, int *fd, struct mm_error *err)
{
	char *clean = NULL;
	const char *name;
	int folder;
	*fd = -1;
	int code = locate(landing, path, &clean, &folder, &name, err);
	if (!code) {
		const int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
		*fd = openat(folder, name, how, (mode & 0777) | 0600);
		if (*fd < 0 && errno == EEXIST) {
			make_room(folder, name);
			*fd = openat(folder, name, how, (mode & 0777) | 0600);
		}
		if (*fd < 0)
			code = refused("file", clean, err);
	}
	free(clean);
	return code;
}

int mm_landing_finish(int fd, const char *path, off_t length, time_t modified, struct mm_error *err)
{
	int code = 0;
	time_t now = time(NULL);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = modified < now ? modified : now } };
	/* a build tool would see files of the future as changed for ever */
	if (ftruncate(fd, length) || futimens(fd, times))
		code = mm_error_errno(err, "cannot finish '%s'", path);
	if (close(fd) && !code)
		code = mm_error_errno(err, "cannot write '%s'", path);
	return code;
}

static unsigned depth_of(const char *clean)
{
	unsigned depth = 0;
	for (; *clean; clean++)
		depth += *clean == '/';
	return depth;
}

/* The text of the link at the clean path LINK to TARGET, checked; allocated in *TEXT. */
static int link_text(const struct mm_landing *landing, const char *link, const char *target, char **text,
		     struct mm_error *err)
{
	unsigned depth = depth_of(link), ups = 0;
	unsigned most = depth > landing->fixed ? depth - landing->fixed : 0;
	const char *rest = target;
	if (*target == '/') {
		if (!landing->package)
			return mm_error_set(err, MM_ECELL, "entry '%s' is a link to the absolute path '%s'", link,
					    target);
		ups = most = depth;
		rest += strspn(rest, "/");
	}
	/* leading "." and ".." */
	for (size_t length; (length = strcspn(rest, "/")) <= 2 && strncmp(rest, "..", length) == 0 && length;) {
		if (length == 2 && ups++ == most)
			break;
		rest += length;
		rest += strspn(rest, "/");
	}
	char *clean = NULL;
	struct mm_error why = MM_ERROR_INIT;
	if (!*target || ups > most || mm_landing_clean(rest, &clean, &why))
		return mm_error_set(err, MM_ECELL, "entry '%s' is a link that leads outside: '%s'", link, target);
	struct mm_buffer out = MM_BUFFER_INIT;
	for (unsigned i = 0; i < ups; i++)
		mm_buffer_puts(&out, i ? "/.." : "..");
	if (*clean)
		mm_buffer_printf(&out, "%s%s", ups ? "/" : "", clean);
	else if (!ups)
		mm_buffer_putc(&out, '.');
	free(clean);
	*text = mm_buffer_detach(&out);
	return 0;
}

int mm_landing_symlink(struct mm_landing *landing, const char *path, const char *target, struct mm_error *err)
{
	char *clean = NULL, *text = NULL;
	const char *name;
	int folder;
	int code = locate(landing, path, &clean, &folder, &name, err);
	if (!code)
		code = link_text(landing, clean, target, &text, err);
	if (!code) {
		make_room(folder, name);
		if (symlinkat(text, folder, name))
			code = refused("link", clean, err);
	}
	free(text);
	free(clean);
	return code;
}

int mm_landing_hardlink(struct mm_landing *landing, const char *path, const char *target, struct mm_error *err)
{
	char *clean = NULL, *clean_target = NULL, *folder_path = NULL;
	const char *name;
	int folder, target_folder = -1;
	struct stat st;
	int code = locate(landing, path, &clean, &folder, &name, err);
	if (!code)
		code = mm_landing_clean(target, &clean_target, err);
	if (code)
		goto out;
	const char *slash = strrchr(clean_target, '/');
	const char *target_name = slash ? slash + 1 : clean_target;
	folder_path = mm_strndup(clean_target, slash ? (size_t)(slash - clean_target) : 0);
	code = walk(landing, folder_path, false, clean, &target_folder, err);
	if (code)
		goto out;
	if (fstatat(target_folder, target_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) {
		code = mm_error_set(err, MM_ECELL, "entry '%s' is a hard link to '%s', which no earlier file is", clean,
				    target);
		goto out;
	}
	if (strcmp(clean, clean_target) == 0)
		goto out;
	make_room(folder, name);
	if (linkat(target_folder, target_name, folder, name, 0))
		code = refused("hard link", clean, err);
out:
	if (target_folder >= 0)
		close(target_folder);
	free(folder_path);
	free(clean_target);
	free(clean);
	return code;
}

int mm_landing_again(struct mm_landing *landing, const char *path, int *fd, struct mm_error *err)
{
	char *clean = NULL;
	const char *name;
	int folder;
	struct stat st;
	*fd = -1;
	int code = locate(landing, path, &clean, &folder, &name, err);
	if (!code) {
		*fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (*fd < 0 || fstat(*fd, &st) || !S_ISREG(st.st_mode))
			code = mm_error_set(err, MM_ECELL, "entry '%s' is no file that could be written", clean);
	}
	if (code && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	free(clean);
	return code;
}

int mm_landing_settle(const char *part, const char *folder, struct mm_error *err)
{
	if (rename(part, folder))
		return mm_error_errno(err, "cannot rename '%s' to '%s'", part, folder);
	return 0;
}
