/* Repositories of other machines: what their refs are, and the objects that are missing here. */
#include <stdlib.h>

#include "base/buffer.h"
#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/os.h"
#include "base/process.h"
#include "builders/git-private.h"

#define HAS_DEPTH (LIBGIT2_VER_MAJOR > 1 || (LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR >= 7))

/* Progress and an end to waiting; what libgit2's callbacks get. */
struct line {
	const struct mm_git_request *request; /* NULL: refs are asked for */
	unsigned percent;
	bool late;
	bool asked; /* for a password or key */
};

static bool must_stop(struct line *line)
{
	const struct mm_git_request *request = line->request;
	if (request && request->limits.until_ns && mm_now_ns() > request->limits.until_ns)
		line->late = true;
	return line->late || mm_signals_pending();
}

static int on_progress(const git_indexer_progress *progress, void *context)
{
	struct line *line = context;
	unsigned total = progress->total_objects, got = progress->received_objects;
	unsigned percent = total ? (unsigned)((uint64_t)got * 100 / total) : 0;
	if (line->request->cell && percent != line->percent)
		mm_event_progress(line->request->cell, "unpack", percent, 100);
	line->percent = percent;
	return must_stop(line) ? GIT_EUSER : 0;
}

static int on_text(const char *text, int length, void *context)
{
	(void)text;
	(void)length;
	return must_stop(context) ? GIT_EUSER : 0;
}

/* Nobody is there to type a password, and no key of the user is taken without being told to. */
static int refuse_credentials(git_credential **out, const char *url, const char *user, unsigned allowed, void *context)
{
	(void)out;
	(void)url;
	(void)user;
	(void)allowed;
	((struct line *)context)->asked = true;
	return GIT_EUSER;
}

/* Whom it concerns and what libgit2 said; or what can be done when it wanted to know who asks. */
static int refused(const struct line *line, const char *what, const char *address, struct mm_error *err)
{
	if (!line->asked || mm_signals_pending())
		return mm_git_fail(err, MM_ECELL, "cannot %s '%s'", what, address);
	return mm_error_set(
		err, MM_ECELL,
		"cannot %s '%s': it asks for a password or key, which a build cannot give: clone it by hand "
		"and name the path of the clone",
		what, address);
}

static git_remote_callbacks callbacks_of(struct line *line)
{
	git_remote_callbacks callbacks;
	(void)git_remote_init_callbacks(&callbacks, GIT_REMOTE_CALLBACKS_VERSION);
	callbacks.credentials = refuse_credentials;
	callbacks.transfer_progress = line->request ? on_progress : NULL;
	callbacks.sideband_progress = on_text;
	callbacks.payload = line;
	return callbacks;
}

/* What an address said of its refs: "ADDRESS REF" → {name, commit}, so that work goes on while it is not reachable. */

static char *refs_path(const char *work)
{
	return mm_path_join(work, "sources/git/refs.json");
}

static json_t *load_refs(const char *work)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = refs_path(work);
	json_t *refs = mm_fs_exists(path) ? mm_json_load(path, &ignored) : NULL;
	free(path);
	if (json_is_object(refs))
		return refs;
	json_decref(refs);
	return json_object();
}

static void remember(const char *work, const char *key, const char *name, const char *commit)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = refs_path(work), *lock_path = mm_format("%s.lock", path);
	struct mm_lock lock = MM_LOCK_INIT;
	if (mm_lock_take(&lock, lock_path, "refs", &ignored) == 0) {
		json_t *refs = load_refs(work), *entry = json_object();
		mm_json_put_string(entry, "name", name);
		mm_json_put_string(entry, "commit", commit);
		(void)json_object_set_new(refs, key, entry);
		(void)mm_json_save(path, refs, &ignored);
		json_decref(refs);
	}
	mm_lock_release(&lock);
	free(lock_path);
	free(path);
}

static char *refs_key(const char *address, const char *ref)
{
	return mm_format("%s %s", address, ref);
}

/* A tag, a branch, or REF written out ("refs/…"): as git looks for it. A tag's commit is listed as "NAME^{}". */
static const git_remote_head *find_head(const git_remote_head **heads, size_t count, const char *ref, char **name)
{
	static const struct {
		const char *before, *after;
	} forms[] = { { "refs/tags/", "^{}" }, { "refs/tags/", "" }, { "refs/heads/", "" }, { "", "^{}" }, { "", "" } };
	for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
		char *wanted = mm_format("%s%s%s", forms[form].before, ref, forms[form].after);
		for (size_t i = 0; i < count; i++) {
			if (strcmp(heads[i]->name, wanted) != 0)
				continue;
			wanted[strlen(wanted) - strlen(forms[form].after)] = '\0';
			*name = wanted;
			return heads[i];
		}
		free(wanted);
	}
	return NULL;
}

