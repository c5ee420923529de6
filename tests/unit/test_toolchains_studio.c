/*
 * Sun Studio: what its compilers say of themselves, by texts that were recorded; their options; and a pair that
 * stands in for them, found, identified and tried out like any other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/studio.h"
#include "folder-fixture.h"

static void test_banners(void **state)
{
	static const struct {
		const char *text;
		bool cxx;
		unsigned minor;
		const char *suite;
		bool sparc, linux;
		const char *narrow, *wide;
	} cases[] = {
		{ "cc: Sun C 5.8 2005/10/13", false, 0, NULL, false, false, NULL, NULL }, /* no platform */
		{ "cc: Sun C 5.8 SunOS_sparc Patch 121015-06 2007/10/03", false, 8, "11", true, false, "-xarch=v8plus",
		  "-xarch=v9" },
		{ "CC: Sun C++ 5.8 SunOS_i386 Patch 121018-10 2007/02/21", true, 8, "11", false, false, "-xarch=386",
		  "-xarch=amd64" },
		{ "cc: Sun C 5.9 SunOS_i386 Patch 124868-01 2007/07/12", false, 9, "12", false, false, "-m32", "-m64" },
		{ "cc: Sun C 5.9 Linux_i386 Patch 124871-01 2007/07/31\nusage: cc [ options] files.  Use 'cc -flags' "
		  "for "
		  "details",
		  false, 9, "12", false, true, "-m32", "-m64" },
		{ "cc: Sun C 5.10 SunOS_i386 2009/06/03", false, 10, "12.1", false, false, "-m32", "-m64" },
		{ "CC: Sun C++ 5.11 SunOS_sparc 2010/08/13", true, 11, "12.2", true, false, "-m32", "-m64" },
		{ "cc: Sun C 5.12 Linux_i386 2011/11/16", false, 12, "12.3", false, true, "-m32", "-m64" },
		{ "cc: Sun C 5.13 SunOS_i386 2014/10/20", false, 13, "12.4", false, false, "-m32", "-m64" },
		/* the suite's version is not the compiler's */
		{ "cc: Studio 12.5 Sun C 5.14 SunOS_sparc 2016/05/31", false, 14, "12.5", true, false, "-m32", "-m64" },
		{ "CC: Studio 12.6 Sun C++ 5.15 SunOS_sparc 2017/05/30", true, 15, "12.6", true, false, "-m32",
		  "-m64" },
		{ "cc: Sun C 5.16 SunOS_sparc 2030/01/01", false, 16, NULL, true, false, "-m32", "-m64" },
		{ "cc: Sun C 5.7 2005/01/07 SunOS_sparc", false, 0, NULL, false, false, NULL, NULL },
		{ "cc: Sun C 5.9 HP-UX", false, 0, NULL, false, false, NULL, NULL },
		{ "cc: Sun C 6.9 SunOS_sparc", false, 0, NULL, false, false, NULL, NULL },
		{ "cc: Sun C 5. SunOS_sparc", false, 0, NULL, false, false, NULL, NULL },
		{ "cc: Sun C 5.99999999999999999999 SunOS_sparc", false, 0, NULL, false, false, NULL, NULL },
		{ "gcc: error: unrecognized command-line option '-V'", false, 0, NULL, false, false, NULL, NULL },
		{ "", false, 0, NULL, false, false, NULL, NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_studio studio = { 0 };
		struct mm_error err = MM_ERROR_INIT;
		int code = mm_studio_read_banner("/p/cc", cases[i].text, &studio, &err);
		if (!cases[i].minor) {
			if (code != MM_ECELL || !strstr(err.text, "'/p/cc'"))
				fail_msg("'%s' gave %d '%s'", cases[i].text, code, err.text);
			continue;
		}
		if (code)
			fail_msg("%s", err.text);
		assert_int_equal(studio.minor, cases[i].minor);
		assert_int_equal(studio.cxx, cases[i].cxx);
		assert_int_equal(studio.sparc, cases[i].sparc);
		assert_int_equal(studio.linux, cases[i].linux);
		if (cases[i].suite)
			assert_string_equal(studio.suite, cases[i].suite);
		else
			assert_null(studio.suite);
		assert_string_equal(mm_studio_bits_option(&studio, 32), cases[i].narrow);
		assert_string_equal(mm_studio_bits_option(&studio, 64), cases[i].wide);
		assert_string_equal(mm_studio_bits_option(&studio, MM_BITS_NATIVE), "");
	}
}

