/* Compilers: found, asked what they are, tried out. The real gcc of this machine, and stand-ins for what can be wrong.
 */
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
#include "toolchains/toolchain.h"

static char folder[] = "/tmp/mm-toolchain-XXXXXX";
static char *probe_folder;

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	probe_folder = mm_path_join(folder, "probe");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(probe_folder);
	return mm_fs_remove_tree(folder, NULL);
}

/* A program that answers --version with BANNER and everything else with OUTPUT and STATUS. Allocated path. */
static char *stand_in(const char *name, const char *banner, const char *version, const char *output, int status)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name);
	char *text = mm_format("#!/bin/sh\ncase $1 in\n--version) cat <<'E'\n%s\nE\n;;\n"
			       "-dumpfullversion) echo %s;;\n-dumpmachine) echo x86_64-linux-gnu;;\n"
			       "-print-prog-name=*) echo \"${1#*=}\";;\n*) cat >&2 <<'E'\n%s\nE\nexit %d;;\nesac\n",
			       banner, version, output, status);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(text);
	return path;
}

/* A program that is gcc in its answers and hangs when it is asked for HANGS (a pattern of sh). Allocated path. */
static char *hanging(const char *name, const char *hangs)
{
	char *path = mm_path_join(folder, name);
	char *text = mm_format("#!/bin/sh\ncase $1 in\n%s) trap 'exit 0' TERM; sleep 1000 & wait;;\n"
			       "--version) echo 'gcc 12 Free Software Foundation';;\n-dumpfullversion) echo 12.2.0;;\n"
			       "-dumpmachine) echo x86_64-linux-gnu;;\n-print-prog-name=*) echo \"${1#*=}\";;\nesac\n",
			       hangs);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), NULL), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(text);
	return path;
}

#define GCC   "gcc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc."
#define CLANG "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu"

static void assert_open_fails(enum mm_family family, const char *cc, const char *cxx, const char *said)
{
	char *c = mm_strdup(cc), *cpp = mm_strdup(cxx), name[] = "tc";
	struct mm_toolchain_spec spec = { .name = name, .family = family, .cc = c, .cxx = cpp };
	struct mm_toolchain *toolchain = NULL;
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), MM_ECELL);
	assert_null(toolchain);
	if (!strstr(err.text, said) || strncmp(err.text, "toolchain 'tc': ", 16) != 0)
		fail_msg("'%s' is not in: %s", said, err.text);
	free(c);
	free(cpp);
}

static void test_wrong_programs(void **state)
{
	(void)state;
	char *gcc = stand_in("some-gcc", GCC, "12.2.0", "", 0), *clang = stand_in("some-clang", CLANG, "4.2.1", "", 0);
	char *older = stand_in("older-gcc", "gcc 11.1.0\nFree Software Foundation", "11.1.0", "", 0);
	char *other = stand_in("other", "tcc version 0.9.27", "0.9.27", "", 0);
	char *broken = stand_in("broken", "", "", "cannot", 1);
	assert_open_fails(MM_FAMILY_GCC, "no-such-compiler", gcc, "Debian: the package 'gcc'");
	assert_open_fails(MM_FAMILY_GCC, gcc, "no-such-compiler", "Debian: the package 'g++'");
	assert_open_fails(MM_FAMILY_GCC, "/nonexistent/gcc", gcc, "there is no program '/nonexistent/gcc'");
	assert_open_fails(MM_FAMILY_GCC, gcc, clang, "is of family 'clang', not 'gcc'");
	assert_open_fails(MM_FAMILY_CLANG, gcc, clang, "is of family 'gcc', not 'clang'");
	assert_open_fails(MM_FAMILY_GCC, gcc, older, "version 11.1.0");
	assert_open_fails(MM_FAMILY_GCC, gcc, other, "neither gcc nor clang, it says 'tcc version 0.9.27'");
	assert_open_fails(MM_FAMILY_GCC, broken, gcc, "neither gcc nor clang");
	assert_open_fails(MM_FAMILY_SUNSTUDIO, gcc, gcc, "is no Studio compiler");
	free(gcc);
	free(clang);
	free(older);
	free(other);
	free(broken);
}

static void open_stand_ins(const char *cc, const char *cxx, struct mm_toolchain_spec *spec,
			   struct mm_toolchain **toolchain)
{
	static char name[] = "tc";
	struct mm_error err = MM_ERROR_INIT;
	*spec = (struct mm_toolchain_spec){ .name = name, .cc = mm_strdup(cc), .cxx = mm_strdup(cxx) };
	if (mm_toolchain_open(spec, toolchain, &err))
		fail_msg("%s", err.text);
}

static void close_stand_ins(struct mm_toolchain_spec *spec, struct mm_toolchain *toolchain)
{
	mm_toolchain_free(toolchain);
	free(spec->cc);
	free(spec->cxx);
}

/* The identity is of the programs' contents: another program, another identity; the same ones, the same. */
static void test_identity(void **state)
{
	(void)state;
	struct mm_toolchain_spec spec;
	struct mm_toolchain *toolchain;
	char first[65], second[65];
	for (int round = 0; round < 3; round++) {
		char *gcc = stand_in("gcc", GCC, "12.2.0", round == 2 ? "patched" : "", 0);
		open_stand_ins(gcc, gcc, &spec, &toolchain);
		assert_string_equal(toolchain->version, "12.2.0");
		assert_string_equal(toolchain->banner, "gcc (Debian 12.2.0-14) 12.2.0");
		assert_string_equal(toolchain->target, "x86_64-linux-gnu");
		assert_int_equal(strlen(toolchain->identity), 64);
		if (round == 0)
			memcpy(first, toolchain->identity, sizeof first);
		memcpy(second, toolchain->identity, sizeof second);
		assert_true((strcmp(first, second) == 0) == (round < 2));
		close_stand_ins(&spec, toolchain);
		free(gcc);
	}
}

