#include "toolchains/audit-unit.h"

#include "base/memory.h"
#include "toolchains/flag-words.h"

void mm_effects_add(struct mm_effects *effects, enum mm_dialect dialect, const char *flag, bool ours)
{
	struct mm_flag_kind kind;
	mm_flag_kind(dialect, flag, &kind);
	if (kind.class == MM_FLAG_OTHER)
		return;
	for (size_t i = 0; i < effects->count; i++) {
		struct mm_effect *effect = &effects->items[i];
		if (strcmp(effect->kind.group, kind.group) != 0)
			continue;
		free(effect->flag);
		*effect = (struct mm_effect){ kind, mm_strdup(flag), ours };
		return;
	}
	effects->items = mm_grow(effects->items, effects->count, &effects->capacity, sizeof *effects->items);
	effects->items[effects->count++] = (struct mm_effect){ kind, mm_strdup(flag), ours };
}

void mm_words_of_text(const char *text, struct mm_words *words)
{
	struct mm_strings list = MM_STRINGS_INIT;
	mm_strings_split(&list, text);
	for (size_t i = 0; i < list.count; i++)
		mm_words_push(words, MM_WORD_ADDED, list.items[i]);
	mm_strings_release(&list);
}

struct adding {
	struct mm_effects *effects;
	enum mm_dialect dialect;
};

static void add_flag(void *context, const char *flag, bool ours)
{
	const struct adding *adding = context;
	mm_effects_add(adding->effects, adding->dialect, flag, ours);
}

void mm_effects_of(const struct mm_words *words, enum mm_dialect dialect, struct mm_effects *effects)
{
	struct adding adding = { effects, dialect };
	mm_flag_words(words, dialect, add_flag, &adding);
}

const struct mm_effect *mm_effects_find(const struct mm_effects *effects, const char *group)
{
	for (size_t i = 0; i < effects->count; i++)
		if (strcmp(effects->items[i].kind.group, group) == 0)
			return &effects->items[i];
	return NULL;
}

void mm_effects_release(struct mm_effects *effects)
{
	for (size_t i = 0; i < effects->count; i++)
		free(effects->items[i].flag);
	free(effects->items);
	*effects = (struct mm_effects){ 0 };
}

const char *mm_tree_level(const struct mm_words *words, enum mm_dialect dialect)
{
	const char *level = NULL;
	for (size_t i = 0; i < words->count; i++) {
		const struct mm_word *word = &words->items[i];
		if (word->mark == MM_WORD_ADDED || word->mark == MM_WORD_FILE)
			continue;
		if (mm_option_is_level(dialect, word->text))
			level = word->text;
		else
			i += mm_option_operands(dialect, word->text);
	}
	return level;
}

int mm_level_rank(const char *level)
{
	const char *letter = level ? strchr(level, 'O') : NULL;
	if (level && strncmp(level, "--optimize", 10) == 0)
		letter = level + (level[10] ? 10 : 9); /* before what stands behind -O */
	if (!letter)
		return -1;
	switch (letter[1]) {
	case '\0':
		return level[1] == 'x' ? 6 : 2; /* -xO is -xO3 */
	case '0':
		return 0;
	case 'g':
		return 1;
	case 's':
	case 'z':
		return 3;
	case 'f':
		return 10;
	default:
		return (int)strtol(letter + 1, NULL, 10) * 2;
	}
}

static const struct {
	const char *cause;
	const char *words[6];
} signatures[] = {
	{ "BUILD_CONFIG=mysql_release",
	  { "-O3", "-g", "-static-libgcc", "-fno-omit-frame-pointer", "-fno-strict-aliasing", NULL } },
	{ "BUILD_CONFIG=mysql_release", { "-O3", "-g", "-fno-omit-frame-pointer", "-fno-strict-aliasing", NULL } },
	{ "CMake's flags of build type RelWithDebInfo", { "-O2", "-g", "-DNDEBUG", NULL } },
	{ "CMake's flags of build type RelWithDebInfo", { "-g", "-xO2", "-DNDEBUG", NULL } },
	{ "CMake's flags of build type Release", { "-O3", "-DNDEBUG", NULL } },
	{ "CMake's flags of build type Release", { "-xO3", "-DNDEBUG", NULL } },
	{ "CMake's flags of build type MinSizeRel", { "-Os", "-DNDEBUG", NULL } },
	{ "dpkg-buildflags, by the environment or the tree",
	  { "-fstack-protector-strong", "-Wformat", "-Werror=format-security", NULL } },
	{ "rpm's optflags, by the environment or the tree", { "-g", "-grecord-gcc-switches", "-pipe", NULL } },
	{ "configure of MySQL 5", { "-O3", "-DDBUG_OFF", NULL } },
};

/* Does the signature stand in GIVEN, words next to each other? */
static bool shows(const struct mm_strings *given, const char *const *signature)
{
	for (size_t i = 0; i < given->count; i++) {
		size_t j = 0;
		while (signature[j] && i + j < given->count && strcmp(given->items[i + j], signature[j]) == 0)
			j++;
		if (!signature[j])
			return true;
	}
	return false;
}

void mm_causes_find(const struct mm_words *words, void (*found)(void *context, const char *cause), void *context)
{
	struct mm_strings given = MM_STRINGS_INIT;
	const char *last = "";
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].mark != MM_WORD_ADDED && words->items[i].mark != MM_WORD_FILE)
			mm_strings_push(&given, words->items[i].text);
	for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
		if (strcmp(signatures[i].cause, last) == 0 || !shows(&given, signatures[i].words))
			continue;
		last = signatures[i].cause;
		found(context, last);
	}
	mm_strings_release(&given);
}
