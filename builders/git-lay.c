/* The tree of a commit, laid down file by file. */
#include <limits.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/process.h"
#include "builders/archive.h"
#include "builders/git-private.h"
#include "builders/landing.h"

enum { DEPTH_MOST = 10, FILE_BYTES_MOST = 1 << 30 };

struct laying {
	const struct mm_git_request *request;
	char *part, *scratch;
	struct mm_landing landing;
	uint64_t bytes, entries;
	git_time_t time; /* of the commit: every file gets it, so that nothing looks older than what it is made from */
};

/* A repository whose tree is laid down at PREFIX of the source ("": the source itself). */
struct module {
	git_repository *repository;
	const char *base; /* its address or path: what relative addresses of submodules are seen from */
	const char *prefix;
	unsigned depth;
	struct mm_git_modules modules;
};

static int lay_commit(struct laying *job, struct module *module, const git_oid *id, struct mm_error *err);

static int check_entry(struct laying *job, const char *name, const char *path, struct mm_error *err)
{
	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return mm_error_set(err, MM_ECELL, "entry '%s' has a name that leads elsewhere", path);
	if (strcasecmp(name, ".git") == 0)
		return mm_error_set(err, MM_ECELL, "entry '%s' would be a repository of its own", path);
	if (++job->entries > job->request->limits.entries)
		return mm_error_set(err, MM_ECELL, "entry '%s' is one too many: there are more than %llu", path,
				    (unsigned long long)job->request->limits.entries);
	if (job->request->limits.until_ns && mm_now_ns() > job->request->limits.until_ns)
		return mm_error_set(err, MM_ECELL, "it took longer than \"build.timeout\" allows");
	return mm_signals_check(err);
}

/* Looks at the size before anything is unpacked. */
static int open_blob(struct laying *job, git_repository *repository, const git_oid *id, const char *path,
		     git_blob **blob, struct mm_error *err)
{
	git_odb *odb = NULL;
	size_t size = 0;
	git_object_t type;
	int code = 0;
	bool failed = git_repository_odb(&odb, repository) || git_odb_read_header(&size, &type, odb, id);
	if (!failed && (size > FILE_BYTES_MOST || job->bytes + size > job->request->limits.total_bytes))
		code = mm_error_set(err, MM_ECELL, "entry '%s' of %zu bytes is too large", path, size);
	else if (failed || git_blob_lookup(blob, repository, id))
		code = mm_git_fail(err, MM_ECELL, "cannot read '%s'", path);
	job->bytes += size;
	git_odb_free(odb);
	return code;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t done = write(fd, bytes, length);
		if (done < 0)
			return -1;
		bytes += done;
		length -= (size_t)done;
	}
	return 0;
}

static int lay_file(struct laying *job, const git_blob *blob, const char *path, mode_t mode, struct mm_error *err)
{
	size_t length = (size_t)git_blob_rawsize(blob);
	int fd;
	int code = mm_landing_file(&job->landing, path, mode, &fd, err);
	if (code)
		return code;
	if (write_all(fd, git_blob_rawcontent(blob), length))
		code = mm_error_errno(err, "cannot write '%s'", path);
	int closed = mm_landing_finish(fd, path, (off_t)length, (time_t)job->time, err);
	return code ? code : closed;
}

static int lay_link(struct laying *job, const git_blob *blob, const char *path, struct mm_error *err)
{
	size_t length = (size_t)git_blob_rawsize(blob);
	const char *target = git_blob_rawcontent(blob);
	if (length >= PATH_MAX || memchr(target, '\0', length))
		return mm_error_set(err, MM_ECELL, "entry '%s' is a link to what is no path", path);
	char *text = mm_strndup(target, length);
	int code = mm_landing_symlink(&job->landing, path, text, err);
	free(text);
	return code;
}