static const struct {
	int bits;
	const char *output, *complaint, *hint;
} failures[] = {
	{ 32, "In file included from x\n/usr/include/gnu/stubs.h:7: fatal error: gnu/stubs-32.h: No such file",
	  "stubs-32.h", "'gcc-multilib'" },
	{ 32, "ld: skipping incompatible libgcc.a when searching for -lgcc\nld: cannot find -lgcc", "cannot find -lgcc",
	  "'gcc-multilib'" },
	{ 64, "cc: error: unrecognized command-line option '-m64'", "'-m64'", "native" },
	{ 64, "cc: error: unrecognized command-line option '-fno-such'", "-fno-such", "flag set" },
	{ 64, "p.c:1:10: fatal error: stdio.h: No such file or directory", "stdio.h", "'libc6-dev'" },
	{ 64, "strange", "strange", "tried: " },
};

/* A compiler that hangs does not stop us for ever, not even one that calls it a success when it is ended. */
static void test_hanging_compilers(void **state)
{
	(void)state;
	char *asked = hanging("hangs-asked", "--version"), *probed = hanging("hangs-probed", "-m64|-o|-O2");
	char name[] = "tc", o2[] = "-O2", none[] = "";
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC, .cc = probed, .cxx = probed };
	const struct mm_flag_words flags = { .c = o2, .cxx = o2, .cpp = none, .ld = none };
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	mm_toolchain_patience = 1;
	assert_open_fails(MM_FAMILY_GCC, asked, asked, "timed out");
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), 0);
	assert_int_equal(mm_toolchain_probe(toolchain, 64, &flags, probe_folder, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "timed out"));
	mm_toolchain_free(toolchain);
	mm_toolchain_patience = 60;
	free(asked);
	free(probed);
}

static void test_probe_failures(void **state)
{
	(void)state;
	char empty[] = "", level[] = "-O2 -fno-such";
	const struct mm_flag_words flags = { .c = level, .cxx = level, .cpp = empty, .ld = empty };
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		struct mm_toolchain_spec spec;
		struct mm_toolchain *toolchain;
		struct mm_error err = MM_ERROR_INIT;
		char *gcc = stand_in("gcc", GCC, "12.2.0", failures[i].output, 1);
		open_stand_ins(gcc, gcc, &spec, &toolchain);
		assert_int_equal(mm_toolchain_probe(toolchain, failures[i].bits, &flags, probe_folder, &err), MM_ECELL);
		if (!strstr(err.text, failures[i].complaint) || !strstr(err.text, failures[i].hint) ||
		    !strstr(err.text, "-O2 -fno-such"))
			fail_msg("'%s' or '%s' is not in: %s", failures[i].complaint, failures[i].hint, err.text);
		assert_false(mm_fs_exists(probe_folder));
		close_stand_ins(&spec, toolchain);
		free(gcc);
	}
}

/* A compiler that reports success and makes nothing is found out, since the program is run. */
static void test_probe_runs_the_program(void **state)
{
	(void)state;
	char empty[] = "";
	const struct mm_flag_words flags = { .c = empty, .cxx = empty, .cpp = empty, .ld = empty };
	struct mm_toolchain_spec spec;
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	char *gcc = stand_in("gcc", GCC, "12.2.0", "", 0);
	open_stand_ins(gcc, gcc, &spec, &toolchain);
	assert_int_equal(mm_toolchain_probe(toolchain, MM_BITS_NATIVE, &flags, probe_folder, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "cannot be started here"));
	close_stand_ins(&spec, toolchain);
	free(gcc);
}

static void test_real_gcc(void **state)
{
	(void)state;
	struct mm_toolchain_spec spec;
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	char empty[] = "", level[] = "-O2", wrong[] = "-O2 -fno-such-flag-at-all";
	struct mm_flag_words flags = { .c = level, .cxx = level, .cpp = empty, .ld = level };
	open_stand_ins("gcc", "g++", &spec, &toolchain);
	assert_true(toolchain->cc[0] == '/' && toolchain->cxx[0] == '/');
	assert_true(toolchain->version[0] >= '1' && toolchain->version[0] <= '9');
	assert_string_equal(mm_toolchain_bits_option(toolchain, 32), "-m32");
	assert_string_equal(mm_toolchain_bits_option(toolchain, MM_BITS_NATIVE), "");
	if (mm_toolchain_probe(toolchain, MM_BITS_NATIVE, &flags, probe_folder, &err))
		fail_msg("%s", err.text);
	/* with the multilib packages this works, without them the error must name them */
	if (mm_toolchain_probe(toolchain, 32, &flags, probe_folder, &err) && !strstr(err.text, "multilib") &&
	    !strstr(err.text, "\"native\""))
		fail_msg("%s", err.text);
	mm_error_clear(&err);
	flags.cxx = wrong;
	assert_int_equal(mm_toolchain_probe(toolchain, MM_BITS_NATIVE, &flags, probe_folder, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "-fno-such-flag-at-all"));
	assert_non_null(strstr(err.text, "C++ program"));
	close_stand_ins(&spec, toolchain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_programs), cmocka_unit_test(test_identity),
		cmocka_unit_test(test_hanging_compilers), cmocka_unit_test(test_probe_failures), cmocka_unit_test(test_probe_runs_the_program),
		cmocka_unit_test(test_real_gcc),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
