/* Everything about a cell's build that can be known before time is spent, and the key that it comes down to. */
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/build.h"
#include "builders/cache.h"
#include "builders/extra.h"
#include "builders/foresee.h"
#include "builders/input.h"
#include "builders/origin.h"
#include "builders/profile.h"
#include "builders/record.h"
#include "builders/refusal.h"
#include "builders/sysroot.h"

/* Part of every key: to be raised when a change in this room changes what a build gives. Profiles have their digest. */
enum { BUILDER_VERSION = 4 };

struct preparation {
	const struct mm_store *store;
	const struct mm_cell *cell;
	struct mm_build *build;
	struct mm_build_cache *cache;
	const struct mm_toolchain *toolchain;
	struct mm_flag_words flags;
};

static struct mm_input input_of(const struct preparation *p, const char *table, const char *name)
{
	return (struct mm_input){ .store = p->store, .cache = p->cache, .table = table, .name = name };
}

static int take_source(const struct preparation *p, struct mm_error *err)
{
	const struct mm_source *spec = p->cell->source;
	const struct mm_input input = input_of(p, "sources", spec->name);
	json_t *origin;
	int code = mm_origin_take(p->store, p->cell, p->cache, &origin, err);
	(void)json_object_set_new(p->build->inputs, "source", origin);
	if (!code && p->cell->toolchain)
		code = mm_extra_check(&input, spec, p->cell->config, err);
	char *signature = mm_origin_signature(spec);
	p->build->signature = signature ? mm_strdup(mm_path_base(signature)) : NULL;
	free(signature);
	return code;
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
		const struct mm_input input = input_of(p, "flags", p->cell->flags->name);
		return mm_input_wrong(&input, NULL, err, "'%s' holds the character '%c', which no flag may have here",
				      words[i], *bad);
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
	if (source->has_profiles)
		put_words(inputs, "profiles", &source->profiles);
	if (!*p->cache->profiles)
		mm_profiles_digest(p->cache->profiles);
	mm_json_put_string(inputs, "profile_rows", p->cache->profiles);
	put_words(inputs, "config_options", &config->options);
	put_words(inputs, "config_env", &config->env);
	int code = mm_cache_libraries(p->cache, &libraries, err);
	if (!code)
		(void)json_object_set(inputs, "libraries", libraries);
	return code;
}

static int take_sysroot(const struct preparation *p, struct mm_error *err)
{
	json_t *sysroot;
	int code = mm_sysroot_take(p->store, p->cache, p->cell->bits, &sysroot, err);
	if (!code && sysroot)
		(void)json_object_set_new(p->build->inputs, "sysroot", sysroot);
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
	build->folder = mm_build_folder(p->store->work, build->key);
	build->prefix = p->cell->source->kind == MM_SOURCE_PREFIX ? mm_strdup(p->cell->source->path)
								  : mm_path_join(build->folder, "prefix");
	if (!config->my_cnf) {
		build->my_cnf = mm_path_join(compiled ? build->prefix : build->folder, "etc/my.cnf");
		return 0;
	}
	char hex[MM_SHA256_HEX];
	struct mm_error why = MM_ERROR_INIT;
	if (mm_hash_file(config->my_cnf, hex, &why)) {
		const struct mm_input input = input_of(p, "configs", config->name);
		return mm_input_wrong(&input, "my_cnf", err, "%s", why.text);
	}
	build->my_cnf = mm_format("%s/etc/my-%.12s.cnf", build->folder, hex);
	return 0;
}

/*
 * Build tools write paths into files of their own languages, and not all of them quote there what they must: CMake lists
 * end at ';', its strings at '"', make and Ninja take '$', ':' and '#' for theirs, PATH is split at ':'. That is said
 * before anything starts instead of by a tool's error in the middle of a build.
 */
static int check_work(const struct preparation *p, struct mm_error *err)
{
	const char *bad = strpbrk(p->store->work, "\"$;\\#[]<>:|\n\r");
	if (!bad)
		return 0;
	return mm_error_set(err, MM_EUSAGE,
			    "work folder '%s': CMake and make cannot build below a path that holds %s%c': name another one "
			    "with --work",
			    p->store->work, *bad == '\n' || *bad == '\r' ? "a line break, here '" : "'", *bad);
}

