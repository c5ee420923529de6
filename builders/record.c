#include "builders/record.h"

#include <sys/stat.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/memory.h"
#include "base/stamp.h"

static json_t *words(const struct mm_strings *list)
{
	json_t *array = json_array();
	for (size_t i = 0; i < list->count; i++)
		(void)json_array_append_new(array, json_string(list->items[i]));
	return array;
}

static json_t *stages_json(const struct mm_build *build)
{
	json_t *array = json_array();
	for (size_t i = 0; i < build->stage_count; i++) {
		const struct mm_stage *stage = &build->stages[i];
		json_t *entry = json_object();
		mm_json_put_string(entry, "name", stage->name);
		mm_json_put_real(entry, "seconds", stage->seconds);
		mm_json_put_real(entry, "cpu_seconds", stage->cpu_seconds);
		if (stage->peak_rss_bytes)
			mm_json_put_integer(entry, "peak_rss_bytes", (int64_t)stage->peak_rss_bytes);
		(void)json_array_append_new(array, entry);
	}
	return array;
}

static void put_server(json_t *object, const struct mm_build *build)
{
	json_t *size = json_object();
	mm_json_put_string(object, "variant", build->variant);
	mm_json_put_string(object, "version", build->version);
	mm_json_put_string(object, "server", build->server);
	(void)json_object_set_new(object, "launcher", words(&build->launcher));
	mm_json_put_string(object, "basedir", build->basedir);
	mm_json_put_integer(object, "elf_bits", build->elf_bits);
	mm_json_put_integer(size, "text", (int64_t)build->text_bytes);
	mm_json_put_integer(size, "data", (int64_t)build->data_bytes);
	mm_json_put_integer(size, "bss", (int64_t)build->bss_bytes);
	(void)json_object_set_new(object, "size", size);
	(void)json_object_set_new(object, "needed", words(&build->needed));
	mm_json_put_string(object, "code_sha256", build->code_sha256);
	mm_json_put_string(object, "server_sha256", build->server_sha256);
	mm_json_put_integer(object, "server_stamp", build->server_stamp);
}

json_t *mm_build_json(const struct mm_build *build)
{
	static const char *const states[] = { "absent", "done", "failed" };
	json_t *object = json_object();
	mm_json_put_integer(object, "mymatrix_build", 1);
	mm_json_put_string(object, "key", build->key);
	mm_json_put_string(object, "state", states[build->state]);
	mm_json_put_string(object, "prefix", build->prefix);
	if (build->state == MM_BUILD_DONE)
		put_server(object, build);
	if (build->state == MM_BUILD_FAILED) {
		mm_json_put_string(object, "failed_stage", build->failed_stage);
		mm_json_put_string(object, "failure", build->failure);
		mm_json_put_string(object, "log", build->log);
		mm_json_put_string(object, "hint", build->hint);
	}
	if (build->profiles.count)
		(void)json_object_set_new(object, "profiles", words(&build->profiles));
	mm_json_put_string(object, "signature", build->signature);
	(void)json_object_set_new(object, "stages", stages_json(build));
	if (build->resumed)
		mm_json_put_bool(object, "resumed", true);
	if (build->audit)
		(void)json_object_set(object, "audit", build->audit);
	if (build->inputs)
		(void)json_object_set(object, "inputs", build->inputs);
	return object;
}

