/*
 * A pass: one suite against one fresh server, and what was measured. It is
 * the unit of evidence and a file: runs/<n>/passes/<cell>/<suite>-<NN>.json.
 */
#ifndef MM_RUNNERS_PASS_H
#define MM_RUNNERS_PASS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/os.h"

struct mm_operation_sample {
	char *name;      /* upstream's name, e.g. "select_key_prefix" */
	uint64_t count;  /* as upstream prints it */
	uint64_t wall_ns;
	uint64_t checksum; /* over all that the server answered in it; 0: not computed */
};

/* One test of a suite (sql-bench: one script; sysbench, threads: one thread count; exec: one printed name). */
struct mm_test_sample {
	char *name;
	const char *unit;     /* "s", "events/s", … (owned when unit_owned) */
	char *unit_owned;
	bool higher_is_better;
	double value;         /* the primary figure, in unit; for sql-bench the wall seconds */
	uint64_t wall_ns;     /* monotonic */
	uint64_t server_cpu_ns; /* the whole server process, ended threads included; MM_UNKNOWN when not to be had */
	uint64_t client_cpu_ns;
	uint64_t peak_rss_bytes, minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches, read_bytes, write_bytes; /* of the server; MM_UNKNOWN */
	uint64_t cycles, instructions, cache_misses, branch_misses; /* of the server; MM_UNKNOWN where not offered */
	uint64_t statements, rows; /* sent, received */
	uint64_t checksum;    /* over all that the server answered; 0: not computed */
	char *skipped;        /* reason, NULL when it ran: then no figure counts */
	json_t *extra;        /* suite-specific figures (latency percentiles …), may be NULL */
	struct mm_operation_sample *operations;
	size_t operation_count;
	size_t operation_capacity;
};

struct mm_pass {
	char *run;      /* the run that it belongs to, as its plan.json names it; NULL: not known */
	char *cell;     /* cell id */
	char *suite;    /* name of the suite spec */
	int index;      /* from 1 */
	int visit;      /* 1; 2 … when the order visits the cell again within the index */
	int position;   /* place in the whole order, from 1 */
	char started[32]; /* UTC */
	struct mm_strings server_argv;
	char *server_version; /* SELECT VERSION() */
	char *engine;         /* the engine that the suite's tables really had, NULL when unknown */
	char *client_version; /* client library, or the program that was the client */
	char *my_cnf;         /* text of the server's option file; NULL when it is empty */
	struct mm_strings run_env; /* what the cell's config adds to its environment, "NAME=value" */
	char *build_id;       /* of the server's ELF file, hexadecimal; NULL when it has none */
	char *counters;       /* "available", or why the tests have no hardware counters: "unavailable: …" */
	json_t *variables;    /* SHOW GLOBAL VARIABLES as an object of strings */
	uint64_t start_ns, copy_ns, stop_ns; /* overhead beside the statements */
	json_t *noise;        /* what else the machine did, see runners/noise.h */
	json_t *extra;        /* of the suite as a whole: settings, "outputs" of its programs; may be NULL */
	struct mm_test_sample *tests;
	size_t test_count;
	size_t test_capacity;
	char *failure; /* why the pass failed; NULL: it is good */
	char *log_tail; /* last lines of the server's error log when it failed */
	char *error_log; /* the server's error log when it did not, its last 64 KiB */
};

void mm_pass_init(struct mm_pass *pass);
void mm_pass_release(struct mm_pass *pass);

/*
 * Adds a test with every figure unknown, in seconds and lower is better; the pointer is valid until the next one is
 * added. mm_measure_end fills in the value unless the suite has set one.
 */
struct mm_test_sample *mm_pass_add_test(struct mm_pass *pass, const char *name);
/* Adds COUNT and WALL_NS to the operation NAME of TEST, which is made when it is new. */
void mm_test_add_operation(struct mm_test_sample *test, const char *name, uint64_t count, uint64_t wall_ns);

/* "mymatrix_pass": 1. MM_UNKNOWN becomes null. */
json_t *mm_pass_json(const struct mm_pass *pass); /* new reference */
/* Errors: MM_EMATRIX with the path and the member that is wrong; MM_EENV when it cannot be read. PASS is empty then. */
int mm_pass_load(const char *path, struct mm_pass *pass, struct mm_error *err);
int mm_pass_save(const char *path, const struct mm_pass *pass, struct mm_error *err);
/* Is PASS the one that its path says, and of RUN where both are known? Files can be moved and copied. */
bool mm_pass_is(const struct mm_pass *pass, const char *run, const char *cell, const char *suite, int index, int visit);
/* <run>/passes/<cell>/<suite>-<NN>.json, with ".<visit>" before .json from visit 2 on. Allocated. */
char *mm_pass_path(const char *run_folder, const char *cell, const char *suite, int index, int visit);

#endif
