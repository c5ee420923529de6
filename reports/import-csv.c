/*
 * CSV (RFC 4180, also with ";" or tabs): one sample per row. The head line names the columns, in any order:
 *
 *   test, value                        needed
 *   unit ("s"), better ("lower")       of the test; "higher" for units that end in "/s"
 *   pass, visit                        which pass the sample is of; without them the n-th row of a test is pass n
 *   cell, suite                        a file of several cells needs --cell, of several suites --suite
 *   operation                          the value is of an operation of the test, in seconds
 *   metric                             "wall" (default), "server-cpu"; other metrics are passed over
 *   kind                               rows other than "sample" are passed over: what mymatrix writes can be read back
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/import.h"

enum column { TEST, VALUE, UNIT, BETTER, PASS, VISIT, CELL, SUITE, OPERATION, METRIC, KIND, COLUMNS };

static const char *const column_names[COLUMNS] = { "test", "value", "unit",      "better", "pass", "visit",
						   "cell", "suite", "operation", "metric", "kind" };

struct reader {
	struct mm_import_target *target;
	const char *file;
	int places[COLUMNS]; /* of each column in a row, -1: not there */
	size_t width;        /* fields of the head line */
	char separator;
	int line;
	json_t *passes; /* "pass.visit" to place */
	struct mm_error *err;
};

/* Reads one record; fields are unquoted. Returns false at the end of TEXT. */
static bool read_record(const char **text, char separator, struct mm_strings *fields, int *lines)
{
	struct mm_buffer field = MM_BUFFER_INIT;
	bool quoted = false, end = false;
	const char *at = *text;

	if (*at == '\0')
		return false;
	while (!end) {
		if (quoted && *at == '"' && at[1] == '"') {
			mm_buffer_putc(&field, '"');
			at++;
		} else if (*at == '"' && (quoted || field.length == 0)) {
			quoted = !quoted;
		} else if (*at == '\0' || (!quoted && (*at == separator || *at == '\n'))) {
			if (*at != separator && field.length > 0 && field.data[field.length - 1] == '\r')
				field.data[--field.length] = '\0';
			mm_strings_push(fields, mm_buffer_text(&field));
			mm_buffer_reset(&field);
			end = *at != separator;
		} else {
			mm_buffer_putc(&field, *at);
		}
		*lines += *at == '\n';
		at += *at != '\0';
	}
	mm_buffer_release(&field);
	*text = at;
	return true;
}

static char separator_of(const char *text)
{
	size_t length = strcspn(text, "\n");

	if (memchr(text, ',', length) == NULL && memchr(text, ';', length) != NULL)
		return ';';
	return memchr(text, ',', length) == NULL && memchr(text, '\t', length) != NULL ? '\t' : ',';
}

static int read_head(struct reader *reader, const struct mm_strings *fields)
{
	for (int column = 0; column < COLUMNS; column++) {
		reader->places[column] = -1;
		for (size_t i = 0; i < fields->count; i++)
			if (strcasecmp(fields->items[i], column_names[column]) == 0)
				reader->places[column] = (int)i;
	}
	if (reader->places[TEST] < 0 || reader->places[VALUE] < 0)
		return mm_error_set(reader->err, MM_EMATRIX,
				    "%s:1: the head line must name the columns 'test' and 'value' (and may name unit, "
				    "better, pass, "
				    "visit, cell, suite, operation, metric, kind)",
				    reader->file);
	reader->width = fields->count;
	return 0;
}

/* Spreadsheets end lines with separators for columns that are empty: those are no fields too many. */
static int check_width(const struct reader *reader, const struct mm_strings *fields)
{
	size_t count = fields->count;

	while (count > reader->width && fields->items[count - 1][0] == '\0')
		count--;
	if (count <= reader->width)
		return 0;
	return mm_error_set(reader->err, MM_EMATRIX,
			    "%s:%d: %zu fields where the head line has %zu: is there a decimal comma? write '5.5', not "
			    "'5,5', and quote a text that holds '%c'",
			    reader->file, reader->line, count, reader->width, reader->separator);
}

/* TEXT, NULL for none, is not a figure. */
static int refuse_value(const struct reader *reader, const char *text)
{
	bool comma = text != NULL && strspn(text, "0123456789,") == strlen(text) && strchr(text, ',') != NULL;

	if (text == NULL)
		return mm_error_set(reader->err, MM_EMATRIX, "%s:%d: the value is missing", reader->file, reader->line);
	return mm_error_set(reader->err, MM_EMATRIX, "%s:%d: the value '%s' is not a number from 0 on%s", reader->file,
			    reader->line, text, comma ? ": a decimal comma? write a point" : "");
}

static const char *field(const struct reader *reader, const struct mm_strings *fields, enum column column,
			 const char *fallback)
{
	int place = reader->places[column];
	const char *text = place >= 0 && (size_t)place < fields->count ? fields->items[place] : "";

	return text[0] != '\0' ? text : fallback;
}

