/*
 * The real sysbench, 1.0 or later: prepare, warm-up, a run for each number of threads, cleanup. Its text is kept in the
 * pass; each number of threads is a test.
 */
#include <math.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/connections.h"
#include "runners/program.h"
#include "runners/ready.h"
#include "runners/suites.h"
#include "runners/sysbench-output.h"

enum {
	SEED = 1, /* of sysbench's random numbers: data and queries are the same for every cell and pass */
	WARM_LEAST_SECONDS = 1,
	WARM_MOST_SECONDS = 10,
};

/* What is asked for when a spec does not say. */
struct preset {
	const char *name; /* NULL: none */
	const char *script, *engine;
	int threads[8]; /* ended by 0 */
	int64_t time, events, table_size;
	int64_t size_divisor; /* runs use only the first table_size / size_divisor rows */
};

static const struct preset presets[] = {
	/* the settings of the published figures: far more rows are prepared than are ever asked for */
	{ "published", "oltp_read_only", "MyISAM", { 16 }, 0, 100000, 1000000, 100 },
	{ "sweep", "oltp_read_only", NULL, { 1, 2, 4, 8, 16, 32 }, 60, 0, 100000, 1 },
	{ NULL, "oltp_read_only", NULL, { 1 }, 60, 0, 100000, 1 },
};

/* A spec with its gaps filled. */
struct settings {
	const char *script, *engine; /* engine NULL: the server's choice */
	const int *threads;
	size_t thread_count;
	int64_t time, events, table_size, run_size;
	int tables;
	bool sized; /* a size was asked for, not just assumed */
};

static const struct preset *preset_of(const struct mm_suite_spec *spec)
{
	const struct preset *preset = presets;

	while (preset->name != NULL && (spec->preset == NULL || strcmp(preset->name, spec->preset) != 0))
		preset++;
	return preset;
}

static void settle(const struct mm_suite_spec *spec, struct settings *settings)
{
	const struct preset *preset = preset_of(spec);
	bool by_time = spec->time_seconds > 0, by_events = spec->events > 0;

	*settings = (struct settings){
		.script = spec->script != NULL ? spec->script : preset->script,
		.engine = mm_ready_is_default(spec->engine) ? preset->engine : spec->engine,
		.threads = spec->thread_count > 0 ? spec->threads : preset->threads,
		.thread_count = spec->thread_count,
		.time = by_time || by_events ? spec->time_seconds : preset->time,
		.events = by_time || by_events ? spec->events : preset->events,
		.table_size = spec->table_size > 0 ? spec->table_size : preset->table_size,
		.tables = spec->tables > 0 ? spec->tables : 1,
		.sized = spec->table_size > 0 || preset->size_divisor > 1,
	};
	while (spec->thread_count == 0 && settings->threads[settings->thread_count] != 0)
		settings->thread_count++;
	settings->run_size = settings->table_size / preset->size_divisor;
	if (settings->run_size == 0)
		settings->run_size = 1;
}

/* Check */

static int check_version(struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	const char *version;
	int rc;

	mm_strings_push(&argv, "sysbench");
	mm_strings_push(&argv, "--version");
	rc = mm_program_ask(&argv, &output, &result, err);
	version = strstr(mm_buffer_text(&output), "sysbench ");
	if (rc == 0 && (version == NULL || result.exit_status != 0))
		rc = mm_error_set(err, MM_EENV,
				  "the program 'sysbench' on PATH does not say its version: install sysbench 1.0");
	else if (rc == 0 && strtol(version + strlen("sysbench "), NULL, 10) < 1)
		rc = mm_error_set(err, MM_EENV, "'%.*s' is too old: install sysbench 1.0 or later",
				  (int)strcspn(version, "\r\n:"), version);
	mm_strings_release(&argv);
	mm_buffer_release(&output);
	return rc;
}

