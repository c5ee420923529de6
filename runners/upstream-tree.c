#include "runners/upstream-tree.h"

#include <dirent.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/source.h"

const char *const mm_upstream_tests[] = { "ATIS",   "alter-table", "big-tables",   "connect",   "create",
					  "insert", "select",      "transactions", "wisconsin", NULL };

/* FOLDER/NAME or FOLDER/NAME.sh, allocated; NULL when neither is there. */
static char *find_script(const char *folder, const char *name, bool *installed)
{
	char *path = mm_path_join(folder, name), *source;

	*installed = mm_fs_exists(path);
	if (*installed)
		return path;
	source = mm_format("%s.sh", path);
	free(path);
	if (mm_fs_exists(source))
		return source;
	free(source);
	return NULL;
}

static int read_script(const char *folder, const char *name, bool *installed, struct mm_buffer *text,
		       struct mm_error *err)
{
	char *path = find_script(folder, name, installed);
	int rc;

	if (path == NULL)
		return mm_error_set(
			err, MM_EENV,
			"'%s' is not a folder of sql-bench: there is no '%s' in it, nor '%s.sh'; name one in 'script'",
			folder, name, name);
	rc = mm_fs_read(path, 4 << 20, text, err);
	free(path);
	return rc;
}

int mm_upstream_tree_open(const char *folder, struct mm_upstream_tree *tree, struct mm_error *err)
{
	struct mm_buffer init = MM_BUFFER_INIT, server = MM_BUFFER_INIT;
	bool installed;
	int rc = read_script(folder, "bench-init.pl", &installed, &init, err);

	*tree = (struct mm_upstream_tree){ .installed = installed };
	if (rc == 0)
		rc = read_script(folder, "server-cfg", &installed, &server, err);
	if (rc == 0) {
		tree->folder = mm_strdup(folder);
		tree->mariadb = strstr(mm_buffer_text(&server), "\"DBI:MariaDB:") != NULL;
		tree->socket_option = strstr(mm_buffer_text(&init), "\"socket=s\"") != NULL;
	}
	mm_buffer_release(&init);
	mm_buffer_release(&server);
	return rc;
}

void mm_upstream_tree_release(struct mm_upstream_tree *tree)
{
	free(tree->folder);
	*tree = (struct mm_upstream_tree){ 0 };
}

/* <work>/sources/<sha256> of a cell that was built from a tarball; allocated. */
static char *source_tree(const struct mm_server_place *place)
{
	const struct mm_build *build = place->build;
	const char *sha256 = mm_json_string(json_object_get(build->inputs, "source"), "sha256", NULL);
	char *builds, *work, *tree;

	if (place->cell->source != NULL && place->cell->source->kind == MM_SOURCE_DIRECTORY)
		return mm_strdup(place->cell->source->path);
	if (sha256 == NULL || build->folder == NULL)
		return NULL;
	builds = mm_path_folder(build->folder);
	work = mm_path_folder(builds);
	tree = mm_source_folder(work, sha256);
	free(builds);
	free(work);
	return tree;
}

char *mm_upstream_tree_of_cell(const struct mm_server_place *place)
{
	char *places[] = { mm_strdup(place->build->basedir), mm_path_join(place->build->basedir, "share"),
			   source_tree(place) };
	char *found = NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *folder = places[i] == NULL || found != NULL ? NULL : mm_path_join(places[i], "sql-bench");

		if (folder != NULL && mm_fs_is_folder(folder))
			found = folder;
		else
			free(folder);
		free(places[i]);
	}
	return found;
}

char *mm_upstream_script(const struct mm_upstream_tree *tree, const char *test)
{
	char *name = mm_format("test-%s", test), *path;
	bool installed;

	path = find_script(tree->folder, name, &installed);
	free(name);
	return path;
}

int64_t mm_upstream_loop_count(const struct mm_upstream_tree *tree, const char *test)
{
	static const char assignment[] = "\n$opt_loop_count=";
	char *path = mm_upstream_script(tree, test);
	struct mm_buffer text = MM_BUFFER_INIT;
	const char *found = NULL;
	long long count = 0;

	if (path != NULL && mm_fs_read(path, 4 << 20, &text, NULL) == 0)
		found = strstr(mm_buffer_text(&text), assignment);
	if (found != NULL)
		count = strtoll(found + strlen(assignment), NULL, 10);
	free(path);
	mm_buffer_release(&text);
	return count > 0 ? count : 0;
}

/* "x.sh" becomes "x" in FOLDER. */
static int rename_scripts(const char *folder, struct mm_error *err)
{
	DIR *dir = mm_fs_opendir(folder);
	const struct dirent *entry;
	int rc = dir == NULL ? mm_error_errno(err, "cannot read '%s'", folder) : 0;

	while (rc == 0 && (entry = readdir(dir)) != NULL) {
		size_t length = strlen(entry->d_name);
		char *from, *to;

		if (length < 4 || strcmp(entry->d_name + length - 3, ".sh") != 0)
			continue;
		from = mm_path_join(folder, entry->d_name);
		to = mm_strndup(from, strlen(from) - 3);
		if (rename(from, to) != 0)
			rc = mm_error_errno(err, "cannot rename '%s'", from);
		free(from);
		free(to);
	}
	if (dir != NULL)
		closedir(dir);
	return rc;
}

int mm_upstream_tree_copy(const struct mm_upstream_tree *tree, const char *to, struct mm_error *err)
{
	int rc = mm_fs_copy_tree(tree->folder, to, err);

	return rc != 0 || tree->installed ? rc : rename_scripts(to, err);
}
