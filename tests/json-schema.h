/*
 * A small checker for JSON Schemas (draft 7), for tests: the keywords that our schemas use, and a failure for any
 * other, so that it is never laxer than the schema.
 */
#ifndef MM_TESTS_JSON_SCHEMA_H
#define MM_TESTS_JSON_SCHEMA_H

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct schema_check {
	const json_t *root; /* holds the definitions */
	char why[400];      /* the first thing that is wrong */
};

static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value);

/* jansson walks objects without changing them, but does not say const. */
static json_t *schema_open(const json_t *value)
{
	return (json_t *)(uintptr_t)value;
}

static bool schema_says(struct schema_check *check, const char *what, const char *about)
{
	if (!check->why[0])
		(void)snprintf(check->why, sizeof check->why, "%.90s: %.300s", what, about ? about : "");
	return false;
}

static bool schema_is_type(const char *type, const json_t *value)
{
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value);
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	return strcmp(type, "null") == 0 && json_is_null(value);
}

/* "type" may be one name or a list of them. */
static bool schema_has_type(const json_t *type, const json_t *value)
{
	size_t i;
	json_t *one;
	if (json_is_string(type))
		return schema_is_type(json_string_value(type), value);
	json_array_foreach(type, i, one) if (schema_is_type(json_string_value(one), value)) return true;
	return false;
}

static bool schema_matches(const char *pattern, const char *text)
{
	regex_t regex;
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
		(void)fprintf(stderr, "cannot compile the pattern %s\n", pattern);
		abort();
	}
	bool matches = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return matches;
}

static bool schema_object(struct schema_check *check, const json_t *schema, const json_t *value)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *patterns = json_object_get(schema, "patternProperties");
	const json_t *additional = json_object_get(schema, "additionalProperties");
	const char *key, *pattern;
	json_t *member, *inner;
	size_t i;
	json_array_foreach(
		json_object_get(schema, "required"), i,
		inner) if (!json_object_get(value,
					    json_string_value(inner))) return schema_says(check,
											  "a required key is missing",
											  json_string_value(inner));
	void *end = json_object_iter(schema_open(value));
	for (void *at = end; at; at = json_object_iter_next(schema_open(value), at)) {
		key = json_object_iter_key(at);
		member = json_object_iter_value(at);
		bool known = false;
		inner = json_object_get(properties, key);
		if (inner) {
			known = true;
			if (!schema_valid(check, inner, member))
				return schema_says(check, "below", key);
		}
		json_object_foreach(schema_open(patterns), pattern, inner)
		{
			if (!schema_matches(pattern, key))
				continue;
			known = true;
			if (!schema_valid(check, inner, member))
				return schema_says(check, "below", key);
		}
		if (!known && additional && !schema_valid(check, additional, member))
			return schema_says(check, "an unknown key", key);
	}
	return true;
}

static bool schema_array(struct schema_check *check, const json_t *schema, const json_t *value)
{
	const json_t *items = json_object_get(schema, "items"), *least = json_object_get(schema, "minItems");
	size_t i, j;
	json_t *element;
	if (least && json_array_size(value) < (size_t)json_integer_value(least))
		return schema_says(check, "too few elements", NULL);
	json_array_foreach(value, i, element)
	{
		if (items && !schema_valid(check, items, element))
			return false;
		for (j = 0; json_is_true(json_object_get(schema, "uniqueItems")) && j < i; j++)
			if (json_equal(json_array_get(value, j), element))
				return schema_says(check, "an element stands twice", NULL);
	}
	return true;
}

static bool schema_scalar(struct schema_check *check, const json_t *schema, const json_t *value)
{
	const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
	const json_t *above = json_object_get(schema, "exclusiveMinimum");
	const json_t *pattern = json_object_get(schema, "pattern"), *length = json_object_get(schema, "minLength");
	if (json_is_number(value)) {
		double number = json_number_value(value);
		if ((least && number < json_number_value(least)) || (most && number > json_number_value(most)) ||
		    (above && number <= json_number_value(above)))
			return schema_says(check, "a number is out of range", NULL);
	}
	if (json_is_string(value)) {
		const char *text = json_string_value(value);
		if ((pattern && !schema_matches(json_string_value(pattern), text)) ||
		    (length && strlen(text) < (size_t)json_integer_value(length)))
			return schema_says(check, "a string is not right", text);
	}
	return true;
}

