/* The JSON Schema (draft 7) of MATRIX.json, made from the tables that the reader works by. */
#include "base/json.h"
#include "base/memory.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"

static json_t *object_schema(json_t *definitions, const struct mm_section *section);

static json_t *typed(const char *type)
{
	return json_pack("{s:s}", "type", type);
}

static json_t *string_schema(const struct mm_key *key)
{
	json_t *schema = typed("string");
	if (key->pattern)
		json_object_set_new(schema, "pattern", json_string(key->pattern));
	else
		json_object_set_new(schema, "minLength", json_integer(1));
	return schema;
}

static json_t *words_schema(const struct mm_key *key)
{
	json_t *words = json_array();
	for (size_t i = 0; key->words[i]; i++)
		json_array_append_new(words, json_string(key->words[i]));
	return json_pack("{s:o}", "enum", words);
}

static json_t *bits_schema(const struct mm_key *key)
{
	return key->native ? json_pack("{s:[i,i,s]}", "enum", 32, 64, "native")
			   : json_pack("{s:[i,i]}", "enum", 32, 64);
}

static json_t *number_schema(const struct mm_key *key, const char *type)
{
	bool whole = strcmp(type, "integer") == 0;
	json_t *schema = typed(type);
	json_object_set_new(schema, key->above ? "exclusiveMinimum" : "minimum",
			    whole ? json_integer((json_int_t)key->least) : json_real(key->least));
	json_object_set_new(schema, "maximum", whole ? json_integer((json_int_t)key->most) : json_real(key->most));
	return schema;
}

static json_t *list_schema(json_t *items, double least, bool unique)
{
	json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", items);
	if (least > 0)
		json_object_set_new(schema, "minItems", json_integer((json_int_t)least));
	if (unique)
		json_object_set_new(schema, "uniqueItems", json_true());
	return schema;
}

/* A reference to the section's definition, which is made when it is first asked for. */
static json_t *reference(json_t *definitions, const struct mm_section *section)
{
	char *name = mm_strdup(section->name); /* a reference is a URI: no spaces */
	for (char *space = name; (space = strchr(space, ' '));)
		*space = '-';
	if (!json_object_get(definitions, name)) {
		json_object_set_new(definitions, name, json_object()); /* keeps the order of first use */
		json_object_set_new(definitions, name, object_schema(definitions, section));
	}
	char *target = mm_format("#/definitions/%s", name);
	json_t *schema = json_pack("{s:s}", "$ref", target);
	free(target);
	free(name);
	return schema;
}

/* Where the variants are keys themselves, exactly one of them stands in the object. */
static void put_variants(json_t *schema, const struct mm_section *section)
{
	json_t *choice = json_array();
	for (size_t i = 0; section->variants && section->variants[i]; i++)
		if (json_object_get(json_object_get(schema, "properties"), section->variants[i]))
			json_array_append_new(choice, json_pack("{s:[s]}", "required", section->variants[i]));
	if (json_array_size(choice) > 1)
		json_object_set(schema, "oneOf", choice);
	json_decref(choice);
}

/* An object of things by name, with "//" comments among them. */
static json_t *map_schema(json_t *definitions, const struct mm_key *key)
{
	json_t *schema = typed("object");
	json_object_set_new(schema, "patternProperties",
			    json_pack("{s:o}", mm_name_pattern, reference(definitions, key->section)));
	json_object_set_new(schema, "properties", json_pack("{s:b}", "//", 1));
	json_object_set_new(schema, "additionalProperties", json_false());
	return schema;
}

static json_t *env_schema(void)
{
	return json_pack("{s:s, s:{s:{s:s}}, s:{s:b}, s:b}", "type", "object", "patternProperties",
			 "^[A-Za-z_][A-Za-z0-9_]*$", "type", "string", "properties", "//", 1, "additionalProperties",
			 0);
}

static json_t *value_schema(json_t *definitions, const struct mm_key *key)
{
	switch (key->kind) {
	case MM_KIND_STRING:
	case MM_KIND_PATH:
	case MM_KIND_PROGRAM:
		return string_schema(key);
	case MM_KIND_CHOICE:
	case MM_KIND_WORD:
		return words_schema(key);
	case MM_KIND_INTEGER:
	case MM_KIND_INTEGER64:
		return number_schema(key, "integer");
	case MM_KIND_NUMBER:
		return number_schema(key, "number");
	case MM_KIND_BOOL:
		return typed("boolean");
	case MM_KIND_BITS:
		return bits_schema(key);
	case MM_KIND_STRINGS:
	case MM_KIND_PATHS:
		return list_schema(string_schema(key), key->least, key->unique);
	case MM_KIND_ENV:
		return env_schema();
	case MM_KIND_INTEGERS:
		return list_schema(number_schema(key, "integer"), 1, false);
	case MM_KIND_BITS_LIST:
		return list_schema(bits_schema(key), 1, false);
	case MM_KIND_OBJECT:
		return reference(definitions, key->section);
	case MM_KIND_MAP:
		return map_schema(definitions, key);
	case MM_KIND_LIST:
		return list_schema(reference(definitions, key->section), key->least, false);
	case MM_KIND_JSON:
		if (key->section)
			return reference(definitions, key->section);
		return json_loads(key->schema, 0, NULL);
	}
	return json_object();
}

static json_t *object_schema(json_t *definitions, const struct mm_section *section)
{
	json_t *schema = typed("object"), *properties = json_object(), *required = json_array();
	for (const struct mm_key *key = section->keys; key->name; key++) {
		json_t *value = value_schema(definitions, key);
		/* draft 7 ignores what stands beside "$ref" */
		if (json_object_get(value, "$ref"))
			value = json_pack("{s:[o]}", "allOf", value);
		json_object_set_new(value, "description", json_string(key->help));
		json_object_set_new(properties, key->name, value);
		if (key->required)
			json_array_append_new(required, json_string(key->name));
	}
	json_object_set_new(properties, "//", json_true());
	json_object_set_new(schema, "properties", properties);
	put_variants(schema, section);
	if (section->other_pattern) {
		json_t *other = json_pack("{s:[o,o]}", "anyOf", typed("string"),
					  reference(definitions, section->other_section));
		json_object_set_new(schema, "patternProperties", json_pack("{s:o}", section->other_pattern, other));
	}
	json_object_set_new(schema, "additionalProperties", json_false());
	if (json_array_size(required))
		json_object_set(schema, "required", required);
	json_decref(required);
	return schema;
}

json_t *mm_matrix_schema(void)
{
	json_t *definitions = json_object();
	json_t *schema = json_pack("{s:s, s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "title",
				   "MATRIX.json of mymatrix, version 1");
	json_t *document = object_schema(definitions, &mm_document_section);
	(void)json_object_update(schema, document);
	json_object_set_new(schema, "definitions", definitions);
	json_decref(document);
	return schema;
}
