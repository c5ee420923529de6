#include "archives.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "fuzz.h"

/* Where a link leads by its words alone: does "..", counted against the folders above it, leave the root? */
static bool leaves(const char *target, int depth)
{
	if (*target == '/')
		return true;
	for (const char *at = target; *at;) {
		size_t length = strcspn(at, "/");
		if (length == 2 && strncmp(at, "..", 2) == 0)
			depth--;
		else if (length && !(length == 1 && *at == '.'))
			depth++;
		if (depth < 0)
			return true;
		at += length;
		at += strspn(at, "/");
	}
	return false;
}

static void check_link(const char *path, int depth)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof target - 1);
	fuzz_must(length >= 0, "a link that can be read");
	target[length] = '\0';
	fuzz_must(!leaves(target, depth), "a link that stays inside");
}

static void check_folder(const char *folder, int depth)
{
	DIR *dir = opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		struct stat st;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		fuzz_must(lstat(path, &st) == 0, "an entry");
		fuzz_must(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode), "no device, pipe or socket");
		if (S_ISLNK(st.st_mode))
			check_link(path, depth);
		else
			fuzz_must((st.st_mode & (S_ISUID | S_ISGID)) == 0, "no set-user-id or set-group-id bit");
		if (S_ISDIR(st.st_mode))
			check_folder(path, depth + 1);
		free(path);
	}
	if (dir)
		(void)closedir(dir);
}

void fuzz_check_unpacked(const char *folder, const char *const *kept)
{
	char *path = mm_path_join(fuzz_folder(), folder);
	DIR *dir = opendir(fuzz_folder());
	check_folder(path, 0);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		bool known = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			     strcmp(entry->d_name, folder) == 0;
		for (const char *const *name = kept; *name && !known; name++)
			known = strcmp(entry->d_name, *name) == 0;
		fuzz_must(known, "nothing beside the folder");
	}
	if (dir)
		(void)closedir(dir);
	fuzz_must(mm_fs_remove_tree(path, NULL) == 0, "a tree that can be removed");
	free(path);
}
