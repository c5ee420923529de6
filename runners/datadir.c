/*
 * A cell's pristine data directory: made once, copied for every pass.
 *
 * MariaDB and MySQL before 5.7.6 make theirs by feeding shipped SQL to a
 * server in bootstrap mode. Their install scripts do no more than that, but
 * are shell or Perl, split paths at white space, want helpers that some
 * packages lack, and run as root they change owners inside the prefix. So the
 * SQL is fed directly wherever a prefix ships it, the same way for every cell,
 * and a script is the last resort for the oldest servers, which hold the SQL
 * inside of it.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/manifest.h"
#include "base/memory.h"
#include "runners/launch.h"
#include "runners/serverlog.h"

#define LOG_NAME "datadir.log"

/* The paths of one making. */
struct job {
	const struct mm_server_place *place;
	char *data, *log, *sql, *tmp;
	char *sql_folder; /* where the prefix ships its SQL, NULL: it does not */
	char *script;     /* the install script, NULL: there is none */
};

struct method {
	const char *name;
	bool (*fits)(const struct job *job);
	int (*make)(const struct job *job, struct mm_error *err);
};

/* Runs ARGV to its end with the server's environment; judges its exit. */
static int run(const struct job *job, const struct mm_strings *argv, const char *input, const char *cwd,
	       struct mm_error *err)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process_spec spec = {
		.argv = argv->items,
		.unfit = MM_ECELL, /* the other cells can go on */
		.input = input,
		.cwd = cwd,
		.log = job->log,
		.memory_bytes = (uint64_t)job->place->limits.memory_mib << 20,
		.file_bytes = (uint64_t)job->place->limits.file_mib << 20,
		.timeout_seconds = (unsigned)job->place->limits.datadir_seconds,
	};
	struct mm_process_result result;
	char how[64], *errors, *limit;
	int rc;

	mm_launch_env(job->place, job->tmp, &env);
	spec.env = env.items;
	rc = mm_process_run(&spec, &result, err);
	if (rc != 0)
		(void)mm_error_prefix(err, "data directory of cell '%s'", job->place->cell->id);
	else if (result.timed_out)
		rc = mm_error_set(err, MM_ECELL,
				  "'%s' did not make the data directory of cell '%s' within %d seconds; "
				  "\"limits.datadir_seconds\" is the limit: raise it, or see in '%s' what hangs",
				  argv->items[0], job->place->cell->id, job->place->limits.datadir_seconds, job->log);
	else if (result.exit_status != 0) {
		errors = mm_serverlog_errors(job->log);
		mm_process_describe(&result, how);
		limit = mm_launch_limit(job->place, how, job->log, false);
		rc = mm_error_set(err, MM_ECELL,
				  "'%s' could not make the data directory of cell '%s' (%s): %s%s; see '%s'",
				  argv->items[0], job->place->cell->id, how, errors, limit, job->log);
		free(limit);
		free(errors);
	}
	mm_strings_release(&env);
	return rc;
}

static bool fits_initialize(const struct job *job)
{
	return mm_launch_is_mysql_since(job->place->build, 5, 7, 6);
}

static int make_initialize(const struct job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	int rc;

	mm_launch_argv(job->place, job->data, &argv);
	mm_strings_push(&argv, "--initialize-insecure");
	mm_strings_pushf(&argv, "--tmpdir=%s", job->tmp);
	rc = run(job, &argv, NULL, job->tmp, err);
	mm_strings_release(&argv);
	return rc;
}

/* In the order in which they build on each other; a version ships those that it needs. */
static const char *const sql_files[] = {
	"mysql_system_tables.sql", "mysql_performance_tables.sql",   "mysql_system_tables_data.sql",
	"fill_help_tables.sql",    "maria_add_gis_sp_bootstrap.sql", "mysql_sys_schema.sql",
};
enum { SQL_FILE_COUNT = sizeof(sql_files) / sizeof(sql_files[0]) };

/*
 * Appends a shipped file without the lines that name this host, as its own comment says they may be left out: the data
 * directory is the same on every host, and no name is looked up.
 */
static int append_sql(const char *path, struct mm_buffer *sql, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	int rc = mm_fs_read(path, 0, &text, err);
	char *line, *next;

	for (line = text.data; rc == 0 && line != NULL && *line != '\0'; line = next) {
		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (strstr(line, "@current_hostname") == NULL)
			mm_buffer_printf(sql, "%s\n", line);
	}
	mm_buffer_release(&text);
	return rc;
}

static bool fits_bootstrap(const struct job *job)
{
	return job->sql_folder != NULL;
}

