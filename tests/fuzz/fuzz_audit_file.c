/* The audit as it was stored by an earlier run, made into text. */
#include <stdlib.h>

#include "base/json.h"
#include "fuzz.h"
#include "toolchains/audit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *detail = mm_json_load(fuzz_file("audit.json", data, size), &err);
	if (detail)
		free(mm_audit_text(detail));
	else
		fuzz_expect((int)err.code, &err);
	json_decref(detail);
	return 0;
}
