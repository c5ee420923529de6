#ifndef MM_RUNNERS_READY_H
#define MM_RUNNERS_READY_H

#include "runners/server.h"

/*
 * Waits until SERVER has made, filled and read a table of ENGINE ("default" or NULL: its own choice) and dropped it
 * again: that a query is answered does not prove that an engine is up. *REAL, when not NULL, is the engine that the
 * table had, allocated. Errors: MM_ECELL: the server has no such engine, or it is not up in time.
 */
int mm_ready_engine(const struct mm_server *server, const char *engine, char **real, struct mm_error *err);

/* "default" or NULL: no engine was asked for. */
bool mm_ready_is_default(const char *engine);

/*
 * The engine that TABLE has (a table's name, as a pattern of LIKE) in the database that MYSQL uses; allocated, NULL
 * when there is no such table.
 */
char *mm_ready_engine_of(MYSQL *mysql, const char *table);

/* It becomes part of statements: a word. Errors: MM_EMATRIX. */
int mm_ready_check_name(const char *engine, struct mm_error *err);

#endif
