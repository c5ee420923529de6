/* Reads and checks the JSON of a mix. The file is a user's: every member is checked, and the first wrong one is named.
 */
#include "runners/mix.h"

#include <math.h>
#include <stdarg.h>

#include "base/json.h"
#include "base/memory.h"
#include "runners/mixes.h"

enum {
	MOST_NAME = 60,
	MOST_COLUMNS = 200,
	MOST_QUERIES = 200,
	MOST_VALUES = 16,
	MOST_WEIGHT = 1000000,
	MOST_TEXT = 10000
};

static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

struct reader {
	const char *file;
	struct mm_error *err;
};

static int wrong(const struct reader *reader, const char *path, const char *format, ...) MM_PRINTF(3, 4);

static int wrong(const struct reader *reader, const char *path, const char *format, ...)
{
	char what[300];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return mm_error_set(reader->err, MM_EMATRIX, "'%s': %s: %s", reader->file, path, what);
}

/* OBJECT is one, of no other members than KEYS (words between spaces); "//" is a comment. */
static int check_keys(const struct reader *reader, json_t *object, const char *path, const char *keys)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return wrong(reader, path, "must be an object");
	json_object_foreach(object, key, value)
	{
		char word[MOST_NAME + 3];

		(void)value;
		(void)snprintf(word, sizeof(word), " %.60s ", key);
		if (strcmp(key, "//") != 0 && (strchr(key, ' ') != NULL || strstr(keys, word) == NULL))
			return wrong(reader, path, "unknown key '%.60s': there is%s", key, keys);
	}
	return 0;
}

/* A member that must be a string; NAME: it goes into statements as a name. */
static int read_string(const struct reader *reader, const json_t *object, const char *path, const char *key, bool name,
		       char **out)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text == NULL || text[0] == '\0')
		return wrong(reader, path, "\"%s\" must be a string that is not empty", key);
	if (name && (strlen(text) > MOST_NAME || strspn(text, name_bytes) != strlen(text)))
		return wrong(reader, path, "\"%s\" must be a name of letters, digits, '_' and '-', not '%.80s'", key,
			     text);
	*out = mm_strdup(text);
	return 0;
}

/* A whole number of MEMBER from LEAST to MOST; missing: FALLBACK, which may be out of range to require it. */
static int read_whole(const struct reader *reader, const json_t *object, const char *path, const char *key,
		      int64_t most, int64_t fallback, int64_t *out)
{
	const json_t *value = json_object_get(object, key);

	*out = value == NULL ? fallback : json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
	if (*out < 1 || *out > most)
		return wrong(reader, path, "\"%s\" must be a whole number from 1 to %lld", key, (long long)most);
	return 0;
}

/* 5, "rows", "rows/10". */
static int read_bound(const struct reader *reader, const json_t *value, const char *path, struct mm_mix_bound *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		out->number = json_integer_value(value);
		if (out->number >= -(INT64_C(1) << 53) && out->number <= INT64_C(1) << 53)
			return 0;
	} else if (text != NULL && strcmp(text, "rows") == 0) {
		out->divisor = 1;
		return 0;
	} else if (text != NULL && strncmp(text, "rows/", 5) == 0 && text[5] >= '1' && text[5] <= '9') {
		out->divisor = strtoll(text + 5, &end, 10);
		if (*end == '\0' && out->divisor <= 1000000000)
			return 0;
	}
	return wrong(reader, path, "a bound is a whole number, \"rows\" or \"rows/N\"");
}

static int read_choices(const struct reader *reader, const json_t *list, const char *path, struct mm_mix_value *value)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		/* they go into statements between quotes */
		if (text == NULL || strpbrk(text, "'\"\\") != NULL)
			return wrong(reader, path, "a choice is a string without quotes and backslashes");
		mm_strings_push(&value->choices, text);
	}
	value->kind = MM_MIX_CHOICE;
	return value->choices.count > 0 ? 0 : wrong(reader, path, "\"choice\" must be a list that is not empty");
}

