/* What cmake is told, and in which order. */
#include <ctype.h>

#include "base/fs.h"
#include "base/memory.h"
#include "builders/cmake.h"

/* The words of all parts with one space between them, whichever are empty. */
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

/* The value of the last "-DNAME=value" or "-DNAME:TYPE=value" in OPTIONS; borrowed, FALLBACK when there is none. */
static const char *defined_value(const struct mm_strings *options, const char *name, const char *fallback)
{
	size_t length = strlen(name);
	for (size_t i = options->count; i-- > 0;) {
		const char *option = options->items[i];
		if (strncmp(option, "-D", 2) != 0 || strncmp(option + 2, name, length) != 0)
			continue;
		const char *rest = option + 2 + length;
		const char *equals = strchr(rest, '=');
		if (equals && (*rest == '=' || *rest == ':'))
			return equals + 1;
	}
	return fallback;
}

/* The build type in capitals, as the names of its variables have it. Allocated. */
static char *build_type(const struct mm_job *job)
{
	char *type = mm_strdup(defined_value(&job->options, "CMAKE_BUILD_TYPE", "RelWithDebInfo"));
	for (char *c = type; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return type;
}

struct language_flags {
	const char *const *all, *const *type; /* NULL-terminated lists of words */
};

static void push_language(struct mm_strings *argv, const char *language, const char *type,
			  const struct language_flags *flags)
{
	char *name = mm_format("CMAKE_%s_FLAGS", language);
	push_setting(argv, name, flags->all);
	if (flags->type && *type) {
		char *of_type = mm_format("%s_%s", name, type);
		push_setting(argv, of_type, flags->type);
		free(of_type);
	}
	free(name);
}

static void push_link_flags(const struct mm_job *job, struct mm_strings *argv)
{
	struct mm_strings more = MM_STRINGS_INIT;
	mm_toolchain_link_options(job->toolchain, &more);
	char *linker = mm_strings_join(&more, " ");
	const char *const words[] = { job->flags.ld, linker, NULL };
	push_setting(argv, "CMAKE_EXE_LINKER_FLAGS", words);
	push_setting(argv, "CMAKE_SHARED_LINKER_FLAGS", words);
	push_setting(argv, "CMAKE_MODULE_LINKER_FLAGS", words);
	free(linker);
	mm_strings_release(&more);
}

/*
 * The cell's words stand on no line here: the wrapper adds them to every call, in the tries of the configuration as
 * well, behind whatever the tree says. Here is what the profiles need, and NDEBUG for the type's own flags, as every
 * build type but Debug defines it: without it assertions would be measured, and with CMake's own "-O2 -g" debug
 * information that nobody asked for would be made. With "enforce": "none" the cell's words are handed to the tree,
 * which keeps the flags of its type.
 */
static void push_flags(const struct mm_job *job, struct mm_strings *argv)
{
	static char none[] = "";
	static const struct mm_flag_words nothing = { none, none, none, none };
	bool settle = job->cell->flags->enforce == MM_ENFORCE_LEVEL;
	const struct mm_flag_words *flags = settle ? &nothing : &job->flags;
	char *type = build_type(job), *cpp = mm_strings_join(&job->recipe.cpp, " ");
	char *c = mm_strings_join(&job->recipe.c, " "), *cxx = mm_strings_join(&job->recipe.cxx, " ");
	const char *assertions = strcmp(type, "DEBUG") == 0 ? "" : "-DNDEBUG";
	const char *const c_all[] = { cpp, c, flags->cpp, flags->c, NULL };
	const char *const type_words[] = { assertions, NULL };
	const char *const cxx_all[] = { cpp, cxx, flags->cpp, flags->cxx, NULL };
	const struct language_flags of_c = { c_all, settle ? type_words : NULL };
	const struct language_flags of_cxx = { cxx_all, settle ? type_words : NULL };
	push_language(argv, "C", type, &of_c);
	push_language(argv, "CXX", type, &of_cxx);
	if (!settle)
		push_link_flags(job, argv);
	free(cxx);
	free(c);
	free(cpp);
	free(type);
}

static void push_tool(struct mm_strings *argv, const char *variable, const char *path)
{
	if (path)
		mm_strings_pushf(argv, "-D%s=%s", variable, path);
}

static void push_tools(const struct mm_job_tools *tools, struct mm_strings *argv)
{
	push_tool(argv, "CMAKE_C_COMPILER", tools->cc);
	push_tool(argv, "CMAKE_CXX_COMPILER", tools->cxx);
	push_tool(argv, "CMAKE_AR", tools->ar);
	push_tool(argv, "CMAKE_C_COMPILER_AR", tools->ar);
	push_tool(argv, "CMAKE_CXX_COMPILER_AR", tools->ar);
	push_tool(argv, "CMAKE_RANLIB", tools->ranlib);
	push_tool(argv, "CMAKE_C_COMPILER_RANLIB", tools->ranlib);
	push_tool(argv, "CMAKE_CXX_COMPILER_RANLIB", tools->ranlib);
	push_tool(argv, "CMAKE_NM", tools->nm);
}

/* Ninja where it is installed, else make; the user's own -G instead. */
static void push_generator(const struct mm_job *job, struct mm_strings *argv)
{
	for (size_t i = 0; i < job->options.count; i++)
		if (strncmp(job->options.items[i], "-G", 2) == 0)
			return;
	char *ninja = mm_fs_find_program("ninja");
	mm_strings_push(argv, "-G");
	mm_strings_push(argv, ninja ? "Ninja" : "Unix Makefiles");
	free(ninja);
}

/* Options of profiles may name the source: "-DWITH_BOOST=@source@/boost". */
static void push_profile_options(const struct mm_job *job, const char *source, struct mm_strings *argv)
{
	static const char mark[] = "@source@";
	for (size_t i = 0; i < job->recipe.options.count; i++) {
		const char *option = job->recipe.options.items[i], *at = strstr(option, mark);
		if (at)
			mm_strings_pushf(argv, "%.*s%s%s", (int)(at - option), option, source, at + strlen(mark));
		else
			mm_strings_push(argv, option);
	}
}

void mm_cmake_arguments(const struct mm_job *job, struct mm_strings *argv)
{
	const char *source = job->own_source ? job->own_source : job->tree.folder;
	mm_strings_push(argv, "cmake");
	push_generator(job, argv);
	mm_strings_push(argv, "-S");
	mm_strings_push(argv, source);
	mm_strings_push(argv, "-B");
	mm_strings_push(argv, job->build_tree);
	mm_strings_push(argv, "--no-warn-unused-cli");
	mm_strings_push(argv, "-DCMAKE_BUILD_TYPE=RelWithDebInfo");
	mm_strings_push(argv, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
	mm_strings_push(argv, "-DFETCHCONTENT_FULLY_DISCONNECTED=ON");
	push_flags(job, argv);
	push_profile_options(job, source, argv);
	mm_sysroot_cmake(&job->overlay, argv);
	mm_strings_extend(argv, &job->options);
	/* last, since no option may take the build out of its prefix or to another compiler */
	push_tools(&job->tools, argv);
	mm_strings_pushf(argv, "-DCMAKE_INSTALL_PREFIX=%s", job->build->prefix);
}
