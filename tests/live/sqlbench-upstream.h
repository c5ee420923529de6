/*
 * Upstream's own sql-bench, for comparison: unpacked from a MariaDB 10.11 source tarball, with the loop counts that the
 * native suite has at a scale, and run by perl. Its scripts are not part of this repository.
 */
#ifndef MM_TESTS_SQLBENCH_UPSTREAM_H
#define MM_TESTS_SQLBENCH_UPSTREAM_H

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "runners/sql-bench/session.h"

#define UPSTREAM_EDITION "mariadb-10.11"

/* A loop count that stands in a script as FROM, once, and the native suite's rule for it. */
struct upstream_count {
	const char *from, *name;
	unsigned count, step, minimum;
};

struct upstream_script {
	const char *name;
	const struct mm_sb_test *test; /* the native one */
	bool same_text;                /* both send the same statements to the letter */
	struct upstream_count counts[5];
};

static const struct upstream_script upstream_scripts[] = {
	{ "ATIS", &mm_sb_atis, false, { { "$opt_loop_count=5000;", "opt_loop_count", 5000, 1, 1 } } },
	{ "alter-table",
	  &mm_sb_alter_table,
	  true,
	  { { "$opt_loop_count=10000;", "opt_loop_count", 10000, 1, 1 },
	    { "$opt_row_count=1000;", "opt_row_count", 1000, 1, 1 },
	    { "$opt_field_count=1000;", "opt_field_count", 1000, 1, 10 } } },
	{ "big-tables", &mm_sb_big_tables, true, { { "$opt_loop_count=70000;", "opt_loop_count", 70000, 1, 1 } } },
	{ "connect", &mm_sb_connect_test, true, { { "$opt_loop_count=500000;", "opt_loop_count", 500000, 10, 10 } } },
	{ "create",
	  &mm_sb_create,
	  true,
	  { { "$opt_loop_count=10000;", "opt_loop_count", 10000, 1, 1 },
	    { "$max_tables=400;", "max_tables", 400, 1, 1 } } },
	{ "insert",
	  &mm_sb_insert,
	  true,
	  { { "$opt_loop_count=100000;", "opt_loop_count", 100000, 100, 100 },
	    { "$small_loop_count=10;", "small_loop_count", 10, 1, 1 },
	    { "$range_loop_count=$small_loop_count*50;", "range_loop_count", 500, 10, 10 },
	    { "$many_key_update=10000;", "many_key_update", 10000, 10, 10 } } },
	{ "select",
	  &mm_sb_select,
	  true,
	  { { "$opt_loop_count=10000;", "opt_loop_count", 10000, 10, 100 },
	    { "$opt_medium_loop_count=7000;", "opt_medium_loop_count", 7000, 10, 10 },
	    { "$opt_small_loop_count=10;", "opt_small_loop_count", 10, 1, 1 } } },
	{ "transactions",
	  &mm_sb_transactions,
	  true,
	  { { "$opt_loop_count=500000;", "opt_loop_count", 500000, 1, 10 },
	    { "$opt_medium_loop_count=10000;", "opt_medium_loop_count", 10000, 1, 1 } } },
	{ "wisconsin", &mm_sb_wisconsin, false, { { "$opt_loop_count=5000;", "opt_loop_count", 5000, 1, 1 } } },
};

enum { UPSTREAM_SCRIPTS = sizeof upstream_scripts / sizeof *upstream_scripts };

/* Runs a program to its end; one that fails is an error with its output. */
static inline int upstream_program(const char *const *words, const char *folder, struct mm_buffer *output,
				   struct mm_process_result *result, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_process_spec spec = { .cwd = folder, .output = output, .timeout_seconds = 3600 };
	char text[64];
	int code;

	for (; *words; words++)
		mm_strings_push(&argv, *words);
	spec.argv = argv.items;
	code = mm_process_run(&spec, result, err);
	if (!code && result->exit_status != 0)
		code = mm_error_set(err, MM_EENV, "%s: %s: %.1000s", argv.items[0], mm_process_describe(result, text),
				    mm_buffer_text(output));
	mm_strings_release(&argv);
	return code;
}

/* Replaces in FOLDER/NAME the text FROM, which must be there once. */
static inline int upstream_edit(const char *folder, const char *name, const char *from, const char *to,
				struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT, edited = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, name);
	const char *at;
	int code = mm_fs_read(path, 0, &text, err);

	at = strstr(mm_buffer_text(&text), from);
	if (!code && (!at || strstr(at + 1, from)))
		code = mm_error_set(err, MM_EENV, "'%s' is not there once in '%s': is this another edition?", from,
				    name);
	if (!code) {
		mm_buffer_append(&edited, text.data, (size_t)(at - text.data));
		mm_buffer_printf(&edited, "%s%s", to, at + strlen(from));
		code = mm_fs_write_atomic(path, edited.data, edited.length, err);
	}
	mm_buffer_release(&edited);
	mm_buffer_release(&text);
	free(path);
	return code;
}

