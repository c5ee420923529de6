/*
 * configure and make. Outside of the source where the profiles say that the tree can do it and its time stamps are in
 * order, else in a private copy, whose files all get one time.
 */
#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "builders/builder.h"
#include "builders/own-source.h"

/* Words of the profiles come first, so that the user's win. */
static char *words_of(const struct mm_strings *profile, const char *first, const char *second)
{
	struct mm_strings all = MM_STRINGS_INIT;
	mm_strings_extend(&all, profile);
	mm_strings_split(&all, first);
	mm_strings_split(&all, second);
	char *text = mm_strings_join(&all, " ");
	mm_strings_release(&all);
	return text;
}

static void push_flags(struct mm_strings *argv, const char *name, const struct mm_job *job,
		       const struct mm_strings *profile, const char *cell)
{
	/* the wrapper adds the cell's words to every call, unless the tree is to do with them what it likes */
	bool ours = job->cell->flags->enforce == MM_ENFORCE_LEVEL;
	char *cpp = words_of(&job->recipe.cpp, ours ? "" : job->flags.cpp, "");
	char *words = words_of(profile, cpp, ours ? "" : cell);
	mm_strings_pushf(argv, "%s=%s", name, words);
	free(words);
	free(cpp);
}

static void push_tool(struct mm_strings *argv, const char *name, const char *program)
{
	if (program)
		mm_strings_pushf(argv, "%s=%s", name, program);
}

/* Flags that are set, and be they none, keep configure from choosing some. */
static void push_settings(const struct mm_job *job, struct mm_strings *argv)
{
	struct mm_strings link = MM_STRINGS_INIT;
	push_tool(argv, "CC", job->tools.cc);
	push_tool(argv, "CXX", job->tools.cxx);
	push_tool(argv, "AR", job->tools.ar);
	push_tool(argv, "RANLIB", job->tools.ranlib);
	push_tool(argv, "NM", job->tools.nm);
	push_flags(argv, "CFLAGS", job, &job->recipe.c, job->flags.c);
	push_flags(argv, "CXXFLAGS", job, &job->recipe.cxx, job->flags.cxx);
	if (job->cell->flags->enforce == MM_ENFORCE_NONE) {
		mm_strings_split(&link, job->flags.ld);
		mm_toolchain_link_options(job->toolchain, &link);
	}
	char *words = mm_strings_join(&link, " ");
	mm_strings_pushf(argv, "LDFLAGS=%s", words);
	free(words);
	mm_strings_release(&link);
}

/*
 * Settings go into the environment, as configure scripts before autoconf 2.50 want it; later ones take them from there
 * as well, and make, which inherits it, lets the Makefile's own win.
 */
static void set_environment(struct mm_job *job)
{
	struct mm_strings settings = MM_STRINGS_INIT;
	mm_strings_extend(&settings, &job->recipe.env);
	mm_strings_extend(&settings, &job->variables); /* over the profiles', but compilers and flags are the cell's */
	push_settings(job, &settings);
	for (size_t i = 0; i < settings.count; i++)
		mm_env_set(&job->env, settings.items[i]);
	mm_strings_release(&settings);
}

static void push_arguments(const struct mm_job *job, const char *script, struct mm_strings *argv)
{
	mm_strings_push(argv, script);
	mm_strings_extend(argv, &job->recipe.options);
	mm_strings_extend(argv, &job->options);
	/* last, since no option may take the build out of its prefix */
	mm_strings_pushf(argv, "--prefix=%s", job->build->prefix);
}

/* The user's own targets: made by the Makefile at the top. */
static const struct mm_strings *own_targets(const struct mm_job *job)
{
	return &job->cell->source->build.targets;
}

static bool in_source(const struct mm_job *job)
{
	return !job->recipe.out_of_tree || own_targets(job)->count || mm_own_source_needed(job) ||
	       !mm_own_source_times_fit(job->tree.folder);
}

static int configure(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	bool own = in_source(job);
	int code = mm_job_need_program("make", err);
	set_environment(job);
	if (!code)
		code = own ? mm_own_source_make(job, job->build_tree, err) : mm_fs_mkdirs(job->build_tree, 0755, err);
	char *script = mm_path_join(own ? job->build_tree : job->tree.folder, "configure");
	if (!code && !mm_fs_exists(script))
		code = mm_error_set(err, MM_ECELL,
				    "this tree has no 'configure', and none of its profiles makes it: take a release, or "
				    "leave 'profiles' out of its 'build'");
	push_arguments(job, script, &argv);
	if (!code)
		code = mm_job_run_in(job, &argv, job->build_tree, err);
	free(script);
	mm_strings_release(&argv);
	return code;
}

static int run_make(struct mm_job *job, const char *folder, const struct mm_strings *targets, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	char *where = mm_path_join(job->build_tree, folder);
	mm_strings_push(&argv, "make");
	mm_strings_pushf(&argv, "-j%d", job->store->jobs > 0 ? job->store->jobs : 1);
	mm_strings_extend(&argv, &job->recipe.make);
	mm_strings_extend(&argv, targets);
	int code = mm_job_run_in(job, &argv, where, err);
	free(where);
	mm_strings_release(&argv);
	return code;
}

/* The folder that ITEM names. Allocated; NULL: it is optional and not there. */
static char *folder_of(const struct mm_job *job, const char *item)
{
	bool optional;
	char *name = mm_profile_item(item, &optional);
	char *makefile = mm_format("%s/%s/Makefile", job->build_tree, name);
	if (optional && !mm_fs_exists(makefile)) {
		free(name);
		name = NULL;
	}
	free(makefile);
	return name;
}

/* Makes TARGETS in each of FOLDERS. */
static int make_folders(struct mm_job *job, const struct mm_strings *folders, const struct mm_strings *targets,
			struct mm_error *err)
{
	int code = 0;
	for (size_t i = 0; i < folders->count && !code; i++) {
		char *folder = folder_of(job, folders->items[i]);
		mm_event_progress(job->cell->id, "compile", (unsigned)i, (unsigned)folders->count);
		if (folder)
			code = run_make(job, folder, targets, err);
		free(folder);
	}
	return code;
}

static int compile(struct mm_job *job, struct mm_error *err)
{
	const struct mm_strings *targets = own_targets(job), nothing = MM_STRINGS_INIT;
	set_environment(job);
	if (targets->count || !job->recipe.targets.count)
		return run_make(job, ".", targets, err);
	return make_folders(job, &job->recipe.targets, &nothing, err);
}

static int install(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings targets = MM_STRINGS_INIT;
	mm_strings_push(&targets, "install");
	bool everything = !job->recipe.installs.count || mm_strings_contain(own_targets(job), "all");
	int code = everything ? run_make(job, ".", &targets, err)
			      : make_folders(job, &job->recipe.installs, &targets, err);
	mm_strings_release(&targets);
	return code;
}

const struct mm_builder mm_builder_autotools = {
	.name = "autotools", .configure = configure, .compile = compile, .install = install
};
