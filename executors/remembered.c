#include "executors/remembered.h"

#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"

enum { HEAD = 1024 };

/* The "failure" of a pass stands near the head of its file, two spaces in. */
bool mm_remembered_failure(const char *path)
{
	char text[HEAD + 1];
	int fd, code = mm_fs_open(path, &fd, NULL);
	ssize_t got = code ? -1 : pread(fd, text, HEAD, 0);
	if (!code)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got <= 0 || strstr(text, "\n  \"failure\": ");
}

void mm_remember_builds(const struct mm_run *run, struct mm_remembered *remembered)
{
	for (size_t i = 0; i < run->matrix->cell_count; i++)
		remembered->builds += !run->cells[i].code && run->cells[i].build.state == MM_BUILD_FAILED;
}

static int count_pass(void *context, const char *path, const char *relative)
{
	size_t *count = context, length = strlen(relative);
	bool counts = length > 5 && strcmp(relative + length - 5, ".json") == 0 && !strstr(relative, ".superseded-");
	*count += counts && mm_remembered_failure(path);
	return 0;
}

void mm_remember_passes(const struct mm_run *run, struct mm_remembered *remembered)
{
	char *passes = mm_path_join(run->folder, "passes");
	if (mm_fs_is_folder(passes))
		(void)mm_fs_walk(passes, count_pass, &remembered->passes, NULL);
	free(passes);
}

void mm_remembered_tell(const struct mm_remembered *remembered)
{
	size_t builds = remembered->builds, passes = remembered->passes, all = builds + passes;
	if (!all)
		return;
	char *some = builds ? mm_format("%zu build%s", builds, mm_plural(builds)) : mm_strdup("");
	char *others = passes ? mm_format("%zu pass%s", passes, passes == 1 ? "" : "es") : mm_strdup("");
	mm_warn("%s%s%s failed before and %s not tried again: the same command with --retry-failed does so", some,
		builds && passes ? " and " : "", others, all == 1 ? "was" : "were");
	free(some);
	free(others);
}