/* "row" (of columns), {"integer": [low, high]}, {"text": length}, {"choice": […]}. */
static int read_value(const struct reader *reader, json_t *json, const char *path, bool column,
		      struct mm_mix_value *value)
{
	const json_t *bounds = json_object_get(json, "integer"), *choices = json_object_get(json, "choice");
	int rc;

	if (column && json_is_string(json) && strcmp(json_string_value(json), "row") == 0) {
		value->kind = MM_MIX_ROW;
		return 0;
	}
	if (!json_is_object(json) || json_object_size(json) != 1)
		return wrong(reader, path,
			     "must be %s{\"integer\": [low, high]}, {\"text\": length} or {\"choice\": [\"a\", …]}",
			     column ? "\"row\", " : "");
	if (choices != NULL)
		return read_choices(reader, choices, path, value);
	if (bounds == NULL) {
		value->kind = MM_MIX_TEXT;
		rc = check_keys(reader, json, path, " integer text choice ");
		return rc != 0 ? rc : read_whole(reader, json, path, "text", MOST_TEXT, 0, &value->length);
	}
	value->kind = MM_MIX_INTEGER;
	if (json_array_size(bounds) != 2)
		return wrong(reader, path, "\"integer\" must be a list of two bounds");
	rc = read_bound(reader, json_array_get(bounds, 0), path, &value->low);
	if (rc == 0)
		rc = read_bound(reader, json_array_get(bounds, 1), path, &value->high);
	if (rc == 0 && value->low.divisor == 0 && value->high.divisor == 0 && value->low.number > value->high.number)
		rc = wrong(reader, path, "the first bound is above the second");
	return rc;
}

static int read_column(const struct reader *reader, json_t *json, const char *path, struct mm_mix_column *column)
{
	int rc = check_keys(reader, json, path, " name type value ");

	if (rc == 0)
		rc = read_string(reader, json, path, "name", true, &column->value.name);
	if (rc == 0)
		rc = read_string(reader, json, path, "type", false, &column->type);
	return rc == 0 ? read_value(reader, json_object_get(json, "value"), path, true, &column->value) : rc;
}

static int read_table(const struct reader *reader, json_t *json, struct mm_mix *mix)
{
	const json_t *columns = json_object_get(json, "columns"), *keys = json_object_get(json, "keys");
	int rc = check_keys(reader, json, "$.table", " name rows columns keys ");

	if (rc == 0)
		rc = read_string(reader, json, "$.table", "name", true, &mix->table);
	if (rc == 0)
		rc = read_whole(reader, json, "$.table", "rows", INT64_C(1000000000000), 0, &mix->rows);
	if (rc == 0 && (json_array_size(columns) == 0 || json_array_size(columns) > MOST_COLUMNS))
		rc = wrong(reader, "$.table", "\"columns\" must be a list of 1 to %d", MOST_COLUMNS);
	if (rc != 0)
		return rc;
	mix->columns = mm_calloc(json_array_size(columns), sizeof(*mix->columns));
	while (rc == 0 && mix->column_count < json_array_size(columns)) {
		char path[64];

		(void)snprintf(path, sizeof(path), "$.table.columns[%zu]", mix->column_count);
		rc = read_column(reader, json_array_get(columns, mix->column_count), path,
				 &mix->columns[mix->column_count]);
		mix->column_count++;
	}
	for (size_t i = 0; rc == 0 && i < json_array_size(keys); i++) {
		const char *key = json_string_value(json_array_get(keys, i));

		if (key == NULL)
			return wrong(reader, "$.table",
				     "\"keys\" must be a list of strings such as \"primary key (id)\"");
		mm_strings_push(&mix->keys, key);
	}
	return rc;
}

