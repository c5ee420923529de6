/*
 * Makes run folders in the layout that executors/ writes, with figures that depend on nothing but the description:
 * for tests of reports/. Figures come from integer arithmetic, so that they are the same on every machine.
 */
#ifndef MM_TESTS_REPORTS_FIXTURE_H
#define MM_TESTS_REPORTS_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "runners/pass.h"

enum { FIXTURE_MOST = 8 };

struct fixture_test {
	const char *name, *unit;    /* unit NULL: "s" */
	double seconds;             /* wall time, or the rate when the unit is one */
	double speed[FIXTURE_MOST]; /* of each cell, 0 counts as 1: twice as fast is 2 */
	double cpu_share;           /* server CPU as a share of wall time, 0 counts as 0.9 */
	const char *operations[FIXTURE_MOST];
};

struct fixture_comparison {
	int baseline, candidate;
	const char *changed[4];
};

struct fixture {
	const char *title;
	const char *cells[FIXTURE_MOST];
	const char *code[FIXTURE_MOST];   /* code_sha256; NULL: one of its own */
	const char *sql_mode[FIXTURE_MOST]; /* NULL: the usual one */
	const char *failed[FIXTURE_MOST]; /* why the cell failed */
	int elf_bits[FIXTURE_MOST]; /* of a server that was not compiled, whose bits the plan does not know; 0: 64, planned */
	const char *versions[FIXTURE_MOST]; /* of the server; NULL: 10.11.18 */
	struct fixture_comparison comparisons[FIXTURE_MOST];
	struct fixture_test tests[12];
	int passes;
	bool control;
	double noise; /* share, e.g. 0.008 */
	uint64_t seed;
	double gate;     /* percent, 0: none */
	int failed_pass; /* this index of the last cell failed, 0: none */
	int wrong_test; /* from 1: the last cell answers this test differently, from its second operation on; 0: none */
	int parted[FIXTURE_MOST]; /* the statement of that test at which each cell left the run's ledger; 0: never */
	int noisy_pass;
	bool unexpected; /* that test's answers are not what upstream knows them to be, on all sides */
	bool leaves_out; /* the last cell does not do the last operation of a test */
};

static uint64_t fixture_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* About normal with sd 1: the sum of twelve uniforms less six, without any function that rounds differently elsewhere.
 */
static double fixture_noise(uint64_t *state)
{
	int64_t sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (int64_t)(fixture_random(state) >> 44);
	return (double)(sum - 6 * (1 << 20)) / (1 << 20);
}

static size_t fixture_cells(const struct fixture *fixture)
{
	size_t n = 0;

	while (n < FIXTURE_MOST && fixture->cells[n] != NULL)
		n++;
	return n;
}

static json_t *fixture_changed(const struct fixture_comparison *comparison)
{
	json_t *list = json_array();

	for (size_t i = 0; i < 4 && comparison->changed[i] != NULL; i++)
		json_array_append_new(list, json_string(comparison->changed[i]));
	return list;
}

