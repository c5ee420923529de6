#include "toolchains/wrapper/line.h"

#include <string.h>

#include "base/buffer.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *mm_line_kind_name(enum mm_line_kind kind)
{
	static const char *const names[] = { "query", "preprocess", "compile", "link", "build" };
	return names[kind];
}

const char *mm_language_name(enum mm_language language)
{
	static const char *const names[] = { "c", "c++", "asm", "other" };
	return names[language];
}

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(text, list[i]) == 0)
			return true;
	return false;
}

bool mm_driver_is_cxx(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	return strstr(base, "++") || strcmp(base, "CC") == 0;
}

size_t mm_option_operands(enum mm_dialect dialect, const char *arg)
{
	static const char *const gnu[] = {
		"-o",
		"-x",
		"-I",
		"-L",
		"-D",
		"-U",
		"-l",
		"-include",
		"-imacros",
		"-isystem",
		"-iquote",
		"-idirafter",
		"-iprefix",
		"-isysroot",
		"-iwithprefix",
		"-MF",
		"-MT",
		"-MQ",
		"-MJ",
		"-Xlinker",
		"-Xclang",
		"-T",
		"-u",
		"-z",
		"-e",
		"-A",
		"-aux-info",
		"-arch",
		"-target",
		"-B",
		"-dumpbase",
		"-dumpdir",
		"-wrapper",
		"--param",
		"-mllvm",
		"-dumpbase-ext",
		"-Xassembler",
		"-imultilib",
		"--sysroot",
		"-Xpreprocessor",
		"-iwithprefixbefore",
		"-iframework",
		"-framework",
		"--config",
	};
	static const char *const studio[] = {
		"-o", "-I", "-L", "-D", "-U", "-l", "-R", "-h", "-M", "-N", "-z", "-u", "-e", "-xMF", "-include",
	};
	if (dialect == MM_DIALECT_GNU)
		return mm_begins(arg, "-Xarch_") || is_one_of(arg, gnu, COUNT(gnu));
	return strcmp(arg, "-Qoption") == 0 ? 2 : is_one_of(arg, studio, COUNT(studio));
}

