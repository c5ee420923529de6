/* A compressed file, taken apart by a thread of its own while another lays its entries down. Private to unpacking.c. */
#ifndef MM_BUILDERS_ARCHIVE_PUMP_H
#define MM_BUILDERS_ARCHIVE_PUMP_H

#include <stdint.h>
#include <sys/types.h>

struct archive;
struct mm_pump;

/* Begins to read the data of the entry that SOURCE has come to; nobody else may touch SOURCE until it is stopped. */
struct mm_pump *mm_pump_start(struct archive *source);

/* The next piece, valid until the next call: its length, 0 at the end, -1 when the source is damaged. */
ssize_t mm_pump_next(struct mm_pump *pump, const void **piece);

/* Bytes of the compressed file that were read so far. */
uint64_t mm_pump_taken(const struct mm_pump *pump);

/* Stops the thread and frees PUMP (NULL is fine); SOURCE, which says what is damaged, is its caller's again. */
void mm_pump_stop(struct mm_pump *pump);

#endif
