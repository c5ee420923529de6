/* Entries of an archive, laid down one after the other; and how its bytes come here. */
#include "builders/unpacking.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"

enum { LARGEST_HEADER = 16 << 20 };

int mm_unpacking_filters(struct archive *archive)
{
	return archive_read_support_filter_gzip(archive) || archive_read_support_filter_bzip2(archive) ||
	       archive_read_support_filter_xz(archive) || archive_read_support_filter_zstd(archive);
}

int mm_unpacking_damaged(const struct mm_unpacking *job, struct archive *archive, const char *entry, struct mm_error *err)
{
	const char *why = archive_error_string(archive);
	if (entry)
		return mm_error_set(err, MM_ECELL, "'%s' is damaged at entry '%s': %s", job->path, entry,
				    why ? why : "unreadable");
	return mm_error_set(err, MM_ECELL, "'%s' is damaged or no archive: %s", job->path, why ? why : "unreadable");
}

static uint64_t bytes_read(const struct mm_unpacking *job)
{
	if (job->pump)
		return mm_pump_taken(job->pump);
	int64_t read = archive_filter_bytes(job->archive, -1);
	return read > 0 ? (uint64_t)read : 0;
}

static void tell_progress(struct mm_unpacking *job)
{
	if (!job->cell)
		return;
	uint64_t read = bytes_read(job);
	unsigned percent = job->file_bytes && read < job->file_bytes ? (unsigned)(read * 100 / job->file_bytes) : 100;
	if (percent == job->percent)
		return;
	job->percent = percent;
	mm_event_progress(job->cell, "unpack", percent, 100);
}

/* Room for MORE bytes of ENTRY? */
static int check_limits(const struct mm_unpacking *job, const char *entry, uint64_t more, struct mm_error *err)
{
	uint64_t total = job->laid + more;
	if (total < more || total > job->limits.total_bytes)
		return mm_error_set(err, MM_ECELL, "'%s' is refused at entry '%s': it unpacks to more than %llu bytes, see "
				    "\"limits.unpacked_mib\"",
				    job->path, entry, (unsigned long long)job->limits.total_bytes);
	if (job->entries > job->limits.entries)
		return mm_error_set(err, MM_ECELL, "'%s' is refused at entry '%s': it has more than %llu entries, see "
				    "\"limits.unpacked_entries\"",
				    job->path, entry, (unsigned long long)job->limits.entries);
	uint64_t read = bytes_read(job);
	if (total > MM_ARCHIVE_RATIO_FROM && read && total / read > job->limits.ratio)
		return mm_error_set(err, MM_ECELL,
				    "'%s' is refused at entry '%s': it unpacks to more than %u times its size, see "
				    "\"limits.unpacked_ratio\"",
				    job->path, entry, job->limits.ratio);
	return 0;
}

