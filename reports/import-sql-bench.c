/*
 * sql-bench: what a test script prints ("Time for NAME (COUNT): N wallclock secs (…)", "Total time: N wallclock
 * secs"), and RUN files of run-all-tests ("TEST: Total time: …", then "Totals per operation:"). A test that failed, was
 * skipped or only estimated gives null for its pass, and says why.
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "reports/import.h"
#include "runners/sql-bench-output.h"

#define OPERATIONS_OF_ALL "(operations of all tests)"

/* The nine tests, and words of the headline that each script prints. */
static const char *const scripts[][2] = {
	{ "ATIS", "ATIS" },
	{ "alter-table", "ALTER TABLE" },
	{ "big-tables", "unusual tables" },
	{ "connect", "connecting to" },
	{ "create", "creating and drop" },
	{ "insert", "inserting data" },
	{ "select", "selecting on keys" },
	{ "transactions", "transactions" },
	{ "wisconsin", "Wisconsin" },
};
enum { SCRIPTS = sizeof(scripts) / sizeof(*scripts) };

struct reader {
	struct mm_import_target *target;
	const char *file;
	const char *test;      /* of a script's output: which one it is, NULL while unknown */
	bool run_file, totals; /* totals: behind "Totals per operation:" */
	bool after_warning;    /* the operation that follows gave a wrong result */
	bool open;             /* a test has begun whose end has not come */
	size_t found;
	json_t *pending; /* operations of a script before its test's name is known: [[name, count, seconds or null]] */
};

static bool begins(const char *line, const char *with)
{
	return strncasecmp(line, with, strlen(with)) == 0;
}

static void put_resolution(json_t *entry, const char *key, double resolution)
{
	if (resolution > mm_json_number(entry, key, 0))
		mm_json_put_real(entry, key, resolution);
}

/* A test's whole time, or why it has none. */
static void put_test(struct reader *reader, const char *name, double seconds, double resolution, const char *why)
{
	json_t *entry = mm_import_test(reader->target, name, "s", "lower");

	mm_import_append(entry, "samples", why == NULL ? seconds : NAN);
	if (why != NULL)
		mm_import_skip(entry, why);
	else
		put_resolution(entry, "resolution", resolution);
	reader->found++;
}

static void put_operation(json_t *test, const char *name, long long count, double seconds, double resolution)
{
	json_t *operation = mm_import_operation(test, name, count);

	mm_import_append(operation, "samples", seconds);
	put_resolution(test, "operation_resolution", resolution);
}

/* An operation of the script that is under way; its test's name may not be known yet. */
static void keep_operation(struct reader *reader, const struct mm_sql_bench_line *line)
{
	/* not an extrapolation, nor the time of something else than was asked */
	double seconds = line->estimated || reader->after_warning ? NAN : line->seconds;

	json_array_append_new(reader->pending, json_pack("[s, I, o, f]", line->name, (json_int_t)line->count,
							 mm_json_real(seconds), line->resolution));
}

/* The operations seen so far belong to the test whose end has come. */
static void flush_operations(struct reader *reader, const char *test)
{
	json_t *entry = mm_import_test(reader->target, test, "s", "lower"), *pending;
	size_t i;

	json_array_foreach(reader->pending, i, pending) {
		const char *name = json_string_value(json_array_get(pending, 0));
		const json_t *seconds = json_array_get(pending, 2);

		if (name != NULL)
			put_operation(entry, name, json_integer_value(json_array_get(pending, 1)),
				      json_is_number(seconds) ? json_number_value(seconds) : NAN,
				      json_number_value(json_array_get(pending, 3)));
	}
	json_array_clear(reader->pending);
}

/* How TEST ended: its whole time, or the reason that there is none. */
static void take_outcome(struct reader *reader, const char *test, const struct mm_sql_bench_line *line)
{
	put_test(reader, test, line->seconds, line->resolution, line->why);
	flush_operations(reader, test);
	reader->open = false;
}

/* A script that ends without its total died on the way. */
static void close_script(struct reader *reader)
{
	if (!reader->open || reader->test == NULL)
		return;
	put_test(reader, reader->test, NAN, 0, "the test failed: its output ends without a total time");
	flush_operations(reader, reader->test);
	reader->open = false;
}

