/* Everything about a cell's build that can be known before time is spent, and the key that it comes down to. */
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/build.h"
#include "builders/cache.h"
#include "builders/prefix.h"
#include "builders/record.h"

/* Part of every key: to be raised when a change here or in profile.c changes what a build gives. */
enum { BUILDER_VERSION = 1 };

struct preparation {
	const struct mm_store *store;
	const struct mm_cell *cell;
	struct mm_build *build;
	struct mm_build_cache *cache;
	const struct mm_toolchain *toolchain;
	struct mm_flag_words flags;
};

/* "file:line:column: $.TABLE.NAME.KEY", or of the entry itself when KEY is NULL. Allocated. */
static char *place(const struct preparation *p, const char *table, const char *name, const char *key)
{
	char *head = mm_format("$.%s", table);
	char *entry = mm_json_path_key(head, name);
	char *path = key ? mm_json_path_key(entry, key) : mm_strdup(entry);
	char *text = mm_matrix_place(p->store->matrix, path);
	free(path);
	free(entry);
	free(head);
	return text;
}

/* An input file that is missing or wrong is an error of the matrix: it names the place there. */
static int wrong_input(const struct preparation *p, const char *key, struct mm_error *err, const char *what)
{
	char *where = place(p, "sources", p->cell->source->name, key);
	int code = mm_error_set(err, MM_EMATRIX, "%s: %s", where, what);
	free(where);
	return code;
}

static int digest_input(const struct preparation *p, const char *key, const char *path, char hex[MM_SHA256_HEX],
			struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	if (mm_fs_is_folder(path) || !mm_fs_exists(path)) {
		char *what =
			mm_format(mm_fs_is_folder(path) ? "'%s' is a folder, not a file"
							: "there is no file '%s': correct the path or fetch the file",
				  path);
		int code = wrong_input(p, key, err, what);
		free(what);
		return code;
	}
	int code = mm_digests_file(&p->cache->digests, p->store->work, path, hex, &why);
	return code ? wrong_input(p, key, err, why.text) : 0;
}

static int take_tarball(const struct preparation *p, json_t *source, struct mm_error *err)
{
	const struct mm_source *spec = p->cell->source;
	char hex[MM_SHA256_HEX];
	int code = digest_input(p, "tarball", spec->path, hex, err);
	if (!code && spec->sha256 && strcmp(spec->sha256, hex) != 0) {
		char *what =
			mm_format("'%s' has the sha256 %s, expected is %s: fetch it again, or correct the checksum if "
				  "the file is meant to be another",
				  spec->path, hex, spec->sha256);
		code = wrong_input(p, "sha256", err, what);
		free(what);
	}
	if (!code)
		mm_json_put_string(source, "sha256", hex);
	return code;
}

static int take_packages(const struct preparation *p, json_t *source, struct mm_error *err)
{
	const struct mm_strings *packages = &p->cell->source->packages;
	json_t *array = json_array();
	int code = 0;
	for (size_t i = 0; !code && i < packages->count; i++) {
		char hex[MM_SHA256_HEX];
		code = digest_input(p, "packages", packages->items[i], hex, err);
		if (!code)
			(void)json_array_append_new(array, json_pack("{s:s, s:s}", "file",
								     mm_path_base(packages->items[i]), "sha256", hex));
	}
	(void)json_object_set_new(source, "packages", array);
	return code;
}

static int take_prefix(const struct preparation *p, json_t *source, struct mm_error *err)
{
	const struct mm_source *spec = p->cell->source;
	char hex[MM_SHA256_HEX], *what = NULL;
	if (!mm_fs_is_folder(spec->path))
		what = mm_format("there is no folder '%s'", spec->path);
	char *server = what ? NULL : mm_prefix_find_server(spec->path, NULL);
	if (!what && !server)
		what = mm_format(
			"there is no server below '%s': looked for mariadbd and mysqld in its bin, sbin, libexec and "
			"usr",
			spec->path);
	int code = what ? wrong_input(p, "prefix", err, what) : digest_input(p, "prefix", server, hex, err);
	if (!code) {
		mm_json_put_string(source, "path", spec->path);
		mm_json_put_string(source, "server_sha256", hex);
	}
	free(server);
	free(what);
	return code;
}

