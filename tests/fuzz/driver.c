/* Runs a fuzz target over files and folders of inputs: the stand-alone driver where there is no libFuzzer. */
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/memory.h"
#include "fuzz.h"

static size_t inputs;

static int run(void *context, const char *path, const char *relative)
{
	struct mm_buffer bytes = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	(void)context;
	(void)relative;
	if (mm_fs_read(path, 0, &bytes, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	/* said before, so that a crash names its input; a copy of the exact size, so that a sanitizer sees its end */
	(void)fprintf(stderr, "%s\n", path);
	uint8_t *copy = mm_alloc(bytes.length ? bytes.length : 1);
	for (size_t i = 0; i < bytes.length; i++)
		copy[i] = (uint8_t)bytes.data[i];
	(void)LLVMFuzzerTestOneInput(copy, bytes.length);
	free(copy);
	mm_buffer_release(&bytes);
	inputs++;
	return 0;
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	(void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		if (!mm_fs_is_folder(argv[i]))
			(void)run(NULL, argv[i], argv[i]);
		else if (mm_fs_walk(argv[i], run, NULL, &err)) {
			(void)fprintf(stderr, "%s\n", err.text);
			return 1;
		}
	}
	(void)fprintf(stderr, "%zu inputs\n", inputs);
	return inputs == 0; /* a corpus that is not there is no success */
}
