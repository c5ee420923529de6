/* Git sources: what a ref means, what is laid down, and that nothing hostile gets anywhere. */
#include <git2.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/git-private.h"

/* libgit2 1.5 forgets what it matched remotes' settings with; read by the leak sanitizer where there is one. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8\n";
}

enum { THEN = 1000000000 }; /* when everything here is committed */

struct scratch {
	char *folder, *work, *target;
	char *path, *address; /* of the repository "repo" */
	git_repository *repository;
};

static char *warned; /* the last warning */

static void note(void *context, const struct mm_event *event)
{
	(void)context;
	if (event->kind != MM_EVENT_WARNING)
		return;
	free(warned);
	warned = mm_strdup(event->text);
}

static int setup(void **state)
{
	struct scratch *s = mm_alloc(sizeof *s);
	char name[] = "/tmp/mm-git-XXXXXX";
	assert_non_null(mkdtemp(name));
	assert_true(git_libgit2_init() > 0);
	s->folder = mm_strdup(name);
	s->work = mm_path_join(name, "work");
	s->target = mm_path_join(name, "work/sources/tree");
	s->path = mm_path_join(name, "repo");
	s->address = mm_format("file://%s", s->path);
	assert_int_equal(git_repository_init(&s->repository, s->path, 0), 0);
	mm_event_set_sink(note, NULL);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct scratch *s = *state;
	mm_event_set_sink(NULL, NULL);
	free(warned);
	warned = NULL;
	git_repository_free(s->repository);
	assert_int_equal(mm_fs_remove_tree(s->folder, NULL), 0);
	(void)git_libgit2_shutdown();
	free(s->folder);
	free(s->work);
	free(s->target);
	free(s->path);
	free(s->address);
	free(s);
	return 0;
}

/* Trees are written byte by byte, since libgit2 would not make hostile ones. Entries must come in git's order. */

static git_oid blob(git_repository *repository, const char *content)
{
	git_oid id;
	assert_int_equal(git_blob_create_from_buffer(&id, repository, content, strlen(content)), 0);
	return id;
}

static void entry(struct mm_buffer *tree, const char *mode, const char *name, git_oid id)
{
	mm_buffer_printf(tree, "%s %s", mode, name);
	mm_buffer_putc(tree, '\0');
	mm_buffer_append(tree, id.id, GIT_OID_RAWSZ);
}

static git_oid tree(git_repository *repository, struct mm_buffer *content)
{
	git_oid id;
	git_odb *odb;
	assert_int_equal(git_repository_odb(&odb, repository), 0);
	assert_int_equal(git_odb_write(&id, odb, mm_buffer_text(content), content->length, GIT_OBJECT_TREE), 0);
	git_odb_free(odb);
	mm_buffer_release(content);
	return id;
}

/* Commits the tree ID as the tip of REF. */
static git_oid commit(git_repository *repository, const char *ref, git_oid id)
{
	git_oid made;
	git_tree *root;
	git_signature *who;
	git_commit *parent = NULL;
	git_oid tip;
	assert_int_equal(git_signature_new(&who, "A", "a@example.org", THEN, 0), 0);
	assert_int_equal(git_tree_lookup(&root, repository, &id), 0);
	if (git_reference_name_to_id(&tip, repository, ref) == 0)
		assert_int_equal(git_commit_lookup(&parent, repository, &tip), 0);
	const git_commit *parents[] = { parent };
	assert_int_equal(git_commit_create(&made, repository, ref, who, who, NULL, "message", root, parent ? 1 : 0,
					   parents),
			 0);
	git_commit_free(parent);
	git_tree_free(root);
	git_signature_free(who);
	return made;
}

static git_oid commit_file(git_repository *repository, const char *ref, const char *name, const char *content)
{
	struct mm_buffer root = MM_BUFFER_INIT;
	entry(&root, "100644", name, blob(repository, content));
	return commit(repository, ref, tree(repository, &root));
}

