/* `mymatrix import sql-bench`. */
#include "fuzz-import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("sql-bench", data, size);
	return 0;
}
