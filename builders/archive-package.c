/* Packages of distributions: an archive behind headers, or in another archive. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include "builders/unpacking.h"

/* Moves job->outer to the package's data and opens job->archive on it. */
static int open_data(struct mm_unpacking *job, struct mm_error *err)
{
	struct archive_entry *entry;
	int got;
	while ((got = archive_read_next_header(job->outer, &entry)) == ARCHIVE_OK || got == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);
		if (!name || strncmp(name, "data.tar", 8) != 0)
			continue;
		return mm_unpacking_open_inner(job, name, err);
	}
	if (got != ARCHIVE_EOF)
		return mm_unpacking_damaged(job, job->outer, NULL, err);
	return mm_error_set(err, MM_ECELL, "'%s' is no Debian package: it has no data.tar", job->path);
}

/* A Debian package: an archive in an archive. */
static int open_deb(struct mm_unpacking *job, struct mm_error *err)
{
	job->outer = archive_read_new();
	if (archive_read_support_format_ar(job->outer) || mm_unpacking_filters(job->archive) ||
	    archive_read_support_format_tar(job->archive))
		return mm_error_set(err, MM_EENV, MM_UNPACKING_LACKS);
	int code = mm_unpacking_open_file(job, job->outer, err);
	return code ? code : open_data(job, err);
}

/* An rpm: headers, then a compressed cpio archive. */
static int open_rpm(struct mm_unpacking *job, struct mm_error *err)
{
	job->cpio = true;
	job->outer = archive_read_new();
	if (mm_unpacking_filters(job->outer) || archive_read_support_filter_lzma(job->outer) ||
	    archive_read_support_filter_rpm(job->outer) || archive_read_support_format_raw(job->outer) ||
	    archive_read_support_format_cpio(job->archive))
		return mm_error_set(err, MM_EENV, MM_UNPACKING_LACKS);
	return mm_unpacking_open_stream(job, err);
}

/* By its first bytes, whatever it is called. */
static int open_package(struct mm_unpacking *job, struct mm_error *err)
{
	static const char deb[] = "!<arch>\n", rpm[] = "\xed\xab\xee\xdb";
	char begin[8] = "";
	int fd = open(job->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, begin, sizeof begin) < 0) {
		int code = mm_error_errno(err, "cannot read '%s'", job->path);
		if (fd >= 0)
			close(fd);
		return code;
	}
	close(fd);
	if (memcmp(begin, deb, sizeof deb - 1) == 0)
		return open_deb(job, err);
	if (memcmp(begin, rpm, sizeof rpm - 1) == 0)
		return open_rpm(job, err);
	return mm_error_set(err, MM_ECELL, "'%s' is damaged or no package: neither a .deb nor an .rpm", job->path);
}

int mm_archive_unpack_package(const char *package, const char *folder, const struct mm_archive_limits *limits,
			      struct mm_error *err)
{
	struct mm_unpacking *job = mm_unpacking_new(package, limits, NULL);
	int code = open_package(job, err);
	if (!code)
		code = mm_landing_open(&job->landing, folder, true, false, err);
	if (!code)
		code = mm_unpacking_lay(job, err);
	mm_unpacking_free(job);
	return code;
}