static git_oid tag(git_repository *repository, const char *name, git_oid target)
{
	git_oid made;
	git_object *object;
	git_signature *who;
	assert_int_equal(git_signature_new(&who, "A", "a@example.org", THEN, 0), 0);
	assert_int_equal(git_object_lookup(&object, repository, &target, GIT_OBJECT_COMMIT), 0);
	assert_int_equal(git_tag_create(&made, repository, name, object, who, "message", 1), 0);
	git_object_free(object);
	git_signature_free(who);
	return made;
}

static void assert_resolves(const struct scratch *s, const char *repository, const char *ref, git_oid wanted)
{
	char got[MM_GIT_COMMIT], hex[MM_GIT_COMMIT];
	struct mm_error err = MM_ERROR_INIT;
	if (mm_git_resolve(s->work, repository, ref, got, &err))
		fail_msg("%s", err.text);
	assert_string_equal(got, git_oid_tostr(hex, sizeof hex, &wanted));
}

static void assert_unknown(const struct scratch *s, const char *repository, const char *ref, int code, const char *said)
{
	char got[MM_GIT_COMMIT];
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_git_resolve(s->work, repository, ref, got, &err), code);
	if (!strstr(err.text, said))
		fail_msg("'%s' is not in: %s", said, err.text);
}

static int lay(const struct scratch *s, const char *repository, const char *ref, git_oid id, struct mm_error *err)
{
	char hex[MM_GIT_COMMIT];
	const struct mm_git_request request = { .work = s->work,
						.repository = repository,
						.ref = ref,
						.commit = git_oid_tostr(hex, sizeof hex, &id),
						.cell = "a/cell",
						.limits = MM_ARCHIVE_LIMITS };
	assert_int_equal(mm_fs_remove_tree(s->target, NULL), 0);
	char *parent = mm_path_folder(s->target);
	assert_int_equal(mm_fs_mkdirs(parent, 0755, NULL), 0);
	free(parent);
	return mm_git_lay(&request, s->target, err);
}

static void assert_lays(const struct scratch *s, const char *repository, const char *ref, git_oid id)
{
	struct mm_error err = MM_ERROR_INIT;
	if (lay(s, repository, ref, id, &err))
		fail_msg("%s", err.text);
}

/* It is refused with words NAMED and SAID, and leaves nothing but the fetched repository. */
static void assert_refused(const struct scratch *s, git_oid id, const char *named, const char *said)
{
	struct mm_error err = MM_ERROR_INIT;
	char *part = mm_format("%s.part", s->target), *modules = mm_format("%s.modules", s->target);
	char *escaped = mm_path_join(s->folder, "escaped");
	assert_int_equal(lay(s, s->path, "x", id, &err), MM_ECELL);
	if (!strstr(err.text, named) || !strstr(err.text, said) || !strstr(err.text, s->path))
		fail_msg("'%s' and '%s' are not in: %s", named, said, err.text);
	assert_false(mm_fs_exists(s->target));
	assert_false(mm_fs_exists(part));
	assert_false(mm_fs_exists(modules));
	assert_false(mm_fs_exists(escaped));
	free(escaped);
	free(modules);
	free(part);
}

static void assert_content(const struct scratch *s, const char *name, const char *content)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(s->target, name);
	if (mm_fs_read(path, 0, &text, &err))
		fail_msg("%s", err.text);
	assert_string_equal(mm_buffer_text(&text), content);
	mm_buffer_release(&text);
	free(path);
}

static void assert_empty_folder(const struct scratch *s, const char *name)
{
	char *path = mm_path_join(s->target, name);
	assert_true(mm_fs_is_folder(path));
	assert_int_equal(rmdir(path), 0);
	free(path);
}

