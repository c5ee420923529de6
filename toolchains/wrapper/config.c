#include "toolchains/wrapper/config.h"

#include "base/memory.h"

/* One line a value, "key value"; the last line is "end", so that half a file is seen to be one. */
#define HEAD "mymatrix-cc 1"

static int put(struct mm_buffer *out, const char *key, const char *value, bool path, struct mm_error *err)
{
	if (!value)
		return 0;
	if (strpbrk(value, "\n\r"))
		return mm_error_set(err, MM_EINTERNAL, "'%s' of a compiler's configuration has a line break", key);
	if (path && *value != '/')
		return mm_error_set(err, MM_EINTERNAL, "'%s' of a compiler's configuration is not absolute: '%s'", key,
				    value);
	mm_buffer_printf(out, "%s %s\n", key, value);
	return 0;
}

static int put_list(struct mm_buffer *out, const char *key, const struct mm_strings *list, struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; !code && i < list->count; i++)
		code = put(out, key, list->items[i], false, err);
	return code;
}

int mm_wrapper_config_write(const struct mm_wrapper_config *config, struct mm_buffer *out, struct mm_error *err)
{
	mm_buffer_puts(out, HEAD "\n");
	int code = put(out, "dialect", config->dialect == MM_DIALECT_STUDIO ? "studio" : "gnu", false, err);
	if (!code)
		code = put(out, "cc", config->cc, true, err);
	if (!code)
		code = put(out, "cxx", config->cxx, true, err);
	if (!code)
		code = put(out, "bits", config->bits, false, err);
	if (!code)
		code = put_list(out, "c-word", &config->c, err);
	if (!code)
		code = put_list(out, "cxx-word", &config->cxx_words, err);
	if (!code)
		code = put_list(out, "cpp-word", &config->cpp, err);
	if (!code)
		code = put_list(out, "ld-word", &config->ld, err);
	if (!code)
		code = put(out, "enforce", config->enforce ? "level" : "none", false, err);
	if (!code)
		code = put(out, "log", config->log, true, err);
	if (!code)
		code = put(out, "jobs", config->jobs, true, err);
	mm_buffer_puts(out, "end\n");
	return code;
}

struct reader {
	const char *path;
	size_t line;
	struct mm_wrapper_config *config;
	bool dialect, enforce, ended; /* seen */
};

static int wrong(const struct reader *reader, struct mm_error *err, const char *what)
{
	return mm_error_set(err, MM_EENV, "%s:%zu: %s: this is no file of this mymatrix; build the cell again",
			    reader->path, reader->line, what);
}

static int take_path(const struct reader *reader, char **to, const char *value, struct mm_error *err)
{
	if (*to)
		return wrong(reader, err, "a value that was there already");
	if (*value != '/')
		return wrong(reader, err, "a path that is not absolute");
	*to = mm_strdup(value);
	return 0;
}

static int take_choice(const struct reader *reader, bool *seen, bool *to, const char *value, const char *no,
		       const char *yes, struct mm_error *err)
{
	if (*seen)
		return wrong(reader, err, "a value that was there already");
	if (strcmp(value, no) != 0 && strcmp(value, yes) != 0)
		return wrong(reader, err, "an unknown word");
	*to = strcmp(value, yes) == 0;
	*seen = true;
	return 0;
}

static int take(struct reader *reader, const char *key, const char *value, struct mm_error *err)
{
	struct mm_wrapper_config *config = reader->config;
	const struct {
		const char *key;
		char **path;
		struct mm_strings *list;
	} keys[] = {
		{ "cc", &config->cc, NULL },        { "cxx", &config->cxx, NULL },
		{ "log", &config->log, NULL },      { "jobs", &config->jobs, NULL },
		{ "c-word", NULL, &config->c },     { "cxx-word", NULL, &config->cxx_words },
		{ "cpp-word", NULL, &config->cpp }, { "ld-word", NULL, &config->ld },
	};
	if (strcmp(key, "end") == 0 && !value) {
		reader->ended = true;
		return 0;
	}
	if (!value || !*value)
		return wrong(reader, err, "a key without its value");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(key, keys[i].key) != 0)
			continue;
		if (keys[i].path)
			return take_path(reader, keys[i].path, value, err);
		mm_strings_push(keys[i].list, value);
		return 0;
	}
	if (strcmp(key, "bits") == 0) {
		if (config->bits || *value != '-')
			return wrong(reader, err, "not one option for the bits");
		config->bits = mm_strdup(value);
		return 0;
	}
	if (strcmp(key, "enforce") == 0)
		return take_choice(reader, &reader->enforce, &config->enforce, value, "none", "level", err);
	bool studio = false;
	if (strcmp(key, "dialect") != 0)
		return wrong(reader, err, "an unknown key");
	int code = take_choice(reader, &reader->dialect, &studio, value, "gnu", "studio", err);
	config->dialect = studio ? MM_DIALECT_STUDIO : MM_DIALECT_GNU;
	return code;
}

static int take_line(struct reader *reader, char *line, struct mm_error *err)
{
	if (reader->ended)
		return wrong(reader, err, "something after the end");
	if (reader->line == 1)
		return strcmp(line, HEAD) == 0 ? 0 : wrong(reader, err, "the first line is not '" HEAD "'");
	char *space = strchr(line, ' ');
	if (space)
		*space = '\0';
	return take(reader, line, space ? space + 1 : NULL, err);
}

int mm_wrapper_config_read(const char *path, const char *text, size_t length, struct mm_wrapper_config *config,
			   struct mm_error *err)
{
	struct reader reader = { .path = path, .config = config };
	int code = 0;
	*config = (struct mm_wrapper_config){ 0 };
	if (memchr(text, '\0', length))
		return wrong(&reader, err, "a NUL");
	while (!code && length) {
		const char *end = memchr(text, '\n', length);
		size_t bytes = end ? (size_t)(end - text) : length;
		char *line = mm_strndup(text, bytes);
		reader.line++;
		code = end ? take_line(&reader, line, err) : wrong(&reader, err, "the last line has no end");
		free(line);
		bytes += end != NULL;
		text += bytes;
		length -= bytes;
	}
	if (!code && !(reader.ended && reader.dialect && reader.enforce && config->cc && config->cxx && config->log))
		code = wrong(&reader, err, "the file is not whole");
	return code;
}

void mm_wrapper_config_release(struct mm_wrapper_config *config)
{
	free(config->cc);
	free(config->cxx);
	free(config->bits);
	free(config->log);
	free(config->jobs);
	mm_strings_release(&config->c);
	mm_strings_release(&config->cxx_words);
	mm_strings_release(&config->cpp);
	mm_strings_release(&config->ld);
	*config = (struct mm_wrapper_config){ 0 };
}
