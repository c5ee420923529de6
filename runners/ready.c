#include "runners/ready.h"

#include <mysqld_error.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"

enum {
	LIMIT_MS = 60 * 1000,
	PAUSE_MS = 50,
};

bool mm_ready_is_default(const char *engine)
{
	return engine == NULL || strcmp(engine, "default") == 0;
}

int mm_ready_check_name(const char *engine, struct mm_error *err)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	if (engine[0] != '\0' && strlen(engine) <= 64 && strspn(engine, word) == strlen(engine))
		return 0;
	return mm_error_set(err, MM_EMATRIX,
			    "'%.80s' is not the name of an engine, which is a word such as InnoDB, or \"default\"",
			    engine);
}

/* The server's error number, 0 when it did what STATEMENT says; an answer is thrown away. */
static unsigned send(MYSQL *mysql, const char *statement)
{
	MYSQL_RES *result;

	if (mysql_query(mysql, statement) != 0)
		return mysql_errno(mysql);
	result = mysql_store_result(mysql);
	if (result != NULL)
		mysql_free_result(result);
	return mysql_errno(mysql);
}

char *mm_ready_engine_of(MYSQL *mysql, const char *table)
{
	char *statement = mm_format("show table status like '%s'", table), *engine = NULL;
	MYSQL_RES *result = mysql_query(mysql, statement) == 0 ? mysql_store_result(mysql) : NULL;
	MYSQL_ROW row = result == NULL ? NULL : mysql_fetch_row(result);

	if (row != NULL && mysql_num_fields(result) > 1)
		engine = mm_strdup(row[1]);
	if (result != NULL)
		mysql_free_result(result);
	free(statement);
	return engine;
}

/* Everything once. Returns the error number of the first statement that failed. */
static unsigned try_engine(MYSQL *mysql, const char *create, char **real)
{
	static const char *const before[] = { "create database if not exists mymatrix_ready", "use mymatrix_ready",
					      "drop table if exists probe" };
	static const char *const after[] = { "insert into probe values (1)", "select a from probe",
					     "drop database mymatrix_ready" };
	unsigned number = 0;

	for (int i = 0; i < 3 && number == 0; i++)
		number = send(mysql, before[i]);
	if (number == 0)
		number = send(mysql, create);
	if (number == 0) {
		free(*real);
		*real = mm_ready_engine_of(mysql, "probe");
	}
	for (int i = 0; i < 3 && number == 0; i++)
		number = send(mysql, after[i]);
	return number;
}

int mm_ready_engine(const struct mm_server *server, const char *engine, char **real, struct mm_error *err)
{
	bool any = mm_ready_is_default(engine);
	/* what this kind of engine makes in 4.0 with TYPE=, nobody can connect to any more */
	char *create = mm_format("create table probe (a int not null)%s%s", any ? "" : " engine=", any ? "" : engine);
	uint64_t limit = mm_now_ns() + LIMIT_MS * UINT64_C(1000000);
	char *found = NULL;
	unsigned number = 0;
	MYSQL *mysql;
	int rc = mm_server_ask(server, &mysql, err);

	if (rc != 0)
		goto out;
	/* one that is unknown stays unknown; others may still be on their way up */
	while ((number = try_engine(mysql, create, &found)) != 0 && number != ER_UNKNOWN_STORAGE_ENGINE &&
	       number < 2000 && mm_now_ns() < limit && (rc = mm_signals_check(err)) == 0)
		(void)usleep(PAUSE_MS * 1000);
	if (rc == 0 && number != 0)
		rc = mm_error_set(err, mm_server_blame(number),
				  "server of cell '%s': a table%s%s cannot be made and read: %s (%u)",
				  server->place->cell->id, any ? "" : " of engine ", any ? "" : engine,
				  mysql_error(mysql), number);
	/* a server may put its default in place of an engine that it does not have, with a warning that nobody reads */
	else if (rc == 0 && !any && found != NULL && strcasecmp(found, engine) != 0)
		rc = mm_error_set(err, MM_ECELL,
				  "server of cell '%s' made a table of engine '%s' when asked for '%s'; name an engine "
				  "that it has",
				  server->place->cell->id, found, engine);
	mysql_close(mysql);
	if (rc == 0 && real != NULL) {
		*real = found;
		found = NULL;
	}
out:
	free(found);
	free(create);
	return rc;
}
