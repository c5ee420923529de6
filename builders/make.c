/* Makes a build: stage after stage in <work>/builds/<key>, and build.json last. */
#include <errno.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/archive.h"
#include "builders/builder.h"
#include "builders/cache.h"
#include "builders/compilers.h"
#include "builders/extra.h"
#include "builders/once.h"
#include "builders/prefix.h"
#include "builders/provide.h"
#include "builders/record.h"

/* Present in the build tree once it is configured: an interrupted compilation goes on from there. */
#define CONFIGURED ".mymatrix-configured"

static char *marker_path(const struct mm_job *job)
{
	return mm_path_join(job->build_tree, CONFIGURED);
}

/* Files of a tree that was worked in when the machine went down may be damaged, and its build tool would believe them. */
static bool is_configured(const struct mm_job *job)
{
	char *path = marker_path(job);
	bool there = mm_fs_exists(path) && mm_once_is_whole(job->build_tree);
	free(path);
	return there;
}

/* The environment of every program of a build: clean, at home in the build folder, without a network, repeatable. */
static int set_environment(struct mm_job *job, struct mm_error *err)
{
	char *home = mm_path_join(job->build->folder, "home");
	char *temporary = mm_format("TMPDIR=%s", home);
	mm_process_clean_env(&job->env, home);
	mm_env_set(&job->env, temporary);
	mm_env_set(&job->env, "SOURCE_DATE_EPOCH=946684800"); /* dates in programs would make equal builds differ */
	mm_env_set(&job->env, "NINJA_STATUS=[%f/%t] ");
	/* a tree that downloads what it misses fails at once, and the hint says what to install */
	mm_env_set(&job->env, "http_proxy=http://127.0.0.1:9/");
	mm_env_set(&job->env, "https_proxy=http://127.0.0.1:9/");
	mm_sysroot_environment(&job->overlay, &job->env);
	int code = mm_fs_mkdirs(home, 0755, err);
	free(temporary);
	free(home);
	return code;
}

/* What the tree is, and what that means for the build. */
static int recognise(struct mm_job *job, const char *folder, struct mm_error *err)
{
	int code = mm_source_recognise(folder, &job->tree, err);
	return code ? code : mm_builder_choose(job, err);
}

static int unpack_source(struct mm_job *job, struct mm_error *err)
{
	char *folder = NULL;
	int code = mm_provide_source(job, &folder, err);
	if (!code)
		code = mm_extra_provide(job, err);
	for (size_t i = 0; i < job->variables.count; i++)
		mm_env_set(&job->env, job->variables.items[i]);
	if (!code && !job->cell->source->patches.count)
		code = recognise(job, folder, err);
	free(folder);
	return code;
}

static int patch_source(struct mm_job *job, struct mm_error *err)
{
	char *folder = NULL;
	int code = mm_provide_patched(job, &folder, err);
	if (!code)
		code = recognise(job, folder, err);
	free(folder);
	return code;
}

static int configure(struct mm_job *job, struct mm_error *err)
{
	int code = mm_fs_remove_tree(job->build_tree, err);
	if (!code)
		code = mm_once_begin(job->build_tree, err);
	if (!code)
		code = mm_compilers_provide(job, err);
	if (!code)
		code = job->builder->configure(job, err);
	if (!code) {
		char *marker = marker_path(job);
		code = mm_fs_write_atomic(marker, "", 0, err);
		free(marker);
	}
	return code;
}

/* With the compilers of an interrupted build made ready again, their log kept; then the audit of what they were told. */
static int compile(struct mm_job *job, struct mm_error *err)
{
	int code = job->compilers.cc ? 0 : mm_compilers_provide(job, err);
	if (!code)
		code = job->builder->compile(job, err);
	if (job->store->budget)
		(void)mm_jobserver_reclaim(job->store->budget);
	return code ? code : mm_compilers_audit(job, err);
}

/* Does PATH hold exactly CONTENT? */
static bool holds(const char *path, const struct mm_buffer *content)
{
	struct mm_buffer present = MM_BUFFER_INIT;
	struct mm_error ignored = MM_ERROR_INIT;
	bool same = mm_fs_exists(path) && mm_fs_read(path, 0, &present, &ignored) == 0 &&
		    present.length == content->length &&
		    memcmp(mm_buffer_text(&present), mm_buffer_text(content), content->length) == 0;
	mm_buffer_release(&present);
	return same;
}

/* The option file of this cell: empty, or its config's. Whatever else is there goes. */
static int put_my_cnf(const struct mm_build *build, const struct mm_config *config, struct mm_error *err)
{
	struct mm_buffer content = MM_BUFFER_INIT;
	char *folder = mm_path_folder(build->my_cnf);
	int code = config->my_cnf ? mm_fs_read_input(config->my_cnf, 0, &content, err) : 0;
	if (!code && !holds(build->my_cnf, &content)) {
		code = mm_fs_mkdirs(folder, 0755, err);
		if (!code)
			code = mm_fs_write_atomic(build->my_cnf, mm_buffer_text(&content), content.length, err);
	}
	mm_buffer_release(&content);
	free(folder);
	return code;
}

