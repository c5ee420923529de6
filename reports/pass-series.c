/* Pass files to the columns of report.json. */
#include "reports/pass-series.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "reports/verdict.h"
#include "runners/pass.h"

/* The columns of a test, parallel to the passes. */
static const char *const columns[] = {
	"values",
	"wall_seconds",
	"server_cpu_seconds",
	"client_cpu_seconds",
	"peak_rss_bytes",
	"minor_faults",
	"major_faults",
	"voluntary_switches",
	"involuntary_switches",
	"read_bytes",
	"write_bytes",
	"statements",
	"rows",
	"checksums",
};

static json_t *seconds_json(uint64_t ns)
{
	return ns == MM_UNKNOWN ? json_null() : json_real((double)ns / 1e9);
}

static json_t *count_json(uint64_t count)
{
	return count == MM_UNKNOWN ? json_null() : json_integer((json_int_t)(count > INT64_MAX ? INT64_MAX : count));
}

static json_t *checksum_json(uint64_t checksum)
{
	char hex[17];

	if (checksum == 0)
		return json_null();
	snprintf(hex, sizeof(hex), "%016" PRIx64, checksum);
	return json_string(hex);
}

/* Appends VALUE as element PLACE of the list KEY, with null for the passes that came before without one. */
static void put_at(json_t *object, const char *key, size_t place, json_t *value)
{
	json_t *list = json_object_get(object, key);

	if (list == NULL) {
		list = json_array();
		json_object_set_new(object, key, list);
	}
	while (json_array_size(list) < place)
		json_array_append_new(list, json_null());
	if (json_array_size(list) == place)
		json_array_append_new(list, value);
	else /* a test that stands twice in one pass: the first counts */
		json_decref(value);
}

static void add_operations(json_t *json, const struct mm_test_sample *test, size_t place)
{
	json_t *all = json_object_get(json, "operations"), *counts = json_object_get(json, "operation_counts");

	for (size_t i = 0; i < test->operation_count; i++) {
		const struct mm_operation_sample *operation = &test->operations[i];

		if (json_object_get(counts, operation->name) == NULL)
			json_object_set_new(counts, operation->name, count_json(operation->count));
		put_at(all, operation->name, place, seconds_json(operation->wall_ns));
	}
}