/* One cell and one suite make a result: the first there is, or the one that was asked for. */
static int choose(struct reader *reader, const char *key, const char *found, const char *wanted, bool *take)
{
	const char *known = mm_json_string(reader->target->result, key, NULL);

	*take = true;
	if (found == NULL)
		return 0;
	if (wanted != NULL) {
		*take = strcmp(found, wanted) == 0;
		return 0;
	}
	if (known == NULL)
		mm_json_put_string(reader->target->result, key, found);
	else if (strcmp(known, found) != 0)
		return mm_error_set(reader->err, MM_EMATRIX,
				    "%s:%d: holds more than one %s ('%s', '%s'): choose one with --%s", reader->file,
				    reader->line, key, known, found, key);
	return 0;
}

/* Puts VALUE at PLACE, or at the end without one. */
static void put_sample(json_t *entry, const char *key, long place, double value)
{
	json_t *list = json_object_get(entry, key);

	if (list == NULL) {
		list = json_array();
		json_object_set_new(entry, key, list);
	}
	while (place >= 0 && json_array_size(list) < (size_t)place + 1)
		json_array_append_new(list, json_null());
	if (place >= 0)
		json_array_set_new(list, (size_t)place, mm_json_real(value));
	else
		json_array_append_new(list, mm_json_real(value));
}

/* Passes in the order in which they turn up; -1 where the file does not name them. */
static long place_of(struct reader *reader, const struct mm_strings *fields)
{
	const char *pass = field(reader, fields, PASS, NULL);
	json_t *known;
	char *key;

	if (pass == NULL)
		return -1;
	key = mm_format("%s.%s", pass, field(reader, fields, VISIT, "1"));
	known = json_object_get(reader->passes, key);
	if (known == NULL) {
		known = json_integer((json_int_t)json_object_size(reader->passes));
		if (json_object_set_new(reader->passes, key, known) != 0)
			known = NULL;
	}
	free(key);
	return known != NULL ? (long)json_integer_value(known) : -1;
}

static int read_row(struct reader *reader, const struct mm_strings *fields)
{
	const char *test = field(reader, fields, TEST, NULL), *text = field(reader, fields, VALUE, NULL);
	const char *unit = field(reader, fields, UNIT, "s"), *metric = field(reader, fields, METRIC, "wall");
	const char *operation = field(reader, fields, OPERATION, NULL), *better;
	bool rate = strlen(unit) > 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0, take_cell, take_suite;
	const struct mm_import_options *options = reader->target->options;
	bool cpu = strcmp(metric, "server-cpu") == 0;
	double value;
	char *end;
	long place;
	json_t *entry;

	if (fields->count == 1 && fields->items[0][0] == '\0') /* an empty line */
		return 0;
	if (check_width(reader, fields) != 0)
		return MM_EMATRIX;
	if (strcmp(field(reader, fields, KIND, "sample"), "sample") != 0 || (!cpu && strcmp(metric, "wall") != 0))
		return 0;
	if (choose(reader, "cell", field(reader, fields, CELL, NULL), options->cell, &take_cell) != 0 ||
	    choose(reader, "suite", field(reader, fields, SUITE, NULL), options->suite, &take_suite) != 0)
		return MM_EMATRIX;
	if (!take_cell || !take_suite)
		return 0;
	value = text != NULL ? strtod(text, &end) : NAN;
	if (test == NULL)
		return mm_error_set(reader->err, MM_EMATRIX, "%s:%d: the test's name is missing", reader->file,
				    reader->line);
	if (text == NULL || *end != '\0' || !isfinite(value) || value < 0)
		return refuse_value(reader, text);
	better = field(reader, fields, BETTER, rate ? "higher" : "lower");
	if (strcmp(better, "lower") != 0 && strcmp(better, "higher") != 0)
		return mm_error_set(reader->err, MM_EMATRIX, "%s:%d: better is '%s', not 'lower' or 'higher'",
				    reader->file, reader->line, better);
	place = place_of(reader, fields);
	entry = json_object_get(reader->target->tests, test);
	if (entry == NULL) /* a row of CPU or of an operation says nothing about the test's own unit */
		entry = mm_import_test(reader->target, test, cpu || operation != NULL ? "s" : unit,
				       cpu || operation != NULL ? "lower" : better);
	if (operation != NULL) {
		put_sample(mm_import_operation(entry, operation, 0), "samples", place, value);
	} else if (cpu) {
		put_sample(entry, "server_cpu", place, value);
	} else {
		mm_json_put_string(entry, "unit", unit);
		mm_json_put_string(entry, "better", better);
		put_sample(entry, "samples", place, value);
	}
	return 0;
}

int mm_import_csv(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err)
{
	struct reader reader = {
		.target = target, .file = name, .separator = separator_of(text), .line = 1, .err = err
	};
	struct mm_strings fields = MM_STRINGS_INIT;
	bool head = true;
	int status = 0, next = 1;

	reader.passes = json_object();
	if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
		text += 3;
	while (status == 0 && read_record(&text, reader.separator, &fields, &next)) {
		status = head ? read_head(&reader, &fields) : read_row(&reader, &fields);
		head = false;
		mm_strings_release(&fields);
		reader.line = next;
	}
	mm_strings_release(&fields);
	json_decref(reader.passes);
	if (status == 0 && head)
		status = mm_error_set(err, MM_EMATRIX, "%s:1: the file is empty", name);
	return status;
}
