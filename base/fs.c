#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"

enum { MOST_NAMES = 16 }; /* for a temporary file, before it is given up */

char *mm_path_join(const char *folder, const char *name)
{
	if (*name == '/' || !*folder)
		return mm_strdup(name);
	size_t length = strlen(folder);
	return mm_format(folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

/* Appends the parts of PATH to OUT (which stands for "/" when empty), resolving "." and ".." by name. */
static void append_parts(struct mm_buffer *out, const char *path)
{
	while (*path) {
		path += strspn(path, "/");
		size_t length = strcspn(path, "/");
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			char *slash = out->length ? strrchr(out->data, '/') : NULL;
			if (slash) {
				out->length = (size_t)(slash - out->data);
				*slash = '\0';
			}
		} else if (length && !(length == 1 && *path == '.')) {
			mm_buffer_putc(out, '/');
			mm_buffer_append(out, path, length);
		}
		path += length;
	}
}

char *mm_path_absolute(const char *folder, const char *path)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	if (*path != '/') {
		if (!folder || *folder != '/') {
			char *here = getcwd(NULL, 0);
			if (!here && errno == ENOMEM)
				mm_out_of_memory();
			append_parts(&out, here ? here : "/");
			free(here);
		}
		if (folder)
			append_parts(&out, folder);
	}
	append_parts(&out, path);
	if (!out.length)
		mm_buffer_putc(&out, '/');
	return mm_buffer_detach(&out);
}

char *mm_path_real(const char *path)
{
	char *whole = mm_path_absolute(NULL, path), *real = realpath(whole, NULL);
	if (!real && errno != ENAMETOOLONG && strcmp(whole, "/") != 0) { /* it is to be made, in what is there */
		char *folder = mm_path_folder(whole), *real_folder = mm_path_real(folder);
		real = mm_path_join(real_folder, mm_path_base(whole));
		free(real_folder);
		free(folder);
	}
	if (!real)
		return whole;
	free(whole);
	return real;
}

const char *mm_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *mm_path_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return mm_strdup(".");
	return mm_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

DIR *mm_fs_opendir(const char *path)
{
	DIR *dir = opendir(path);
	if (!dir)
		mm_end_if_exhausted(errno);
	return dir;
}

bool mm_fs_exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

bool mm_fs_is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

uint64_t mm_fs_free_bytes(const char *path)
{
	struct statvfs space;
	if (statvfs(path, &space) == 0)
		return (uint64_t)space.f_bavail * space.f_frsize;
	char *folder = errno == ENOENT ? mm_path_folder(path) : NULL;
	uint64_t bytes = folder && strcmp(folder, path) != 0 ? mm_fs_free_bytes(folder) : UINT64_MAX;
	free(folder);
	return bytes;
}

/* Is PATH a folder now? Else errno says why not. */
static bool make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, mode) == 0)
		return true;
	int why = errno;
	bool there = why == EEXIST && mm_fs_is_folder(path);
	errno = why;
	return there;
}

int mm_fs_mkdirs(const char *path, mode_t mode, struct mm_error *err)
{
	if (make_folder(path, mode))
		return 0;
	char *folder = errno == ENOENT ? mm_path_folder(path) : NULL;
	int code = 0;
	if (!folder || strcmp(folder, path) == 0)
		code = mm_error_errno(err, "cannot make folder '%s'", path);
	else
		code = mm_fs_mkdirs(folder, mode, err);
	free(folder);
	if (!code && !make_folder(path, mode))
		code = mm_error_errno(err, "cannot make folder '%s'", path);
	return code;
}

/* Closes FD. CODE: of an input that is larger than LIMIT. */
static int read_whole(int fd, const char *path, size_t limit, enum mm_code code, struct mm_buffer *out,
		      struct mm_error *err)
{
	int result = 0;
	char chunk[1 << 14];
	ssize_t got;
	if (!limit)
		limit = (size_t)256 << 20;
	while (!result && (got = read(fd, chunk, sizeof chunk)) != 0) {
		if (got > 0)
			mm_buffer_append(out, chunk, (size_t)got);
		else if (errno == EINTR)
			result = mm_signals_check(err);
		else
			result = mm_error_errno(err, "cannot read '%s'", path);
		if (out->length > limit)
			result = mm_error_set(err, code, "'%s' is larger than the %zu bytes that such a file may have", path,
					      limit);
	}
	close(fd);
	return result;
}

