#include "base/own-program.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"

char *mm_own_program(void)
{
	/* Linux and NetBSD, FreeBSD, Solaris */
	static const char *const links[] = { "/proc/self/exe", "/proc/curproc/file", "/proc/self/path/a.out" };
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		char *path = access(links[i], F_OK) == 0 ? realpath(links[i], NULL) : NULL;
		if (path)
			return path;
	}
	return NULL;
}

char *mm_own_helper(const char *name)
{
	static const char *const folders[] = { ".", "../libexec/mymatrix", ".." };
	char *program = mm_own_program(), *folder = program ? mm_path_folder(program) : NULL, *found = NULL;
	for (size_t i = 0; folder && !found && i < sizeof folders / sizeof *folders; i++) {
		char *relative = mm_format("%s/%s", folders[i], name);
		char *path = mm_path_absolute(folder, relative);
		if (access(path, X_OK) == 0 && !mm_fs_is_folder(path))
			found = path;
		else
			free(path);
		free(relative);
	}
	free(folder);
	free(program);
	return found;
}
