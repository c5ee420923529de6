/*
 * Which way a data directory is made, by variant and version. The servers are
 * scripts that only note how they were called: the real ones are live tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "runners/launch.h"

static char folder[] = "/tmp/mymatrix-datadir.XXXXXX";
static struct mm_config config;
static struct mm_schedule schedule;
static struct mm_cell cell;
static struct mm_build build;
static struct mm_server_place place;

static char *write_below(const char *name, const char *text, mode_t mode)
{
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);

	assert_int_equal(mm_fs_mkdirs(parent, 0755, NULL), 0);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), NULL), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(parent);
	return path;
}

/* A program that notes its folder, its arguments and its input beside itself. */
static char *write_program(const char *name)
{
	return write_below(
		name, "#!/bin/sh\n{ echo \"cwd=$PWD\"; printf '%s\\n' \"$@\" input; cat; } > \"$0.called\"\n", 0755);
}

static int open_prefix(void **state)
{
	(void)state;
	memcpy(strrchr(folder, '.'), ".XXXXXX", sizeof(".XXXXXX"));
	if (mkdtemp(folder) == NULL)
		return -1;
	cell = (struct mm_cell){ .id = mm_strdup("a/b"), .config = &config };
	build = (struct mm_build){
		.server = write_program("my prefix/bin/mysqld"), /* a space: no shell may see it */
		.basedir = mm_path_join(folder, "my prefix"),
		.prefix = mm_path_join(folder, "my prefix"),
		.my_cnf = write_below("my prefix/etc/my.cnf", "", 0644),
	};
	place = (struct mm_server_place){
		.build = &build, .cell = &cell, .schedule = &schedule, .pristine = mm_path_join(folder, "pristine")
	};
	return 0;
}

static int close_prefix(void **state)
{
	(void)state;
	free(cell.id);
	free(build.server);
	free(build.basedir);
	free(build.prefix);
	free(build.my_cnf);
	free(place.pristine);
	mm_strings_release(&build.launcher);
	return mm_fs_remove_tree(folder, NULL);
}

/* What PROGRAM (below the prefix) noted when the data directory was made; NULL: it was not called. */
static char *make_with(char *variant, char *version, const char *program)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer called = MM_BUFFER_INIT;
	char *path = mm_format("%s/%s.called", build.basedir, program);

	(void)unlink(path);
	assert_int_equal(mm_fs_remove_tree(place.pristine, NULL), 0);
	build.variant = variant;
	build.version = version;
	if (mm_datadir_make(&place, &err) != 0)
		fail_msg("%s", err.text);
	if (mm_fs_read(path, 0, &called, NULL) != 0) {
		free(path);
		return NULL;
	}
	free(path);
	return mm_buffer_detach(&called);
}

static void assert_has(const char *called, const char *line)
{
	char *whole = mm_format("\n%s\n", line);

	assert_non_null(called);
	if (strstr(called, whole) == NULL)
		fail_msg("'%s' is not a line of\n%s", line, called);
	free(whole);
}

static void assert_has_not(const char *called, const char *part)
{
	if (strstr(called, part) != NULL)
		fail_msg("'%s' is in\n%s", part, called);
}

/* --defaults-file must be the first option of all. */
static void assert_common(const char *called)
{
	char *first = mm_format("\n--defaults-file=%s\n", build.my_cnf),
	     *data = mm_format("--datadir=%s/data", place.pristine);
	char *basedir = mm_format("--basedir=%s", build.basedir);

	assert_non_null(called);
	assert_ptr_equal(strstr(called, first), strchr(called, '\n'));
	assert_has(called, data);
	assert_has(called, basedir);
	if (geteuid() == 0)
		assert_has(called, "--user=root");
	free(first);
	free(data);
	free(basedir);
}

static void mysql_initializes_itself(void **state)
{
	static const char *const versions[] = { "5.7.6", "5.7.44-48-log", "8.0.39", "8.4.6", "9.7.2", "10.0" };
	char variant[] = "mysql", percona[] = "percona";

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		char *version = mm_strdup(versions[i]),
		     *called = make_with(i % 2 ? percona : variant, version, "bin/mysqld");

		assert_common(called);
		assert_has(called, "--initialize-insecure");
		assert_has_not(called, "--bootstrap");
		free(called);
		free(version);
	}
}

