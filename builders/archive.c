#include "builders/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/unpacking.h"

struct mm_archive_limits mm_archive_limits(const struct mm_matrix *matrix, uint64_t until_ns)
{
	return (struct mm_archive_limits){ .total_bytes = (uint64_t)matrix->limits.unpacked_mib << 20,
					   .entries = (uint64_t)matrix->limits.unpacked_entries,
					   .ratio = (unsigned)matrix->limits.unpacked_ratio,
					   .until_ns = until_ns };
}

/* The name of the only entry of FOLDER when that is a folder, else NULL. Allocated. */
static char *single_folder(const char *folder)
{
	char *name = NULL;
	unsigned count = 0;
	struct stat st;
	DIR *dir = mm_fs_opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		free(name);
		name = mm_strdup(entry->d_name);
	}
	if (count != 1 || fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode)) {
		free(name);
		name = NULL;
	}
	if (dir)
		closedir(dir);
	return name;
}

/* Renames PART, or its only folder, to FOLDER. */
static int settle(const char *part, const char *folder, struct mm_error *err)
{
	char *top = single_folder(part);
	char *from = top ? mm_path_join(part, top) : mm_strdup(part);
	int code = mm_landing_settle(from, folder, err);
	free(from);
	free(top);
	return code;
}

static bool is_zip(const char *path)
{
	char begin[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, begin, sizeof begin) == sizeof begin && memcmp(begin, "PK", 2) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

static int open_zip(struct mm_unpacking *job, struct mm_error *err)
{
	if (archive_read_support_format_zip(job->archive))
		return mm_error_set(err, MM_EENV, MM_UNPACKING_LACKS);
	return mm_unpacking_open_file(job, job->archive, err);
}

static int open_tar(struct mm_unpacking *job, struct mm_error *err)
{
	job->outer = archive_read_new();
	if (mm_unpacking_filters(job->outer) || archive_read_support_format_raw(job->outer) ||
	    archive_read_support_format_tar(job->archive))
		return mm_error_set(err, MM_EENV, MM_UNPACKING_LACKS);
	return mm_unpacking_open_stream(job, err);
}

/* Unpacks the tar or zip archive JOB->path; frees JOB. */
static int unpack(struct mm_unpacking *job, const char *folder, struct mm_error *err)
{
	char *part = mm_format("%s.part", folder);
	struct mm_error cleaning = MM_ERROR_INIT;
	int code = mm_fs_remove_tree(part, err);
	if (!code)
		code = mm_fs_mkdirs(part, 0755, err);
	if (!code)
		code = is_zip(job->path) ? open_zip(job, err) : open_tar(job, err);
	if (!code)
		code = mm_landing_open(&job->landing, part, false, true, err);
	if (!code)
		code = mm_unpacking_lay(job, err);
	if (!code)
		code = settle(part, folder, err);
	mm_unpacking_free(job);
	(void)mm_fs_remove_tree(part, &cleaning);
	free(part);
	return code;
}

int mm_archive_unpack(const char *archive, const char *folder, const struct mm_archive_limits *limits, const char *cell,
		      struct mm_error *err)
{
	return unpack(mm_unpacking_new(archive, limits, cell), folder, err);
}

int mm_archive_unpack_some(const char *archive, const char *folder, const struct mm_archive_limits *limits,
			   bool (*wanted)(const char *path), struct mm_error *err)
{
	struct mm_unpacking *job = mm_unpacking_new(archive, limits, NULL);
	job->wanted = wanted;
	return unpack(job, folder, err);
}

bool mm_archive_is_one(const char *path)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	bool is = mm_unpacking_filters(archive) == 0 && archive_read_support_format_tar(archive) == 0 &&
		  archive_read_support_format_zip(archive) == 0 &&
		  archive_read_open_filename(archive, path, MM_UNPACKING_READ_SIZE) == ARCHIVE_OK &&
		  archive_read_next_header(archive, &entry) == ARCHIVE_OK;
	archive_read_free(archive);
	return is;
}
