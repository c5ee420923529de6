#include "builders/git-private.h"

#include <stdarg.h>

#include "base/buffer.h"
#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"

int mm_git_begin(struct mm_error *err)
{
	static const int levels[] = { GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
				      GIT_CONFIG_LEVEL_GLOBAL };
	if (git_libgit2_init() < 0)
		return mm_git_fail(err, MM_EENV, "cannot begin with libgit2");
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		(void)git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
#if LIBGIT2_VER_MAJOR > 1 || (LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR >= 5)
	/* whose repository it is matters to those who run what its configuration names; we only read objects */
	(void)git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
#endif
	return 0;
}

void mm_git_end(void)
{
	(void)git_libgit2_shutdown();
}

int mm_git_fail(struct mm_error *err, enum mm_code code, const char *format, ...)
{
	char text[1024], said[512] = "no reason given";
	const git_error *last = git_error_last();
	va_list arguments;
	if (mm_signals_pending())
		return mm_signals_check(err);
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (last && last->message)
		(void)snprintf(said, sizeof said, "%s", last->message);
	said[strcspn(said, "\r\n")] = '\0';
	return mm_error_set(err, code, "%s: %s", text, said);
}

bool mm_git_is_address(const char *text)
{
	const char *slash = strchr(text, '/'), *colon = strchr(text, ':');
	return colon && (!slash || colon < slash);
}

bool mm_git_is_elsewhere(const char *text)
{
	return mm_git_is_address(text) && strncmp(text, "file:", 5) != 0;
}

int mm_git_open(const char *path, git_repository **repository, struct mm_error *err)
{
	*repository = NULL;
	if (!mm_fs_is_folder(path))
		return mm_error_set(err, MM_EMATRIX, "there is no folder '%s'", path);
	if (git_repository_open_ext(repository, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
		return mm_git_fail(err, MM_EMATRIX, "'%s' is no git repository", path);
	return 0;
}

bool mm_git_has(git_repository *repository, const git_oid *commit)
{
	git_commit *found = NULL;
	bool has = git_commit_lookup(&found, repository, commit) == 0;
	git_commit_free(found);
	return has;
}

static bool is_digits(const char *ref)
{
	size_t length = strspn(ref, "0123456789abcdef");
	return length >= 7 && length <= GIT_OID_HEXSZ && !ref[length];
}

/* The commit that a ref, a tag object or some first digits of a commit mean in a repository of this machine. */
static int find_commit(git_repository *repository, const char *ref, git_object **commit)
{
	git_reference *reference = NULL;
	git_object *object = NULL;
	git_oid oid;
	int failed = git_reference_dwim(&reference, repository, ref);
	if (!failed)
		failed = git_reference_peel(&object, reference, GIT_OBJECT_COMMIT);
	else if (is_digits(ref) && git_oid_fromstrp(&oid, ref) == 0)
		failed = git_object_lookup_prefix(&object, repository, &oid, strlen(ref), GIT_OBJECT_ANY);
	if (!failed)
		failed = git_object_peel(commit, object, GIT_OBJECT_COMMIT);
	git_object_free(object);
	git_reference_free(reference);
	return failed;
}

static int note_change(const git_diff *so_far, const git_diff_delta *change, const char *matched, void *context)
{
	char **first = context;
	(void)so_far;
	(void)matched;
	*first = mm_strdup(change->new_file.path ? change->new_file.path : change->old_file.path);
	return -1; /* one is enough */
}

static int go_on(const git_diff *so_far, const char *old, const char *new, void *context)
{
	(void)so_far;
	(void)old;
	(void)new;
	(void)context;
	return mm_signals_pending() ? -1 : 0;
}

/* A work tree where files are: a clone of which nothing was checked out has no changes. */
static bool has_files(git_repository *repository)
{
	git_index *index = NULL;
	bool has = !git_repository_is_bare(repository) && git_repository_index(&index, repository) == 0 &&
		   git_index_entrycount(index) > 0;
	git_index_free(index);
	return has;
}

/*
 * A work tree is where people change things. When they mean the commit that it stands on, they may well mean their
 * changes, too. Untracked files are no change: builds leave many.
 */
static void warn_of_changes(git_repository *repository, const char *path, const git_oid *commit)
{
	git_diff_options options;
	git_commit *found = NULL;
	git_tree *tree = NULL;
	git_diff *diff = NULL;
	git_oid head;
	char *first = NULL;
	(void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_IGNORE_SUBMODULES | GIT_DIFF_SKIP_BINARY_CHECK;
	options.notify_cb = note_change;
	options.progress_cb = go_on;
	options.payload = &first;
	if (has_files(repository) && git_reference_name_to_id(&head, repository, "HEAD") == 0 &&
	    git_oid_equal(&head, commit) && git_commit_lookup(&found, repository, commit) == 0 &&
	    git_commit_tree(&tree, found) == 0)
		(void)git_diff_tree_to_workdir_with_index(&diff, repository, tree, &options);
	if (first)
		mm_warn("'%s' has changes that are not committed, of '%s' for one: only the commit %.12s is built; "
			"commit them, or name the folder as a \"directory\"",
			path, first, git_oid_tostr_s(commit));
	free(first);
	git_diff_free(diff);
	git_tree_free(tree);
	git_commit_free(found);
}

static int resolve_here(const char *path, const char *ref, char commit[MM_GIT_COMMIT], struct mm_error *err)
{
	git_repository *repository;
	git_object *object = NULL;
	int code = mm_git_open(path, &repository, err);
	if (!code && find_commit(repository, ref, &object))
		code = mm_git_fail(err, MM_EMATRIX, "there is no branch, tag or commit '%s' in '%s'", ref, path);
	if (!code) {
		(void)git_oid_tostr(commit, MM_GIT_COMMIT, git_object_id(object));
		warn_of_changes(repository, path, git_object_id(object));
	}
	git_object_free(object);
	git_repository_free(repository);
	return code;
}

int mm_git_resolve(const char *work, const char *repository, const char *ref, char commit[MM_GIT_COMMIT],
		   struct mm_error *err)
{
	int code = mm_git_begin(err);
	if (code)
		return code;
	if (mm_git_is_address(repository))
		code = mm_git_ask(work, repository, ref, commit, err);
	else
		code = resolve_here(repository, ref, commit, err);
	mm_git_end();
	return code;
}
