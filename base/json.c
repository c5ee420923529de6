#include "base/json.h"

#include <math.h>

#include "base/fs.h"
#include "base/memory.h"

enum { SAVE_FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(12) | JSON_ENCODE_ANY };

static void *allocate(size_t size)
{
	return mm_realloc(NULL, size, 1);
}

void mm_json_begin(void)
{
	json_set_alloc_funcs(allocate, free);
}

static void not_json(const char *path, const json_error_t *why, struct mm_error *err)
{
	bool nul = json_error_code(why) == json_error_null_character;
	(void)mm_error_set(err, MM_EMATRIX, "%s:%d:%d: not JSON: %s", path, why->line > 0 ? why->line : 1,
			   why->column > 0 ? why->column : 1, nul ? "a string holds the character \\u0000" : why->text);
}

static json_t *load(int (*read)(const char *path, size_t limit, struct mm_buffer *out, struct mm_error *err),
		    const char *path, struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	json_error_t why;
	json_t *value = NULL;
	if (read(path, 0, &text, err) == 0) {
		value = json_loadb(mm_buffer_text(&text), text.length, JSON_REJECT_DUPLICATES, &why);
		if (!value)
			not_json(path, &why, err);
	}
	mm_buffer_release(&text);
	return value;
}

json_t *mm_json_load(const char *path, struct mm_error *err)
{
	return load(mm_fs_read, path, err);
}

json_t *mm_json_load_input(const char *path, struct mm_error *err)
{
	return load(mm_fs_read_input, path, err);
}

char *mm_json_text(const json_t *value)
{
	char *dumped = json_dumps(value, SAVE_FLAGS);
	char *text = mm_format("%s\n", dumped ? dumped : "null");
	free(dumped);
	return text;
}

static int append(const char *bytes, size_t length, void *context)
{
	mm_buffer_append(context, bytes, length);
	return 0;
}

int mm_json_save(const char *path, const json_t *value, struct mm_error *err)
{
	struct mm_file_text to;
	int code = mm_file_text_begin(&to, path, err);
	if (code)
		return code;
	if (json_dump_callback(value, append, &to.text, SAVE_FLAGS))
		code = mm_error_set(err, MM_EINTERNAL, "cannot write '%s': it is no JSON", path);
	mm_buffer_putc(&to.text, '\n');
	return mm_file_text_end(&to, code);
}

json_t *mm_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

const char *mm_json_string(const json_t *object, const char *key, const char *fallback)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : fallback;
}

int64_t mm_json_integer(const json_t *object, const char *key, int64_t fallback)
{
	const json_t *value = json_object_get(object, key);
	return json_is_integer(value) ? json_integer_value(value) : fallback;
}

double mm_json_number(const json_t *object, const char *key, double fallback)
{
	const json_t *value = json_object_get(object, key);
	return json_is_number(value) ? json_number_value(value) : fallback;
}

bool mm_json_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

json_t *mm_json_by_key(const json_t *list, const char *key)
{
	json_t *index = json_object();
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *object = json_array_get(list, i);
		const char *name = mm_json_string(object, key, NULL);
		if (name && !json_object_get(index, name))
			json_object_set(index, name, object);
	}
	return index;
}

void mm_json_share(json_t *object, const json_t *sample)
{
	const char *key;
	json_t *value;
	json_object_foreach(object, key, value) {
		json_t *other = json_object_get(sample, key);
		if (!other || other == value)
			continue;
		if (json_equal(value, other))
			json_object_set(object, key, other);
		else if (json_is_object(value))
			mm_json_share(value, other);
	}
}

void mm_json_put_string(json_t *object, const char *key, const char *value)
{
	if (!value)
		return;
	/* File names and server answers need not be UTF-8; what is not is kept byte by byte as Latin-1. */
	json_t *text = json_string(value);
	if (!text) {
		struct mm_buffer utf8 = MM_BUFFER_INIT;
		for (const unsigned char *byte = (const unsigned char *)value; *byte; byte++) {
			if (*byte < 0x80) {
				mm_buffer_putc(&utf8, (char)*byte);
			} else {
				mm_buffer_putc(&utf8, (char)(0xc0 | *byte >> 6));
				mm_buffer_putc(&utf8, (char)(0x80 | (*byte & 0x3f)));
			}
		}
		text = json_string(mm_buffer_text(&utf8));
		mm_buffer_release(&utf8);
	}
	json_object_set_new(object, key, text);
}

void mm_json_put_integer(json_t *object, const char *key, int64_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

void mm_json_put_real(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, mm_json_real(value));
}

void mm_json_put_bool(json_t *object, const char *key, bool value)
{
	json_object_set_new(object, key, json_boolean(value));
}