static json_t *fixture_plan(const struct fixture *fixture)
{
	json_t *cells = json_array(), *comparisons = json_array(), *plan;

	for (size_t i = 0; i < fixture_cells(fixture); i++)
		json_array_append_new(cells, json_pack("{s:s, s:s, s:s, s:i, s:s, s:s}", "id", fixture->cells[i],
						       "source", "mariadb", "toolchain", "gcc", "bits", 64, "flags",
						       fixture->cells[i], "config", "default"));
	for (size_t i = 0; i < fixture_cells(fixture); i++)
		if (fixture->elf_bits[i] > 0) {
			json_object_del(json_array_get(cells, i), "toolchain");
			json_object_del(json_array_get(cells, i), "bits");
			json_object_del(json_array_get(cells, i), "flags");
		}
	for (size_t i = 0; i < FIXTURE_MOST && fixture->comparisons[i].baseline != fixture->comparisons[i].candidate;
	     i++) {
		const struct fixture_comparison *c = &fixture->comparisons[i];
		char *id = mm_format("%s vs %s", fixture->cells[c->baseline], fixture->cells[c->candidate]);

		json_array_append_new(comparisons,
				      json_pack("{s:s, s:s, s:s, s:o}", "id", id, "baseline",
						fixture->cells[c->baseline], "candidate", fixture->cells[c->candidate],
						"changed", fixture_changed(c)));
		free(id);
	}
	plan = json_pack("{s:i, s:s, s:o, s:o, s:[{s:s, s:s, s:i, s:f, s:s, s:s}], s:{s:i, s:b}, s:{s:f, s:f}}",
			 "mymatrix_plan", 1, "title", fixture->title, "cells", cells, "comparisons", comparisons,
			 "suites", "name", "classic", "suite", "sql-bench", "passes", fixture->passes, "scale", 1.0,
			 "edition", "5.0", "engine", "default", "schedule", "seed", 1, "control", fixture->control,
			 "thresholds", "effect_percent", 1.0, "equivalence_percent", 2.0);
	if (fixture->gate > 0)
		json_object_set_new(plan, "gate", json_pack("{s:f}", "max_regression_percent", fixture->gate));
	return plan;
}

static void fixture_slot(json_t *slots, const char *cell, int *visits, int number)
{
	json_array_append_new(slots, json_pack("{s:s, s:i}", "cell", cell, "visit", ++visits[number]));
}

/* One index: every comparison as baseline, control, candidate, or the other way round in even indices. */
static void fixture_index(const struct fixture *fixture, int index, json_t *order, json_t *pairs)
{
	json_t *slots = json_array(), *list = json_array();
	int visits[FIXTURE_MOST] = { 0 };

	for (size_t i = 0; i < FIXTURE_MOST && fixture->comparisons[i].baseline != fixture->comparisons[i].candidate;
	     i++) {
		const struct fixture_comparison *c = &fixture->comparisons[i];
		int b, k, control = 0;

		if (index % 2 == 0)
			fixture_slot(slots, fixture->cells[c->candidate], visits, c->candidate);
		fixture_slot(slots, fixture->cells[c->baseline], visits, c->baseline);
		b = visits[c->baseline];
		if (fixture->control) {
			fixture_slot(slots, fixture->cells[c->baseline], visits, c->baseline);
			control = index % 2 == 0 ? b + 1 : b;
			b = index % 2 == 0 ? b : b + 1;
		}
		if (index % 2 == 1)
			fixture_slot(slots, fixture->cells[c->candidate], visits, c->candidate);
		k = visits[c->candidate];
		json_array_append_new(list, json_pack("[i, i, i]", b, k, control));
	}
	json_array_append_new(order, json_pack("{s:s, s:i, s:o}", "suite", "classic", "index", index, "slots", slots));
	json_array_append_new(pairs, list);
}

static json_t *fixture_document(const struct fixture *fixture)
{
	json_t *order = json_array(), *pairs = json_array();

	for (int index = 1; index <= fixture->passes; index++)
		fixture_index(fixture, index, order, pairs);
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:{s:i, s:s}, s:o, s:{s:s, s:s, s:s, s:s, s:i, s:I, s:s, s:s, s:s, "
			 "s:s, s:s}, "
			 "s:s, s:o, s:{s:o}}",
			 "mymatrix_run", 1, "run", "fixture-2026-11-30T10:00:00Z", "created", "2026-11-30T10:00:00Z",
			 "mymatrix", "0.1.0", "matrix_path", "/srv/matrix/MATRIX.json", "matrix", "mymatrix", 1,
			 "title", fixture->title, "plan", fixture_plan(fixture), "host", "name", "builder", "kernel",
			 "6.1.0", "machine", "x86_64", "cpu", "Example CPU 3000", "cpus", 2, "memory_bytes",
			 (json_int_t)8 << 30, "microcode", "0x1", "governor", "performance", "turbo", "off", "thp",
			 "madvise", "aslr", "2", "client_library", "3.3.8", "order", order, "pairs", "classic", pairs);
}

