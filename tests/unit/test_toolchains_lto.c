/* Link-time optimisation: is it asked for, and which archiver reads its objects? */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/lto.h"

static void test_names(void **state)
{
	static const struct {
		enum mm_family family;
		const char *cc, *name;
	} cases[] = {
		{ MM_FAMILY_GCC, "/usr/bin/gcc", "gcc-ar" },
		{ MM_FAMILY_GCC, "/usr/bin/gcc-12", "gcc-ar-12" },
		{ MM_FAMILY_GCC, "/x/x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-gcc-ar-12" },
		{ MM_FAMILY_GCC, "/usr/bin/cc", "gcc-ar" },
		{ MM_FAMILY_CLANG, "/usr/bin/clang", "llvm-ar" },
		{ MM_FAMILY_CLANG, "/usr/bin/clang-14", "llvm-ar-14" },
		{ MM_FAMILY_CLANG, "/usr/bin/clang++", "llvm-ar" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *name = mm_lto_tool_name(cases[i].family, cases[i].cc, "ar");
		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

static bool asked(const char *c)
{
	char *words = mm_strdup(c), none[] = "";
	const struct mm_flag_words flags = { words, none, none, none };
	bool result = mm_lto_is_asked(&flags);
	free(words);
	return result;
}

static void test_asked(void **state)
{
	(void)state;
	assert_true(asked("-O2 -flto"));
	assert_true(asked("-flto=thin"));
	assert_false(asked("-O2"));
	assert_false(asked("-flto -fno-lto"));
	assert_false(asked("-Wno-lto-type-mismatch -DX=-flto"));
}

static void touch_program(const char *folder, const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name);
	assert_int_equal(mm_fs_write_atomic(path, "#!/bin/sh\n", 10, &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

/* Beside the compiler comes first; the user's own wins; what is missing is named with its remedy. */
static void test_tools(void **state)
{
	char folder[] = "/tmp/mm-lto-XXXXXX", words[] = "-flto", none[] = "", name[] = "tc";
	struct mm_flag_words flags = { words, words, none, none };
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC };
	struct mm_toolchain toolchain = { .spec = &spec };
	struct mm_error err = MM_ERROR_INIT;
	char *ar, *ranlib, *nm, own[] = "/own/nm";
	(void)state;
	assert_non_null(mkdtemp(folder));
	toolchain.cc = mm_path_join(folder, "odd-gcc-7");
	toolchain.nm = own;
	touch_program(folder, "odd-gcc-ar-7");
	assert_int_equal(mm_lto_tools(&toolchain, &flags, &ar, &ranlib, &nm, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "'odd-gcc-ranlib-7'"));
	assert_non_null(strstr(err.text, "as \"ranlib\""));
	free(ar);
	free(ranlib);
	free(nm);
	touch_program(folder, "odd-gcc-ranlib-7");
	mm_error_clear(&err);
	assert_int_equal(mm_lto_tools(&toolchain, &flags, &ar, &ranlib, &nm, &err), 0);
	char *expected = mm_path_join(folder, "odd-gcc-ar-7");
	assert_string_equal(ar, expected);
	assert_string_equal(nm, "/own/nm");
	free(expected);
	free(ar);
	free(ranlib);
	free(nm);
	/* without link-time optimisation the tree may choose */
	flags.c = flags.cxx = none;
	assert_int_equal(mm_lto_tools(&toolchain, &flags, &ar, &ranlib, &nm, &err), 0);
	assert_null(ar);
	assert_null(ranlib);
	free(nm);
	free(toolchain.cc);
	assert_int_equal(mm_fs_remove_tree(folder, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_tools),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
