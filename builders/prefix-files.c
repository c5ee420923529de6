#include "builders/prefix-files.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/elf.h"

enum { DEEPEST = 8 };

/* Folders of a base folder that are a server's own wherever it is installed. */
static const char *const own_folders[] = {
	"lib/mariadb", "lib/mysql", "lib/plugin", "lib/private", "lib64/mariadb", "lib64/mysql",
	"lib64/plugin", "lib64/private", "share/mariadb", "share/mysql",
};

/* Where a prefix may have libraries of its own. A folder with a "*" has one more level, such as i386-linux-gnu. */
static const char *const library_folders[] = { "lib/*", "usr/lib/*", "lib",   "usr/lib",
					       "lib32", "usr/lib32", "lib64", "usr/lib64" };

static bool is_library(const char *name)
{
	return strncmp(name, "lib", 3) == 0 && strstr(name, ".so");
}

/* Does FOLDER hold a shared library? Names of plugins do not count: they are no one's dependency. */
static bool holds_libraries(const char *folder)
{
	bool found = false;
	DIR *dir = mm_fs_opendir(folder);
	for (struct dirent *entry; dir && !found && (entry = readdir(dir));)
		found = is_library(entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void add_folder(struct mm_strings *folders, const char *path)
{
	if (holds_libraries(path) && !mm_strings_contain(folders, path))
		mm_strings_push(folders, path);
}

/* Subfolders of FOLDER that are named after a machine ("x86_64-linux-gnu"), with libraries in them. */
static void add_machine_folders(struct mm_strings *folders, const char *folder)
{
	DIR *dir = mm_fs_opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!strstr(entry->d_name, "-linux-gnu"))
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		add_folder(folders, path);
		free(path);
	}
	if (dir)
		closedir(dir);
}

void mm_prefix_libraries(const char *prefix, struct mm_strings *folders)
{
	for (size_t i = 0; i < sizeof library_folders / sizeof *library_folders; i++) {
		char *path = mm_path_join(prefix, library_folders[i]);
		size_t length = strlen(path);
		if (path[length - 1] == '*') {
			path[length - 2] = '\0';
			add_machine_folders(folders, path);
		} else {
			add_folder(folders, path);
		}
		free(path);
	}
}

/* The files in FOLDER, down to DEPTH more levels; LIBRARIES: only those. */
static void add_files(struct mm_strings *files, const char *folder, int depth, bool libraries)
{
	DIR *dir = mm_fs_opendir(folder); /* one that is closed to us is closed to our server */
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;
		char *path = mm_path_join(folder, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && lstat(path, &st) == 0) {
			if (S_ISDIR(st.st_mode) && depth > 0)
				add_files(files, path, depth - 1, libraries);
			else if (S_ISREG(st.st_mode) && (!libraries || is_library(entry->d_name)))
				mm_strings_push(files, path);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* Is it where a distribution installs everything? */
static bool is_the_systems(const char *prefix)
{
	static const char *const folders[] = { "/", "/usr", "/usr/local" };
	char *real = realpath(prefix, NULL);
	bool is = false;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		is |= strcmp(real ? real : prefix, folders[i]) == 0;
	free(real);
	return is;
}

void mm_prefix_files(const char *prefix, const char *basedir, struct mm_strings *files)
{
	struct mm_strings libraries = MM_STRINGS_INIT;
	bool own = !is_the_systems(prefix);
	for (size_t i = 0; i < sizeof own_folders / sizeof *own_folders; i++) {
		char *path = mm_path_join(basedir, own_folders[i]);
		add_files(files, path, DEEPEST, false);
		free(path);
	}
	if (own && strcmp(prefix, basedir) == 0) {
		char *share = mm_path_join(basedir, "share");
		add_files(files, share, DEEPEST, false);
		free(share);
	}
	if (own)
		mm_prefix_libraries(prefix, &libraries);
	for (size_t i = 0; i < libraries.count; i++)
		add_files(files, libraries.items[i], 0, true);
	mm_strings_sort(files);
	mm_strings_release(&libraries);
}

void mm_prefix_files_stamp(const char *prefix, const char *basedir, char hex[MM_SHA256_HEX])
{
	struct mm_strings files = MM_STRINGS_INIT;
	struct mm_hash *hash = mm_hash_new();
	struct stat st;
	mm_prefix_files(prefix, basedir, &files);
	for (size_t i = 0; i < files.count; i++) {
		if (lstat(files.items[i], &st))
			continue;
		const int64_t facts[] = { (int64_t)st.st_size, (int64_t)st.st_mtim.tv_sec, (int64_t)st.st_mtim.tv_nsec };
		mm_hash_add_text(hash, files.items[i]);
		mm_hash_add(hash, facts, sizeof facts);
	}
	mm_hash_finish(hash, hex);
	mm_strings_release(&files);
}

/* What is no program does not count; nor does what is closed to us, as it is to our server. */
static int add_code(const char *path, const char *mask, struct mm_hash *hash, struct mm_error *err)
{
	struct mm_elf elf;
	struct mm_error why = MM_ERROR_INIT;
	int code = access(path, R_OK) ? MM_ECELL : mm_elf_read(path, mask, &elf, &why);
	if (code)
		return code == MM_ECELL ? 0 : mm_error_set(err, why.code, "%s", why.text);
	mm_hash_add_text(hash, mm_path_base(path));
	mm_hash_add_text(hash, elf.code_sha256);
	mm_elf_release(&elf);
	return 0;
}

int mm_prefix_files_code(const char *prefix, const char *basedir, const char *mask, struct mm_hash *hash,
			 struct mm_error *err)
{
	struct mm_strings files = MM_STRINGS_INIT;
	int code = 0;
	mm_prefix_files(prefix, basedir, &files);
	for (size_t i = 0; i < files.count && !code; i++)
		code = add_code(files.items[i], mask, hash, err);
	mm_strings_release(&files);
	return code;
}