static int read_values(const struct reader *reader, json_t *json, const char *path, struct mm_mix_query *query)
{
	json_t *values = json_object_get(json, "values"), *value;
	const char *name;
	int rc = 0;

	if (values == NULL)
		return 0;
	if (!json_is_object(values) || json_object_size(values) > MOST_VALUES)
		return wrong(reader, path, "\"values\" must be an object of at most %d", MOST_VALUES);
	query->values = mm_calloc(json_object_size(values) + 1, sizeof(*query->values));
	json_object_foreach(values, name, value)
	{
		char *inner = mm_format("%s.values.%.60s", path, name);

		if (rc == 0 && (strlen(name) > MOST_NAME || strspn(name, name_bytes) != strlen(name) ||
				strcmp(name, "table") == 0))
			rc = wrong(reader, inner,
				   "a value's name has letters, digits, '_' and '-', and is not 'table'");
		if (rc == 0) {
			query->values[query->value_count].name = mm_strdup(name);
			rc = read_value(reader, value, inner, false, &query->values[query->value_count++]);
		}
		free(inner);
	}
	return rc;
}

/* The place of the value called by the LENGTH bytes of NAME; MM_MIX_NOTHING when there is none. */
static int value_place(const struct mm_mix_query *query, const char *name, size_t length)
{
	if (length == 5 && strncmp(name, "table", 5) == 0)
		return MM_MIX_TABLE;
	for (size_t i = 0; i < query->value_count; i++)
		if (strlen(query->values[i].name) == length && strncmp(query->values[i].name, name, length) == 0)
			return (int)i;
	return MM_MIX_NOTHING;
}

static void add_piece(struct mm_mix_query *query, size_t *capacity, struct mm_buffer *text, int value)
{
	query->pieces = mm_grow(query->pieces, query->piece_count, capacity, sizeof(*query->pieces));
	query->pieces[query->piece_count++] = (struct mm_mix_piece){ mm_buffer_detach(text), value };
}

/* "… {table} … {id} …" into pieces; "{{" and "}}" are braces. */
static int read_sql(const struct reader *reader, const char *sql, const char *path, struct mm_mix_query *query)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	size_t capacity = 0, length;
	int rc = 0, value;

	for (; rc == 0 && *sql != '\0'; sql++) { /* NOLINT(clang-analyzer-core.NullDereference): read_string set it */
		if ((sql[0] != '{' && sql[0] != '}') || sql[1] == sql[0]) {
			mm_buffer_putc(&text, *sql);
			sql += sql[0] == '{' || sql[0] == '}';
			continue;
		}
		length = strcspn(sql + 1, "}");
		value = sql[0] == '{' && sql[1 + length] == '}' ? value_place(query, sql + 1, length) : MM_MIX_NOTHING;
		if (value == MM_MIX_NOTHING) {
			rc = wrong(
				reader, path,
				"\"sql\": '%.*s': neither {table} nor a name in \"values\"; a brace is written twice",
				(int)(length > 60 ? 60 : length + 2), sql);
			break;
		}
		add_piece(query, &capacity, &text, value);
		sql += length + 1;
	}
	if (rc == 0)
		add_piece(query, &capacity, &text, MM_MIX_NOTHING);
	mm_buffer_release(&text);
	return rc;
}

static int read_query(const struct reader *reader, json_t *json, const char *path, struct mm_mix_query *query)
{
	char *sql = NULL;
	int64_t weight = 0;
	int rc = check_keys(reader, json, path, " name weight sql values ");

	if (rc == 0)
		rc = read_string(reader, json, path, "name", true, &query->name);
	if (rc == 0)
		rc = read_whole(reader, json, path, "weight", MOST_WEIGHT, 1, &weight);
	if (rc == 0)
		rc = read_values(reader, json, path, query);
	if (rc == 0)
		rc = read_string(reader, json, path, "sql", false, &sql);
	if (rc == 0)
		rc = read_sql(reader, sql, path, query);
	query->weight = (unsigned)weight;
	free(sql);
	return rc;
}

