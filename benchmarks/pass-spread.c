/*
 * What a pass costs besides its statements, and how far equal passes are apart: the same server, again and again.
 *
 *     pass-spread [SUITE [PASSES [SCALE [ENGINE]]]]     sql-bench, 10, 0.02, default
 *
 * SUITE is sql-bench, sysbench or threads; the latter two run $MM_SECONDS (5) for each test. The server is $MM_SERVER
 * (/usr/sbin/mariadbd) with $MM_BASEDIR (/usr); server and client share CPU $MM_CPU, or run where the system lets them.
 * It works below $TMPDIR or /tmp. Printed are the seconds of copy, start and stop, and of everything else between the
 * tests; and for each test the mean, the standard deviation and the range over the passes, of wall time (or rate) and
 * server CPU.
 */
#include <math.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "runners/bench.h"

struct spread {
	double sum, squares, least, most;
	int count;
};

static void add(struct spread *spread, double value)
{
	if (!isfinite(value))
		return;
	spread->least = spread->count == 0 || value < spread->least ? value : spread->least;
	spread->most = spread->count == 0 || value > spread->most ? value : spread->most;
	spread->sum += value;
	spread->squares += value * value;
	spread->count++;
}

static double mean(const struct spread *spread)
{
	return spread->count == 0 ? NAN : spread->sum / spread->count;
}

static double deviation(const struct spread *spread)
{
	double variance = (spread->squares - spread->sum * mean(spread)) / (spread->count - 1);

	return spread->count < 2 ? NAN : sqrt(variance > 0 ? variance : 0);
}

static void print(const struct spread *spread)
{
	printf(" %12.4f %6.2f%% %6.2f%%", mean(spread), 100 * deviation(spread) / mean(spread),
	       100 * (spread->most - spread->least) / mean(spread));
}

/* A place in FOLDER for the server of the environment. */
static void make_place(const char *folder, struct mm_build *build, struct mm_server_place *place)
{
	const char *server = getenv("MM_SERVER"), *basedir = getenv("MM_BASEDIR");

	*build = (struct mm_build){ .server = mm_strdup(server != NULL ? server : "/usr/sbin/mariadbd"),
				    .prefix = mm_strdup(basedir != NULL ? basedir : "/usr"),
				    .basedir = mm_strdup(basedir != NULL ? basedir : "/usr"),
				    .variant =
					    mm_strdup(getenv("MM_VARIANT") != NULL ? getenv("MM_VARIANT") : "mariadb"),
				    .version = mm_strdup(getenv("MM_VERSION") != NULL ? getenv("MM_VERSION") : "10.11"),
				    .my_cnf = mm_path_join(folder, "my.cnf") };
	place->build = build;
	place->pristine = mm_path_join(folder, "pristine");
	place->scratch = mm_path_join(folder, "scratch");
	place->socket = mm_path_join(folder, "s");
}

struct figures {
	struct spread value[64], cpu[64], copy, start, stop, rest, others;
	char *names[64];
	size_t count;
};

static void collect(const struct mm_pass *pass, uint64_t wall_ns, struct figures *figures)
{
	double tests = 0;

	for (size_t i = 0; i < pass->test_count && i < 64; i++) {
		const struct mm_test_sample *test = &pass->tests[i];

		if (i == figures->count)
			figures->names[figures->count++] = mm_format("%s (%s)", test->name, test->unit);
		if (test->skipped != NULL)
			continue;
		add(&figures->value[i], test->value);
		add(&figures->cpu[i], test->server_cpu_ns == MM_UNKNOWN ? NAN : (double)test->server_cpu_ns / 1e9);
		tests += (double)test->wall_ns / 1e9;
	}
	add(&figures->copy, (double)pass->copy_ns / 1e9);
	add(&figures->start, (double)pass->start_ns / 1e9);
	add(&figures->stop, (double)pass->stop_ns / 1e9);
	add(&figures->others, mm_json_number(pass->noise, "other_cpu_percent", NAN));
	add(&figures->rest, (double)(wall_ns - pass->copy_ns - pass->start_ns - pass->stop_ns) / 1e9 - tests);
}

