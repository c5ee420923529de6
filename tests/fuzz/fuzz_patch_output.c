/* What GNU patch says when it fails. */
#include <stdlib.h>
#include <string.h>

#include "builders/patch.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *line = mm_patch_explain("one.patch", text);
	fuzz_must(line != NULL && strchr(line, '\n') == NULL, "one line");
	fuzz_must(mm_patch_count(text) <= size, "no more hunks than lines");
	free(line);
	free(text);
	return 0;
}
