/* Data directory and server life cycle against the installed MariaDB. */
#include <signal.h>
#include <sys/stat.h>

#include "server-fixture.h"
#include "base/event.h"

/* The kinds of the "datadir" events, as letters. */
static char events[16];

static void note_event(void *context, const struct mm_event *event)
{
	static const char letters[] = { [MM_EVENT_BEGIN] = 'b',
					[MM_EVENT_PROGRESS] = 'p',
					[MM_EVENT_END] = 'e',
					[MM_EVENT_FAILED] = 'f',
					[MM_EVENT_REUSED] = 'r',
					[MM_EVENT_NOTE] = 'n' };

	(void)context;
	assert_string_equal(event->cell, "installed");
	assert_string_equal(event->stage, "datadir");
	events[strlen(events)] = letters[event->kind];
}

static void make_datadir(const char *wanted)
{
	struct mm_error err = MM_ERROR_INIT;

	memset(events, 0, sizeof(events));
	mm_event_set_sink(note_event, NULL);
	assert_ok(mm_datadir_make(&fixture.place, &err), &err);
	mm_event_set_sink(NULL, NULL);
	assert_string_equal(events, wanted);
	assert_nothing_runs();
}

static mode_t mode_of(const char *folder, const char *name)
{
	char *path = mm_path_join(folder, name);
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	free(path);
	return st.st_mode & 07777;
}

static void datadir_is_made_once(void **state)
{
	char *junk = mm_path_join(fixture.place.pristine, "data/half-made");
	char *marker = mm_path_join(fixture.place.pristine, "made");

	(void)state;
	make_datadir("be");
	assert_int_equal(mode_of(fixture.place.pristine, "data"), 0700);
	make_datadir("r");
	/* with a file that did not come of its making it is another one */
	write_file(junk, "");
	make_datadir("nbe");
	assert_false(mm_fs_exists(junk));
	/* without the marker it was left half made */
	assert_int_equal(unlink(marker), 0);
	make_datadir("be");
	/* another option file may mean another layout */
	write_file(fixture.build.my_cnf, "[mysqld]\ninnodb_page_size=8k\n");
	make_datadir("be");
	free(junk);
	free(marker);
}

static void datadir_failure_is_one_line(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	char *marker = mm_path_join(fixture.place.pristine, "made");

	(void)state;
	write_file(fixture.build.my_cnf, "[mysqld]\nno-such-option=1\n");
	assert_int_equal(mm_datadir_make(&fixture.place, &err), MM_ECELL);
	ASSERT_LINE(err.text, "cell 'installed'", "exit status 7", "unknown variable 'no-such-option=1'",
		    "datadir.log");
	assert_false(mm_fs_exists(marker));
	assert_nothing_runs();
	free(marker);

	mm_error_clear(&err);
	free(fixture.build.basedir);
	fixture.build.basedir = mm_strdup(fixture.folder);
	assert_int_equal(mm_datadir_make(&fixture.place, &err), MM_ECELL);
	ASSERT_LINE(err.text, "cell 'installed'", "no way to make a data directory", fixture.folder);
}

static void started_queried_stopped(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *answer, *data = mm_path_join(fixture.place.scratch, "data");

	(void)state;
	make_datadir("be");
	for (int round = 0; round < 2; round++) {
		assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
		assert_ptr_equal(strstr(server.argv.items[1], "--defaults-file="), server.argv.items[1]);
		assert_true(mm_strings_contain(&server.argv, "--skip-networking"));
		assert_int_equal(server.argv.count, geteuid() == 0 ? 10 : 9);
		assert_int_equal(mode_of(fixture.place.scratch, "data"), 0700);
		assert_int_equal(mode_of(fixture.folder, "scratch"), 0700);
		assert_true(server.copy_ns > 0 && server.start_ns > 0);
		answer = ask(&server, "select version()");
		assert_non_null(strstr(answer, "MariaDB"));
		free(answer);
		/* each start has a fresh copy */
		answer = ask(&server, "select count(*) from information_schema.schemata where schema_name='kept'");
		assert_string_equal(answer, "0");
		free(answer);
		free(ask(&server, "create database kept"));
		assert_ok(mm_server_stop(&server, &err), &err);
		assert_true(server.stop_ns > 0);
		assert_false(mm_fs_exists(data));
		assert_false(mm_fs_exists(fixture.place.socket));
		assert_nothing_runs();
	}
	free(data);
}

