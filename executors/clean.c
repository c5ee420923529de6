#include "executors/clean.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "executors/clean-find.h"
#include "executors/executor.h"
#include "executors/slurm/slurm.h"

static const char *const words[] = {
	[MM_CLEAN_LEFTOVER] = "left over by a process that died",
	[MM_CLEAN_SUPERSEDED] = "superseded pass of an old run",
	[MM_CLEAN_DATADIRS] = "data directories of a run that is over, or of 'mymatrix server'",
	[MM_CLEAN_JOB] = "folder of a Slurm job that is over",
	[MM_CLEAN_SOURCE] = "source tree that no run uses",
	[MM_CLEAN_GIT] = "objects of a git repository that no run names",
	[MM_CLEAN_SYSROOT] = "sysroot that no run uses",
	[MM_CLEAN_TREE] = "build tree that was kept",
	[MM_CLEAN_BUILD] = "build that no run uses",
	[MM_CLEAN_RUN] = "old run",
};

/* A folder goes under another name first: half of it must not be taken for the whole by whoever comes after a crash. */
static int remove_item(const struct mm_clean_item *item, struct mm_error *err)
{
	size_t length = strlen(item->path), ending = strlen(MM_CLEAN_REMOVED);
	if (!mm_fs_is_folder(item->path) ||
	    (length > ending && strcmp(item->path + length - ending, MM_CLEAN_REMOVED) == 0))
		return mm_fs_remove_tree(item->path, err);
	char *doomed = mm_format("%s" MM_CLEAN_REMOVED, item->path);
	int code = mm_fs_remove_tree(doomed, err);
	if (!code)
		code = mm_fs_rename(item->path, doomed, err);
	if (!code)
		code = mm_fs_remove_tree(doomed, err);
	char *marker = mm_format("%s" MM_CLEAN_FRESH, item->path);
	(void)unlink(marker);
	free(marker);
	free(doomed);
	return code;
}

static json_t *item_json(const struct mm_clean_item *item)
{
	json_t *json = json_object();
	mm_json_put_string(json, "path", item->path);
	mm_json_put_string(json, "what", words[item->kind]);
	mm_json_put_integer(json, "bytes", (int64_t)item->bytes);
	mm_json_put_real(json, "age_days", difftime(time(NULL), item->used) / 86400);
	return json;
}

/* Slurm jobs write into this work folder: those that are still there are cancelled, and only those. */
struct activity {
	bool active;
};

static void see_task(void *context, const char *name, unsigned task, const struct mm_slurm_task *state)
{
	struct activity *activity = context;
	(void)name;
	(void)task;
	activity->active = activity->active || state->active;
}

static int end_job(const char *folder, bool dry_run, json_t *items, struct mm_error *err)
{
	struct mm_slurm_job job;
	struct mm_error why = MM_ERROR_INIT;
	struct activity activity = { false };
	struct mm_strings names = MM_STRINGS_INIT;
	if (mm_slurm_job_load(folder, &job, &why)) /* it never came to a submission */
		return dry_run ? 0 : mm_fs_remove_tree(folder, err);
	mm_strings_push(&names, job.name);
	int code = mm_slurm_query(&names, see_task, &activity, err);
	if (code)
		(void)mm_error_prefix(err, "cannot tell whether the job of '%s' still runs", folder);
	if (!code && activity.active)
		json_array_append_new(items,
				      json_pack("{s:s, s:s, s:i, s:i}", "path", folder, "what",
						"Slurm job that waits or runs: cancelled", "bytes", 0, "age_days", 0));
	if (!code && !dry_run)
		code = mm_slurm_job_mark(&job, activity.active ? "cancelled" : "over", err);
	if (!code && !dry_run && activity.active && !mm_slurm_cancel(job.name))
		code = mm_error_set(err, MM_EENV,
				    "cannot cancel the Slurm job '%s' of '%s': cancel it by hand with scancel",
				    job.name, folder);
	mm_strings_release(&names);
	mm_slurm_job_release(&job);
	return code;
}

static int end_jobs(const struct mm_clean_options *options, json_t *items, struct mm_error *err)
{
	struct mm_strings folders = MM_STRINGS_INIT;
	int code = 0;
	mm_slurm_jobs(options->work, &folders);
	for (size_t i = 0; i < folders.count && !code; i++)
		code = end_job(folders.items[i], options->dry_run, items, err);
	mm_strings_release(&folders);
	return code;
}

