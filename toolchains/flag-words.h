/* Private to toolchains/: the words of a command line as flags, one thing each. */
#ifndef MM_TOOLCHAINS_FLAG_WORDS_H
#define MM_TOOLCHAINS_FLAG_WORDS_H

#include <stdbool.h>

#include "toolchains/wrapper/line.h"
#include "toolchains/wrapper/record.h"

/*
 * Calls FOUND for each flag of WORDS that was executed; OURS is one that the cell added. What can be written in several
 * ways is told in one:
 *
 *     -D X                       -DX                      other operands stand behind a space
 *     --param x=1                --param=x=1
 *     -fsanitize=a,b             -fsanitize=a             and -fsanitize=b
 *     -Wl,a,-z,b -Xlinker c -z d -Wl,a                    -Wl,-z,b, -Wl,c, -Wl,-z,d: an option with its operand each
 *     -Wp,a,b -Xpreprocessor c   -Wp,a                    -Wp,b, -Wp,c; likewise -Wa, and -Xassembler
 *     -Xclang -a -Xclang b       -Xclang -a b
 *
 * Flags are told in their order, but those that compilers look at last (-Xclang, -Xarch_…, -Wp) at the end.
 */
void mm_flag_words(const struct mm_words *words, enum mm_dialect dialect,
		   void (*found)(void *context, const char *flag, bool ours), void *context);

/* The flag that is handed on in FLAG ("-O0" in "-Xclang -O0", "-DX" in "-Wp,-DX"), else FLAG itself. Borrowed. */
const char *mm_flag_inner(const char *flag);

#endif
