/* Foreign output to a result file (the small form of reports/result-file.h). */
#ifndef MM_REPORTS_IMPORT_H
#define MM_REPORTS_IMPORT_H

#include <jansson.h>

#include "base/buffer.h"

struct mm_import_options {
	const char *cell;  /* NULL: what the file says, else the first file's name without its ending */
	const char *suite; /* NULL: what the file says, else the kind */
	const char *run;   /* NULL: none: files of one run are paired by `compare` */
};

/*
 * KIND is "sysbench" (text output of 0.4, 0.5, 1.0 and master), "sql-bench" (output of its test scripts, and RUN
 * files) or "csv" (a head line that names at least the columns test and value; see import-csv.c). Several files are
 * passes: the n-th figure of a test is its pass n. Errors: MM_EUSAGE for an unknown kind; MM_EMATRIX with file and
 * line for a file that is not of its kind; MM_EENV.
 */
int mm_import(const char *kind, const struct mm_strings *files, const struct mm_import_options *options,
	      json_t **result, struct mm_error *err);

/* ---- private to the import files ---- */

/* Where a reader puts what it finds. */
struct mm_import_target {
	json_t *tests;  /* the result's "tests" */
	json_t *result; /* "cell", "suite", "server_version" … that a reader learns */
	const struct mm_import_options *options;
};

/* The entry of test NAME, made when it is new. Borrowed. */
json_t *mm_import_test(struct mm_import_target *target, const char *name, const char *unit, const char *better);
/* Appends VALUE (NaN: null) to the list KEY of ENTRY. */
void mm_import_append(json_t *entry, const char *key, double value);
/* Notes why a pass of ENTRY has no sample; the first reason stays. */
void mm_import_skip(json_t *entry, const char *reason);
/* The entry of operation NAME of a test. Borrowed. */
json_t *mm_import_operation(json_t *test, const char *name, long long count);

/* One file of each kind: TEXT is its content, NUL-terminated, NAME its path for errors. */
int mm_import_sysbench(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err);
int mm_import_sql_bench(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err);
int mm_import_csv(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err);

/* The next line of *TEXT without its end, as an allocated string; NULL at the end. */
char *mm_import_line(const char **text);

#endif
