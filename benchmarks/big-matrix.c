/*
 * How time and memory of the steps that no compiler and no server has part in grow with the number of cells:
 *
 *   plan     read MATRIX.json, expand it, print the plan
 *   status   state of every build and every pass
 *   build    the command 'build' when every build is there
 *   begin    the first records of a run, when every build is there
 *   resume   the same command again, when every pass is there
 *   report   all passes to report.json
 *
 * usage: big-matrix [--keep] FOLDER CELLS…
 *                                       makes a matrix, a store and a run of made-up figures for each number of cells,
 *                                       prints a row for each, and without --keep leaves nothing: CPU seconds (every step is one
 *                                       thread), peak memory in MB
 *        big-matrix --stage NAME FOLDER does one step; it is a process of its own, so that its peak memory is its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "builders/record.h"
#include "executors/bench.h"
#include "executors/look.h"
#include "executors/record.h"
#include "executors/status.h"
#include "reports/report.h"
#include "runners/pass.h"

enum { PASSES = 2 };

static void die(const struct mm_error *err)
{
	(void)fprintf(stderr, "big-matrix: %s\n", err->text);
	exit(1);
}

static void check(int code, const struct mm_error *err)
{
	if (code)
		die(err);
}

/* CELLS as sources × flags × configs, with a comparison for every two neighbouring sets of flags. */
static void write_matrix(const char *folder, size_t cells)
{
	size_t flags = cells >= 10000 ? 100 : 10, configs = cells >= 1000 ? 100 : 10, sources = cells / flags / configs;
	json_t *all[3] = { json_object(), json_object(), json_object() },
	       *axes[3] = { json_array(), json_array(), json_array() };
	static const char letters[] = "sfc";
	const size_t counts[3] = { sources ? sources : 1, flags, configs };
	json_t *compare = json_array();
	struct mm_error err = MM_ERROR_INIT;
	for (int axis = 0; axis < 3; axis++) {
		for (size_t i = 0; i < counts[axis]; i++) {
			char *name = mm_format("%c%03zu", letters[axis], i), *value = mm_format("-DVALUE=%zu", i);
			json_t *entry = axis == 0   ? json_pack("{s:s}", "tarball", "s.tar.gz")
					: axis == 1 ? json_pack("{s:s}", "*", value)
						    : json_pack("{s:[s]}", "build_options", value);
			if (axis == 0)
				json_object_set_new(entry, "build", json_pack("{s:[s]}", "options", value));
			json_object_set_new(all[axis], name, entry);
			json_array_append_new(axes[axis], json_string(name));
			free(value);
			free(name);
		}
	}
	for (size_t i = 0; i + 1 < flags; i += 2)
		json_array_append_new(compare, json_pack("{s:s, s:O, s:O}", "axis", "flags", "baseline",
							 json_array_get(axes[1], i), "candidate",
							 json_array_get(axes[1], i + 1)));
	json_t *matrix = json_pack(
		"{s:i, s:o, s:{s:{s:s}}, s:o, s:o, s:{s:o, s:[s], s:[i], s:o, s:o}, s:[{s:s, s:s, s:i}], s:o}",
		"mymatrix", 1, "sources", all[0], "toolchains", "gcc", "family", "gcc", "flags", all[1], "configs",
		all[2], "matrix", "source", axes[0], "toolchain", "gcc", "bits", 64, "flags", axes[1], "config",
		axes[2], "suites", "name", "classic", "suite", "sql-bench", "passes", PASSES, "compare", compare);
	char *path = mm_path_join(folder, "MATRIX.json"), *tarball = mm_path_join(folder, "s.tar.gz");
	check(mm_json_save(path, matrix, &err), &err);
	check(mm_fs_write_atomic(tarball, "x", 1, &err), &err);
	free(tarball);
	free(path);
	json_decref(matrix);
}

static struct mm_matrix *load(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	struct mm_matrix *matrix = NULL;
	char *path = mm_path_join(folder, "MATRIX.json");
	mm_matrix_overrides_init(&overrides);
	check(mm_matrix_load(path, &overrides, &matrix, &err), &err);
	mm_matrix_overrides_release(&overrides);
	free(path);
	return matrix;
}

static char *work_of(const char *folder)
{
	return mm_path_join(folder, "work");
}

/* The stages */

