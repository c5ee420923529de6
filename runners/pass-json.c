/*
 * A pass as JSON and back. A file that is read may be damaged or made by hand:
 * every member is checked, and the first that is wrong is named by its path.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "base/json.h"
#include "base/memory.h"
#include "runners/pass.h"

enum { PASS_VERSION = 1 };

/* The whole-number figures of a test: one table for writing and reading. */
static const struct figure {
	const char *key;
	size_t offset;
} figures[] = {
	{ "wall_ns", offsetof(struct mm_test_sample, wall_ns) },
	{ "server_cpu_ns", offsetof(struct mm_test_sample, server_cpu_ns) },
	{ "client_cpu_ns", offsetof(struct mm_test_sample, client_cpu_ns) },
	{ "peak_rss_bytes", offsetof(struct mm_test_sample, peak_rss_bytes) },
	{ "minor_faults", offsetof(struct mm_test_sample, minor_faults) },
	{ "major_faults", offsetof(struct mm_test_sample, major_faults) },
	{ "voluntary_switches", offsetof(struct mm_test_sample, voluntary_switches) },
	{ "involuntary_switches", offsetof(struct mm_test_sample, involuntary_switches) },
	{ "read_bytes", offsetof(struct mm_test_sample, read_bytes) },
	{ "write_bytes", offsetof(struct mm_test_sample, write_bytes) },
	{ "cycles", offsetof(struct mm_test_sample, cycles) },
	{ "instructions", offsetof(struct mm_test_sample, instructions) },
	{ "cache_misses", offsetof(struct mm_test_sample, cache_misses) },
	{ "branch_misses", offsetof(struct mm_test_sample, branch_misses) },
	{ "statements", offsetof(struct mm_test_sample, statements) },
	{ "rows", offsetof(struct mm_test_sample, rows) },
};
enum { FIGURE_COUNT = sizeof(figures) / sizeof(figures[0]) };

static uint64_t get_figure(const struct mm_test_sample *test, const struct figure *figure)
{
	uint64_t value;

	memcpy(&value, (const char *)test + figure->offset, sizeof(value));
	return value;
}

static void set_figure(struct mm_test_sample *test, const struct figure *figure, uint64_t value)
{
	memcpy((char *)test + figure->offset, &value, sizeof(value));
}

