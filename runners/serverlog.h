/* What a server's error log says, for messages and records. */
#ifndef MM_RUNNERS_SERVERLOG_H
#define MM_RUNNERS_SERVERLOG_H

/* The last lines (at most 120, 16 KiB) of the log at PATH, "" when there is none. Allocated. */
char *mm_serverlog_tail(const char *path);

/* The whole log, or its last 64 KiB, "" when there is none. Allocated. */
char *mm_serverlog_whole(const char *path);

/*
 * One line for an error message: the first different error lines of the log without time and thread, joined by "; ";
 * without any, the last line that is not empty; "its log is empty" when there is nothing. Allocated.
 */
char *mm_serverlog_errors(const char *path);

#endif