static void stage_plan(const char *folder)
{
	struct mm_matrix *matrix = load(folder);
	json_t *plan = mm_matrix_plan(matrix);
	char *text = mm_json_text(plan);
	(void)printf("%zu cells, %zu comparisons, %zu bytes\n", matrix->cell_count, matrix->comparison_count,
		     strlen(text));
	free(text);
	json_decref(plan);
	mm_matrix_free(matrix);
}

static void stage_status(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = load(folder);
	struct mm_look look;
	char *work = work_of(folder);
	check(mm_look_open(matrix, work, &look, &err), &err);
	json_t *status = mm_status(work, &look);
	char *text = mm_json_text(status);
	(void)printf("%lld passes\n", (long long)mm_json_integer(json_object_get(status, "run"), "done", -1));
	free(text);
	json_decref(status);
	mm_look_release(&look);
	mm_matrix_free(matrix);
	free(work);
}

static void carry_out(const char *folder, unsigned phases)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = load(folder);
	char *work = work_of(folder);
	struct mm_run_options options = { .work = work, .phases = phases };
	struct mm_run run;
	check(mm_run_open(matrix, &options, &run, &err), &err);
	if (!phases) {
		for (size_t i = 0; i < matrix->cell_count; i++)
			check(mm_build_prepare(&run.store, &matrix->cells[i], &run.cells[i].build, &err), &err);
		check(mm_record_open(&run, &mm_executor_local, false, &err), &err);
		check(mm_record_cells(&run, &err), &err);
	} else {
		check(mm_run_carry_out(&run, &options, &err), &err);
	}
	mm_run_close(&run);
	mm_matrix_free(matrix);
	free(work);
}

static void stage_begin(const char *folder)
{
	carry_out(folder, 0);
}

static void stage_build(const char *folder)
{
	carry_out(folder, MM_RUN_BUILD);
}

static void stage_resume(const char *folder)
{
	carry_out(folder, MM_RUN_BUILD | MM_RUN_BENCH);
}

static void stage_report(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *report = NULL;
	char *work = work_of(folder), *run = mm_run_newest(work), *path = mm_path_join(run, "report.json");
	check(mm_report_make(run, &report, &err), &err);
	check(mm_report_save(path, report, &err), &err);
	if (!mm_json_true(report, "complete"))
		(void)fprintf(stderr, "big-matrix: the report is not complete\n");
	json_decref(report);
	free(path);
	free(run);
	free(work);
}

/* What would take weeks is made up: a finished build for every cell, then all passes. */

static void make_builds(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = load(folder);
	struct mm_look look;
	char *work = work_of(folder);
	check(mm_look_open(matrix, work, &look, &err), &err);
	for (size_t i = 0; i < matrix->cell_count; i++) {
		struct mm_build *build = &look.cells[i].build;
		if (look.cells[i].code) {
			(void)fprintf(stderr, "big-matrix: %s\n", look.cells[i].failure);
			exit(1);
		}
		check(mm_fs_mkdirs(build->folder, 0755, &err), &err);
		build->state = MM_BUILD_DONE;
		build->variant = mm_strdup("mariadb");
		build->version = mm_strdup("10.11.18");
		build->server = mm_strdup("/bin/true");
		build->basedir = mm_strdup(build->prefix);
		(void)snprintf(build->code_sha256, sizeof build->code_sha256, "%064zu", i);
		json_t *record = mm_build_json(build);
		char *path = mm_path_join(build->folder, "build.json"), *text = mm_json_text(record);
		FILE *file = fopen(path, "w"); /* not mm_record_save, which syncs each file */
		if (!file || fputs(text, file) < 0 || fclose(file))
			exit(1);
		/* an option file is looked at by every call */
		char *etc = mm_path_folder(build->my_cnf);
		check(mm_fs_mkdirs(etc, 0755, &err), &err);
		file = fopen(build->my_cnf, "w");
		if (!file || fclose(file))
			exit(1);
		free(etc);
		free(text);
		free(path);
		json_decref(record);
	}
	mm_look_release(&look);
	mm_matrix_free(matrix);
	free(work);
}

struct maker {
	const struct mm_matrix *matrix;
	const char *run;
};