static json_t *whole_json(uint64_t value)
{
	if (value == MM_UNKNOWN)
		return json_null();
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* A string in a list; paths need not be UTF-8, and mm_json_put_string knows what to do then. */
static json_t *text_json(const char *text)
{
	json_t *object = json_object(), *value;

	mm_json_put_string(object, "text", text);
	value = json_incref(json_object_get(object, "text"));
	json_decref(object);
	return value;
}

static json_t *texts_json(const struct mm_strings *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(list, text_json(texts->items[i]));
	return list;
}

/* JSON's numbers hold 53 bits for certain, a checksum has 64. */
static void put_checksum(json_t *object, uint64_t checksum)
{
	char hex[17];

	if (checksum == 0)
		return;
	snprintf(hex, sizeof(hex), "%016" PRIx64, checksum);
	mm_json_put_string(object, "checksum", hex);
}

static json_t *operations_json(const struct mm_test_sample *test)
{
	json_t *list = json_array();

	for (size_t i = 0; i < test->operation_count; i++) {
		const struct mm_operation_sample *operation = &test->operations[i];
		json_t *item = json_object();

		mm_json_put_string(item, "name", operation->name);
		json_object_set_new(item, "count", whole_json(operation->count));
		json_object_set_new(item, "wall_ns", whole_json(operation->wall_ns));
		put_checksum(item, operation->checksum);
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *test_json(const struct mm_test_sample *test)
{
	json_t *object = json_object();

	mm_json_put_string(object, "name", test->name);
	mm_json_put_string(object, "skipped", test->skipped);
	mm_json_put_string(object, "unit", test->unit);
	mm_json_put_string(object, "better", test->higher_is_better ? "higher" : "lower");
	json_object_set_new(object, "value", mm_json_real(test->value));
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		json_object_set_new(object, figures[i].key, whole_json(get_figure(test, &figures[i])));
	put_checksum(object, test->checksum);
	if (test->extra != NULL)
		json_object_set(object, "extra", test->extra);
	json_object_set_new(object, "operations", operations_json(test));
	return object;
}

static json_t *server_json(const struct mm_pass *pass)
{
	json_t *server = json_object();

	mm_json_put_string(server, "version", pass->server_version);
	mm_json_put_string(server, "build_id", pass->build_id);
	mm_json_put_string(server, "my_cnf", pass->my_cnf);
	if (pass->run_env.count > 0)
		json_object_set_new(server, "run_env", texts_json(&pass->run_env));
	json_object_set_new(server, "argv", texts_json(&pass->server_argv));
	json_object_set_new(server, "copy_ns", whole_json(pass->copy_ns));
	json_object_set_new(server, "start_ns", whole_json(pass->start_ns));
	json_object_set_new(server, "stop_ns", whole_json(pass->stop_ns));
	return server;
}

json_t *mm_pass_json(const struct mm_pass *pass)
{
	json_t *root = json_object(), *tests = json_array();

	mm_json_put_integer(root, "mymatrix_pass", PASS_VERSION);
	mm_json_put_string(root, "run", pass->run);
	mm_json_put_string(root, "cell", pass->cell);
	mm_json_put_string(root, "suite", pass->suite);
	mm_json_put_integer(root, "index", pass->index);
	mm_json_put_integer(root, "visit", pass->visit);
	mm_json_put_integer(root, "position", pass->position);
	mm_json_put_string(root, "started", pass->started);
	mm_json_put_string(root, "failure", pass->failure);
	mm_json_put_string(root, "log_tail", pass->log_tail);
	mm_json_put_string(root, "engine", pass->engine);
	mm_json_put_string(root, "client_version", pass->client_version);
	mm_json_put_string(root, "counters", pass->counters);
	json_object_set_new(root, "server", server_json(pass));
	if (pass->noise != NULL)
		json_object_set(root, "noise", pass->noise);
	for (size_t i = 0; i < pass->test_count; i++)
		json_array_append_new(tests, test_json(&pass->tests[i]));
	json_object_set_new(root, "tests", tests);
	if (pass->extra != NULL)
		json_object_set(root, "extra", pass->extra);
	mm_json_put_string(root, "error_log", pass->error_log);
	if (pass->variables != NULL)
		json_object_set(root, "variables", pass->variables);
	return root;
}

int mm_pass_save(const char *path, const struct mm_pass *pass, struct mm_error *err)
{
	json_t *root = mm_pass_json(pass);
	int rc = mm_json_save(path, root, err);

	json_decref(root);
	return rc;
}

/* Where a reader is: the file and the JSON path of the object at hand. */
struct reader {
	const char *file;
	char place[64];
	struct mm_error *err;
};

static int wrong(const struct reader *reader, const char *key, const char *what)
{
	return mm_error_set(reader->err, MM_EMATRIX, "'%s': %s.%s: %s; the file is damaged or not a pass", reader->file,
			    reader->place, key, what);
}

/* A string member; a missing one is NULL unless it is REQUIRED. */
static int read_string(const struct reader *reader, const json_t *object, const char *key, bool required, char **out)
{
	const json_t *value = json_object_get(object, key);

	if (value == NULL || json_is_null(value))
		return required ? wrong(reader, key, "a string is missing") : 0;
	if (!json_is_string(value) || (required && json_string_length(value) == 0))
		return wrong(reader, key, required ? "must be a string that is not empty" : "must be a string");
	*out = mm_strdup(json_string_value(value));
	return 0;
}

/* A count; missing or null is MM_UNKNOWN. */
static int read_whole(const struct reader *reader, const json_t *object, const char *key, uint64_t *out)
{
	const json_t *value = json_object_get(object, key);

	*out = MM_UNKNOWN;
	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wrong(reader, key, "must be a whole number, not negative, or null");
	*out = (uint64_t)json_integer_value(value);
	return 0;
}

/* A place in the order: from 1. */
static int read_ordinal(const struct reader *reader, const json_t *object, const char *key, int *out)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > INT_MAX)
		return wrong(reader, key, "must be a whole number from 1");
	*out = (int)json_integer_value(value);
	return 0;
}

/* A member of the given JSON type, kept as it is; NULL when it is missing or null. */
static int read_object(const struct reader *reader, const json_t *object, const char *key, json_t **out)
{
	json_t *value = json_object_get(object, key);

	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_object(value))
		return wrong(reader, key, "must be an object");
	*out = json_incref(value);
	return 0;
}

