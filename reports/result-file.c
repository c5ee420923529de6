/* Files of strangers: every member is checked before anything is computed from it. */
#include "reports/result-file.h"
#include "reports/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"

enum { MOST_SAMPLES = 100000 };

/* What is wrong at a JSON path, with the line and column that the path has in the file. */
static int wrong(const char *file, const char *path, struct mm_error *err, const char *format, ...) MM_PRINTF(4, 5);

static int wrong(const char *file, const char *path, struct mm_error *err, const char *format, ...)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	char what[512];
	int line = 1, column = 1;
	va_list arguments;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): va_start is just above */
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (mm_fs_read_input(file, 0, &text, NULL) == 0)
		mm_json_locate(mm_buffer_text(&text), path, false, &line, &column);
	mm_buffer_release(&text);
	return mm_error_set(err, MM_EMATRIX, "%s:%d:%d: %s: %s", file, line, column, path, what);
}

static bool known(const char *key, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return strcmp(key, "//") == 0;
}

static int check_keys(const char *file, const json_t *object, const char *path, const char *const *keys,
		      struct mm_error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(mm_json_each(object), key, value) {
		char *inner;
		int status;

		if (known(key, keys))
			continue;
		inner = mm_json_path_key(path, key);
		status = wrong(file, inner, err, "unknown key");
		free(inner);
		return status;
	}
	return 0;
}

/* A list of numbers from 0 on, null where a pass has none. */
static int check_samples(const char *file, const json_t *samples, const char *path, struct mm_error *err)
{
	const json_t *sample;
	size_t i;

	if (!json_is_array(samples) || json_array_size(samples) == 0 || json_array_size(samples) > MOST_SAMPLES)
		return wrong(file, path, err, "a list of 1 to %d numbers is needed, one for each pass", MOST_SAMPLES);
	json_array_foreach(samples, i, sample) {
		char *inner;
		int status;

		if (json_is_null(sample) || (json_is_number(sample) && json_number_value(sample) >= 0))
			continue;
		inner = mm_json_path_index(path, i);
		status = wrong(file, inner, err, "a number from 0 on, or null, is needed");
		free(inner);
		return status;
	}
	return 0;
}

static int check_member_samples(const char *file, const json_t *object, const char *path, const char *key, bool needed,
				struct mm_error *err)
{
	const json_t *samples = json_object_get(object, key);
	char *inner;
	int status;

	if (samples == NULL && !needed)
		return 0;
	inner = mm_json_path_key(path, key);
	status = samples == NULL ? wrong(file, path, err, "\"%s\" is missing", key)
				 : check_samples(file, samples, inner, err);
	free(inner);
	return status;
}

static json_t *filled(const json_t *samples, size_t passes)
{
	json_t *list = samples != NULL ? json_copy(mm_json_each(samples)) : json_array();

	while (json_array_size(list) < passes)
		json_array_append_new(list, json_null());
	return list;
}

static int convert_operations(const char *file, const json_t *operations, const char *path, json_t *out, json_t *counts,
			      struct mm_error *err)
{
	static const char *const keys[] = { "count", "samples", NULL };
	const char *name;
	json_t *operation;
	int status = 0;

	json_object_foreach(mm_json_each(operations), name, operation) {
		char *inner = mm_json_path_key(path, name);

		status = json_is_object(operation) ? check_keys(file, operation, inner, keys, err)
						   : wrong(file, inner, err, "an object is needed");
		if (status == 0)
			status = check_member_samples(file, operation, inner, "samples", true, err);
		free(inner);
		if (status != 0)
			return status;
		json_object_set(out, name, json_object_get(operation, "samples"));
		mm_json_put_integer(counts, name, mm_json_integer(operation, "count", 0));
	}
	return 0;
}

static int check_test(const char *file, const json_t *test, const char *path, struct mm_error *err)
{
	static const char *const keys[] = {
		"unit",    "better",     "samples", "aggregated", "resolution", "server_cpu", "operation_resolution",
		"skipped", "operations", NULL
	};
	const char *better = mm_json_string(test, "better", "");
	bool skipped = json_is_string(json_object_get(test, "skipped"));
	int status;

	if (!json_is_object(test))
		return wrong(file, path, err, "an object with \"samples\" is needed");
	status = check_keys(file, test, path, keys, err);
	if (status != 0)
		return status;
	if (json_object_get(test, "unit") != NULL && mm_json_string(test, "unit", "")[0] == '\0')
		return wrong(file, path, err, "\"unit\" must be a string such as \"s\" or \"transactions/s\"");
	if (strcmp(better, "lower") != 0 && strcmp(better, "higher") != 0)
		return wrong(file, path, err, "\"better\" must be \"lower\" or \"higher\"");
	if (json_object_get(test, "aggregated") != NULL && !json_is_boolean(json_object_get(test, "aggregated")))
		return wrong(file, path, err, "\"aggregated\" must be true or false");
	if (mm_json_number(test, "resolution", 0) < 0 || mm_json_number(test, "operation_resolution", 0) < 0)
		return wrong(file, path, err, "a resolution must be a number from 0 on");
	status = check_member_samples(file, test, path, "samples", !skipped, err);
	return status == 0 ? check_member_samples(file, test, path, "server_cpu", false, err) : status;
}