static int check(unsigned minor, const char *c, const char *cxx, const char *cpp, const char *ld, struct mm_error *err)
{
	struct mm_studio studio = { .minor = minor, .suite = "12.x" };
	struct mm_flag_words flags = { mm_strdup(c), mm_strdup(cxx), mm_strdup(cpp), mm_strdup(ld) };
	mm_error_clear(err);
	int code = mm_studio_check_flags(&studio, &flags, err);
	mm_flag_words_release(&flags);
	return code;
}

static void test_flags(void **state)
{
	/* what MySQL's own release configuration used on Solaris is known */
	static const char x86_c[] = "-m64 -g -mt -fsimple=1 -ftrap=%none -nofstore -xbuiltin=%all -xlibmil -xlibmopt "
				    "-xtarget=generic -xO3";
	static const char x86_cxx[] = "-m64 -g0 -mt -fsimple=1 -ftrap=%none -nofstore -xbuiltin=%all "
				      "-features=no%except -xlibmil -xlibmopt -xtarget=generic -library=stlport4 -xO3";
	static const char sparc_c[] = "-m64 -Xa -xstrconst -mt -xO3";
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	if (check(MM_STUDIO_12, x86_c, x86_cxx, "-DX=1 -I/x", "-mt -R/opt/lib -L/opt/lib -lmtmalloc -m64", &err) ||
	    check(MM_STUDIO_12, sparc_c, "-g0 -mt -library=stlport4", "", "", &err) ||
	    check(MM_STUDIO_12, "-fast -xipo -xprofile=collect:/d", "-fast -noex", "", "-fast -xipo -G", &err))
		fail_msg("%s", err.text);
}

