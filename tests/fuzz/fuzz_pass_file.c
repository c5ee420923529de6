/* A pass as a file: what is read and written is read as the same again. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "fuzz.h"
#include "runners/pass.h"

static char *text_of(const struct mm_pass *pass)
{
	json_t *json = mm_pass_json(pass);
	char *text = mm_json_text(json);
	json_decref(json);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass, again;
	int code = mm_pass_load(fuzz_file("pass.json", data, size), &pass, &err);
	fuzz_expect(code, &err);
	if (code)
		return 0;
	char *text = text_of(&pass), *twice;
	const char *path = fuzz_file("again.json", (const uint8_t *)text, strlen(text));
	fuzz_must(mm_pass_load(path, &again, &err) == 0, "a pass that can be read again");
	twice = text_of(&again);
	fuzz_must(strcmp(text, twice) == 0, "the same pass");
	mm_pass_release(&again);
	mm_pass_release(&pass);
	free(twice);
	free(text);
	return 0;
}
