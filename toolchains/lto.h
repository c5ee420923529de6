/* Private to toolchains/: the tools that can read objects for link-time optimisation. */
#ifndef MM_TOOLCHAINS_LTO_H
#define MM_TOOLCHAINS_LTO_H

#include "toolchains/toolchain.h"

/* Do the flags ask for link-time optimisation by gcc or clang? */
bool mm_lto_is_asked(const struct mm_flag_words *flags);

/*
 * The archiver and its companions: the toolchain's own; with link-time optimisation, where it names none, those that
 * go with the compiler (gcc-ar, llvm-ar: plain ar writes archives without an index of such objects, and the link then
 * fails or silently loses them). NULL: whatever the tree finds. Allocated. Errors: MM_ECELL, naming what to install.
 */
int mm_lto_tools(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags, char **ar, char **ranlib,
		 char **nm, struct mm_error *err);

/* "gcc-ar-12" for TOOL "ar" and compiler "/usr/bin/gcc-12", "llvm-ar-14" for clang-14. Allocated. */
char *mm_lto_tool_name(enum mm_family family, const char *cc, const char *tool);

#endif
