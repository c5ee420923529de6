/* What Studio compilers say to -V. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "toolchains/studio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_studio studio = { 0 };
	char *text = fuzz_text(data, size);
	int code = mm_studio_read_banner("cc", text, &studio, &err);
	fuzz_expect(code, &err);
	if (!code)
		fuzz_must(*mm_studio_bits_option(&studio, 32) == '-', "an option for 32 bits");
	free(text);
	return 0;
}
