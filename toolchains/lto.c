#include "toolchains/lto.h"

#include "base/fs.h"
#include "base/memory.h"

static bool asks(const char *words)
{
	struct mm_strings list = MM_STRINGS_INIT;
	bool asked = false;
	mm_strings_split(&list, words);
	for (size_t i = 0; i < list.count; i++) {
		if (strncmp(list.items[i], "-flto", 5) == 0)
			asked = true;
		else if (strcmp(list.items[i], "-fno-lto") == 0)
			asked = false;
	}
	mm_strings_release(&list);
	return asked;
}

bool mm_lto_is_asked(const struct mm_flag_words *flags)
{
	return asks(flags->c) || asks(flags->cxx);
}

char *mm_lto_tool_name(enum mm_family family, const char *cc, const char *tool)
{
	const char *driver = family == MM_FAMILY_CLANG ? "clang" : "gcc";
	const char *base = mm_path_base(cc), *at = strstr(base, driver);
	const char *suffix = at ? at + strlen(driver) : "";
	if (family == MM_FAMILY_CLANG)
		return mm_format("llvm-%s%s", tool, *suffix == '-' ? suffix : "");
	/* a cross compiler's prefix and a version's suffix stay: x86_64-linux-gnu-gcc-ar-12 */
	return mm_format("%.*sgcc-%s%s", at ? (int)(at - base) : 0, base, tool, *suffix == '-' ? suffix : "");
}

/* Beside the compiler, else along PATH. */
static int find(const struct mm_toolchain *toolchain, const char *tool, char **path, struct mm_error *err)
{
	char *name = mm_lto_tool_name(toolchain->spec->family, toolchain->cc, tool);
	char *folder = mm_path_folder(toolchain->cc);
	char *beside = mm_path_join(folder, name);
	int code = 0;
	*path = mm_fs_find_program(beside);
	if (!*path)
		*path = mm_fs_find_program(name);
	if (!*path)
		code = mm_error_set(err, MM_ECELL,
				    "link-time optimisation needs '%s', which is neither beside '%s' nor along "
				    "PATH: install it (Debian: the package '%s'), or name another one as \"%s\"",
				    name, toolchain->cc, toolchain->spec->family == MM_FAMILY_CLANG ? "llvm" : "gcc",
				    tool);
	free(beside);
	free(folder);
	free(name);
	return code;
}

int mm_lto_tools(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags, char **ar, char **ranlib,
		 char **nm, struct mm_error *err)
{
	bool asked = toolchain->spec->family != MM_FAMILY_SUNSTUDIO && mm_lto_is_asked(flags);
	struct {
		const char *tool, *own;
		char **to;
	} tools[] = { { "ar", toolchain->ar, ar },
		      { "ranlib", toolchain->ranlib, ranlib },
		      { "nm", toolchain->nm, nm } };
	int code = 0;
	for (size_t i = 0; i < 3; i++)
		*tools[i].to = mm_strdup(tools[i].own);
	for (size_t i = 0; !code && asked && i < 3; i++)
		if (!*tools[i].to)
			code = find(toolchain, tools[i].tool, tools[i].to, err);
	return code;
}