static void test_refs(void **state)
{
	struct scratch *s = *state;
	char hex[MM_GIT_COMMIT], few[10];
	git_oid first = commit_file(s->repository, "refs/heads/main", "a", "1");
	git_oid second = commit_file(s->repository, "refs/heads/main", "a", "2");
	git_oid other = commit_file(s->repository, "refs/heads/fix/one", "a", "3");
	git_oid mark = tag(s->repository, "v1", first);
	git_reference *made = NULL;
	assert_int_equal(git_reference_create(&made, s->repository, "refs/tags/light", &second, 0, NULL), 0);
	git_reference_free(made);
	const char *const where[] = { s->path, s->address };
	for (size_t i = 0; i < 2; i++) {
		assert_resolves(s, where[i], "main", second);
		assert_resolves(s, where[i], "fix/one", other);
		assert_resolves(s, where[i], "refs/heads/fix/one", other);
		assert_resolves(s, where[i], "v1", first);
		assert_resolves(s, where[i], "light", second);
		assert_resolves(s, where[i], git_oid_tostr(hex, sizeof hex, &first), first);
		assert_unknown(s, where[i], "mian", MM_EMATRIX, "no branch");
		assert_unknown(s, where[i], "../main", MM_EMATRIX, "no branch");
	}
	assert_unknown(s, s->address, "mian", MM_EMATRIX, "did you mean 'main'");
	(void)snprintf(few, sizeof few, "%.9s", git_oid_tostr(hex, sizeof hex, &first));
	assert_resolves(s, s->path, few, first);
	assert_unknown(s, s->address, few, MM_EMATRIX, "40 digits");
	assert_resolves(s, s->path, git_oid_tostr(hex, sizeof hex, &mark), first); /* the tag object itself */
	assert_unknown(s, s->folder, "main", MM_EMATRIX, "no git repository");
	assert_unknown(s, "/nonexistent/repo", "main", MM_EMATRIX, "there is no folder");
	assert_unknown(s, "file:///nonexistent/repo", "main", MM_ECELL, "cannot reach");
	assert_unknown(s, "ext::sh -c 'touch /tmp/mm-escaped'", "main", MM_ECELL, "cannot reach");
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
}

/* Writes CONTENT to the file NAME of the work tree. */
static void change(struct scratch *s, const char *name, const char *content)
{
	char *path = mm_path_join(s->path, name);
	assert_int_equal(mm_fs_write_atomic(path, content, strlen(content), NULL), 0);
	free(path);
}

/* What is changed and not committed is not built: said where somebody may think so, and nowhere else. */
static void test_changes_that_are_not_committed(void **state)
{
	struct scratch *s = *state;
	git_checkout_options options;
	git_index *index;
	git_oid first = commit_file(s->repository, "refs/heads/main", "a", "1");
	git_oid second = commit_file(s->repository, "refs/heads/main", "a", "22");
	(void)tag(s->repository, "v1", first);
	assert_int_equal(git_repository_set_head(s->repository, "refs/heads/main"), 0);
	assert_resolves(s, s->path, "main", second); /* nothing is checked out */
	assert_null(warned);
	assert_int_equal(git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION), 0);
	options.checkout_strategy = GIT_CHECKOUT_FORCE;
	assert_int_equal(git_checkout_head(s->repository, &options), 0);
	change(s, "untracked", "x");
	assert_resolves(s, s->path, "main", second);
	assert_null(warned);

	change(s, "a", "333");
	assert_resolves(s, s->path, "v1", first);
	assert_resolves(s, s->address, "main", second);
	assert_null(warned);
	assert_resolves(s, s->path, "main", second);
	assert_non_null(warned);
	assert_non_null(strstr(warned, s->path));
	assert_non_null(strstr(warned, "changes that are not committed, of 'a' for one: only the commit "));

	free(warned);
	warned = NULL;
	assert_int_equal(git_repository_index(&index, s->repository), 0);
	assert_int_equal(git_index_add_bypath(index, "a"), 0); /* staged, and not committed either */
	assert_int_equal(git_index_write(index), 0);
	git_index_free(index);
	assert_resolves(s, s->path, "main", second);
	assert_non_null(warned);
}