/* Lists of what the host's counters said, or the reason why there are none. */
static void add_counters(json_t *json, const struct mm_test_sample *test, const char *counters, size_t place)
{
	const struct {
		const char *key;
		uint64_t count;
	} all[] = { { "cycles", test->cycles },
		    { "instructions", test->instructions },
		    { "cache_misses", test->cache_misses },
		    { "branch_misses", test->branch_misses } };
	json_t *lists = json_object_get(json, "hardware_counters");

	if (test->cycles == MM_UNKNOWN && test->instructions == MM_UNKNOWN) {
		if (lists == NULL)
			mm_json_put_string(json, "hardware_counters", counters != NULL ? counters : "unavailable");
		return;
	}
	if (!json_is_object(lists)) {
		lists = json_object();
		json_object_set_new(json, "hardware_counters", lists);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		put_at(lists, all[i].key, place, count_json(all[i].count));
}

/*
 * The texts that all passes have in common, the first statement of each operation, go from EXTRA into JSON once; what
 * is otherwise stays.
 */
static void gather_first_statements(json_t *json, json_t *extra)
{
	json_t *firsts = json_object_get(json, "first_statements"), *operation, *statement;
	const char *name;

	json_object_foreach(json_object_get(extra, "operations"), name, operation) {
		statement = json_object_get(operation, "first_statement");
		if (statement == NULL)
			continue;
		if (firsts == NULL) {
			firsts = json_object();
			json_object_set_new(json, "first_statements", firsts);
		}
		if (json_object_get(firsts, name) == NULL)
			json_object_set(firsts, name, statement);
		if (json_equal(json_object_get(firsts, name), statement))
			json_object_del(operation, "first_statement");
	}
}

static void add_test(json_t *json, const struct mm_test_sample *test, const char *counters, size_t place)
{
	json_t *const values[] = {
		mm_json_real(test->value < 0 ? NAN : test->value),
		seconds_json(test->wall_ns),
		seconds_json(test->server_cpu_ns),
		seconds_json(test->client_cpu_ns),
		count_json(test->peak_rss_bytes),
		count_json(test->minor_faults),
		count_json(test->major_faults),
		count_json(test->voluntary_switches),
		count_json(test->involuntary_switches),
		count_json(test->read_bytes),
		count_json(test->write_bytes),
		count_json(test->statements),
		count_json(test->rows),
		checksum_json(test->checksum),
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		put_at(json, columns[i], place, values[i]);
	add_counters(json, test, counters, place);
	if (test->extra != NULL) {
		gather_first_statements(json, test->extra);
		put_at(json, "extra", place, json_incref(test->extra));
	}
}

/* Upstream's scripts print whole seconds for each operation, whatever measured the whole script. */
static double operation_resolution(const char *kind)
{
	return strcmp(kind, "sql-bench-upstream") == 0 ? 1 : MM_CLOCK_RESOLUTION;
}

/* The entry of TEST in TESTS, made when it is new; INDEX finds it by name. */
static json_t *test_entry(json_t *index, json_t *tests, const struct mm_test_sample *test, const char *kind)
{
	json_t *json = json_object_get(index, test->name);

	if (json != NULL)
		return json;
	json = json_object();
	json_array_append_new(tests, json);
	json_object_set(index, test->name, json);
	mm_json_put_string(json, "test", test->name);
	mm_json_put_string(json, "unit", test->unit);
	mm_json_put_string(json, "better", test->higher_is_better ? "higher" : "lower");
	if (strcmp(test->unit, "s") == 0)
		mm_json_put_real(json, "resolution", MM_CLOCK_RESOLUTION);
	if (test->operation_count > 0)
		mm_json_put_real(json, "operation_resolution", operation_resolution(kind));
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		json_object_set_new(json, columns[i], json_array());
	json_object_set_new(json, "operations", json_object());
	json_object_set_new(json, "operation_counts", json_object());
	return json;
}

/* Figures of a program of the user's are what it says they are, in each pass anew. */
static bool is_of_kind(const json_t *entry, const struct mm_test_sample *test)
{
	const char *better = test->higher_is_better ? "higher" : "lower";

	return strcmp(mm_json_string(entry, "unit", ""), test->unit) == 0 &&
	       strcmp(mm_json_string(entry, "better", ""), better) == 0;
}

static void pad_list(json_t *list, size_t passes)
{
	while (json_array_size(list) < passes)
		json_array_append_new(list, json_null());
}

/* Every list to the number of passes, so that all are parallel. */
static void pad(json_t *tests, size_t passes)
{
	const char *name;
	json_t *test, *operation;
	size_t i;

	json_array_foreach(tests, i, test) {
		for (size_t column = 0; column < sizeof(columns) / sizeof(*columns); column++)
			pad_list(json_object_get(test, columns[column]), passes);
		json_object_foreach(json_object_get(test, "operations"), name, operation)
			pad_list(operation, passes);
		json_object_foreach(json_object_get(test, "hardware_counters"), name, operation)
			pad_list(operation, passes);
	}
}

static json_t *pass_entry(const struct mm_pass *pass)
{
	json_t *json = json_object();

	mm_json_put_integer(json, "index", pass->index);
	mm_json_put_integer(json, "visit", pass->visit);
	mm_json_put_integer(json, "position", pass->position);
	mm_json_put_string(json, "started", pass->started);
	mm_json_put_string(json, "failure", pass->failure);
	mm_json_put_string(json, "log_tail", pass->log_tail);
	json_object_set_new(json, "copy_seconds", seconds_json(pass->copy_ns));
	json_object_set_new(json, "start_seconds", seconds_json(pass->start_ns));
	json_object_set_new(json, "stop_seconds", seconds_json(pass->stop_ns));
	if (pass->noise != NULL)
		json_object_set(json, "noise", pass->noise);
	return json;
}

/* What the first good pass says about the server that all passes ran. */
static void put_server(json_t *json, const struct mm_pass *pass)
{
	json_t *argv = json_array();

	mm_json_put_string(json, "server_version", pass->server_version);
	mm_json_put_string(json, "client_version", pass->client_version);
	mm_json_put_string(json, "engine", pass->engine);
	mm_json_put_string(json, "build_id", pass->build_id);
	mm_json_put_string(json, "my_cnf", pass->my_cnf);
	for (size_t i = 0; i < pass->run_env.count; i++)
		put_at(json, "run_env", i, json_string(pass->run_env.items[i]));
	mm_json_put_string(json, "hardware_counters", pass->counters);
	for (size_t i = 0; i < pass->server_argv.count; i++) {
		json_t *word = json_string(pass->server_argv.items[i]);

		json_array_append_new(argv, word != NULL ? word : json_string("(not UTF-8)"));
	}
	json_object_set_new(json, "server_argv", argv);
}

struct collector {
	json_t *json, *passes, *tests;
	json_t *by_test; /* an index, not part of the result */
	const char *kind;
	struct mm_run_series *out;
};

static void add_pass(struct collector *to, const struct mm_pass *pass)
{
	size_t place = json_array_size(to->passes);

	json_array_append_new(to->passes, pass_entry(pass));
	if (pass->failure != NULL) {
		to->out->failed++;
		return;
	}
	if (to->out->good++ == 0) {
		put_server(to->json, pass);
		to->out->variables = json_incref(pass->variables);
	}
	for (size_t i = 0; i < pass->test_count; i++) {
		const struct mm_test_sample *test = &pass->tests[i];
		json_t *entry = test_entry(to->by_test, to->tests, test, to->kind);

		if (test->skipped != NULL) {
			mm_json_put_string(entry, "skipped", test->skipped);
			continue;
		}
		if (!is_of_kind(entry, test)) {
			mm_json_put_string(entry, "skipped", "its unit or its direction is not the same in all passes");
			continue;
		}
		add_test(entry, test, pass->counters, place);
		add_operations(entry, test, place);
	}
}

static int load_one(struct collector *to, const char *folder, const struct mm_pass_series_name *name, int index, int visit,
		    struct mm_error *err)
{
	char *path = mm_pass_path(folder, name->cell, name->suite, index, visit);
	struct mm_pass pass;
	int status = 0;

	to->out->planned++;
	if (!mm_fs_exists(path))
		goto out;
	status = mm_pass_load(path, &pass, err);
	if (status != 0)
		goto out;
	if (!mm_pass_is(&pass, name->run, name->cell, name->suite, index, visit))
		status = mm_error_set(err, MM_EMATRIX,
				      "'%s': holds pass %d.%d of '%s' in '%s' of run '%s', not the pass that its name says",
				      path, pass.index, pass.visit, pass.cell, pass.suite,
				      pass.run != NULL ? pass.run : "(not named)");
	else
		add_pass(to, &pass);
	mm_pass_release(&pass);
out:
	free(path);
	return status;
}

/*
 * Much is the same for test after test and cell after cell: statements, rows, checksums, counts that are 0 or unknown.
 * From here on nothing changes these lists, so that equal ones can be one: half of what a large report takes.
 */
static void share(json_t *tests, const json_t *before)
{
	json_t *test;
	size_t i, j;

	json_array_foreach(tests, i, test) {
		const json_t *sample = json_array_get(before, i);

		if (sample != NULL)
			mm_json_share(test, sample);
		for (j = 1; j < sizeof(columns) / sizeof(*columns); j++) {
			json_t *left = json_object_get(test, columns[j - 1]), *list = json_object_get(test, columns[j]);

			if (left != list && json_equal(left, list))
				json_object_set(test, columns[j], left);
		}
	}
}

int mm_pass_series_read(const char *folder, const struct mm_pass_series_name *name, const json_t *visits,
			const json_t *before, struct mm_run_series *out, struct mm_error *err)
{
	struct collector to = { json_object(), json_array(), json_array(), json_object(), name->kind, out };
	const json_t *visit;
	size_t i;
	int status = 0;

	mm_json_put_string(to.json, "cell", name->cell);
	mm_json_put_string(to.json, "suite", name->suite);
	json_array_foreach(visits, i, visit) {
		status = load_one(&to, folder, name, (int)json_integer_value(json_array_get(visit, 0)),
				  (int)json_integer_value(json_array_get(visit, 1)), err);
		if (status != 0)
			break;
	}
	pad(to.tests, json_array_size(to.passes));
	share(to.tests, before);
	json_object_set_new(to.json, "passes", to.passes);
	json_object_set_new(to.json, "tests", to.tests);
	json_decref(to.by_test);
	if (status == 0)
		status = mm_samples_load(to.json, name->cell, &out->series, err);
	json_decref(to.json);
	return status;
}
