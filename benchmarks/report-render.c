/*
 * How long a large report takes: 500 comparisons of one suite with 80 operations, ten passes each. The time of each
 * format, and the process's peak memory. Limits: a second each, 200 MB in all.
 *
 * Arguments: comparisons, operations, passes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/analysis.h"
#include "reports/gate.h"
#include "reports/recommend.h"
#include "reports/report.h"

enum { TESTS = 9 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static void count(void *context, const void *bytes, size_t length)
{
	(void)bytes;
	*(size_t *)context += length;
}

static double noise(void)
{
	static unsigned long long state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 33) / (double)(1u << 31) - 0.5;
}

static json_t *samples(double base, int passes)
{
	json_t *list = json_array();

	for (int i = 0; i < passes; i++)
		json_array_append_new(list, json_real(base * (1 + 0.02 * noise())));
	return list;
}

static json_t *test_json(int number, int operations, int passes)
{
	json_t *all = json_object(), *counts = json_object(), *test;
	char name[32];

	for (int i = 0; i < operations; i++) {
		snprintf(name, sizeof(name), "operation_%d", i);
		json_object_set_new(all, name, samples(0.1 + i, passes));
		mm_json_put_integer(counts, name, 100);
	}
	snprintf(name, sizeof(name), "test_%d", number);
	test = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "test", name, "unit", "s", "better", "lower", "values",
			 samples(10, passes), "server_cpu_seconds", samples(9, passes), "operations", all,
			 "operation_counts", counts);
	json_object_set(test, "wall_seconds", json_object_get(test, "values"));
	return test;
}

/* The series of one cell: OPERATIONS spread over the nine tests. */
static json_t *series_json(int number, int operations, int passes)
{
	json_t *tests = json_array(), *list = json_array();
	char name[32];

	for (int i = 0; i < passes; i++)
		json_array_append_new(list,
				      json_pack("{s:i, s:i, s:i}", "index", i + 1, "visit", 1, "position", i + 1));
	for (int i = 0; i < TESTS; i++)
		json_array_append_new(tests, test_json(i, operations / TESTS + (i < operations % TESTS), passes));
	snprintf(name, sizeof(name), "source/gcc/64/flags-%d", number);
	return json_pack("{s:s, s:s, s:o, s:o}", "cell", name, "suite", "classic", "passes", list, "tests", tests);
}

static json_t *make(int comparisons, int operations, int passes)
{
	struct mm_samples *series = mm_calloc((size_t)comparisons + 1, sizeof(*series));
	struct mm_analysis *all = mm_calloc((size_t)comparisons + 1, sizeof(*all));
	struct mm_pairing *pairings = mm_calloc((size_t)comparisons + 1, sizeof(*pairings));
	json_t *list = json_array(), *data = json_array(), *report;

	for (int i = 0; i <= comparisons; i++) {
		json_array_append_new(data, series_json(i, operations, passes));
		if (mm_samples_load(json_array_get(data, (size_t)i), "made", &series[i], NULL) != 0)
			abort();
	}
	for (int i = 0; i < comparisons; i++) {
		mm_pairing_by_index(&series[0], &series[i + 1], &pairings[i]);
		mm_analysis_make(&(struct mm_analysis_input){ .baseline = &series[0],
							      .candidate = &series[i + 1],
							      .pairing = &pairings[i],
							      .mode = MM_PAIRED,
							      .thresholds = { 1, 2 } },
				 &all[i]);
	}
	mm_analysis_judge_geomeans(all, (size_t)comparisons);
	for (int i = 0; i < comparisons; i++) {
		char *recommendation = mm_recommend(&all[i]);
		json_t *json = mm_analysis_json(&all[i]);

		mm_json_put_string(json, "recommendation", recommendation);
		json_array_append_new(list, json);
		free(recommendation);
		mm_analysis_release(&all[i]);
		mm_pairing_release(&pairings[i]);
	}
	for (int i = 0; i <= comparisons; i++)
		mm_samples_release(&series[i]);
	free(series);
	free(all);
	free(pairings);
	report = json_pack("{s:i, s:s, s:o, s:o, s:[], s:[]}", "mymatrix_report", 1, "title", "500 comparisons",
			   "comparisons", list, "samples", data, "warnings", "cells");
	mm_gate_apply(report, NULL);
	return report;
}

int main(int argc, char **argv)
{
	int comparisons = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 500;
	int operations = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 80;
	int passes = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 10;
	double start = now();
	json_t *report = make(comparisons, operations, passes);
	int over = 0;

	printf("%d comparisons x %d operations, %d passes\n%-10s %8.3f s  %17s peak %5.0f MB\n", comparisons,
	       operations, passes, "analyse", now() - start, "", peak_mb());
	for (const struct mm_report_format *format = mm_report_formats(); format->name != NULL; format++) {
		struct mm_buffer out = MM_BUFFER_INIT;
		size_t drained = 0;
		double seconds;

		start = now();
		if (format->appends) { /* as the command line does */
			out.drain = count;
			out.context = &drained;
		}
		if (format->render(report, &out, NULL) != 0)
			return 1;
		seconds = now() - start;
		printf("%-10s %8.3f s  %11zu bytes  peak %5.0f MB\n", format->name, seconds, drained + out.length,
		       peak_mb());
		over |= seconds > 1 || peak_mb() > 200;
		mm_buffer_release(&out);
	}
	json_decref(report);
	return over;
}