static int clean(const struct mm_clean_options *options, json_t *items, uint64_t before, uint64_t *freed,
		 struct mm_error *err)
{
	struct mm_clean_items found;
	int code = end_jobs(options, items, err);
	if (!code)
		code = mm_clean_find(options, &found, err);
	if (code)
		return code;
	*freed = mm_clean_shared(options->work, options->dry_run);
	for (size_t i = 0; i < found.count && !code; i++) {
		if (options->fit && before - (*freed < before ? *freed : before) <= options->fit)
			break;
		code = mm_signals_check(err);
		if (!code && !options->dry_run)
			code = remove_item(&found.items[i], err);
		if (code)
			break;
		*freed += found.items[i].bytes;
		json_array_append_new(items, item_json(&found.items[i]));
	}
	(void)mm_clean_shared(options->work, options->dry_run);
	mm_clean_items_release(&found);
	return code;
}

/* What would go beside what has gone (or, when DRY_RUN, would have), were older runs given up and nothing too young. */
static uint64_t more_bytes(const struct mm_clean_options *options, uint64_t freed)
{
	struct mm_clean_options all = *options;
	struct mm_clean_items found;
	uint64_t bytes = 0;
	all.runs = true;
	all.older_than = -1;
	if (mm_clean_find(&all, &found, NULL) == 0)
		for (size_t i = 0; i < found.count; i++)
			bytes += found.items[i].bytes;
	mm_clean_items_release(&found);
	return options->dry_run ? bytes - (freed < bytes ? freed : bytes) : bytes;
}

static json_t *result_json(const struct mm_clean_options *options, uint64_t before, uint64_t freed, json_t *items)
{
	json_t *json = json_object();
	uint64_t after = before - (freed < before ? freed : before);
	bool fits = !options->fit || after <= options->fit;
	mm_json_put_integer(json, "mymatrix_clean", 1);
	mm_json_put_string(json, "work", options->work);
	mm_json_put_bool(json, "dry_run", options->dry_run);
	mm_json_put_integer(json, "bytes", (int64_t)before);
	mm_json_put_integer(json, "freed_bytes", (int64_t)freed);
	json_object_set_new(json, "fit_bytes", options->fit ? json_integer((json_int_t)options->fit) : json_null());
	json_object_set_new(json, "fits", options->fit ? json_boolean(fits) : json_null());
	if (!fits)
		mm_json_put_integer(json, "more_bytes", (int64_t)more_bytes(options, freed));
	json_object_set(json, "items", items);
	return json;
}

/* Is there an entry in FOLDER that is called by a build's key? */
static bool holds_build(const char *folder)
{
	DIR *dir = mm_fs_opendir(folder);
	const struct dirent *entry;
	bool holds = false;
	while (dir && !holds && (entry = readdir(dir)))
		holds = mm_clean_is_digest(entry->d_name, MM_BUILD_KEY - 1);
	if (dir)
		closedir(dir);
	return holds;
}

/*
 * A run or a build must be there, or the name that nobody else gives. Any other folder is somebody's own, whatever the
 * names in it look like.
 */
static bool is_work(const char *work)
{
	char *builds = mm_path_join(work, "builds"), *run = mm_run_newest(work);
	bool is = run || holds_build(builds) || strcmp(mm_path_base(work), ".mymatrix") == 0;
	free(run);
	free(builds);
	return is;
}

static int check_work(const char *work, struct mm_error *err)
{
	if (!mm_fs_is_folder(work))
		return mm_error_set(err, MM_EUSAGE, "there is no work folder '%s'", work);
	return is_work(work) ? 0 : mm_error_set(err, MM_EUSAGE, "'%s' is no work folder: nothing was ever built or measured there", work);
}

int mm_clean_work(const struct mm_clean_options *options, json_t **out, struct mm_error *err)
{
	int lock = -1;
	struct mm_clean_options mine = *options;
	char *work = mm_path_absolute(NULL, options->work);
	uint64_t before = 0, freed = 0;
	json_t *items = json_array();
	mine.work = work;
	*out = NULL;
	int code = check_work(work, err);
	if (!code)
		code = mm_work_lock(work, mine.wait, &lock, err);
	if (!code) {
		before = mm_clean_bytes(work);
		code = clean(&mine, items, before, &freed, err);
	}
	if (!code) {
		uint64_t after = mine.dry_run ? 0 : mm_clean_bytes(work);
		*out = result_json(&mine, before, mine.dry_run ? freed : before - after, items);
	}
	if (lock >= 0)
		close(lock);
	json_decref(items);
	free(work);
	return code;
}
