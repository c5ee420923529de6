/* The suite: which tests there are, in upstream's order; checking, running and describing them. */
#include "runners/sql-bench/sql-bench.h"

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "runners/sql-bench/session.h"

enum { TESTS = 9 };

static const struct mm_sb_test *const tests[TESTS] = {
	&mm_sb_atis,   &mm_sb_alter_table, &mm_sb_big_tables,   &mm_sb_connect_test, &mm_sb_create,
	&mm_sb_insert, &mm_sb_select,      &mm_sb_transactions, &mm_sb_wisconsin,
};

static bool is_selected(const struct mm_suite_spec *spec, const char *test)
{
	return spec->tests.count == 0 || mm_strings_contain(&spec->tests, test);
}

static bool names_no_engine(const struct mm_suite_spec *spec)
{
	return !spec->engine || strcmp(spec->engine, "default") == 0;
}

/* Dry run */

/* Runs one test against nobody: its operations, counts and statements, from the same code that runs. */
static void dry_run(const struct mm_suite_spec *spec, const struct mm_sb_edition *edition,
		    const struct mm_sb_test *test, struct mm_test_sample *sample)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sb_session session = {
		.edition = edition,
		.spec = spec,
		.dry = true,
		/* Which engine the server chooses is known only when it runs: what can be done is described. */
		.transactional = true,
		.test = sample,
		.clause = "",
		.err = &err,
	};

	sample->statements = sample->rows = sample->checksum = 0;
	test->run(&session);
	mm_sb_session_release(&session);
}

static json_t *describe_test(const struct mm_test_sample *sample, const struct mm_sb_test *test)
{
	json_t *entry = json_object(), *operations = json_object();
	json_int_t total = 0;

	for (size_t i = 0; i < sample->operation_count; i++) {
		json_object_set_new(operations, sample->operations[i].name,
				    json_integer((json_int_t)sample->operations[i].count));
		total += (json_int_t)sample->operations[i].count;
	}
	json_object_set_new(entry, "test", json_string(test->name));
	json_object_set_new(entry, "total", json_integer(total));
	json_object_set_new(entry, "statements", json_integer((json_int_t)sample->statements));
	json_object_set_new(entry, "operations", operations);
	return entry;
}

static json_t *describe(const struct mm_suite_spec *spec)
{
	const struct mm_sb_edition *edition = mm_sb_edition_find(spec->edition);
	json_t *description, *list;
	struct mm_pass pass;

	if (!edition)
		return json_object();
	mm_pass_init(&pass);
	list = json_array();
	for (size_t i = 0; i < TESTS; i++) {
		struct mm_test_sample *sample;

		if (!is_selected(spec, tests[i]->name))
			continue;
		sample = mm_pass_add_test(&pass, tests[i]->name);
		dry_run(spec, edition, tests[i], sample);
		json_array_append_new(list, describe_test(sample, tests[i]));
	}
	mm_pass_release(&pass);
	description = json_object();
	json_object_set_new(description, "suite", json_string("sql-bench"));
	json_object_set_new(description, "edition", json_string(edition->name));
	json_object_set_new(description, "scale", json_real(spec->scale));
	json_object_set_new(description, "unit", json_string("s"));
	json_object_set_new(description, "tests", list);
	return description;
}

/* Check */

static size_t smallest(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* Edits that make B out of A (Levenshtein), for names of up to 63 bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], length = strlen(b);

	if (strlen(a) >= 64 || length >= 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t above = row[j];

			row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

/* Every name of WANTED must be one of KNOWN. */
static int check_names(const struct mm_strings *wanted, const struct mm_strings *known, const char *what,
		       struct mm_error *err)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const char *nearest = NULL;
		size_t least = SIZE_MAX;

		if (mm_strings_contain(known, wanted->items[i]))
			continue;
		for (size_t k = 0; k < known->count; k++) {
			size_t edits = distance(wanted->items[i], known->items[k]);

			if (edits < least) {
				least = edits;
				nearest = known->items[k];
			}
		}
		return mm_error_set(err, MM_EMATRIX, "sql-bench has no %s '%.80s'%s%s%s", what, wanted->items[i],
				    nearest ? ", the nearest name is '" : "", nearest ? nearest : "",
				    nearest ? "'" : "");
	}
	return 0;
}