static void test_refused_flags(void **state)
{
	static const struct {
		unsigned minor;
		const char *c, *cxx, *cpp, *ld, *said;
	} cases[] = {
		{ 14, "-O3", "", "", "",
		  "'-O3' is no option of the C compiler of Studio 12.x (Sun C 5.14): write '-xO5'" },
		{ 14, "", "-O2", "", "", "'-O2' is no option of the C++ compiler" },
		{ 14, "-msse2", "", "", "", "write '-xarch=sse2'" },
		{ 14, "-Wall", "", "", "", "gcc's warnings" },
		{ 14, "-fno-omit-frame-pointer", "", "", "", "-xregs=no%frameptr" },
		{ 14, "-fstack-protector", "", "", "", "-xcheck=stkovf" },
		{ 14, "-flto", "", "", "", "'-xipo'" },
		{ 14, "-xO6", "", "", "", "'-xO6'" },
		{ 14, "-xnonsense", "", "", "", "'-xnonsense'" },
		{ 14, "-pipe", "", "", "", "a value of its own" },
		{ 14, "-features=no%except -noex", "", "", "", "'-noex'" }, /* of C++ only */
		{ 14, "", "-Xa", "", "", "'-Xa'" },                         /* of C only */
		{ 14, "", "", "-xO3", "", "the preprocessor" },
		{ 14, "", "", "", "-Wl,-rpath,/x", "'-RFOLDER'" },
		{ 14, "", "", "", "-shared", "'-G'" },
		{ 14, "word", "", "", "", "'word'" },
		{ 14, "-", "", "", "", "'-' is no" },
		{ 14, "-x", "", "", "", "'-x' is no" },
		{ 8, "-m64", "", "", "", "\"bits\": 64" },
		{ 9, "-fPIC", "", "", "", "'-KPIC'" },
		{ 12, "-std=c99", "", "", "", "Studio 12.4" },
		{ 14, "-xO4 -fast", "", "", "", "'-fast' overrides the options before it in '-xO4 -fast'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mm_error err = MM_ERROR_INIT;
		if (check(cases[i].minor, cases[i].c, cases[i].cxx, cases[i].cpp, cases[i].ld, &err) != MM_ECELL ||
		    !strstr(err.text, cases[i].said))
			fail_msg("'%s' is not in: %s", cases[i].said, err.text);
	}
}

/* A pair of links to the stand-in that plays ROLE, opened as a toolchain; NULL with the error in ERR. */
static struct mm_toolchain *open_pair(const char *role, struct mm_toolchain_spec *spec, struct mm_error *err)
{
	static char name[] = "studio";
	struct mm_toolchain *toolchain = NULL;
	char *file = mm_path_join(folder, "standin");
	*spec = (struct mm_toolchain_spec){ .name = name, .family = MM_FAMILY_SUNSTUDIO };
	spec->cc = mm_path_join(folder, "cc");
	spec->cxx = mm_path_join(folder, "CC");
	(void)unlink(spec->cc);
	(void)unlink(spec->cxx);
	assert_int_equal(symlink(MM_STUDIO_STANDIN, spec->cc), 0);
	assert_int_equal(symlink(MM_STUDIO_STANDIN, spec->cxx), 0);
	assert_int_equal(mm_fs_write_atomic(file, role, strlen(role), err), 0);
	free(file);
	return mm_toolchain_open(spec, &toolchain, err) ? NULL : toolchain;
}

static void close_pair(struct mm_toolchain *toolchain, struct mm_toolchain_spec *spec)
{
	mm_toolchain_free(toolchain);
	free(spec->cc);
	free(spec->cxx);
}

static void test_pair(void **state)
{
	static const struct {
		const char *role, *version, *target, *bits;
	} roles[] = { { "5.8 SunOS_i386\n", "5.8", "SunOS_i386", "-xarch=amd64" },
		      { "5.9 SunOS_sparc\n", "5.9", "SunOS_sparc", "-m64" },
		      { "5.15 Linux_i386\n", "5.15", "Linux_i386", "-m64" } };
	char xO4[] = "-xO4 -mt", none[] = "", mt[] = "-mt", gnu[] = "-O3";
	struct mm_flag_words good = { xO4, xO4, none, mt }, bad = { gnu, gnu, none, none };
	char *probe = mm_path_join(folder, "probe");
	(void)state;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		struct mm_toolchain_spec spec;
		struct mm_error err = MM_ERROR_INIT;
		struct mm_toolchain *toolchain = open_pair(roles[i].role, &spec, &err);
		if (!toolchain)
			fail_msg("%s", err.text);
		assert_string_equal(toolchain->version, roles[i].version);
		assert_string_equal(toolchain->target, roles[i].target);
		assert_string_equal(mm_toolchain_bits_option(toolchain, 64), roles[i].bits);
		struct mm_strings options = MM_STRINGS_INIT;
		mm_toolchain_run_path(toolchain, "/opt/lib", &options);
		assert_string_equal(options.items[0], "-R/opt/lib");
		mm_strings_release(&options);
		if (mm_toolchain_probe(toolchain, 64, &good, probe, &err))
			fail_msg("%s", err.text);
		/* refused before anything is compiled */
		assert_int_equal(mm_toolchain_probe(toolchain, 64, &bad, probe, &err), MM_ECELL);
		assert_non_null(
			strstr(err.text, "toolchain 'studio' at 64 bits: '-O3' is no option of the C compiler"));
		close_pair(toolchain, &spec);
	}
	free(probe);
}

/* Pairs that are none. */
static void test_wrong_pairs(void **state)
{
	struct mm_toolchain_spec spec;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_toolchain *toolchain = open_pair("5.14 Linux_i386\n", &spec, &err);
	char *swap = spec.cc, linker[] = "gold", gcc[] = "gcc";
	(void)state;
	mm_toolchain_free(toolchain);
	spec.cc = spec.cxx;
	spec.cxx = swap;
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "\"cc\" is to name cc, \"cxx\" CC"));
	spec.cxx = spec.cc;
	spec.cc = swap;
	spec.ld = linker;
	mm_error_clear(&err);
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "leave \"ld\" out"));
	spec.ld = NULL;
	mm_error_clear(&err);
	free(spec.cc);
	spec.cc = gcc;
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "is no Studio compiler"));
	free(spec.cxx);
	/* too old */
	mm_error_clear(&err);
	assert_null(open_pair("5.7 SunOS_sparc\n", &spec, &err));
	assert_non_null(strstr(err.text, "Studio 11 (5.8) is the oldest"));
	close_pair(NULL, &spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_banners),       cmocka_unit_test(test_flags),
		cmocka_unit_test(test_refused_flags), cmocka_unit_test(test_pair),
		cmocka_unit_test(test_wrong_pairs),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