/* The folder of a repository is opened as it is: one above it is not looked for. */
static void test_no_repository_above(void **state)
{
	struct scratch *s = *state;
	char *inner = mm_path_join(s->path, "inner");
	(void)commit_file(s->repository, "refs/heads/main", "a", "1");
	assert_int_equal(mm_fs_mkdirs(inner, 0755, NULL), 0);
	assert_unknown(s, inner, "main", MM_EMATRIX, "no git repository");
	free(inner);
}

static git_oid everything(git_repository *repository)
{
	struct mm_buffer root = MM_BUFFER_INIT, inner = MM_BUFFER_INIT;
	entry(&inner, "100755", "run", blob(repository, "#!/bin/sh\n"));
	entry(&inner, "120000", "up", blob(repository, "../a"));
	git_oid sub = tree(repository, &inner);
	entry(&root, "100644", ".gitattributes", blob(repository, "* eol=crlf text ident\n*.x filter=evil\n"));
	entry(&root, "100644", "a", blob(repository, "one\n$Id$\n"));
	entry(&root, "40000", "bin", sub);
	entry(&root, "100644", "gr\xc3\xbc\xc3\x9f.x", blob(repository, "name beyond ASCII"));
	return commit(repository, "refs/heads/main", tree(repository, &root));
}

