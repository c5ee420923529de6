/*
 * Profiles: what trees of one kind need so that the server, and what a
 * benchmark needs beside it, is all that is built. Data: a new kind of tree is
 * a new row in profile.c. The user's own build.options come after and win.
 */
#ifndef MM_BUILDERS_PROFILE_H
#define MM_BUILDERS_PROFILE_H

#include "builders/source.h"

/* One cmake_install.cmake to run: installing by folder and component never touches what was not built. */
struct mm_install_step {
	const char *folder;
	const char *component;
};

struct mm_profile {
	const char *name;
	const char *const *options;          /* for cmake or configure; NULL-terminated */
	const char *const *targets;          /* NULL-terminated; NULL: everything */
	const struct mm_install_step *steps; /* ended by a NULL folder; NULL: everything at once */
	const char *const *helpers; /* programs of the build tree that go to bin/ if they were built; may be NULL */
};

/* The profile that fits TREE; never NULL: the last one builds and installs everything. */
const struct mm_profile *mm_profile_of(const struct mm_tree *tree);

#endif