static int lay_blob(struct laying *job, git_repository *repository, const git_tree_entry *entry, const char *path,
		    struct mm_error *err)
{
	git_blob *blob = NULL;
	git_filemode_t mode = git_tree_entry_filemode(entry);
	int code = open_blob(job, repository, git_tree_entry_id(entry), path, &blob, err);
	if (!code && mode == GIT_FILEMODE_LINK)
		code = lay_link(job, blob, path, err);
	else if (!code)
		code = lay_file(job, blob, path, mode == GIT_FILEMODE_BLOB_EXECUTABLE ? 0755 : 0644, err);
	git_blob_free(blob);
	return code;
}

/* Where a clone on this machine keeps a submodule: under ".git/modules", or in its working tree. */
static bool find_beside(const struct module *module, const char *name, const char *inner, const git_oid *id,
			git_repository **found)
{
	const char *tree = git_repository_workdir(module->repository);
	char *places[] = { mm_format("%s/modules/%s", git_repository_commondir(module->repository), name),
			   tree ? mm_path_join(tree, inner) : NULL };
	struct mm_error ignored = MM_ERROR_INIT;
	*found = NULL;
	for (size_t i = 0; i < 2; i++) {
		if (!*found && places[i] && mm_git_open(places[i], found, &ignored) == 0 && !mm_git_has(*found, id)) {
			git_repository_free(*found);
			*found = NULL;
		}
		free(places[i]);
	}
	return *found;
}

/* The address that a clone on this machine came from, which relative addresses of its submodules are meant from. */
static char *origin_of(const struct module *module)
{
	git_remote *origin = NULL;
	char *address = NULL;
	if (!mm_git_is_address(module->base) && git_remote_lookup(&origin, module->repository, "origin") == 0)
		address = mm_strdup(git_remote_url(origin));
	git_remote_free(origin);
	return address ? address : mm_strdup(module->base);
}

/* Opens the repository at ADDRESS, here or fetched. */
static int open_address(struct laying *job, const char *address, const git_oid *id, git_repository **repository,
			struct mm_error *err)
{
	char commit[MM_GIT_COMMIT];
	if (!mm_git_is_address(address))
		return mm_git_open(address, repository, err);
	struct mm_git_request request = *job->request;
	request.repository = address;
	request.ref = NULL;
	request.commit = git_oid_tostr(commit, sizeof commit, id);
	return mm_git_fetch(&request, repository, err);
}

static int lay_module(struct laying *job, const struct module *outer, const git_tree_entry *entry, const char *path,
		      struct mm_error *err)
{
	const git_oid *id = git_tree_entry_id(entry);
	const char *inner = path + strlen(outer->prefix) + (*outer->prefix ? 1 : 0);
	struct module module = { .prefix = path, .depth = outer->depth + 1 };
	char *name, *said, *address = NULL, *base = NULL;
	int code = mm_landing_folder(&job->landing, path, 0755, err);
	if (code || !mm_git_modules_find(&outer->modules, inner, &name, &said))
		return code; /* git leaves such a folder empty, too */
	if (module.depth > DEPTH_MOST)
		code = mm_error_set(err, MM_ECELL, "submodules are nested more than %d deep", DEPTH_MOST);
	bool beside =
		!code && !mm_git_is_address(outer->base) && find_beside(outer, name, inner, id, &module.repository);
	if (!code && !beside) {
		base = origin_of(outer);
		code = mm_git_module_address(base, said, &address, err);
	}
	if (!code && !beside)
		code = open_address(job, address, id, &module.repository, err);
	if (!code) {
		module.base = beside ? git_repository_path(module.repository) : address;
		code = lay_commit(job, &module, id, err);
	}
	if (code == MM_ECELL || code == MM_EMATRIX) {
		err->code = MM_ECELL;
		code = mm_error_prefix(err, "submodule '%s'", path);
	}
	git_repository_free(module.repository);
	free(base);
	free(address);
	free(said);
	free(name);
	return code;
}

