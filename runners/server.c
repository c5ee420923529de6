#include "runners/server.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "runners/launch.h"
#include "runners/place.h"
#include "runners/serverlog.h"

enum {
	STOP_LIMIT_MS = 60 * 1000,
	POLL_MS = 10,
	ASK_SECONDS = 60,
	PROBE_SECONDS = 10, /* a server that accepts and then says nothing must not stop us for ever */
};

static const char *cell_of(const struct mm_server *server)
{
	return server->place->cell->id;
}

static char *scratch_path(const struct mm_server_place *place, const char *name)
{
	return mm_path_join(place->scratch, name);
}

/* Reads what the server will need into the page cache: all of a prefix of ours, of a foreign one just the server. */
static void warm_prefix(const struct mm_build *build)
{
	if (mm_build_owns_prefix(build)) {
		mm_fs_warm(build->prefix);
		return;
	}
	/* "/usr" as a prefix holds far more than a server */
	static const char *const parts[] = { "share/mysql/english", "share/mysql/charsets", "share/mariadb/english",
					     "share/mariadb/charsets", "lib/mysql/plugin" };

	mm_fs_warm(build->server);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *path = mm_path_join(build->basedir, parts[i]);

		mm_fs_warm(path);
		free(path);
	}
}

/* The scratch folder, empty but for a copy of the pristine directory. */
static int fill_scratch(const struct mm_server_place *place, struct mm_error *err)
{
	char *from = mm_path_join(place->pristine, "data"), *data = scratch_path(place, "data"),
	     *tmp = scratch_path(place, "tmp");
	static const char *const old[] = { "data", "tmp", "client", "error.log" };
	int rc = mm_place_private(place->scratch, err);

	for (size_t i = 0; rc == 0 && i < sizeof(old) / sizeof(old[0]); i++) {
		char *path = scratch_path(place, old[i]);

		rc = mm_fs_remove_tree(path, err);
		free(path);
	}
	if (rc == 0)
		rc = mm_fs_copy_tree(from, data, err);
	if (rc == 0 && chmod(data, 0700) != 0)
		rc = mm_error_errno(err, "cannot make '%s' private", data);
	if (rc == 0)
		rc = mm_fs_mkdirs(tmp, 0700, err);
	if (rc != 0)
		mm_error_prefix(err, "data directory of cell '%s'", place->cell->id);
	free(from);
	free(data);
	free(tmp);
	return rc;
}

static void empty_scratch(const struct mm_server_place *place)
{
	static const char *const used[] = { "data", "tmp", "client" };

	if (mm_place_private(place->scratch, NULL) != 0)
		return; /* a link that has been put there leads to what is not ours */
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		char *path = scratch_path(place, used[i]);

		(void)mm_fs_remove_tree(path, NULL);
		free(path);
	}
}

static void make_argv(struct mm_server *server)
{
	const struct mm_server_place *place = server->place;
	char *data = scratch_path(place, "data"), *tmp = scratch_path(place, "tmp"), *pid = scratch_path(place, "pid");

	mm_launch_argv(place, data, &server->argv);
	mm_strings_pushf(&server->argv, "--socket=%s", place->socket);
	mm_strings_pushf(&server->argv, "--pid-file=%s", pid);
	mm_strings_pushf(&server->argv, "--tmpdir=%s", tmp);
	mm_strings_pushf(&server->argv, "--log-error=%s", server->error_log);
	mm_strings_push(&server->argv, "--skip-networking");
	/* a MySQL that was built for a package does not start without a folder of the host that the package would make */
	if (mm_launch_is_mysql_since(place->build, 5, 5, 53))
		mm_strings_pushf(&server->argv, "--secure-file-priv=%s", tmp);
	free(data);
	free(tmp);
	free(pid);
}

static int start_process(struct mm_server *server, struct mm_error *err)
{
	const struct mm_server_place *place = server->place;
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process_spec spec = {
		.argv = server->argv.items,
		/* a server that this machine cannot execute (32 bits, say) is its cell's failure: the others can go on
		 */
		.unfit = MM_ECELL,
		.cwd = place->scratch,
		.log = server->error_log, /* the server writes there too, but first to its standard error */
		.cpus = place->schedule->cpus_server,
		.memory_bytes = (uint64_t)place->limits.memory_mib << 20,
		.file_bytes = (uint64_t)place->limits.file_mib << 20,
		.no_aslr = place->schedule->no_aslr,
	};
	int rc;

	(void)unlink(place->socket); /* one of a server that was killed */
	mm_launch_env(place, place->scratch, &env);
	spec.env = env.items;
	rc = mm_process_start(&spec, &server->process, err);
	mm_strings_release(&env);
	return rc == 0 ? 0 : mm_error_prefix(err, "server of cell '%s'", cell_of(server));
}

