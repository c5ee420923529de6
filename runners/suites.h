/* The suites of suites.c that are one file each. Private to runners/. */
#ifndef MM_RUNNERS_SUITES_H
#define MM_RUNNERS_SUITES_H

#include "runners/suite.h"

extern const struct mm_suite mm_suite_exec, mm_suite_sql_bench_upstream, mm_suite_sysbench, mm_suite_threads;

#endif
