#include "matrix/duplicates.h"

#include <jansson.h>

#include "base/memory.h"
#include "matrix/words.h"

/* One open object or list. */
struct level {
	json_t *seen; /* object: key -> line; NULL for a list */
	char *key;    /* object: the key whose value is being read */
	size_t index; /* list */
	bool comment; /* inside the value of a "//" key nothing is looked at */
};

struct walk {
	struct mm_reader *reader;
	const char *at;
	int line, column;
	struct level *levels;
	size_t depth, capacity;
};

static void step(struct walk *walk)
{
	if (*walk->at == '\n') {
		walk->line++;
		walk->column = 1;
	} else if (((unsigned char)*walk->at & 0xc0) != 0x80) {
		walk->column++;
	}
	walk->at++;
}

static void skip_string(struct walk *walk)
{
	step(walk);
	while (*walk->at && *walk->at != '"') {
		if (*walk->at == '\\' && walk->at[1])
			step(walk);
		step(walk);
	}
	if (*walk->at)
		step(walk);
}

static void open_level(struct walk *walk, bool object)
{
	struct level *above = walk->depth ? &walk->levels[walk->depth - 1] : NULL;
	bool comment = above && (above->comment || (above->key && strcmp(above->key, "//") == 0));
	walk->levels = mm_grow(walk->levels, walk->depth, &walk->capacity, sizeof *walk->levels);
	walk->levels[walk->depth++] = (struct level){ .seen = object ? json_object() : NULL, .comment = comment };
}

static void close_level(struct walk *walk)
{
	struct level *level = &walk->levels[--walk->depth];
	json_decref(level->seen);
	free(level->key);
}

/* The JSON path of the key at hand, from the open levels. */
static char *path_here(const struct walk *walk)
{
	struct mm_at *chain = mm_calloc(walk->depth + 1, sizeof *chain);
	for (size_t i = 0; i < walk->depth; i++)
		chain[i + 1] = (struct mm_at){ &chain[i], walk->levels[i].key, walk->levels[i].index };
	char *path = mm_at_path(&chain[walk->depth]);
	free(chain);
	return path;
}

static int take_key(struct walk *walk, struct level *level)
{
	int line = walk->line, column = walk->column;
	const char *start = walk->at;
	skip_string(walk);
	json_t *key = json_loadb(start, (size_t)(walk->at - start), JSON_DECODE_ANY, NULL);
	free(level->key);
	level->key = mm_strdup(json_is_string(key) ? json_string_value(key) : "");
	json_decref(key);
	if (level->comment || strcmp(level->key, "//") == 0)
		return 0;
	const json_t *first = json_object_get(level->seen, level->key);
	if (!first) {
		json_object_set_new(level->seen, level->key, json_integer(line));
		return 0;
	}
	char *path = path_here(walk);
	char shown[400];
	mm_clean_into(path, shown, sizeof shown);
	int code = mm_error_set(
		walk->reader->err, MM_EMATRIX,
		"%s:%d:%d: %s: the key '%s' stands here for the second time, first in line %d: keep one",
		walk->reader->file, line, column, shown, mm_clean(level->key).text, (int)json_integer_value(first));
	free(path);
	return code;
}

/* Takes one token. A string is a key where the last token that counts was '{' or a ',' of an object. */
static int take(struct walk *walk, bool *key_next)
{
	struct level *level = walk->depth ? &walk->levels[walk->depth - 1] : NULL;
	switch (*walk->at) {
	case '"':
		if (*key_next && level && level->seen) {
			*key_next = false;
			return take_key(walk, level);
		}
		skip_string(walk);
		return 0;
	case '{':
	case '[':
		open_level(walk, *walk->at == '{');
		*key_next = *walk->at == '{';
		break;
	case '}':
	case ']':
		if (level)
			close_level(walk);
		break;
	case ',':
		*key_next = level && level->seen;
		if (level && !level->seen)
			level->index++;
		break;
	default:
		break;
	}
	step(walk);
	return 0;
}

int mm_duplicates_check(struct mm_reader *reader)
{
	struct walk walk = { .reader = reader, .at = reader->text, .line = 1, .column = 1 };
	bool key_next = false;
	int code = 0;
	while (*walk.at && !code)
		code = take(&walk, &key_next);
	while (walk.depth)
		close_level(&walk);
	free(walk.levels);
	return code;
}
