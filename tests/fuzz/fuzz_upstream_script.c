/* Scripts of a source tree's sql-bench: what they say of themselves. */
#include <stdlib.h>

#include "base/fs.h"
#include "fuzz.h"
#include "runners/upstream-tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_upstream_tree tree;
	char *folder = mm_path_join(fuzz_folder(), "sql-bench");
	(void)fuzz_file("sql-bench/server-cfg.sh", data, size);
	(void)fuzz_file("sql-bench/bench-init.pl.sh", data, size);
	(void)fuzz_file("sql-bench/test-ATIS.sh", data, size);
	int code = mm_upstream_tree_open(folder, &tree, &err);
	fuzz_expect(code, &err);
	if (!code)
		fuzz_must(mm_upstream_loop_count(&tree, "ATIS") >= 0, "a count");
	mm_upstream_tree_release(&tree);
	free(folder);
	return 0;
}