/* What a compilation needs, tried out before it begins. */
static int try_tools(struct preparation *p, struct mm_error *err)
{
	struct mm_sysroot_overlay overlay;
	const json_t *sysroot = json_object_get(p->build->inputs, "sysroot");
	int code = mm_sysroot_open(p->store, p->cell->bits, sysroot, &overlay, err);
	if (!code)
		code = mm_sysroot_flags(&overlay, &p->flags, err);
	char *folder = mm_format("%s/builds/%s.probe-%ld", p->store->work, p->build->key, (long)getpid());
	if (!code)
		code = mm_cache_probe(p->cache, p->toolchain, p->cell->bits, &p->flags, folder, err);
	free(folder);
	mm_sysroot_release(&overlay);
	return code;
}

/* Who only looks is told what the tools said when they were last tried. */
static int try_or_remember(struct preparation *p, struct mm_error *err)
{
	struct mm_build *build = p->build;
	struct mm_error why = MM_ERROR_INIT;
	if (p->store->look_only) {
		if (build->state == MM_BUILD_ABSENT)
			mm_refusal_load(build);
		return 0;
	}
	int code = try_tools(p, &why);
	if (!code || code == MM_ECELL)
		mm_refusal_note(build, code ? why.text : NULL);
	return code ? mm_error_set(err, why.code, "%s", why.text) : 0;
}

/* What the tree will be built by, and what speaks against it, if that can be seen already. */
static int foresee(const struct preparation *p, struct mm_error *err)
{
	const struct mm_foresight foresight = { .store = p->store,
						.cell = p->cell,
						.cache = p->cache,
						.target = p->toolchain->target,
						.origin = json_object_get(p->build->inputs, "source") };
	return mm_foresee(&foresight, p->build, err);
}

/* A misspelt profile is an error of the matrix, which needs no tree to be seen. */
static int check_profiles(const struct preparation *p, struct mm_error *err)
{
	const struct mm_source *source = p->cell->source;
	const struct mm_input input = input_of(p, "sources", source->name);
	struct mm_error why = MM_ERROR_INIT;
	if (mm_profiles_check(&source->build.profiles, &why) == 0)
		return 0;
	return mm_input_wrong(&input, "build", err, "%s", why.text);
}

static int prepare(struct preparation *p, struct mm_error *err)
{
	struct mm_build *build = p->build;
	build->inputs = json_object();
	mm_json_put_integer(build->inputs, "builder", BUILDER_VERSION);
	mm_json_put_integer(build->inputs, "bits", p->cell->bits);
	int code = check_profiles(p, err);
	if (!code)
		code = take_source(p, err);
	if (!code && p->cell->toolchain)
		code = take_toolchain(p, err);
	if (!code && p->cell->toolchain)
		code = take_options(p, err);
	if (!code && p->cell->toolchain)
		code = take_sysroot(p, err);
	if (code)
		return code;
	compute_key(build);
	code = lay_out(p, err);
	if (code)
		return code;
	(p->store->look_only ? mm_record_look : mm_record_load)(build);
	bool wanted = build->state == MM_BUILD_ABSENT || (build->state == MM_BUILD_FAILED && p->store->retry_failed);
	if (!wanted || !p->cell->toolchain)
		return 0;
	code = check_work(p, err);
	if (!code)
		code = foresee(p, err);
	return code ? code : try_or_remember(p, err);
}

int mm_build_prepare(const struct mm_store *store, const struct mm_cell *cell, struct mm_build *build,
		     struct mm_error *err)
{
	struct preparation p = { .store = store, .cell = cell, .build = build, .cache = store->cache };
	*build = (struct mm_build){ 0 };
	if (!p.cache)
		p.cache = mm_build_cache_new();
	if (!p.cache->work)
		p.cache->work = mm_strdup(store->work);
	int code = prepare(&p, err);
	mm_flag_words_release(&p.flags);
	if (!store->cache)
		mm_build_cache_free(p.cache);
	if (code)
		mm_build_release(build);
	return code;
}
