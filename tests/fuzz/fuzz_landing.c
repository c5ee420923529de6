/*
 * The folder in which entries of archives are laid down, without the archive around them. A line is an entry:
 * "f PATH" a file, "d PATH" a folder, "a PATH" a file written again, "s PATH TARGET" a symlink, "h PATH TARGET" a hard
 * link; a first line "package" or "top" chooses how the folder is opened.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archives.h"
#include "base/fs.h"
#include "builders/landing.h"
#include "fuzz.h"

static void lay(struct mm_landing *landing, char *line)
{
	struct mm_error err = MM_ERROR_INIT;
	char kind = line[0], *path, *target;
	int fd = -1, code = 0;
	if (!kind || line[1] != ' ')
		return;
	path = line + 2;
	target = strchr(path, ' ');
	if (target)
		*target++ = '\0';
	if (kind == 'f')
		code = mm_landing_file(landing, path, 07777, &fd, &err);
	else if (kind == 'a')
		code = mm_landing_again(landing, path, &fd, &err);
	else if (kind == 'd')
		code = mm_landing_folder(landing, path, 07777, &err);
	else if (kind == 's' && target)
		code = mm_landing_symlink(landing, path, target, &err);
	else if (kind == 'h' && target)
		code = mm_landing_hardlink(landing, path, target, &err);
	fuzz_expect(code, &err);
	if (fd >= 0) {
		fuzz_must(write(fd, "x", 1) == 1, "a file that can be written");
		fuzz_expect(mm_landing_finish(fd, path, 1, 0, &err), &err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kept[] = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_landing landing;
	char *text = fuzz_text(data, size), *rest = NULL, *folder = mm_path_join(fuzz_folder(), "tree");
	bool package = strncmp(text, "package\n", 8) == 0, top = strncmp(text, "top\n", 4) == 0;
	fuzz_must(mm_fs_mkdirs(folder, 0755, NULL) == 0, "a folder");
	fuzz_must(mm_landing_open(&landing, folder, package, top, &err) == 0, "a landing");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		lay(&landing, line);
	mm_landing_close(&landing);
	fuzz_check_unpacked("tree", kept);
	free(folder);
	free(text);
	return 0;
}