static void test_laying(void **state)
{
	struct scratch *s = *state;
	git_oid id = everything(s->repository);
	/* what would run if this were an ordinary checkout */
	char *hook = mm_path_join(s->path, ".git/hooks/post-checkout"), *config = mm_path_join(s->path, ".git/config");
	char *script = mm_format("#!/bin/sh\ntouch '%s/ran'\n", s->folder), *ran = mm_path_join(s->folder, "ran");
	char *filter =
		mm_format("[core]\n\tbare = false\n\tautocrlf = true\n[filter \"evil\"]\n\tsmudge = touch '%s'\n", ran);
	assert_int_equal(mm_fs_write_atomic(hook, script, strlen(script), NULL), 0);
	assert_int_equal(chmod(hook, 0755), 0);
	assert_int_equal(mm_fs_write_atomic(config, filter, strlen(filter), NULL), 0);
	const char *const where[] = { s->path, s->address };
	for (size_t i = 0; i < 2; i++) {
		struct stat st;
		assert_lays(s, where[i], "main", id);
		assert_content(s, "a", "one\n$Id$\n");
		assert_content(s, "bin/up", "one\n$Id$\n");
		assert_content(s, "gr\xc3\xbc\xc3\x9f.x", "name beyond ASCII");
		char *run = mm_path_join(s->target, "bin/run");
		assert_int_equal(stat(run, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0755);
		assert_int_equal(st.st_mtim.tv_sec, THEN);
		free(run);
		char *git = mm_path_join(s->target, ".git");
		assert_false(mm_fs_exists(git));
		free(git);
	}
	assert_false(mm_fs_exists(ran));
	free(filter);
	free(ran);
	free(script);
	free(config);
	free(hook);
}

/* A commit that no ref names any more is had by its digits; one that is fetched is not fetched again. */
static void test_fetching(void **state)
{
	struct scratch *s = *state;
	git_oid old = commit_file(s->repository, "refs/heads/main", "a", "old");
	git_oid new = commit_file(s->repository, "refs/heads/main", "a", "new");
	char hex[MM_GIT_COMMIT];
	(void)git_oid_tostr(hex, sizeof hex, &old);
	assert_lays(s, s->address, hex, old);
	assert_content(s, "a", "old");
	assert_resolves(s, s->address, "main", new);
	/* the branch goes on between question and fetch */
	git_oid newest = commit_file(s->repository, "refs/heads/main", "a", "newest");
	assert_lays(s, s->address, "main", new);
	assert_content(s, "a", "new");
	assert_resolves(s, s->address, "main", newest);
	assert_lays(s, s->address, "main", newest);
	assert_null(warned);
	/* it cannot be reached any more: what is here goes on */
	git_repository_free(s->repository);
	s->repository = NULL;
	assert_int_equal(mm_fs_remove_tree(s->path, NULL), 0);
	assert_resolves(s, s->address, "main", newest);
	assert_non_null(warned);
	assert_non_null(strstr(warned, "when asked last"));
	assert_lays(s, s->address, "main", newest);
	assert_content(s, "a", "newest");
	git_oid nowhere = old;
	nowhere.id[0] ^= 1;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(lay(s, s->address, "main", nowhere, &err), MM_ECELL);
	assert_non_null(strstr(err.text, s->address));
	assert_false(mm_fs_exists(s->target));
}

/* What an interrupted beginning left is no repository: it is begun again. */
static void test_damaged_store(void **state)
{
	struct scratch *s = *state;
	git_oid id = commit_file(s->repository, "refs/heads/main", "a", "1");
	assert_resolves(s, s->address, "main", id);
	assert_lays(s, s->address, "main", id);
	char *store = mm_path_join(s->work, "sources/git");
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_process_result result;
	mm_strings_push(&argv, "find");
	mm_strings_push(&argv, store);
	mm_strings_push(&argv, "-name");
	mm_strings_push(&argv, "HEAD");
	mm_strings_push(&argv, "-delete");
	struct mm_process_spec spec = { .argv = argv.items };
	assert_int_equal(mm_process_run(&spec, &result, NULL), 0);
	assert_lays(s, s->address, "main", id);
	assert_content(s, "a", "1");
	mm_strings_release(&argv);
	free(store);
}

static git_repository *another(const struct scratch *s, const char *name)
{
	git_repository *repository;
	char *path = mm_path_join(s->folder, name);
	assert_int_equal(git_repository_init(&repository, path, 0), 0);
	free(path);
	return repository;
}

static git_oid with_module(git_repository *repository, const char *modules, const char *path, git_oid id)
{
	struct mm_buffer root = MM_BUFFER_INIT;
	if (modules)
		entry(&root, "100644", ".gitmodules", blob(repository, modules));
	entry(&root, "160000", path, id);
	entry(&root, "100644", "z", blob(repository, "outer"));
	return commit(repository, "refs/heads/main", tree(repository, &root));
}

static void test_submodules(void **state)
{
	struct scratch *s = *state;
	git_repository *middle = another(s, "middle"), *inner = another(s, "inner.git");
	git_oid deep = commit_file(inner, "refs/heads/main", "deep", "inner");
	(void)commit_file(inner, "refs/heads/main", "deep", "later");
	git_oid half = with_module(middle, "[submodule \"in\"]\n\tpath = in\n\turl = ../inner.git/\n", "in", deep);
	git_oid id = with_module(s->repository, "[submodule \"a b\"]\n\turl = ../middle\n\tpath = lib\n", "lib", half);
	assert_lays(s, s->address, "main", id);
	assert_content(s, "z", "outer");
	assert_content(s, "lib/z", "outer");
	assert_content(s, "lib/in/deep", "inner");
	assert_lays(s, s->path, "main", id);
	assert_content(s, "lib/in/deep", "inner");
	git_repository_free(middle);
	git_repository_free(inner);
}

/* A clone on this machine has its submodules in .git/modules, wherever they came from. */
static void test_submodules_beside(void **state)
{
	struct scratch *s = *state;
	git_repository *module;
	char *path = mm_path_join(s->path, ".git/modules/lib/x");
	assert_int_equal(git_repository_init(&module, path, 1), 0);
	git_oid inner = commit_file(module, "refs/heads/main", "deep", "inner");
	git_oid id = with_module(s->repository,
				 "[submodule \"lib/x\"]\n\tpath = lib\n\turl = https://unreachable.invalid/x.git\n",
				 "lib", inner);
	assert_lays(s, s->path, "main", id);
	assert_content(s, "lib/deep", "inner");
	git_repository_free(module);
	free(path);
}

static void test_submodules_that_nothing_is_said_of(void **state)
{
	struct scratch *s = *state;
	git_repository *inner = another(s, "inner");
	git_oid deep = commit_file(inner, "refs/heads/main", "deep", "inner");
	static const char *const modules[] = {
		NULL,
		"",
		"[submodule \"x\"]\n\tpath = elsewhere\n\turl = ../inner\n",
		"[submodule \"x\"]\n\tpath = lib\n",
		"[submodule \"../../evil\"]\n\tpath = lib\n\turl = ../inner\n",
		"[submodule \"..\"]\n\tpath = lib\n\turl = ../inner\n",
	};
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		git_oid id = with_module(s->repository, modules[i], "lib", deep);
		assert_lays(s, s->path, "main", id);
		assert_empty_folder(s, "lib");
	}
	git_repository_free(inner);
}

