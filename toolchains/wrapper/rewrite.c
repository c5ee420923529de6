#include "toolchains/wrapper/rewrite.h"

#include "toolchains/wrapper/response.h"

/* Does the cell ask for a level in LIST? Without one there is nothing to enforce. */
static bool has_level(enum mm_dialect dialect, const struct mm_strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (mm_option_is_level(dialect, list->items[i]))
			return true;
	return false;
}

static void add(struct mm_words *words, const struct mm_strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		mm_words_push(words, MM_WORD_ADDED, list->items[i]);
}

static bool compiles(const struct mm_line *line)
{
	return line->kind == MM_LINE_COMPILE || line->kind == MM_LINE_BUILD || line->kind == MM_LINE_PREPROCESS;
}

/* What the cell has to say on this kind of line. */
static void add_words(const struct mm_wrapper_config *config, const struct mm_line *line, struct mm_words *words)
{
	if (config->bits)
		mm_words_push(words, MM_WORD_ADDED, config->bits);
	if (compiles(line)) {
		add(words, &config->cpp);
		if (line->language == MM_LANGUAGE_C)
			add(words, &config->c);
		if (line->language == MM_LANGUAGE_CXX)
			add(words, &config->cxx_words);
	}
	if (line->kind == MM_LINE_LINK || line->kind == MM_LINE_BUILD)
		add(words, &config->ld);
}

/*
 * Does the cell say at which level a line of this kind works? At a link a level is more than its name says (-Ofast has
 * programs started with another arithmetic, link-time optimisation works at it): whoever asks for one anywhere has it.
 */
static bool level_is_ours(const struct mm_wrapper_config *config, const struct mm_line *line)
{
	if (line->kind == MM_LINE_LINK)
		return has_level(config->dialect, &config->ld) || has_level(config->dialect, &config->c) ||
		       has_level(config->dialect, &config->cxx_words);
	if (line->language == MM_LANGUAGE_C)
		return has_level(config->dialect, &config->c);
	return line->language == MM_LANGUAGE_CXX && has_level(config->dialect, &config->cxx_words);
}

/* Which of the tree's own words give way to the cell's. */
struct giving_way {
	bool level, bits;
};

static bool gives_way(const struct mm_wrapper_config *config, const struct giving_way *way, const char *arg)
{
	return (way->level && mm_option_is_level(config->dialect, arg)) || (way->bits && mm_option_is_bits(arg));
}

/* A response file stays as it is: the cell's words come after it anyway. */
static void keep(struct mm_words *words, const char *arg)
{
	struct mm_strings inside = MM_STRINGS_INIT;
	bool expanded = mm_response_expand(arg, &inside);
	mm_words_push(words, expanded ? MM_WORD_FILE : MM_WORD_KEPT, arg);
	for (size_t i = 0; i < inside.count; i++)
		mm_words_push(words, MM_WORD_INSIDE, inside.items[i]);
	mm_strings_release(&inside);
}

static void copy_given(const struct mm_wrapper_config *config, const struct giving_way *way, char *const *args,
		       size_t count, struct mm_words *words)
{
	for (size_t i = 0; i < count; i++) {
		size_t operands = mm_option_operands(config->dialect, args[i]);
		if (gives_way(config, way, args[i])) {
			mm_words_push(words, MM_WORD_REMOVED, args[i]);
			continue;
		}
		keep(words, args[i]);
		for (; operands && i + 1 < count; operands--)
			mm_words_push(words, MM_WORD_KEPT, args[++i]);
	}
}

/* The arguments with response files expanded: what the line is read from. Borrowed from WORDS. */
static void read_line(const struct mm_wrapper_config *config, bool cxx, char *const *args, size_t count,
		      struct mm_line *line, const char *cwd)
{
	struct mm_strings whole = MM_STRINGS_INIT;
	bool expanded = false;
	for (size_t i = 0; i < count && !expanded; i++)
		expanded = args[i][0] == '@';
	if (!expanded) {
		mm_line_read(line, config->dialect, cxx, args, count, cwd);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (!mm_response_expand(args[i], &whole))
			mm_strings_push(&whole, args[i]);
	mm_line_read(line, config->dialect, cxx, whole.items, whole.count, cwd);
	const char *output = line->output;
	line->source = line->output = NULL; /* of WHOLE, which goes */
	for (size_t i = 0; output && i < count && !line->output; i++)
		if (strcmp(args[i], output) == 0)
			line->output = args[i];
	mm_strings_release(&whole);
}

void mm_rewrite(const struct mm_wrapper_config *config, bool cxx, char *const *args, size_t count, struct mm_line *line,
		struct mm_words *words, const char *cwd)
{
	struct giving_way way = { false, false };
	size_t files = 0; /* arguments before "--", which makes files of all that follow */
	read_line(config, cxx, args, count, line, cwd);
	if (line->kind == MM_LINE_QUERY || line->probe || !config->enforce) {
		if (line->kind != MM_LINE_QUERY)
			add_words(config, line, words);
		else if (config->bits)
			mm_words_push(words, MM_WORD_ADDED, config->bits);
		copy_given(config, &way, args, count, words);
		return;
	}
	way.bits = config->bits && mm_option_is_bits(config->bits);
	way.level = level_is_ours(config, line);
	while (files < count && strcmp(args[files], "--") != 0)
		files++;
	copy_given(config, &way, args, files, words);
	add_words(config, line, words);
	for (; files < count; files++)
		mm_words_push(words, MM_WORD_KEPT, args[files]);
}

void mm_rewrite_argv(const char *program, const struct mm_words *words, struct mm_strings *argv)
{
	mm_strings_push(argv, program);
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].mark != MM_WORD_REMOVED && words->items[i].mark != MM_WORD_INSIDE)
			mm_strings_push(argv, words->items[i].text);
}
