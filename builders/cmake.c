#include "builders/cmake.h"

#include "base/fs.h"
#include "base/memory.h"

/* The words of both halves with one space between them, whichever are empty. */
static void put_words(struct mm_buffer *out, const char *words)
{
	if (!*words)
		return;
	if (out->length)
		mm_buffer_putc(out, ' ');
	mm_buffer_puts(out, words);
}

static void push_setting(struct mm_strings *argv, const char *name, const char *const *words)
{
	struct mm_buffer value = MM_BUFFER_INIT;
	for (; *words; words++)
		put_words(&value, *words);
	mm_strings_pushf(argv, "-D%s=%s", name, mm_buffer_text(&value));
	mm_buffer_release(&value);
}

/*
 * CMake puts CMAKE_<LANG>_FLAGS_<TYPE> behind CMAKE_<LANG>_FLAGS, and the last -O wins: a level given in the latter
 * alone is overridden by the type's own "-O2 -g". So the cell's words stand in both: in the first, so that the probes
 * of the configuration see them, and in the second, which decides. NDEBUG is what every build type but Debug
 * defines; leaving it out would measure assertions. With "enforce": "none" the tree's own type flags stay.
 */
static void push_flags(const struct mm_job *job, struct mm_strings *argv)
{
	const struct mm_flag_words *flags = &job->flags;
	const char *bits = mm_toolchain_bits_option(job->toolchain, job->cell->bits);
	const char *const c[] = { bits, flags->cpp, flags->c, NULL };
	const char *const cxx[] = { bits, flags->cpp, flags->cxx, NULL };
	push_setting(argv, "CMAKE_C_FLAGS", c);
	push_setting(argv, "CMAKE_CXX_FLAGS", cxx);
	if (job->cell->flags->enforce == MM_ENFORCE_LEVEL) {
		const char *const c_type[] = { flags->c, "-DNDEBUG", NULL };
		const char *const cxx_type[] = { flags->cxx, "-DNDEBUG", NULL };
		push_setting(argv, "CMAKE_C_FLAGS_RELWITHDEBINFO", c_type);
		push_setting(argv, "CMAKE_CXX_FLAGS_RELWITHDEBINFO", cxx_type);
	}
	struct mm_strings more = MM_STRINGS_INIT;
	mm_toolchain_link_options(job->toolchain, &more);
	char *linker = mm_strings_join(&more, " ");
	const char *const link[] = { bits, flags->ld, linker, NULL };
	push_setting(argv, "CMAKE_EXE_LINKER_FLAGS", link);
	push_setting(argv, "CMAKE_SHARED_LINKER_FLAGS", link);
	push_setting(argv, "CMAKE_MODULE_LINKER_FLAGS", link);
	free(linker);
	mm_strings_release(&more);
}

static void push_tool(struct mm_strings *argv, const char *variable, const char *path)
{
	if (path)
		mm_strings_pushf(argv, "-D%s=%s", variable, path);
}

static void push_tools(const struct mm_toolchain *toolchain, struct mm_strings *argv)
{
	push_tool(argv, "CMAKE_C_COMPILER", toolchain->cc);
	push_tool(argv, "CMAKE_CXX_COMPILER", toolchain->cxx);
	push_tool(argv, "CMAKE_AR", toolchain->ar);
	push_tool(argv, "CMAKE_C_COMPILER_AR", toolchain->ar);
	push_tool(argv, "CMAKE_CXX_COMPILER_AR", toolchain->ar);
	push_tool(argv, "CMAKE_RANLIB", toolchain->ranlib);
	push_tool(argv, "CMAKE_C_COMPILER_RANLIB", toolchain->ranlib);
	push_tool(argv, "CMAKE_CXX_COMPILER_RANLIB", toolchain->ranlib);
	push_tool(argv, "CMAKE_NM", toolchain->nm);
}

void mm_cmake_arguments(const struct mm_job *job, struct mm_strings *argv)
{
	mm_strings_push(argv, "cmake");
	mm_strings_push(argv, "-G");
	mm_strings_push(argv, "Ninja");
	mm_strings_push(argv, "-S");
	mm_strings_push(argv, job->tree.folder);
	mm_strings_push(argv, "-B");
	mm_strings_push(argv, job->build_tree);
	mm_strings_push(argv, "--no-warn-unused-cli");
	mm_strings_push(argv, "-DCMAKE_BUILD_TYPE=RelWithDebInfo");
	mm_strings_push(argv, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
	mm_strings_push(argv, "-DFETCHCONTENT_FULLY_DISCONNECTED=ON");
	push_flags(job, argv);
	for (const char *const *option = job->profile->options; *option; option++)
		mm_strings_push(argv, *option);
	mm_sysroot_cmake(&job->overlay, argv);
	mm_strings_extend(argv, &job->options);
	/* last, since no option may take the build out of its prefix or to another compiler */
	push_tools(job->toolchain, argv);
	mm_strings_pushf(argv, "-DCMAKE_INSTALL_PREFIX=%s", job->build->prefix);
}

int mm_cmake_configure(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	mm_cmake_arguments(job, &argv);
	int code = mm_job_run(job, &argv, err);
	mm_strings_release(&argv);
	return code;
}

int mm_cmake_compile(struct mm_job *job, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	const struct mm_strings *targets = &job->cell->source->build.targets;
	mm_strings_push(&argv, "ninja");
	mm_strings_push(&argv, "-C");
	mm_strings_push(&argv, job->build_tree);
	mm_strings_pushf(&argv, "-j%d", job->store->jobs > 0 ? job->store->jobs : 1);
	mm_strings_extend(&argv, targets);
	for (const char *const *target = job->profile->targets; !targets->count && target && *target; target++)
		mm_strings_push(&argv, *target);
	int code = mm_job_run(job, &argv, err);
	mm_strings_release(&argv);
	return code;
}

static int install_step(struct mm_job *job, const struct mm_install_step *step, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	mm_strings_push(&argv, "cmake");
	mm_strings_pushf(&argv, "-DCMAKE_INSTALL_PREFIX=%s", job->build->prefix);
	mm_strings_pushf(&argv, "-DCMAKE_INSTALL_COMPONENT=%s", step->component);
	mm_strings_push(&argv, "-DCMAKE_INSTALL_LOCAL_ONLY=1");
	mm_strings_push(&argv, "-P");
	mm_strings_pushf(&argv, "%s/%s/cmake_install.cmake", job->build_tree, step->folder);
	int code = mm_job_run(job, &argv, err);
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

int mm_cmake_install(struct mm_job *job, struct mm_error *err)
{
	const struct mm_profile *profile = job->profile;
	if (!profile->steps || mm_strings_contain(&job->cell->source->build.targets, "all"))
		return install_everything(job, err);
	int code = 0;
	for (const struct mm_install_step *step = profile->steps; !code && step->folder; step++)
		code = install_step(job, step, err);
	for (const char *const *helper = profile->helpers; !code && helper && *helper; helper++)
		code = install_helper(job, *helper, err);
	return code;
}
