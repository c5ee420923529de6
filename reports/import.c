#include "reports/import.h"

#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"

enum { MOST_BYTES = 64 << 20 };

static const struct reader {
	const char *kind;
	int (*read)(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err);
} readers[] = {
	{ "sysbench", mm_import_sysbench },
	{ "sql-bench", mm_import_sql_bench },
	{ "csv", mm_import_csv },
};

json_t *mm_import_test(struct mm_import_target *target, const char *name, const char *unit, const char *better)
{
	json_t *entry = json_object_get(target->tests, name);

	if (entry == NULL) {
		entry = json_object();
		mm_json_put_string(entry, "unit", unit);
		mm_json_put_string(entry, "better", better);
		json_object_set_new(entry, "samples", json_array());
		if (json_object_set_new(target->tests, name, entry) != 0) /* a name that is not UTF-8 */
			return mm_import_test(target, "(unreadable name)", unit, better);
	}
	return entry;
}

void mm_import_append(json_t *entry, const char *key, double value)
{
	json_t *list = json_object_get(entry, key);

	if (list == NULL) {
		list = json_array();
		json_object_set_new(entry, key, list);
	}
	json_array_append_new(list, mm_json_real(value));
}

void mm_import_skip(json_t *entry, const char *reason)
{
	if (json_object_get(entry, "skipped") == NULL)
		mm_json_put_string(entry, "skipped", reason);
}

json_t *mm_import_operation(json_t *test, const char *name, long long count)
{
	json_t *all = json_object_get(test, "operations"), *entry;

	if (all == NULL) {
		all = json_object();
		json_object_set_new(test, "operations", all);
	}
	entry = json_object_get(all, name);
	if (entry == NULL) {
		entry = json_object();
		mm_json_put_integer(entry, "count", count);
		json_object_set_new(entry, "samples", json_array());
		if (json_object_set_new(all, name, entry) != 0)
			return mm_import_operation(test, "(unreadable name)", count);
	}
	return entry;
}

char *mm_import_line(const char **text)
{
	size_t length = strcspn(*text, "\n"), kept = length;
	char *line;

	if (**text == '\0')
		return NULL;
	if (kept > 0 && (*text)[kept - 1] == '\r')
		kept--;
	line = mm_strndup(*text, kept);
	*text += length;
	*text += **text == '\n';
	return line;
}

/* The first file's name without folder and ending. */
static char *default_cell(const char *path)
{
	const char *base = mm_path_base(path), *dot = strrchr(base, '.');

	return dot != NULL && dot != base ? mm_strndup(base, (size_t)(dot - base)) : mm_strdup(base);
}

static int read_file(const struct reader *reader, struct mm_import_target *target, const char *path,
		     struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	int status = mm_fs_read_input(path, MOST_BYTES, &text, err);

	if (status == 0 && memchr(mm_buffer_text(&text), '\0', text.length) != NULL)
		status = mm_error_set(err, MM_EMATRIX, "'%s': not a text file", path);
	if (status == 0)
		status = reader->read(target, path, mm_buffer_text(&text), err);
	mm_buffer_release(&text);
	return status;
}

/* In the order in which people look for them: what it is, then the figures. */
static json_t *finish(struct mm_import_target *target, const char *kind, const char *first_path)
{
	json_t *result = json_object();
	char *cell = default_cell(first_path);
	const char *key;
	json_t *value;

	mm_json_put_integer(result, "mymatrix_result", 1);
	mm_json_put_string(result, "cell",
			   target->options->cell != NULL ? target->options->cell
							 : mm_json_string(target->result, "cell", cell));
	mm_json_put_string(result, "suite",
			   target->options->suite != NULL ? target->options->suite
							  : mm_json_string(target->result, "suite", kind));
	mm_json_put_string(result, "run", target->options->run);
	json_object_foreach(target->result, key, value)
		if (json_object_get(result, key) == NULL)
			json_object_set(result, key, value);
	json_object_foreach(target->tests, key, value)
		if (json_array_size(json_object_get(value, "samples")) == 0) {
			json_object_del(value, "samples");
			mm_import_skip(value, "no sample of the test as a whole");
		}
	json_object_set(result, "tests", target->tests);
	free(cell);
	return result;
}

int mm_import(const char *kind, const struct mm_strings *files, const struct mm_import_options *options,
	      json_t **result, struct mm_error *err)
{
	struct mm_import_target target = { NULL, NULL, options };
	const struct reader *reader = NULL;
	int status = 0;

	*result = NULL;
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (strcmp(readers[i].kind, kind) == 0)
			reader = &readers[i];
	if (reader == NULL)
		return mm_error_set(err, MM_EUSAGE, "cannot import '%s': give one of sysbench, sql-bench, csv", kind);
	if (files->count == 0)
		return mm_error_set(err, MM_EUSAGE, "no file to import is named");
	target.tests = json_object();
	target.result = json_object();
	for (size_t i = 0; status == 0 && i < files->count; i++)
		status = read_file(reader, &target, files->items[i], err);
	if (status == 0 && json_object_size(target.tests) == 0)
		status = mm_error_set(err, MM_EMATRIX, "'%s': there is no sample of %s in it", files->items[0], kind);
	if (status == 0)
		*result = finish(&target, kind, files->items[0]);
	json_decref(target.tests);
	json_decref(target.result);
	return status;
}
