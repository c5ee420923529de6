/* Where a JSON path stands in a text: jansson keeps no positions, so the text is scanned again. */
#include <ctype.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/memory.h"

static bool plain_word(const char *key)
{
	if (!*key)
		return false;
	for (const char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-' && *c != '$')
			return false;
	return true;
}

char *mm_json_path_key(const char *path, const char *key)
{
	if (plain_word(key))
		return mm_format("%s.%s", path, key);
	json_t *text = json_string(key);
	char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY) : NULL;
	char *joined = mm_format("%s[%s]", path, quoted ? quoted : "\"?\"");
	free(quoted);
	json_decref(text);
	return joined;
}

char *mm_json_path_index(const char *path, size_t index)
{
	return mm_format("%s[%zu]", path, index);
}

struct scan {
	const char *at;
	const char *wanted; /* the rest of the path */
};

static void skip_space(struct scan *scan)
{
	scan->at += strspn(scan->at, " \t\r\n");
}

static void skip_string(struct scan *scan)
{
	for (scan->at++; *scan->at && *scan->at != '"'; scan->at++)
		if (*scan->at == '\\' && scan->at[1])
			scan->at++;
	if (*scan->at)
		scan->at++;
}

/* Skips a value of any kind. Brackets are only counted: the text is known to be JSON, and depth is no matter. */
static void skip_value(struct scan *scan)
{
	size_t depth = 0;
	do {
		skip_space(scan);
		char c = *scan->at;
		if (!c)
			return;
		if (c == '"') {
			skip_string(scan);
		} else if (c == '{' || c == '[') {
			depth++;
			scan->at++;
		} else if (c == '}' || c == ']') {
			depth--;
			scan->at++;
		} else if (c == ',' || c == ':') {
			scan->at++;
		} else {
			scan->at += strcspn(scan->at, ",:]} \t\r\n");
		}
	} while (depth);
}

/* Takes the next step of the wanted path. Returns false at its end. A key is allocated. */
static bool next_step(struct scan *scan, char **key, size_t *index)
{
	*key = NULL;
	if (*scan->wanted == '.') {
		size_t length = strcspn(++scan->wanted, ".[");
		*key = mm_strndup(scan->wanted, length);
		scan->wanted += length;
		return true;
	}
	if (scan->wanted[0] == '[' && scan->wanted[1] == '"') {
		struct scan text = { .at = scan->wanted + 1 };
		skip_string(&text);
		json_t *value = json_loadb(scan->wanted + 1, (size_t)(text.at - scan->wanted - 1), JSON_DECODE_ANY, NULL);
		*key = mm_strdup(json_is_string(value) ? json_string_value(value) : "");
		json_decref(value);
		scan->wanted = *text.at == ']' ? text.at + 1 : text.at;
		return true;
	}
	if (*scan->wanted == '[') {
		char *end;
		*index = strtoul(scan->wanted + 1, &end, 10);
		scan->wanted = *end == ']' ? end + 1 : end;
		return true;
	}
	return false;
}

/* Moves to the value of KEY in the object at hand, whose key position is kept in *KEY_AT. */
static bool enter_key(struct scan *scan, const char *key, const char **key_at)
{
	if (*scan->at != '{')
		return false;
	scan->at++;
	for (skip_space(scan); *scan->at == '"'; skip_space(scan)) {
		const char *start = scan->at;
		skip_string(scan);
		json_t *name = json_loadb(start, (size_t)(scan->at - start), JSON_DECODE_ANY, NULL);
		bool same = json_is_string(name) && strcmp(json_string_value(name), key) == 0;
		json_decref(name);
		skip_space(scan);
		if (*scan->at == ':')
			scan->at++;
		skip_space(scan);
		if (same) {
			*key_at = start;
			return true;
		}
		skip_value(scan);
		skip_space(scan);
		if (*scan->at == ',')
			scan->at++;
	}
	return false;
}

static bool enter_index(struct scan *scan, size_t index)
{
	if (*scan->at != '[')
		return false;
	scan->at++;
	skip_space(scan);
	for (; index && *scan->at && *scan->at != ']'; index--) {
		skip_value(scan);
		skip_space(scan);
		if (*scan->at == ',')
			scan->at++;
		skip_space(scan);
	}
	return index == 0 && *scan->at && *scan->at != ']';
}

bool mm_json_locate(const char *text, const char *path, bool key_itself, int *line, int *column)
{
	struct scan scan = { .at = text, .wanted = *path == '$' ? path + 1 : path };
	const char *found;
	char *key;
	size_t index = 0;
	skip_space(&scan);
	found = scan.at;
	while (next_step(&scan, &key, &index)) {
		const char *key_at = NULL;
		bool entered = key ? enter_key(&scan, key, &key_at) : enter_index(&scan, index);
		free(key);
		if (!entered)
			return false;
		found = key_itself && key_at ? key_at : scan.at;
	}
	*line = 1;
	*column = 1;
	for (const char *c = text; c < found; c++) {
		if (*c == '\n') {
			++*line;
			*column = 1;
		} else if (((unsigned char)*c & 0xc0) != 0x80) { /* a character, not a byte of one */
			++*column;
		}
	}
	return true;
}
