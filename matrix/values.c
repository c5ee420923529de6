/* One value each: the kinds of keys that are not objects. */
#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"
#include "matrix/index.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"
#include "matrix/words.h"

const char mm_name_pattern[] = "^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$";

static bool plain(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

const char *mm_name_check(const char *name)
{
	if (!plain(*name))
		return "a name begins with a letter or a digit";
	size_t length = 0;
	for (; name[length]; length++)
		if (!plain(name[length]) && !strchr("._+-", name[length]))
			return "a name is made of letters, digits and . _ + - only, because folders are named after it";
	return length > 100 ? "a name has at most 100 characters" : NULL;
}

int mm_value_expected(struct mm_reader *reader, const struct mm_at *at, const char *expected, const json_t *value)
{
	return mm_reader_fail(reader, at, "expected %s, found %s", expected, mm_found(value).text);
}

int mm_bits_value(const json_t *value)
{
	if (json_is_string(value) && strcmp(json_string_value(value), "native") == 0)
		return MM_BITS_NATIVE;
	json_int_t bits = json_is_integer(value) ? json_integer_value(value) : -1;
	return bits == 32 || bits == 64 ? (int)bits : -1;
}

static int read_bits(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
		     int *field)
{
	int bits = mm_bits_value(value);
	if (bits < 0 || (bits == MM_BITS_NATIVE && !key->native))
		return mm_value_expected(reader, at, key->native ? "32, 64 or \"native\"" : "32 or 64", value);
	if (field)
		*field = bits;
	return 0;
}

/* A string that is not empty and passes the key's own check. */
static int check_string(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value)
{
	if (!json_is_string(value))
		return mm_value_expected(reader, at, "a string", value);
	const char *text = json_string_value(value);
	if (!*text)
		return mm_reader_fail(reader, at, "expected a string that is not empty");
	const char *wrong = key->check ? key->check(text) : NULL;
	if (wrong)
		return mm_reader_fail(reader, at, "'%s' is not right: %s", mm_clean(text).text, wrong);
	return 0;
}

static char *convert(const struct mm_reader *reader, enum mm_kind kind, const char *text)
{
	bool path = kind == MM_KIND_PATH || kind == MM_KIND_PATHS || (kind == MM_KIND_PROGRAM && strchr(text, '/'));
	return path ? mm_path_absolute(reader->folder, text) : mm_strdup(text);
}

static int read_string(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
		       char **field)
{
	int code = check_string(reader, at, key, value);
	if (!code && field) {
		free(*field);
		*field = convert(reader, key->kind, json_string_value(value));
	}
	return code;
}

static int read_word(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
		     void *field)
{
	if (!json_is_string(value)) {
		struct mm_buffer wanted = MM_BUFFER_INIT;
		for (size_t i = 0; key->words[i]; i++)
			mm_buffer_printf(&wanted, "%s\"%s\"",
					 i == 0              ? ""
					 : key->words[i + 1] ? ", "
							     : " or ",
					 key->words[i]);
		int code = mm_value_expected(reader, at, mm_buffer_text(&wanted), value);
		mm_buffer_release(&wanted);
		return code;
	}
	const char *text = json_string_value(value);
	for (int i = 0; key->words[i]; i++) {
		if (strcmp(key->words[i], text) == 0) {
			if (field && key->kind == MM_KIND_CHOICE) {
				memcpy(field, &i, sizeof i);
			} else if (field) {
				free(*(char **)field);
				*(char **)field = mm_strdup(text);
			}
			return 0;
		}
	}
	struct mm_strings known = MM_STRINGS_INIT;
	for (size_t i = 0; key->words[i]; i++)
		mm_strings_push(&known, key->words[i]);
	return mm_reader_fail(reader, at, "unknown value '%s'%s", mm_clean(text).text, mm_hint(text, &known).text);
}

static int read_integer(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
			void *field)
{
	json_int_t number = json_integer_value(value);
	if (!json_is_integer(value) || (double)number < key->least || (double)number > key->most) {
		char *wanted = mm_format("a whole number from %.0f to %.0f", key->least, key->most);
		int code = mm_value_expected(reader, at, wanted, value);
		free(wanted);
		return code;
	}
	if (field && key->kind == MM_KIND_INTEGER64)
		*(int64_t *)field = number;
	else if (field)
		*(int *)field = (int)number;
	return 0;
}

static int read_number(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
		       double *field)
{
	double number = json_number_value(value);
	if (!json_is_number(value) || number < key->least || number > key->most ||
	    (key->above && number <= key->least)) {
		char *wanted = mm_format("a number %s %g %s %g", key->above ? "above" : "from", key->least,
					 key->above ? "and at most" : "to", key->most);
		int code = mm_value_expected(reader, at, wanted, value);
		free(wanted);
		return code;
	}
	if (field)
		*field = number;
	return 0;
}

/* The list itself: an array with enough elements. */
static int check_list(struct mm_reader *reader, const struct mm_at *at, const json_t *value, double least,
		      const char *what)
{
	if (json_is_array(value) && (double)json_array_size(value) >= least)
		return 0;
	char *wanted = mm_format("a list of %s%s", what, least > 0 ? ", at least one" : "");
	int code = mm_value_expected(reader, at, wanted, value);
	free(wanted);
	return code;
}

static int read_strings(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, const json_t *value,
			struct mm_strings *field)
{
	struct mm_index seen = { NULL, 0, 0 };
	int code = check_list(reader, at, value, key->least, key->kind == MM_KIND_PATHS ? "paths" : "strings");
	for (size_t i = 0; !code && i < json_array_size(value); i++) {
		const struct mm_at here = { at, NULL, i };
		const json_t *element = json_array_get(value, i);
		code = check_string(reader, &here, key, element);
		if (code)
			break;
		const char *text = json_string_value(element);
		if (key->unique && !mm_index_add(&seen, text, i)) {
			code = mm_reader_fail(reader, &here, "'%s' stands in this list already: keep one",
					      mm_clean(text).text);
		} else if (field) {
			char *converted = convert(reader, key->kind, text);
			mm_strings_push(field, converted);
			free(converted);
		}
	}
	mm_index_release(&seen);
	return code;
}

static bool is_variable(const char *name)
{
	if (*name >= '0' && *name <= '9')
		return false;
	const char *c = name;
	while (plain(*c) || *c == '_')
		c++;
	return c > name && !*c;
}

static int read_env(struct mm_reader *reader, const struct mm_at *at, json_t *value, struct mm_strings *field)
{
	const char *name;
	json_t *text;
	if (!json_is_object(value))
		return mm_value_expected(reader, at, "an object of variables, {\"NAME\": \"value\"}", value);
	json_object_foreach(value, name, text)
	{
		const struct mm_at here = { at, name, 0 };
		if (!is_variable(name))
			return mm_reader_fail_key(
				reader, &here,
				"'%s' cannot be a variable: its name is made of letters, digits and _, "
				"and does not begin with a digit",
				mm_clean(name).text);
		if (!json_is_string(text))
			return mm_value_expected(reader, &here, "a string", text);
		if (field)
			mm_strings_pushf(field, "%s=%s", name, json_string_value(text));
	}
	return 0;
}

/* A list of integers or of bits; COUNT is NULL when it is only checked. */
static int read_integers(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key,
			 const json_t *value, int **field, size_t *count)
{
	bool bits = key->kind == MM_KIND_BITS_LIST;
	int code = check_list(reader, at, value, 1, bits ? "32, 64 or \"native\"" : "whole numbers");
	size_t size = json_array_size(value);
	int *numbers = mm_calloc(size + 1, sizeof *numbers);
	for (size_t i = 0; !code && i < size; i++) {
		const struct mm_at here = { at, NULL, i };
		const json_t *element = json_array_get(value, i);
		code = bits ? read_bits(reader, &here, key, element, &numbers[i])
			    : read_integer(reader, &here, key, element, &numbers[i]);
	}
	if (code || !field) {
		free(numbers);
		return code;
	}
	free(*field);
	*field = numbers;
	*count = size;
	return 0;
}

/* The vectors of MM_KIND_INTEGERS need two fields: object.c hands over the section's struct as FIELD for them. */
int mm_value_read(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, json_t *value,
		  void *field)
{
	switch (key->kind) {
	case MM_KIND_STRING:
	case MM_KIND_PATH:
	case MM_KIND_PROGRAM:
		return read_string(reader, at, key, value, field);
	case MM_KIND_CHOICE:
	case MM_KIND_WORD:
		return read_word(reader, at, key, value, field);
	case MM_KIND_INTEGER:
	case MM_KIND_INTEGER64:
		return read_integer(reader, at, key, value, field);
	case MM_KIND_NUMBER:
		return read_number(reader, at, key, value, field);
	case MM_KIND_BOOL:
		if (!json_is_boolean(value))
			return mm_value_expected(reader, at, "true or false", value);
		if (field)
			*(bool *)field = json_is_true(value);
		return 0;
	case MM_KIND_BITS:
		return read_bits(reader, at, key, value, field);
	case MM_KIND_STRINGS:
	case MM_KIND_PATHS:
		return read_strings(reader, at, key, value, field);
	case MM_KIND_ENV:
		return read_env(reader, at, value, field);
	case MM_KIND_BITS_LIST:
		return read_integers(reader, at, key, value, NULL, NULL);
	case MM_KIND_INTEGERS:
		return field ? read_integers(reader, at, key, value, (int **)((char *)field + key->offset),
					     (size_t *)((char *)field + key->count_offset))
			     : read_integers(reader, at, key, value, NULL, NULL);
	case MM_KIND_JSON:
		if (key->read)
			return key->read(reader, at, value, field);
		if (field)
			*(json_t **)field = value;
		return 0;
	case MM_KIND_OBJECT:
	case MM_KIND_MAP:
	case MM_KIND_LIST:
		break; /* object.c */
	}
	return mm_error_set(reader->err, MM_EINTERNAL, "no reader for the key '%s'", key->name);
}