static int run_passes(const struct mm_server_place *place, const struct mm_suite_spec *spec, struct figures *figures,
		      struct mm_error *err)
{
	int rc = mm_datadir_make(place, err);

	for (int i = 1; rc == 0 && i <= spec->passes; i++) {
		struct mm_pass pass;
		uint64_t begin = mm_now_ns();

		mm_pass_init(&pass);
		pass.index = i;
		rc = mm_pass_run(place, spec, &pass, err);
		if (rc == 0)
			collect(&pass, mm_now_ns() - begin, figures);
		mm_pass_release(&pass);
		fprintf(stderr, "pass %d of %d\n", i, spec->passes);
	}
	return rc;
}

static void report(const struct mm_suite_spec *spec, const struct figures *figures)
{
	static const char *const names[] = { "copy", "start", "stop", "between the tests" };
	const struct spread *overhead[] = { &figures->copy, &figures->start, &figures->stop, &figures->rest };

	printf("%s, %d passes, scale %g, engine %s\n\n", spec->suite, spec->passes, spec->scale, spec->engine);
	printf("%-28s %12s %7s %7s\n", "besides the statements", "mean s", "sd", "range");
	for (int i = 0; i < 4; i++) {
		printf("%-28s", names[i]);
		print(overhead[i]);
		printf("\n");
	}
	printf("\nother processes used %.0f%% of a CPU on average, between %.0f%% and %.0f%% in a pass\n",
	       mean(&figures->others), figures->others.least, figures->others.most);
	printf("\n%-28s %12s %7s %7s %12s %7s %7s\n", "test", "mean", "sd", "range", "server CPU s", "sd", "range");
	for (size_t i = 0; i < figures->count; i++) {
		printf("%-28s", figures->names[i]);
		print(&figures->value[i]);
		print(&figures->cpu[i]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	char *folder = mm_format("%s/mymatrix-spread.XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
	char cell_id[] = "spread", config_name[] = "default";
	struct mm_config config = { .name = config_name };
	struct mm_cell cell = { .id = cell_id, .config = &config };
	char *cpu = getenv("MM_CPU"), *seconds = getenv("MM_SECONDS");
	struct mm_schedule schedule = { .cpus_server = cpu, .cpus_client = cpu };
	struct mm_server_place place = { .cell = &cell, .schedule = &schedule };
	struct mm_suite_spec spec = {
		.name = mm_strdup("spread"),
		.suite = mm_strdup(argc > 1 ? argv[1] : "sql-bench"),
		.passes = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10,
		.scale = argc > 3 ? strtod(argv[3], NULL) : 0.02,
		.engine = mm_strdup(argc > 4 ? argv[4] : "default"),
		.edition = mm_strdup("5.0"),
		.time_seconds = seconds != NULL ? (int)strtol(seconds, NULL, 10) : 5,
	};
	struct figures *figures = mm_alloc(sizeof(*figures));
	const struct mm_suite *suite = mm_suite_find(spec.suite);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_build build;
	int rc;

	if (suite == NULL || spec.passes < 1 || mkdtemp(folder) == NULL) {
		fprintf(stderr, "pass-spread: usage: pass-spread [SUITE [PASSES [SCALE [ENGINE]]]]\n");
		return 2;
	}
	mm_signals_install();
	make_place(folder, &build, &place);
	rc = mm_fs_write_atomic(build.my_cnf, "", 0, &err);
	if (rc == 0)
		rc = suite->check(&spec, &err);
	if (rc == 0)
		rc = run_passes(&place, &spec, figures, &err);
	if (rc == 0)
		report(&spec, figures);
	else
		fprintf(stderr, "pass-spread: %s\n", err.text);
	(void)mm_fs_remove_tree(folder, NULL);
	return mm_error_status((enum mm_code)rc);
}
