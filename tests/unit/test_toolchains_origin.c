/* Flag sets "from" a distribution's tools, which are stand-ins here: words, places, what is asked and how often. */
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
#include "toolchains/origin.h"

static char folder[] = "/tmp/mm-origin-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	char *path = mm_format("%s/bin:/usr/bin:/bin", folder), *bin = mm_path_join(folder, "bin");
	int failed = mkdir(bin, 0755) || setenv("PATH", path, 1) || setenv("DEB_CFLAGS_APPEND", "-DLEAKED", 1);
	free(bin);
	free(path);
	return failed ? -1 : 0;
}

static int drop_folder(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static void program(const char *name, const char *body)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_format("%s/bin/%s", folder, name), *text = mm_format("#!/bin/sh\n%s\n", body);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(text);
	free(path);
}

static struct mm_matrix *load(const char *flags, const char *used)
{
	struct mm_matrix *matrix;
	struct mm_matrix_overrides none;
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, "MATRIX.json");
	char *text =
		mm_format("{ \"mymatrix\": 1, \"sources\": { \"a\": { \"tarball\": \"a.tar.gz\" } },\n"
			  "\"toolchains\": { \"gcc\": { \"family\": \"gcc\" } },\n\"flags\": %s,\n"
			  "\"matrix\": { \"source\": [\"a\"], \"toolchain\": [\"gcc\"], \"bits\": [64], \"flags\": "
			  "[\"%s\"] } }",
			  flags, used);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	mm_matrix_overrides_init(&none);
	if (mm_matrix_load(path, &none, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&none);
	free(text);
	free(path);
	return matrix;
}

static void test_debian(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_flag_words words;
	char *count = mm_path_join(folder, "count");
	char *body = mm_format(
		"echo x >> %s\n[ \"$1\" = --get ] || exit 3\ncase $2 in\n"
		"CFLAGS) echo \"-g -O2 -ffile-prefix-map=$PWD=. -fstack-protector-strong $DEB_CFLAGS_APPEND\";;\n"
		"CXXFLAGS) echo -g -O2 -DPLUS;;\nCPPFLAGS) echo -D_FORTIFY_SOURCE=2;;\n"
		"LDFLAGS) echo -Wl,-z,relro;;\n*) exit 4;;\nesac",
		count);
	(void)state;
	program("dpkg-buildflags", body);
	struct mm_matrix *matrix =
		load("{ \"distro\": { \"from\": \"dpkg-buildflags\" },\n"
		     "\"more\": { \"use\": [\"distro\"], \"from\": \"dpkg-buildflags\", \"*\": \"-O3\" } }",
		     "more");
	if (mm_flag_origins(matrix, &err))
		fail_msg("%s", err.text);
	mm_flags_resolve(matrix, matrix->cells[0].flags, MM_FAMILY_GCC, 64, &words);
	/* used sets first, then where it is from, then its own; what the user exports is not the distribution's */
	assert_string_equal(words.c, "-g -O2 -fstack-protector-strong -g -O2 -fstack-protector-strong -O3");
	assert_string_equal(words.cxx, "-g -O2 -DPLUS -g -O2 -DPLUS -O3");
	assert_string_equal(words.cpp, "-D_FORTIFY_SOURCE=2 -D_FORTIFY_SOURCE=2");
	assert_string_equal(words.ld, "-Wl,-z,relro -Wl,-z,relro -O3");
	mm_flag_words_release(&words);
	/* once for each question, and not again */
	assert_int_equal(mm_flag_origins(matrix, &err), 0);
	struct mm_buffer asked = MM_BUFFER_INIT;
	assert_int_equal(mm_fs_read(count, 0, &asked, &err), 0);
	assert_string_equal(asked.data, "x\nx\nx\nx\n");
	mm_buffer_release(&asked);
	mm_matrix_free(matrix);
	free(body);
	free(count);
}

static void test_rpm(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_flag_words words;
	(void)state;
	program("rpm", "case $2 in *cxxflags*) echo -O2 -fcxx;; *build_cflags*) echo -O2 -g -pipe;;"
		       "*ldflags*) echo '%{?__global_ldflags}';; *) exit 1;; esac");
	struct mm_matrix *matrix = load("{ \"distro\": { \"from\": \"rpm-optflags\" } }", "distro");
	if (mm_flag_origins(matrix, &err))
		fail_msg("%s", err.text);
	mm_flags_resolve(matrix, matrix->cells[0].flags, MM_FAMILY_GCC, 64, &words);
	assert_string_equal(words.c, "-O2 -g -pipe");
	assert_string_equal(words.cxx, "-O2 -fcxx");
	assert_string_equal(words.cpp, "");
	assert_string_equal(words.ld, "");
	mm_flag_words_release(&words);
	mm_matrix_free(matrix);
}

static void assert_refused(const char *body, const char *said)
{
	struct mm_error err = MM_ERROR_INIT;
	program("rpm", body);
	struct mm_matrix *matrix = load("{ \"distro\": { \"from\": \"rpm-optflags\" } }", "distro");
	assert_int_equal(mm_flag_origins(matrix, &err), MM_EMATRIX);
	if (!strstr(err.text, said) || !strstr(err.text, "MATRIX.json:3:24: $.flags.distro.from: "))
		fail_msg("'%s' is not in: %s", said, err.text);
	mm_matrix_free(matrix);
}

static void test_refused(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	assert_refused("echo broken >&2; exit 2", "exit status 2: broken");
	assert_refused("echo '%{optflags}'", "names no flags");
	/* a set that no cell uses is not asked about */
	struct mm_matrix *matrix =
		load("{ \"distro\": { \"from\": \"rpm-optflags\" }, \"o2\": { \"*\": \"-O2\" } }", "o2");
	program("rpm", "exit 2");
	assert_int_equal(mm_flag_origins(matrix, &err), 0);
	mm_matrix_free(matrix);
	/* no such tool */
	char *path = mm_format("%s/bin/rpm", folder), *bin = mm_path_join(folder, "bin");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(setenv("PATH", bin, 1), 0);
	matrix = load("{ \"distro\": { \"from\": \"rpm-optflags\" } }", "distro");
	assert_int_equal(mm_flag_origins(matrix, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "cannot find the program 'rpm': install it (Fedora"));
	mm_matrix_free(matrix);
	free(path);
	free(bin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debian),
		cmocka_unit_test(test_rpm),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