static int no_such_ref(const git_remote_head **heads, size_t count, const char *address, const char *ref,
		       struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (size_t i = 0; i < count; i++) {
		const char *short_name = heads[i]->name;
		for (int slashes = 0; slashes < 2 && strchr(short_name, '/'); slashes++)
			short_name = strchr(short_name, '/') + 1;
		mm_strings_push(&names, short_name);
	}
	const char *near = mm_nearest(ref, &names);
	int code = mm_error_set(err, MM_EMATRIX, "there is no branch or tag '%s' at '%s'%s%s%s%s", ref, address,
				near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
				strspn(ref, "0123456789abcdef") == strlen(ref) ? ": a commit needs all its 40 digits"
									       : "");
	mm_strings_release(&names);
	return code;
}

static int ask_refs(git_remote *remote, const char *address, const char *ref, char commit[MM_GIT_COMMIT], char **name,
		    struct mm_error *err)
{
	const git_remote_head **heads, *head;
	size_t count;
	if (git_remote_ls(&heads, &count, remote))
		return mm_git_fail(err, MM_ECELL, "cannot read the refs of '%s'", address);
	head = find_head(heads, count, ref, name);
	if (!head)
		return no_such_ref(heads, count, address, ref, err);
	(void)git_oid_tostr(commit, MM_GIT_COMMIT, &head->oid);
	return 0;
}

/* It did not answer: what it said last time still names a commit. */
static int recall(const char *work, const char *address, const char *ref, char commit[MM_GIT_COMMIT],
		  struct mm_error *err)
{
	char *key = refs_key(address, ref);
	json_t *refs = load_refs(work);
	const char *known = mm_json_string(json_object_get(refs, key), "commit", "");
	bool usable = err->code == MM_ECELL && strlen(known) == GIT_OID_HEXSZ;
	if (usable) {
		mm_warn("%s; '%s' is taken as the commit %s, which it was when asked last", err->text, ref, known);
		mm_error_clear(err);
		(void)snprintf(commit, MM_GIT_COMMIT, "%s", known);
	}
	json_decref(refs);
	free(key);
	return usable ? 0 : (int)err->code;
}

static bool is_whole_commit(const char *ref)
{
	return strlen(ref) == GIT_OID_HEXSZ && strspn(ref, "0123456789abcdef") == GIT_OID_HEXSZ;
}

int mm_git_ask(const char *work, const char *address, const char *ref, char commit[MM_GIT_COMMIT], struct mm_error *err)
{
	struct line line = { .request = NULL };
	git_remote_callbacks callbacks = callbacks_of(&line);
	git_proxy_options proxy;
	git_remote *remote = NULL;
	char *name = NULL;
	int code = 0;
	if (is_whole_commit(ref)) { /* whether it is there turns out when it is fetched */
		(void)snprintf(commit, MM_GIT_COMMIT, "%s", ref);
		return 0;
	}
	(void)git_proxy_options_init(&proxy, GIT_PROXY_OPTIONS_VERSION);
	proxy.type = GIT_PROXY_AUTO;
	if (git_remote_create_detached(&remote, address) ||
	    git_remote_connect(remote, GIT_DIRECTION_FETCH, &callbacks, &proxy, NULL))
		code = refused(&line, "reach", address, err);
	if (!code)
		code = ask_refs(remote, address, ref, commit, &name, err);
	if (!code) {
		char *key = refs_key(address, ref);
		remember(work, key, name, commit);
		free(key);
	} else if (code == MM_ECELL) {
		code = recall(work, address, ref, commit, err);
	}
	free(name);
	git_remote_free(remote);
	return code;
}

/* The bare repository of an address, begun when there is none or a damaged one. */
static int open_store(const char *path, git_repository **repository, struct mm_error *err)
{
	if (git_repository_open_ext(repository, path, GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE, NULL) ==
	    0)
		return 0;
	int code = mm_fs_remove_tree(path, err);
	if (!code && git_repository_init(repository, path, 1))
		code = mm_git_fail(err, MM_EENV, "cannot make the repository '%s'", path);
	return code;
}

