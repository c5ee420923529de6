/*
 * Git repositories as sources, through libgit2, which only git*.c know. A repository is hostile until its files are
 * laid down: only its objects are read. No hook, filter, attribute or configuration of it (or of the user) has any
 * effect, nobody is asked for a password, and builders/landing.h decides what may land where. A file comes out as it
 * was committed, at the commit's time.
 *
 * Objects of other machines' repositories are kept in <work>/sources/git/, one bare repository for each address.
 */
#ifndef MM_BUILDERS_GIT_H
#define MM_BUILDERS_GIT_H

#include <stdint.h>

#include "base/error.h"
#include "builders/archive.h"

#define MM_GIT_COMMIT 65 /* 40 hexadecimal digits today, 64 with SHA-256, and the NUL */

/*
 * The commit that REF (a branch, a tag, or a commit's digits) of REPOSITORY (an address, or an absolute path) is now.
 * Of an address only the list of its refs is asked for; when it does not answer, what it said last is taken, with a
 * warning. Changes in a work tree that are not committed are left out, with a warning. Errors: MM_EMATRIX when there is
 * no such repository or ref; MM_ECELL when it does not answer.
 */
int mm_git_resolve(const char *work, const char *repository, const char *ref, char commit[MM_GIT_COMMIT],
		   struct mm_error *err);

/* Where the objects of an address are kept. Allocated. */
char *mm_git_folder(const char *work, const char *repository);

struct mm_git_request {
	const char *work, *repository, *ref;
	const char *commit; /* as mm_git_resolve said */
	const char *cell;   /* for progress */
	struct mm_archive_limits limits;
};

/*
 * Lays the tree of a commit, its submodules included, down in FOLDER, which must not exist and appears complete or not
 * at all. Fetches what is missing: without history where libgit2 (1.7 and later) and the server can. Errors:
 * MM_ECELL, naming repository and path.
 */
int mm_git_lay(const struct mm_git_request *request, const char *folder, struct mm_error *err);

#endif