static int install(struct mm_job *job, struct mm_error *err)
{
	int code = mm_fs_remove_tree(job->build->prefix, err);
	if (!code)
		code = job->builder->install(job, err);
	if (!code)
		code = mm_prefix_inspect(job->build, job->cell->bits, err);
	return code ? code : mm_compilers_audit(job, err); /* what the installation has made counts, too */
}

static int unpack_packages(struct mm_job *job, struct mm_error *err)
{
	const struct mm_strings *packages = &job->cell->source->packages;
	char *part = mm_format("%s.part", job->build->prefix);
	const struct mm_archive_limits limits = mm_archive_limits(job->store->matrix, mm_job_until(job));
	int code = mm_fs_mkdirs(part, 0755, err);
	for (size_t i = 0; !code && i < packages->count; i++) {
		code = mm_archive_unpack_package(packages->items[i], part, &limits, err);
		mm_event_progress(job->cell->id, "unpack", (unsigned)i + 1, (unsigned)packages->count);
	}
	if (!code)
		code = mm_fs_rename(part, job->build->prefix, err);
	free(part);
	return code;
}

static int inspect_packages(struct mm_job *job, struct mm_error *err)
{
	return mm_prefix_inspect(job->build, job->cell->bits, err);
}

static int stage(struct mm_job *job, const char *name, int (*work)(struct mm_job *job, struct mm_error *err),
		 struct mm_error *err)
{
	mm_job_begin(job, name);
	int code = mm_signals_check(err);
	if (!code)
		code = work(job, err);
	return mm_job_end(job, code, err);
}

static int make_compiled(struct mm_job *job, struct mm_error *err)
{
	bool resumed = is_configured(job);
	job->build->resumed = resumed;
	int code = stage(job, "unpack", unpack_source, err);
	if (!code && job->cell->source->patches.count)
		code = stage(job, "patch", patch_source, err);
	if (!code && resumed) {
		mm_event_stage(MM_EVENT_REUSED, job->cell->id, "configure", "an interrupted build goes on");
		code = mm_once_begin(job->build_tree, err);
	}
	if (!code && !resumed)
		code = stage(job, "configure", configure, err);
	if (code)
		return code;
	code = stage(job, "compile", compile, err);
	if (!code)
		return stage(job, "install", install, err);
	if (code != MM_ECELL || !resumed)
		return code;
	/* what the interruption left may be damaged: only a build from the beginning is a failure of the cell */
	mm_error_clear(err);
	mm_record_reset(job->build);
	mm_tree_release(&job->tree);
	mm_strings_release(&job->options);
	mm_strings_release(&job->variables);
	mm_event_stage(MM_EVENT_NOTE, job->cell->id, "configure",
		       "what was left of an interrupted build does not work: it begins again");
	code = mm_compilers_remove(job->build, err);
	if (!code)
		code = mm_fs_remove_tree(job->build_tree, err);
	return code ? code : make_compiled(job, err);
}

static int make_packages(struct mm_job *job, struct mm_error *err)
{
	int code = stage(job, "unpack", unpack_packages, err);
	return code ? code : stage(job, "install", inspect_packages, err);
}

static int make_prefix(struct mm_job *job, struct mm_error *err)
{
	return stage(job, "install", inspect_packages, err);
}

static int drop_tree(const struct mm_job *job, struct mm_error *err)
{
	int code = mm_fs_remove_tree(job->build_tree, err);
	if (!code)
		mm_once_settled(job->build_tree);
	return code;
}

/* Removes what an earlier attempt left, except for a build tree that can be gone on with. */
static int clear_folder(const struct mm_job *job, struct mm_error *err)
{
	static const char *const parts[] = { "build.json", "files", "prefix", "prefix.part", "etc", "home", "logs" };
	bool keep = is_configured(job) && job->build->state == MM_BUILD_ABSENT;
	size_t count =
		sizeof parts / sizeof *parts - (keep ? 1 : 0); /* the log of the configuration stays with its tree */
	int code = 0;
	for (size_t i = 0; !code && i < count; i++) {
		char *path = mm_path_join(job->build->folder, parts[i]);
		code = mm_fs_remove_tree(path, err);
		free(path);
	}
	if (!code && !keep)
		code = mm_compilers_remove(job->build, err);
	if (!code && !keep)
		code = drop_tree(job, err);
	return code;
}

/* The error that a caller sees: stage, first error line, log, hint. */
static int tell_failure(const struct mm_cell *cell, const struct mm_build *build, struct mm_error *err)
{
	mm_error_clear(err);
	return mm_error_set(err, MM_ECELL, "cell '%s': stage '%s' failed: %s%s%s; log '%s'", cell->id,
			    build->failed_stage, build->failure, build->hint ? "; " : "",
			    build->hint ? build->hint : "", build->log ? build->log : "none");
}