static int lay_tree(struct laying *job, const struct module *module, const git_tree *tree, const char *prefix,
		    struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; !code && i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		const char *name = git_tree_entry_name(entry);
		char *path = *prefix ? mm_format("%s/%s", prefix, name) : mm_strdup(name);
		git_tree *inner = NULL;
		code = check_entry(job, name, path, err);
		if (!code && git_tree_entry_filemode(entry) == GIT_FILEMODE_TREE) {
			code = mm_landing_folder(&job->landing, path, 0755, err);
			if (!code && git_tree_lookup(&inner, module->repository, git_tree_entry_id(entry)))
				code = mm_git_fail(err, MM_ECELL, "cannot read '%s'", path);
			if (!code)
				code = lay_tree(job, module, inner, path, err);
			git_tree_free(inner);
		} else if (!code && git_tree_entry_filemode(entry) == GIT_FILEMODE_COMMIT) {
			code = lay_module(job, module, entry, path, err);
		} else if (!code) {
			code = lay_blob(job, module->repository, entry, path, err);
		}
		free(path);
	}
	return code;
}

/* Lays commit ID of MODULE down at its prefix. */
static int lay_commit(struct laying *job, struct module *module, const git_oid *id, struct mm_error *err)
{
	git_commit *commit = NULL;
	git_tree *tree = NULL;
	int code = 0;
	if (git_commit_lookup(&commit, module->repository, id) || git_commit_tree(&tree, commit))
		code = mm_git_fail(err, MM_ECELL, "cannot read the commit");
	if (!code && !module->depth)
		job->time = git_commit_time(commit) > 0 ? git_commit_time(commit) : 0;
	if (!code)
		code = mm_git_modules_read(module->repository, tree, job->scratch, &module->modules, err);
	if (!code)
		code = lay_tree(job, module, tree, module->prefix, err);
	mm_git_modules_release(&module->modules);
	git_tree_free(tree);
	git_commit_free(commit);
	return code;
}

static int open_source(const struct mm_git_request *request, struct module *module, struct mm_error *err)
{
	module->base = request->repository;
	module->prefix = "";
	if (mm_git_is_address(request->repository))
		return mm_git_fetch(request, &module->repository, err);
	return mm_git_open(request->repository, &module->repository, err);
}

static int lay(struct laying *job, const char *folder, struct mm_error *err)
{
	struct module module = { .repository = NULL };
	git_oid id;
	int code = mm_fs_remove_tree(job->part, err);
	if (!code)
		code = mm_fs_mkdirs(job->part, 0755, err);
	if (!code)
		code = mm_landing_open(&job->landing, job->part, false, false, err);
	if (!code && git_oid_fromstr(&id, job->request->commit))
		code = mm_git_fail(err, MM_EINTERNAL, "'%s' is no commit", job->request->commit);
	if (!code)
		code = open_source(job->request, &module, err);
	if (!code)
		code = lay_commit(job, &module, &id, err);
	if (code == MM_ECELL || code == MM_EMATRIX) {
		err->code = MM_ECELL;
		code = mm_error_prefix(err, "commit %s of '%s'", job->request->commit, job->request->repository);
	}
	mm_landing_close(&job->landing);
	git_repository_free(module.repository);
	return code ? code : mm_landing_settle(job->part, folder, err);
}

int mm_git_lay(const struct mm_git_request *request, const char *folder, struct mm_error *err)
{
	struct mm_error cleaning = MM_ERROR_INIT;
	struct laying job = { .request = request,
			      .part = mm_format("%s.part", folder),
			      .scratch = mm_format("%s.modules", folder),
			      .landing = { .root = -1, .parent_fd = -1 } };
	int code = mm_git_begin(err);
	if (!code) {
		code = lay(&job, folder, err);
		mm_git_end();
	}
	(void)mm_fs_remove_tree(job.part, &cleaning);
	(void)unlink(job.scratch);
	free(job.scratch);
	free(job.part);
	return code;
}