static int write_sql(const struct job *job, struct mm_error *err)
{
	struct mm_buffer sql = MM_BUFFER_INIT;
	int rc = 0;

	mm_buffer_puts(&sql, "create database if not exists mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n");
	for (size_t i = 0; rc == 0 && i < SQL_FILE_COUNT; i++) {
		char *path = mm_path_join(job->sql_folder, sql_files[i]);

		if (mm_fs_exists(path))
			rc = append_sql(path, &sql, err);
		free(path);
	}
	if (rc == 0)
		rc = mm_fs_write_atomic(job->sql, sql.data, sql.length, err);
	mm_buffer_release(&sql);
	return rc;
}

static int make_bootstrap(const struct job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	int rc = write_sql(job, err);

	if (rc != 0)
		return rc;
	mm_launch_argv(job->place, job->data, &argv);
	mm_strings_push(&argv, "--bootstrap");
	mm_strings_pushf(&argv, "--tmpdir=%s", job->tmp);
	/* the help tables hold long rows; an engine that a config enforces is not meant for the system tables */
	mm_strings_push(&argv, "--max_allowed_packet=8M");
	mm_strings_push(&argv, "--net_buffer_length=16K");
	mm_strings_push(&argv, "--loose-enforce-storage-engine=");
	rc = run(job, &argv, job->sql, job->tmp, err);
	mm_strings_release(&argv);
	return rc;
}

/* A script runs programs of its prefix: not where they need a launcher. */
static bool fits_script(const struct job *job)
{
	return job->script != NULL && job->place->build->launcher.count == 0;
}

/* 4.1.21 ships it with an empty line in front of "#!": shells take such a file for one of theirs, the kernel does not. */
static bool names_its_interpreter(const char *script)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	bool names = mm_fs_read(script, 0, &text, NULL) == 0 && text.length > 2 && memcmp(text.data, "#!", 2) == 0;

	mm_buffer_release(&text);
	return names;
}

static int make_script(const struct job *job, struct mm_error *err)
{
	const struct mm_build *build = job->place->build;
	struct mm_strings argv = MM_STRINGS_INIT;
	int rc;

	if (!names_its_interpreter(job->script))
		mm_strings_push(&argv, "/bin/sh");
	mm_strings_push(&argv, job->script);
	mm_strings_pushf(&argv, "--defaults-file=%s", build->my_cnf);
	mm_strings_pushf(&argv, "--basedir=%s", build->basedir);
	mm_strings_pushf(&argv, "--datadir=%s", job->data);
	mm_strings_push(&argv, "--force"); /* do not look this host's name up */
	if (geteuid() == 0)
		mm_strings_push(&argv, "--user=root");
	/* it looks for its helpers from here */
	rc = run(job, &argv, NULL, build->basedir, err);
	mm_strings_release(&argv);
	return rc;
}

/* The first that fits is used. */
static const struct method methods[] = {
	{ "--initialize-insecure", fits_initialize, make_initialize }, /* MySQL and Percona from 5.7.6 */
	{ "--bootstrap", fits_bootstrap, make_bootstrap },             /* MariaDB; MySQL 5.1 to 5.7.5 */
	{ "install script", fits_script, make_script },                /* MySQL 4.0 to 5.0 */
};

/* The first of FOLDERS (below basedir) that holds NAME; allocated, NULL: none. */
static char *find_below(const char *basedir, const char *const *folders, const char *name, bool want_folder)
{
	for (; *folders != NULL; folders++) {
		char *folder = mm_path_join(basedir, *folders), *path = mm_path_join(folder, name);

		if (mm_fs_exists(path)) {
			free(want_folder ? path : folder);
			return want_folder ? folder : path;
		}
		free(folder);
		free(path);
	}
	return NULL;
}

static void job_init(struct job *job, const struct mm_server_place *place)
{
	static const char *const sql_folders[] = { "share/mysql", "share/mariadb", "share", "scripts", NULL };
	static const char *const script_folders[] = { "scripts", "bin", NULL };
	const char *basedir = place->build->basedir;

	*job = (struct job){
		.place = place,
		.data = mm_path_join(place->pristine, "data"),
		.log = mm_path_join(place->pristine, LOG_NAME),
		.sql = mm_path_join(place->pristine, "bootstrap.sql"),
		.tmp = mm_path_join(place->pristine, "tmp"),
		.sql_folder = find_below(basedir, sql_folders, "mysql_system_tables_data.sql", true),
		.script = find_below(basedir, script_folders, "mysql_install_db", false),
	};
}

static void job_release(struct job *job)
{
	free(job->data);
	free(job->log);
	free(job->sql);
	free(job->tmp);
	free(job->sql_folder);
	free(job->script);
}

