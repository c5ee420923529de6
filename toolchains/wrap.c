#include "toolchains/wrap.h"

#include <errno.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/own-program.h"
#include "toolchains/lto.h"
#include "toolchains/wrapper/config.h"

#define WRAPPER "mymatrix-cc"
#define LOG     "log"

static char *find_wrapper(struct mm_error *err)
{
	char *path = mm_own_helper(WRAPPER);
	if (!path)
		(void)mm_error_set(err, MM_EENV,
				   "cannot find the compiler wrapper '" WRAPPER "' beside mymatrix or in its libexec "
				   "folder: install mymatrix whole");
	return path;
}

/* A link NAME in FOLDER to TARGET, replacing what is there. */
static int link_to(const char *target, const char *folder, const char *name, char **path, struct mm_error *err)
{
	*path = mm_path_join(folder, name);
	if (unlink(*path) && errno != ENOENT)
		return mm_error_errno(err, "cannot remove '%s'", *path);
	if (symlink(target, *path))
		return mm_error_errno(err, "cannot make the link '%s'", *path);
	return 0;
}

static int write_config(const struct mm_wrap_request *request, const char *folder, const char *log,
			struct mm_error *err)
{
	const struct mm_toolchain *toolchain = request->toolchain;
	const char *bits = mm_toolchain_bits_option(toolchain, request->bits);
	struct mm_wrapper_config config = { .cc = toolchain->cc, .cxx = toolchain->cxx, .log = NULL };
	struct mm_buffer text = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, MM_WRAPPER_CONFIG);
	if (toolchain->spec->family == MM_FAMILY_SUNSTUDIO)
		config.dialect = MM_DIALECT_STUDIO;
	config.bits = *bits ? mm_strdup(bits) : NULL;
	config.log = mm_strdup(log);
	config.jobs = mm_strdup(request->jobs);
	config.enforce = request->enforce == MM_ENFORCE_LEVEL;
	if (config.enforce) {
		mm_strings_split(&config.c, request->flags->c);
		mm_strings_split(&config.cxx_words, request->flags->cxx);
		mm_strings_split(&config.cpp, request->flags->cpp);
		mm_strings_split(&config.ld, request->flags->ld);
		mm_toolchain_link_options(toolchain, &config.ld);
	}
	int code = mm_wrapper_config_write(&config, &text, err);
	if (!code)
		code = mm_fs_write_atomic(path, mm_buffer_text(&text), text.length, err);
	config.cc = config.cxx = NULL; /* the toolchain's */
	mm_wrapper_config_release(&config);
	mm_buffer_release(&text);
	free(path);
	return code;
}

/*
 * Scripts of a tree call compilers along PATH, by whatever name: each is the cell's, also "g++" of a clang cell. Names
 * with the toolchain's own version or prefix come from the toolchain.
 */
static int link_names(const char *target, const char *folder, const struct mm_toolchain *toolchain,
		      struct mm_error *err)
{
	static const char *const gnu[] = { "cc", "c++", "gcc", "g++", "clang", "clang++" };
	static const char *const studio[] = { "cc", "CC" };
	bool is_studio = toolchain->spec->family == MM_FAMILY_SUNSTUDIO;
	size_t count = is_studio ? sizeof studio / sizeof *studio : sizeof gnu / sizeof *gnu;
	int code = 0;
	for (size_t i = 0; !code && i < count; i++) {
		char *path;
		code = link_to(target, folder, is_studio ? studio[i] : gnu[i], &path, err);
		free(path);
	}
	return code;
}

/*
 * The link that the build is given for the compiler PROGRAM. Trees look at the name of what they are given ("*gcc*"),
 * so that is the own one, unless it says the other language: GENERIC then.
 */
static int link_compiler(const char *target, const char *folder, const char *program, const char *generic, bool cxx,
			 char **path, struct mm_error *err)
{
	const char *name = mm_path_base(program);
	if (mm_driver_is_cxx(name) != cxx || strcmp(name, MM_WRAPPER_CONFIG) == 0 || strcmp(name, LOG) == 0)
		name = generic;
	return link_to(target, folder, name, path, err);
}

int mm_wrap(const struct mm_wrap_request *request, const char *folder, struct mm_wrapped *wrapped, struct mm_error *err)
{
	const struct mm_toolchain *toolchain = request->toolchain;
	const char *cxx = toolchain->spec->family == MM_FAMILY_SUNSTUDIO ? "CC" : "c++";
	*wrapped = (struct mm_wrapped){ 0 };
	char *wrapper = find_wrapper(err);
	int code = wrapper ? mm_fs_mkdirs(folder, 0755, err) : MM_EENV;
	wrapped->log = mm_path_join(folder, LOG);
	if (!code)
		code = write_config(request, folder, wrapped->log, err);
	if (!code)
		code = link_names(wrapper, folder, toolchain, err);
	if (!code)
		code = link_compiler(wrapper, folder, toolchain->cc, "cc", false, &wrapped->cc, err);
	if (!code)
		code = link_compiler(wrapper, folder, toolchain->cxx, cxx, true, &wrapped->cxx, err);
	if (!code)
		code = mm_lto_tools(toolchain, request->flags, &wrapped->ar, &wrapped->ranlib, &wrapped->nm, err);
	free(wrapper);
	return code;
}

void mm_wrapped_release(struct mm_wrapped *wrapped)
{
	free(wrapped->cc);
	free(wrapped->cxx);
	free(wrapped->ar);
	free(wrapped->ranlib);
	free(wrapped->nm);
	free(wrapped->log);
	*wrapped = (struct mm_wrapped){ 0 };
}
