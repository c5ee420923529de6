#include "runners/suites.h"

#include "runners/sql-bench/sql-bench.h"

static const struct mm_suite *const suites[] = {
	&mm_suite_sql_bench, &mm_suite_sql_bench_upstream, &mm_suite_sysbench, &mm_suite_threads, &mm_suite_exec, NULL,
};

const struct mm_suite *const *mm_suite_all(void)
{
	return suites;
}

const struct mm_suite *mm_suite_find(const char *name)
{
	for (const struct mm_suite *const *suite = suites; *suite != NULL; suite++)
		if (strcmp((*suite)->name, name) == 0)
			return *suite;
	return NULL;
}
