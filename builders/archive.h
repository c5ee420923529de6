/*
 * Archives, through libarchive. An archive is hostile until it is unpacked:
 * what may land where is decided by builders/landing.h, how much by the limits
 * below. A damaged or refused archive is MM_ECELL with the archive's and the
 * entry's name.
 *
 * Formats: tar and zip, plain or compressed by gzip, bzip2, xz or zstd; Debian
 * packages (an ar archive that holds data.tar.*) and rpm packages (headers and
 * a compressed cpio archive).
 */
#ifndef MM_BUILDERS_ARCHIVE_H
#define MM_BUILDERS_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/matrix.h"

struct mm_archive_limits {
	uint64_t total_bytes; /* of all files together */
	uint64_t entries;
	unsigned ratio; /* bytes laid down for each byte read, looked at from MM_ARCHIVE_RATIO_FROM bytes on */
	uint64_t until_ns; /* monotonic time at which it is given up; 0: never */
};

/* The largest known source tree unpacks to 2 GB in 60,000 entries at 12 bytes for one. */
#define MM_ARCHIVE_LIMITS                                                                                              \
	{                                                                                                              \
		(uint64_t)32 << 30, 1000000, 250, 0                                                                    \
	}
#define MM_ARCHIVE_RATIO_FROM ((uint64_t)64 << 20)

/* As MATRIX.json says, with the time UNTIL_NS. */
struct mm_archive_limits mm_archive_limits(const struct mm_matrix *matrix, uint64_t until_ns);

/*
 * Unpacks ARCHIVE to FOLDER, which must not exist and appears complete or not at all (a temporary neighbour
 * "FOLDER.part" is renamed). A single top folder is taken off. LIMITS may be NULL. Progress goes out as events of
 * CELL's stage "unpack" unless CELL is NULL.
 */
int mm_archive_unpack(const char *archive, const char *folder, const struct mm_archive_limits *limits, const char *cell,
		      struct mm_error *err);

/*
 * The same for the few files that WANTED says, given each one's path in the archive. The whole of it is read. None at
 * all is fine: FOLDER is empty then.
 */
int mm_archive_unpack_some(const char *archive, const char *folder, const struct mm_archive_limits *limits,
			   bool (*wanted)(const char *path), struct mm_error *err);

/* Unpacks the package PACKAGE (.deb or .rpm) into FOLDER, which exists and may hold other packages. */
int mm_archive_unpack_package(const char *package, const char *folder, const struct mm_archive_limits *limits,
			      struct mm_error *err);

/* Is PATH an archive that mm_archive_unpack takes? */
bool mm_archive_is_one(const char *path);

#endif
