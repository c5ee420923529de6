/* What sysbench prints at the end of a run: 0.4, 0.5, 1.0 and master. */
#ifndef MM_RUNNERS_SYSBENCH_OUTPUT_H
#define MM_RUNNERS_SYSBENCH_OUTPUT_H

/* NaN where the text does not say. */
struct mm_sysbench_output {
	int threads;    /* 0: not said */
	double seconds; /* of the whole run */
	double events, events_per_second;
	double transactions, transactions_per_second; /* scripts of 0.4 and later name them; an event each */
	double queries, queries_per_second;
	double latency_min_ms, latency_avg_ms, latency_max_ms; /* of an event */
	double latency_percentile_ms;
	int percentile; /* which one that is; 0: not said */
	double errors;  /* deadlocks and other errors that were ignored */
	double reconnects;
	char *fatal; /* the first line that begins with "FATAL:"; NULL: none */
};

/* Reads TEXT, the whole output. Interval lines ("[ 10s ] …") are parts of the run and do not count. */
void mm_sysbench_output_read(const char *text, struct mm_sysbench_output *output);
void mm_sysbench_output_release(struct mm_sysbench_output *output);

#endif
