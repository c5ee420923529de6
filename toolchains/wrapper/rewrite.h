/* Private to toolchains/: what becomes of a command line. */
#ifndef MM_TOOLCHAINS_WRAPPER_REWRITE_H
#define MM_TOOLCHAINS_WRAPPER_REWRITE_H

#include "toolchains/wrapper/config.h"
#include "toolchains/wrapper/line.h"
#include "toolchains/wrapper/record.h"

/*
 * ARGS as they were given become WORDS: what the build tool gave, with the marks of record.h, and what the cell adds.
 * LINE says what was asked for. To be executed: mm_rewrite_argv. WORDS is appended to.
 *
 *  - A step that compiles: the tree's own levels and bits are taken out, the cell's words come last and win.
 *  - A link: bits and the cell's link words last; the tree's own levels are taken out if the cell asks for any.
 *  - A try of configure, or "enforce": "none": nothing is taken out and the cell's words come first, so that what the
 *    line itself asks for holds.
 *  - A question: the bits only, since answers may depend on them.
 */
void mm_rewrite(const struct mm_wrapper_config *config, bool cxx, char *const *args, size_t count, struct mm_line *line,
		struct mm_words *words, const char *cwd);

/* The command line to execute: PROGRAM and what WORDS leaves and adds, response files unexpanded. */
void mm_rewrite_argv(const char *program, const struct mm_words *words, struct mm_strings *argv);

#endif
