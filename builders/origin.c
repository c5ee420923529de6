#include "builders/origin.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/control.h"
#include "builders/git.h"
#include "builders/input.h"
#include "builders/prefix-files.h"
#include "builders/prefix.h"
#include "builders/series.h"
#include "builders/source.h"

static int take_tarball(const struct mm_input *input, const struct mm_source *spec, json_t *origin,
			struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	int code = mm_input_digest(input, "tarball", spec->path, hex, err);
	if (!code && spec->sha256 && strcmp(spec->sha256, hex) != 0)
		code = mm_input_wrong(
			input, "sha256", err,
			"'%s' has the sha256 %s, expected is %s: fetch it again, or correct the checksum if the file "
			"is meant to be another",
			spec->path, hex, spec->sha256);
	if (!code)
		mm_json_put_string(origin, "sha256", hex);
	return code;
}

static int take_directory(const struct mm_input *input, const struct mm_source *spec, json_t *origin,
			  struct mm_error *err)
{
	const struct mm_folder folder = { .path = spec->path, .skip = input->store->work };
	char hex[MM_SHA256_HEX];
	int code = mm_input_digest_folder(input, "directory", &folder, hex, err);
	if (!code)
		mm_json_put_string(origin, "sha256", hex);
	return code;
}

static int take_git(const struct mm_input *input, const struct mm_source *spec, json_t *origin, struct mm_error *err)
{
	char commit[MM_GIT_COMMIT];
	struct mm_error why = MM_ERROR_INIT;
	int code = 0;
	if (spec->commit) /* somebody has asked for all who take part in this run: a branch may move meanwhile */
		(void)snprintf(commit, sizeof commit, "%s", spec->commit);
	else
		code = mm_git_resolve(input->store->work, spec->path, spec->ref, commit, &why);
	if (code == MM_EMATRIX)
		return mm_input_wrong(input, strstr(why.text, "no branch") ? "ref" : "git", err, "%s", why.text);
	if (code)
		return mm_error_set(err, why.code, "source '%s': %s", spec->name, why.text);
	mm_json_put_string(origin, "commit", commit);
	return 0;
}

static int take_packages(const struct mm_input *input, const struct mm_source *spec, json_t *origin,
			 struct mm_error *err)
{
	int code = mm_input_digest_all(input, "packages", &spec->packages, origin, err);
	return code ? code : mm_control_check_once(input, &spec->packages, err);
}

static int take_prefix(const struct mm_input *input, const struct mm_source *spec, json_t *origin, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	if (!mm_fs_is_folder(spec->path))
		return mm_input_wrong(input, "prefix", err, "there is no folder '%s'", spec->path);
	char *basedir = NULL, *server = mm_prefix_find_server(spec->path, &basedir);
	if (!server)
		return mm_input_wrong(input, "prefix", err,
				      "there is no server below '%s': looked for mariadbd and mysqld in its bin, sbin, "
				      "libexec and usr",
				      spec->path);
	int code = mm_input_digest(input, "prefix", server, hex, err);
	if (!code) {
		mm_json_put_string(origin, "path", spec->path);
		mm_json_put_string(origin, "server_sha256", hex);
		mm_prefix_files_stamp(spec->path, basedir, hex);
		mm_json_put_string(origin, "files_stamp", hex);
	}
	free(basedir);
	free(server);
	return code;
}

static const struct {
	const char *name;
	int (*take)(const struct mm_input *input, const struct mm_source *spec, json_t *origin, struct mm_error *err);
} kinds[] = {
	[MM_SOURCE_TARBALL] = { "tarball", take_tarball },
	[MM_SOURCE_DIRECTORY] = { "directory", take_directory },
	[MM_SOURCE_GIT] = { "git", take_git },
	[MM_SOURCE_PACKAGES] = { "packages", take_packages },
	[MM_SOURCE_PREFIX] = { "prefix", take_prefix },
};

