#include "builders/cmake.h"

#include <dirent.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/builder.h"
#include "builders/own-source.h"

/* MySQL's build configurations set compiler flags again and overwrite what was given: allowed, but not unsaid. */
static void tell_build_config(const struct mm_job *job)
{
	for (size_t i = 0; i < job->options.count; i++)
		if (strncmp(job->options.items[i], "-DBUILD_CONFIG", 14) == 0)
			mm_event_stage(MM_EVENT_WARNING, job->cell->id, "configure",
				       "BUILD_CONFIG is given: the tree may set compiler flags of its own over those of "
				       "the cell");
}

static int need_tools(const struct mm_strings *argv, struct mm_error *err)
{
	int code = mm_job_need_program("cmake", err);
	if (!code && mm_strings_contain(argv, "Unix Makefiles"))
		code = mm_job_need_program("make", err);
	return code;
}

static int configure(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	int code = mm_fs_mkdirs(job->build_tree, 0755, err);
	tell_build_config(job);
	if (!code && mm_own_source_needed(job)) {
		free(job->own_source);
		job->own_source = mm_path_join(job->build_tree, "source");
		code = mm_own_source_make(job, job->own_source, err);
	}
	mm_cmake_arguments(job, &argv);
	if (!code)
		code = need_tools(&argv, err);
	if (!code)
		code = mm_job_run(job, &argv, err);
	mm_strings_release(&argv);
	return code;
}

/* Where the word TARGET is followed by ':' (Ninja), or preceded by "... " (make), on a line of its own. */
bool mm_cmake_lists_target(const char *list, const char *target)
{
	size_t length = strlen(target);
	for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *name = strncmp(line, "... ", 4) == 0 ? line + 4 : line;
		if (strncmp(name, target, length) == 0 && strchr(name == line ? ":" : " \r\n", name[length]))
			return true;
	}
	return false;
}

static void push_build(const struct mm_job *job, struct mm_strings *argv)
{
	mm_strings_push(argv, "cmake");
	mm_strings_push(argv, "--build");
	mm_strings_push(argv, job->build_tree);
	mm_strings_push(argv, "-j");
	mm_strings_pushf(argv, "%d", job->store->jobs > 0 ? job->store->jobs : 1);
}

/* What the configured tree can make. Its failure shows when the real thing is made. */
static int list_targets(const struct mm_job *job, struct mm_buffer *list, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_process_result result;
	push_build(job, &argv);
	mm_strings_push(&argv, "--target");
	mm_strings_push(&argv, "help");
	struct mm_process_spec spec = {
		.argv = argv.items, .env = job->env.items, .cwd = job->build->folder, .output = list
	};
	int code = mm_process_run(&spec, &result, err);
	mm_strings_release(&argv);
	return code;
}

/* The targets of the profiles; one "like-this?" only where the tree has it. */
static int push_targets(const struct mm_job *job, struct mm_strings *argv, struct mm_error *err)
{
	struct mm_buffer list = MM_BUFFER_INIT;
	int code = 0;
	for (size_t i = 0; i < job->recipe.targets.count && !code; i++) {
		bool optional;
		char *target = mm_profile_item(job->recipe.targets.items[i], &optional);
		if (optional && !list.length)
			code = list_targets(job, &list, err);
		if (!optional || mm_cmake_lists_target(mm_buffer_text(&list), target))
			mm_strings_push(argv, target);
		free(target);
	}
	mm_buffer_release(&list);
	return code;
}

static int compile(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	const struct mm_strings *own = &job->cell->source->build.targets;
	int code = 0;
	push_build(job, &argv);
	if (own->count || job->recipe.targets.count)
		mm_strings_push(&argv, "--target");
	if (own->count)
		mm_strings_extend(&argv, own);
	else
		code = push_targets(job, &argv, err);
	if (!code)
		code = mm_job_run(job, &argv, err);
	mm_strings_release(&argv);
	return code;
}

static int install_step(struct mm_job *job, const struct mm_install_step *step, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	bool optional;
	char *folder = mm_profile_item(step->folder, &optional);
	char *script = mm_format("%s/%s/cmake_install.cmake", job->build_tree, folder);
	int code = 0;
	if (!optional || mm_fs_exists(script)) {
		mm_strings_push(&argv, "cmake");
		mm_strings_pushf(&argv, "-DCMAKE_INSTALL_PREFIX=%s", job->build->prefix);
		mm_strings_pushf(&argv, "-DCMAKE_INSTALL_COMPONENT=%s", step->component);
		mm_strings_push(&argv, "-DCMAKE_INSTALL_LOCAL_ONLY=1");
		mm_strings_push(&argv, "-P");
		mm_strings_push(&argv, script);
		code = mm_job_run(job, &argv, err);
	}
	free(script);
	free(folder);
	mm_strings_release(&argv);
	return code;
}

/* Copies a program of the build tree to the prefix's bin/ when it was built. */
static int install_helper(struct mm_job *job, const char *helper, struct mm_error *err)
{
	char *from = mm_path_join(job->build_tree, helper);
	char *bin = mm_path_join(job->build->prefix, "bin");
	char *to = mm_path_join(bin, mm_path_base(helper));
	int code = 0;
	if (mm_fs_exists(from) && !mm_fs_exists(to)) {
		code = mm_fs_mkdirs(bin, 0755, err);
		if (!code)
			code = mm_fs_copy_tree(from, to, err);
	}
	free(to);
	free(bin);
	free(from);
	return code;
}

/* Copies the shared libraries of a folder of the build tree, links included, to where the server looks for them. */
static int install_libraries(struct mm_job *job, const char *folder, struct mm_error *err)
{
	char *from = mm_path_join(job->build_tree, folder), *to = mm_path_join(job->build->prefix, "lib/private");
	DIR *dir = mm_fs_opendir(from); /* a tree without it has its libraries linked in */
	int code = dir ? mm_fs_mkdirs(to, 0755, err) : 0;
	for (struct dirent *entry; dir && !code && (entry = readdir(dir));) {
		if (strncmp(entry->d_name, "lib", 3) != 0 || !strstr(entry->d_name, ".so"))
			continue;
		char *source = mm_path_join(from, entry->d_name), *target = mm_path_join(to, entry->d_name);
		code = mm_fs_copy_tree(source, target, err);
		free(target);
		free(source);
	}
	if (dir)
		closedir(dir);
	free(to);
	free(from);
	return code;
}

static int install_everything(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	mm_strings_push(&argv, "cmake");
	mm_strings_push(&argv, "--install");
	mm_strings_push(&argv, job->build_tree);
	mm_strings_push(&argv, "--prefix");
	mm_strings_push(&argv, job->build->prefix);
	int code = mm_job_run(job, &argv, err);
	mm_strings_release(&argv);
	return code;
}

static int install(struct mm_job *job, struct mm_error *err)
{
	const struct mm_recipe *recipe = &job->recipe;
	if (!recipe->steps || mm_strings_contain(&job->cell->source->build.targets, "all"))
		return install_everything(job, err);
	int code = 0;
	for (const struct mm_install_step *step = recipe->steps; !code && step->folder; step++)
		code = install_step(job, step, err);
	for (size_t i = 0; !code && i < recipe->helpers.count; i++)
		code = install_helper(job, recipe->helpers.items[i], err);
	if (!code && recipe->libraries)
		code = install_libraries(job, recipe->libraries, err);
	return code;
}

const struct mm_builder mm_builder_cmake = {
	.name = "cmake", .configure = configure, .compile = compile, .install = install
};