/* One test of the small form as an entry of a series. */
static int convert_test(const char *file, const char *name, const json_t *test, json_t *tests, struct mm_error *err)
{
	static const char *const copied[] = { "unit",       "better", "resolution", "operation_resolution",
					      "aggregated", "skipped" };
	char *path = mm_json_path_key("$.tests", name), *inner = mm_json_path_key(path, "operations");
	json_t *entry = json_object(), *operations = json_object(), *counts = json_object();
	int status = name[0] == '\0' ? wrong(file, "$.tests", err, "a test needs a name")
				     : check_test(file, test, path, err);

	if (status == 0)
		status = convert_operations(file, json_object_get(test, "operations"), inner, operations, counts, err);
	mm_json_put_string(entry, "test", name);
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
		if (json_object_get(test, copied[i]) != NULL)
			json_object_set(entry, copied[i], json_object_get(test, copied[i]));
	if (status == 0) {
		json_object_set_new(entry, "values", filled(json_object_get(test, "samples"), 0));
		if (strcmp(mm_json_string(test, "unit", "s"), "s") == 0) /* a time is its own wall time */
			json_object_set(entry, "wall_seconds", json_object_get(entry, "values"));
		json_object_set_new(entry, "server_cpu_seconds", filled(json_object_get(test, "server_cpu"), 0));
	}
	json_object_set_new(entry, "operations", operations);
	json_object_set_new(entry, "operation_counts", counts);
	json_array_append_new(tests, entry);
	free(path);
	free(inner);
	return status;
}

static size_t most_samples(const json_t *tests)
{
	static const char *const lists[] = { "values", "server_cpu_seconds" };
	const json_t *test;
	json_t *operation;
	const char *name;
	size_t i, most = 0;

	json_array_foreach(tests, i, test) {
		for (size_t k = 0; k < 2; k++)
			if (json_array_size(json_object_get(test, lists[k])) > most)
				most = json_array_size(json_object_get(test, lists[k]));
		json_object_foreach(json_object_get(test, "operations"), name, operation)
			if (json_array_size(operation) > most)
				most = json_array_size(operation);
	}
	return most;
}

/* The small form numbers its passes by their place in the lists. */
static json_t *numbered_passes(size_t count)
{
	json_t *passes = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(passes, json_pack("{s:I, s:i}", "index", (json_int_t)i + 1, "visit", 1));
	return passes;
}

static int check_small(const struct mm_result_file *file, struct mm_error *err)
{
	static const char *const keys[] = {
		"mymatrix_result", "cell",           "suite",  "run",     "tests", "created", "note", "host",
		"client_library",  "server_version", "engine", "edition", "scale", NULL
	};
	static const char *const strings[] = { "cell", "suite" };
	int status = check_keys(file->path, file->document, "$", keys, err);

	for (size_t i = 0; status == 0 && i < 2; i++)
		if (mm_json_string(file->document, strings[i], "")[0] == '\0')
			status = wrong(file->path, "$", err, "\"%s\" must be a string that is not empty", strings[i]);
	if (status == 0 && json_object_size(json_object_get(file->document, "tests")) == 0)
		status = wrong(file->path, "$", err, "\"tests\" must be an object of at least one test");
	return status;
}

static int load_small(struct mm_result_file *file, struct mm_error *err)
{
	static const char *const copied[] = { "cell", "suite", "server_version", "engine" };
	json_t *json = json_object(), *tests = json_array(), *test;
	const char *name;
	int status = check_small(file, err);

	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
		mm_json_put_string(json, copied[i], mm_json_string(file->document, copied[i], NULL));
	mm_json_put_string(json, "client_version", mm_json_string(file->document, "client_library", NULL));
	if (status == 0)
		json_object_foreach(json_object_get(file->document, "tests"), name, test) {
			status = convert_test(file->path, name, test, tests, err);
			if (status != 0)
				break;
		}
	json_object_set_new(json, "passes", numbered_passes(most_samples(tests)));
	json_object_set_new(json, "tests", tests);
	file->series = mm_calloc(1, sizeof(*file->series));
	if (status == 0)
		status = mm_samples_load(json, file->path, file->series, err);
	file->series_count = status == 0;
	json_decref(json);
	return status;
}