/* "anyOf", "oneOf", "allOf": between LEAST and MOST of the schemas must hold. */
static bool schema_several(struct schema_check *check, const json_t *schemas, const json_t *value, size_t least,
			   size_t most)
{
	size_t i, held = 0;
	json_t *one;
	json_array_foreach(schemas, i, one)
	{
		struct schema_check inner = { .root = check->root };
		if (schema_valid(&inner, one, value))
			held++;
		else if (least == json_array_size(schemas))
			(void)schema_says(check, inner.why, NULL);
	}
	return held >= least && held <= most ? true : schema_says(check, "not one of the alternatives", NULL);
}

static void schema_check_keywords(const json_t *schema)
{
	static const char *const known[] = { "type",
					     "properties",
					     "patternProperties",
					     "additionalProperties",
					     "required",
					     "items",
					     "minItems",
					     "uniqueItems",
					     "minimum",
					     "maximum",
					     "exclusiveMinimum",
					     "pattern",
					     "minLength",
					     "anyOf",
					     "oneOf",
					     "allOf",
					     "enum",
					     "const",
					     "$ref",
					     "definitions",
					     "description",
					     "title",
					     "$schema",
					     "$id" };
	for (void *at = json_object_iter(schema_open(schema)); at;
	     at = json_object_iter_next(schema_open(schema), at)) {
		size_t i = 0;
		while (i < sizeof known / sizeof known[0] && strcmp(known[i], json_object_iter_key(at)) != 0)
			i++;
		if (i == sizeof known / sizeof known[0]) {
			(void)fprintf(stderr, "the keyword %s is not known here\n", json_object_iter_key(at));
			abort();
		}
	}
}

/* Does VALUE conform to SCHEMA? check->why says why not. */
static bool schema_valid(struct schema_check *check, const json_t *schema, const json_t *value)
{
	if (json_is_boolean(schema))
		return json_is_true(schema) ? true : schema_says(check, "nothing is allowed here", NULL);
	schema_check_keywords(schema);
	const char *reference = json_string_value(json_object_get(schema, "$ref"));
	if (reference) {
		static const char start[] = "#/definitions/";
		const json_t *target = NULL;
		if (strncmp(reference, start, sizeof start - 1) == 0)
			target = json_object_get(json_object_get(check->root, "definitions"),
						 reference + sizeof start - 1);
		return target ? schema_valid(check, target, value) : schema_says(check, "no definition", reference);
	}
	const json_t *type = json_object_get(schema, "type"), *exactly = json_object_get(schema, "const");
	const json_t *words = json_object_get(schema, "enum"), *several;
	if (type && !schema_has_type(type, value))
		return schema_says(check, "the wrong type", json_is_string(type) ? json_string_value(type) : NULL);
	if (exactly && !json_equal(exactly, value))
		return schema_says(check, "not the constant", NULL);
	if (words) {
		size_t i;
		json_t *word;
		bool found = false;
		json_array_foreach(words, i, word) found = found || json_equal(word, value);
		if (!found)
			return schema_says(check, "none of the words", json_string_value(value));
	}
	if ((several = json_object_get(schema, "anyOf")) &&
	    !schema_several(check, several, value, 1, json_array_size(several)))
		return false;
	if ((several = json_object_get(schema, "oneOf")) && !schema_several(check, several, value, 1, 1))
		return false;
	if ((several = json_object_get(schema, "allOf")) &&
	    !schema_several(check, several, value, json_array_size(several), json_array_size(several)))
		return false;
	if (json_is_object(value))
		return schema_object(check, schema, value);
	if (json_is_array(value))
		return schema_array(check, schema, value);
	return schema_scalar(check, schema, value);
}

#endif
