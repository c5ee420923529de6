#include "toolchains/library.h"

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"

enum { TRY_SECONDS = 120 };

static const struct mm_library libraries[] = {
	{ "curses", "curses.h", "", "-lncurses", false, false, "MySQL and MariaDB" },
	{ "openssl", "openssl/ssl.h", "", "-lssl -lcrypto", false, false, "MySQL; MariaDB brings another one" },
	{ "pcre2", "pcre2.h", "#define PCRE2_CODE_UNIT_WIDTH 8\n", "-lpcre2-8", false, false,
	  "MariaDB 10.6 and later, which would download it" },
	{ "fmt", "fmt/core.h", "", "-lfmt", true, false, "MariaDB 10.7 and later, which would download it" },
	{ "zlib", "zlib.h", "", "-lz", false, true, "all of them; they bring a copy" },
	{ NULL, NULL, NULL, NULL, false, false, NULL },
};

const struct mm_library *mm_libraries(void)
{
	return libraries;
}

static int compile(const struct mm_toolchain *toolchain, int bits, const struct mm_library *library, const char *source,
		   const char *folder, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT, env = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	const char *option = mm_toolchain_bits_option(toolchain, bits);
	mm_strings_push(&argv, library->cxx ? toolchain->cxx : toolchain->cc);
	if (*option)
		mm_strings_push(&argv, option);
	mm_strings_push(&argv, source);
	mm_strings_push(&argv, "-o");
	mm_strings_push(&argv, "library");
	mm_toolchain_link_options(toolchain, &argv);
	mm_strings_split(&argv, library->link);
	mm_process_clean_env(&env, folder);
	struct mm_process_spec spec = { .argv = argv.items,
					.env = env.items,
					.cwd = folder,
					.output = &output,
					.timeout_seconds = TRY_SECONDS };
	int code = mm_process_run(&spec, &result, err);
	mm_strings_release(&argv);
	mm_strings_release(&env);
	mm_buffer_release(&output);
	return code ? code : result.exit_status == 0;
}

int mm_toolchain_has_library(const struct mm_toolchain *toolchain, int bits, const struct mm_library *library,
			     const char *folder, struct mm_error *err)
{
	char *text = mm_format("%s#include <%s>\nint main(void) { return 0; }\n", library->defines, library->header);
	char *source = mm_path_join(folder, library->cxx ? "library.cc" : "library.c");
	struct mm_error cleaning = MM_ERROR_INIT;
	int code = mm_fs_mkdirs(folder, 0755, err);
	if (!code)
		code = mm_fs_write_atomic(source, text, strlen(text), err);
	if (!code)
		code = compile(toolchain, bits, library, source, folder, err);
	(void)mm_fs_remove_tree(folder, &cleaning);
	free(source);
	free(text);
	return code;
}