static int load_report(struct mm_result_file *file, struct mm_error *err)
{
	const json_t *samples = json_object_get(file->document, "samples");
	size_t count = json_array_size(samples);

	if (count == 0)
		return wrong(file->path, "$", err, "\"samples\" must be a list that is not empty");
	file->series = mm_calloc(count, sizeof(*file->series));
	for (size_t i = 0; i < count; i++) {
		char *place = mm_format("'%s': $.samples[%zu]", file->path, i);
		int status = mm_samples_load(json_array_get(samples, i), place, &file->series[i], err);

		free(place);
		if (status != 0)
			return status;
		file->series_count++;
	}
	return 0;
}

int mm_result_file_load(const char *path, struct mm_result_file *file, struct mm_error *err)
{
	struct mm_error own = MM_ERROR_INIT;
	int status;

	if (err == NULL)
		err = &own;
	*file = (struct mm_result_file){ .path = path };
	file->document = mm_json_load_input(path, err);
	if (file->document == NULL)
		return err->code;
	file->run = mm_json_string(file->document, "run", NULL);
	file->small = json_object_get(file->document, "mymatrix_result") != NULL;
	if (!file->small && json_object_get(file->document, "mymatrix_report") == NULL)
		status = wrong(
			path, "$", err,
			"not a result file: \"mymatrix_report\" or \"mymatrix_result\" is missing; foreign output is "
			"turned into one by 'mymatrix import'");
	else if (mm_json_integer(file->document, file->small ? "mymatrix_result" : "mymatrix_report", 0) != 1)
		status = wrong(path, "$", err, "a version other than 1, which this mymatrix does not know");
	else
		status = file->small ? load_small(file, err) : load_report(file, err);
	if (status != 0)
		mm_result_file_release(file);
	return status;
}

void mm_result_file_release(struct mm_result_file *file)
{
	for (size_t i = 0; i < file->series_count; i++)
		mm_samples_release(&file->series[i]);
	free(file->series);
	json_decref(file->document);
	*file = (struct mm_result_file){ 0 };
}

/* "'a', 'b' and 3 more" of the cells in the file. */
static char *list_cells(const struct mm_result_file *file)
{
	struct mm_strings names = MM_STRINGS_INIT;
	struct mm_buffer text = MM_BUFFER_INIT;
	size_t shown;

	for (size_t i = 0; i < file->series_count; i++)
		if (!mm_strings_contain(&names, file->series[i].cell))
			mm_strings_push(&names, file->series[i].cell);
	shown = names.count < 12 ? names.count : 12;
	for (size_t i = 0; i < shown; i++)
		mm_buffer_printf(&text, "%s'%s'", i > 0 ? ", " : "", names.items[i]);
	if (shown < names.count)
		mm_buffer_printf(&text, " and %zu more", names.count - shown);
	mm_strings_release(&names);
	return mm_buffer_detach(&text);
}

const char *mm_result_file_cell(const struct mm_result_file *file, const char *cell, struct mm_error *err)
{
	const char *found = NULL;
	bool several = false;
	char *cells;

	for (size_t i = 0; i < file->series_count; i++) {
		if (cell != NULL && strcmp(file->series[i].cell, cell) == 0)
			return file->series[i].cell;
		several = several || (found != NULL && strcmp(found, file->series[i].cell) != 0);
		found = file->series[i].cell;
	}
	if (cell == NULL && !several)
		return found;
	cells = list_cells(file);
	if (cell != NULL)
		mm_error_set(err, MM_EUSAGE, "'%s' holds no cell '%s', but %s", file->path, cell, cells);
	else
		mm_error_set(err, MM_EUSAGE, "'%s' holds several cells: choose one with --cell, of %s", file->path,
			     cells);
	free(cells);
	return NULL;
}

const struct mm_samples *mm_result_file_series(const struct mm_result_file *file, const char *cell, const char *suite)
{
	for (size_t i = 0; i < file->series_count; i++)
		if (strcmp(file->series[i].cell, cell) == 0 &&
		    (suite == NULL || strcmp(file->series[i].suite, suite) == 0))
			return &file->series[i];
	return NULL;
}