/* What the script says of itself goes to HELP: its options, one a line. A script need not say anything. */
static int ask_script(const char *script, struct mm_buffer *help, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_process_result result;
	const char *fatal;
	int rc;

	mm_strings_push(&argv, "sysbench");
	mm_strings_push(&argv, script);
	mm_strings_push(&argv, "help");
	rc = mm_program_ask(&argv, help, &result, err);
	fatal = strstr(mm_buffer_text(help), "FATAL:");
	if (rc == 0 && fatal != NULL)
		rc = mm_error_set(err, MM_EMATRIX, "sysbench cannot load the script '%s': %.*s", script,
				  (int)strcspn(fatal, "\r\n"), fatal);
	mm_strings_release(&argv);
	return rc;
}

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	struct mm_buffer help = MM_BUFFER_INIT;
	struct settings settings;
	char *program = mm_fs_find_program("sysbench");
	int rc = 0;

	if (program == NULL)
		rc = mm_error_set(err, MM_EENV,
				  "the program 'sysbench' 1.0 or later is needed and not on PATH: install it (on Debian "
				  "the package 'sysbench')");
	free(program);
	settle(spec, &settings);
	if (rc == 0 && settings.engine != NULL)
		rc = mm_ready_check_name(settings.engine, err);
	if (rc == 0)
		rc = check_version(err);
	if (rc == 0)
		rc = ask_script(settings.script, &help, err);
	mm_buffer_release(&help);
	return rc;
}

/* Run */

struct session {
	struct mm_suite_run *run;
	struct settings settings;
	struct mm_buffer help; /* the script's options */
	char *engine;          /* the one that prepare is told; NULL: none */
	MYSQL *mysql;
	struct mm_error *err;
};

/* Does the script know the option NAME? Both spellings of its words are in use. */
static bool knows(const struct session *session, const char *name)
{
	char *dashes = mm_format("--%s=", name), *under = mm_strdup(dashes);
	bool known;

	for (char *c = under + 2; *c != '\0'; c++)
		if (*c == '-')
			*c = '_';
	known = strstr(mm_buffer_text(&session->help), dashes) != NULL ||
		strstr(mm_buffer_text(&session->help), under) != NULL;
	free(dashes);
	free(under);
	return known;
}

static void push_size(const struct session *session, struct mm_strings *argv, int64_t rows)
{
	const struct settings *settings = &session->settings;

	/* what was asked for is passed even to a script that does not list it: it is for sysbench to refuse */
	if (settings->sized || knows(session, "table-size"))
		mm_strings_pushf(argv, "--table-size=%lld", (long long)rows);
	if (session->run->spec->tables > 0 || knows(session, "tables"))
		mm_strings_pushf(argv, "--tables=%d", settings->tables);
	if (session->engine != NULL && (settings->engine != NULL || knows(session, "mysql-storage-engine")))
		mm_strings_pushf(argv, "--mysql-storage-engine=%s", session->engine);
}

static void begin_program(const struct session *session, struct mm_program *program, const char *what, int64_t rows)
{
	struct mm_strings *argv = &program->argv;

	*program = (struct mm_program){ .what = what };
	mm_strings_push(argv, "sysbench");
	mm_strings_push(argv, session->settings.script);
	mm_strings_push(argv, "--db-driver=mysql");
	mm_strings_pushf(argv, "--mysql-socket=%s", session->run->server->socket);
	mm_strings_push(argv, "--mysql-user=root");
	mm_strings_push(argv, "--mysql-password=");
	mm_strings_push(argv, "--mysql-db=sbtest");
	mm_strings_pushf(argv, "--rand-seed=%d", SEED);
	push_size(session, argv, rows);
	mm_strings_extend(argv, &session->run->spec->options);
}

/* A script need not have the command. */
static bool lacks_command(const struct mm_program *program)
{
	const char *both[] = { mm_buffer_text(&program->output), mm_buffer_text(&program->errors) };

	for (int i = 0; i < 2; i++)
		if (strstr(both[i], "does not implement the") != NULL || strstr(both[i], "Unknown command:") != NULL)
			return true;
	return false;
}

/* "prepare", "warmup", "cleanup". *THERE: the script has it. */
static int run_command(struct session *session, const char *command, bool *there)
{
	json_t *outputs;
	struct mm_program program;
	int rc;

	begin_program(session, &program, command, session->settings.table_size);
	mm_strings_push(&program.argv, command);
	rc = mm_program_run(session->run, &program, session->err);
	*there = rc == 0 && !lacks_command(&program);
	if (rc == 0 && !*there) { /* nothing happened, nothing is kept */
		outputs = json_object_get(session->run->pass->extra, "outputs");
		(void)json_array_remove(outputs, json_array_size(outputs) - 1);
	} else if (rc == 0 && !mm_program_ended_well(&program)) {
		rc = mm_program_failed(session->run, &program, session->err);
	}
	mm_program_release(&program);
	return rc;
}