static int read_checksum(const struct reader *reader, const json_t *object, uint64_t *out)
{
	const json_t *value = json_object_get(object, "checksum");
	const char *text = json_string_value(value);

	if (value == NULL || json_is_null(value))
		return 0;
	if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return wrong(reader, "checksum", "must be 16 hexadecimal digits");
	*out = strtoull(text, NULL, 16);
	return 0;
}

static int read_operations(const struct reader *reader, const json_t *object, struct mm_test_sample *test)
{
	const json_t *list = json_object_get(object, "operations");

	if (list == NULL)
		return 0;
	if (!json_is_array(list))
		return wrong(reader, "operations", "must be a list");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		struct reader inner = *reader;
		char *name = NULL;
		uint64_t count = 0, wall_ns = 0, checksum = 0;
		int rc = 0;

		snprintf(inner.place, sizeof(inner.place), "%.30s.operations[%zu]", reader->place, i);
		if (!json_is_object(item))
			return wrong(reader, "operations", "must hold objects");
		if ((rc = read_string(&inner, item, "name", true, &name)) == 0 &&
		    (rc = read_whole(&inner, item, "count", &count)) == 0 &&
		    (rc = read_whole(&inner, item, "wall_ns", &wall_ns)) == 0 &&
		    (rc = read_checksum(&inner, item, &checksum)) == 0) {
			/* appended without looking for the name again: a file may be long */
			test->operations = mm_grow(test->operations, test->operation_count, &test->operation_capacity,
						   sizeof(*test->operations));
			test->operations[test->operation_count++] = (struct mm_operation_sample){
				.name = name, .count = count, .wall_ns = wall_ns, .checksum = checksum
			};
			name = NULL;
		}
		free(name);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int read_unit(const struct reader *reader, const json_t *object, struct mm_test_sample *test)
{
	const char *better = mm_json_string(object, "better", "lower");
	int rc = read_string(reader, object, "unit", false, &test->unit_owned);

	if (rc != 0)
		return rc;
	if (test->unit_owned != NULL)
		test->unit = test->unit_owned;
	if (strcmp(better, "lower") != 0 && strcmp(better, "higher") != 0)
		return wrong(reader, "better", "must be \"lower\" or \"higher\"");
	test->higher_is_better = strcmp(better, "higher") == 0;
	return 0;
}

static int read_value(const struct reader *reader, const json_t *object, double *out)
{
	const json_t *value = json_object_get(object, "value");

	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_number(value))
		return wrong(reader, "value", "must be a number or null");
	*out = json_number_value(value);
	return 0;
}

static int read_test(const struct reader *reader, const json_t *object, struct mm_pass *pass)
{
	struct mm_test_sample *test;
	char *name = NULL;
	uint64_t value;
	int rc = read_string(reader, object, "name", true, &name);

	if (rc != 0)
		return rc;
	test = mm_pass_add_test(pass, name);
	free(name);
	for (size_t i = 0; rc == 0 && i < FIGURE_COUNT; i++) {
		rc = read_whole(reader, object, figures[i].key, &value);
		set_figure(test, &figures[i], value);
	}
	if (rc == 0)
		rc = read_string(reader, object, "skipped", false, &test->skipped);
	if (rc == 0)
		rc = read_unit(reader, object, test);
	if (rc == 0)
		rc = read_value(reader, object, &test->value);
	if (rc == 0)
		rc = read_checksum(reader, object, &test->checksum);
	if (rc == 0)
		rc = read_object(reader, object, "extra", &test->extra);
	if (rc == 0)
		rc = read_operations(reader, object, test);
	return rc;
}

static int read_tests(const struct reader *reader, const json_t *root, struct mm_pass *pass)
{
	const json_t *list = json_object_get(root, "tests");
	int rc = 0;

	if (!json_is_array(list))
		return wrong(reader, "tests", "a list is missing");
	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		struct reader inner = *reader;

		snprintf(inner.place, sizeof(inner.place), "$.tests[%zu]", i);
		rc = json_is_object(item) ? read_test(&inner, item, pass) : wrong(reader, "tests", "must hold objects");
	}
	return rc;
}

static bool read_texts(const json_t *list, struct mm_strings *out)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return false;
		mm_strings_push(out, json_string_value(item));
	}
	return true;
}

