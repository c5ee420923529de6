/* The suite "sql-bench": the nine classic tests, native, through the client library. See docs/SUITES.md. */
#ifndef MM_RUNNERS_SQL_BENCH_SQL_BENCH_H
#define MM_RUNNERS_SQL_BENCH_SQL_BENCH_H

#include "runners/suite.h"

extern const struct mm_suite mm_suite_sql_bench;

#endif