/* Adds what makes a run of THREADS clients for TIME seconds (0: by events) or EVENTS. */
static void push_run(struct mm_program *program, int threads, int64_t time, int64_t events)
{
	mm_strings_pushf(&program->argv, "--threads=%d", threads);
	mm_strings_pushf(&program->argv, "--time=%lld", (long long)time);
	mm_strings_pushf(&program->argv, "--events=%lld", (long long)events);
	mm_strings_push(&program->argv, "run");
}

/* A script without a warm-up of its own gets a short run that does not count. */
static int warm_up(struct session *session)
{
	const struct settings *settings = &session->settings;
	int64_t time = settings->time / 10;
	struct mm_program program;
	bool there;
	int rc = run_command(session, "warmup", &there);

	if (rc == 0 && !there) /* its name in 1.0 */
		rc = run_command(session, "prewarm", &there);
	if (rc != 0 || there)
		return rc;
	time = time < WARM_LEAST_SECONDS ? WARM_LEAST_SECONDS : time > WARM_MOST_SECONDS ? WARM_MOST_SECONDS : time;
	begin_program(session, &program, "warm-up run", settings->run_size);
	push_run(&program, settings->threads[0], time, settings->events / 10);
	rc = mm_program_run(session->run, &program, session->err);
	if (rc == 0 && !mm_program_ended_well(&program))
		rc = mm_program_failed(session->run, &program, session->err);
	mm_program_release(&program);
	return rc;
}

static void put_figures(struct mm_test_sample *test, const struct mm_sysbench_output *output)
{
	test->extra = json_object();
	mm_json_put_real(test->extra, "events_per_second", output->events_per_second);
	mm_json_put_real(test->extra, "queries_per_second", output->queries_per_second);
	mm_json_put_real(test->extra, "events", output->events);
	mm_json_put_real(test->extra, "seconds", output->seconds);
	mm_json_put_real(test->extra, "latency_min_ms", output->latency_min_ms);
	mm_json_put_real(test->extra, "latency_avg_ms", output->latency_avg_ms);
	mm_json_put_real(test->extra, "latency_max_ms", output->latency_max_ms);
	if (output->percentile > 0) {
		char key[32];

		snprintf(key, sizeof(key), "latency_p%d_ms", output->percentile);
		mm_json_put_real(test->extra, key, output->latency_percentile_ms);
	}
	mm_json_put_real(test->extra, "errors", output->errors);
	mm_json_put_real(test->extra, "reconnects", output->reconnects);
	if (isfinite(output->queries))
		test->statements = (uint64_t)output->queries;
}

/* The figures of a run that ended, or why it has none. */
static int judge(struct session *session, const struct mm_program *program, struct mm_test_sample *test)
{
	struct mm_sysbench_output output;
	bool transactions;
	int rc = 0;

	mm_sysbench_output_read(mm_buffer_text(&program->output), &output);
	transactions = isfinite(output.transactions_per_second);
	if (!mm_program_ended_well(program) || output.fatal != NULL) {
		rc = mm_program_failed(session->run, program, session->err);
	} else if (!(output.events_per_second > 0) || !(output.queries > 0)) {
		rc = mm_error_set(session->err, MM_ECELL,
				  "sysbench ran '%s' (%s) and counted no %s: is it a script that queries a database?",
				  session->settings.script, program->what,
				  output.events_per_second > 0 ? "queries" : "events");
	} else {
		/* the same figure and name that an import of sysbench's text has */
		test->unit = transactions ? "transactions/s" : "events/s";
		test->higher_is_better = true;
		test->value = transactions ? output.transactions_per_second : output.events_per_second;
		put_figures(test, &output);
	}
	mm_sysbench_output_release(&output);
	return rc;
}

static int run_threads(struct session *session, int threads)
{
	const struct settings *settings = &session->settings;
	char *name = mm_format("%d thread%s", threads, threads == 1 ? "" : "s");
	struct mm_test_sample *test = mm_pass_add_test(session->run->pass, name);
	struct mm_measure measure;
	struct mm_program program;
	int rc = 0;

	test->skipped = mm_connections_lack(session->mysql, (unsigned)threads);
	if (test->skipped == NULL) {
		begin_program(session, &program, name, settings->run_size);
		push_run(&program, threads, settings->time, settings->events);
		mm_measure_begin(&measure, session->run->server);
		rc = mm_program_run(session->run, &program, session->err);
		mm_measure_end(&measure, session->run->server, test);
		if (rc == 0)
			rc = judge(session, &program, test);
		mm_program_release(&program);
	}
	free(name);
	return rc;
}

