/*
 * The schema for editors, the parser and the manual say the same. The schema is made from the parser's tables;
 * docs/mymatrix.schema.json must be that schema (MM_UPDATE_GOLDEN=1 writes it anew), what the parser accepts must
 * conform to it, and the manual must name every key and word.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "matrix/matrix.h"
#include "tests/json-schema.h"

#define GOLDEN MM_TEST_FOLDER "/golden/matrix"
#define SCHEMA MM_SOURCE_FOLDER "/docs/mymatrix.schema.json"

static void file_is_made_from_the_tables(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer shipped = MM_BUFFER_INIT;
	json_t *schema = mm_matrix_schema();
	char *text = mm_json_text(schema);
	const char *wish = getenv("MM_UPDATE_GOLDEN");
	if (wish && strcmp(wish, "1") == 0)
		assert_int_equal(mm_fs_write_atomic(SCHEMA, text, strlen(text), &err), 0);
	assert_int_equal(mm_fs_read(SCHEMA, 0, &shipped, &err), 0);
	assert_string_equal(text, mm_buffer_text(&shipped));
	mm_buffer_release(&shipped);
	free(text);
	json_decref(schema);
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool ends(const char *text, const char *end)
{
	size_t length = strlen(text);
	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* Errors that a schema can see: about one value by itself. */
static bool is_plain(const char *error)
{
	return strstr(error, "unknown key '") || strstr(error, "unknown value '") || strstr(error, "cannot name a");
}

/* What the parser accepts conforms; what it refuses for one value's sake does not. */
static void parser_and_schema_agree(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	json_t *schema = mm_json_load(SCHEMA, &err);
	assert_non_null(schema);
	size_t accepted = 0, refused = 0;
	DIR *folder = opendir(GOLDEN);
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		const char *name = entry->d_name;
		char *path = mm_format("%s/%s", GOLDEN, name);
		json_t *value = ends(name, ".json") && !ends(name, ".plan.json") ? json_load_file(path, 0, NULL) : NULL;
		struct schema_check check = { .root = schema };
		bool conforms = value && schema_valid(&check, schema, value, "$");
		if (value && !begins(name, "bad-")) {
			if (!conforms)
				fail_msg("%s: the parser accepts it, but the schema says: %s", name, check.trouble);
			accepted++;
		} else if (value) {
			struct mm_buffer error = MM_BUFFER_INIT;
			char *golden = mm_format("%.*s.error", (int)(strlen(path) - 5), path);
			assert_int_equal(mm_fs_read(golden, 0, &error, &err), 0);
			if (conforms && is_plain(mm_buffer_text(&error)))
				fail_msg("%s: the schema accepts what the parser calls: %s", name,
					 mm_buffer_text(&error));
			refused += !conforms;
			mm_buffer_release(&error);
			free(golden);
		}
		json_decref(value);
		free(path);
	}
	closedir(folder);
	json_decref(schema);
	assert_true(accepted > 40);
	assert_true(refused > 100);
}

/* Calls VISIT with every key and every word of an "enum" below SCHEMA. */
static void walk(const json_t *schema, void (*visit)(void *context, const char *word), void *context)
{
	const char *key;
	json_t *member;
	size_t i;
	json_object_foreach(json_object_get(schema, "properties"), key, member) visit(context, key);
	json_array_foreach(json_object_get(schema, "enum"), i, member) if (json_is_string(member))
		visit(context, json_string_value(member));
	json_object_foreach((json_t *)(uintptr_t)schema, key, member) if (json_is_object(member)) walk(member, visit, context);
	json_array_foreach(schema, i, member) walk(member, visit, context);
}

static void in_manual(void *context, const char *word)
{
	char *quoted = mm_format("`%s`", word), *string = mm_format("\"%s\"", word);
	if (!strstr(context, quoted) && !strstr(context, string))
		fail_msg("docs/MATRIX.md does not say what %s is", quoted);
	free(string);
	free(quoted);
}