/* The shipped SQL, in its order, without the lines that name this host. */
static void shipped_sql_is_fed(void **state)
{
	static const struct {
		const char *variant, *version;
	} cases[] = { { "mariadb", "10.11.18" }, { "mariadb", "5.5.68" }, { "mariadb", "11.4.2" },
		      { "mysql", "5.7.5" },      { "mysql", "5.6.21" },   { "percona", "5.5.34" } };

	(void)state;
	free(write_below("my prefix/share/mysql/mysql_system_tables.sql", "first;\n", 0644));
	free(write_below("my prefix/share/mysql/mysql_system_tables_data.sql",
			 "select @@hostname into @current_hostname;\nsecond;\ninsert @current_hostname;\nlast line",
			 0644));
	free(write_below("my prefix/share/mysql/fill_help_tables.sql", "third;\n", 0644));
	free(write_program("my prefix/scripts/mysql_install_db"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *variant = mm_strdup(cases[i].variant), *version = mm_strdup(cases[i].version);
		char *called = make_with(variant, version, "bin/mysqld"), *input;

		assert_common(called);
		assert_has(called, "--bootstrap");
		assert_has_not(called, "--initialize");
		input = strstr(called, "\ninput\n");
		assert_string_equal(input, "\ninput\ncreate database if not exists mysql;\nuse mysql;\n"
					   "set @auth_root_socket=NULL;\nfirst;\nsecond;\nlast line\nthird;\n");
		free(called);
		free(variant);
		free(version);
	}
}

static void put_line_in_front(const char *name)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, name), *both;

	assert_int_equal(mm_fs_read(path, 0, &text, NULL), 0);
	both = mm_format("\n%s", mm_buffer_text(&text));
	free(write_below(name, both, 0755));
	free(both);
	free(path);
	mm_buffer_release(&text);
}

/* The oldest servers hold their SQL in a script, which is called with the prefix as its folder. */
static void old_servers_use_their_script(void **state)
{
	char variant[] = "mysql", version[] = "5.0.15", *called, *cwd = mm_format("cwd=%s\n", build.basedir);
	struct mm_error err = MM_ERROR_INIT;

	(void)state;
	free(write_program("my prefix/bin/mysql_install_db"));
	called = make_with(variant, version, "bin/mysql_install_db");
	assert_common(called);
	assert_ptr_equal(strstr(called, cwd), called);
	free(called);

	/* a release that nobody called but by a shell */
	put_line_in_front("my prefix/bin/mysql_install_db");
	called = make_with(variant, version, "bin/mysql_install_db");
	assert_common(called);
	free(called);

	/* it would call programs of the prefix that this machine cannot execute */
	mm_strings_push(&build.launcher, "/lib/ld-linux.so.2");
	assert_int_equal(mm_fs_remove_tree(place.pristine, NULL), 0);
	assert_int_equal(mm_datadir_make(&place, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "cell 'a/b': no way to make a data directory"));
	free(cwd);
}

/* The launcher's words stand before the server. */
static void launcher_comes_first(void **state)
{
	char variant[] = "mysql", version[] = "8.0.39", *called, *first = mm_format("\n%s\n", build.server);

	(void)state;
	char *launcher = write_program("my prefix/lib/loader");

	mm_strings_push(&build.launcher, launcher);
	called = make_with(variant, version, "lib/loader");
	assert_ptr_equal(strstr(called, first), strchr(called, '\n'));
	assert_has(called, "--initialize-insecure");
	free(called);
	free(launcher);
	free(first);
}

static void versions_of_mysql(void **state)
{
	static const struct {
		const char *variant, *version;
		bool since;
	} cases[] = { { "mysql", "5.5.53", true },   { "mysql", "5.5.52-log", false }, { "mysql", "5.0.15", false },
		      { "percona", "5.6.34", true }, { "mysql", "9.7.4-2", true },     { "mariadb", "10.11.18", false },
		      { NULL, "8.4.6", true },	     { "mysql", "beta", false },       { "mysql", NULL, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *variant = cases[i].variant == NULL ? NULL : mm_strdup(cases[i].variant);
		char *version = cases[i].version == NULL ? NULL : mm_strdup(cases[i].version);
		const struct mm_build old = { .variant = variant, .version = version };

		assert_int_equal(mm_launch_is_mysql_since(&old, 5, 5, 53), cases[i].since);
		free(variant);
		free(version);
	}
}

static void a_server_that_cannot_be_executed(void **state)
{
	char variant[] = "mysql", version[] = "8.0.39";
	struct mm_error err = MM_ERROR_INIT;

	(void)state;
	build.variant = variant;
	build.version = version;
	free(write_below("my prefix/bin/mysqld", "\177ELF of another machine", 0755));
	assert_int_equal(mm_datadir_make(&place, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "data directory of cell 'a/b': cannot execute '"));
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_prefix, close_prefix)
	const struct CMUnitTest tests[] = {
		CASE(mysql_initializes_itself),         CASE(shipped_sql_is_fed),
		CASE(old_servers_use_their_script),     CASE(launcher_comes_first),
		CASE(a_server_that_cannot_be_executed), CASE(versions_of_mysql),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