static const struct {
	const char *name;
	int (*take)(const struct preparation *p, json_t *source, struct mm_error *err); /* NULL: not carried out yet */
} kinds[] = {
	[MM_SOURCE_TARBALL] = { "tarball", take_tarball },
	[MM_SOURCE_DIRECTORY] = { "directory", NULL },
	[MM_SOURCE_GIT] = { "git", NULL },
	[MM_SOURCE_PACKAGES] = { "packages", take_packages },
	[MM_SOURCE_PREFIX] = { "prefix", take_prefix },
};

static int take_source(const struct preparation *p, struct mm_error *err)
{
	json_t *source = json_object();
	enum mm_source_kind kind = p->cell->source->kind;
	(void)json_object_set_new(p->build->inputs, "source", source);
	mm_json_put_string(source, "kind", kinds[kind].name);
	if (!kinds[kind].take)
		return wrong_input(p, kinds[kind].name, err, "sources of this kind are not supported by this version");
	return kinds[kind].take(p, source, err);
}

static void put_words(json_t *object, const char *key, const struct mm_strings *list)
{
	json_t *array = json_array();
	for (size_t i = 0; i < list->count; i++)
		(void)json_array_append_new(array, json_string(list->items[i]));
	(void)json_object_set_new(object, key, array);
}

/* Build tools pass flags through a shell of their own, so what a shell would take apart is refused. */
static int check_flags(const struct preparation *p, struct mm_error *err)
{
	const char *const words[] = { p->flags.c, p->flags.cxx, p->flags.cpp, p->flags.ld };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *bad = strpbrk(words[i], "\"'`\\$&|;<>(){}*?!#\n\r");
		if (!bad)
			continue;
		char *where = place(p, "flags", p->cell->flags->name, NULL);
		int code =
			mm_error_set(err, MM_EMATRIX, "%s: '%s' holds the character '%c', which no flag may have here",
				     where, words[i], *bad);
		free(where);
		return code;
	}
	return 0;
}

static int take_toolchain(struct preparation *p, struct mm_error *err)
{
	const struct mm_cell *cell = p->cell;
	json_t *inputs = p->build->inputs;
	int code = mm_cache_toolchain(p->cache, cell->toolchain, &p->toolchain, err);
	if (code)
		return code;
	mm_flags_resolve(p->store->matrix, cell->flags, cell->toolchain->family, cell->bits, &p->flags);
	code = check_flags(p, err);
	json_t *toolchain = json_object(), *flags = json_object();
	mm_json_put_string(toolchain, "family", mm_family_name(cell->toolchain->family));
	mm_json_put_string(toolchain, "version", p->toolchain->version);
	mm_json_put_string(toolchain, "banner", p->toolchain->banner);
	mm_json_put_string(toolchain, "target", p->toolchain->target);
	mm_json_put_string(toolchain, "identity", p->toolchain->identity);
	mm_json_put_string(toolchain, "ld", p->toolchain->ld);
	mm_json_put_string(flags, "c", p->flags.c);
	mm_json_put_string(flags, "cxx", p->flags.cxx);
	mm_json_put_string(flags, "cpp", p->flags.cpp);
	mm_json_put_string(flags, "ld", p->flags.ld);
	mm_json_put_string(flags, "enforce", cell->flags->enforce == MM_ENFORCE_NONE ? "none" : "level");
	(void)json_object_set_new(inputs, "toolchain", toolchain);
	(void)json_object_set_new(inputs, "flags", flags);
	return code;
}

static int take_options(const struct preparation *p, struct mm_error *err)
{
	const struct mm_build_options *source = &p->cell->source->build, *config = &p->cell->config->build;
	json_t *inputs = p->build->inputs, *libraries;
	mm_json_put_string(inputs, "system", source->system);
	put_words(inputs, "options", &source->options);
	put_words(inputs, "targets", &source->targets);
	put_words(inputs, "env", &source->env);
	put_words(inputs, "config_options", &config->options);
	put_words(inputs, "config_env", &config->env);
	int code = mm_cache_libraries(p->cache, &libraries, err);
	if (!code)
		(void)json_object_set(inputs, "libraries", libraries);
	return code;
}

