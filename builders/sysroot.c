#include "builders/sysroot.h"

#include <dirent.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/archive.h"
#include "builders/control.h"
#include "builders/input.h"
#include "builders/job.h"
#include "builders/landing.h"
#include "builders/once.h"

static const struct mm_sysroot *find(const struct mm_matrix *matrix, int bits)
{
	for (size_t i = 0; i < matrix->sysroot_count; i++)
		if (matrix->sysroots[i].bits == bits)
			return &matrix->sysroots[i];
	return NULL;
}

int mm_sysroot_take(const struct mm_store *store, struct mm_build_cache *cache, int bits, json_t **sysroot,
		    struct mm_error *err)
{
	const struct mm_sysroot *spec = find(store->matrix, bits);
	*sysroot = NULL;
	if (!spec)
		return 0;
	const struct mm_input input = { .store = store, .cache = cache, .table = "sysroots", .name = spec->name };
	*sysroot = json_object();
	int code = 0;
	if (spec->directory) {
		const struct mm_folder folder = { .path = spec->directory, .skip = store->work, .package = true };
		char hex[MM_SHA256_HEX];
		code = mm_input_digest_folder(&input, "directory", &folder, hex, err);
		if (!code)
			mm_json_put_string(*sysroot, "directory", hex);
	} else {
		code = mm_input_digest_all(&input, "packages", &spec->packages, *sysroot, err);
		if (!code)
			code = mm_control_check_once(&input, &spec->packages, err);
	}
	if (code) {
		json_decref(*sysroot);
		*sysroot = NULL;
	}
	return code;
}

/* Named by what it is made of; as long as a build's key, so that paths in it do not differ in length. */
char *mm_sysroot_folder(const char *work, const json_t *sysroot)
{
	char hex[MM_SHA256_HEX];
	char *text = json_dumps(sysroot, JSON_COMPACT | JSON_SORT_KEYS);
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, text);
	mm_hash_finish(hash, hex);
	free(text);
	return mm_format("%s/sysroots/%.*s", work, MM_BUILD_KEY - 1, hex);
}

struct making {
	const struct mm_store *store;
	const struct mm_sysroot *spec;
	const json_t *sysroot;
};

static int make(void *context, const char *folder, struct mm_error *err)
{
	const struct making *making = context;
	if (making->spec->directory) {
		const struct mm_folder from = { .path = making->spec->directory,
						.skip = making->store->work,
						.package = true };
		return mm_folder_copy(&from, folder, mm_json_string(making->sysroot, "directory", ""), err);
	}
	const struct mm_archive_limits limits = mm_archive_limits(making->store->matrix, 0);
	char *part = mm_format("%s.part", folder);
	int code = mm_fs_remove_tree(part, err);
	if (!code)
		code = mm_fs_mkdirs(part, 0755, err);
	for (size_t i = 0; !code && i < making->spec->packages.count; i++)
		code = mm_archive_unpack_package(making->spec->packages.items[i], part, &limits, err);
	if (!code)
		code = mm_landing_settle(part, folder, err);
	free(part);
	return code;
}

static void add_if_there(struct mm_strings *list, const char *root, const char *inner)
{
	char *path = mm_path_join(root, inner);
	if (mm_fs_is_folder(path) && !mm_strings_contain(list, path))
		mm_strings_push(list, path);
	free(path);
}

/* Debian's multiarch: one folder of usr/lib or lib is named after the machine. */
static char *find_machine(const char *root)
{
	static const char *const places[] = { "usr/lib", "lib" };
	char *machine = NULL;
	for (size_t i = 0; !machine && i < 2; i++) {
		char *path = mm_path_join(root, places[i]);
		DIR *dir = mm_fs_opendir(path);
		for (const struct dirent *entry; dir && !machine && (entry = readdir(dir));)
			if (strstr(entry->d_name, "-linux-gnu"))
				machine = mm_strdup(entry->d_name);
		if (dir)
			closedir(dir);
		free(path);
	}
	return machine;
}

/* Folders that belong to a machine (MACHINE, or none) below usr and the root. */
static void look_for(struct mm_sysroot_overlay *overlay, const char *machine, int bits)
{
	const char *root = overlay->root;
	/* where other distributions keep what is not 64-bit, and the other way round */
	const char *wide = bits == 64 ? "64" : "";
	const char *slash = machine ? "/" : "", *name = machine ? machine : "";
	char *paths[] = { mm_format("usr/lib%s%s%s", machine ? "" : wide, slash, name),
			  mm_format("lib%s%s%s", machine ? "" : wide, slash, name),
			  mm_format("usr/include%s%s", slash, name) };
	add_if_there(&overlay->libraries, root, paths[0]);
	add_if_there(&overlay->libraries, root, paths[1]);
	add_if_there(&overlay->headers, root, paths[2]);
	char *pkg_config = mm_path_join(paths[0], "pkgconfig");
	add_if_there(&overlay->pkg_config, root, pkg_config);
	free(pkg_config);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		free(paths[i]);
}

