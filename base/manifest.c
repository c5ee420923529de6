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
	struct mm_buffer *text;
};

static int64_t changed_ns(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

static int take_file(void *context, const char *path, const char *relative)
{
	const struct taking *taking = context;
	struct stat st;
	/* a name with a line break would make two lines */
	if (strchr(relative, '\n') || (taking->except && strcmp(path, taking->except) == 0) || lstat(path, &st))
		return 0;
	mm_buffer_printf(taking->text, "%" PRId64 " %" PRId64 " %s\n", (int64_t)st.st_size, changed_ns(&st), relative);
	return 0;
}

int mm_manifest_take(const char *root, const char *except, struct mm_buffer *text, struct mm_error *err)
{
	struct taking taking = { .except = except, .text = text };
	return mm_fs_walk(root, take_file, &taking, err);
}

/* Is the file of LINE, whose end is not part of it, as it says? */
static bool holds(const char *root, const char *line, bool times)
{
	struct stat st;
	char *end;
	int64_t size = strtoll(line, &end, 10), changed = *end == ' ' ? strtoll(end + 1, &end, 10) : -1;
	if (*end != ' ')
		return false;
	char *path = mm_path_join(root, end + 1);
	bool same = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size;
	free(path);
	return same && (!times || changed_ns(&st) == changed);
}

/* The name in LINE, or what is there instead. */
static char *name_of(const char *line)
{
	const char *first = strchr(line, ' '), *second = first ? strchr(first + 1, ' ') : NULL;
	return mm_strdup(second ? second + 1 : line);
}

char *mm_manifest_differs(const char *root, const char *text, bool times)
{
	char *name = NULL;
	while (*text && !name) {
		size_t length = strcspn(text, "\n");
		char *line = mm_strndup(text, length);
		if (!holds(root, line, times))
			name = name_of(line);
		free(line);
		text += length + (text[length] == '\n');
	}
	return name;
}
