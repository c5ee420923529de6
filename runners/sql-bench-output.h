/* Lines that the scripts of sql-bench print, one at a time. */
#ifndef MM_RUNNERS_SQL_BENCH_OUTPUT_H
#define MM_RUNNERS_SQL_BENCH_OUTPUT_H

#include <stdbool.h>

enum mm_sql_bench_kind {
	MM_SQL_BENCH_OTHER,
	MM_SQL_BENCH_BEGIN,     /* "Testing server '…' at …" */
	MM_SQL_BENCH_WARNING,   /* the operation that follows gave a wrong result */
	MM_SQL_BENCH_OPERATION, /* "Time for|to NAME (COUNT…)…: N wallclock secs (…)" */
	MM_SQL_BENCH_OUTCOME    /* how a test ended: "Total time: …", "Test skipped because …", "Failed (…)" */
};

struct mm_sql_bench_line {
	enum mm_sql_bench_kind kind;
	char *name;        /* of an operation; owned */
	long long count;   /* of an operation */
	double seconds;    /* of an operation, or in all; NaN: there are none, or they are not to be believed */
	double resolution; /* of the seconds: 1 for whole ones */
	bool estimated;    /* cut off by the time limit and extrapolated */
	const char *why;   /* an outcome without seconds: the reason; borrowed from the line, or a constant */
};

/* Reads LINE, without its end. Release with mm_sql_bench_line_release. */
void mm_sql_bench_line_read(const char *line, struct mm_sql_bench_line *out);
void mm_sql_bench_line_release(struct mm_sql_bench_line *line);

#endif
