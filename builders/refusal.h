/*
 * What a compiler answered when it was tried for a build and could not do it. Nothing is built then and nothing counts as
 * failed, for the next command tries again; what has been said is kept beside the build's logs for those who only look.
 */
#ifndef MM_BUILDERS_REFUSAL_H
#define MM_BUILDERS_REFUSAL_H

#include "builders/build.h"

/* Best effort: the command says it too. TEXT NULL: the compiler can, forget what was. */
void mm_refusal_note(const struct mm_build *build, const char *text);

/* Fills failure and hint of a BUILD that is absent, where it was refused when it was last tried. */
void mm_refusal_load(struct mm_build *build);

#endif
