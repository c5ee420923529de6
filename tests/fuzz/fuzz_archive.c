/* Tarballs and zip files. */
#include <stdlib.h>

#include "archives.h"
#include "base/fs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kept[] = { "archive", NULL };
	struct mm_archive_limits limits = FUZZ_LIMITS;
	struct mm_error err = MM_ERROR_INIT;
	char *folder = mm_path_join(fuzz_folder(), "tree");
	int code = mm_archive_unpack(fuzz_file("archive", data, size), folder, &limits, NULL, &err);
	fuzz_expect(code, &err);
	fuzz_must(mm_fs_exists(folder) == !code, "a whole tree or none");
	fuzz_check_unpacked("tree", kept);
	free(folder);
	return 0;
}