static json_t *fixture_inputs(void)
{
	return json_loads(
		"{\"bits\": 64, \"source\": {\"kind\": \"tarball\", \"sha256\": "
		"\"a46852c68075be7c31c7b33fee233c5b5a00c8c28117f5204d124e4f2fd56fa8\", \"patches\": [{\"file\": "
		"\"one.patch\"}]}, \"toolchain\": {\"family\": \"gcc\", \"version\": \"12.2.0\"}, \"flags\": {\"c\": "
		"\"-O2\", \"cxx\": \"-O2\", \"cpp\": \"\", \"ld\": \"\", \"enforce\": \"level\"}}",
		0, NULL);
}

static json_t *fixture_audit(bool deviates)
{
	return json_loads(
		deviates ? "{\"units\": 700, \"in_force\": 700, \"exact\": 0, \"deviates\": true, \"injected\": "
			   "[{\"flag\": \"-fstack-protector-strong\"}, {\"flag\": \"-fno-omit-frame-pointer\"}], "
			   "\"injected_links\": [{\"flag\": \"-pie\"}], \"warnings\": []}"
			 : "{\"units\": 700, \"in_force\": 700, \"exact\": 700, \"deviates\": false, \"injected\": [], "
			   "\"injected_links\": [], \"warnings\": []}",
		0, NULL);
}

static json_t *fixture_cells_json(const struct fixture *fixture)
{
	json_t *all = json_object();

	for (size_t i = 0; i < fixture_cells(fixture); i++) {
		char *own = mm_format("%064zx", i + 1);
		json_t *build = json_pack(
			"{s:s, s:s, s:s, s:s, s:s, s:[], s:s, s:i, s:{s:i, s:i, s:i}, s:[s, s], s:s, s:[s, s], s:s, "
			"s:[{s:s, s:f}, {s:s, s:f, s:i}], s:o, s:o}",
			"key", "00112233445566778899aabbccddeeff", "prefix", "/srv/prefix", "variant", "mariadb",
			"version", fixture->versions[i] != NULL ? fixture->versions[i] : "10.11.18", "server", "/srv/prefix/bin/mariadbd", "launcher", "my_cnf",
			"/srv/prefix/etc/my.cnf", "elf_bits", fixture->elf_bits[i] > 0 ? fixture->elf_bits[i] : 64, "size", "text", 21000000 + (int)i * 700000, "data",
			1200000, "bss", 900000, "needed", "libcrypto.so.3", "libc.so.6", "code_sha256",
			fixture->code[i] != NULL ? fixture->code[i] : own, "profiles", "cmake", "mariadb-server",
			"signature", "mariadb-10.11.18.tar.gz.asc", "stages", "name", "unpack", "seconds", 2.5, "name",
			"compile", "seconds", 620.5 + 40.0 * (double)i, "peak_rss_bytes", 900000000 + (int)i * 1000000,
			"inputs", fixture_inputs(), "audit", fixture_audit(i == 1));
		json_t *cell = json_pack("{s:s, s:o}", "state", fixture->failed[i] != NULL ? "failed" : "done", "build",
					 build);

		if (fixture->failed[i] != NULL) {
			mm_json_put_string(cell, "failure", fixture->failed[i]);
			json_object_del(build, "code_sha256");
		}
		mm_json_put_real(json_array_get(json_object_get(build, "stages"), 1), "cpu_seconds",
				 1200.5 + 80.0 * (double)i);
		json_object_set_new(all, fixture->cells[i], cell);
		free(own);
	}
	return all;
}

