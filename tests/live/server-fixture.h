/* A cell that is the installed MariaDB, for live tests: a scratch folder, a place in it, and a look at what runs. */
#ifndef MM_TESTS_SERVER_FIXTURE_H
#define MM_TESTS_SERVER_FIXTURE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "runners/server.h"

struct fixture {
	char folder[64];
	struct mm_config config;
	struct mm_schedule schedule;
	struct mm_cell cell;
	struct mm_build build;
	struct mm_server_place place;
};

static struct fixture fixture;

static inline void write_file(const char *path, const char *text)
{
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), NULL), 0);
}

/* "10.11.18-MariaDB…" as the server says it: "mariadbd  Ver 10.11.18-MariaDB …". */
static inline char *installed_version(const char *server)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_spec spec = { .output = &output };
	const char *version;
	char *copy;

	mm_strings_push(&argv, server);
	mm_strings_push(&argv, "--no-defaults");
	mm_strings_push(&argv, "--version");
	spec.argv = argv.items;
	assert_int_equal(mm_process_run(&spec, NULL, NULL), 0);
	version = strstr(mm_buffer_text(&output), "Ver ");
	assert_non_null(version);
	copy = mm_strndup(version + 4, strcspn(version + 4, " "));
	mm_strings_release(&argv);
	mm_buffer_release(&output);
	return copy;
}

static inline int fixture_open(void **state)
{
	(void)state;
	snprintf(fixture.folder, sizeof(fixture.folder), "/tmp/mymatrix-live.XXXXXX");
	if (mkdtemp(fixture.folder) == NULL)
		return -1;
	fixture.config.name = mm_strdup("default");
	fixture.cell.id = mm_strdup("installed");
	fixture.cell.config = &fixture.config;
	fixture.build.variant = mm_strdup("mariadb");
	fixture.build.server = mm_strdup("/usr/sbin/mariadbd");
	fixture.build.prefix = mm_strdup("/usr");
	fixture.build.basedir = mm_strdup("/usr");
	fixture.build.version = installed_version(fixture.build.server);
	fixture.build.my_cnf = mm_path_join(fixture.folder, "my.cnf");
	write_file(fixture.build.my_cnf, "");
	fixture.place = (struct mm_server_place){
		.build = &fixture.build,
		.cell = &fixture.cell,
		.schedule = &fixture.schedule,
		.pristine = mm_path_join(fixture.folder, "pristine"),
		.scratch = mm_path_join(fixture.folder, "scratch"),
		.socket = mm_path_join(fixture.folder, "s"),
	};
	return 0;
}

static inline int fixture_close(void **state)
{
	(void)state;
	free(fixture.config.name);
	mm_strings_release(&fixture.config.run_env);
	free(fixture.cell.id);
	free(fixture.build.variant);
	free(fixture.build.server);
	free(fixture.build.prefix);
	free(fixture.build.basedir);
	free(fixture.build.version);
	free(fixture.build.my_cnf);
	free(fixture.place.pristine);
	free(fixture.place.scratch);
	free(fixture.place.socket);
	mm_fs_remove_tree(fixture.folder, NULL);
	fixture = (struct fixture){ 0 };
	return 0;
}

/* /proc/PID/NAME, with its NUL bytes as line ends. Allocated. */
static inline char *proc_text(const char *pid, const char *name)
{
	char *path = mm_format("/proc/%s/%s", pid, name);
	struct mm_buffer text = MM_BUFFER_INIT;

	(void)mm_fs_read(path, 0, &text, NULL);
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] == '\0')
			text.data[i] = '\n';
	free(path);
	return mm_buffer_detach(&text);
}

static inline char *server_proc_text(const struct mm_server *server, const char *name)
{
	char pid[32];

	snprintf(pid, sizeof(pid), "%ld", (long)server->process.pid);
	return proc_text(pid, name);
}

/* No process anywhere has the fixture's folder on its command line. */
static inline void assert_nothing_runs(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	assert_non_null(proc);
	while ((entry = readdir(proc)) != NULL) {
		char *cmdline =
			entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? proc_text(entry->d_name, "cmdline") : NULL;

		if (cmdline != NULL && strstr(cmdline, fixture.folder) != NULL)
			fail_msg("process %s still runs: %s", entry->d_name, cmdline);
		free(cmdline);
	}
	closedir(proc);
}

/* The first column of the first row; allocated. */
static inline char *ask(const struct mm_server *server, const char *statement)
{
	struct mm_error err = MM_ERROR_INIT;
	MYSQL *mysql;
	MYSQL_RES *result;
	MYSQL_ROW row;
	char *answer = NULL;

	if (mm_server_connect(server, &mysql, &err) != 0)
		fail_msg("%s", err.text);
	if (mysql_query(mysql, statement) != 0)
		fail_msg("%s: %s", statement, mysql_error(mysql));
	result = mysql_store_result(mysql);
	if (result != NULL && (row = mysql_fetch_row(result)) != NULL)
		answer = mm_strdup(row[0]);
	mysql_free_result(result);
	mysql_close(mysql);
	return answer;
}

static inline void assert_ok(int code, const struct mm_error *err)
{
	if (code != 0)
		fail_msg("error %d: %s", code, err->text);
}

/* One line that holds every one of the words. */
static inline void assert_line(const char *line, const char *const *words)
{
	assert_non_null(line);
	assert_null(strchr(line, '\n'));
	for (; *words != NULL; words++)
		if (strstr(line, *words) == NULL)
			fail_msg("'%s' does not say '%s'", line, *words);
}
#define ASSERT_LINE(line, ...) assert_line(line, (const char *const[]){ __VA_ARGS__, NULL })

#endif
