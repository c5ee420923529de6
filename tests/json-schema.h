/*
 * A checker for the part of JSON Schema that the project's schemas use. A keyword that it does not know is a failure,
 * so that nothing in a schema is silently without effect.
 */
#ifndef MM_TESTS_JSON_SCHEMA_H
#define MM_TESTS_JSON_SCHEMA_H

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct schema_check {
	const json_t *root;
	char trouble[512]; /* the first thing that is wrong, "" for none */
};

static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value, const char *path);

static bool schema_fail(struct schema_check *check, const char *path, const char *what)
{
	if (check->trouble[0] == '\0')
		snprintf(check->trouble, sizeof(check->trouble), "%.380s: %.100s", path, what);
	return false;
}

static bool schema_is_type(const char *type, const json_t *value)
{
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "null") == 0)
		return json_is_null(value);
	return strcmp(type, "object") == 0 ? json_is_object(value) : strcmp(type, "array") == 0 && json_is_array(value);
}

static bool schema_type(struct schema_check *check, const json_t *types, const json_t *value, const char *path)
{
	const json_t *type;
	size_t i;

	if (json_is_string(types))
		return schema_is_type(json_string_value(types), value) ||
		       schema_fail(check, path, "is of the wrong type");
	json_array_foreach(types, i, type)
		if (schema_is_type(json_string_value(type), value))
			return true;
	return schema_fail(check, path, "is of none of the types");
}

static bool schema_enum(struct schema_check *check, const json_t *values, const json_t *value, const char *path)
{
	const json_t *one;
	size_t i;

	json_array_foreach(values, i, one)
		if (json_equal(one, value))
			return true;
	return schema_fail(check, path, "is none of the values");
}

/* "anyOf", "oneOf", "allOf": between LEAST and MOST of SCHEMAS hold; none given: nothing is asked. */
static bool schema_several(struct schema_check *check, const json_t *schemas, const json_t *value, const char *path,
			   size_t least, size_t most)
{
	const json_t *one;
	struct schema_check inner = { .root = check->root };
	size_t i, held = 0;

	json_array_foreach(schemas, i, one)
		held += schema_valid(&inner, one, value, path);
	if (schemas == NULL || (held >= least && held <= most))
		return true;
	return schema_fail(check, path, inner.trouble[0] ? inner.trouble : "is more than one of the alternatives");
}

static bool schema_matches(const char *pattern, const char *text)
{
	regex_t regex;
	bool matches = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;

	if (matches) { /* a pattern that cannot be compiled matches nothing */
		matches = regexec(&regex, text, 0, NULL, 0) == 0;
		regfree(&regex);
	}
	return matches;
}

static bool schema_scalar(struct schema_check *check, const json_t *schema, const json_t *value, const char *path)
{
	const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
	const json_t *above = json_object_get(schema, "exclusiveMinimum");
	const json_t *pattern = json_object_get(schema, "pattern"), *length = json_object_get(schema, "minLength");
	const char *text = json_string_value(value);
	double number = json_number_value(value);

	if (json_is_number(value) && ((least != NULL && number < json_number_value(least)) ||
				      (most != NULL && number > json_number_value(most)) ||
				      (above != NULL && number <= json_number_value(above))))
		return schema_fail(check, path, "is out of range");
	if (text != NULL && pattern != NULL && !schema_matches(json_string_value(pattern), text))
		return schema_fail(check, path, "does not match the pattern");
	return text == NULL || length == NULL || strlen(text) >= (size_t)json_integer_value(length) ||
	       schema_fail(check, path, "is too short");
}

/* The schemas of "patternProperties" that are for KEY; *KNOWN says whether there is one. */
static bool schema_patterns(struct schema_check *check, const json_t *patterns, const char *key, const json_t *member,
			    const char *path, bool *known)
{
	const char *pattern;
	json_t *rule;

	json_object_foreach((json_t *)(uintptr_t)patterns, pattern, rule) {
		if (!schema_matches(pattern, key))
			continue;
		*known = true;
		if (!schema_valid(check, rule, member, path))
			return false;
	}
	return true;
}

