/*
 * What the client itself burns: CPU time of upstream's Perl scripts and of the native tests, for the same statements
 * against the same server in one run. The kernel's part (a message sent, a sleep, a message received) is the same for
 * every client that waits for each answer; what a client can save is its own part, in user mode. Limit: a third of
 * Perl's user time over all tests, and less than Perl in every test, kernel included.
 *
 * Arguments: a MariaDB 10.11 source tarball, and how many times the ordinary loop counts (default 1). Needs the
 * installed MariaDB server, perl, DBI and DBD::mysql.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runners/server.h"
#include "tests/live/sqlbench-upstream.h"

/* For each of upstream_scripts: a second or more of Perl, where the test can. */
static const double ordinary[UPSTREAM_SCRIPTS] = { 0.02, 0.2, 0.01, 0.04, 0.02, 0.05, 0.1, 0.02, 0.004 };

/* Seconds of CPU. */
struct cpu {
	double user, system;
};

struct figures {
	struct cpu perl, native;
	uint64_t statements;
};

static struct cpu own_cpu(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct cpu){ (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
			     (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6 };
}

static void print(const char *name, const struct figures *f)
{
	double perl = f->perl.user + f->perl.system, native = f->native.user + f->native.system;

	printf("%-14s %10llu %10.2f %8.2f %8.2f %12.2f %8.2f %8.2f %10.3f %9.3f\n", name,
	       (unsigned long long)f->statements, f->perl.user, f->perl.system, perl, f->native.user, f->native.system,
	       native, f->native.user / f->perl.user, native / perl);
	fflush(stdout);
}

static int measure(size_t i, double scale, const char *folder, const char *socket, struct figures *figures,
		   struct mm_error *err)
{
	const struct upstream_script *script = &upstream_scripts[i];
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	struct mm_pass pass;
	struct mm_test_sample *sample;
	struct cpu before, after;
	int code = upstream_run(folder, script, socket, "InnoDB", &output, &result, err);

	mm_buffer_release(&output);
	if (code)
		return code;
	figures->perl = (struct cpu){ (double)result.user_ns / 1e9, (double)result.system_ns / 1e9 };
	mm_pass_init(&pass);
	sample = mm_pass_add_test(&pass, script->name);
	before = own_cpu();
	code = upstream_native(script, scale, socket, "InnoDB", NULL, sample, err);
	after = own_cpu();
	figures->native = (struct cpu){ after.user - before.user, after.system - before.system };
	figures->statements = sample->statements;
	mm_pass_release(&pass);
	return code;
}

static void add(struct cpu *total, const struct cpu *more)
{
	total->user += more->user;
	total->system += more->system;
}

/* Every test, a line for each as soon as it is known. Returns an error, or how many limits were missed. */
static int compare(const char *folder, const double *scales, const char *socket, struct mm_error *err)
{
	struct figures total = { .statements = 0 };
	int missed = 0;

	printf("%-14s %10s %10s %8s %8s %12s %8s %8s %10s %9s\n", "test", "statements", "perl user", "system", "total",
	       "native user", "system", "total", "user ratio", "cpu ratio");
	for (size_t i = 0; i < UPSTREAM_SCRIPTS; i++) {
		struct figures f;
		int code = measure(i, scales[i], folder, socket, &f, err);

		if (code)
			return code;
		print(upstream_scripts[i].name, &f);
		add(&total.perl, &f.perl);
		add(&total.native, &f.native);
		total.statements += f.statements;
		missed += f.native.user + f.native.system >= f.perl.user + f.perl.system;
	}
	print("all", &total);
	return missed + (total.native.user * 3 > total.perl.user);
}

static int run(const char *folder, const char *tarball, double times, struct mm_error *err)
{
	struct mm_config config = { .name = (char[]){ "default" } };
	struct mm_cell cell = { .id = (char[]){ "installed" }, .config = &config };
	struct mm_schedule schedule = { .seed = 1 };
	struct mm_build build = {
		.variant = (char[]){ "mariadb" },
		.server = (char[]){ "/usr/sbin/mariadbd" },
		.prefix = (char[]){ "/usr" },
		.basedir = (char[]){ "/usr" },
		.version = (char[]){ "10.11" },
		.my_cnf = mm_path_join(folder, "my.cnf"),
	};
	struct mm_server_place place = {
		.build = &build,
		.cell = &cell,
		.schedule = &schedule,
		.pristine = mm_path_join(folder, "pristine"),
		.scratch = mm_path_join(folder, "scratch"),
		.socket = mm_path_join(folder, "s"),
	};
	static const char options[] = "[mysqld]\ninnodb_flush_log_at_trx_commit=0\n";
	char *scripts = mm_path_join(folder, "sql-bench");
	struct mm_server server = { .place = NULL };
	double scales[UPSTREAM_SCRIPTS];
	MYSQL *mysql = NULL;
	int code;

	for (size_t i = 0; i < UPSTREAM_SCRIPTS; i++)
		scales[i] = ordinary[i] * times;
	code = upstream_unpack(tarball, scripts, scales, err);
	if (!code)
		code = mm_fs_write_atomic(build.my_cnf, options, strlen(options), err);
	if (!code)
		code = mm_datadir_make(&place, err);
	if (!code)
		code = mm_server_start(&place, &server, err);
	if (!code)
		code = mm_server_connect(&server, &mysql, err);
	if (!code && mysql_query(mysql, "create database if not exists test") != 0)
		code = mm_error_set(err, MM_ECELL, "no database 'test': %s", mysql_error(mysql));
	if (mysql)
		mysql_close(mysql);
	if (!code)
		code = compare(scripts, scales, server.socket, err);
	mm_server_kill(&server, NULL);
	free(scripts);
	free(build.my_cnf);
	free(place.pristine);
	free(place.scratch);
	free(place.socket);
	return code;
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	char folder[] = "/tmp/mymatrix-client.XXXXXX";
	double times = argc > 2 ? strtod(argv[2], NULL) : 1;
	int code;

	if (argc < 2 || argc > 3 || !(times > 0 && times <= 100)) {
		fprintf(stderr, "usage: %s MARIADB-SOURCE-TARBALL [TIMES, up to 100]\n", argv[0]);
		return 2;
	}
	if (!mkdtemp(folder)) {
		perror("mkdtemp");
		return 5;
	}
	mm_signals_install();
	code = run(folder, argv[1], times, &err);
	mm_fs_remove_tree(folder, NULL);
	if (code < 0)
		fprintf(stderr, "%s\n", err.text);
	else if (code > 0)
		fprintf(stderr, "%d limits missed\n", code);
	return code < 0 ? mm_error_status(err.code) : code > 0;
}
