/* An archive that is being unpacked. Private to archive.c, archive-package.c and unpacking.c. */
#ifndef MM_BUILDERS_UNPACKING_H
#define MM_BUILDERS_UNPACKING_H

#include "builders/archive-pump.h"
#include "builders/archive.h"
#include "builders/landing.h"

struct archive;

enum { MM_UNPACKING_READ_SIZE = 1 << 18 };
#define MM_UNPACKING_LACKS "libarchive was built without gzip, bzip2, xz or zstd"

struct mm_unpacking {
	struct archive *archive;
	struct archive *outer; /* what the archive comes out of: a compressed file; of a .deb, its ar archive */
	struct mm_pump *pump;  /* reads outer */
	const char *path;      /* of the archive, for messages */
	bool cpio;
	bool plain; /* a tar archive that nothing compresses: only its own end says that it is whole */
	bool (*wanted)(const char *path); /* NULL: everything is */
	const char *cell;
	struct mm_archive_limits limits;
	struct mm_landing landing;
	uint64_t file_bytes; /* size of the archive */
	uint64_t laid;       /* bytes written so far */
	uint64_t entries;
	uint64_t allowed; /* bytes that libarchive may still be given: a limit while it reads a header */
	unsigned percent; /* last one told */
};

/* LIMITS may be NULL, and so may CELL. */
struct mm_unpacking *mm_unpacking_new(const char *path, const struct mm_archive_limits *limits, const char *cell);
void mm_unpacking_free(struct mm_unpacking *job);

/* What ARCHIVE, of JOB's two, says is wrong. ENTRY: where; NULL: at its beginning. MM_ECELL. */
int mm_unpacking_damaged(const struct mm_unpacking *job, struct archive *archive, const char *entry, struct mm_error *err);

/*
 * The compressions that we take; not 0: libarchive lacks one. It reads some through external programs when it was built
 * without the library, which are not wanted here.
 */
int mm_unpacking_filters(struct archive *archive);

/* Lets ARCHIVE, of JOB's two, read the file. */
int mm_unpacking_open_file(struct mm_unpacking *job, struct archive *archive, struct mm_error *err);
/* Lets job->archive read the entry that job->outer has come to, called ENTRY or nothing (NULL). */
int mm_unpacking_open_inner(struct mm_unpacking *job, const char *entry, struct mm_error *err);
/* Lets job->archive read the file as job->outer gives it: one stream of bytes, decompressed. */
int mm_unpacking_open_stream(struct mm_unpacking *job, struct mm_error *err);

/* Lays all entries of job->archive down in job->landing. Errors: MM_ECELL with archive and entry, MM_EENV, MM_EINTERRUPTED. */
int mm_unpacking_lay(struct mm_unpacking *job, struct mm_error *err);

#endif