static int fetch_once(git_repository *repository, struct line *line, const struct mm_strings *specs, bool shallow)
{
	git_fetch_options options;
	git_remote *remote = NULL;
	git_strarray list = { .strings = specs->items, .count = specs->count };
	(void)git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION);
	options.callbacks = callbacks_of(line);
	options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	options.update_fetchhead = 0;
	options.proxy_opts.type = GIT_PROXY_AUTO;
#if HAS_DEPTH
	bool was_shallow = git_repository_is_shallow(repository) == 1;
	options.depth = shallow ? 1 : was_shallow ? GIT_FETCH_DEPTH_UNSHALLOW : GIT_FETCH_DEPTH_FULL;
#else
	(void)shallow;
#endif
	int failed = git_remote_create_anonymous(&remote, repository, line->request->repository);
	if (!failed)
		failed = git_remote_fetch(remote, &list, &options, NULL);
	git_remote_free(remote);
	return failed;
}

/*
 * From the narrowest wish to the widest: the ref that named the commit, the commit by itself (which not every server
 * gives), both without history and then with it, all branches and tags.
 */
enum { SHALLOW_NAME, SHALLOW_COMMIT, NAME, COMMIT, EVERYTHING, ATTEMPTS };

static void push_specs(const struct mm_git_request *request, int attempt, const char *name, struct mm_strings *specs)
{
	if ((attempt == SHALLOW_NAME || attempt == NAME) && name)
		mm_strings_pushf(specs, "+%s:refs/mymatrix/%s", name, request->commit);
	if (attempt == SHALLOW_COMMIT || attempt == COMMIT)
		mm_strings_push(specs, request->commit);
	if (attempt == EVERYTHING) {
		mm_strings_push(specs, "+refs/heads/*:refs/mymatrix/heads/*");
		mm_strings_push(specs, "+refs/tags/*:refs/mymatrix/tags/*");
	}
}

static int fetch_commit(git_repository *repository, struct line *line, const char *name, const git_oid *commit,
			struct mm_error *err)
{
	const struct mm_git_request *request = line->request;
	bool failed = false, has = false;
	for (int attempt = HAS_DEPTH ? SHALLOW_NAME : NAME; !has && attempt < ATTEMPTS; attempt++) {
		struct mm_strings specs = MM_STRINGS_INIT;
		push_specs(request, attempt, name, &specs);
		if (specs.count)
			failed = fetch_once(repository, line, &specs, attempt < NAME) != 0;
		mm_strings_release(&specs);
		has = mm_git_has(repository, commit);
		if (line->late || mm_signals_pending())
			break;
	}
	if (has)
		return 0;
	int code = mm_signals_check(err);
	if (code)
		return code;
	if (line->late)
		return mm_error_set(err, MM_ECELL, "fetching from '%s' took longer than \"build.timeout\" allows",
				    request->repository);
	if (failed)
		return refused(line, "fetch from", request->repository, err);
	return mm_error_set(err, MM_ECELL, "'%s' has no commit %s (any more)", request->repository, request->commit);
}

/* The full name that REF had when its commit was asked for; NULL: not known. Allocated. */
static char *full_name(const struct mm_git_request *request)
{
	if (!request->ref || is_whole_commit(request->ref))
		return NULL;
	char *key = refs_key(request->repository, request->ref);
	json_t *refs = load_refs(request->work);
	char *name = mm_strdup(mm_json_string(json_object_get(refs, key), "name", NULL));
	json_decref(refs);
	free(key);
	return name;
}

char *mm_git_folder(const char *work, const char *repository)
{
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, repository);
	mm_hash_finish(hash, hex);
	return mm_format("%s/sources/git/%.32s", work, hex);
}

int mm_git_fetch(const struct mm_git_request *request, git_repository **repository, struct mm_error *err)
{
	struct mm_lock lock = MM_LOCK_INIT;
	git_oid commit;
	char *path = mm_git_folder(request->work, request->repository), *lock_path = mm_format("%s.lock", path);
	*repository = NULL;
	int code = mm_lock_take(&lock, lock_path, request->repository, err);
	if (!code && git_oid_fromstr(&commit, request->commit))
		code = mm_git_fail(err, MM_EINTERNAL, "'%s' is no commit", request->commit);
	if (!code)
		code = open_store(path, repository, err);
	if (!code && !mm_git_has(*repository, &commit)) {
		struct line line = { .request = request, .percent = UINT32_MAX };
		char *name = full_name(request);
		code = fetch_commit(*repository, &line, name, &commit, err);
		free(name);
	}
	if (code) {
		git_repository_free(*repository);
		*repository = NULL;
	}
	mm_lock_release(&lock);
	free(lock_path);
	free(path);
	return code;
}