static int take_patches(const struct mm_input *input, const struct mm_source *spec, json_t *origin,
			struct mm_error *err)
{
	struct mm_series series = MM_SERIES_INIT;
	struct mm_error why = MM_ERROR_INIT;
	json_t *array = json_array();
	int code = 0;
	for (size_t i = 0; !code && i < spec->patches.count; i++)
		if (mm_series_read(spec->patches.items[i], &series, &why))
			code = mm_input_wrong(input, "patches", err, "%s", why.text);
	for (size_t i = 0; !code && i < series.count; i++) {
		const struct mm_patch *patch = &series.items[i];
		char hex[MM_SHA256_HEX];
		code = mm_input_digest(input, "patches", patch->path, hex, err);
		json_t *entry = json_object();
		mm_json_put_string(entry, "file", mm_path_base(patch->path));
		mm_json_put_string(entry, "sha256", code ? "" : hex);
		mm_json_put_integer(entry, "strip", patch->strip);
		(void)json_array_append_new(array, entry);
	}
	(void)json_object_set_new(origin, "patches", array);
	mm_series_release(&series);
	return code;
}

static int take_extra(const struct mm_input *input, const struct mm_source *spec, json_t *origin, struct mm_error *err)
{
	int code = mm_input_digest_all(input, "extra", &spec->extra, origin, err);
	for (size_t i = 0; !code && i < spec->extra.count; i++)
		for (size_t j = 0; !code && j < i; j++)
			if (strcmp(mm_path_base(spec->extra.items[i]), mm_path_base(spec->extra.items[j])) == 0)
				code = mm_input_wrong(input, "extra", err, "two files are called '%s'",
						      mm_path_base(spec->extra.items[i]));
	return code;
}

static int take(const struct mm_input *input, const struct mm_source *spec, json_t *origin, struct mm_error *err)
{
	mm_json_put_string(origin, "kind", kinds[spec->kind].name);
	int code = kinds[spec->kind].take(input, spec, origin, err);
	if (!code && spec->patches.count)
		code = take_patches(input, spec, origin, err);
	if (!code && spec->extra.count)
		code = take_extra(input, spec, origin, err);
	return code;
}

int mm_origin_take(const struct mm_store *store, const struct mm_cell *cell, struct mm_build_cache *cache,
		   json_t **origin, struct mm_error *err)
{
	const struct mm_source *spec = cell->source;
	const struct mm_input input = { .store = store, .cache = cache, .table = "sources", .name = spec->name };
	if (!cache->origins)
		cache->origins = json_object();
	*origin = json_incref(json_object_get(cache->origins, spec->name));
	if (*origin)
		return 0;
	*origin = json_object();
	int code = take(&input, spec, *origin, err);
	if (!code)
		(void)json_object_set(cache->origins, spec->name, *origin);
	return code;
}

/* A tarball or a folder is what its digest says; a commit's own digits are of another kind and length. */
static void identity(const json_t *origin, char hex[MM_SHA256_HEX])
{
	const char *sha256 = mm_json_string(origin, "sha256", "");
	if (strlen(sha256) == MM_SHA256_HEX - 1) {
		memcpy(hex, sha256, MM_SHA256_HEX);
		return;
	}
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, "git");
	mm_hash_add_text(hash, mm_json_string(origin, "commit", ""));
	mm_hash_finish(hash, hex);
}

char *mm_origin_folder(const char *work, const json_t *origin)
{
	char hex[MM_SHA256_HEX];
	identity(origin, hex);
	return mm_source_folder(work, hex);
}

char *mm_origin_patched_folder(const char *work, const json_t *origin)
{
	const json_t *patches = json_object_get(origin, "patches"), *patch;
	char hex[MM_SHA256_HEX];
	size_t index;
	identity(origin, hex);
	if (json_array_size(patches)) {
		struct mm_hash *hash = mm_hash_new();
		mm_hash_add_text(hash, "patched");
		mm_hash_add_text(hash, hex);
		json_array_foreach(patches, index, patch)
		{
			char strip[] = { (char)('0' + mm_json_integer(patch, "strip", 1)), '\0' };
			mm_hash_add_text(hash, mm_json_string(patch, "sha256", ""));
			mm_hash_add_text(hash, strip);
		}
		mm_hash_finish(hash, hex);
	}
	return mm_source_folder(work, hex);
}

char *mm_origin_signature(const struct mm_source *source)
{
	static const char *const endings[] = { "asc", "sig", "sign" };
	for (size_t i = 0; source->kind == MM_SOURCE_TARBALL && i < sizeof endings / sizeof *endings; i++) {
		char *path = mm_format("%s.%s", source->path, endings[i]);
		if (mm_fs_exists(path) && !mm_fs_is_folder(path))
			return path;
		free(path);
	}
	return NULL;
}