/* What a pass says of the answers of each operation; those of a WRONG cell differ from the second on. */
static json_t *fixture_answers(const struct fixture_test *test, bool wrong, int parted)
{
	json_t *extra = json_object(), *operations = json_object();
	char text[64];

	for (size_t i = 0; i < FIXTURE_MOST && test->operations[i] != NULL; i++) {
		snprintf(text, sizeof(text), "%016zx", 0x100 * (i + 1) + (wrong && i > 0));
		json_object_set_new(operations, test->operations[i],
				    json_pack("{s:s, s:s}", "checksum", text, "first_statement", "select 1 from t"));
	}
	json_object_set_new(extra, "operations", operations);
	if (parted > 0) {
		snprintf(text, sizeof(text), "select %d from t", parted);
		json_object_set_new(extra, "first_difference",
				    json_pack("{s:i, s:s, s:s, s:s, s:s, s:s}", "statement_number", parted, "operation",
					      test->operations[1], "statement", text, "answer",
					      wrong ? "0000000b" : "0000000a", "expected", "00000009",
					      "reference_checksum", "0000000000001000"));
	}
	return extra;
}

static void fixture_test_sample(const struct fixture *fixture, struct mm_pass *pass, int number, size_t cell,
				uint64_t *state)
{
	const struct fixture_test *test = &fixture->tests[number];
	double speed = test->speed[cell] > 0 ? test->speed[cell] : 1;
	double factor = (1 + fixture->noise * fixture_noise(state)) / speed;
	struct mm_test_sample *sample = mm_pass_add_test(pass, test->name);
	double wall = test->unit == NULL ? test->seconds * factor : 60;

	sample->wall_ns = (uint64_t)(wall * 1e9);
	sample->value = (double)sample->wall_ns / 1e9;
	if (test->unit != NULL) {
		sample->unit = test->unit;
		sample->higher_is_better = true;
		sample->value = (double)(uint64_t)(test->seconds / factor * 1e6) / 1e6;
	}
	sample->server_cpu_ns = (uint64_t)((double)sample->wall_ns * (test->cpu_share > 0 ? test->cpu_share : 0.9));
	sample->client_cpu_ns = sample->wall_ns / 20;
	sample->peak_rss_bytes = 150000000 + (uint64_t)number * 1000000;
	sample->minor_faults = 1000;
	sample->statements = 1000;
	sample->rows = 5000;
	sample->checksum = 0x1000 + (uint64_t)number;
	if (fixture->wrong_test == number + 1) {
		bool wrong = cell + 1 == fixture_cells(fixture);

		/* a cell that left the ledger too did not answer as it says */
		sample->checksum += wrong ? 1 : fixture->parted[cell] > 0 ? 2 : 0;
		sample->extra = fixture_answers(test, wrong, fixture->parted[cell]);
		if (fixture->unexpected)
			json_object_set_new(sample->extra, "wrong",
					    json_pack("[s]", "count: got 3 instead of 4: select 1"));
	}
	for (size_t i = 0; i < FIXTURE_MOST && test->operations[i] != NULL; i++) {
		if (fixture->leaves_out && cell + 1 == fixture_cells(fixture) &&
		    (i + 1 == FIXTURE_MOST || test->operations[i + 1] == NULL))
			break;
		mm_test_add_operation(
			sample, test->operations[i], 100 * (i + 1),
			(uint64_t)(wall * 1e9 * (double)(i + 1) / 10 * (1 + fixture->noise * fixture_noise(state))));
	}
}

