/* build.json of the build store. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "builders/record.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_build build = { 0 };
	(void)fuzz_file("builds/k/build.json", data, size);
	(void)snprintf(build.key, sizeof build.key, "%s", "0123456789abcdef0123456789abcdef");
	build.folder = mm_format("%s/builds/k", fuzz_folder());
	build.prefix = mm_strdup("/prefix");
	mm_record_load(&build);
	fuzz_must(build.state != MM_BUILD_DONE || (build.server && build.basedir), "a build with a server, or none");
	json_decref(mm_build_json(&build));
	mm_build_release(&build);
	return 0;
}