/* A fifo without a writer would hold up an ordinary open, and a terminal become ours. */
static int open_unheld(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		mm_end_if_exhausted(errno);
	return fd;
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "folder" : S_ISFIFO(mode) ? "fifo" : S_ISSOCK(mode) ? "socket" : "device";
}

static int not_a_file(const char *path, mode_t mode, struct mm_error *err)
{
	return mm_error_set(err, MM_EENV, "'%s' is a %s where a file belongs: remove it", path, kind_of(mode));
}

/* Closes *FD, opened from PATH, unless it is a file. */
static int check_own(const char *path, int *fd, struct mm_error *err)
{
	struct stat st;
	int code = 0;
	if (*fd < 0 && errno == EISDIR)
		return not_a_file(path, S_IFDIR, err);
	if (*fd < 0)
		return mm_error_errno(err, "cannot open '%s'", path);
	if (fstat(*fd, &st))
		code = mm_error_errno(err, "cannot look at '%s'", path);
	else if (!S_ISREG(st.st_mode))
		code = not_a_file(path, st.st_mode, err);
	if (code) {
		close(*fd);
		*fd = -1;
	}
	return code;
}

int mm_fs_open(const char *path, int *fd, struct mm_error *err)
{
	*fd = open_unheld(path);
	return check_own(path, fd, err);
}

int mm_fs_open_lock(const char *path, int *fd, struct mm_error *err)
{
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0644);
	return check_own(path, fd, err);
}

int mm_fs_read(const char *path, size_t limit, struct mm_buffer *out, struct mm_error *err)
{
	int fd, code = mm_fs_open(path, &fd, err);
	return code ? code : read_whole(fd, path, limit, MM_EENV, out, err);
}

/* Was this pipe handed over by the caller's shell? Then somebody writes into it. */
static bool handed_over(const char *path)
{
	return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
	       strncmp(path, "/proc/self/fd/", 14) == 0;
}

static int check_input(int fd, const char *path, struct mm_error *err)
{
	struct stat st;
	if (fstat(fd, &st))
		return mm_error_errno(err, "cannot look at '%s'", path);
	if (S_ISDIR(st.st_mode))
		return mm_error_set(err, MM_EMATRIX, "'%s' is a folder: name a file", path);
	if (!S_ISREG(st.st_mode) && !(S_ISFIFO(st.st_mode) && handed_over(path)))
		return mm_error_set(err, MM_EMATRIX, "'%s' is a %s: name a file, or hand a pipe over as /dev/stdin", path,
				    kind_of(st.st_mode));
	return 0;
}

int mm_fs_open_input(const char *path, int *fd, struct mm_error *err)
{
	*fd = open_unheld(path);
	if (*fd < 0 && errno == EIO)
		return mm_error_errno(err, "cannot open '%s'", path);
	if (*fd < 0)
		return mm_error_set(err, MM_EMATRIX, "cannot open '%s': %s", path, strerror(errno));
	int code = check_input(*fd, path, err);
	if (!code && fcntl(*fd, F_SETFL, 0))
		code = mm_error_errno(err, "cannot read '%s'", path);
	if (code)
		close(*fd);
	return code;
}

int mm_fs_read_input(const char *path, size_t limit, struct mm_buffer *out, struct mm_error *err)
{
	int fd, code = mm_fs_open_input(path, &fd, err);
	return code ? code : read_whole(fd, path, limit, MM_EMATRIX, out, err);
}

const char *mm_fs_scratch(void)
{
	const char *folder = getenv("TMPDIR");
	return folder && *folder == '/' ? folder : "/tmp";
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t put = write(fd, bytes, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		bytes += put;
		length -= (size_t)put;
	}
	return 0;
}

static int sync_folder_of(const char *path, struct mm_error *err)
{
	int code = 0;
	char *folder = mm_path_folder(path);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* some file systems refuse to sync a folder: that is no failure of ours */
	if (fd < 0 || (fsync(fd) && errno != EINVAL && errno != EROFS))
		code = mm_error_errno(err, "cannot sync folder '%s'", folder);
	if (fd >= 0)
		close(fd);
	free(folder);
	return code;
}

