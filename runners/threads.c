/*
 * Queries from a growing number of clients, so that a curve comes out. For each mix: its tables are made, every query
 * is asked a few times by one client, which warms the server up and gives the checksum of its answers, and then comes a
 * run for each number of clients. Each is a test.
 */
#include <math.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/answers.h"
#include "runners/closed-loop.h"
#include "runners/connections.h"
#include "runners/ledger.h"
#include "runners/ready.h"
#include "runners/suites.h"

#define DATABASE "mymatrix"

enum {
	DEFAULT_SECONDS = 10,
	ASKED_EACH = 8,           /* times that each query is asked for the checksum */
	INSERT_BYTES = 256 << 10, /* fits into max_allowed_packet of every server */
};

static const int default_threads[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const char *const builtin[] = { "heavy", "light" };

/* Mixes of a spec: one, or both built-in ones. */
static size_t mix_count(const struct mm_suite_spec *spec)
{
	return spec->script != NULL || spec->mix != NULL ? 1 : sizeof(builtin) / sizeof(builtin[0]);
}

static int load_mix(const struct mm_suite_spec *spec, size_t which, struct mm_mix *mix, struct mm_error *err)
{
	if (spec->script != NULL)
		return mm_mix_load(spec->script, mix, err);
	return mm_mix_builtin(spec->mix != NULL ? spec->mix : builtin[which], mix, err);
}

static size_t thread_count(const struct mm_suite_spec *spec)
{
	return spec->thread_count > 0 ? spec->thread_count : sizeof(default_threads) / sizeof(default_threads[0]);
}

static int threads_of(const struct mm_suite_spec *spec, size_t which)
{
	return spec->thread_count > 0 ? spec->threads[which] : default_threads[which];
}

static char *test_name(const struct mm_mix *mix, int threads)
{
	return mm_format("%s %d thread%s", mix->name, threads, threads == 1 ? "" : "s");
}

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	int rc = mm_ready_is_default(spec->engine) ? 0 : mm_ready_check_name(spec->engine, err);

	for (size_t i = 0; rc == 0 && i < mix_count(spec); i++) {
		struct mm_mix mix;

		rc = load_mix(spec, i, &mix, err);
		mm_mix_release(&mix);
	}
	return rc;
}

/* Run */

struct session {
	struct mm_suite_run *run;
	struct mm_mix mix;
	struct mm_mix_size size;
	MYSQL *mysql;
	uint64_t *checksums;     /* of each query's answers */
	struct mm_strings asked; /* the first statement of each */
	json_t *difference;      /* the first statement that was answered otherwise than in the run's first pass */
	struct mm_error *err;
};

static int do_statement(const struct session *session, const char *statement)
{
	if (mysql_query(session->mysql, statement) == 0)
		return 0;
	return mm_error_set(session->err, mm_server_blame(mysql_errno(session->mysql)), "mix '%s': '%.160s': %s (%u)",
			    session->mix.name, statement, mysql_error(session->mysql), mysql_errno(session->mysql));
}

static int fill_table(const struct session *session, int64_t table)
{
	struct mm_buffer statement = MM_BUFFER_INIT;
	int64_t row = 1;
	int rc = 0;

	while (rc == 0 && row <= session->size.rows) {
		mm_buffer_reset(&statement);
		row = mm_mix_insert(&session->mix, &session->size, table, row, INSERT_BYTES, &statement);
		rc = do_statement(session, mm_buffer_text(&statement));
	}
	mm_buffer_release(&statement);
	return rc;
}

static int make_table(const struct session *session, int64_t table)
{
	const char *engine = session->run->spec->engine;
	char *clause = mm_ready_is_default(engine) ? mm_strdup("") : mm_format(" engine=%s", engine);
	struct mm_buffer statement = MM_BUFFER_INIT;
	int rc;

	mm_mix_create(&session->mix, table, clause, &statement);
	rc = do_statement(session, mm_buffer_text(&statement));
	if (rc == 0)
		rc = fill_table(session, table);
	mm_buffer_release(&statement);
	free(clause);
	return rc;
}

/* The statistics of the optimizer, for all tables in the same way. */
static void analyze(const struct session *session, int64_t table)
{
	char *statement = mm_format("analyze table %s%lld", session->mix.table, (long long)table);
	uint64_t ignored = 0;

	(void)mm_answers_add(session->mysql, statement, &ignored, NULL);
	free(statement);
}

static int make_tables(struct session *session)
{
	struct mm_pass *pass = session->run->pass;
	char *pattern = mm_format("%s1", session->mix.table);
	int rc = do_statement(session, "drop database if exists " DATABASE);

	if (rc == 0)
		rc = do_statement(session, "create database " DATABASE);
	if (rc == 0)
		rc = do_statement(session, "use " DATABASE);
	for (int64_t table = 1; rc == 0 && table <= session->size.tables; table++) {
		rc = make_table(session, table);
		if (rc == 0)
			analyze(session, table);
	}
	if (rc == 0) {
		free(pass->engine);
		pass->engine = mm_ready_engine_of(session->mysql, pattern);
	}
	free(pattern);
	return rc;
}

