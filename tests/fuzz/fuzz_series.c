/* Lists of patches: quilt series, spec files, patches. */
#include "builders/series.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_series series = MM_SERIES_INIT;
	(void)fuzz_file("one.patch", (const uint8_t *)"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", 34);
	fuzz_expect(mm_series_read(fuzz_file("series", data, size), &series, &err), &err);
	mm_series_release(&series);
	return 0;
}
