/* Sysroots: what they are made of, and what compilers and build tools are told of them. */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/cache.h"
#include "builders/sysroot.h"

static char *folder, *work;
static struct mm_matrix *matrix;
static struct mm_store store;

static void put(const char *name, const char *content)
{
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_mkdirs(parent, 0755, &err) || mm_fs_write_atomic(path, content, strlen(content), &err))
		fail_msg("%s", err.text);
	free(parent);
	free(path);
}

static void load(const char *sysroots)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	char *path = mm_path_join(folder, "MATRIX.json");
	char *text = mm_format(
		"{ \"mymatrix\": 1, \"sources\": { \"s\": { \"tarball\": \"a.tar\" } },\n"
		"  \"toolchains\": { \"gcc\": { \"family\": \"gcc\" } }, \"flags\": { \"f\": { \"*\": \"-O2\" } "
		"},\n  \"sysroots\": %s,\n"
		"  \"matrix\": { \"source\": [\"s\"], \"toolchain\": [\"gcc\"], \"bits\": [32, 64], "
		"\"flags\": [\"f\"] } }\n",
		sysroots);
	put("MATRIX.json", text);
	mm_matrix_free(matrix);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	store.matrix = matrix;
	store.policy = &matrix->build;
	free(text);
	free(path);
}

static int setup(void **state)
{
	char name[] = "/tmp/mm-sysroot-XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(name));
	folder = mm_strdup(name);
	work = mm_path_join(folder, "work");
	matrix = NULL;
	store = (struct mm_store){ .work = work };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mm_matrix_free(matrix);
	assert_int_equal(mm_fs_remove_tree(folder, NULL), 0);
	free(work);
	free(folder);
	return 0;
}

static int take(int bits, json_t **sysroot, struct mm_error *err)
{
	struct mm_build_cache *cache = mm_build_cache_new();
	int code = mm_sysroot_take(&store, cache, bits, sysroot, err);
	mm_build_cache_free(cache);
	return code;
}

static json_t *open_well(int bits, struct mm_sysroot_overlay *overlay)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *sysroot;
	if (take(bits, &sysroot, &err) || mm_sysroot_open(&store, bits, sysroot, overlay, &err))
		fail_msg("%s", err.text);
	return sysroot;
}

static void assert_below(const struct mm_sysroot_overlay *overlay, const char *path, const char *inner)
{
	char *wanted = mm_path_join(overlay->root, inner);
	assert_string_equal(path, wanted);
	free(wanted);
}

/* As Debian's development packages unpack. */
static void test_directory(void **state)
{
	(void)state;
	struct mm_sysroot_overlay overlay, none;
	struct mm_error err = MM_ERROR_INIT;
	put("root/usr/include/zlib.h", "");
	put("root/usr/include/i386-linux-gnu/conf.h", "");
	put("root/usr/lib/i386-linux-gnu/libz.so.1", "z");
	put("root/usr/lib/i386-linux-gnu/pkgconfig/zlib.pc", "");
	put("root/lib/i386-linux-gnu/libc.so.6", "");
	put("root/usr/share/pkgconfig/x.pc", "");
	char *link = mm_path_join(folder, "root/usr/lib/i386-linux-gnu/libz.so");
	assert_int_equal(symlink("/usr/lib/i386-linux-gnu/libz.so.1", link), 0);
	free(link);
	load("{ \"32\": { \"directory\": \"root\" } }");
	json_t *sysroot = open_well(32, &overlay);
	assert_non_null(sysroot);
	assert_null(open_well(64, &none));
	assert_null(none.root);
	assert_true(strncmp(overlay.root, work, strlen(work)) == 0); /* a copy: the original may change */
	assert_string_equal(overlay.machine, "i386-linux-gnu");
	assert_null(overlay.loader);
	assert_int_equal(overlay.headers.count, 2);
	assert_below(&overlay, overlay.headers.items[0], "usr/include/i386-linux-gnu");
	assert_below(&overlay, overlay.headers.items[1], "usr/include");
	assert_below(&overlay, overlay.libraries.items[0], "usr/lib/i386-linux-gnu");
	assert_below(&overlay, overlay.libraries.items[1], "lib/i386-linux-gnu");
	struct mm_buffer text = MM_BUFFER_INIT;
	char *library = mm_format("%s/usr/lib/i386-linux-gnu/libz.so", overlay.root);
	assert_int_equal(mm_fs_read(library, 0, &text, &err), 0); /* the absolute link stays within */
	assert_string_equal(mm_buffer_text(&text), "z");
	mm_buffer_release(&text);
	free(library);
	struct mm_strings argv = MM_STRINGS_INIT, env = MM_STRINGS_INIT;
	mm_sysroot_cmake(&overlay, &argv);
	mm_sysroot_environment(&overlay, &env);
	char *prefix = mm_format("-DCMAKE_PREFIX_PATH=%s/usr", overlay.root);
	char *pkg = mm_format("PKG_CONFIG_LIBDIR=%s/usr/lib/i386-linux-gnu/pkgconfig:%s/usr/share/pkgconfig",
			      overlay.root, overlay.root);
	assert_true(mm_strings_contain(&argv, prefix));
	assert_true(mm_strings_contain(&argv, "-DCMAKE_LIBRARY_ARCHITECTURE=i386-linux-gnu"));
	assert_true(mm_strings_contain(&env, pkg));
	free(pkg);
	free(prefix);
	mm_strings_release(&argv);
	mm_strings_release(&env);
	/* another content, another place */
	struct mm_sysroot_overlay changed;
	put("root/usr/include/zlib.h", "other");
	json_decref(sysroot);
	sysroot = open_well(32, &changed);
	assert_string_not_equal(changed.root, overlay.root);
	mm_sysroot_release(&changed);
	mm_sysroot_release(&overlay);
	json_decref(sysroot);
}

