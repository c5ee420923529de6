/* Private to toolchains/: arguments out of response files (@file). */
#ifndef MM_TOOLCHAINS_WRAPPER_RESPONSE_H
#define MM_TOOLCHAINS_WRAPPER_RESPONSE_H

#include <stdbool.h>

#include "base/buffer.h"

/*
 * Appends the words of the response file that ARG ("@file") names to WORDS, as gcc and clang read it: white space
 * separates, single and double quotes join, a backslash takes the next character as it is; files in files are
 * expanded. Returns false, with WORDS unchanged, when there is no such file (the compiler takes ARG literally then),
 * or when it and the files that it names are more than any build tool writes: 2000 files, which gcc refuses too,
 * 64 MiB or a million words.
 */
bool mm_response_expand(const char *arg, struct mm_strings *words);

#endif