static int read_server(const struct reader *reader, const json_t *root, struct mm_pass *pass)
{
	const json_t *server = json_object_get(root, "server"), *argv = json_object_get(server, "argv");
	const json_t *run_env = json_object_get(server, "run_env");
	struct reader inner = *reader;
	int rc;

	snprintf(inner.place, sizeof(inner.place), "$.server");
	if (!json_is_object(server))
		return wrong(reader, "server", "an object is missing");
	if (!json_is_array(argv))
		return wrong(&inner, "argv", "a list is missing");
	if (!read_texts(argv, &pass->server_argv))
		return wrong(&inner, "argv", "must hold strings");
	if (run_env != NULL && (!json_is_array(run_env) || !read_texts(run_env, &pass->run_env)))
		return wrong(&inner, "run_env", "must be a list of strings");
	if ((rc = read_string(&inner, server, "version", false, &pass->server_version)) == 0 &&
	    (rc = read_string(&inner, server, "build_id", false, &pass->build_id)) == 0 &&
	    (rc = read_string(&inner, server, "my_cnf", false, &pass->my_cnf)) == 0 &&
	    (rc = read_whole(&inner, server, "copy_ns", &pass->copy_ns)) == 0 &&
	    (rc = read_whole(&inner, server, "start_ns", &pass->start_ns)) == 0)
		rc = read_whole(&inner, server, "stop_ns", &pass->stop_ns);
	return rc;
}

static int read_identity(const struct reader *reader, const json_t *root, struct mm_pass *pass)
{
	int rc;

	if ((rc = read_string(reader, root, "run", false, &pass->run)) == 0 &&
	    (rc = read_string(reader, root, "cell", true, &pass->cell)) == 0 &&
	    (rc = read_string(reader, root, "suite", true, &pass->suite)) == 0 &&
	    (rc = read_ordinal(reader, root, "index", &pass->index)) == 0 &&
	    (rc = read_ordinal(reader, root, "visit", &pass->visit)) == 0)
		rc = read_ordinal(reader, root, "position", &pass->position);
	snprintf(pass->started, sizeof(pass->started), "%s", mm_json_string(root, "started", ""));
	return rc;
}

static int read_pass(const struct reader *reader, const json_t *root, struct mm_pass *pass)
{
	int rc;

	if (!json_is_integer(json_object_get(root, "mymatrix_pass")))
		return mm_error_set(reader->err, MM_EMATRIX, "'%s': not a pass: \"mymatrix_pass\" is missing",
				    reader->file);
	if (mm_json_integer(root, "mymatrix_pass", 0) != PASS_VERSION)
		return mm_error_set(reader->err, MM_EMATRIX,
				    "'%s': $.mymatrix_pass: version %" PRId64 " is not known, this program reads %d",
				    reader->file, mm_json_integer(root, "mymatrix_pass", 0), PASS_VERSION);
	if ((rc = read_identity(reader, root, pass)) == 0 &&
	    (rc = read_string(reader, root, "failure", false, &pass->failure)) == 0 &&
	    (rc = read_string(reader, root, "log_tail", false, &pass->log_tail)) == 0 &&
	    (rc = read_string(reader, root, "engine", false, &pass->engine)) == 0 &&
	    (rc = read_string(reader, root, "client_version", false, &pass->client_version)) == 0 &&
	    (rc = read_string(reader, root, "counters", false, &pass->counters)) == 0 &&
	    (rc = read_string(reader, root, "error_log", false, &pass->error_log)) == 0 &&
	    (rc = read_object(reader, root, "extra", &pass->extra)) == 0 &&
	    (rc = read_server(reader, root, pass)) == 0 &&
	    (rc = read_object(reader, root, "noise", &pass->noise)) == 0 &&
	    (rc = read_object(reader, root, "variables", &pass->variables)) == 0)
		rc = read_tests(reader, root, pass);
	return rc;
}

int mm_pass_load(const char *path, struct mm_pass *pass, struct mm_error *err)
{
	struct reader reader = { .file = path, .place = "$", .err = err };
	json_t *root = mm_json_load_input(path, err);
	int rc;

	mm_pass_init(pass);
	if (root == NULL)
		return err == NULL ? MM_EMATRIX : err->code;
	rc = read_pass(&reader, root, pass);
	json_decref(root);
	if (rc != 0)
		mm_pass_release(pass);
	return rc;
}