static inline int upstream_rename(const char *folder, const char *from, const char *to, struct mm_error *err)
{
	char *old = mm_path_join(folder, from), *renamed = mm_path_join(folder, to);
	int code = mm_fs_rename(old, renamed, err);

	free(old);
	free(renamed);
	return code;
}

static inline int upstream_prepare(const char *folder, const struct upstream_script *script, double scale,
				   struct mm_error *err)
{
	char from[64], name[64], count[64];
	int code;

	snprintf(from, sizeof from, "test-%s.sh", script->name);
	snprintf(name, sizeof name, "test-%s", script->name);
	code = upstream_rename(folder, from, name, err);
	for (const struct upstream_count *c = script->counts; c->from && !code; c++) {
		snprintf(count, sizeof count, "$%s=%u;", c->name, mm_sb_scaled(scale, c->count, c->step, c->minimum));
		code = upstream_edit(folder, name, c->from, count, err);
	}
	return code;
}

/* Unpacks sql-bench out of TARBALL into FOLDER, which is made; SCALES holds one for each of upstream_scripts. */
static inline int upstream_unpack(const char *tarball, const char *folder, const double *scales, struct mm_error *err)
{
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	int code = 0;

	if (!tarball || !*tarball)
		code = mm_error_set(err, MM_EENV,
				    "MM_MARIADB_TARBALL is not set: name the source tarball of MariaDB 10.11, whose "
				    "sql-bench is compared with");
	if (!code)
		code = upstream_program((const char *const[]){ "perl", "-MDBI", "-MDBD::mysql", "-e", "1", NULL }, NULL,
					&output, &result, err);
	if (!code)
		code = mm_fs_mkdirs(folder, 0700, err);
	if (!code)
		code = upstream_program((const char *const[]){ "tar", "-xf", tarball, "-C", folder,
							       "--strip-components=2", "--wildcards", "*/sql-bench/*",
							       NULL },
					NULL, &output, &result, err);
	if (!code)
		code = upstream_rename(folder, "server-cfg.sh", "server-cfg", err);
	if (!code)
		code = upstream_rename(folder, "bench-init.pl.sh", "bench-init.pl", err);
	/* The driver that Debian has; upstream's choice is another one, which sends the same statements. */
	if (!code)
		code = upstream_edit(folder, "server-cfg", "\"DBI:MariaDB:database=", "\"DBI:mysql:database=", err);
	for (size_t i = 0; i < UPSTREAM_SCRIPTS && !code; i++)
		code = upstream_prepare(folder, &upstream_scripts[i], scales[i], err);
	mm_buffer_release(&output);
	return code;
}

static inline int upstream_run(const char *folder, const struct upstream_script *script, const char *socket,
			       const char *engine, struct mm_buffer *output, struct mm_process_result *result,
			       struct mm_error *err)
{
	char name[64], create[64];
	char *connect = mm_format("--connect-options=mysql_socket=%s", socket);
	int code;

	snprintf(name, sizeof name, "test-%s", script->name);
	snprintf(create, sizeof create, "--create-options=ENGINE=%s", engine);
	code = upstream_program((const char *const[]){ "perl", "-I.", name, "--server=mariadb", "--user=root",
						       "--silent", connect, create, NULL },
				folder, output, result, err);
	if (!code && !strstr(mm_buffer_text(output), "Total time"))
		code = mm_error_set(err, MM_EENV, "upstream's test '%s' did not end: %.1000s", script->name,
				    mm_buffer_text(output));
	free(connect);
	return code;
}

/* Runs the native test alone, without what the suite asks the server before it. Figures go to SAMPLE. */
static inline int upstream_native(const struct upstream_script *script, double scale, const char *socket,
				  const char *engine, char *data, struct mm_test_sample *sample, struct mm_error *err)
{
	char clause[64];
	struct mm_suite_spec spec = { .scale = scale, .script = data };
	struct mm_sb_session session = {
		.edition = mm_sb_edition_find(UPSTREAM_EDITION),
		.spec = &spec,
		.socket = socket,
		.transactional = strcmp(engine, "InnoDB") == 0,
		.clause = clause,
		.test = sample,
		.err = err,
	};

	snprintf(clause, sizeof clause, " ENGINE=%s", engine);
	sample->statements = sample->rows = sample->checksum = 0;
	script->test->run(&session);
	mm_sb_session_release(&session);
	return session.code;
}

#endif
