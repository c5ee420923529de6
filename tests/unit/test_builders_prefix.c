/*
 * Packages and prefixes, whole: this program plays the server. Called as "mariadbd --no-defaults --version" it says a
 * version; it is put into packages together with the libraries and the loader that it runs with.
 */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/build.h"
#include "builders/elf.h"
#include "builders/prefix.h"

static char folder[] = "/tmp/mm-prefix-XXXXXX";
static char *work;
static char *interpreter; /* of this program */

static int make_folder(void **state)
{
	struct mm_elf elf;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mm_elf_read("/proc/self/exe", NULL, &elf, &err), 0);
	interpreter = mm_strdup(elf.interpreter);
	mm_elf_release(&elf);
	work = mm_path_join(folder, "work");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(interpreter);
	free(work);
	return mm_fs_remove_tree(folder, NULL);
}

static void add(struct archive *writer, const char *path, const char *file)
{
	struct mm_buffer content = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	struct archive_entry *entry = archive_entry_new();
	char *name = mm_format(".%s", path);
	if (mm_fs_read(file, 0, &content, &err))
		fail_msg("%s", err.text);
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0755);
	archive_entry_set_size(entry, (la_int64_t)content.length);
	assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(writer, content.data, content.length), content.length);
	archive_entry_free(entry);
	mm_buffer_release(&content);
	free(name);
}

/* The shared libraries that this process has mapped, the loader left out. */
static void mapped_libraries(struct mm_strings *paths)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	while (fgets(line, sizeof line, maps)) {
		char *path = strchr(line, '/');
		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		if (strstr(path, ".so") && !strstr(path, "/ld-") && !mm_strings_contain(paths, path))
			mm_strings_push(paths, path);
	}
	(void)fclose(maps);
}

/* Writes the package NAME: the server with SERVER, the libraries and the loader with LIBRARIES. Allocated path. */
static char *make_deb(const char *name, bool server, bool libraries)
{
	struct mm_strings paths = MM_STRINGS_INIT;
	struct mm_buffer data = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	char *tar = mm_path_join(folder, "data.tar"), *deb = mm_path_join(folder, name);
	struct archive *writer = archive_write_new();
	assert_int_equal(archive_write_set_format_gnutar(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(writer, tar), ARCHIVE_OK);
	if (server)
		add(writer, "/usr/sbin/mariadbd", "/proc/self/exe");
	if (libraries) {
		mapped_libraries(&paths);
		for (size_t i = 0; i < paths.count; i++) {
			char *to = mm_format("/usr/lib/some-linux-gnu/%s", mm_path_base(paths.items[i]));
			add(writer, to, paths.items[i]);
			free(to);
		}
		add(writer, interpreter, interpreter);
	}
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
	assert_int_equal(mm_fs_read(tar, 0, &data, &err), 0);
	writer = archive_write_new();
	assert_int_equal(archive_write_set_format_ar_svr4(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(writer, deb), ARCHIVE_OK);
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, "data.tar");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)data.length);
	assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(writer, data.data, data.length), data.length);
	archive_entry_free(entry);
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
	mm_buffer_release(&data);
	mm_strings_release(&paths);
	free(tar);
	return deb;
}

/* One cell without a toolchain, as the matrix makes them. */
struct bare {
	struct mm_matrix *matrix;
	struct mm_store store;
};

/* Loads a matrix whose only source is SOURCE_JSON. */
static void load(struct bare *bare, const char *source_json)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	char *path = mm_path_join(folder, "MATRIX.json");
	char *text = mm_format("{ \"mymatrix\": 1, \"title\": \"t\", \"sources\": { \"s\": %s },\n"
			       "\"matrix\": { \"source\": [\"s\"] },\n"
			       "\"suites\": [ { \"name\": \"c\", \"suite\": \"sql-bench\" } ] }",
			       source_json);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &bare->matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	assert_int_equal(bare->matrix->cell_count, 1);
	bare->store =
		(struct mm_store){ .work = work, .jobs = 1, .policy = &bare->matrix->build, .matrix = bare->matrix };
	free(text);
	free(path);
}

