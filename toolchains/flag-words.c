#include "toolchains/flag-words.h"

#include <string.h>

#include "base/memory.h"

struct walk {
	const struct mm_words *words;
	enum mm_dialect dialect;
	size_t at;
	bool late; /* the round for those that are looked at last */
	void (*found)(void *context, const char *flag, bool ours);
	void *context;
	char *held; /* an option of the linker that waits for its operand */
};

/* The next word that was executed; NULL at the end. */
static const struct mm_word *next(struct walk *walk)
{
	while (walk->at < walk->words->count) {
		const struct mm_word *word = &walk->words->items[walk->at++];
		if (word->mark != MM_WORD_REMOVED && word->mark != MM_WORD_FILE)
			return word;
	}
	return NULL;
}

static void tell(const struct walk *walk, bool late, char *flag, bool ours)
{
	if (late == walk->late)
		walk->found(walk->context, flag, ours);
	free(flag);
}

/* Options of the linker whose operand is a word of its own, without their dashes, of which it takes one or two. */
static bool waits(const char *word)
{
	static const char *const names[] = {
		"z",
		"soname",
		"h",
		"rpath",
		"rpath-link",
		"e",
		"u",
		"m",
		"o",
		"L",
		"l",
		"T",
		"Map",
		"version-script",
		"plugin",
		"wrap",
		"dynamic-list",
		"plugin-opt",
		"defsym",
		"dynamic-linker",
		"I",
		"F",
		"f",
		"a",
		"A",
		"b",
		"c",
		"R",
		"y",
		"Y",
		"G",
		"script",
		"entry",
		"undefined",
		"exclude-libs",
		"retain-symbols-file",
		"format",
		"mri-script",
		"library",
		"init",
		"library-path",
		"section-start",
		"Ttext",
		"Tdata",
		"Tbss",
		"fini",
		"sort-section",
		"trace-symbol",
		"mllvm",
		"default-script",
		"dT",
		"auxiliary",
		"filter",
		"just-symbols",
		"symbol-ordering-file",
		"dependency-file",
		"oformat",
		"assert",
		"audit",
		"depaudit",
	};
	if (*word != '-')
		return false;
	word += word[1] == '-' ? 2 : 1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

static void take_linker_word(struct walk *walk, const char *word, bool ours)
{
	if (!walk->held && waits(word)) {
		walk->held = mm_strdup(word);
		return;
	}
	tell(walk, false, walk->held ? mm_format("-Wl,%s,%s", walk->held, word) : mm_format("-Wl,%s", word), ours);
	free(walk->held);
	walk->held = NULL;
}

/* The parts of TEXT between commas, by the kind of word that they stand in. */
static void take_parts(struct walk *walk, const char *head, const char *text, bool ours)
{
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char *part = mm_strndup(at, strcspn(at, ","));
		if (strcmp(head, "-Wl,") == 0)
			take_linker_word(walk, part, ours);
		else
			tell(walk, strcmp(head, "-Wp,") == 0, mm_format("%s%s", head, part), ours);
		free(part);
	}
}

static bool take_list(struct walk *walk, const struct mm_word *word)
{
	static const char *const heads[] = { "-Wl,", "-Wp,", "-Wa,", "-fsanitize=", "-fno-sanitize=" };
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		if (!mm_begins(word->text, heads[i]))
			continue;
		take_parts(walk, heads[i], word->text + strlen(heads[i]), word->mark == MM_WORD_ADDED);
		return true;
	}
	return false;
}

/* "-Xclang -option -Xclang value" is one; a value has no dash. */
static char *with_value(struct walk *walk, const char *option, const char *word)
{
	size_t before = walk->at;
	const struct mm_word *again = next(walk), *value = again ? next(walk) : NULL;
	if (*word == '-' && value && strcmp(again->text, option) == 0 && *value->text != '-')
		return mm_format("%s %s %s", option, word, value->text);
	walk->at = before;
	return mm_format("%s %s", option, word);
}

static void take_operand(struct walk *walk, const char *option, const char *operand, bool ours)
{
	bool gnu = walk->dialect == MM_DIALECT_GNU;
	if (gnu && strcmp(option, "-Xlinker") == 0) {
		take_linker_word(walk, operand, ours);
	} else if (gnu && strcmp(option, "-z") == 0) {
		tell(walk, false, mm_format("-Wl,-z,%s", operand), ours);
	} else if (gnu && strcmp(option, "-Xpreprocessor") == 0) {
		tell(walk, true, mm_format("-Wp,%s", operand), ours);
	} else if (gnu && strcmp(option, "-Xassembler") == 0) {
		tell(walk, false, mm_format("-Wa,%s", operand), ours);
	} else if (gnu && strcmp(option, "--param") == 0) {
		tell(walk, false, mm_format("--param=%s", operand), ours);
	} else if (gnu && (strcmp(option, "-Xclang") == 0 || mm_begins(option, "-Xarch_"))) {
		tell(walk, true, with_value(walk, option, operand), ours);
	} else {
		bool joined = option[1] == 'D' || option[1] == 'U';
		tell(walk, false, mm_format(joined ? "%s%s" : "%s %s", option, operand), ours);
	}
}

static void go(struct walk *walk)
{
	const struct mm_word *word;
	while ((word = next(walk))) {
		size_t operands = mm_option_operands(walk->dialect, word->text);
		bool ours = word->mark == MM_WORD_ADDED;
		if (!operands) {
			if (walk->dialect != MM_DIALECT_GNU || !take_list(walk, word))
				tell(walk, false, mm_strdup(word->text), ours);
			continue;
		}
		const struct mm_word *operand = next(walk);
		take_operand(walk, word->text, operand ? operand->text : "", ours);
		for (; operands > 1; operands--)
			(void)next(walk);
	}
	if (walk->held)
		tell(walk, false, mm_format("-Wl,%s", walk->held), false);
	free(walk->held);
	walk->held = NULL;
}

void mm_flag_words(const struct mm_words *words, enum mm_dialect dialect,
		   void (*found)(void *context, const char *flag, bool ours), void *context)
{
	struct walk walk = { .words = words, .dialect = dialect, .found = found, .context = context };
	go(&walk);
	walk.at = 0;
	walk.late = true;
	go(&walk);
}

const char *mm_flag_inner(const char *flag)
{
	const char *space = mm_begins(flag, "-Xclang ") || mm_begins(flag, "-Xarch_") ? strchr(flag, ' ') : NULL;
	if (space)
		return space + 1;
	return mm_begins(flag, "-Wp,") ? flag + 4 : flag;
}
