#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"

static char *folder, *path;
static pid_t owner;

static void remove_folder(void)
{
	free(path);
	path = NULL;
	if (getpid() == owner)
		(void)mm_fs_remove_tree(folder, NULL);
	free(folder);
	folder = NULL;
}

const char *fuzz_folder(void)
{
	if (!folder) {
		folder = mm_strdup(mm_fs_is_folder("/dev/shm") ? "/dev/shm/mm-fuzz-XXXXXX" : "/tmp/mm-fuzz-XXXXXX");
		fuzz_must(mkdtemp(folder) != NULL, "a scratch folder");
		owner = getpid();
		json_object_seed(1); /* the order of nothing depends on it; executions are to be alike */
		(void)setenv("PATH", "/nonexistent", 1); /* no target starts a program */
		(void)atexit(remove_folder);
	}
	return folder;
}

const char *fuzz_file(const char *name, const uint8_t *data, size_t size)
{
	char *above;
	free(path);
	path = mm_path_join(fuzz_folder(), name);
	above = mm_path_folder(path);
	fuzz_must(mm_fs_mkdirs(above, 0755, NULL) == 0, "a folder");
	free(above);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	fuzz_must(fd >= 0 && (size == 0 || write(fd, data, size) == (ssize_t)size), "a file");
	(void)close(fd);
	return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
	return fuzz_take(&data, &size);
}

char *fuzz_take(const uint8_t **data, size_t *size)
{
	size_t length = *size ? strnlen((const char *)*data, *size) : 0, used = length < *size ? length + 1 : length;
	char *text = mm_strndup(*size ? (const char *)*data : "", length);
	*data += used;
	*size -= used;
	return text;
}

void fuzz_expect(int code, const struct mm_error *err)
{
	if (code == 0)
		return;
	fuzz_must(code < 0 && err->code == (enum mm_code)code, "an error that is returned as it was set");
	fuzz_must(code != MM_EINTERNAL, "an error that is not a bug of ours");
	fuzz_must(err->text[0] != '\0', "an error with a text");
	for (const char *c = err->text; *c; c++)
		fuzz_must((unsigned char)*c >= 0x20 && *c != 0x7f, "a text without control characters");
}

void fuzz_must(int holds, const char *what)
{
	if (holds)
		return;
	(void)fprintf(stderr, "fuzz: expected %s\n", what);
	abort();
}