static int read_queries(const struct reader *reader, const json_t *list, struct mm_mix *mix)
{
	int rc = 0;

	if (json_array_size(list) == 0 || json_array_size(list) > MOST_QUERIES)
		return wrong(reader, "$", "\"queries\" must be a list of 1 to %d", MOST_QUERIES);
	mix->queries = mm_calloc(json_array_size(list), sizeof(*mix->queries));
	while (rc == 0 && mix->query_count < json_array_size(list)) {
		struct mm_mix_query *query = &mix->queries[mix->query_count];
		char path[64];

		(void)snprintf(path, sizeof(path), "$.queries[%zu]", mix->query_count);
		rc = read_query(reader, json_array_get(list, mix->query_count), path, query);
		for (size_t i = 0; rc == 0 && i < mix->query_count; i++)
			if (strcmp(mix->queries[i].name, query->name) == 0)
				rc = wrong(reader, path, "another query is called '%s' too", query->name);
		mix->query_count++;
		mix->weights += query->weight;
	}
	return rc;
}

static int read_mix(const struct reader *reader, json_t *json, struct mm_mix *mix)
{
	char *title = NULL;
	int rc = check_keys(reader, json, "$", " mymatrix_mix name title table queries ");

	if (rc == 0 && mm_json_integer(json, "mymatrix_mix", 0) != 1)
		rc = wrong(reader, "$", "not a mix of version 1: \"mymatrix_mix\" must be 1");
	if (rc == 0)
		rc = read_string(reader, json, "$", "name", true, &mix->name);
	if (rc == 0 && json_object_get(json, "title") != NULL)
		rc = read_string(reader, json, "$", "title", false, &title);
	if (rc == 0)
		rc = read_table(reader, json_object_get(json, "table"), mix);
	if (rc == 0)
		rc = read_queries(reader, json_object_get(json, "queries"), mix);
	free(title);
	return rc;
}

int mm_mix_load(const char *path, struct mm_mix *mix, struct mm_error *err)
{
	struct mm_error own = MM_ERROR_INIT;
	struct reader reader = { path, err == NULL ? &own : err };
	json_t *json = mm_json_load_input(path, reader.err);
	int rc;

	*mix = (struct mm_mix){ 0 };
	if (json == NULL)
		return reader.err->code;
	rc = read_mix(&reader, json, mix);
	json_decref(json);
	return rc;
}

int mm_mix_builtin(const char *name, struct mm_mix *mix, struct mm_error *err)
{
	struct reader reader = { name, err };
	json_error_t where;
	int rc;

	*mix = (struct mm_mix){ 0 };
	for (const struct mm_mixes_text *text = mm_mixes; text->name != NULL; text++) {
		json_t *json;

		if (strcmp(text->name, name) != 0)
			continue;
		json = json_loadb((const char *)text->bytes, text->length, JSON_REJECT_DUPLICATES, &where);
		if (json == NULL)
			return mm_error_set(err, MM_EINTERNAL, "the built-in mix '%s' is damaged: %s", name,
					    where.text);
		rc = read_mix(&reader, json, mix);
		json_decref(json);
		return rc;
	}
	return mm_error_set(err, MM_EINTERNAL, "there is no built-in mix '%s'", name);
}

static void release_value(struct mm_mix_value *value)
{
	free(value->name);
	mm_strings_release(&value->choices);
}

void mm_mix_release(struct mm_mix *mix)
{
	for (size_t i = 0; i < mix->column_count; i++) {
		free(mix->columns[i].type);
		release_value(&mix->columns[i].value);
	}
	for (size_t i = 0; i < mix->query_count; i++) {
		struct mm_mix_query *query = &mix->queries[i];

		for (size_t j = 0; j < query->piece_count; j++)
			free(query->pieces[j].text);
		for (size_t j = 0; j < query->value_count; j++)
			release_value(&query->values[j]);
		free(query->pieces);
		free(query->values);
		free(query->name);
	}
	free(mix->columns);
	free(mix->queries);
	mm_strings_release(&mix->keys);
	free(mix->name);
	free(mix->table);
	*mix = (struct mm_mix){ 0 };
}
