#include "runners/launch.h"

#include <unistd.h>

#include "base/memory.h"
#include "builders/failure.h"
#include "runners/serverlog.h"

void mm_launch_argv(const struct mm_server_place *place, const char *datadir, struct mm_strings *argv)
{
	const struct mm_build *build = place->build;

	mm_strings_extend(argv, &build->launcher);
	mm_strings_push(argv, build->server);
	/* only as the first option does it keep the server from /etc/my.cnf, ~/.my.cnf and $MYSQL_HOME */
	mm_strings_pushf(argv, "--defaults-file=%s", build->my_cnf);
	mm_strings_pushf(argv, "--basedir=%s", build->basedir);
	mm_strings_pushf(argv, "--datadir=%s", datadir);
	if (geteuid() == 0)
		mm_strings_push(argv, "--user=root");
}

static bool same_name(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");

	return length == strcspn(b, "=") && memcmp(a, b, length) == 0;
}

/* Replaces the entry of the same name: of two, getenv would find the first. */
static void set_env(struct mm_strings *env, const char *assignment)
{
	for (size_t i = 0; i < env->count; i++) {
		if (same_name(env->items[i], assignment)) {
			free(env->items[i]);
			env->items[i] = mm_strdup(assignment);
			return;
		}
	}
	mm_strings_push(env, assignment);
}

void mm_launch_env(const struct mm_server_place *place, const char *home, struct mm_strings *env)
{
	const struct mm_strings *more = &place->cell->config->run_env;

	mm_process_clean_env(env, home);
	for (size_t i = 0; i < more->count; i++)
		set_env(env, more->items[i]);
}

char *mm_launch_limit(const struct mm_server_place *place, const char *words, const char *log, bool crashed)
{
	char *errors = mm_serverlog_errors(log), *all = mm_format("%s %s", words, errors);
	char *limit = mm_failure_limit(&place->limits, all, crashed);
	char *text = limit == NULL ? mm_strdup("") : mm_format("; %s", limit);

	free(limit);
	free(all);
	free(errors);
	return text;
}

/* "5.7.44-48-log" is at least 5.7.6? What is no number counts 0. */
static bool version_at_least(const char *version, unsigned major, unsigned minor, unsigned patch)
{
	const unsigned wanted[3] = { major, minor, patch };

	for (int i = 0; i < 3; i++) {
		char *end = NULL;
		unsigned long part = version == NULL ? 0 : strtoul(version, &end, 10);

		if (part != wanted[i])
			return part > wanted[i];
		version = end != NULL && *end == '.' ? end + 1 : NULL;
	}
	return true;
}

bool mm_launch_is_mysql_since(const struct mm_build *build, unsigned major, unsigned minor, unsigned patch)
{
	return (build->variant == NULL || strcmp(build->variant, "mariadb") != 0) &&
	       version_at_least(build->version, major, minor, patch);
}