/* SHA-256 over the inputs in a canonical form, so that the record says why two keys differ. */
static void compute_key(struct mm_build *build)
{
	char hex[MM_SHA256_HEX];
	char *text = json_dumps(build->inputs, JSON_COMPACT | JSON_SORT_KEYS);
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, text);
	mm_hash_finish(hash, hex);
	free(text);
	memcpy(build->key, hex, MM_BUILD_KEY - 1);
	build->key[MM_BUILD_KEY - 1] = '\0';
}

/* Where things are. The option file is named by its content, so that a changed one is another argument. */
static int lay_out(const struct preparation *p, struct mm_error *err)
{
	struct mm_build *build = p->build;
	const struct mm_config *config = p->cell->config;
	bool compiled = p->cell->toolchain != NULL;
	build->folder = mm_format("%s/builds/%s", p->store->work, build->key);
	build->prefix = p->cell->source->kind == MM_SOURCE_PREFIX ? mm_strdup(p->cell->source->path)
								  : mm_path_join(build->folder, "prefix");
	if (!config->my_cnf) {
		build->my_cnf = mm_path_join(compiled ? build->prefix : build->folder, "etc/my.cnf");
		return 0;
	}
	char hex[MM_SHA256_HEX];
	struct mm_error why = MM_ERROR_INIT;
	if (mm_hash_file(config->my_cnf, hex, &why)) {
		char *where = place(p, "configs", config->name, "my_cnf");
		int code = mm_error_set(err, MM_EMATRIX, "%s: %s", where, why.text);
		free(where);
		return code;
	}
	build->my_cnf = mm_format("%s/etc/my-%.12s.cnf", build->folder, hex);
	return 0;
}

static int need_program(const char *name, const char *package, struct mm_error *err)
{
	char *path = mm_fs_find_program(name);
	free(path);
	if (path)
		return 0;
	return mm_error_set(err, MM_ECELL, "cannot find the program '%s': install it (Debian: the package '%s')", name,
			    package);
}

/* What a compilation needs, tried out before it begins. */
static int try_tools(const struct preparation *p, struct mm_error *err)
{
	int code = need_program("cmake", "cmake", err);
	if (!code)
		code = need_program("ninja", "ninja-build", err);
	if (code)
		return code;
	char *folder = mm_format("%s/builds/%s.probe-%ld", p->store->work, p->build->key, (long)getpid());
	code = mm_cache_probe(p->cache, p->toolchain, p->cell->bits, &p->flags, folder, err);
	free(folder);
	return code;
}

static int prepare(struct preparation *p, struct mm_error *err)
{
	struct mm_build *build = p->build;
	build->inputs = json_object();
	mm_json_put_integer(build->inputs, "builder", BUILDER_VERSION);
	mm_json_put_integer(build->inputs, "bits", p->cell->bits);
	int code = take_source(p, err);
	if (!code && p->cell->toolchain)
		code = take_toolchain(p, err);
	if (!code && p->cell->toolchain)
		code = take_options(p, err);
	if (code)
		return code;
	compute_key(build);
	code = lay_out(p, err);
	if (code)
		return code;
	mm_record_load(build);
	bool wanted = build->state == MM_BUILD_ABSENT || (build->state == MM_BUILD_FAILED && p->store->retry_failed);
	return wanted && p->cell->toolchain && !p->store->look_only ? try_tools(p, err) : 0;
}

int mm_build_prepare(const struct mm_store *store, const struct mm_cell *cell, struct mm_build *build,
		     struct mm_error *err)
{
	struct preparation p = { .store = store, .cell = cell, .build = build, .cache = store->cache };
	*build = (struct mm_build){ 0 };
	if (!p.cache)
		p.cache = mm_build_cache_new();
	int code = prepare(&p, err);
	mm_flag_words_release(&p.flags);
	if (!store->cache)
		mm_build_cache_free(p.cache);
	if (code)
		mm_build_release(build);
	return code;
}