static void manual_names_everything(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer manual = MM_BUFFER_INIT;
	json_t *schema = mm_matrix_schema();
	assert_int_equal(mm_fs_read(MM_SOURCE_FOLDER "/docs/MATRIX.md", 0, &manual, &err), 0);
	assert_true(manual.length > 0);
	walk(schema, in_manual, manual.data);
	mm_buffer_release(&manual);
	json_decref(schema);
}

/* The example of the manual is a matrix that loads. */
static void manual_example_is_right(void **state)
{
	(void)state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer manual = MM_BUFFER_INIT;
	struct mm_matrix *matrix = NULL;
	char path[] = "/tmp/mm-matrix-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mm_fs_read(MM_SOURCE_FOLDER "/docs/MATRIX.md", 0, &manual, &err), 0);
	const char *start = strstr(mm_buffer_text(&manual), "```json\n");
	assert_non_null(start);
	start += strlen("```json\n");
	const char *end = strstr(start, "```");
	assert_non_null(end);
	assert_int_equal(mm_fs_write_atomic(path, start, (size_t)(end - start), &err), 0);
	if (mm_matrix_load(path, NULL, &matrix, &err) || mm_matrix_check_supported(matrix, &err))
		fail_msg("%s", err.text);
	assert_int_equal(matrix->cell_count, 7);
	assert_int_equal(matrix->comparison_count, 4);
	mm_matrix_free(matrix);
	(void)unlink(path);
	mm_buffer_release(&manual);
}

/* The checker itself: a schema that is broken on purpose must be noticed. */
static void checker_notices(void **state)
{
	(void)state;
	static const struct {
		const char *schema, *value;
		bool valid;
	} cases[] = {
		{ "{\"type\": \"integer\", \"minimum\": 1}", "1", true },
		{ "{\"type\": \"integer\", \"minimum\": 1}", "0", false },
		{ "{\"type\": \"integer\"}", "1.5", false },
		{ "{\"exclusiveMinimum\": 0}", "0", false },
		{ "{\"enum\": [1, \"a\"]}", "\"b\"", false },
		{ "{\"const\": 1}", "2", false },
		{ "{\"required\": [\"a\"]}", "{}", false },
		{ "{\"properties\": {\"a\": {\"type\": \"string\"}}}", "{\"a\": 1}", false },
		{ "{\"additionalProperties\": false}", "{\"a\": 1}", false },
		{ "{\"patternProperties\": {\"^x\": true}, \"additionalProperties\": false}", "{\"xa\": 1}", true },
		{ "{\"items\": {\"type\": \"string\"}, \"minItems\": 1}", "[]", false },
		{ "{\"items\": {\"type\": \"string\"}}", "[\"a\", 1]", false },
		{ "{\"uniqueItems\": true}", "[1, 2, 1]", false },
		{ "{\"pattern\": \"^a+$\"}", "\"ab\"", false },
		{ "{\"minLength\": 1}", "\"\"", false },
		{ "{\"anyOf\": [{\"type\": \"string\"}, {\"const\": 1}]}", "2", false },
		{ "{\"oneOf\": [{\"minimum\": 1}, {\"minimum\": 2}]}", "3", false },
		{ "{\"allOf\": [{\"minimum\": 1}, {\"minimum\": 2}]}", "1", false },
		{ "{\"$ref\": \"#/definitions/x\", \"definitions\": {\"x\": {\"const\": 1}}}", "2", false },
		{ "{\"$ref\": \"#/definitions/y\"}", "2", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *schema = json_loads(cases[i].schema, 0, NULL);
		json_t *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
		struct schema_check check = { .root = schema };
		assert_non_null(schema);
		if (schema_valid(&check, schema, value, "$") != cases[i].valid)
			fail_msg("%s with %s", cases[i].schema, cases[i].value);
		json_decref(value);
		json_decref(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checker_notices),         cmocka_unit_test(file_is_made_from_the_tables),
		cmocka_unit_test(parser_and_schema_agree), cmocka_unit_test(manual_names_everything),
		cmocka_unit_test(manual_example_is_right),
	};
	return cmocka_run_group_tests_name("matrix_schema", tests, NULL, NULL);
}
