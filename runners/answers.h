/* Digests of what a server answers. The same rows in any order are the same answer: not every query has an ORDER BY. */
#ifndef MM_RUNNERS_ANSWERS_H
#define MM_RUNNERS_ANSWERS_H

#include <mysql.h>
#include <stdint.h>

/*
 * Sends STATEMENT, reads the answer and chains its digest to CHECKSUM: rows and columns, or the rows that were changed,
 * or the error number. ROWS, when not NULL, grows by the number of rows. Returns the client library's error number, 0
 * for none.
 */
unsigned mm_answers_add(MYSQL *mysql, const char *statement, uint64_t *checksum, uint64_t *rows);

#endif