/* A C library that comes with it must be loaded by its own loader: the two belong together. */
static char *find_loader(const struct mm_sysroot_overlay *overlay)
{
	char *loader = NULL;
	for (size_t i = 0; !loader && i < overlay->libraries.count; i++) {
		DIR *dir = mm_fs_opendir(overlay->libraries.items[i]);
		for (const struct dirent *entry; dir && !loader && (entry = readdir(dir));)
			if (strncmp(entry->d_name, "ld-linux", 8) == 0)
				loader = mm_path_join(overlay->libraries.items[i], entry->d_name);
		if (dir)
			closedir(dir);
	}
	return loader;
}

int mm_sysroot_open(const struct mm_store *store, int bits, const json_t *sysroot, struct mm_sysroot_overlay *overlay,
		    struct mm_error *err)
{
	*overlay = (struct mm_sysroot_overlay){ 0 };
	if (!sysroot)
		return 0;
	struct making making = { store, find(store->matrix, bits), sysroot };
	overlay->root = mm_sysroot_folder(store->work, sysroot);
	int code = mm_once(overlay->root, "a sysroot", make, &making, err);
	if (code == MM_ECELL)
		return mm_error_prefix(err, "sysroot '%s'", making.spec->name);
	if (code)
		return code;
	overlay->machine = find_machine(overlay->root);
	if (overlay->machine)
		look_for(overlay, overlay->machine, bits);
	look_for(overlay, NULL, bits);
	add_if_there(&overlay->pkg_config, overlay->root, "usr/share/pkgconfig");
	overlay->loader = find_loader(overlay);
	if (!overlay->libraries.count && !overlay->headers.count)
		return mm_error_set(
			err, MM_ECELL,
			"sysroot '%s' has neither headers nor libraries: looked for usr/include, usr/lib and "
			"lib in it",
			making.spec->name);
	return 0;
}

void mm_sysroot_release(struct mm_sysroot_overlay *overlay)
{
	free(overlay->root);
	free(overlay->machine);
	free(overlay->loader);
	mm_strings_release(&overlay->headers);
	mm_strings_release(&overlay->libraries);
	mm_strings_release(&overlay->pkg_config);
	*overlay = (struct mm_sysroot_overlay){ 0 };
}

static void extend(char **words, const struct mm_buffer *more)
{
	char *both = mm_format("%s%s%s", *words, **words && more->length ? " " : "", mm_buffer_text(more));
	free(*words);
	*words = both;
}

/*
 * Headers as the system's own, before them: then nothing is warned about in them. The run path makes programs that
 * run while the tree is built find what they were linked with, and the server later.
 */
int mm_sysroot_flags(const struct mm_sysroot_overlay *overlay, struct mm_flag_words *words, struct mm_error *err)
{
	struct mm_buffer headers = MM_BUFFER_INIT, link = MM_BUFFER_INIT;
	if (!overlay->root)
		return 0;
	if (strpbrk(overlay->root, " \t\"'`\\$&|;<>(){}*?!#,:\n\r"))
		return mm_error_set(
			err, MM_EENV,
			"'%s' cannot stand in compiler flags: choose a work folder (--work) with a plain path",
			overlay->root);
	for (size_t i = 0; i < overlay->headers.count; i++)
		mm_buffer_printf(&headers, "%s-isystem %s", i ? " " : "", overlay->headers.items[i]);
	for (size_t i = 0; i < overlay->libraries.count; i++)
		mm_buffer_printf(&link, "%s-L%s -Wl,-rpath,%s", i ? " " : "", overlay->libraries.items[i],
				 overlay->libraries.items[i]);
	if (overlay->loader)
		mm_buffer_printf(&link, " -Wl,--dynamic-linker=%s", overlay->loader);
	extend(&words->cpp, &headers);
	extend(&words->ld, &link);
	mm_buffer_release(&headers);
	mm_buffer_release(&link);
	return 0;
}

void mm_sysroot_cmake(const struct mm_sysroot_overlay *overlay, struct mm_strings *argv)
{
	if (!overlay->root)
		return;
	mm_strings_pushf(argv, "-DCMAKE_PREFIX_PATH=%s/usr", overlay->root);
	/* or the run path would be taken off when the server is installed */
	mm_strings_push(argv, "-DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON");
	if (overlay->machine)
		mm_strings_pushf(argv, "-DCMAKE_LIBRARY_ARCHITECTURE=%s", overlay->machine);
}

void mm_sysroot_environment(const struct mm_sysroot_overlay *overlay, struct mm_strings *env)
{
	if (!overlay->root)
		return;
	char *folders = mm_strings_join(&overlay->pkg_config, ":");
	char *where = mm_format("PKG_CONFIG_LIBDIR=%s", folders);
	char *root = mm_format("PKG_CONFIG_SYSROOT_DIR=%s", overlay->root);
	mm_env_set(env, where);
	mm_env_set(env, root);
	free(root);
	free(where);
	free(folders);
}
