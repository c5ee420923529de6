/* ELF files: what a server says of itself. */
#include <stdlib.h>

#include "builders/elf.h"
#include "fuzz.h"
#include "runners/build-id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_elf elf = { 0 };
	const char *path = fuzz_file("server", data, size);
	int code = mm_elf_read(path, "/builds/", &elf, &err);
	fuzz_expect(code, &err);
	fuzz_must(code || elf.bits == 32 || elf.bits == 64, "32 or 64 bits");
	mm_elf_release(&elf);
	free(mm_build_id(path));
	return 0;
}