static void fixture_pass(const struct fixture *fixture, const char *folder, size_t cell, int index, int visit,
			 int position, uint64_t *state)
{
	struct mm_pass pass;
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_pass_path(folder, fixture->cells[cell], "classic", index, visit);
	char *parent = mm_path_folder(path);

	mm_pass_init(&pass);
	pass.cell = mm_strdup(fixture->cells[cell]);
	pass.suite = mm_strdup("classic");
	pass.index = index;
	pass.visit = visit;
	pass.position = position;
	snprintf(pass.started, sizeof(pass.started), "2026-11-30T%02d:%02d:00Z", 10 + position / 60, position % 60);
	mm_strings_split(&pass.server_argv,
			 "/srv/prefix/bin/mariadbd --defaults-file=/srv/prefix/etc/my.cnf --skip-networking");
	pass.server_version = mm_strdup("10.11.18-MariaDB");
	pass.engine = mm_strdup("InnoDB");
	pass.client_version = mm_strdup("3.3.8");
	pass.build_id = mm_format("%02zx23456789abcdef", cell);
	pass.counters = mm_strdup("unavailable: the processor has none");
	if (cell == 1) {
		pass.my_cnf = mm_strdup("# tuned\n[mysqld]\n\ninnodb_flush_method = O_DIRECT\n");
		mm_strings_push(&pass.run_env, "LD_PRELOAD=/usr/lib/libjemalloc.so.2");
	}
	pass.start_ns = 1100000000;
	pass.copy_ns = 200000000;
	pass.stop_ns = 700000000;
	pass.variables = json_pack("{s:s, s:s, s:s}", "sql_mode",
				   fixture->sql_mode[cell] ? fixture->sql_mode[cell] : "STRICT_TRANS_TABLES", "datadir",
				   "/tmp/x", "version_comment",
				   fixture->code[cell] ? fixture->code[cell] : fixture->cells[cell]);
	if (index == fixture->noisy_pass)
		pass.noise = json_pack("{s:f, s:b, s:[s]}", "steal_percent", 4.5, "noisy", 1, "reasons",
				       "the hypervisor took 4.5% of the CPUs");
	if (index == fixture->failed_pass && cell + 1 == fixture_cells(fixture))
		pass.failure = mm_strdup("server ended while it ran (killed by SIGSEGV)");
	for (int i = 0; i < 12 && fixture->tests[i].name != NULL; i++)
		fixture_test_sample(fixture, &pass, i, cell, state);
	if (mm_fs_mkdirs(parent, 0755, &err) != 0 || mm_pass_save(path, &pass, &err) != 0)
		abort();
	mm_pass_release(&pass);
	free(parent);
	free(path);
}

static size_t fixture_cell_number(const struct fixture *fixture, const char *id)
{
	size_t i = 0;

	while (strcmp(fixture->cells[i], id) != 0)
		i++;
	return i;
}

/* Writes the whole run folder. */
static void fixture_write(const struct fixture *fixture, const char *folder)
{
	json_t *document = fixture_document(fixture), *cells = fixture_cells_json(fixture), *entry, *slot;
	char *plan = mm_path_join(folder, "plan.json"), *cells_path = mm_path_join(folder, "cells.json");
	uint64_t state = fixture->seed;
	struct mm_error err = MM_ERROR_INIT;
	int position = 0;
	size_t i, j;

	if (mm_fs_mkdirs(folder, 0755, &err) != 0 || mm_json_save(plan, document, &err) != 0 ||
	    mm_json_save(cells_path, cells, &err) != 0)
		abort();
	json_array_foreach(json_object_get(document, "order"), i, entry)
		json_array_foreach(json_object_get(entry, "slots"), j, slot) {
			size_t cell = fixture_cell_number(fixture, mm_json_string(slot, "cell", ""));

			position++;
			if (fixture->failed[cell] == NULL)
				fixture_pass(fixture, folder, cell, (int)mm_json_integer(entry, "index", 0),
					     (int)mm_json_integer(slot, "visit", 0), position, &state);
		}
	free(plan);
	free(cells_path);
	json_decref(document);
	json_decref(cells);
}

/* A folder of this test's own, removed by fixture_remove. Allocated. */
static char *fixture_folder(void)
{
	char *folder = mm_strdup("/tmp/mymatrix-reports-XXXXXX");

	if (mkdtemp(folder) == NULL)
		abort();
	return folder;
}

static void fixture_remove(char *folder)
{
	mm_fs_remove_tree(folder, NULL);
	free(folder);
}

#endif
