#include "builders/extra.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/archive.h"
#include "builders/landing.h"
#include "builders/once.h"
#include "builders/source.h"

static const char *const marks[] = { "@extra:", "@extra-file:" };

/* The next such name in TEXT: *NAME (allocated), *FILE whether the file itself is meant, *END behind it; or NULL. */
static const char *find_mark(const char *text, char **name, bool *file, const char **end)
{
	for (; (text = strchr(text, '@')); text++) {
		for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
			size_t length = strlen(marks[i]);
			const char *close = strncmp(text, marks[i], length) == 0 ? strchr(text + length, '@') : NULL;
			if (!close)
				continue;
			*name = mm_strndup(text + length, (size_t)(close - text) - length);
			*file = i == 1;
			*end = close + 1;
			return text;
		}
	}
	return NULL;
}

static const char *find_file(const struct mm_source *source, const char *name)
{
	for (size_t i = 0; i < source->extra.count; i++)
		if (strcmp(mm_path_base(source->extra.items[i]), name) == 0)
			return source->extra.items[i];
	return NULL;
}

static int check_words(const struct mm_input *input, const char *key, const struct mm_source *source,
		       const struct mm_strings *words, struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; !code && i < words->count; i++) {
		const char *at = words->items[i];
		char *name;
		bool file;
		while (!code && find_mark(at, &name, &file, &at)) {
			if (!find_file(source, name))
				code = mm_input_wrong(input, key, err,
						      "'%s': no file of \"extra\" of source '%s' is called '%s'",
						      words->items[i], source->name, name);
			free(name);
		}
	}
	return code;
}

int mm_extra_check(const struct mm_input *input, const struct mm_source *source, const struct mm_config *config,
		   struct mm_error *err)
{
	struct mm_input other = *input;
	int code = check_words(input, "build", source, &source->build.options, err);
	if (!code)
		code = check_words(input, "build", source, &source->build.env, err);
	other.table = "configs";
	other.name = config->name;
	if (!code)
		code = check_words(&other, "build_options", source, &config->build.options, err);
	if (!code)
		code = check_words(&other, "build_env", source, &config->build.env, err);
	return code;
}

/* Where one file is put. */
struct extra {
	const char *from, *sha256, *cell;
	struct mm_archive_limits limits;
	char *folder; /* in the store */
	char *result; /* what "@extra:NAME@" is: the folder of an archive, else the copy in it */
	bool archive;
};

static int put(void *context, const char *folder, struct mm_error *err)
{
	const struct extra *extra = context;
	char hex[MM_SHA256_HEX];
	int code = mm_hash_file(extra->from, hex, err);
	if (!code && strcmp(hex, extra->sha256) != 0)
		return mm_error_set(err, MM_ECELL, "'%s' has changed since it was looked at: run again", extra->from);
	if (!code && extra->archive)
		return mm_archive_unpack(extra->from, folder, &extra->limits, extra->cell, err);
	char *part = mm_format("%s.part", folder), *copy = mm_path_join(part, mm_path_base(extra->from));
	if (!code)
		code = mm_fs_remove_tree(part, err);
	if (!code)
		code = mm_fs_mkdirs(part, 0755, err);
	if (!code)
		code = mm_fs_copy_tree(extra->from, copy, err);
	if (!code)
		code = mm_landing_settle(part, folder, err);
	free(copy);
	free(part);
	return code;
}

/* Archives share the place of a tarball with the same content; other files have their name in their folder's. */
static void place(const struct mm_job *job, size_t index, struct extra *extra)
{
	const json_t *list = json_object_get(json_object_get(job->build->inputs, "source"), "extra");
	const struct mm_source *source = job->cell->source;
	extra->from = source->extra.items[index];
	extra->sha256 = mm_json_string(json_array_get(list, index), "sha256", "");
	extra->cell = job->cell->id;
	extra->limits = mm_archive_limits(job->store->matrix, mm_job_until(job));
	extra->archive = mm_archive_is_one(extra->from);
	if (extra->archive) {
		extra->folder = mm_source_folder(job->store->work, extra->sha256);
		extra->result = mm_strdup(extra->folder);
		return;
	}
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, "file");
	mm_hash_add_text(hash, extra->sha256);
	mm_hash_add_text(hash, mm_path_base(extra->from));
	mm_hash_finish(hash, hex);
	extra->folder = mm_source_folder(job->store->work, hex);
	extra->result = mm_path_join(extra->folder, mm_path_base(extra->from));
}

static void replace_marks(const struct mm_source *source, const struct extra *extras, const struct mm_strings *words,
			  struct mm_strings *out)
{
	for (size_t i = 0; i < words->count; i++) {
		struct mm_buffer text = MM_BUFFER_INIT;
		const char *at = words->items[i], *mark, *end;
		char *name;
		bool file;
		while ((mark = find_mark(at, &name, &file, &end))) {
			mm_buffer_append(&text, at, (size_t)(mark - at));
			for (size_t j = 0; j < source->extra.count; j++)
				if (strcmp(mm_path_base(extras[j].from), name) == 0)
					mm_buffer_puts(&text, file ? extras[j].from : extras[j].result);
			free(name);
			at = end;
		}
		mm_buffer_puts(&text, at);
		mm_strings_push(out, mm_buffer_text(&text));
		mm_buffer_release(&text);
	}
}

int mm_extra_provide(struct mm_job *job, struct mm_error *err)
{
	const struct mm_source *source = job->cell->source;
	const struct mm_build_options *const builds[] = { &source->build, &job->cell->config->build };
	struct extra *extras = mm_calloc(source->extra.count + 1, sizeof *extras);
	int code = 0;
	for (size_t i = 0; i < source->extra.count; i++)
		place(job, i, &extras[i]);
	for (size_t i = 0; !code && i < source->extra.count; i++) {
		mm_strings_push(&job->shared, extras[i].folder);
		code = mm_once(extras[i].folder, source->name, put, &extras[i], err);
	}
	for (size_t i = 0; i < 2; i++) {
		replace_marks(source, extras, &builds[i]->options, &job->options);
		replace_marks(source, extras, &builds[i]->env, &job->variables);
	}
	for (size_t i = 0; i < source->extra.count; i++) {
		free(extras[i].folder);
		free(extras[i].result);
	}
	free(extras);
	return code;
}