/* A row of the totals: NAME seconds usr sys cpu tests marks; "+" is estimated, "?" a wrong result. */
static void read_total(struct reader *reader, const char *line)
{
	char name[64], marks[64] = "";
	double seconds, usr, sys, cpu;
	long long count;
	json_t *entry;

	if (sscanf(line, "%63s %lf %lf %lf %lf %lld %63s", name, &seconds, &usr, &sys, &cpu, &count, marks) < 6 ||
	    strcmp(name, "TOTALS") == 0 || !isfinite(seconds) || seconds < 0)
		return;
	entry = mm_import_test(reader->target, OPERATIONS_OF_ALL, "s", "lower");
	mm_import_skip(entry, "no test of its own: the operations, summed over the tests");
	put_operation(entry, name, count, strpbrk(marks, "+?") != NULL ? NAN : seconds, 1);
}

/* "TEST: outcome" of a RUN file. */
static void read_run_line(struct reader *reader, const char *line)
{
	const char *colon = strstr(line, ": ");
	struct mm_sql_bench_line outcome;
	char *test;

	if (begins(line, "totals per operation")) {
		reader->totals = true;
	} else if (reader->totals) {
		read_total(reader, line);
	} else if (begins(line, "server version:")) {
		line += strlen("server version:");
		mm_json_put_string(reader->target->result, "server_version", line + strspn(line, " "));
	} else if (colon != NULL && colon > line && strcspn(line, " ") > (size_t)(colon - line)) {
		test = mm_strndup(line, (size_t)(colon - line));
		mm_sql_bench_line_read(colon + 2, &outcome);
		if (outcome.kind == MM_SQL_BENCH_OUTCOME)
			take_outcome(reader, test, &outcome);
		mm_sql_bench_line_release(&outcome);
		free(test);
	}
}

static const char *script_by_headline(const char *line)
{
	for (int i = 0; i < SCRIPTS; i++)
		if (strstr(line, scripts[i][1]) != NULL)
			return scripts[i][0];
	return NULL;
}

/* output/ATIS-mysql-Linux_2.6: the name of the file begins with the test's. */
static const char *script_by_file(const char *path)
{
	const char *base = mm_path_base(path);

	base += begins(base, "test-") ? strlen("test-") : 0;
	for (int i = 0; i < SCRIPTS; i++) {
		size_t length = strlen(scripts[i][0]);

		if (strncmp(base, scripts[i][0], length) == 0 && !isalnum((unsigned char)base[length]))
			return scripts[i][0];
	}
	return NULL;
}

static void read_script_line(struct reader *reader, const char *text, bool headline)
{
	struct mm_sql_bench_line line;

	mm_sql_bench_line_read(text, &line);
	if (line.kind == MM_SQL_BENCH_BEGIN) { /* a further test begins, when outputs were put behind each other */
		close_script(reader);
		if (reader->found > 0)
			reader->test = NULL;
	} else if (headline && text[0] != '\0' && reader->test == NULL) {
		reader->test = script_by_headline(text);
		reader->open = reader->test != NULL;
	} else if (line.kind == MM_SQL_BENCH_OPERATION) {
		keep_operation(reader, &line);
		reader->open = true;
	} else if (line.kind == MM_SQL_BENCH_OUTCOME && reader->test != NULL) {
		take_outcome(reader, reader->test, &line);
	}
	reader->after_warning = line.kind == MM_SQL_BENCH_WARNING;
	mm_sql_bench_line_release(&line);
}

int mm_import_sql_bench(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err)
{
	struct reader reader = {
		.target = target, .file = name, .test = script_by_file(name), .pending = json_array()
	};
	bool headline = true;
	char *line;

	while ((line = mm_import_line(&text)) != NULL) {
		if (begins(line, "benchmark dbd suite:"))
			reader.run_file = true;
		if (reader.run_file)
			read_run_line(&reader, line);
		else
			read_script_line(&reader, line, headline);
		headline = line[0] == '\0' ? headline : begins(line, "testing server ");
		free(line);
	}
	if (!reader.run_file)
		close_script(&reader);
	json_decref(reader.pending);
	if (reader.found == 0)
		return mm_error_set(
			err, MM_EMATRIX,
			"'%s': not the output of an sql-bench test nor a RUN file: no 'Total time:' of a known test "
			"stands there; a script's output is known by its headline or by a name such as "
			"'ATIS-mysql-…'",
			name);
	return 0;
}
