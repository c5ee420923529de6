/* mymatrix.json(5), from the schema that the parser's own tables make. */
#include "base/json.h"
#include "base/memory.h"
#include "docs/man/manual.h"

struct pages {
	struct mm_buffer *page;
	const json_t *definitions;
	struct mm_strings waiting; /* definitions in the order in which they are named */
};

/* The definition that VALUE refers to, directly or by "allOf"; NULL when none. Borrowed. */
static const char *reference(const json_t *value)
{
	const char *target = json_string_value(json_object_get(value, "$ref"));
	const json_t *first = json_array_get(json_object_get(value, "allOf"), 0);
	if (!target)
		target = json_string_value(json_object_get(first, "$ref"));
	return target && strncmp(target, "#/definitions/", 14) == 0 ? target + 14 : NULL;
}

static void wait_for(struct pages *pages, const char *name)
{
	if (name && !mm_strings_contain(&pages->waiting, name))
		mm_strings_push(&pages->waiting, name);
}

static void put_choice(struct mm_buffer *out, const json_t *choice)
{
	size_t i;
	json_t *value;
	json_array_foreach(choice, i, value)
	{
		char *text = json_dumps(value, JSON_ENCODE_ANY);
		mm_buffer_printf(out, "%s%s", i ? (i + 1 == json_array_size(choice) ? " or " : ", ") : "", text);
		free(text);
	}
}

/* What kind of value it is, in words: "a list of strings", "an object: see source". */
static void put_kind(struct pages *pages, struct mm_buffer *out, const json_t *value)
{
	const char *name = reference(value), *type = mm_json_string(value, "type", NULL);
	const json_t *items = json_object_get(value, "items"), *pattern;
	const char *key;
	if (name) {
		wait_for(pages, name);
		mm_buffer_printf(out, "object \"%s\"", name);
	} else if (json_object_get(value, "enum")) {
		put_choice(out, json_object_get(value, "enum"));
	} else if (json_object_get(value, "const")) {
		char *text = json_dumps(json_object_get(value, "const"), JSON_ENCODE_ANY);
		mm_buffer_puts(out, text);
		free(text);
	} else if (items) {
		const char *one = mm_json_string(items, "type", "");
		mm_buffer_puts(out, "list of ");
		if (reference(items))
			mm_buffer_puts(out, "objects: ");
		if (strcmp(one, "string") == 0 || strcmp(one, "integer") == 0)
			mm_buffer_printf(out, "%ss", one);
		else
			put_kind(pages, out, items);
	} else if (type && strcmp(type, "object") == 0 && json_object_get(value, "patternProperties")) {
		json_object_foreach((json_t *)json_object_get(value, "patternProperties"), key, pattern)
		{
			mm_buffer_puts(out, "by name: ");
			put_kind(pages, out, pattern);
		}
	} else {
		mm_buffer_puts(out, type ? type : "any value");
	}
}

static void put_keys(struct pages *pages, const json_t *object)
{
	const json_t *required = json_object_get(object, "required");
	const char *key;
	json_t *value, *needed;
	size_t i;
	mm_buffer_puts(pages->page, ".Bl -tag -width Ds\n");
	json_object_foreach(json_object_get(object, "properties"), key, value)
	{
		struct mm_buffer kind = MM_BUFFER_INIT;
		bool must = false;
		if (strcmp(key, "//") == 0)
			continue;
		json_array_foreach(required, i, needed) must |= json_is_string(needed) && strcmp(json_string_value(needed), key) == 0;
		put_kind(pages, &kind, value);
		mm_buffer_puts(pages->page, ".It Sy ");
		mm_page_word(pages->page, key);
		mm_buffer_printf(pages->page, "%s\n", must ? " (required)" : "");
		mm_page_text(pages->page, mm_json_string(value, "description", ""));
		mm_buffer_puts(pages->page, ".br\n");
		mm_page_text(pages->page, mm_buffer_text(&kind));
		mm_buffer_release(&kind);
	}
	mm_buffer_puts(pages->page, ".El\n");
	if (json_object_get(object, "patternProperties")) {
		struct mm_buffer kind = MM_BUFFER_INIT;
		json_object_foreach(json_object_get(object, "patternProperties"), key, value)
		{
			const json_t *any = json_object_get(value, "anyOf");
			put_kind(pages, &kind, any ? json_array_get(any, 1) : value);
		}
		mm_buffer_puts(pages->page, "Other keys may follow the pattern\n.Ql ");
		json_object_foreach(json_object_get(object, "patternProperties"), key, value) mm_page_word(pages->page, key);
		mm_buffer_puts(pages->page, " :\na string or ");
		mm_page_text(pages->page, mm_buffer_text(&kind));
		mm_buffer_release(&kind);
	}
}

int mm_manual_matrix(const struct mm_manual *manual, struct mm_error *err)
{
	struct mm_buffer page = MM_BUFFER_INIT;
	json_t *schema = mm_matrix_schema();
	struct pages pages = { &page, json_object_get(schema, "definitions"), MM_STRINGS_INIT };
	mm_page_begin(manual, &page, "mymatrix.json", "5", "what mymatrix builds, measures and compares");
	int code = mm_page_part(manual, &page, "mymatrix.json", true, err);
	mm_buffer_puts(&page, ".Ss The document\n");
	put_keys(&pages, schema);
	for (size_t i = 0; i < pages.waiting.count; i++) {
		mm_buffer_puts(&page, ".Ss Object \\(dq");
		mm_buffer_printf(&page, "%s\\(dq\n", pages.waiting.items[i]);
		put_keys(&pages, json_object_get(pages.definitions, pages.waiting.items[i]));
	}
	if (!code)
		code = mm_page_part(manual, &page, "mymatrix.json-end", true, err);
	if (!code)
		code = mm_manual_write(manual, "mymatrix.json.5", &page, err);
	mm_strings_release(&pages.waiting);
	json_decref(schema);
	mm_buffer_release(&page);
	return code;
}
