/* "toolchains" and "flags": which compilers, and what they are told. */
#include "base/memory.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"

static const char *const families[] = { "gcc", "clang", "sunstudio", NULL }; /* enum mm_family */

const char *mm_family_name(enum mm_family family)
{
	return families[family];
}

static const struct mm_key toolchain_keys[] = {
	{ "family", MM_KIND_CHOICE, MM_FIELD(mm_toolchain_spec, family), .required = true, .words = families,
	  .help = "gcc, clang or sunstudio" },
	{ "cc", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, cc), .help = "the C compiler, by name or path" },
	{ "cxx", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, cxx), .help = "the C++ compiler, by name or path" },
	{ "ar", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, ar), .help = "the archiver" },
	{ "ranlib", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, ranlib), .help = "the archive indexer" },
	{ "nm", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, nm), .help = "the symbol lister" },
	{ "ld", MM_KIND_PROGRAM, MM_FIELD(mm_toolchain_spec, ld), .help = "the linker" },
	{ 0 }
};

static int finish_toolchain(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			    void *target)
{
	static const char *const usual[MM_FAMILY_COUNT][2] = { { "gcc", "g++" },
							       { "clang", "clang++" },
							       { "cc", "CC" } };
	(void)reader;
	(void)at;
	(void)object;
	(void)variant;
	struct mm_toolchain_spec *spec = target;
	if (!spec->cc)
		spec->cc = mm_strdup(usual[spec->family][0]);
	if (!spec->cxx)
		spec->cxx = mm_strdup(usual[spec->family][1]);
	return 0;
}

const struct mm_section mm_toolchain_section = { .name = "toolchain",
						 .keys = toolchain_keys,
						 .size = sizeof(struct mm_toolchain_spec),
						 .finish = finish_toolchain };

/* The words of one entry, language by language. Unlike other strings they may be empty. */
static int read_words(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	if (!json_is_string(value))
		return mm_value_expected(reader, at, "a string of options", value);
	if (field) {
		free(*(char **)field);
		*(char **)field = mm_strdup(json_string_value(value));
	}
	return 0;
}

#define WORDS_SCHEMA "{\"type\": \"string\"}"

static const struct mm_key words_keys[] = { { "c", MM_KIND_JSON, MM_FIELD(mm_flag_words, c), .read = read_words,
					      .schema = WORDS_SCHEMA, .help = "options of the C compiler" },
					    { "cxx", MM_KIND_JSON, MM_FIELD(mm_flag_words, cxx), .read = read_words,
					      .schema = WORDS_SCHEMA, .help = "options of the C++ compiler" },
					    { "cpp", MM_KIND_JSON, MM_FIELD(mm_flag_words, cpp), .read = read_words,
					      .schema = WORDS_SCHEMA, .help = "options of the preprocessor" },
					    { "ld", MM_KIND_JSON, MM_FIELD(mm_flag_words, ld), .read = read_words,
					      .schema = WORDS_SCHEMA, .help = "options of the link line" },
					    { 0 } };

static void begin_words(void *target)
{
	struct mm_flag_words *words = target;
	words->c = mm_strdup("");
	words->cxx = mm_strdup("");
	words->cpp = mm_strdup("");
	words->ld = mm_strdup("");
}

static const struct mm_section words_section = {
	.name = "flag words", .keys = words_keys, .size = sizeof(struct mm_flag_words), .begin = begin_words
};

static const char *const entry_words[] = { "*",
					   "gcc",
					   "gcc/32",
					   "gcc/64",
					   "gcc/native",
					   "clang",
					   "clang/32",
					   "clang/64",
					   "clang/native",
					   "sunstudio",
					   "sunstudio/32",
					   "sunstudio/64",
					   "sunstudio/native",
					   NULL };

/* "family/bits", "family" or "*" of an entry. */
static void split_entry(const char *key, struct mm_flag_entry *entry)
{
	const char *slash = strchr(key, '/');
	size_t length = slash ? (size_t)(slash - key) : strlen(key);
	entry->family = -1;
	entry->bits = -1;
	for (int i = 0; families[i]; i++)
		if (strlen(families[i]) == length && strncmp(families[i], key, length) == 0)
			entry->family = i;
	if (slash)
		entry->bits = strcmp(slash, "/32") == 0 ? 32 : strcmp(slash, "/64") == 0 ? 64 : MM_BITS_NATIVE;
}

static int read_entry(struct mm_reader *reader, const struct mm_at *at, const char *key, json_t *value, void *target,
		      bool *taken)
{
	struct mm_flagset *set = target;
	struct mm_flag_entry entry;
	for (size_t i = 0; entry_words[i]; i++)
		*taken = *taken || strcmp(entry_words[i], key) == 0;
	if (!*taken)
		return 0;
	if (!json_is_string(value) && !json_is_object(value))
		return mm_value_expected(reader, at, "a string of options, or an object with 'c', 'cxx', 'cpp', 'ld'",
					 value);
	split_entry(key, &entry);
	int code = 0;
	if (json_is_object(value)) {
		entry.words = (struct mm_flag_words){ NULL, NULL, NULL, NULL };
		code = mm_section_read(reader, at, value, &words_section, &entry.words);
	} else {
		begin_words(&entry.words);
		(void)read_words(reader, at, value, &entry.words.c);
		(void)read_words(reader, at, value, &entry.words.cxx);
		(void)read_words(reader, at, value, &entry.words.ld);
	}
	set->entries = mm_realloc(set->entries, set->entry_count + 1, sizeof *set->entries);
	set->entries[set->entry_count++] = entry;
	return code;
}

static const char *const origins[] = { "dpkg-buildflags", "rpm-optflags", NULL };
static const char *const enforcements[] = { "level", "none", NULL }; /* enum mm_enforce */

static const struct mm_key pgo_keys[] = { { "train", MM_KIND_STRING, MM_CHECKED, .required = true,
					    .help = "the suite that the build is trained with" },
					  { 0 } };
static const struct mm_section pgo_section = { .name = "pgo", .keys = pgo_keys };

static int read_pgo(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	*(json_t **)field = value;
	return mm_section_read(reader, at, value, &pgo_section, NULL);
}

static const struct mm_key flagset_keys[] = {
	{ "use", MM_KIND_STRINGS, MM_FIELD(mm_flagset, use), .least = 1, .unique = true,
	  .help = "other sets, whose options come first" },
	{ "from", MM_KIND_WORD, MM_FIELD(mm_flagset, from), .words = origins,
	  .help = "what the distribution would inject" },
	{ "pgo", MM_KIND_JSON, MM_FIELD(mm_flagset, pgo), .read = read_pgo, .section = &pgo_section,
	  .schema = "{\"$ref\": \"#/definitions/pgo\"}", .help = "profile-guided optimisation" },
	{ "enforce", MM_KIND_CHOICE, MM_FIELD(mm_flagset, enforce), .words = enforcements,
	  .help = "level: the requested optimisation level is the effective one (default); none: the tree decides" },
	{ 0 }
};

const struct mm_section mm_flagset_section = { .name = "flag set",
					       .keys = flagset_keys,
					       .size = sizeof(struct mm_flagset),
					       .other = read_entry,
					       .other_words = entry_words,
					       .other_pattern = "^(\\*|(gcc|clang|sunstudio)(/(32|64|native))?)$",
					       .other_section = &words_section };