char *mm_build_folder(const char *work, const char *key)
{
	struct stat st;
	char *builds = mm_path_join(work, "builds");
	char *shared = lstat(builds, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(builds, NULL) : NULL;
	char *folder = mm_path_join(shared ? shared : builds, key);
	free(shared);
	free(builds);
	return folder;
}

bool mm_build_owns_prefix(const struct mm_build *build)
{
	size_t length = build->folder ? strlen(build->folder) : 0;
	return length > 0 && strncmp(build->prefix, build->folder, length) == 0 && build->prefix[length] == '/';
}

static char *record_path(const struct mm_build *build)
{
	return mm_path_join(build->folder, "build.json");
}

static char *manifest_path(const struct mm_build *build)
{
	return mm_path_join(build->folder, "files");
}

static int save_manifest(const struct mm_build *build, bool settled, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = manifest_path(build);
	/* an option file is put right without a build */
	int code = mm_manifest_take(build->prefix, build->my_cnf, settled, &text, err);
	if (!code)
		code = mm_fs_write_atomic(path, mm_buffer_text(&text), text.length, err);
	free(path);
	mm_buffer_release(&text);
	return code;
}

static int save(const struct mm_build *build, bool settled, struct mm_error *err)
{
	int code = build->state == MM_BUILD_DONE && mm_build_owns_prefix(build) ? save_manifest(build, settled, err) : 0;
	if (code)
		return code;
	char *path = record_path(build);
	json_t *object = mm_build_json(build);
	code = mm_json_save(path, object, err);
	json_decref(object);
	free(path);
	return code;
}

int mm_record_save(const struct mm_build *build, struct mm_error *err)
{
	return save(build, false, err);
}

int mm_record_settle(struct mm_build *build, struct mm_error *err)
{
	if (!mm_build_owns_prefix(build))
		return 0;
	build->server_stamp = mm_inode_stamp(build->server);
	return save(build, true, err);
}

static char *copy(const json_t *object, const char *key)
{
	return mm_strdup(mm_json_string(object, key, NULL));
}

static void read_words(const json_t *object, const char *key, struct mm_strings *list)
{
	size_t index;
	json_t *value;
	json_array_foreach(json_object_get(object, key), index, value) if (json_is_string(value))
		mm_strings_push(list, json_string_value(value));
}

static void read_stages(const json_t *object, struct mm_build *build)
{
	const json_t *array = json_object_get(object, "stages");
	size_t index;
	json_t *entry;
	build->stages = mm_calloc(json_array_size(array) + 1, sizeof *build->stages);
	json_array_foreach(array, index, entry)
	{
		struct mm_stage *stage = &build->stages[build->stage_count++];
		stage->name = mm_strdup(mm_json_string(entry, "name", "?"));
		stage->seconds = mm_json_number(entry, "seconds", 0);
		stage->cpu_seconds = mm_json_number(entry, "cpu_seconds", 0);
		stage->peak_rss_bytes = (uint64_t)mm_json_integer(entry, "peak_rss_bytes", 0);
	}
}

static void read_server(const json_t *object, struct mm_build *build)
{
	const json_t *size = json_object_get(object, "size");
	build->variant = copy(object, "variant");
	build->version = copy(object, "version");
	build->server = copy(object, "server");
	build->basedir = copy(object, "basedir");
	read_words(object, "launcher", &build->launcher);
	read_words(object, "needed", &build->needed);
	build->elf_bits = (int)mm_json_integer(object, "elf_bits", 0);
	build->server_stamp = mm_json_integer(object, "server_stamp", 0);
	(void)snprintf(build->server_sha256, sizeof build->server_sha256, "%s", mm_json_string(object, "server_sha256", ""));
	build->text_bytes = (uint64_t)mm_json_integer(size, "text", 0);
	build->data_bytes = (uint64_t)mm_json_integer(size, "data", 0);
	build->bss_bytes = (uint64_t)mm_json_integer(size, "bss", 0);
	(void)snprintf(build->code_sha256, sizeof build->code_sha256, "%s", mm_json_string(object, "code_sha256", ""));
}

bool mm_record_server_holds(struct mm_build *build)
{
	char hex[MM_SHA256_HEX];
	int64_t stamp = mm_inode_stamp(build->server);
	/* builds that are the same share one file, and the time of the last link to it */
	if (!*build->server_sha256 || build->server_stamp == stamp)
		return true;
	if (mm_hash_file(build->server, hex, NULL) || strcmp(hex, build->server_sha256) != 0)
		return false;
	build->server_stamp = stamp;
	return true;
}

bool mm_record_my_cnf_holds(const struct mm_build *build)
{
	static const char nothing[] = "e3b0c44298fc"; /* how the digest of an empty file begins */
	char hex[MM_SHA256_HEX], *by_content;
	const char *name = mm_path_base(build->my_cnf);
	if (mm_hash_file(build->my_cnf, hex, NULL))
		return false;
	if (strcmp(name, "my.cnf") == 0)
		return strncmp(hex, nothing, strlen(nothing)) == 0;
	by_content = mm_format("my-%.12s.cnf", hex);
	bool holds = strcmp(name, by_content) == 0;
	free(by_content);
	return holds;
}

/* What speaks against the server on record; allocated, NULL: nothing. */
static char *doubt_server(struct mm_build *build)
{
	if (!build->variant || !build->version || !build->server || !build->basedir)
		return mm_strdup("its record is damaged");
	if (!mm_fs_exists(build->server))
		return mm_format("its server '%s' is gone", build->server);
	return mm_record_server_holds(build) ? NULL : mm_format("its server '%s' is another one now", build->server);
}

static char *doubt_files(const struct mm_build *build)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = manifest_path(build), *name = NULL, *doubt = NULL;
	if (mm_fs_read(path, 0, &text, NULL) || !text.length)
		doubt = mm_strdup("the list of its files is gone");
	else
		name = mm_manifest_differs(build->prefix, mm_buffer_text(&text), false);
	if (name)
		doubt = mm_format("'%s' in its prefix is gone or was changed", name);
	free(name);
	free(path);
	mm_buffer_release(&text);
	return doubt;
}

