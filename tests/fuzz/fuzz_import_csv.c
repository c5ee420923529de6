/* `mymatrix import csv`. */
#include "fuzz-import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("csv", data, size);
	return 0;
}