/* Of all answers of the first phase; zero would mean "not computed". */
static uint64_t mix_checksum(const struct session *session)
{
	uint64_t checksum = 0;

	for (size_t i = 0; i < session->mix.query_count; i++)
		checksum = (checksum * 31 + session->checksums[i]) | 1;
	return checksum;
}

static int ask(struct session *session, size_t query, const struct mm_buffer *statement, struct mm_ledger *ledger)
{
	const char *text = mm_buffer_text(statement), *name = session->mix.queries[query].name;
	uint64_t *checksum = &session->checksums[query];

	if (mm_answers_add(session->mysql, text, checksum, NULL) != 0)
		return mm_error_set(session->err, mm_server_blame(mysql_errno(session->mysql)),
				    "mix '%s', query '%s': '%.160s': %s (%u)", session->mix.name, name, text,
				    mysql_error(session->mysql), mysql_errno(session->mysql));
	/* the chained checksum differs from the first answer on that does */
	if (mm_ledger_add(ledger, *checksum))
		mm_ledger_name(ledger, name, text, statement->length);
	return 0;
}

/* Correctness before timing: every query a few times, with the same values for every cell. */
static int ask_all(struct session *session)
{
	const struct mm_suite_run *run = session->run;
	struct mm_buffer statement = MM_BUFFER_INIT;
	struct mm_ledger ledger;
	int rc = 0;

	session->checksums = mm_calloc(session->mix.query_count, sizeof(*session->checksums));
	mm_ledger_begin(&ledger, run->server->place->ledgers, run->spec->name, session->mix.name);
	for (size_t i = 0; rc == 0 && i < session->mix.query_count * ASKED_EACH; i++) {
		size_t query = i / ASKED_EACH;
		struct mm_mix_random random = mm_mix_random_of(0, i + 1);

		mm_mix_statement(&session->mix, &session->size, query, &random, &statement);
		if (i % ASKED_EACH == 0)
			mm_strings_push(&session->asked, mm_buffer_text(&statement));
		rc = ask(session, query, &statement, &ledger);
	}
	if (rc == 0)
		rc = mm_ledger_end(&ledger, mix_checksum(session), &session->difference, session->err);
	mm_ledger_release(&ledger);
	mm_buffer_release(&statement);
	return rc;
}

static void put_milliseconds(json_t *object, const char *key, double ns)
{
	mm_json_put_real(object, key, ns / 1e6);
}

static void put_latency(json_t *extra, const struct mm_histogram *latency)
{
	static const struct {
		const char *key;
		double percent;
	} columns[] = { { "latency_p50_ms", 50 },
			{ "latency_p90_ms", 90 },
			{ "latency_p95_ms", 95 },
			{ "latency_p99_ms", 99 },
			{ "latency_p99.9_ms", 99.9 } };

	put_milliseconds(extra, "latency_min_ms", (double)latency->least);
	put_milliseconds(extra, "latency_avg_ms", mm_histogram_mean(latency));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put_milliseconds(extra, columns[i].key, (double)mm_histogram_percentile(latency, columns[i].percent));
	put_milliseconds(extra, "latency_max_ms", (double)latency->most);
}

/* As sql-bench's operations: where answers differ, a report can say in which. */
static json_t *query_json(const struct mm_loop_query *query, uint64_t checksum, const char *asked)
{
	json_t *object = json_object();
	char hex[17];

	mm_json_put_integer(object, "count", (int64_t)query->count);
	put_milliseconds(object, "latency_avg_ms", query->count == 0 ? NAN : (double)query->ns / (double)query->count);
	snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)checksum);
	mm_json_put_string(object, "checksum", hex);
	mm_json_put_string(object, "first_statement", asked);
	return object;
}

static void put_figures(const struct session *session, const struct mm_loop_result *result, struct mm_test_sample *test)
{
	json_t *queries = json_object();
	double seconds = (double)result->span_ns / 1e9;

	test->unit = "queries/s";
	test->higher_is_better = true;
	test->value = seconds > 0 ? (double)result->latency.count / seconds : NAN;
	test->statements = result->latency.count;
	test->rows = result->rows;
	test->extra = json_object();
	mm_json_put_real(test->extra, "seconds", seconds);
	mm_json_put_integer(test->extra, "errors", (int64_t)result->errors);
	put_latency(test->extra, &result->latency);
	test->checksum = mix_checksum(session);
	for (size_t i = 0; i < session->mix.query_count; i++)
		json_object_set_new(queries, session->mix.queries[i].name,
				    query_json(&result->queries[i], session->checksums[i], session->asked.items[i]));
	json_object_set_new(test->extra, "operations", queries);
	if (session->difference != NULL)
		json_object_set(test->extra, "first_difference", session->difference);
}

