/* Debian and rpm packages: ar and rpm headers, and the archives in them. */
#include <stdlib.h>
#include <string.h>

#include "archives.h"
#include "base/fs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kept[] = { "a.deb", "a.rpm", NULL };
	struct mm_archive_limits limits = FUZZ_LIMITS;
	struct mm_error err = MM_ERROR_INIT;
	bool deb = size >= 7 && memcmp(data, "!<arch>", 7) == 0;
	char *folder = mm_path_join(fuzz_folder(), "root");
	fuzz_must(mm_fs_mkdirs(folder, 0755, NULL) == 0, "a folder");
	int code = mm_archive_unpack_package(fuzz_file(deb ? "a.deb" : "a.rpm", data, size), folder, &limits, &err);
	fuzz_expect(code, &err);
	fuzz_check_unpacked("root", kept);
	free(folder);
	return 0;
}
