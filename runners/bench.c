#include "runners/bench.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/build-id.h"
#include "runners/noise.h"
#include "runners/ready.h"
#include "runners/serverlog.h"
#include "runners/supervise.h"

enum { LONGEST_OPTION_FILE = 1 << 20 };

/* Every row of a two-column result into OBJECT, as strings. */
static int query_pairs(MYSQL *mysql, const char *statement, json_t *object, struct mm_error *err)
{
	MYSQL_RES *result = NULL;
	MYSQL_ROW row;

	if (mysql_query(mysql, statement) == 0)
		result = mysql_store_result(mysql);
	if (result == NULL && mysql_errno(mysql) == 0)
		return mm_error_set(err, MM_EENV, "the client library has no memory for the answer to '%s'", statement);
	if (result == NULL)
		return mm_error_set(err, mm_server_blame(mysql_errno(mysql)), "'%s': %s", statement, mysql_error(mysql));
	while (mysql_num_fields(result) == 2 && (row = mysql_fetch_row(result)) != NULL)
		if (row[0] != NULL)
			mm_json_put_string(object, row[0], row[1] == NULL ? "" : row[1]);
	mysql_free_result(result);
	return 0;
}

/* What the server says about itself. */
static int ask_server(const struct mm_server *server, struct mm_pass *pass, struct mm_error *err)
{
	MYSQL *mysql;
	int rc = mm_server_ask(server, &mysql, err);

	if (rc != 0)
		return rc;
	pass->variables = json_object();
	/* 4.0 knows no GLOBAL */
	rc = query_pairs(mysql, "SHOW GLOBAL VARIABLES", pass->variables, NULL);
	if (rc != 0)
		rc = query_pairs(mysql, "SHOW VARIABLES", pass->variables, err);
	/* the handshake's text, where MariaDB 10 puts "5.5.5-" in front for old replicas, is not the version */
	pass->server_version = mm_strdup(mm_json_string(pass->variables, "version", mysql_get_server_info(mysql)));
	pass->client_version = mm_format("%s %s", mysql_get_client_info(), "libmariadb");
	mysql_close(mysql);
	return rc;
}

/* Does the host offer hardware counters? Found out on the running server, said in the pass. */
static void find_counters(struct mm_server *server, struct mm_pass *pass)
{
	struct mm_error why = MM_ERROR_INIT;
	struct mm_counter_set *set;

	server->has_counters = mm_counters_open(server->process.pid, &set, &why) == 0;
	mm_counters_close(set, NULL);
	free(pass->counters);
	pass->counters = server->has_counters ? mm_strdup("available") : mm_format("unavailable: %s", why.text);
}

/* Ready is a server whose tables of the engine under test answer. */
static int get_ready(struct mm_server *server, const struct mm_suite_spec *spec, struct mm_pass *pass,
		     struct mm_error *err)
{
	int rc = ask_server(server, pass, err);

	free(pass->engine);
	pass->engine = NULL;
	if (rc == 0)
		rc = mm_ready_engine(server, spec->engine, &pass->engine, err);
	find_counters(server, pass);
	return rc;
}

/* The cell's config, as its server gets it. An option file that cannot be read fails the start, with its reason. */
static void note_config(const struct mm_server_place *place, struct mm_pass *pass)
{
	struct mm_buffer text = MM_BUFFER_INIT;

	mm_strings_extend(&pass->run_env, &place->cell->config->run_env);
	free(pass->my_cnf);
	pass->my_cnf = NULL;
	if (mm_fs_read(place->build->my_cnf, LONGEST_OPTION_FILE, &text, NULL) == 0 && text.length > 0)
		pass->my_cnf = mm_strdup(mm_buffer_text(&text));
	mm_buffer_release(&text);
}

static int run_suite(const struct mm_suite *suite, const struct mm_suite_spec *spec, struct mm_server *server,
		     struct mm_pass *pass, struct mm_error *err)
{
	struct mm_suite_run run = { .spec = spec, .server = server, .pass = pass };
	struct mm_noise noise;
	int rc;

	mm_noise_begin(&noise, server->process.pid);
	rc = mm_supervise(suite, &run, err);
	pass->noise = mm_noise_end(&noise);
	return rc;
}

int mm_pass_run_suite(const struct mm_server_place *place, const struct mm_suite *suite,
		      const struct mm_suite_spec *spec, struct mm_pass *pass, struct mm_error *err)
{
	struct mm_error own = MM_ERROR_INIT;
	struct mm_server server;
	char *log;
	int rc;

	if (err == NULL)
		err = &own;
	free(pass->cell);
	free(pass->suite);
	pass->cell = mm_strdup(place->cell->id);
	pass->suite = mm_strdup(spec->name);
	pass->build_id = mm_build_id(place->build->server);
	note_config(place, pass);
	mm_utc_text(pass->started);
	rc = mm_server_start(place, &server, err);
	mm_strings_extend(&pass->server_argv, &server.argv);
	log = mm_strdup(server.error_log);
	if (rc == 0)
		rc = get_ready(&server, spec, pass, err);
	if (rc == 0)
		rc = run_suite(suite, spec, &server, pass, err);
	if (rc == 0)
		rc = mm_server_stop(&server, err);
	if (rc == 0)
		pass->error_log = mm_serverlog_whole(log);
	free(log);
	if (rc != 0) {
		mm_server_kill(&server, &pass->log_tail);
		pass->failure = mm_strdup(err->text);
	}
	pass->copy_ns = server.copy_ns;
	pass->start_ns = server.start_ns;
	pass->stop_ns = server.stop_ns;
	return rc;
}

int mm_pass_run(const struct mm_server_place *place, const struct mm_suite_spec *spec, struct mm_pass *pass,
		struct mm_error *err)
{
	const struct mm_suite *suite = mm_suite_find(spec->suite);

	if (suite == NULL)
		return mm_error_set(err, MM_EMATRIX, "suite '%s': there is no suite of the kind '%s'", spec->name,
				    spec->suite);
	return mm_pass_run_suite(place, suite, spec, pass, err);
}