static int run_loop(struct session *session, unsigned clients, struct mm_test_sample *test)
{
	const struct mm_suite_spec *spec = session->run->spec;
	struct mm_loop_spec loop_spec = {
		.server = session->run->server,
		.mix = &session->mix,
		.size = &session->size,
		.database = DATABASE,
		.clients = clients,
		.time_ns = (uint64_t)spec->time_seconds * UINT64_C(1000000000),
		.events = (uint64_t)spec->events,
	};
	struct mm_loop_result result = { 0 };
	struct mm_measure measure;
	struct mm_loop *loop;
	int rc;

	if (loop_spec.time_ns == 0 && loop_spec.events == 0)
		loop_spec.time_ns = DEFAULT_SECONDS * UINT64_C(1000000000);
	rc = mm_loop_open(&loop_spec, &loop, session->err);
	if (rc != 0)
		return rc;
	mm_measure_begin(&measure, session->run->server);
	rc = mm_loop_run(loop, &result, session->err);
	if (rc == 0)
		put_figures(session, &result, test);
	mm_measure_end(&measure, session->run->server, test);
	mm_loop_result_release(&result);
	mm_loop_close(loop);
	return rc;
}

static int run_threads(struct session *session, int threads)
{
	char *name = test_name(&session->mix, threads);
	struct mm_test_sample *test = mm_pass_add_test(session->run->pass, name);
	int rc = 0;

	free(name);
	test->skipped = mm_connections_lack(session->mysql, (unsigned)threads);
	if (test->skipped == NULL)
		rc = run_loop(session, (unsigned)threads, test);
	return rc;
}

static int run_mix(struct session *session)
{
	const struct mm_suite_spec *spec = session->run->spec;
	int rc;

	session->size.rows = spec->table_size > 0 ? spec->table_size : session->mix.rows;
	session->size.tables = spec->tables > 0 ? spec->tables : 1;
	rc = make_tables(session);
	if (rc == 0)
		rc = ask_all(session);
	for (size_t i = 0; rc == 0 && i < thread_count(spec); i++)
		rc = run_threads(session, threads_of(spec, i));
	return rc;
}

static int run(struct mm_suite_run *run, struct mm_error *err)
{
	struct session session = { .run = run, .err = err };
	int rc = mm_server_connect(run->server, &session.mysql, err);

	for (size_t i = 0; rc == 0 && i < mix_count(run->spec); i++) {
		rc = load_mix(run->spec, i, &session.mix, err);
		if (rc == 0)
			rc = run_mix(&session);
		mm_mix_release(&session.mix);
		mm_strings_release(&session.asked);
		json_decref(session.difference);
		free(session.checksums);
		session.checksums = NULL;
		session.difference = NULL;
	}
	if (session.mysql != NULL)
		mysql_close(session.mysql);
	return rc;
}

static void describe_mix(const struct mm_suite_spec *spec, const struct mm_mix *mix, json_t *tests, json_t *mixes)
{
	json_t *weights = json_object(), *entry = json_object();

	for (size_t i = 0; i < mix->query_count; i++)
		mm_json_put_integer(weights, mix->queries[i].name, mix->queries[i].weight);
	mm_json_put_string(entry, "mix", mix->name);
	mm_json_put_integer(entry, "rows", spec->table_size > 0 ? spec->table_size : mix->rows);
	json_object_set_new(entry, "weights", weights);
	json_array_append_new(mixes, entry);
	for (size_t i = 0; i < thread_count(spec); i++) {
		char *name = test_name(mix, threads_of(spec, i));
		json_t *test = json_object();

		mm_json_put_string(test, "test", name);
		if (spec->events > 0) /* else the time decides */
			mm_json_put_integer(test, "total", spec->events);
		json_array_append_new(tests, test);
		free(name);
	}
}

static json_t *describe(const struct mm_suite_spec *spec)
{
	json_t *description = json_object(), *tests = json_array(), *mixes = json_array();

	for (size_t i = 0; i < mix_count(spec); i++) {
		struct mm_mix mix;

		if (load_mix(spec, i, &mix, NULL) == 0)
			describe_mix(spec, &mix, tests, mixes);
		mm_mix_release(&mix);
	}
	mm_json_put_string(description, "suite", "threads");
	mm_json_put_string(description, "unit", "queries/s");
	mm_json_put_integer(description, "time",
			    spec->time_seconds == 0 && spec->events == 0 ? DEFAULT_SECONDS : spec->time_seconds);
	mm_json_put_integer(description, "events", spec->events);
	json_object_set_new(description, "mixes", mixes);
	json_object_set_new(description, "tests", tests);
	return description;
}

const struct mm_suite mm_suite_threads = {
	.name = "threads",
	.check = check,
	.run = run,
	.describe = describe,
};
