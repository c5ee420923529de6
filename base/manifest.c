#include "base/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/memory.h"

struct taking {
	const char *except;
	bool times;
	struct mm_buffer *text;
	struct mm_error *err;
};

static int64_t written_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* A name with a line break would make two lines. */
static bool fits_a_line(const char *name)
{
	return !strchr(name, '\n');
}

static int take_file(void *context, const char *path, const char *relative)
{
	const struct taking *taking = context;
	struct stat st;
	if (!fits_a_line(relative) || (taking->except && strcmp(path, taking->except) == 0))
		return 0;
	if (lstat(path, &st))
		return mm_error_errno(taking->err, "cannot look at '%s'", path);
	mm_buffer_printf(taking->text, "%" PRId64 " %o %" PRId64 " %s\n", (int64_t)st.st_size, (unsigned)st.st_mode & 07777,
			 taking->times ? written_ns(&st) : 0, relative);
	return 0;
}

int mm_manifest_take(const char *root, const char *except, bool times, struct mm_buffer *text, struct mm_error *err)
{
	struct taking taking = { .except = except, .times = times, .text = text, .err = err };
	return mm_fs_walk(root, take_file, &taking, err);
}

/* Is the file of LINE, whose end is not part of it, as it says? *NAME: of the file. */
static bool holds(const char *root, const char *line, const char **name)
{
	struct stat st;
	char *end;
	int64_t size = strtoll(line, &end, 10);
	unsigned long mode = *end == ' ' ? strtoul(end + 1, &end, 8) : 0;
	int64_t written = *end == ' ' ? strtoll(end + 1, &end, 10) : 0;
	*name = *end == ' ' ? end + 1 : "the list of files"; /* what stands there may be anybody's file */
	if (*end != ' ')
		return false;
	char *path = mm_path_join(root, *name);
	bool same = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size && (st.st_mode & 07777) == mode;
	free(path);
	return same && (!written || written_ns(&st) == written);
}

static int count_file(void *context, const char *path, const char *relative)
{
	(void)path;
	*(size_t *)context += fits_a_line(relative);
	return 0;
}

char *mm_manifest_differs(const char *root, const char *text, bool exact)
{
	char *differs = NULL;
	size_t lines = 0, files = 0;
	for (; *text && !differs; lines++) {
		size_t length = strcspn(text, "\n");
		char *line = mm_strndup(text, length);
		const char *name;
		if (!holds(root, line, &name))
			differs = mm_strdup(name);
		free(line);
		text += length + (text[length] == '\n');
	}
	if (!differs && exact && (mm_fs_walk(root, count_file, &files, NULL) || files != lines))
		differs = mm_strdup("a file that came in addition");
	return differs;
}
