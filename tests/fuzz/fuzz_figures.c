/* "name value unit" lines of a command of the user's. */
#include <math.h>
#include <stdlib.h>

#include "fuzz.h"
#include "runners/figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;
	char *text = fuzz_text(data, size);
	mm_pass_init(&pass);
	int code = mm_figures_read(text, &pass, &err);
	fuzz_expect(code, &err);
	for (size_t i = 0; !code && i < pass.test_count; i++)
		fuzz_must(isfinite(pass.tests[i].value), "a finite figure");
	json_decref(mm_pass_json(&pass));
	mm_pass_release(&pass);
	free(text);
	return 0;
}