/* Of a build that is on record: a tree that is half removed must not be gone on with. */
static int remove_tree(const struct mm_job *job, struct mm_error *err)
{
	enum mm_keep policy = job->store->policy->keep;
	if (policy == MM_KEEP_ALWAYS || (policy == MM_KEEP_ON_FAILURE && job->build->state == MM_BUILD_FAILED))
		return 0;
	int code = mm_compilers_remove(job->build, err);
	return code ? code : drop_tree(job, err);
}

/* The build ended with CODE: puts it on record, then keeps or removes its tree. */
static int settle(struct mm_job *job, int code, struct mm_error *err)
{
	struct mm_build *build = job->build;
	bool failed = build->state == MM_BUILD_FAILED;
	if (code && !failed) { /* interrupted, or the machine refused: the tree stays, to be gone on with */
		sync();
		mm_once_settled(job->build_tree);
		return code;
	}
	char *home = mm_path_join(build->folder, "home");
	struct mm_error problem = MM_ERROR_INIT;
	int trouble = mm_fs_remove_tree(home, &problem);
	free(home);
	if (!trouble && !failed)
		trouble = put_my_cnf(build, job->cell->config, &problem);
	if (!failed)
		build->state = MM_BUILD_DONE;
	sync(); /* the record must not become durable before what it vouches for */
	mm_once_settled(job->build_tree);
	for (size_t i = 0; i < job->shared.count; i++)
		mm_once_settled(job->shared.items[i]);
	if (!trouble)
		trouble = mm_record_save(build, &problem);
	if (trouble)
		build->state = MM_BUILD_ABSENT;
	else
		trouble = remove_tree(job, &problem);
	if (trouble) {
		mm_error_clear(err);
		return mm_error_set(err, problem.code, "%s", problem.text);
	}
	return failed ? tell_failure(job->cell, build, err) : 0;
}

static int make(struct mm_job *job, struct mm_error *err)
{
	static int (*const makers[])(struct mm_job * job, struct mm_error * err) = {
		[MM_SOURCE_TARBALL] = make_compiled,
		[MM_SOURCE_DIRECTORY] = make_compiled,
		[MM_SOURCE_GIT] = make_compiled,
		[MM_SOURCE_PACKAGES] = make_packages,
		[MM_SOURCE_PREFIX] = make_prefix,
	};
	struct mm_build *build = job->build;
	char *logs = mm_path_join(build->folder, "logs");
	if (build->doubt) {
		char *text = mm_format("it is made again: %s", build->doubt);
		mm_event_stage(MM_EVENT_NOTE, job->cell->id, "build", text);
		free(text);
	}
	int code = clear_folder(job, err);
	mm_record_reset(build);
	if (!code)
		code = mm_fs_mkdirs(logs, 0755, err);
	if (!code)
		code = set_environment(job, err);
	if (!code)
		code = settle(job, makers[job->cell->source->kind](job, err), err);
	free(logs);
	return code;
}

static int open_toolchain(struct mm_job *job, struct mm_build_cache *cache, struct mm_error *err)
{
	const struct mm_cell *cell = job->cell;
	if (!cell->toolchain)
		return 0;
	mm_flags_resolve(job->store->matrix, cell->flags, cell->toolchain->family, cell->bits, &job->flags);
	const json_t *sysroot = json_object_get(job->build->inputs, "sysroot");
	int code = mm_sysroot_open(job->store, cell->bits, sysroot, &job->overlay, err);
	if (!code)
		code = mm_sysroot_flags(&job->overlay, &job->flags, err);
	if (!code && job->overlay.root)
		mm_strings_push(&job->shared, job->overlay.root);
	return code ? code : mm_cache_toolchain(cache, cell->toolchain, &job->toolchain, err);
}

int mm_build_make(const struct mm_store *store, const struct mm_cell *cell, struct mm_build *build,
		  struct mm_error *err)
{
	if (build->state == MM_BUILD_DONE) {
		mm_event_stage(MM_EVENT_REUSED, cell->id, "build", build->prefix);
		int known = mm_compilers_judge(store, cell, build, err);
		return known ? known : put_my_cnf(build, cell->config, err);
	}
	if (build->state == MM_BUILD_FAILED && !store->retry_failed)
		return tell_failure(cell, build, err);
	struct mm_job job = { .store = store, .cell = cell, .build = build };
	struct mm_build_cache *cache = store->cache ? store->cache : mm_build_cache_new();
	job.build_tree = mm_path_join(build->folder, "tree");
	int code = open_toolchain(&job, cache, err);
	if (!code)
		code = make(&job, err);
	if (!code)
		code = mm_compilers_judge(store, cell, build, err);
	mm_wrapped_release(&job.compilers);
	mm_flag_words_release(&job.flags);
	mm_tree_release(&job.tree);
	mm_recipe_release(&job.recipe);
	mm_strings_release(&job.env);
	mm_strings_release(&job.options);
	mm_strings_release(&job.variables);
	mm_strings_release(&job.shared);
	mm_sysroot_release(&job.overlay);
	free(job.own_source);
	free(job.build_tree);
	if (!store->cache)
		mm_build_cache_free(cache);
	return code;
}