/* Something for a name that nobody can guess; where there is no randomness, only something new. */
static unsigned long unpredictable(int salt)
{
	uint32_t value = 0;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &value, sizeof value) != (ssize_t)sizeof value) {
		struct timespec now = { 0, 0 };
		(void)clock_gettime(CLOCK_REALTIME, &now);
		value = (uint32_t)now.tv_nsec + (uint32_t)salt;
	}
	if (fd >= 0)
		close(fd);
	return value;
}

int mm_file_begin(struct mm_file *file, const char *path, struct mm_error *err)
{
	/* O_EXCL: in a folder that others can write to, nobody's link is followed and nobody's file taken over */
	file->path = mm_strdup(path);
	for (int try = 0; try < MOST_NAMES; try++) {
		file->temporary = mm_format("%s.tmp-%ld-%08lx", path, (long)getpid(), unpredictable(try));
		file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (file->fd >= 0)
			return 0;
		if (errno != EEXIST || try == MOST_NAMES - 1)
			break;
		free(file->temporary);
	}
	(void)mm_error_errno(err, "cannot write '%s'", file->path);
	free(file->path);
	free(file->temporary);
	*file = (struct mm_file){ NULL, NULL, -1 };
	return MM_EENV;
}

int mm_file_put(struct mm_file *file, const void *bytes, size_t length, struct mm_error *err)
{
	return write_all(file->fd, bytes, length) ? mm_error_errno(err, "cannot write '%s'", file->path) : 0;
}

int mm_file_end(struct mm_file *file, int code, struct mm_error *err)
{
	if (!code && fsync(file->fd))
		code = mm_error_errno(err, "cannot write '%s'", file->path);
	if (close(file->fd) && !code)
		code = mm_error_errno(err, "cannot write '%s'", file->path);
	if (!code)
		code = mm_fs_rename(file->temporary, file->path, err);
	if (code)
		(void)unlink(file->temporary);
	free(file->path);
	free(file->temporary);
	*file = (struct mm_file){ NULL, NULL, -1 };
	return code;
}

static void drain_to_file(void *context, const void *bytes, size_t length)
{
	struct mm_file_text *to = context;
	if (!to->code)
		to->code = mm_file_put(&to->file, bytes, length, to->err);
}

int mm_file_text_begin(struct mm_file_text *to, const char *path, struct mm_error *err)
{
	*to = (struct mm_file_text){ .text = { .drain = drain_to_file, .context = to }, .err = err };
	return mm_file_begin(&to->file, path, err);
}

int mm_file_text_end(struct mm_file_text *to, int code)
{
	if (!code)
		drain_to_file(to, mm_buffer_text(&to->text), to->text.length);
	mm_buffer_release(&to->text);
	return mm_file_end(&to->file, code ? code : to->code, to->err);
}

int mm_fs_write_atomic(const char *path, const void *bytes, size_t length, struct mm_error *err)
{
	struct mm_file file;
	int code = mm_file_begin(&file, path, err);
	return code ? code : mm_file_end(&file, mm_file_put(&file, bytes, length, err), err);
}

int mm_fs_rename(const char *from, const char *to, struct mm_error *err)
{
	if (rename(from, to))
		return mm_error_errno(err, "cannot rename '%s' to '%s'", from, to);
	return sync_folder_of(to, err);
}

char *mm_fs_find_program(const char *name)
{
	if (strchr(name, '/')) {
		if (access(name, X_OK) || mm_fs_is_folder(name))
			return NULL;
		return mm_path_absolute(NULL, name);
	}
	const char *path = getenv("PATH");
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path) {
		size_t length = strcspn(path, ":");
		char *folder = mm_strndup(path, length);
		char *candidate = mm_path_join(length ? folder : ".", name);
		free(folder);
		if (access(candidate, X_OK) == 0 && !mm_fs_is_folder(candidate)) {
			char *found = mm_path_absolute(NULL, candidate);
			free(candidate);
			return found;
		}
		free(candidate);
		path += length;
		if (*path == ':')
			path++;
	}
	return NULL;
}