static bool is_digits(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

bool mm_option_is_level(enum mm_dialect dialect, const char *arg)
{
	static const char *const words[] = { "s", "g", "z", "fast" };
	if (dialect == MM_DIALECT_STUDIO && mm_begins(arg, "-xO"))
		return arg[3] && is_digits(arg + 3);
	if (dialect == MM_DIALECT_GNU && mm_begins(arg, "--optimize"))
		return arg[10] == '\0' || arg[10] == '=';
	if (!mm_begins(arg, "-O"))
		return false;
	return is_digits(arg + 2) || (dialect == MM_DIALECT_GNU && is_one_of(arg + 2, words, COUNT(words)));
}

bool mm_option_is_bits(const char *arg)
{
	static const char *const words[] = { "-m32", "-m64", "-mx32" };
	return is_one_of(arg, words, COUNT(words));
}

/* One part of a path: LENGTH bytes at NAME. */
static bool is_probe_part(const char *name, size_t length)
{
	static const char *const folders[] = { "CMakeTmp", "CMakeScratch", "CompilerIdC", "CompilerIdCXX",
					       "meson-private" };
	static const char *const files[] = { "conftest", "CMakeCCompilerId", "CMakeCXXCompilerId" };
	for (size_t i = 0; i < COUNT(folders); i++)
		if (length == strlen(folders[i]) && memcmp(name, folders[i], length) == 0)
			return true;
	/* the whole name, or the name before its suffix */
	for (size_t i = 0; i < COUNT(files); i++) {
		size_t stem = strlen(files[i]);
		if (length >= stem && memcmp(name, files[i], stem) == 0 && (length == stem || name[stem] == '.'))
			return true;
	}
	return false;
}

bool mm_path_is_probe(const char *path)
{
	while (*path) {
		size_t length = strcspn(path, "/");
		if (is_probe_part(path, length))
			return true;
		path += length;
		path += strspn(path, "/");
	}
	return false;
}

enum input { INPUT_OBJECT, INPUT_C, INPUT_CXX, INPUT_ASM, INPUT_OTHER };

static enum input input_of(const char *path, bool cxx)
{
	static const struct {
		const char *suffix;
		enum input input;
	} suffixes[] = {
		{ ".c", INPUT_C },     { ".i", INPUT_C },     { ".cc", INPUT_CXX },  { ".cpp", INPUT_CXX },
		{ ".cxx", INPUT_CXX }, { ".C", INPUT_CXX },   { ".c++", INPUT_CXX }, { ".cp", INPUT_CXX },
		{ ".CPP", INPUT_CXX }, { ".ii", INPUT_CXX },  { ".s", INPUT_ASM },   { ".S", INPUT_ASM },
		{ ".sx", INPUT_ASM },  { ".h", INPUT_OTHER }, { ".m", INPUT_OTHER }, { ".f", INPUT_OTHER },
	};
	const char *dot = strrchr(path, '.');
	if (!dot || strchr(dot, '/'))
		return INPUT_OBJECT;
	for (size_t i = 0; i < COUNT(suffixes); i++)
		if (strcmp(dot, suffixes[i].suffix) == 0)
			return cxx && suffixes[i].input == INPUT_C ? INPUT_CXX : suffixes[i].input;
	return INPUT_OBJECT;
}

bool mm_path_is_source(const char *path)
{
	return input_of(path, false) != INPUT_OBJECT;
}

/* The operand of -x. */
static enum input input_of_word(const char *word)
{
	if (mm_begins(word, "c++"))
		return INPUT_CXX;
	if (mm_begins(word, "assembler"))
		return INPUT_ASM;
	return *word == 'c' ? INPUT_C : INPUT_OTHER;
}

static void add_input(struct mm_line *line, const char *path, enum input input)
{
	static const enum mm_language languages[] = { MM_LANGUAGE_OTHER, MM_LANGUAGE_C, MM_LANGUAGE_CXX,
						      MM_LANGUAGE_ASM, MM_LANGUAGE_OTHER };
	if (input == INPUT_OBJECT) {
		line->object_count++;
		return;
	}
	if (!line->source_count++) {
		line->source = path;
		line->language = languages[input];
	}
}

/* Options after which nothing, or not a program, is made. */
static bool stops_early(enum mm_dialect dialect, const char *arg, struct mm_line *line)
{
	static const char *const gnu[] = { "-E", "-M", "-MM", "-fsyntax-only" };
	static const char *const studio[] = { "-E", "-P", "-xM", "-xM1" };
	bool compiles = strcmp(arg, "-c") == 0 || strcmp(arg, "-S") == 0;
	bool preprocesses =
		dialect == MM_DIALECT_GNU ? is_one_of(arg, gnu, COUNT(gnu)) : is_one_of(arg, studio, COUNT(studio));
	if (preprocesses)
		line->kind = MM_LINE_PREPROCESS;
	else if (compiles && line->kind != MM_LINE_PREPROCESS)
		line->kind = MM_LINE_COMPILE;
	if (strcmp(arg, "-S") == 0)
		line->to_assembler = true;
	return preprocesses || compiles;
}

/* Options that only ask; they win over everything else on the line. */
static bool asks(enum mm_dialect dialect, const char *arg)
{
	static const char *const gnu[] = { "--version",        "-###",      "-dumpmachine", "-dumpversion",
					   "-dumpfullversion", "-dumpspecs" };
	static const char *const studio[] = { "-dryrun", "-###", "-flags", "-help" };
	if (dialect == MM_DIALECT_STUDIO)
		return is_one_of(arg, studio, COUNT(studio)) || mm_begins(arg, "-xhelp");
	return is_one_of(arg, gnu, COUNT(gnu)) || mm_begins(arg, "-print-") || mm_begins(arg, "--print-") ||
	       mm_begins(arg, "--help");
}

/*
 * By what it makes, or by what it makes something of, all of which is a try's: a program that takes in a "conftest.o"
 * beside others, or has another name, is none.
 */
static bool is_probe(const struct mm_line *line, size_t tries)
{
	bool links = line->kind == MM_LINE_LINK || line->kind == MM_LINE_BUILD;
	if (line->output && mm_path_is_probe(line->output))
		return true;
	return tries && tries == line->source_count + line->object_count && !(links && line->output);
}

void mm_line_read(struct mm_line *line, enum mm_dialect dialect, bool cxx, char *const *args, size_t count,
		  const char *cwd)
{
	bool query = false, forced = false, only_files = false;
	size_t tries = 0;                   /* inputs that are those of a try */
	enum input language = INPUT_OBJECT; /* of -x, while FORCED */
	*line = (struct mm_line){ .kind = MM_LINE_LINK, .language = cxx ? MM_LANGUAGE_CXX : MM_LANGUAGE_C };
	for (size_t i = 0; i < count; i++) {
		const char *arg = args[i];
		if (only_files || *arg != '-' || strcmp(arg, "-") == 0) {
			add_input(line, arg, forced ? language : input_of(arg, cxx));
			tries += mm_path_is_probe(arg);
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			only_files = true;
			continue;
		}
		size_t operands = mm_option_operands(dialect, arg);
		const char *operand = operands && i + 1 < count ? args[i + 1] : NULL;
		i += operands;
		if (dialect == MM_DIALECT_GNU && mm_begins(arg, "-x") && (operand || arg[2])) {
			const char *word = arg[2] ? arg + 2 : operand;
			forced = strcmp(word, "none") != 0;
			language = input_of_word(word);
		} else if (mm_begins(arg, "-o") && dialect == MM_DIALECT_GNU && arg[2]) {
			line->output = arg + 2;
		} else if (strcmp(arg, "-o") == 0) {
			line->output = operand;
		} else if (!stops_early(dialect, arg, line)) {
			query = query || asks(dialect, arg);
		}
	}
	if (query || (!line->source_count && !line->object_count))
		line->kind = MM_LINE_QUERY;
	else if (line->kind == MM_LINE_LINK && line->source_count)
		line->kind = MM_LINE_BUILD;
	line->probe = is_probe(line, tries) || (cwd && mm_path_is_probe(cwd));
}
