/* What a Debian package says of itself, and the order of the versions in it. */
#include "base/memory.h"
#include "builders/control.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_control control;
	bool read = mm_control_read(fuzz_file("package.deb", data, size), &control);
	fuzz_must(!read || (control.package && *control.package), "a package has a name");
	if (control.version) {
		const char *version = control.version;
		fuzz_must(mm_control_compare(version, version) == 0, "a version is equal to itself");
		int older = mm_control_compare(version, "1:1.0-1"), newer = mm_control_compare("1:1.0-1", version);
		fuzz_must((older < 0) == (newer > 0) && (older == 0) == (newer == 0), "the order is the same from both sides");
	}
	mm_control_release(&control);
	return 0;
}
