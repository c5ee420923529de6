/* Private to toolchains/: what a compiler's command line asks for. Used by the wrapper and by the flag audit. */
#ifndef MM_TOOLCHAINS_WRAPPER_LINE_H
#define MM_TOOLCHAINS_WRAPPER_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Command lines, not compilers: gcc and clang speak one. */
enum mm_dialect { MM_DIALECT_GNU, MM_DIALECT_STUDIO };

enum mm_line_kind {
	MM_LINE_QUERY,      /* --version, -V, -print-…: nothing is made */
	MM_LINE_PREPROCESS, /* -E, -M, -fsyntax-only */
	MM_LINE_COMPILE,    /* -c or -S: a translation unit */
	MM_LINE_LINK,       /* objects to a program or library */
	MM_LINE_BUILD,      /* sources to a program at once */
	MM_LINE_KIND_COUNT
};
const char *mm_line_kind_name(enum mm_line_kind kind);

enum mm_language { MM_LANGUAGE_C, MM_LANGUAGE_CXX, MM_LANGUAGE_ASM, MM_LANGUAGE_OTHER, MM_LANGUAGE_COUNT };
const char *mm_language_name(enum mm_language language);

/* Is NAME, a path or not, that of a C++ driver: "c++", "g++-12", "CC"? */
bool mm_driver_is_cxx(const char *name);

struct mm_line {
	enum mm_line_kind kind;
	enum mm_language language; /* of its first source; without one, of the driver */
	bool probe;                /* a try of configure or CMake, no part of what is built */
	bool to_assembler;         /* -S */
	const char *source;        /* the first source, NULL: none; borrowed */
	const char *output;        /* -o, NULL: the default; borrowed */
	size_t source_count, object_count;
};

/* Reads ARGS (without the program's name, response files expanded). CXX: the C++ driver was called. CWD may be NULL. */
void mm_line_read(struct mm_line *line, enum mm_dialect dialect, bool cxx, char *const *args, size_t count,
		  const char *cwd);

/* How many of the following arguments belong to option ARG: "-o" has one. */
size_t mm_option_operands(enum mm_dialect dialect, const char *arg);

/* Does ARG select a level of optimisation (and nothing else)? */
bool mm_option_is_level(enum mm_dialect dialect, const char *arg);

/* Does ARG select the width of pointers? */
bool mm_option_is_bits(const char *arg);

/* Is PATH, by its name, one that is compiled? */
bool mm_path_is_source(const char *path);

/* Is PATH that of a try: conftest.c, CMakeFiles/CMakeTmp/…? */
bool mm_path_is_probe(const char *path);

#endif