static void test_flags(void **state)
{
	(void)state;
	struct mm_sysroot_overlay overlay = { .root = mm_strdup("/w/sysroots/k"), .loader = mm_strdup("/w/ld.so") };
	struct mm_flag_words words = { mm_strdup("-O2"), mm_strdup("-O2"), mm_strdup(""), mm_strdup("-O2") };
	struct mm_error err = MM_ERROR_INIT;
	mm_strings_push(&overlay.headers, "/w/include");
	mm_strings_push(&overlay.libraries, "/w/a");
	mm_strings_push(&overlay.libraries, "/w/b");
	assert_int_equal(mm_sysroot_flags(&overlay, &words, &err), 0);
	assert_string_equal(words.c, "-O2");
	assert_string_equal(words.cpp, "-isystem /w/include");
	assert_string_equal(words.ld,
			    "-O2 -L/w/a -Wl,-rpath,/w/a -L/w/b -Wl,-rpath,/w/b -Wl,--dynamic-linker=/w/ld.so");
	free(overlay.root);
	overlay.root = mm_strdup("/with space/k");
	assert_int_equal(mm_sysroot_flags(&overlay, &words, &err), MM_EENV);
	assert_non_null(strstr(err.text, "--work"));
	mm_sysroot_release(&overlay);
	mm_flag_words_release(&words);
}

static void make_deb(const char *name, const char *inner, const char *content)
{
	char *path = mm_path_join(folder, name), *tar_path = mm_path_join(folder, "data.tar");
	struct mm_buffer tar = MM_BUFFER_INIT;
	struct archive *writers[] = { archive_write_new(), archive_write_new() };
	for (int outer = 0; outer < 2; outer++) {
		struct archive *writer = writers[outer];
		struct archive_entry *entry = archive_entry_new();
		const char *bytes = outer ? mm_buffer_text(&tar) : content;
		size_t length = outer ? tar.length : strlen(content);
		if (outer)
			assert_int_equal(archive_write_set_format_ar_svr4(writer), ARCHIVE_OK);
		else
			assert_int_equal(archive_write_set_format_gnutar(writer), ARCHIVE_OK);
		assert_int_equal(archive_write_open_filename(writer, outer ? path : tar_path), ARCHIVE_OK);
		archive_entry_set_pathname(entry, outer ? "data.tar" : inner);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, (la_int64_t)length);
		assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(writer, bytes, length), length);
		archive_entry_free(entry);
		assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
		archive_write_free(writer);
		if (!outer)
			assert_int_equal(mm_fs_read(tar_path, 0, &tar, NULL), 0);
	}
	mm_buffer_release(&tar);
	free(tar_path);
	free(path);
}

static void test_packages(void **state)
{
	(void)state;
	struct mm_sysroot_overlay overlay;
	make_deb("libc.deb", "./lib/i386-linux-gnu/ld-linux.so.2", "loader");
	make_deb("z.deb", "./usr/include/zlib.h", "header");
	load("{ \"32\": { \"packages\": [\"libc.deb\", \"z.deb\"] } }");
	json_t *sysroot = open_well(32, &overlay);
	assert_int_equal(json_array_size(json_object_get(sysroot, "packages")), 2);
	assert_below(&overlay, overlay.loader, "lib/i386-linux-gnu/ld-linux.so.2");
	assert_below(&overlay, overlay.headers.items[0], "usr/include");
	mm_sysroot_release(&overlay);
	json_decref(sysroot);
}

static void test_wrong_inputs(void **state)
{
	(void)state;
	struct mm_sysroot_overlay overlay;
	struct mm_error err = MM_ERROR_INIT;
	json_t *sysroot;
	load("{ \"32\": { \"packages\": [\"missing.deb\"] } }");
	assert_int_equal(take(32, &sysroot, &err), MM_EMATRIX);
	assert_null(sysroot);
	if (!strstr(err.text, "$.sysroots[\"32\"].packages: there is no file") &&
	    !strstr(err.text, "$.sysroots.32.packages"))
		fail_msg("%s", err.text);
	load("{ \"32\": { \"directory\": \"missing\" } }");
	mm_error_clear(&err);
	assert_int_equal(take(32, &sysroot, &err), MM_EMATRIX);
	assert_non_null(strstr(err.text, "there is no folder"));
	/* a damaged package leaves nothing that would be believed */
	put("broken.deb", "!<arch>\nnonsense");
	load("{ \"32\": { \"packages\": [\"broken.deb\"] } }");
	mm_error_clear(&err);
	assert_int_equal(take(32, &sysroot, &err), 0);
	assert_int_equal(mm_sysroot_open(&store, 32, sysroot, &overlay, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "sysroot '32'"));
	assert_false(mm_fs_exists(overlay.root));
	mm_sysroot_release(&overlay);
	json_decref(sysroot);
	put("empty/readme", "nothing of use");
	load("{ \"32\": { \"directory\": \"empty\" } }");
	mm_error_clear(&err);
	assert_int_equal(take(32, &sysroot, &err), 0);
	assert_int_equal(mm_sysroot_open(&store, 32, sysroot, &overlay, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "neither headers nor libraries"));
	mm_sysroot_release(&overlay);
	json_decref(sysroot);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_directory),
		CASE(test_flags),
		CASE(test_packages),
		CASE(test_wrong_inputs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