enum mm_code mm_server_blame(unsigned number)
{
	return number == CR_OUT_OF_MEMORY || number == CR_SOCKET_CREATE_ERROR ? MM_EENV : MM_ECELL;
}

/* Errors of a server that is still on its way up, or has not opened its socket yet. */
static bool may_become_ready(unsigned number)
{
	return number == CR_CONNECTION_ERROR || number == CR_CONN_HOST_ERROR || number == CR_SERVER_GONE_ERROR ||
	       number == CR_SERVER_LOST || number == CR_SERVER_LOST_EXTENDED || number == ER_SERVER_SHUTDOWN;
}

/* What an error of the login means here: the library may be older or newer than the server's ways. */
static const char *login_hint(unsigned number)
{
	if (number == CR_VERSION_ERROR || number == ER_NOT_SUPPORTED_AUTH_MODE)
		return "; servers before 4.1 speak a protocol that this client library no longer knows";
	if (number == CR_AUTH_PLUGIN_CANNOT_LOAD)
		return "; this client library does not have what the server's accounts want (MySQL's own, since version 9, "
		       "against MariaDB and MySQL up to 5.7): use a mymatrix that is built with libmariadb";
	return "";
}

/* Connects; on failure *NUMBER is the client library's error number. TIMEOUT_SECONDS 0: none. */
static int try_connect(const struct mm_server *server, unsigned timeout_seconds, MYSQL **out, unsigned *number,
		       struct mm_error *err)
{
	MYSQL *mysql = mysql_init(NULL);
	unsigned protocol = MYSQL_PROTOCOL_SOCKET;
	enum mm_code code;

	*number = 0;
	*out = NULL;
	if (mysql == NULL)
		return mm_error_set(err, MM_EENV, "no memory for a connection");
	/* no option file is read unless one is asked for; an empty password keeps $MYSQL_PWD out */
	(void)mysql_options(mysql, MYSQL_OPT_PROTOCOL, &protocol);
	if (timeout_seconds > 0) {
		(void)mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &timeout_seconds);
		(void)mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &timeout_seconds);
	}
	if (mysql_real_connect(mysql, "localhost", "root", "", NULL, 0, server->socket, CLIENT_MULTI_RESULTS) == NULL) {
		*number = mysql_errno(mysql);
		code = mm_server_blame(*number);
		(void)mm_error_set(err, code, "cannot connect to the server of cell '%s': %s (%u)%s", cell_of(server),
				   mysql_error(mysql), *number, login_hint(*number));
		mysql_close(mysql);
		return code;
	}
	*out = mysql;
	return 0;
}

int mm_server_connect(const struct mm_server *server, MYSQL **out, struct mm_error *err)
{
	unsigned number;

	return try_connect(server, 0, out, &number, err);
}

int mm_server_ask(const struct mm_server *server, MYSQL **out, struct mm_error *err)
{
	unsigned number;

	return try_connect(server, ASK_SECONDS, out, &number, err);
}

int mm_server_probe(const struct mm_server *server, unsigned seconds, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	MYSQL *mysql;
	MYSQL_RES *result;
	unsigned number;

	if (try_connect(server, seconds, &mysql, &number, &why) != 0)
		return may_become_ready(number) ? 0 : mm_error_set(err, why.code, "%s", why.text);
	number = mysql_query(mysql, "SELECT 1") != 0 ? mysql_errno(mysql) : 0;
	result = number == 0 ? mysql_store_result(mysql) : NULL;
	if (result != NULL)
		mysql_free_result(result);
	else
		(void)mm_error_set(&why, mm_server_blame(number), "the server of cell '%s' does not answer a query: %s",
				   cell_of(server), mysql_error(mysql));
	mysql_close(mysql);
	if (result != NULL)
		return 1;
	return may_become_ready(number) ? 0 : mm_error_set(err, why.code, "%s", why.text);
}

