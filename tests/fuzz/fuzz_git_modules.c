/* .gitmodules of a repository, and the addresses in it: a text, then after a NUL the address of the repository itself. */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "builders/git-private.h"
#include "fuzz.h"

/* A tree that holds nothing but .gitmodules with TEXT. */
static git_tree *tree_of(git_repository *repository, const char *text)
{
	git_treebuilder *builder = NULL;
	git_tree *tree = NULL;
	git_oid blob, id;
	bool made = git_blob_create_from_buffer(&blob, repository, text, strlen(text)) == 0 &&
		    git_treebuilder_new(&builder, repository, NULL) == 0 &&
		    git_treebuilder_insert(NULL, builder, ".gitmodules", &blob, GIT_FILEMODE_BLOB) == 0 &&
		    git_treebuilder_write(&id, builder) == 0 && git_tree_lookup(&tree, repository, &id) == 0;
	fuzz_must(made, "a tree");
	git_treebuilder_free(builder);
	return tree;
}

static void find(const struct mm_git_modules *modules, const char *base)
{
	char *name, *address, *whole;
	struct mm_error err = MM_ERROR_INIT;
	if (!mm_git_modules_find(modules, "module", &name, &address))
		return;
	fuzz_must(strstr(name, "../") == NULL && *name != '/', "a name that stays below .git/modules");
	int code = mm_git_module_address(base, address, &whole, &err);
	fuzz_expect(code, &err);
	fuzz_must(code || (*whole && *whole != '-'), "an address");
	free(whole);
	free(name);
	free(address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_git_modules modules;
	git_repository *repository = NULL;
	char *text = fuzz_take(&data, &size), *base = fuzz_text(data, size);
	char *folder = mm_path_join(fuzz_folder(), "repository"), *scratch = mm_path_join(fuzz_folder(), "modules");
	fuzz_must(mm_git_begin(&err) == 0 && git_repository_init(&repository, folder, 1) == 0, "a repository");
	git_tree *tree = tree_of(repository, text);
	int code = mm_git_modules_read(repository, tree, scratch, &modules, &err);
	fuzz_expect(code, &err);
	if (!code)
		find(&modules, *base ? base : "https://example.org/a/b.git");
	mm_git_modules_release(&modules);
	git_tree_free(tree);
	git_repository_free(repository);
	mm_git_end();
	(void)mm_fs_remove_tree(folder, NULL);
	free(folder);
	free(scratch);
	free(text);
	free(base);
	return 0;
}
