/* Source trees: the first byte says which file tells the version, the rest is that file. */
#include <stdlib.h>

#include "base/fs.h"
#include "builders/source.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "tree/VERSION", "tree/MYSQL_VERSION", "tree/configure.in",
					     "tree/configure.ac", "tree/configure", "tree/sql/sql_yacc.yy" };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_tree tree = { 0 };
	char *folder = mm_path_join(fuzz_folder(), "tree");
	if (size > 0) {
		if (data[0] % 6 < 2)
			(void)fuzz_file("tree/CMakeLists.txt", NULL, 0);
		if (data[0] % 6 > 3)
			(void)fuzz_file("tree/configure.in", (const uint8_t *)"AM_INIT_AUTOMAKE(mysql, 5.0.1)", 30);
		(void)fuzz_file(names[data[0] % 6], data + 1, size - 1);
	} else {
		(void)fuzz_file("tree/empty", NULL, 0);
	}
	int code = mm_source_recognise(folder, &tree, &err);
	fuzz_expect(code, &err);
	fuzz_must(code || tree.text[0], "a version");
	mm_tree_release(&tree);
	(void)mm_fs_remove_tree(folder, NULL);
	free(folder);
	return 0;
}