static int put(int fd, const char *bytes, size_t length, off_t offset)
{
	while (length) {
		ssize_t done = pwrite(fd, bytes, length, offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		bytes += done;
		length -= (size_t)done;
		offset += done;
	}
	return 0;
}

/* Copies the content of the present entry to FD; *LENGTH becomes the file's length, trailing hole included. */
static int copy_content(struct mm_unpacking *job, const char *entry, int fd, uint64_t *length, struct mm_error *err)
{
	for (;;) {
		const void *block;
		size_t size;
		la_int64_t offset;
		int got = archive_read_data_block(job->archive, &block, &size, &offset);
		if (got == ARCHIVE_EOF)
			break;
		if (got != ARCHIVE_OK || offset < 0)
			return mm_unpacking_damaged(job, job->archive, entry, err);
		uint64_t end = (uint64_t)offset + size;
		/* what counts is the length that the file gets: a hole can be as large as it says */
		int code = mm_signals_check(err);
		if (!code && end > *length)
			code = check_limits(job, entry, end, err);
		if (code)
			return code;
		if (put(fd, block, size, offset))
			return mm_error_errno(err, "cannot write '%s'", entry);
		if (end > *length)
			*length = end;
		tell_progress(job);
	}
	return 0;
}

static uint64_t said_size(struct archive_entry *entry)
{
	return archive_entry_size_is_set(entry) && archive_entry_size(entry) > 0 ? (uint64_t)archive_entry_size(entry)
										  : 0;
}

/* Fills FD, which is closed, with the content of ENTRY. */
static int fill(struct mm_unpacking *job, struct archive_entry *entry, const char *path, int fd, struct mm_error *err)
{
	uint64_t length = 0, said = said_size(entry);
	int code = copy_content(job, path, fd, &length, err);
	if (!code && said > length)
		length = said;
	job->laid += length;
	int closed = mm_landing_finish(fd, path, (off_t)length, archive_entry_mtime(entry), err);
	return code ? code : closed;
}

static int lay_file(struct mm_unpacking *job, struct archive_entry *entry, const char *path, struct mm_error *err)
{
	int fd;
	int code = check_limits(job, path, said_size(entry), err);
	if (!code)
		code = mm_landing_file(&job->landing, path, archive_entry_perm(entry), &fd, err);
	return code ? code : fill(job, entry, path, fd, err);
}

/* In a cpio archive, which is what an rpm holds, only the last name of a file brings its content. */
static int lay_hardlink(struct mm_unpacking *job, struct archive_entry *entry, const char *path, const char *target,
			struct mm_error *err)
{
	int fd;
	int code = mm_landing_hardlink(&job->landing, path, target, err);
	if (code || !said_size(entry) || !job->cpio)
		return code;
	code = check_limits(job, path, said_size(entry), err);
	if (!code)
		code = mm_landing_again(&job->landing, path, &fd, err);
	return code ? code : fill(job, entry, path, fd, err);
}

static int lay_entry(struct mm_unpacking *job, struct archive_entry *entry, struct mm_error *err)
{
	/* names of pax headers are UTF-8, which libarchive cannot express in the C locale: take them as they are */
	const char *path = archive_entry_pathname(entry);
	const char *hardlink = archive_entry_hardlink(entry);
	const char *symlink = archive_entry_symlink(entry);
	path = path ? path : archive_entry_pathname_utf8(entry);
	hardlink = hardlink ? hardlink : archive_entry_hardlink_utf8(entry);
	symlink = symlink ? symlink : archive_entry_symlink_utf8(entry);
	if (!path || !*path)
		return mm_error_set(err, MM_ECELL, "'%s' has an entry without a name", job->path);
	job->entries++;
	int code = mm_signals_check(err);
	if (!code && job->limits.until_ns && mm_now_ns() > job->limits.until_ns)
		code = mm_error_set(err, MM_ECELL, "'%s': unpacking took longer than \"build.timeout\" allows", job->path);
	if (!code)
		code = check_limits(job, path, 0, err);
	if (code || (job->wanted && !job->wanted(path)))
		return code;
	if (hardlink)
		return lay_hardlink(job, entry, path, hardlink, err);
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		return lay_file(job, entry, path, err);
	case AE_IFDIR:
		return mm_landing_folder(&job->landing, path, archive_entry_perm(entry), err);
	case AE_IFLNK:
		return mm_landing_symlink(&job->landing, path, symlink ? symlink : "", err);
	default:
		return mm_error_set(err, MM_ECELL,
				    "entry '%s' is a device, pipe or socket, which no source or package needs", path);
	}
}

/*
 * A tar archive ends with blocks of zeros, and libarchive takes one without for whole. What it came to then begins where
 * its input ends. LAST is the entry before.
 */
static int check_end(const struct mm_unpacking *job, const char *last, struct mm_error *err)
{
	if (!job->plain || !last || archive_filter_bytes(job->archive, 0) > archive_read_header_position(job->archive))
		return 0;
	return mm_error_set(err, MM_ECELL, "'%s' is cut off behind entry '%s', it has no end: bring it here again",
			    job->path, last);
}

/*
 * Comes to the next entry, as archive_read_next_header. That keeps a whole header in memory, which a few bytes can unpack
 * to (cpio has names of up to 4 GiB): read_outer ends what is no header of a file.
 */
static int next_entry(struct mm_unpacking *job, struct archive_entry **entry)
{
	if (job->entries)
		(void)archive_read_data_skip(job->archive); /* what is wrong there is said of the next header, too */
	job->allowed = LARGEST_HEADER;
	int got = archive_read_next_header(job->archive, entry);
	job->allowed = UINT64_MAX;
	return got;
}