static bool schema_object(struct schema_check *check, const json_t *schema, const json_t *value, const char *path)
{
	const json_t *properties = json_object_get(schema, "properties"),
		     *others = json_object_get(schema, "additionalProperties");
	const json_t *required = json_object_get(schema, "required"), *name;
	const char *key;
	json_t *member;
	char inner[512];
	size_t i;

	json_array_foreach(required, i, name)
		if (json_object_get(value, json_string_value(name)) == NULL) {
			snprintf(inner, sizeof(inner), "%s.%s", path, json_string_value(name));
			return schema_fail(check, inner, "is missing");
		}
	json_object_foreach((json_t *)(uintptr_t)value, key, member) {
		const json_t *own = json_object_get(properties, key);
		bool known = own != NULL;

		snprintf(inner, sizeof(inner), "%.300s.%.100s", path, key);
		if (own != NULL && !schema_valid(check, own, member, inner))
			return false;
		if (!schema_patterns(check, json_object_get(schema, "patternProperties"), key, member, inner, &known))
			return false;
		if (!known && others != NULL && !schema_valid(check, others, member, inner))
			return false;
	}
	return true;
}

static bool schema_array(struct schema_check *check, const json_t *schema, const json_t *value, const char *path)
{
	const json_t *items = json_object_get(schema, "items"), *least = json_object_get(schema, "minItems");
	const json_t *most = json_object_get(schema, "maxItems"), *item;
	char inner[512];
	size_t i;

	if ((least != NULL && json_array_size(value) < (size_t)json_integer_value(least)) ||
	    (most != NULL && json_array_size(value) > (size_t)json_integer_value(most)))
		return schema_fail(check, path, "has the wrong number of items");
	json_array_foreach(value, i, item) {
		snprintf(inner, sizeof(inner), "%.400s[%zu]", path, i);
		if (items != NULL && !schema_valid(check, items, item, inner))
			return false;
		for (size_t j = 0; json_is_true(json_object_get(schema, "uniqueItems")) && j < i; j++)
			if (json_equal(json_array_get(value, j), item))
				return schema_fail(check, inner, "stands twice");
	}
	return true;
}

static bool schema_known(const char *keyword)
{
	static const char *const keywords[] = { "$schema",     "$id",
						"$defs",       "$ref",
						"title",       "description",
						"type",        "enum",
						"const",       "anyOf",
						"oneOf",       "allOf",
						"properties",  "patternProperties",
						"required",    "items",
						"minItems",    "maxItems",
						"uniqueItems", "additionalProperties",
						"minimum",     "maximum",
						"pattern",     "minLength",
						"definitions", "exclusiveMinimum" };

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strcmp(keyword, keywords[i]) == 0)
			return true;
	return false;
}

/* "#/$defs/NAME" or "#/definitions/NAME" */
static const json_t *schema_refer(const struct schema_check *check, const char *reference)
{
	const char *name = strrchr(reference, '/') + 1;
	const json_t *target = json_object_get(json_object_get(check->root, "$defs"), name);

	return target != NULL ? target : json_object_get(json_object_get(check->root, "definitions"), name);
}

/* Does VALUE, at PATH, conform to SCHEMA? check->trouble says why not. */
static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value, const char *path)
{
	const json_t *reference = json_object_get(schema, "$ref"), *several;
	const char *keyword;
	json_t *rule;

	if (json_is_boolean(schema))
		return json_is_true(schema) || schema_fail(check, path, "is not in the schema");
	if (reference != NULL) {
		const json_t *target = schema_refer(check, json_string_value(reference));

		return target != NULL ? schema_valid(check, target, value, path)
				      : schema_fail(check, path, "refers to nothing");
	}
	json_object_foreach((json_t *)(uintptr_t)schema, keyword, rule)
		if (!schema_known(keyword))
			return schema_fail(check, path, keyword);
	if ((rule = json_object_get(schema, "type")) != NULL && !schema_type(check, rule, value, path))
		return false;
	if ((rule = json_object_get(schema, "enum")) != NULL && !schema_enum(check, rule, value, path))
		return false;
	if ((rule = json_object_get(schema, "const")) != NULL && !json_equal(rule, value))
		return schema_fail(check, path, "is not the constant");
	several = json_object_get(schema, "anyOf");
	if (!schema_several(check, several, value, path, 1, json_array_size(several)))
		return false;
	if (!schema_several(check, json_object_get(schema, "oneOf"), value, path, 1, 1))
		return false;
	several = json_object_get(schema, "allOf");
	if (!schema_several(check, several, value, path, json_array_size(several), json_array_size(several)))
		return false;
	if (json_is_object(value))
		return schema_object(check, schema, value, path);
	return json_is_array(value) ? schema_array(check, schema, value, path)
				    : schema_scalar(check, schema, value, path);
}

#endif