/* Which engine sysbench is told: its own default, "innodb", would not be the server's. */
static void choose_engine(struct session *session)
{
	const struct mm_pass *pass = session->run->pass;

	session->engine = mm_strdup(session->settings.engine != NULL ? session->settings.engine : pass->engine);
}

static int open_session(struct session *session)
{
	int rc = mm_server_connect(session->run->server, &session->mysql, session->err);

	if (rc != 0)
		return rc;
	choose_engine(session);
	if (mysql_query(session->mysql, "create database if not exists sbtest") != 0 ||
	    mysql_select_db(session->mysql, "sbtest") != 0)
		return mm_error_set(session->err, mm_server_blame(mysql_errno(session->mysql)),
				    "cannot create the database 'sbtest': %s", mysql_error(session->mysql));
	return ask_script(session->settings.script, &session->help, session->err);
}

/* The engine that the tables really have. */
static int read_engine(struct session *session)
{
	const char *asked = session->settings.engine;
	char *engine = mm_ready_engine_of(session->mysql, "sbtest%");

	if (engine == NULL) /* a script without tables, or of other names */
		return 0;
	free(session->run->pass->engine);
	session->run->pass->engine = engine;
	if (asked == NULL || strcasecmp(asked, engine) == 0)
		return 0;
	return mm_error_set(session->err, MM_ECELL,
			    "sysbench's tables have engine '%s', not '%s': name an engine that the server has", engine,
			    asked);
}

static void put_version(struct mm_pass *pass, const struct mm_buffer *help)
{
	const char *text = strstr(mm_buffer_text(help), "sysbench ");

	if (text == NULL)
		return;
	free(pass->client_version);
	pass->client_version = mm_strndup(text, strcspn(text, "\r\n"));
}

static int run(struct mm_suite_run *run, struct mm_error *err)
{
	struct session session = { .run = run, .err = err };
	bool there;
	int rc;

	settle(run->spec, &session.settings);
	rc = open_session(&session);
	put_version(run->pass, &session.help);
	if (rc == 0)
		rc = run_command(&session, "prepare", &there);
	if (rc == 0)
		rc = read_engine(&session);
	if (rc == 0)
		rc = warm_up(&session);
	for (size_t i = 0; rc == 0 && i < session.settings.thread_count; i++)
		rc = run_threads(&session, session.settings.threads[i]);
	if (rc == 0)
		rc = run_command(&session, "cleanup", &there);
	if (session.mysql != NULL)
		mysql_close(session.mysql);
	mm_buffer_release(&session.help);
	free(session.engine);
	return rc;
}

static json_t *describe(const struct mm_suite_spec *spec)
{
	json_t *description = json_object(), *list = json_array();
	struct settings settings;

	settle(spec, &settings);
	mm_json_put_string(description, "suite", "sysbench");
	mm_json_put_string(description, "script", settings.script);
	mm_json_put_string(description, "engine", settings.engine != NULL ? settings.engine : "default");
	mm_json_put_integer(description, "tables", settings.tables);
	mm_json_put_integer(description, "table_size", settings.table_size);
	mm_json_put_integer(description, "rows_used", settings.run_size);
	mm_json_put_integer(description, "time", settings.time);
	mm_json_put_integer(description, "events", settings.events);
	mm_json_put_string(description, "unit", "transactions/s");
	for (size_t i = 0; i < settings.thread_count; i++) {
		json_t *test = json_object();
		char *name = mm_format("%d thread%s", settings.threads[i], settings.threads[i] == 1 ? "" : "s");

		mm_json_put_string(test, "test", name);
		if (settings.events > 0) /* else the time decides */
			mm_json_put_integer(test, "total", settings.events);
		json_array_append_new(list, test);
		free(name);
	}
	json_object_set_new(description, "tests", list);
	return description;
}

const struct mm_suite mm_suite_sysbench = {
	.name = "sysbench",
	.check = check,
	.run = run,
	.describe = describe,
};
