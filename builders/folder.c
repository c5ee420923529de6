#include "builders/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "builders/landing.h"

enum { SETTLED_SECONDS = 2 };

/* What is done with each entry, in byte order of names; folders come before what they hold. */
struct visitor {
	const struct mm_folder *folder;
	int (*entry)(struct visitor *visitor, const char *path, const char *relative, const struct stat *st,
		     struct mm_error *err);
	struct mm_hash *hash;
	struct mm_landing landing;
	time_t newest;
};

static int list(const char *path, struct mm_strings *names, struct mm_error *err)
{
	DIR *dir = mm_fs_opendir(path);
	if (!dir)
		return mm_error_set(err, MM_ECELL, "cannot read folder '%s': %s", path, strerror(errno));
	for (const struct dirent *entry; (entry = readdir(dir));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			mm_strings_push(names, entry->d_name);
	closedir(dir);
	mm_strings_sort(names);
	return 0;
}

static bool belongs(const struct visitor *visitor, const char *path, const char *relative, const struct stat *st)
{
	const char *skip = visitor->folder->skip;
	if (strcmp(relative, ".git") == 0 || (skip && strcmp(path, skip) == 0))
		return false;
	return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode);
}

static int visit(struct visitor *visitor, const char *folder, const char *prefix, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	int code = list(folder, &names, err);
	for (size_t i = 0; !code && i < names.count; i++) {
		char *path = mm_path_join(folder, names.items[i]), *relative = mm_path_join(prefix, names.items[i]);
		struct stat st;
		code = mm_signals_check(err);
		if (!code && lstat(path, &st))
			code = mm_error_set(err, MM_ECELL, "cannot look at '%s': %s", path, strerror(errno));
		if (!code && belongs(visitor, path, relative, &st)) {
			code = visitor->entry(visitor, path, relative, &st, err);
			if (!code && S_ISDIR(st.st_mode))
				code = visit(visitor, path, relative, err);
		}
		free(relative);
		free(path);
	}
	mm_strings_release(&names);
	return code;
}

static int read_link(const char *path, char target[4096], struct mm_error *err)
{
	ssize_t length = readlink(path, target, 4095);
	if (length < 0)
		return mm_error_set(err, MM_ECELL, "cannot read link '%s': %s", path, strerror(errno));
	target[length] = '\0';
	return 0;
}

static int add_content(struct mm_hash *hash, const char *path, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	struct mm_error why = MM_ERROR_INIT;
	if (mm_hash_file(path, hex, &why))
		return mm_error_set(err, MM_ECELL, "%s", why.text);
	mm_hash_add_text(hash, hex);
	return 0;
}

static int digest_entry(struct visitor *visitor, const char *path, const char *relative, const struct stat *st,
			struct mm_error *err)
{
	struct mm_hash *hash = visitor->hash;
	char target[4096];
	int code = 0;
	mm_hash_add_text(hash, relative);
	if (S_ISDIR(st->st_mode)) {
		mm_hash_add_text(hash, "folder");
	} else if (S_ISLNK(st->st_mode)) {
		code = read_link(path, target, err);
		mm_hash_add_text(hash, "link");
		mm_hash_add_text(hash, code ? "" : target);
	} else {
		mm_hash_add_text(hash, st->st_mode & 0100 ? "program" : "file");
		code = add_content(hash, path, err);
	}
	return code;
}

int mm_folder_digest(const struct mm_folder *folder, char hex[MM_SHA256_HEX], struct mm_error *err)
{
	struct visitor visitor = { .folder = folder, .entry = digest_entry, .hash = mm_hash_new() };
	mm_hash_add_text(visitor.hash, "folder 1");
	int code = visit(&visitor, folder->path, "", err);
	mm_hash_finish(visitor.hash, hex);
	return code;
}

static int stamp_entry(struct visitor *visitor, const char *path, const char *relative, const struct stat *st,
		       struct mm_error *err)
{
	(void)path;
	(void)err;
	const int64_t facts[] = { st->st_mode,         st->st_size,        (int64_t)st->st_ino, st->st_mtim.tv_sec,
				  st->st_mtim.tv_nsec, st->st_ctim.tv_sec, st->st_ctim.tv_nsec };
	mm_hash_add_text(visitor->hash, relative);
	mm_hash_add(visitor->hash, facts, sizeof facts);
	if (st->st_ctim.tv_sec > visitor->newest)
		visitor->newest = st->st_ctim.tv_sec;
	return 0;
}

int mm_folder_stamp(const struct mm_folder *folder, char hex[MM_SHA256_HEX], bool *settled, struct mm_error *err)
{
	struct visitor visitor = { .folder = folder, .entry = stamp_entry, .hash = mm_hash_new() };
	time_t began = time(NULL);
	int code = visit(&visitor, folder->path, "", err);
	mm_hash_finish(visitor.hash, hex);
	*settled = visitor.newest + SETTLED_SECONDS < began;
	return code;
}

static int copy_file(struct visitor *visitor, const char *path, const char *relative, const struct stat *st,
		     struct mm_error *err)
{
	struct stat now;
	int to = -1;
	int from = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return mm_error_set(err, MM_ECELL, "cannot read '%s': %s", path, strerror(errno));
	int code = mm_landing_file(&visitor->landing, relative, st->st_mode & 0100 ? 0755 : 0644, &to, err);
	if (!code && mm_os_copy_content(from, to))
		code = mm_error_errno(err, "cannot copy '%s'", path);
	if (to >= 0) {
		off_t length = fstat(to, &now) ? 0 : now.st_size;
		int closed = mm_landing_finish(to, relative, length, st->st_mtime, err);
		code = code ? code : closed;
	}
	close(from);
	return code;
}

static int copy_entry(struct visitor *visitor, const char *path, const char *relative, const struct stat *st,
		      struct mm_error *err)
{
	char target[4096];
	if (S_ISREG(st->st_mode))
		return copy_file(visitor, path, relative, st, err);
	if (S_ISDIR(st->st_mode))
		return mm_landing_folder(&visitor->landing, relative, 0755, err);
	int code = read_link(path, target, err);
	return code ? code : mm_landing_symlink(&visitor->landing, relative, target, err);
}

/* Was FOLDER the same before and after it was copied? */
static int check_unchanged(const struct mm_folder *folder, const char *sha256, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	int code = mm_folder_digest(folder, hex, err);
	if (!code && strcmp(hex, sha256) != 0)
		code = mm_error_set(err, MM_ECELL, "it changed while it was copied: run again");
	return code;
}

int mm_folder_copy(const struct mm_folder *folder, const char *to, const char *sha256, struct mm_error *err)
{
	struct visitor visitor = { .folder = folder, .entry = copy_entry, .landing = { .root = -1, .parent_fd = -1 } };
	struct mm_error cleaning = MM_ERROR_INIT;
	char *part = mm_format("%s.part", to);
	int code = mm_fs_remove_tree(part, err);
	if (!code)
		code = mm_fs_mkdirs(part, 0755, err);
	if (!code)
		code = mm_landing_open(&visitor.landing, part, folder->package, false, err);
	if (!code) {
		code = visit(&visitor, folder->path, "", err);
		mm_landing_close(&visitor.landing);
	}
	if (!code && sha256)
		code = check_unchanged(folder, sha256, err);
	if (code == MM_ECELL)
		(void)mm_error_prefix(err, "cannot copy '%s'", folder->path);
	if (!code)
		code = mm_landing_settle(part, to, err);
	(void)mm_fs_remove_tree(part, &cleaning);
	free(part);
	return code;
}