/* The line for a server that ended before it answered. */
static int ended_at_start(const struct mm_server *server, const struct mm_process_result *result, struct mm_error *err)
{
	char how[64], *errors = mm_serverlog_errors(server->error_log), *limit;
	const char *option = strstr(errors, "unknown variable") != NULL || strstr(errors, "unknown option") != NULL
				     ? server->place->build->my_cnf
				     : NULL;

	mm_process_describe(result, how);
	limit = mm_launch_limit(server->place, how, server->error_log, option == NULL);
	(void)mm_error_set(err, MM_ECELL, "server of cell '%s' exited at start (%s): %s%s%s%s%s", cell_of(server), how,
			   errors, option == NULL ? "" : "; its options come from '", option == NULL ? "" : option,
			   option == NULL ? "" : "'", limit);
	free(limit);
	free(errors);
	return MM_ECELL;
}

/* Readiness is an answered query: a log line or a socket file proves nothing. */
static int wait_ready(struct mm_server *server, struct mm_error *err)
{
	uint64_t seconds = (uint64_t)server->place->limits.start_seconds, limit = mm_now_ns() + seconds * UINT64_C(1000000000);
	struct mm_process_result result = { 0 };
	int rc;

	for (;;) {
		rc = mm_process_wait(&server->process, POLL_MS, &result, err);
		if (rc == 1)
			return ended_at_start(server, &result, err);
		if (rc < 0)
			return rc;
		rc = mm_server_probe(server, PROBE_SECONDS, err);
		if (rc != 0)
			return rc < 0 ? rc : 0;
		if (seconds > 0 && mm_now_ns() >= limit)
			break;
	}
	char *errors = mm_serverlog_errors(server->error_log);

	rc = mm_error_set(err, MM_ECELL, "server of cell '%s' did not answer a query within %d s of its start, which "
			  "\"limits.start_seconds\" allows: %s",
			  cell_of(server), server->place->limits.start_seconds, errors);
	free(errors);
	return rc;
}

int mm_server_start(const struct mm_server_place *place, struct mm_server *server, struct mm_error *err)
{
	uint64_t begin = mm_now_ns();
	size_t limit = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;
	int rc;

	*server = (struct mm_server){
		.place = place,
		.socket = mm_strdup(place->socket),
		.error_log = scratch_path(place, "error.log"),
	};
	make_argv(server);
	if (strlen(place->socket) > limit)
		return mm_error_set(err, MM_EENV,
				    "socket '%s' has %zu bytes, a socket's path may have %zu: use a shorter folder",
				    place->socket, strlen(place->socket), limit);
	rc = fill_scratch(place, err);
	if (rc == 0) {
		sync(); /* neither our copy nor what others left dirty is written out in the middle of a test */
		server->copy_ns = mm_now_ns() - begin;
		warm_prefix(place->build);
		begin = mm_now_ns();
		rc = start_process(server, err);
	}
	if (rc == 0)
		rc = wait_ready(server, err);
	server->start_ns = mm_now_ns() - begin;
	if (rc != 0)
		mm_process_stop(&server->process, SIGKILL, 0, NULL);
	return rc;
}

static void release(struct mm_server *server)
{
	empty_scratch(server->place);
	(void)unlink(server->socket);
	free(server->socket);
	free(server->error_log);
	mm_strings_release(&server->argv);
	server->socket = server->error_log = NULL;
	server->place = NULL;
}

int mm_server_stop(struct mm_server *server, struct mm_error *err)
{
	struct mm_process_result result = { 0 };
	uint64_t begin = mm_now_ns();
	char how[64], *errors;

	mm_process_stop(&server->process, SIGTERM, STOP_LIMIT_MS, &result);
	server->stop_ns = mm_now_ns() - begin;
	if (result.exit_status != 0 || result.signal != 0) {
		errors = mm_serverlog_errors(server->error_log);
		(void)mm_error_set(err, MM_ECELL, "server of cell '%s' did not stop cleanly (%s after %.1f s): %s",
				   cell_of(server), mm_process_describe(&result, how), (double)server->stop_ns / 1e9,
				   errors);
		free(errors);
		return MM_ECELL;
	}
	release(server);
	return 0;
}

void mm_server_kill(struct mm_server *server, char **log_tail)
{
	if (server->place == NULL)
		return;
	mm_process_stop(&server->process, SIGKILL, 0, NULL);
	if (log_tail != NULL)
		*log_tail = mm_serverlog_tail(server->error_log);
	release(server);
}
