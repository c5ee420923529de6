/* `mymatrix import sysbench`. */
#include "fuzz-import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("sysbench", data, size);
	return 0;
}
