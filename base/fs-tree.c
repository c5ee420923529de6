/* Whole trees: walk, copy, remove, measure. Links are never followed; the depth is limited by the stack of open folders. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"

/* The sorted names in FOLDER, without "." and "..". */
static int list_folder(const char *folder, struct mm_strings *names, struct mm_error *err)
{
	DIR *dir = mm_fs_opendir(folder);
	if (!dir)
		return mm_error_errno(err, "cannot read folder '%s'", folder);
	const struct dirent *entry;
	errno = 0;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			mm_strings_push(names, entry->d_name);
	int code = errno ? mm_error_errno(err, "cannot read folder '%s'", folder) : 0;
	closedir(dir);
	return code;
}

int mm_fs_remove_tree(const char *path, struct mm_error *err)
{
	struct stat st;
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : mm_error_errno(err, "cannot look at '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return unlink(path) && errno != ENOENT ? mm_error_errno(err, "cannot remove '%s'", path) : 0;
	struct mm_strings names = MM_STRINGS_INIT;
	(void)chmod(path, 0700); /* an unpacked tree may hold read-only folders */
	int code = list_folder(path, &names, err);
	for (size_t i = 0; i < names.count && !code; i++) {
		char *child = mm_path_join(path, names.items[i]);
		code = mm_fs_remove_tree(child, err);
		free(child);
	}
	mm_strings_release(&names);
	if (!code && rmdir(path) && errno != ENOENT)
		code = mm_error_errno(err, "cannot remove folder '%s'", path);
	return code;
}

static int copy_file(const char *from, const char *to, const struct stat *st, struct mm_error *err)
{
	int code = 0, out = -1;
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (in < 0)
		return mm_error_errno(err, "cannot open '%s'", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 0777);
	if (out < 0)
		code = mm_error_errno(err, "cannot write '%s'", to);
	else if (mm_os_copy_content(in, out))
		code = mm_error_errno(err, "cannot copy '%s' to '%s'", from, to);
	if (out >= 0 && close(out) && !code)
		code = mm_error_errno(err, "cannot write '%s'", to);
	close(in);
	return code;
}

static int copy_link(const char *from, const char *to, struct mm_error *err)
{
	char target[4096];
	ssize_t length = readlink(from, target, sizeof target - 1);
	if (length < 0)
		return mm_error_errno(err, "cannot read link '%s'", from);
	target[length] = '\0';
	return symlink(target, to) ? mm_error_errno(err, "cannot make link '%s'", to) : 0;
}

int mm_fs_copy_tree(const char *from, const char *to, struct mm_error *err)
{
	struct stat st;
	if (lstat(from, &st))
		return mm_error_errno(err, "cannot look at '%s'", from);
	if (S_ISREG(st.st_mode))
		return copy_file(from, to, &st, err);
	if (S_ISLNK(st.st_mode))
		return copy_link(from, to, err);
	if (!S_ISDIR(st.st_mode))
		return 0; /* sockets and pipes of a dead server */
	if (mkdir(to, st.st_mode & 0777))
		return mm_error_errno(err, "cannot make folder '%s'", to);
	struct mm_strings names = MM_STRINGS_INIT;
	int code = list_folder(from, &names, err);
	for (size_t i = 0; i < names.count && !code; i++) {
		char *source = mm_path_join(from, names.items[i]);
		char *target = mm_path_join(to, names.items[i]);
		code = mm_fs_copy_tree(source, target, err);
		free(source);
		free(target);
	}
	mm_strings_release(&names);
	return code;
}

static int walk(const char *root, const char *relative, int (*visit)(void *, const char *, const char *), void *context,
		struct mm_error *err)
{
	char *path = *relative ? mm_path_join(root, relative) : mm_strdup(root);
	struct stat st;
	int code = 0;
	if (lstat(path, &st)) {
		code = mm_error_errno(err, "cannot look at '%s'", path);
	} else if (S_ISREG(st.st_mode)) {
		code = visit(context, path, relative);
	} else if (S_ISDIR(st.st_mode)) {
		struct mm_strings names = MM_STRINGS_INIT;
		code = list_folder(path, &names, err);
		mm_strings_sort(&names);
		for (size_t i = 0; i < names.count && !code; i++) {
			char *child = mm_path_join(relative, names.items[i]);
			code = walk(root, child, visit, context, err);
			free(child);
		}
		mm_strings_release(&names);
	}
	free(path);
	return code;
}

int mm_fs_walk(const char *root, int (*visit)(void *context, const char *path, const char *relative), void *context,
	       struct mm_error *err)
{
	return walk(root, "", visit, context, err);
}

static int add_bytes(void *context, const char *path, const char *relative)
{
	(void)relative;
	struct stat st;
	if (lstat(path, &st) == 0)
		*(uint64_t *)context += (uint64_t)st.st_blocks * 512;
	return 0;
}

uint64_t mm_fs_tree_bytes(const char *path)
{
	uint64_t bytes = 0;
	if (mm_fs_exists(path))
		(void)mm_fs_walk(path, add_bytes, &bytes, NULL);
	return bytes;
}

static int read_once(void *context, const char *path, const char *relative)
{
	(void)relative;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (fd >= 0 && read(fd, context, 1 << 18) > 0)
		;
	if (fd >= 0)
		close(fd);
	return 0;
}

void mm_fs_warm(const char *path)
{
	char *chunk = mm_alloc(1 << 18);
	if (mm_fs_exists(path))
		(void)mm_fs_walk(path, read_once, chunk, NULL);
	free(chunk);
}
