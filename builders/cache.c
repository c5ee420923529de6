#include "builders/cache.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/memory.h"

struct mm_build_cache *mm_build_cache_new(void)
{
	return mm_alloc(sizeof(struct mm_build_cache));
}

void mm_build_cache_free(struct mm_build_cache *cache)
{
	if (!cache)
		return;
	mm_digests_release(&cache->digests);
	for (size_t i = 0; i < cache->toolchain_count; i++)
		mm_toolchain_free(cache->toolchains[i]);
	free(cache->toolchains);
	mm_strings_release(&cache->probed);
	json_decref(cache->origins);
	json_decref(cache->libraries);
	mm_foreseen_free(cache->foreseen);
	free(cache->work);
	free(cache);
}

/* What is remembered of toolchains under WORK; an empty object when there is nothing to believe. New reference. */
static json_t *load_memory(const char *path)
{
	struct mm_error ignored = MM_ERROR_INIT;
	json_t *memory = mm_fs_exists(path) ? mm_json_load(path, &ignored) : NULL;
	if (json_is_object(memory))
		return memory;
	json_decref(memory);
	return json_object();
}

/* A memory that cannot be written only costs time. */
static void save_memory(const char *work, const char *path, const json_t *memory)
{
	struct mm_error ignored = MM_ERROR_INIT;
	if (mm_fs_mkdirs(work, 0755, &ignored) == 0)
		(void)mm_json_save(path, memory, &ignored);
}

/* Recalls the toolchain of SPEC, or opens and remembers it. */
static int find_toolchain(const char *work, const struct mm_toolchain_spec *spec, struct mm_toolchain **toolchain,
			  struct mm_error *err)
{
	char *path = mm_path_join(work, "toolchains.json");
	char *name = mm_format("%s %s %s %s %s", mm_family_name(spec->family), spec->cc, spec->cxx,
			       spec->ar ? spec->ar : "", spec->ld ? spec->ld : "");
	json_t *memory = load_memory(path), *fresh;
	int code = 0;
	*toolchain = mm_toolchain_recall(spec, json_object_get(memory, name));
	if (!*toolchain) {
		code = mm_toolchain_open(spec, toolchain, err);
		fresh = code ? NULL : mm_toolchain_remember(*toolchain);
		if (fresh && json_object_set_new(memory, name, fresh) == 0)
			save_memory(work, path, memory);
	}
	json_decref(memory);
	free(name);
	free(path);
	return code;
}

int mm_cache_toolchain(struct mm_build_cache *cache, const struct mm_toolchain_spec *spec,
		       const struct mm_toolchain **toolchain, struct mm_error *err)
{
	for (size_t i = 0; i < cache->toolchain_count; i++) {
		if (cache->toolchains[i]->spec == spec) {
			*toolchain = cache->toolchains[i];
			return 0;
		}
	}
	struct mm_toolchain *fresh;
	int code = cache->work ? find_toolchain(cache->work, spec, &fresh, err) : mm_toolchain_open(spec, &fresh, err);
	if (code)
		return code;
	cache->toolchains = mm_realloc(cache->toolchains, cache->toolchain_count + 1, sizeof(struct mm_toolchain *));
	cache->toolchains[cache->toolchain_count++] = fresh;
	*toolchain = fresh;
	return 0;
}

int mm_cache_probe(struct mm_build_cache *cache, const struct mm_toolchain *toolchain, int bits,
		   const struct mm_flag_words *flags, const char *folder, struct mm_error *err)
{
	char *what = mm_format("%s\n%d\n%s\n%s\n%s\n%s", toolchain->identity, bits, flags->c, flags->cxx, flags->cpp,
			       flags->ld);
	int code = 0;
	if (!mm_strings_contain(&cache->probed, what)) {
		code = mm_toolchain_probe(toolchain, bits, flags, folder, err);
		if (!code)
			mm_strings_push(&cache->probed, what);
	}
	free(what);
	return code;
}

/* Libraries that the trees look for, by their pkg-config names. */
static const char *const libraries_of_interest[] = {
	"fmt",      "jemalloc", "libaio",  "libcurl", "libedit", "libevent", "liblz4", "libpcre2-8", "libsystemd",
	"liburing", "libzstd",  "ncurses", "numa",    "openssl", "protobuf", "tinfo",  "zlib",
};

static int ask_pkg_config(const struct mm_strings *arguments, struct mm_buffer *output, bool *answered,
			  struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_process_result result;
	struct mm_error why = MM_ERROR_INIT;
	mm_strings_push(&argv, "pkg-config");
	mm_strings_extend(&argv, arguments);
	struct mm_process_spec spec = {
		.argv = argv.items, .output = output, .timeout_seconds = 60, .unfit = MM_ECELL
	};
	int code = mm_process_run(&spec, &result, &why);
	*answered = !code && result.exit_status == 0;
	mm_strings_release(&argv);
	/* without pkg-config the trees do not find libraries by it either: nothing to record */
	return code && code != MM_ECELL ? mm_error_set(err, (enum mm_code)code, "%s", why.text) : 0;
}

/* Is NAME the first word of a line of LIST? */
static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\n'))
			return true;
	return false;
}

int mm_cache_libraries(struct mm_build_cache *cache, json_t **libraries, struct mm_error *err)
{
	struct mm_strings ask = MM_STRINGS_INIT;
	struct mm_buffer list = MM_BUFFER_INIT, versions = MM_BUFFER_INIT;
	bool answered = false;
	int code = 0;
	if (cache->libraries)
		goto out;
	json_t *found = json_object();
	mm_strings_push(&ask, "--list-all");
	code = ask_pkg_config(&ask, &list, &answered, err);
	mm_strings_release(&ask);
	mm_strings_push(&ask, "--modversion");
	for (size_t i = 0; answered && i < sizeof libraries_of_interest / sizeof *libraries_of_interest; i++)
		if (listed(mm_buffer_text(&list), libraries_of_interest[i]))
			mm_strings_push(&ask, libraries_of_interest[i]);
	if (!code && ask.count > 1)
		code = ask_pkg_config(&ask, &versions, &answered, err);
	/* one version a line, in the order asked */
	const char *line = mm_buffer_text(&versions);
	for (size_t i = 1; answered && i < ask.count && *line; i++) {
		size_t length = strcspn(line, "\r\n");
		(void)json_object_set_new(found, ask.items[i], json_stringn(line, length));
		line += length;
		line += strspn(line, "\r\n");
	}
	if (code)
		json_decref(found);
	else
		cache->libraries = found;
out:
	*libraries = cache->libraries;
	mm_strings_release(&ask);
	mm_buffer_release(&versions);
	mm_buffer_release(&list);
	return code;
}