static void test_hostile_submodules(void **state)
{
	struct scratch *s = *state;
	git_oid inner = commit_file(s->repository, "refs/heads/x", "a", "1");
	static const struct {
		const char *modules, *said;
	} cases[] = {
		{ "[Include]\n\tpath = /etc/passwd\n", "includes other files" },
		{ "[includeIf \"gitdir:/\"]\n\tpath = /etc/passwd\n", "includes other files" },
		{ "[submodule \"x\"]\n\tpath = lib\n\turl = --upload-pack=touch /tmp/mm-escaped\n", "no address" },
		{ "[submodule \"x\"]\n\tpath = lib\n\turl = ext::touch /tmp/mm-escaped\n", "protocol" },
		{ "[submodule \"x\"]\n\tpath = lib\n\turl = ../../../../../../../..//x\n", "no address" },
		{ "[submodule \"x\"\n", "cannot be read" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_refused(s, with_module(s->repository, cases[i].modules, "lib", inner), "", cases[i].said);
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
	struct mm_buffer root = MM_BUFFER_INIT;
	entry(&root, "120000", ".gitmodules", blob(s->repository, "z"));
	entry(&root, "160000", "lib", inner);
	assert_refused(s, commit(s->repository, "refs/heads/main", tree(s->repository, &root)), ".gitmodules", "link");
}

static void test_submodule_addresses(void **state)
{
	static const struct {
		const char *base, *address, *wanted; /* NULL: refused */
	} cases[] = {
		{ "https://host/a/b.git", "../c.git", "https://host/a/c.git" },
		{ "https://host/a/b.git/", "../c.git", "https://host/a/c.git" },
		{ "https://host/a/b.git", "../../c/d", "https://host/c/d" },
		{ "https://host/a", "../../x", NULL },
		{ "https://host/a", "./x", "https://host/a/x" },
		{ "https://host/a", "ssh://git@other/x", "ssh://git@other/x" },
		{ "https://host/a", "git@other:x/y", "git@other:x/y" },
		{ "https://host/a", "/home/user/private", NULL },
		{ "https://host/a", "file:///home/user/private", NULL },
		{ "https://host/a", "ext::sh", NULL },
		{ "https://host/a", "ftp://host/x", NULL },
		{ "https://host/a", "-x:y", NULL },
		{ "git@host:a/b", "../c", "git@host:a/c" },
		{ "git@host:b", "../c", "git@host:c" },
		{ "git@host:b", "../../c", NULL },
		{ "/home/me/server", "../lib", "/home/me/lib" },
		{ "/home/me/server/", "../../lib", "/home/lib" },
		{ "/home", "../lib", NULL },
		{ "/home/me/server", "https://host/x", "https://host/x" },
		{ "/home/me/server", "/srv/x", "/srv/x" },
		{ "file:///home/me/server", "../lib", "file:///home/me/lib" },
		{ "file:///home/me/server", "/srv/x", "/srv/x" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_error err = MM_ERROR_INIT;
		char *got;
		int code = mm_git_module_address(cases[i].base, cases[i].address, &got, &err);
		if (cases[i].wanted && code)
			fail_msg("%s from %s: %s", cases[i].address, cases[i].base, err.text);
		if (cases[i].wanted)
			assert_string_equal(got, cases[i].wanted);
		else
			assert_int_equal(code, MM_ECELL);
		free(got);
	}
}

static void test_hostile_names(void **state)
{
	static const char *const names[] = { ".git", ".GIT", "..", ".", "a/b", "../escaped", "/tmp/mm-escaped" };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		git_oid id = commit_file(s->repository, "refs/heads/main", names[i], "evil");
		assert_refused(s, id, names[i], "entry");
		struct mm_buffer root = MM_BUFFER_INIT, inner = MM_BUFFER_INIT;
		entry(&inner, "100644", "config", blob(s->repository, "evil"));
		entry(&root, "40000", names[i], tree(s->repository, &inner));
		assert_refused(s, commit(s->repository, "refs/heads/main", tree(s->repository, &root)), names[i],
			       "entry");
	}
	assert_false(mm_fs_exists("/tmp/mm-escaped"));
}

static void test_hostile_links(void **state)
{
	static const char *const targets[] = { "/etc", "..", "../escaped", "a/../../escaped", "" };
	struct scratch *s = *state;
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		struct mm_buffer root = MM_BUFFER_INIT;
		entry(&root, "120000", "link", blob(s->repository, targets[i]));
		assert_refused(s, commit(s->repository, "refs/heads/main", tree(s->repository, &root)), "link", "link");
	}
	/* the same name twice: a link, and a folder that would be written through it */
	struct mm_buffer root = MM_BUFFER_INIT, inner = MM_BUFFER_INIT;
	entry(&inner, "100644", "escaped", blob(s->repository, "evil"));
	git_oid sub = tree(s->repository, &inner);
	entry(&root, "120000", "link", blob(s->repository, "."));
	entry(&root, "40000", "link", sub);
	assert_refused(s, commit(s->repository, "refs/heads/main", tree(s->repository, &root)), "link",
		       "goes through 'link'");
}

static void test_missing_object(void **state)
{
	struct scratch *s = *state;
	struct mm_buffer root = MM_BUFFER_INIT;
	git_oid nowhere = blob(s->repository, "x");
	nowhere.id[5] ^= 1;
	entry(&root, "100644", "broken", nowhere);
	assert_refused(s, commit(s->repository, "refs/heads/main", tree(s->repository, &root)), "broken",
		       "cannot read");
}

static void test_time_is_up(void **state)
{
	struct scratch *s = *state;
	char hex[MM_GIT_COMMIT];
	struct mm_error err = MM_ERROR_INIT;
	git_oid id = commit_file(s->repository, "refs/heads/main", "a", "1");
	const struct mm_git_request request = { .work = s->work,
						.repository = s->path,
						.ref = "main",
						.commit = git_oid_tostr(hex, sizeof hex, &id),
						.limits = { 1 << 20, 100, 100, 1 } };
	assert_int_equal(mm_git_lay(&request, s->target, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "build.timeout"));
	assert_false(mm_fs_exists(s->target));
}

/* The last one, since a signal stays pending. */
static void test_interrupted(void **state)
{
	struct scratch *s = *state;
	struct mm_error err = MM_ERROR_INIT;
	git_oid id = commit_file(s->repository, "refs/heads/main", "a", "1");
	mm_signals_install();
	assert_int_equal(raise(SIGTERM), 0);
	assert_int_equal(lay(s, s->path, "main", id, &err), MM_EINTERRUPTED);
	assert_false(mm_fs_exists(s->target));
	mm_error_clear(&err);
	assert_int_equal(lay(s, s->address, "main", id, &err), MM_EINTERRUPTED);
	assert_false(mm_fs_exists(s->target));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_refs),
		CASE(test_changes_that_are_not_committed),
		CASE(test_no_repository_above),
		CASE(test_laying),
		CASE(test_fetching),
		CASE(test_damaged_store),
		CASE(test_submodules),
		CASE(test_submodules_beside),
		CASE(test_submodules_that_nothing_is_said_of),
		CASE(test_hostile_submodules),
		CASE(test_submodule_addresses),
		CASE(test_hostile_names),
		CASE(test_hostile_links),
		CASE(test_missing_object),
		CASE(test_time_is_up),
		CASE(test_interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
