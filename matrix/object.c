/* Objects, and maps and lists of objects, read by their tables. */
#include "base/buffer.h"
#include "base/memory.h"
#include "matrix/keys.h"
#include "matrix/words.h"

static const struct mm_key *find_key(const struct mm_section *section, const char *name)
{
	for (const struct mm_key *key = section->keys; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return key;
	return NULL;
}

static int fail_unknown(struct mm_reader *reader, const struct mm_at *at, const struct mm_section *section,
			const char *key)
{
	struct mm_strings known = MM_STRINGS_INIT;
	for (const struct mm_key *row = section->keys; row->name; row++)
		mm_strings_push(&known, row->name);
	for (size_t i = 0; section->other_words && section->other_words[i]; i++)
		mm_strings_push(&known, section->other_words[i]);
	return mm_reader_fail_key(reader, at, "unknown key '%s'%s", mm_clean(key).text, mm_hint(key, &known).text);
}

/* "the key 'ref' means nothing for source 'tarball' (it is for: git)" */
static int fail_variant(struct mm_reader *reader, const struct mm_at *at, const struct mm_section *section,
			const struct mm_key *key, int variant)
{
	struct mm_buffer right = MM_BUFFER_INIT;
	for (unsigned i = 0; section->variants[i]; i++)
		if (key->only & 1u << i)
			mm_buffer_printf(&right, "%s%s", right.length ? ", " : "", section->variants[i]);
	int code = mm_reader_fail_key(reader, at, "the key '%s' means nothing for %s '%s' (it is for: %s)", key->name,
				      section->name, section->variants[variant], mm_buffer_text(&right));
	mm_buffer_release(&right);
	return code;
}

/* Keys that no table knows, and those that follow a pattern. */
static int check_unknown(struct mm_reader *reader, const struct mm_at *at, json_t *object,
			 const struct mm_section *section, void *target)
{
	const char *name;
	json_t *value;
	json_object_foreach(object, name, value)
	{
		const struct mm_at here = { at, name, 0 };
		bool taken = false;
		if (find_key(section, name))
			continue;
		int code = section->other ? section->other(reader, &here, name, value, target, &taken) : 0;
		if (!code && !taken)
			code = fail_unknown(reader, &here, section, name);
		if (code)
			return code;
	}
	return 0;
}

static int check_variant(struct mm_reader *reader, const struct mm_at *at, const json_t *object,
			 const struct mm_section *section, int variant)
{
	for (const struct mm_key *key = section->keys; key->name; key++) {
		const struct mm_at here = { at, key->name, 0 };
		if (key->only && !(key->only & 1u << variant) && json_object_get(object, key->name))
			return fail_variant(reader, &here, section, key, variant);
	}
	return 0;
}

static void *field_of(const struct mm_key *key, void *target)
{
	return target && key->offset != MM_NOWHERE ? (char *)target + key->offset : NULL;
}

/* A vector of COUNT structs, hung into TARGET; NULL when the section has none or nothing is stored. */
static char *make_vector(const struct mm_key *key, void *target, size_t count)
{
	if (!target || key->offset == MM_NOWHERE)
		return NULL;
	char *vector = mm_calloc(count + 1, key->section->size);
	*(void **)((char *)target + key->offset) = vector;
	*(size_t *)((char *)target + key->count_offset) = count;
	return vector;
}

static int read_map(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, json_t *value,
		    void *target)
{
	const char *name;
	json_t *element;
	size_t i = 0;
	if (!json_is_object(value) || json_object_size(value) < (size_t)key->least) {
		char *wanted = mm_format("an object of %ss by name%s", key->section->name,
					 key->least > 0 ? ", at least one" : "");
		int code = mm_value_expected(reader, at, wanted, value);
		free(wanted);
		return code;
	}
	char *vector = make_vector(key, target, json_object_size(value));
	json_object_foreach(value, name, element)
	{
		const struct mm_at here = { at, name, 0 };
		const char *wrong = mm_name_check(name);
		if (wrong)
			return mm_reader_fail_key(reader, &here, "'%s' cannot name a %s: %s", mm_clean(name).text,
						  key->section->name, wrong);
		void *slot = vector ? vector + i++ * key->section->size : NULL;
		if (slot)
			*(char **)slot = mm_strdup(name);
		int code = mm_section_read(reader, &here, element, key->section, slot);
		if (code)
			return code;
	}
	return 0;
}

static int read_list(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, json_t *value,
		     void *target)
{
	if (!json_is_array(value) || json_array_size(value) < (size_t)key->least) {
		char *wanted = mm_format("a list of objects%s", key->least > 0 ? ", at least one" : "");
		int code = mm_value_expected(reader, at, wanted, value);
		free(wanted);
		return code;
	}
	char *vector = make_vector(key, target, json_array_size(value));
	for (size_t i = 0; i < json_array_size(value); i++) {
		const struct mm_at here = { at, NULL, i };
		int code = mm_section_read(reader, &here, json_array_get(value, i), key->section,
					   vector ? vector + i * key->section->size : NULL);
		if (code)
			return code;
	}
	return 0;
}

static int read_key(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, json_t *value,
		    void *target)
{
	const struct mm_at here = { at, key->name, 0 };
	switch (key->kind) {
	case MM_KIND_OBJECT:
		return mm_section_read(reader, &here, value, key->section, field_of(key, target));
	case MM_KIND_MAP:
		return read_map(reader, &here, key, value, target);
	case MM_KIND_LIST:
		return read_list(reader, &here, key, value, target);
	case MM_KIND_INTEGERS: /* two fields */
		return mm_value_read(reader, &here, key, value, key->offset == MM_NOWHERE ? NULL : target);
	default:
		return mm_value_read(reader, &here, key, value, field_of(key, target));
	}
}

int mm_section_read(struct mm_reader *reader, const struct mm_at *at, json_t *object, const struct mm_section *section,
		    void *target)
{
	int variant = -1;
	if (!json_is_object(object))
		return mm_value_expected(reader, at, "an object", object);
	if (target && section->begin)
		section->begin(target);
	int code = check_unknown(reader, at, object, section, target);
	if (!code && section->variant) {
		code = section->variant(reader, at, object, &variant);
		if (!code)
			code = check_variant(reader, at, object, section, variant);
	}
	for (const struct mm_key *key = section->keys; !code && key->name; key++) {
		json_t *value = json_object_get(object, key->name);
		if (value)
			code = read_key(reader, at, key, value, target);
		else if (key->required)
			code = mm_reader_fail(reader, at, "the key '%s' is missing: %s", key->name, key->help);
	}
	if (!code && section->finish)
		code = section->finish(reader, at, object, variant, target);
	return code;
}