static int make(struct bare *bare, struct mm_build *build, struct mm_error *err)
{
	int code = mm_build_prepare(&bare->store, bare->matrix->cells, build, err);
	return code ? code : mm_build_make(&bare->store, bare->matrix->cells, build, err);
}

static void test_packages_with_their_own_loader(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	char *server = make_deb("server.deb", true, false), *libraries = make_deb("libraries.deb", false, true);
	(void)state;
	load(&bare, "{ \"packages\": [\"server.deb\", \"libraries.deb\"] }");
	if (make(&bare, &build, &err))
		fail_msg("%s", err.text);
	assert_string_equal(build.version, "10.11.98");
	assert_string_equal(build.variant, "mariadb");
	assert_int_equal(build.elf_bits, (int)sizeof(void *) * 8);
	char *usr = mm_path_join(build.prefix, "usr"), *loader = mm_format("%s%s", build.prefix, interpreter);
	assert_string_equal(build.basedir, usr);
	assert_int_equal(build.launcher.count, 4);
	assert_string_equal(build.launcher.items[0], loader);
	assert_string_equal(build.launcher.items[1], "--inhibit-cache");
	assert_non_null(strstr(build.launcher.items[3], "/prefix/usr/lib/some-linux-gnu"));
	/* the option file is not the packages' own */
	assert_null(strstr(build.my_cnf, "/prefix/"));
	assert_true(mm_fs_exists(build.my_cnf));
	mm_build_release(&build);
	/* and all of it is known again from the record */
	assert_int_equal(mm_build_prepare(&bare.store, bare.matrix->cells, &build, &err), 0);
	assert_int_equal(build.state, MM_BUILD_DONE);
	assert_string_equal(build.launcher.items[0], loader);
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	free(loader);
	free(usr);
	free(libraries);
	free(server);
}

static void test_packages_without_libraries(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	char *server = make_deb("server.deb", true, false);
	(void)state;
	load(&bare, "{ \"packages\": [\"server.deb\"] }");
	if (make(&bare, &build, &err))
		fail_msg("%s", err.text);
	assert_int_equal(build.launcher.count, 0);
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	free(server);
}

static void test_packages_of_other_bits(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	char *server = make_deb("server.deb", true, false), wrong[64];
	int bits = (int)sizeof(void *) * 8;
	(void)state;
	(void)snprintf(wrong, sizeof wrong, "{ \"packages\": [\"server.deb\"], \"bits\": %d }", 96 - bits);
	load(&bare, wrong);
	assert_int_equal(make(&bare, &build, &err), MM_ECELL);
	(void)snprintf(wrong, sizeof wrong, "has %d bits, the cell says %d", bits, 96 - bits);
	if (!strstr(err.text, wrong))
		fail_msg("%s", err.text);
	assert_int_equal(build.state, MM_BUILD_FAILED);
	assert_true(mm_fs_exists(build.log));
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	free(server);
}

static void test_packages_without_a_server(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	char *libraries = make_deb("libraries.deb", false, true);
	(void)state;
	load(&bare, "{ \"packages\": [\"libraries.deb\"] }");
	assert_int_equal(make(&bare, &build, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "there is no server in"));
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	free(libraries);
}