static int make_passes_of(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	static const char *const tests[] = { "ATIS", "alter-table", "connect", "insert", "select" };
	const struct maker *maker = context;
	for (size_t i = 0; i < trail->slot_count; i++) {
		const struct mm_cell *cell = &maker->matrix->cells[trail->slots[i].cell];
		struct mm_pass pass;
		mm_pass_init(&pass);
		pass.cell = mm_strdup(cell->id);
		pass.suite = mm_strdup(maker->matrix->suites[trail->suite].name);
		pass.index = trail->index;
		pass.visit = trail->slots[i].visit;
		pass.position = trail->position + (int)i;
		mm_utc_text(pass.started);
		pass.server_version = mm_strdup("10.11.18");
		for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
			struct mm_test_sample *test = mm_pass_add_test(&pass, tests[t]);
			test->wall_ns = 1000000000 +
					(uint64_t)(cell->index * 7919 + (size_t)trail->index * 104729 + t) % 10000000;
			test->value = (double)test->wall_ns / 1e9;
			test->server_cpu_ns = test->wall_ns / 2 + 1000;
			test->statements = test->rows = 1000;
			test->checksum = 1 + t;
		}
		char *path = mm_pass_path(maker->run, cell->id, pass.suite, pass.index, pass.visit),
		     *folder = mm_path_folder(path);
		json_t *json = mm_pass_json(&pass);
		char *text = mm_json_text(json);
		FILE *file;
		if (mm_fs_mkdirs(folder, 0755, err))
			return MM_EENV;
		file = fopen(path, "w");
		if (!file || fputs(text, file) < 0 || fclose(file))
			return mm_error_errno(err, "cannot write '%s'", path);
		free(text);
		json_decref(json);
		free(folder);
		free(path);
		mm_pass_release(&pass);
	}
	return 0;
}

static void make_passes(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = load(folder);
	char *work = work_of(folder), *run = mm_run_newest(work);
	struct maker maker = { matrix, run };
	check(mm_trails_each(matrix, make_passes_of, &maker, &err), &err);
	mm_matrix_free(matrix);
	free(run);
	free(work);
}

static const struct {
	const char *name;
	void (*run)(const char *folder);
	bool measured;
} stages[] = {
	{ "plan", stage_plan, true },     { "builds", make_builds, false }, { "build", stage_build, true }, { "begin", stage_begin, true },
	{ "passes", make_passes, false }, { "status", stage_status, true }, { "resume", stage_resume, true },
	{ "report", stage_report, true },
};
enum { STAGES = sizeof stages / sizeof *stages };

static void measure(char *self, char *folder, size_t cells)
{
	(void)printf("%8zu", cells);
	for (size_t i = 0; i < STAGES; i++) {
		char *name = mm_strdup(stages[i].name), option[] = "--stage";
		char *const argv[] = { self, option, name, folder, NULL };
		struct mm_buffer output = MM_BUFFER_INIT;
		struct mm_process_spec spec = { .argv = argv, .output = &output };
		struct mm_process_result result;
		struct mm_error err = MM_ERROR_INIT;
		check(mm_process_run(&spec, &result, &err), &err);
		if (result.exit_status != 0) {
			(void)fprintf(stderr, "big-matrix: stage '%s' failed: %s\n", name, mm_buffer_text(&output));
			exit(1);
		}
		if (stages[i].measured)
			(void)printf(" %8.3f %8.1f", (double)(result.user_ns + result.system_ns) / 1e9,
				     (double)result.peak_rss_bytes / 1e6);
		(void)fflush(stdout);
		mm_buffer_release(&output);
		free(name);
	}
	(void)printf("\n");
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	if (argc == 4 && strcmp(argv[1], "--stage") == 0) {
		for (size_t i = 0; i < STAGES; i++)
			if (strcmp(stages[i].name, argv[2]) == 0)
				stages[i].run(argv[3]);
		return 0;
	}
	bool keep = argc > 1 && strcmp(argv[1], "--keep") == 0;
	if (argc - keep < 3) {
		(void)fprintf(stderr, "usage: big-matrix [--keep] FOLDER CELLS…\n");
		return 2;
	}
	(void)printf("# cells");
	for (size_t i = 0; i < STAGES; i++)
		if (stages[i].measured)
			(void)printf("  %s:s %s:MB", stages[i].name, stages[i].name);
	(void)printf("\n");
	for (int i = 2 + keep; i < argc; i++) {
		size_t cells = strtoul(argv[i], NULL, 10);
		char *folder = mm_format("%s/big-matrix-%zu", argv[1 + keep], cells);
		check(mm_fs_mkdirs(folder, 0755, &err), &err);
		write_matrix(folder, cells);
		measure(argv[0], folder, cells);
		if (!keep)
			check(mm_fs_remove_tree(folder, &err), &err);
		free(folder);
	}
	return 0;
}
