#include "builders/foresee.h"

#include "base/fs.h"
#include "base/memory.h"
#include "builders/archive.h"
#include "builders/builder.h"
#include "builders/once.h"
#include "builders/origin.h"

/* One tree that was looked at, or could not be; the cache has a list of them. */
struct mm_foreseen {
	char *folder;
	struct mm_tree tree;
	int code; /* of recognition; text is its error */
	char *text;
	struct mm_foreseen *next;
};

void mm_foreseen_free(struct mm_foreseen *list)
{
	while (list) {
		struct mm_foreseen *next = list->next;
		mm_tree_release(&list->tree);
		free(list->folder);
		free(list->text);
		free(list);
		list = next;
	}
}

static int recognise(struct mm_build_cache *cache, const char *folder, const struct mm_tree **tree,
		     struct mm_error *err)
{
	struct mm_foreseen *known = cache->foreseen;
	while (known && strcmp(known->folder, folder) != 0)
		known = known->next;
	if (!known) {
		struct mm_error why = MM_ERROR_INIT;
		known = mm_alloc(sizeof *known);
		*known = (struct mm_foreseen){ .folder = mm_strdup(folder), .next = cache->foreseen };
		/* a folder that is not there is a tarball that could not be read: what is wrong with it, the stage that
		 * unpacks it says */
		if (mm_fs_is_folder(folder))
			known->code = mm_source_recognise(folder, &known->tree, &why);
		known->text = mm_strdup(why.text);
		cache->foreseen = known;
	}
	*tree = known->tree.folder ? &known->tree : NULL;
	return known->code ? mm_error_set(err, known->code, "%s", known->text) : 0;
}

static bool was_looked_at(const struct mm_build_cache *cache, const char *folder)
{
	const struct mm_foreseen *known = cache->foreseen;
	while (known && strcmp(known->folder, folder) != 0)
		known = known->next;
	return known != NULL;
}

static int look_into(void *context, const char *folder, struct mm_error *err)
{
	const struct mm_foresight *foresight = context;
	const struct mm_archive_limits limits = mm_archive_limits(foresight->store->matrix, 0);
	return mm_archive_unpack_some(foresight->cell->source->path, folder, &limits, mm_source_tells, err);
}

/* The telling files of a tarball. Allocated in *FOLDER. */
static int peek(const struct mm_foresight *foresight, const char *tree_folder, char **folder, struct mm_error *err)
{
	const struct mm_source *source = foresight->cell->source;
	struct mm_error why = MM_ERROR_INIT;
	char *parent = mm_path_folder(tree_folder);
	int code = 0;
	*folder = mm_format("%s.look", tree_folder);
	if (!was_looked_at(foresight->cache, *folder)) {
		struct mm_foresight own = *foresight;
		code = mm_fs_mkdirs(parent, 0755, &why);
		if (!code)
			code = mm_once(*folder, source->name, look_into, &own, &why);
	}
	free(parent);
	return code == MM_EINTERRUPTED ? mm_error_set(err, code, "%s", why.text) : 0;
}

/* A folder that can be looked at in *FOLDER (allocated), or NULL. */
static int find_folder(const struct mm_foresight *foresight, char **folder, struct mm_error *err)
{
	const struct mm_source *source = foresight->cell->source;
	const char *work = foresight->store->work;
	*folder = mm_origin_patched_folder(work, foresight->origin);
	if (mm_once_is_whole(*folder))
		return 0;
	free(*folder);
	*folder = mm_origin_folder(work, foresight->origin);
	if (mm_once_is_whole(*folder))
		return 0;
	char *tree_folder = *folder;
	*folder = NULL;
	int code = 0;
	if (source->kind == MM_SOURCE_DIRECTORY)
		*folder = mm_strdup(source->path);
	else if (source->kind == MM_SOURCE_TARBALL && foresight->store->look_only)
		code = peek(foresight, tree_folder, folder, err);
	free(tree_folder);
	return code;
}

int mm_foresee(const struct mm_foresight *foresight, struct mm_build *build, struct mm_error *err)
{
	char *folder = NULL;
	const struct mm_tree *tree = NULL;
	struct mm_recipe recipe = { 0 };
	int code = find_folder(foresight, &folder, err);
	if (!code && folder)
		code = recognise(foresight->cache, folder, &tree, err);
	/* patches may be what makes it a tree that is known */
	if (code == MM_ECELL && foresight->cell->source->patches.count) {
		mm_error_clear(err);
		code = 0;
	}
	if (!code && tree)
		code = mm_builder_recipe(foresight->cell, tree, foresight->target, &recipe, err);
	if (!code && tree) {
		free(build->version);
		build->version = mm_strdup(tree->text);
		mm_strings_release(&build->profiles);
		mm_strings_extend(&build->profiles, &recipe.profiles);
	}
	mm_recipe_release(&recipe);
	free(folder);
	return code;
}