int mm_unpacking_lay(struct mm_unpacking *job, struct mm_error *err)
{
	char *last = NULL;
	int code = 0;
	struct archive_entry *entry;
	while (!code) {
		int got = next_entry(job, &entry);
		if (got == ARCHIVE_EOF) {
			code = check_end(job, last, err);
			break;
		}
		if (got != ARCHIVE_OK && got != ARCHIVE_WARN) {
			char *where = last ? mm_format("after %s", last) : NULL;
			code = mm_unpacking_damaged(job, job->archive, where, err);
			free(where);
			break;
		}
		code = lay_entry(job, entry, err);
		const char *path = archive_entry_pathname(entry);
		free(last);
		last = mm_strdup(path ? path : archive_entry_pathname_utf8(entry));
		tell_progress(job);
	}
	if (code == MM_ECELL && !strstr(err->text, job->path))
		(void)mm_error_prefix(err, "'%s' is refused", job->path);
	if (!code && !job->entries)
		code = mm_error_set(err, MM_ECELL, "'%s' is empty or no archive", job->path);
	free(last);
	return code;
}

struct mm_unpacking *mm_unpacking_new(const char *path, const struct mm_archive_limits *limits, const char *cell)
{
	struct mm_unpacking *job = mm_alloc(sizeof *job);
	job->archive = archive_read_new();
	job->path = path;
	job->cell = cell;
	job->limits = limits ? *limits : (struct mm_archive_limits)MM_ARCHIVE_LIMITS;
	job->landing = (struct mm_landing){ .root = -1, .parent_fd = -1 };
	job->percent = UINT32_MAX;
	job->allowed = UINT64_MAX;
	return job;
}

void mm_unpacking_free(struct mm_unpacking *job)
{
	if (job->archive)
		archive_read_free(job->archive);
	mm_pump_stop(job->pump);
	if (job->outer)
		archive_read_free(job->outer);
	mm_landing_close(&job->landing);
	free(job);
}

int mm_unpacking_open_file(struct mm_unpacking *job, struct archive *archive, struct mm_error *err)
{
	struct stat st;
	if (stat(job->path, &st))
		return mm_error_errno(err, "cannot read '%s'", job->path);
	job->file_bytes = (uint64_t)st.st_size;
	if (archive_read_open_filename(archive, job->path, MM_UNPACKING_READ_SIZE) != ARCHIVE_OK)
		return mm_unpacking_damaged(job, archive, NULL, err);
	return 0;
}

static la_ssize_t read_outer(struct archive *archive, void *context, const void **block)
{
	struct mm_unpacking *job = context;
	la_ssize_t got = mm_pump_next(job->pump, block);
	if (got < 0)
		archive_set_error(archive, EIO, "%s", archive_error_string(job->outer));
	if (got <= 0)
		return got;
	if ((uint64_t)got <= job->allowed) {
		job->allowed -= (uint64_t)got;
		return got;
	}
	archive_set_error(archive, EIO, "the header of an entry has more than %d MiB", LARGEST_HEADER >> 20);
	return ARCHIVE_FATAL;
}

int mm_unpacking_open_inner(struct mm_unpacking *job, const char *entry, struct mm_error *err)
{
	job->pump = mm_pump_start(job->outer);
	if (archive_read_open(job->archive, job, NULL, read_outer, NULL) != ARCHIVE_OK)
		return mm_unpacking_damaged(job, job->archive, entry, err);
	return 0;
}

int mm_unpacking_open_stream(struct mm_unpacking *job, struct mm_error *err)
{
	struct archive_entry *entry;
	int code = mm_unpacking_open_file(job, job->outer, err);
	if (!code && archive_read_next_header(job->outer, &entry) != ARCHIVE_OK)
		code = mm_unpacking_damaged(job, job->outer, NULL, err);
	job->plain = archive_filter_code(job->outer, 0) == ARCHIVE_FILTER_NONE;
	return code ? code : mm_unpacking_open_inner(job, NULL, err);
}
