/* What is remembered of compilers from one run to the next. */
#include "base/json.h"
#include "fuzz.h"
#include "toolchains/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "t", cc[] = "/bin/sh", cxx[] = "/bin/sh";
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC, .cc = cc, .cxx = cxx };
	struct mm_error err = MM_ERROR_INIT;
	json_t *memory = mm_json_load(fuzz_file("toolchains.json", data, size), &err);
	if (memory) {
		struct mm_toolchain *toolchain = mm_toolchain_recall(&spec, memory);
		fuzz_must(!toolchain || (toolchain->version && toolchain->banner && toolchain->target), "all of it");
		mm_toolchain_free(toolchain);
	} else {
		fuzz_expect((int)err.code, &err);
	}
	json_decref(memory);
	return 0;
}
