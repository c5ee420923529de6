#include "builders/provide.h"

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/archive.h"
#include "builders/git.h"
#include "builders/landing.h"
#include "builders/once.h"
#include "builders/origin.h"
#include "builders/patch.h"

static const json_t *origin_of(const struct mm_job *job)
{
	return json_object_get(job->build->inputs, "source");
}

/* The file is what the key says, although some time went by since. */
static int check_file(const char *path, const char *sha256, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	int code = mm_hash_file(path, hex, err);
	if (!code && strcmp(hex, sha256) != 0)
		code = mm_error_set(err, MM_ECELL, "'%s' has changed since it was looked at: run again", path);
	return code;
}

static int lay_tarball(struct mm_job *job, const char *folder, struct mm_error *err)
{
	const struct mm_source *source = job->cell->source;
	const struct mm_archive_limits limits = mm_archive_limits(job->store->matrix, mm_job_until(job));
	int code = check_file(source->path, mm_json_string(origin_of(job), "sha256", ""), err);
	return code ? code : mm_archive_unpack(source->path, folder, &limits, job->cell->id, err);
}

static int lay_directory(struct mm_job *job, const char *folder, struct mm_error *err)
{
	const struct mm_folder from = { .path = job->cell->source->path, .skip = job->store->work };
	return mm_folder_copy(&from, folder, mm_json_string(origin_of(job), "sha256", ""), err);
}

static int lay_git(struct mm_job *job, const char *folder, struct mm_error *err)
{
	const struct mm_source *source = job->cell->source;
	const struct mm_git_request request = { .work = job->store->work,
						.repository = source->path,
						.ref = source->ref,
						.commit = mm_json_string(origin_of(job), "commit", ""),
						.cell = job->cell->id,
						.limits = mm_archive_limits(job->store->matrix, mm_job_until(job)) };
	return mm_git_lay(&request, folder, err);
}

static int lay(void *context, const char *folder, struct mm_error *err)
{
	struct mm_job *job = context;
	switch (job->cell->source->kind) {
	case MM_SOURCE_TARBALL:
		return lay_tarball(job, folder, err);
	case MM_SOURCE_DIRECTORY:
		return lay_directory(job, folder, err);
	case MM_SOURCE_GIT:
		return lay_git(job, folder, err);
	default:
		return mm_error_set(err, MM_EINTERNAL, "a source of this kind has no tree");
	}
}

int mm_provide_source(struct mm_job *job, char **folder, struct mm_error *err)
{
	*folder = mm_origin_folder(job->store->work, origin_of(job));
	mm_strings_push(&job->shared, *folder);
	return mm_once(*folder, job->cell->source->name, lay, job, err);
}

static int apply_all(struct mm_job *job, const struct mm_series *series, const char *tree, struct mm_error *err)
{
	const json_t *known = json_object_get(origin_of(job), "patches");
	int code = 0;
	if (json_array_size(known) != series->count)
		return mm_error_set(err, MM_ECELL, "the list of patches has changed since it was looked at: run again");
	for (size_t i = 0; !code && i < series->count; i++) {
		const struct mm_patch *patch = &series->items[i];
		code = check_file(patch->path, mm_json_string(json_array_get(known, i), "sha256", ""), err);
		if (!code)
			code = mm_patch_apply(job, patch, tree, err);
		mm_event_progress(job->cell->id, "patch", (unsigned)i + 1, (unsigned)series->count);
	}
	return code;
}

/* Copies the tree as it came, and patches the copy. */
static int lay_patched(void *context, const char *folder, struct mm_error *err)
{
	struct mm_job *job = context;
	const struct mm_strings *patches = &job->cell->source->patches;
	struct mm_series series = MM_SERIES_INIT;
	struct mm_error why = MM_ERROR_INIT, cleaning = MM_ERROR_INIT;
	char *plain = mm_origin_folder(job->store->work, origin_of(job)), *part = mm_format("%s.patching", folder);
	const struct mm_folder from = { .path = plain };
	int code = mm_fs_remove_tree(part, err);
	for (size_t i = 0; !code && i < patches->count; i++)
		if (mm_series_read(patches->items[i], &series, &why))
			code = mm_error_set(err, MM_ECELL, "%s", why.text);
	if (!code)
		code = mm_folder_copy(&from, part, NULL, err);
	if (!code)
		code = apply_all(job, &series, part, err);
	if (!code)
		code = mm_landing_settle(part, folder, err);
	(void)mm_fs_remove_tree(part, &cleaning);
	mm_series_release(&series);
	free(part);
	free(plain);
	return code;
}

int mm_provide_patched(struct mm_job *job, char **folder, struct mm_error *err)
{
	*folder = mm_origin_patched_folder(job->store->work, origin_of(job));
	mm_strings_push(&job->shared, *folder);
	return mm_once(*folder, job->cell->source->name, lay_patched, job, err);
}
