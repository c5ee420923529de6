/* Job folders: what a submission is to do, and what has become of it. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "executors/slurm/slurm.h"

/*
 * What sbatch insists on: a script. All that differs comes as arguments, so there is nothing to quote. It names the log
 * itself, since Slurm would take a per cent sign in a path for a pattern of its own.
 */
static const char script[] = "#!/bin/sh\nexec \"$@\" >>\"$4/out-$SLURM_ARRAY_TASK_ID.log\" 2>&1\n";

const char *const mm_slurm_kind_names[] = { "builds", "passes", NULL };

enum { TEXT_LIMIT = 1 << 16 };

static bool has(const char *folder, const char *name)
{
	char *path = mm_path_join(folder, name);
	bool there = mm_fs_exists(path);
	free(path);
	return there;
}

/* The first free number is ours by mkdir. */
static char *take_number(const char *work, struct mm_error *err)
{
	char *folder = mm_path_join(work, "slurm");
	char *path = NULL;
	if (mm_fs_mkdirs(folder, 0755, err)) {
		free(folder);
		return NULL;
	}
	for (unsigned long number = 1;; number++) {
		path = mm_format("%s/%lu", folder, number);
		if (mkdir(path, 0755) == 0)
			break;
		if (errno != EEXIST) {
			(void)mm_error_errno(err, "cannot make folder '%s'", path);
			free(path);
			path = NULL;
			break;
		}
		free(path);
	}
	free(folder);
	return path;
}

/* A name that no other job ever has: of this folder, at this moment. */
static void put_name(json_t *record, const char *folder)
{
	char hex[MM_SHA256_HEX], now[32];
	mm_utc_text(now);
	char *moment = mm_format("%s %llu %ld", now, (unsigned long long)mm_now_ns(), (long)getpid());
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, folder);
	mm_hash_add_text(hash, moment);
	mm_hash_finish(hash, hex);
	char *name = mm_format("mymatrix-%.24s", hex);
	mm_json_put_string(record, "name", name);
	mm_json_put_string(record, "created", now);
	free(name);
	free(moment);
}

static int take_record(struct mm_slurm_job *job, struct mm_error *err)
{
	const char *kind = mm_json_string(job->record, "kind", "");
	int64_t tasks = mm_json_integer(job->record, "tasks", 0);
	job->name = mm_json_string(job->record, "name", "");
	job->kind = strcmp(kind, "build") == 0 ? MM_SLURM_BUILD : MM_SLURM_BENCH;
	job->units = json_array_size(json_object_get(job->record, "units"));
	if (mm_json_integer(job->record, "mymatrix_slurm", 0) != 1 || strncmp(job->name, "mymatrix-", 9) != 0 ||
	    strlen(job->name) != 33 || job->units == 0 || tasks < 1 || (uint64_t)tasks > job->units ||
	    (job->kind == MM_SLURM_BENCH && strcmp(kind, "bench") != 0))
		return mm_error_set(err, MM_EENV, "'%s/job.json' is damaged: remove the folder and run again",
				    job->folder);
	job->tasks = (unsigned)tasks;
	job->quiet = mm_calloc(job->units, 1);
	job->states = mm_calloc(job->tasks, sizeof *job->states);
	job->places = mm_calloc(job->units, sizeof *job->places);
	for (size_t i = 0; i < job->units; i++)
		job->places[i] = SIZE_MAX;
	return 0;
}

static int write_folder(const struct mm_slurm_job *job, struct mm_error *err)
{
	char *ended = mm_path_join(job->folder, "ended"), *text = mm_path_join(job->folder, "script"),
	     *record = mm_path_join(job->folder, "job.json");
	int code = mm_fs_mkdirs(ended, 0755, err);
	if (!code)
		code = mm_fs_write_atomic(text, script, sizeof script - 1, err);
	if (!code)
		code = mm_json_save(record, job->record, err);
	free(record);
	free(text);
	free(ended);
	return code;
}

int mm_slurm_job_make(const char *work, json_t *record, struct mm_slurm_job *job, struct mm_error *err)
{
	*job = (struct mm_slurm_job){ .folder = take_number(work, err), .record = record };
	int code = job->folder ? 0 : MM_EENV;
	if (!code) {
		put_name(record, job->folder);
		code = take_record(job, err);
	}
	if (!code)
		code = write_folder(job, err);
	if (code)
		mm_slurm_job_release(job);
	return code;
}

int mm_slurm_job_load(const char *folder, struct mm_slurm_job *job, struct mm_error *err)
{
	char *path = mm_path_join(folder, "job.json");
	*job = (struct mm_slurm_job){ .folder = mm_strdup(folder), .record = mm_json_load(path, err) };
	int code = job->record ? take_record(job, err) : MM_EENV;
	if (code)
		mm_slurm_job_release(job);
	free(path);
	return code;
}

void mm_slurm_job_release(struct mm_slurm_job *job)
{
	free(job->folder);
	json_decref(job->record);
	free(job->places);
	free(job->quiet);
	free(job->states);
	*job = (struct mm_slurm_job){ 0 };
}

void mm_slurm_jobs(const char *work, struct mm_strings *folders)
{
	char *folder = mm_path_join(work, "slurm");
	DIR *dir = mm_fs_opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		char *path = mm_path_join(folder, entry->d_name);
		if (*entry->d_name && !entry->d_name[strspn(entry->d_name, "0123456789")] && !has(path, "over") &&
		    !has(path, "cancelled"))
			mm_strings_push(folders, path);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

int mm_slurm_job_mark(const struct mm_slurm_job *job, const char *mark, struct mm_error *err)
{
	char *path = mm_path_join(job->folder, mark);
	int code = mm_fs_write_atomic(path, "", 0, err);
	free(path);
	return code;
}

static char *unit_path(const struct mm_slurm_job *job, size_t unit)
{
	return mm_format("%s/ended/%zu", job->folder, unit);
}

int mm_slurm_unit_end(const struct mm_slurm_job *job, size_t unit, const char *text, struct mm_error *err)
{
	char *path = unit_path(job, unit);
	int code = mm_fs_write_atomic(path, text ? text : "", text ? strlen(text) : 0, err);
	free(path);
	return code;
}

bool mm_slurm_unit_ended(const struct mm_slurm_job *job, size_t unit)
{
	char *path = unit_path(job, unit);
	bool ended = mm_fs_exists(path);
	free(path);
	return ended;
}

static void tell_end(const struct mm_slurm_job *job, size_t unit,
		     void (*seen)(void *context, size_t unit, const char *text), void *context)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = unit_path(job, unit);
	if (mm_fs_read(path, TEXT_LIMIT, &text, NULL) == 0)
		seen(context, unit, mm_buffer_text(&text));
	mm_buffer_release(&text);
	free(path);
}

void mm_slurm_units_ended(const struct mm_slurm_job *job, void (*seen)(void *context, size_t unit, const char *text),
			  void *context)
{
	char *folder = mm_path_join(job->folder, "ended");
	/* opened anew each time: that is also what makes a network file system look again */
	DIR *dir = mm_fs_opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		char *end;
		unsigned long unit = strtoul(entry->d_name, &end, 10);
		if (end != entry->d_name && !*end && unit < job->units && job->places[unit] != SIZE_MAX)
			tell_end(job, unit, seen, context);
	}
	if (dir)
		closedir(dir);
	free(folder);
}