static void load_done(struct mm_build *build, const json_t *object, bool whole)
{
	read_server(object, build);
	build->audit = json_incref(json_object_get(object, "audit"));
	char *doubt = doubt_server(build);
	if (!doubt && whole && mm_build_owns_prefix(build))
		doubt = doubt_files(build);
	if (doubt)
		mm_record_reset(build);
	else
		build->state = MM_BUILD_DONE;
	build->doubt = doubt;
}

static void load_failed(struct mm_build *build, const json_t *object)
{
	build->failed_stage = copy(object, "failed_stage");
	build->failure = copy(object, "failure");
	build->log = copy(object, "log");
	build->hint = copy(object, "hint");
	if (build->failed_stage && build->failure)
		build->state = MM_BUILD_FAILED;
	else
		mm_record_reset(build);
}

/* A record of another place, of a work folder that was moved, is none. WHOLE: each file of the prefix counts. */
static void load(struct mm_build *build, bool whole)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = record_path(build);
	json_t *object = mm_fs_exists(path) ? mm_json_load(path, &ignored) : NULL;
	const char *state = mm_json_string(object, "state", "");
	mm_record_reset(build);
	if (mm_json_integer(object, "mymatrix_build", 0) != 1 ||
	    strcmp(mm_json_string(object, "key", ""), build->key) != 0 ||
	    strcmp(mm_json_string(object, "prefix", ""), build->prefix) != 0)
		goto out;
	read_stages(object, build);
	read_words(object, "profiles", &build->profiles);
	build->resumed = mm_json_true(object, "resumed");
	if (strcmp(state, "done") == 0)
		load_done(build, object, whole);
	else if (strcmp(state, "failed") == 0)
		load_failed(build, object);
	else
		mm_record_reset(build);
out:
	json_decref(object);
	free(path);
}

void mm_record_load(struct mm_build *build)
{
	load(build, true);
}

void mm_record_look(struct mm_build *build)
{
	load(build, false);
}

void mm_record_reset(struct mm_build *build)
{
	char **const texts[] = { &build->variant, &build->version, &build->server,
				 &build->basedir, &build->failed_stage, &build->failure,
				 &build->log,     &build->hint,    &build->doubt };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		free(*texts[i]);
		*texts[i] = NULL;
	}
	for (size_t i = 0; i < build->stage_count; i++)
		free(build->stages[i].name);
	free(build->stages);
	build->stages = NULL;
	json_decref(build->audit);
	build->audit = NULL;
	build->stage_count = 0;
	mm_strings_release(&build->profiles);
	mm_strings_release(&build->launcher);
	mm_strings_release(&build->needed);
	build->state = MM_BUILD_ABSENT;
	build->resumed = false;
	build->elf_bits = 0;
	build->text_bytes = build->data_bytes = build->bss_bytes = 0;
	build->code_sha256[0] = '\0';
	build->server_sha256[0] = '\0';
	build->server_stamp = 0;
}

void mm_build_release(struct mm_build *build)
{
	mm_record_reset(build);
	json_decref(build->inputs);
	free(build->folder);
	free(build->prefix);
	free(build->my_cnf);
	free(build->signature);
	*build = (struct mm_build){ 0 };
}