/* The operations of the selected tests. */
static void known_operations(const struct mm_suite_spec *spec, const struct mm_sb_edition *edition,
			     struct mm_strings *names)
{
	struct mm_suite_spec all = *spec;
	struct mm_pass pass;

	/* At a small scale every operation is still there, and a dry run takes no time. */
	all.scale = 1e-9;
	all.operations = (struct mm_strings)MM_STRINGS_INIT;
	mm_pass_init(&pass);
	for (size_t i = 0; i < TESTS; i++) {
		struct mm_test_sample *sample;

		if (!is_selected(spec, tests[i]->name))
			continue;
		sample = mm_pass_add_test(&pass, tests[i]->name);
		dry_run(&all, edition, tests[i], sample);
		for (size_t o = 0; o < sample->operation_count; o++)
			if (!mm_strings_contain(names, sample->operations[o].name))
				mm_strings_push(names, sample->operations[o].name);
	}
	mm_pass_release(&pass);
}

static int check_engine(const char *engine, struct mm_error *err)
{
	/* It becomes part of statements. */
	if (strspn(engine, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(engine) ||
	    !*engine || strlen(engine) > 64)
		return mm_error_set(err, MM_EMATRIX,
				    "'%.80s' is not the name of an engine, which is a word such as InnoDB, or "
				    "\"default\"",
				    engine);
	return 0;
}

/* "script" names a folder of upstream's whose rows are inserted instead of our own. */
static int check_data(const char *folder, struct mm_error *err)
{
	static const char *const folders[] = { "Data/ATIS", "Data/Wisconsin" };
	int code = 0;

	for (size_t i = 0; i < 2 && !code; i++) {
		char *path = mm_path_join(folder, folders[i]);

		if (!mm_fs_is_folder(path))
			code = mm_error_set(err, MM_EENV,
					    "there is no folder '%s': \"script\" of sql-bench is the folder of an "
					    "sql-bench whose rows shall be inserted",
					    path);
		free(path);
	}
	return code;
}

static int check(const struct mm_suite_spec *spec, struct mm_error *err)
{
	const struct mm_sb_edition *edition = mm_sb_edition_find(spec->edition);
	struct mm_strings names = MM_STRINGS_INIT;
	int code;

	if (!edition) {
		for (edition = mm_sb_editions(); edition->name; edition++)
			mm_strings_push(&names, edition->name);
		code = check_names(&(struct mm_strings){ .items = (char *[]){ spec->edition, NULL }, .count = 1 },
				   &names, "edition", err);
		goto out;
	}
	if (!(spec->scale > 0 && spec->scale <= MM_SB_MAX_SCALE)) {
		code = mm_error_set(err, MM_EMATRIX, "sql-bench runs at a scale above 0 and up to %d, not %g",
				    MM_SB_MAX_SCALE, spec->scale);
		goto out;
	}
	for (size_t i = 0; i < TESTS; i++)
		mm_strings_push(&names, tests[i]->name);
	code = check_names(&spec->tests, &names, "test", err);
	if (!code && !names_no_engine(spec))
		code = check_engine(spec->engine, err);
	if (!code && spec->script)
		code = check_data(spec->script, err);
	if (code)
		goto out;
	mm_strings_release(&names);
	known_operations(spec, edition, &names);
	code = check_names(&spec->operations, &names, "operation in the selected tests", err);
out:
	mm_strings_release(&names);
	return code;
}

/* Run */

/* Which engine do tables really get, and does it know transactions? A table that nobody measures is asked. */
static void find_engine(struct mm_sb_session *session, struct mm_pass *pass)
{
	static const char *const transactional[] = { "InnoDB", "XtraDB",     "TokuDB", "ROCKSDB", "BerkeleyDB",
						     "BDB",    "ndbcluster", "NDB",    "PBXT",    "Falcon" };
	struct mm_buffer create = MM_BUFFER_INIT, why = MM_BUFFER_INIT;
	char *engine;

	mm_sb_try(session, NULL, "drop table if exists mm_probe");
	mm_buffer_printf(&create, "create table mm_probe (a int not null)%s", session->clause);
	if (!mm_sb_try(session, &why, mm_buffer_text(&create)) && !session->code)
		session->code = mm_error_set(session->err, MM_ECELL, "the server makes no table%s: %s", session->clause,
					     mm_buffer_text(&why));
	engine = mm_sb_look_up(session, 1, "show table status like 'mm_probe'");
	mm_sb_try(session, NULL, "drop table mm_probe");
	free(pass->engine);
	pass->engine = engine;
	for (size_t i = 0; engine && i < sizeof transactional / sizeof *transactional; i++)
		if (strcasecmp(engine, transactional[i]) == 0)
			session->transactional = true;
	/* A server may put its default in place of an engine that it does not have, with a warning that nobody reads.
	 */
	if (!session->code && !names_no_engine(session->spec) && engine &&
	    strcasecmp(engine, session->spec->engine) != 0)
		mm_error_set(session->err, session->code = MM_ECELL,
			     "the server made a table of engine '%s' when asked for '%s'; name an engine that it has",
			     engine, session->spec->engine);
	mm_buffer_release(&create);
	mm_buffer_release(&why);
}

/* Makes the database, and finds out about the engine. */
static void prepare(struct mm_sb_session *session, const struct mm_server *server, struct mm_pass *pass)
{
	MYSQL *mysql = NULL;

	session->code = mm_server_connect(server, &mysql, session->err);
	if (session->code)
		return;
	session->mysql = mysql;
	if (!mm_sb_try(session, &session->text, "create database if not exists test") && !session->code)
		session->code = mm_error_set(session->err, MM_ECELL, "cannot create the database 'test': %s",
					     mm_buffer_text(&session->text));
	if (!session->code && mysql_select_db(session->mysql, "test") != 0)
		session->code = mm_error_set(session->err, mm_server_blame(mysql_errno(session->mysql)),
					     "cannot use the database 'test': %s", mysql_error(session->mysql));
	find_engine(session, pass);
	mm_sb_disconnect(session);
}

static void probe(struct mm_sb_session *session, const struct mm_sb_test *test)
{
	if (!test->probe || session->code)
		return;
	mm_sb_connect(session);
	test->probe(session);
	mm_sb_disconnect(session);
}

/* Where did this pass's answers first part from those of the run's first pass? */
static void close_ledger(struct mm_sb_session *session)
{
	struct mm_test_sample *test = session->test;
	json_t *difference = NULL;

	if (!session->code)
		session->code = mm_ledger_end(&session->ledger, test->checksum, &difference, session->err);
	if (difference) {
		if (!test->extra)
			test->extra = json_object();
		json_object_set_new(test->extra, "first_difference", difference);
	}
	mm_ledger_release(&session->ledger);
}

static void run_test(struct mm_sb_session *session, const struct mm_suite_run *run, const struct mm_sb_test *test)
{
	struct mm_measure measure;

	session->test = mm_pass_add_test(run->pass, test->name);
	session->test->statements = session->test->rows = session->test->checksum = 0;
	probe(session, test);
	if (session->code || session->test->skipped)
		return;
	mm_ledger_begin(&session->ledger, run->server->place->ledgers, run->spec->name, test->name);
	mm_measure_begin(&measure, run->server);
	test->run(session);
	mm_sb_disconnect(session);
	mm_measure_end(&measure, run->server, session->test);
	close_ledger(session);
}

static int run(struct mm_suite_run *run, struct mm_error *err)
{
	struct mm_buffer clause = MM_BUFFER_INIT;
	struct mm_test_sample nobody = { .name = (char[]){ "(preparation)" } };
	struct mm_sb_session session = {
		.edition = mm_sb_edition_find(run->spec->edition),
		.spec = run->spec,
		.socket = run->server->socket,
		.test = &nobody,
		.err = err,
	};

	if (!names_no_engine(run->spec))
		mm_buffer_printf(&clause, " ENGINE=%s", run->spec->engine);
	session.clause = mm_buffer_text(&clause);
	prepare(&session, run->server, run->pass);
	for (size_t i = 0; i < TESTS && !session.code; i++)
		if (is_selected(run->spec, tests[i]->name))
			run_test(&session, run, tests[i]);
	mm_sb_session_release(&session);
	mm_buffer_release(&clause);
	return session.code;
}

const struct mm_suite mm_suite_sql_bench = {
	.name = "sql-bench",
	.check = check,
	.run = run,
	.describe = describe,
};