/* A user's prefix is only looked at: nothing is written into it. */
static void test_prefix(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer self = MM_BUFFER_INIT;
	char *bin = mm_path_join(folder, "mine/bin"), *mine = mm_path_join(folder, "mine");
	char *server = mm_path_join(bin, "mysqld");
	(void)state;
	assert_int_equal(mm_fs_mkdirs(bin, 0755, &err), 0);
	load(&bare, "{ \"prefix\": \"mine\" }");
	assert_int_equal(mm_build_prepare(&bare.store, bare.matrix->cells, &build, &err), MM_EMATRIX);
	if (!strstr(err.text, "MATRIX.json:1:") || !strstr(err.text, "$.sources.s.prefix: there is no server"))
		fail_msg("%s", err.text);
	mm_error_clear(&err);
	assert_int_equal(mm_fs_read("/proc/self/exe", 0, &self, &err), 0);
	assert_int_equal(mm_fs_write_atomic(server, self.data, self.length, &err), 0);
	assert_int_equal(chmod(server, 0755), 0);
	if (make(&bare, &build, &err))
		fail_msg("%s", err.text);
	assert_string_equal(build.prefix, mine);
	assert_string_equal(build.server, server);
	assert_string_equal(build.basedir, mine);
	assert_int_equal(build.launcher.count, 0);
	char *etc = mm_path_join(mine, "etc");
	assert_false(mm_fs_exists(etc));
	assert_true(mm_fs_exists(build.my_cnf));
	/* what it loads and reads makes another server of it, and another program where it is one */
	char key[MM_BUILD_KEY], code[MM_SHA256_HEX];
	static const char *const others[] = { "share/english/errmsg.sys", "lib/plugin/ha_x.so", "lib/libserver.so.1" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		char *path = mm_path_join(mine, others[i]), *where = mm_path_folder(path);
		memcpy(key, build.key, sizeof key);
		memcpy(code, build.code_sha256, sizeof code);
		mm_build_release(&build);
		assert_int_equal(mm_fs_mkdirs(where, 0755, &err), 0);
		assert_int_equal(mm_fs_write_atomic(path, self.data, i ? self.length : 0, &err), 0);
		mm_matrix_free(bare.matrix);
		load(&bare, "{ \"prefix\": \"mine\" }");
		assert_int_equal(make(&bare, &build, &err), 0);
		assert_string_not_equal(build.key, key);
		assert_int_equal(strcmp(build.code_sha256, code) == 0, i == 0);
		free(where);
		free(path);
	}
	mm_build_release(&build);
	mm_buffer_release(&self);
	/* something that is no program */
	assert_int_equal(mm_fs_write_atomic(server, "text", 4, &err), 0);
	assert_int_equal(make(&bare, &build, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "no ELF file"));
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	free(etc);
	free(server);
	free(mine);
	free(bin);
}

/* A library is missing: to a prefix no package can be added. */
static void test_prefix_without_a_library(void **state)
{
	struct bare bare;
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer self = MM_BUFFER_INIT;
	char *bin = mm_path_join(folder, "lacks/bin"), *server = mm_path_join(bin, "mysqld");
	char *marker = mm_path_join(bin, "broken");
	(void)state;
	assert_int_equal(mm_fs_mkdirs(bin, 0755, &err), 0);
	load(&bare, "{ \"prefix\": \"lacks\" }");
	assert_int_equal(mm_fs_read("/proc/self/exe", 0, &self, &err), 0);
	assert_int_equal(mm_fs_write_atomic(server, self.data, self.length, &err), 0);
	assert_int_equal(chmod(server, 0755), 0);
	assert_int_equal(mm_fs_write_atomic(marker, "", 0, &err), 0);
	assert_int_equal(make(&bare, &build, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "libx.so.1"));
	assert_non_null(strstr(err.text, "install it, or give the server's packages"));
	mm_build_release(&build);
	mm_matrix_free(bare.matrix);
	mm_buffer_release(&self);
	free(marker);
	free(server);
	free(bin);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--no-defaults") == 0 && strcmp(argv[2], "--version") == 0) {
		char *bin = mm_path_folder(argv[0]), *broken = mm_path_join(bin, "broken");
		if (mm_fs_exists(broken)) {
			(void)fprintf(stderr, "%s: error while loading shared libraries: libx.so.1: cannot open shared object "
					      "file: No such file or directory\n", argv[0]);
			return 127;
		}
		free(broken);
		free(bin);
		(void)printf("%s  Ver 10.11.98-MariaDB-test for Linux on somewhere (a test)\n", argv[0]);
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packages_with_their_own_loader),
		cmocka_unit_test(test_packages_without_libraries),
		cmocka_unit_test(test_packages_of_other_bits),
		cmocka_unit_test(test_packages_without_a_server),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_prefix_without_a_library),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