/* Makes the directory in an empty pristine folder. */
static int make(const struct mm_server_place *place, struct mm_error *err)
{
	struct job job;
	int rc;

	job_init(&job, place);
	if ((rc = mm_fs_mkdirs(place->pristine, 0700, err)) == 0 && (rc = mm_fs_mkdirs(job.data, 0700, err)) == 0)
		rc = mm_fs_mkdirs(job.tmp, 0700, err);
	for (size_t i = 0; rc == 0; i++) {
		if (i == sizeof(methods) / sizeof(methods[0])) {
			rc = mm_error_set(err, MM_ECELL,
					  "cell '%s': no way to make a data directory: '%s' holds neither "
					  "mysql_system_tables_data.sql nor mysql_install_db",
					  place->cell->id, place->build->basedir);
		} else if (methods[i].fits(&job)) {
			rc = methods[i].make(&job, err);
			break;
		}
	}
	if (rc == 0)
		rc = mm_fs_remove_tree(job.tmp, err);
	job_release(&job);
	return rc;
}

/* What the directory depends on: another server or option file (page size, tables in files …) means another one. */
static int fingerprint(const struct mm_server_place *place, char hex[MM_SHA256_HEX], struct mm_error *err)
{
	const struct mm_build *build = place->build;
	struct mm_buffer my_cnf = MM_BUFFER_INIT;
	int rc = mm_fs_read(build->my_cnf, 1 << 20, &my_cnf, err);
	struct mm_hash *hash;

	if (rc != 0)
		return mm_error_prefix(err, "option file of cell '%s'", place->cell->id);
	hash = mm_hash_new();
	mm_hash_add_text(hash, build->server);
	mm_hash_add_text(hash, build->key);
	mm_hash_add_text(hash, build->version);
	mm_hash_add_text(hash, mm_buffer_text(&my_cnf));
	mm_hash_finish(hash, hex);
	mm_buffer_release(&my_cnf);
	return 0;
}

static char *marker_path(const struct mm_server_place *place)
{
	return mm_path_join(place->pristine, "made");
}

/*
 * The marker is written last, so that a directory without it is a half-made one: the fingerprint HEX in a line, and which
 * files there are, so that what was damaged since is made again.
 */
static int write_marker(const struct mm_server_place *place, const char *hex, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *marker = marker_path(place), *data = mm_path_join(place->pristine, "data");

	mm_buffer_printf(&text, "%s\n", hex);
	int rc = mm_manifest_take(data, NULL, true, &text, err);
	if (rc == 0)
		rc = mm_fs_write_atomic(marker, mm_buffer_text(&text), text.length, err);
	free(data);
	free(marker);
	mm_buffer_release(&text);
	return rc;
}

/* Damage is told: it may be the disk's. */
static void tell_damage(const struct mm_server_place *place, const char *file)
{
	char *why = mm_format("it is made again, as its files are not those that were made: %s", file);

	mm_event_stage(MM_EVENT_NOTE, place->cell->id, "datadir", why);
	free(why);
}

static bool is_whole(const struct mm_server_place *place, const char *hex)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *marker = marker_path(place), *data = mm_path_join(place->pristine, "data"), *differs = NULL;
	size_t length = strlen(hex);
	bool whole = mm_fs_read(marker, 0, &text, NULL) == 0 && strncmp(mm_buffer_text(&text), hex, length) == 0 &&
		     mm_buffer_text(&text)[length] == '\n';

	if (whole)
		differs = mm_manifest_differs(data, mm_buffer_text(&text) + length + 1, true);
	if (differs != NULL)
		tell_damage(place, differs);
	whole = whole && differs == NULL;
	free(differs);
	free(data);
	free(marker);
	mm_buffer_release(&text);
	return whole;
}

int mm_datadir_make(const struct mm_server_place *place, struct mm_error *err)
{
	char hex[MM_SHA256_HEX];
	const char *cell = place->cell->id;
	int rc = fingerprint(place, hex, err);

	if (rc == 0 && is_whole(place, hex)) {
		mm_event_stage(MM_EVENT_REUSED, cell, "datadir", NULL);
	} else if (rc == 0) {
		mm_event_stage(MM_EVENT_BEGIN, cell, "datadir", NULL);
		rc = mm_fs_remove_tree(place->pristine, err);
		if (rc == 0)
			rc = make(place, err);
		sync(); /* the marker must not reach the disk before what it vouches for */
		if (rc == 0)
			rc = write_marker(place, hex, err);
		mm_event_stage(rc == 0 ? MM_EVENT_END : rc == MM_EINTERRUPTED ? MM_EVENT_NOTE : MM_EVENT_FAILED, cell,
			       "datadir", rc == 0 || err == NULL ? NULL : err->text);
	}
	return rc;
}

char *mm_datadir_log_tail(const struct mm_server_place *place)
{
	char *log = mm_path_join(place->pristine, LOG_NAME), *tail = mm_serverlog_tail(log);

	free(log);
	return tail;
}

void mm_datadir_doubt(const struct mm_server_place *place)
{
	char *marker = marker_path(place);

	(void)unlink(marker);
	free(marker);
}
