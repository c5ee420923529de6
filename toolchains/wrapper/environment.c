#include "toolchains/wrapper/environment.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const options[] = {
	/* gcc's driver: where its parts are, and a second compilation of everything */
	"GCC_EXEC_PREFIX",
	"COMPILER_PATH",
	"GCC_ROOT",
	"BINUTILS_ROOT",
	"GCC_COMPARE_DEBUG",
	/* clang's: edits of the command line, under its names over time; its configuration file */
	"CCC_OVERRIDE_OPTIONS",
	"CCC_ADD_ARGS",
	"QA_OVERRIDE_GCC3_OPTIONS",
	"CLANG_NO_DEFAULT_CONFIG",
	"CL",
	"_CL_",
	/* GNU ld's */
	"LDEMULATION",
	"GNUTARGET",
	/* a cache in the place of a compiler */
	"CCACHE_COMPILER",
	"CCACHE_PREFIX",
	"CCACHE_PREFIX_CPP",
};

/* PATH without FOLDER: PATH itself, which only becomes shorter, is written over. */
static void leave_path(char *path, const char *folder)
{
	size_t length = strlen(folder);
	char *to = path;
	for (const char *at = path; *at;) {
		size_t part = strcspn(at, ":"), whole = part + (at[part] == ':');
		if (part != length || memcmp(at, folder, length) != 0) {
			memmove(to, at, whole);
			to += whole;
		}
		at += whole;
	}
	*to = '\0';
}

void mm_environment_clean(const char *folder)
{
	const char *given = getenv("PATH");
	char *path = given ? mm_strdup(given) : NULL;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		(void)unsetenv(options[i]);
	if (!path)
		return;
	leave_path(path, folder);
	(void)setenv("PATH", path, 1);
	free(path);
}
