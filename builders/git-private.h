/* What the files git*.c share. */
#ifndef MM_BUILDERS_GIT_PRIVATE_H
#define MM_BUILDERS_GIT_PRIVATE_H

#include <git2.h>
#include <stdbool.h>

#include "builders/git.h"

/* Every public function works between these two: the library, cut off from the configuration of system and user. */
int mm_git_begin(struct mm_error *err);
void mm_git_end(void);

/* Sets CODE with the formatted text and what libgit2 said last; MM_EINTERRUPTED when a signal was the reason. */
int mm_git_fail(struct mm_error *err, enum mm_code code, const char *format, ...) MM_PRINTF(3, 4);

/* An address ("https://…", "host:path") and no path of this machine's file system. */
bool mm_git_is_address(const char *text);
/* Such an address of another machine: not "file://…". */
bool mm_git_is_elsewhere(const char *text);

/* Opens the repository at the path PATH as it is, never one above it. */
int mm_git_open(const char *path, git_repository **repository, struct mm_error *err);

/* Does REPOSITORY have the commit? */
bool mm_git_has(git_repository *repository, const git_oid *commit);

/* git-fetch.c */

/* The full name ("refs/tags/x") and commit of REF at ADDRESS; what it says is remembered in WORK. */
int mm_git_ask(const char *work, const char *address, const char *ref, char commit[MM_GIT_COMMIT],
	       struct mm_error *err);

/* The bare repository in WORK that holds REQUEST's commit, fetched when it does not have it yet. */
int mm_git_fetch(const struct mm_git_request *request, git_repository **repository, struct mm_error *err);

/* git-modules.c */

struct mm_git_modules {
	git_config *config; /* NULL: the tree has no .gitmodules */
};

/* Reads .gitmodules of the root tree TREE; SCRATCH is a path that it may use for a moment. */
int mm_git_modules_read(git_repository *repository, const git_tree *tree, const char *scratch,
			struct mm_git_modules *modules, struct mm_error *err);
/* Name and address of the submodule at PATH; false when nothing is said of it. Allocated. */
bool mm_git_modules_find(const struct mm_git_modules *modules, const char *path, char **name, char **address);
void mm_git_modules_release(struct mm_git_modules *modules);

/* ADDRESS of a submodule, relative ones seen from BASE. Allocated in *OUT. Errors: MM_ECELL for what it may not be. */
int mm_git_module_address(const char *base, const char *address, char **out, struct mm_error *err);

#endif