/* The accounts are root's alone and name no host of this machine. */
static void accounts_name_no_host(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *answer;

	(void)state;
	make_datadir("be");
	assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
	answer = ask(&server, "select group_concat(user, '@', host order by host) from mysql.global_priv"
			      " where user != 'mariadb.sys'");
	assert_string_equal(answer, "root@127.0.0.1,root@::1,root@localhost");
	free(answer);
	answer = ask(&server, "select count(*) > 100 from mysql.help_topic");
	assert_string_equal(answer, "1");
	free(answer);
	answer = ask(&server, "select sys_version from sys.version");
	assert_non_null(answer);
	free(answer);
	assert_ok(mm_server_stop(&server, &err), &err);
}

/* Option files and variables that a user's machine may have, all of them poison. */
static void host_settings_change_nothing(void **state)
{
	static const char *const names[] = { "MYSQL_UNIX_PORT",    "MYSQL_TCP_PORT", "MYSQL_PWD", "MYSQL_HOME",
					     "MYSQL_GROUP_SUFFIX", "MYSQL_HOST",     "TZ" };
	char *home = mm_path_join(fixture.folder, "home"), *hidden = mm_path_join(home, ".my.cnf"),
	     *plain = mm_path_join(home, "my.cnf"), *old_home = mm_strdup(getenv("HOME"));
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *answer;

	(void)state;
	assert_int_equal(mm_fs_mkdirs(home, 0755, NULL), 0);
	for (int i = 0; i < 2; i++)
		write_file(i == 0 ? hidden : plain,
			   "[client]\nuser=nobody\npassword=wrong\nsocket=/nonexistent\nport=1\n"
			   "[mysqld]\nno-such-option=1\n[mariadbd]\nport=2\n");
	setenv("HOME", home, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		setenv(names[i], strcmp(names[i], "MYSQL_HOME") == 0 ? home : "77", 1);
	make_datadir("be");
	assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
	answer = ask(&server, "select concat(current_user(), ' ', @@port, ' ', if(@@skip_networking, 'off', 'on'), ' "
			      "', @@system_time_zone)");
	assert_string_equal(answer, "root@localhost 0 off UTC");
	free(answer);
	answer = server_proc_text(&server, "environ");
	assert_null(strstr(answer, "MYSQL"));
	assert_null(strstr(answer, home));
	free(answer);
	assert_ok(mm_server_stop(&server, &err), &err);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	if (old_home != NULL)
		setenv("HOME", old_home, 1);
	free(home);
	free(hidden);
	free(plain);
	free(old_home);
}

/* The config's option file and environment, the schedule's CPUs and ASLR reach the server. */
static void config_and_schedule_reach_the_server(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *text;

	(void)state;
	make_datadir("be");
	write_file(fixture.build.my_cnf, "[mysqld]\nsort_buffer_size=3M\n");
	mm_strings_push(&fixture.config.run_env, "MM_ALLOCATOR=none");
	mm_strings_push(&fixture.config.run_env, "TZ=EST5");
	fixture.schedule.cpus_server = mm_strdup("0");
	fixture.schedule.no_aslr = true;
	assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
	text = ask(&server, "select @@sort_buffer_size");
	assert_string_equal(text, "3145728");
	free(text);
	text = server_proc_text(&server, "environ");
	assert_non_null(strstr(text, "MM_ALLOCATOR=none\n"));
	assert_non_null(strstr(text, "TZ=EST5\n"));
	assert_null(strstr(text, "TZ=UTC"));
	free(text);
	text = server_proc_text(&server, "status");
	assert_non_null(strstr(text, "Cpus_allowed_list:\t0\n"));
	free(text);
	text = server_proc_text(&server, "personality");
	assert_int_equal(strtoul(text, NULL, 16) & 0x40000, 0x40000);
	free(text);
	assert_ok(mm_server_stop(&server, &err), &err);
	free(fixture.schedule.cpus_server);
	fixture.schedule.cpus_server = NULL;
}

static void exit_at_start_is_one_line(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *tail = NULL;

	(void)state;
	make_datadir("be");
	write_file(fixture.build.my_cnf, "[mysqld]\nno-such-option=1\n");
	assert_int_equal(mm_server_start(&fixture.place, &server, &err), MM_ECELL);
	ASSERT_LINE(err.text, "server of cell 'installed' exited at start (exit status 7)",
		    "unknown variable 'no-such-option=1'", fixture.build.my_cnf);
	assert_null(strstr(err.text, "Aborting"));
	mm_server_kill(&server, &tail);
	assert_non_null(strstr(tail, "Aborting"));
	free(tail);
	assert_nothing_runs();

	/* a server that cannot be executed at all */
	mm_error_clear(&err);
	free(fixture.build.server);
	fixture.build.server = mm_path_join(fixture.folder, "no-such-server");
	assert_int_equal(mm_server_start(&fixture.place, &server, &err), MM_ECELL);
	ASSERT_LINE(err.text, "server of cell 'installed'", "no-such-server");
	mm_server_kill(&server, NULL);
}

static void missing_datadir_is_named(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;

	(void)state;
	assert_int_equal(mm_server_start(&fixture.place, &server, &err), MM_EENV);
	ASSERT_LINE(err.text, "data directory of cell 'installed'", fixture.place.pristine);
	mm_server_kill(&server, NULL);
}

static void too_long_socket_is_refused(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;

	(void)state;
	make_datadir("be");
	free(fixture.place.socket);
	fixture.place.socket = mm_format("%s/%0100d", fixture.folder, 0);
	assert_int_equal(mm_server_start(&fixture.place, &server, &err), MM_EENV);
	ASSERT_LINE(err.text, fixture.place.socket, "a socket's path may have 107", "use a shorter folder");
	mm_server_kill(&server, NULL);
	assert_nothing_runs();
}

/* A dead server's socket is still there: it neither looks ready nor stands in the way. */
static void killed_server_and_its_socket(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_server server;
	char *tail = NULL;

	(void)state;
	make_datadir("be");
	assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
	assert_int_equal(kill(server.process.pid, SIGKILL), 0);
	assert_int_equal(mm_server_stop(&server, &err), MM_ECELL);
	ASSERT_LINE(err.text, "server of cell 'installed' did not stop cleanly", "killed by SIGKILL");
	assert_true(mm_fs_exists(fixture.place.socket));
	mm_server_kill(&server, &tail);
	assert_non_null(strstr(tail, "ready for connections"));
	free(tail);
	assert_nothing_runs();

	mm_error_clear(&err);
	write_file(fixture.place.socket, "");
	assert_ok(mm_server_start(&fixture.place, &server, &err), &err);
	mm_server_kill(&server, NULL);
	mm_server_kill(&server, NULL); /* once more does no harm */
	assert_nothing_runs();
}

int main(void)
{
#define LIVE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
		LIVE(datadir_is_made_once),         LIVE(datadir_failure_is_one_line),
		LIVE(started_queried_stopped),      LIVE(accounts_name_no_host),
		LIVE(host_settings_change_nothing), LIVE(config_and_schedule_reach_the_server),
		LIVE(exit_at_start_is_one_line),    LIVE(missing_datadir_is_named),
		LIVE(too_long_socket_is_refused),   LIVE(killed_server_and_its_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
