/*
 * Whole builds of a small tree that imitates MariaDB's: its version file, its folders, the targets and install
 * components that the profile names, a trap for the optimisation level, and programs that answer as the real ones do.
 */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/build.h"

static const struct {
	const char *name, *content;
} tree[] = {
	{ "VERSION",
	  "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=99\nSERVER_MATURITY=stable\n" },
	{ "CMakeLists.txt",
	  "cmake_minimum_required(VERSION 3.5)\n"
	  "project(Tiny C CXX)\n"
	  /* what MariaDB does: its own words in front of the type's flags */
	  "set(CMAKE_CXX_FLAGS_RELWITHDEBINFO \"-fstack-protector ${CMAKE_CXX_FLAGS_RELWITHDEBINFO} -DDBUG_OFF\")\n"
	  "if(BREAK_CONFIGURE)\n  message(FATAL_ERROR \"system libfmt library is not found or unusable\")\nendif()\n"
	  "add_subdirectory(sql)\nadd_subdirectory(scripts)\nadd_subdirectory(extra)\nadd_subdirectory(client)\n" },
	{ "sql/CMakeLists.txt",
	  "add_executable(mariadbd mysqld.cc)\n"
	  "target_compile_definitions(mariadbd PRIVATE PREFIX=\"${CMAKE_INSTALL_PREFIX}\")\n"
	  "if(BREAK_COMPILE)\n  target_compile_definitions(mariadbd PRIVATE BREAK_COMPILE)\nendif()\n"
	  "if(BREAK_LINK)\n  target_link_libraries(mariadbd no_such_library)\nendif()\n"
	  "install(TARGETS mariadbd DESTINATION bin COMPONENT Server)\nadd_subdirectory(share)\n" },
	{ "sql/mysqld.cc",
	  "#include <cstdio>\n#include <string>\n"
	  "#ifdef BREAK_COMPILE\n#error broken on purpose: No space left on device\n#endif\n"
	  "#ifdef NDEBUG\n#define ASSERTIONS \"off\"\n#else\n#define ASSERTIONS \"on\"\n#endif\n"
	  "#ifdef __OPTIMIZE__\n#define LEVEL \"optimized\"\n#else\n#define LEVEL \"not optimized\"\n#endif\n"
	  "static const char *const prefix = PREFIX \"/share\";\n"
	  "int main(int argc, char **argv) { std::string first(argc > 1 ? argv[1] : \"\");\n"
	  "  if (first != \"--no-defaults\") return 1;\n"
	  "  std::printf(\"%s  Ver 10.11.99-MariaDB for Linux (assertions %s, %s, %s)\\n\", argv[0], ASSERTIONS, "
	  "LEVEL, prefix);\n"
	  "  return 0; }\n" },
	{ "sql/share/CMakeLists.txt", "install(FILES charsets.xml DESTINATION share/charsets COMPONENT Common)\n"
				      "install(FILES errmsg.sys DESTINATION share/english COMPONENT Server)\n" },
	{ "sql/share/charsets.xml", "<charsets/>\n" },
	{ "sql/share/errmsg.sys", "messages\n" },
	{ "scripts/CMakeLists.txt", "install(PROGRAMS mariadb-install-db DESTINATION scripts COMPONENT Server)\n" },
	{ "scripts/mariadb-install-db", "#!/bin/sh\n" },
	{ "extra/CMakeLists.txt", "add_executable(my_print_defaults tool.c)\nadd_executable(resolveip tool.c)\n"
				  "install(TARGETS my_print_defaults resolveip DESTINATION bin COMPONENT Client)\n" },
	{ "extra/tool.c", "int main(void) { return 0; }\n" },
	/* nothing that a benchmark needs: must be neither compiled nor installed */
	{ "client/CMakeLists.txt",
	  "add_executable(client client.c)\ninstall(TARGETS client DESTINATION bin COMPONENT Client)\n" },
	{ "client/client.c", "#error the client is not to be compiled\n" },
};

static const char matrix_text[] =
	"{ \"mymatrix\": 1, \"title\": \"t\",\n"
	"  \"sources\": { \"tiny\": { \"tarball\": \"tiny.tar.gz\" },\n"
	"    \"no-configure\": { \"tarball\": \"tiny.tar.gz\", \"build\": { \"options\": [\"-DBREAK_CONFIGURE=ON\"] } "
	"},\n"
	"    \"no-compile\": { \"tarball\": \"tiny.tar.gz\", \"build\": { \"options\": [\"-DBREAK_COMPILE=ON\"] } },\n"
	"    \"no-link\": { \"tarball\": \"tiny.tar.gz\", \"build\": { \"options\": [\"-DBREAK_LINK=ON\"] } } },\n"
	"  \"toolchains\": { \"gcc\": { \"family\": \"gcc\", \"cc\": \"gcc\", \"cxx\": \"g++\" } },\n"
	"  \"flags\": { \"standard\": { \"*\": \"-O2\" }, \"same\": { \"*\": \"-O2 -DUNUSED_HERE\" }, \"none\": { "
	"\"*\": \"-O0\" } },\n"
	"  \"matrix\": { \"source\": [\"tiny\"], \"toolchain\": [\"gcc\"], \"bits\": [\"native\"],\n"
	"    \"flags\": [\"standard\", \"same\", \"none\"],\n"
	"    \"include\": [ { \"source\": \"no-configure\", \"toolchain\": \"gcc\", \"bits\": \"native\", \"flags\": "
	"\"standard\" },\n"
	"      { \"source\": \"no-compile\", \"toolchain\": \"gcc\", \"bits\": \"native\", \"flags\": \"standard\" },\n"
	"      { \"source\": \"no-link\", \"toolchain\": \"gcc\", \"bits\": \"native\", \"flags\": \"standard\" } ] "
	"},\n"
	"  \"suites\": [ { \"name\": \"classic\", \"suite\": \"sql-bench\" } ],\n"
	"  \"build\": { \"keep\": \"always\" } }\n";

static char folder[] = "/tmp/mm-make-XXXXXX";
static char *work;
static struct mm_matrix *matrix;
static struct mm_store store;
static struct mm_strings seen = MM_STRINGS_INIT; /* events as "kind stage" */

static void note_event(void *context, const struct mm_event *event)
{
	static const char *const kinds[] = { "begin", "progress", "end", "failed", "reused", "note", "warning" };
	(void)context;
	mm_strings_pushf(&seen, "%s %s", kinds[event->kind], event->stage ? event->stage : "-");
}

static void write_tarball(const char *path)
{
	struct archive *writer = archive_write_new();
	assert_int_equal(archive_write_add_filter_gzip(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_set_format_pax_restricted(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(writer, path), ARCHIVE_OK);
	for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
		struct archive_entry *entry = archive_entry_new();
		char *name = mm_format("some-name-1.0/%s", tree[i].name);
		archive_entry_set_pathname(entry, name);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_mtime(entry, 1000000000, 0);
		archive_entry_set_size(entry, (la_int64_t)strlen(tree[i].content));
		assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(writer, tree[i].content, strlen(tree[i].content)),
				 strlen(tree[i].content));
		archive_entry_free(entry);
		free(name);
	}
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
}

static int make_folder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	(void)state;
	assert_non_null(mkdtemp(folder));
	work = mm_path_join(folder, "work");
	char *tarball = mm_path_join(folder, "tiny.tar.gz"), *path = mm_path_join(folder, "MATRIX.json");
	write_tarball(tarball);
	assert_int_equal(mm_fs_write_atomic(path, matrix_text, strlen(matrix_text), &err), 0);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	store = (struct mm_store){ .work = work, .jobs = 2, .policy = &matrix->build, .matrix = matrix };
	store.cache = mm_build_cache_new();
	mm_event_set_sink(note_event, NULL);
	free(path);
	free(tarball);
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	mm_event_set_sink(NULL, NULL);
	mm_strings_release(&seen);
	mm_build_cache_free(store.cache);
	mm_matrix_free(matrix);
	free(work);
	return mm_fs_remove_tree(folder, NULL);
}

static const struct mm_cell *cell_of(const char *source, const char *flags)
{
	char *id = mm_format("%s/gcc/native/%s", source, flags);
	const struct mm_cell *cell = mm_matrix_cell(matrix, id);
	assert_non_null(cell);
	free(id);
	return cell;
}

static void build_well(const struct mm_cell *cell, struct mm_build *build)
{
	struct mm_error err = MM_ERROR_INIT;
	mm_strings_release(&seen);
	if (mm_build_prepare(&store, cell, build, &err) || mm_build_make(&store, cell, build, &err))
		fail_msg("%s", err.text);
	assert_int_equal(build->state, MM_BUILD_DONE);
}

static bool is_there(const char *parent, const char *name)
{
	char *path = mm_path_join(parent, name);
	bool there = mm_fs_exists(path);
	free(path);
	return there;
}

/* Every unit was compiled at LEVEL and without assertions; what the tree adds for itself is known. */
static void assert_audit(const struct mm_build *build, const char *level)
{
	const json_t *audit = build->audit;
	assert_int_equal(mm_json_integer(audit, "units", 0), 3);
	assert_int_equal(mm_json_integer(json_object_get(audit, "levels"), level, 0), 3);
	assert_int_equal(mm_json_integer(audit, "in_force", 0), 3);
	assert_int_equal(mm_json_integer(audit, "exact", 0), 2);
	assert_string_equal(mm_json_string(audit, "assertions", ""), "off");
	assert_true(mm_json_true(audit, "deviates"));
	assert_true(is_there(build->folder, "logs/flags.json") && is_there(build->folder, "logs/flags.txt") &&
		    is_there(build->folder, "logs/compilers.log"));
}

static void test_builds(void **state)
{
	static const char *const levels[] = { "-O2", "-O2", "-O0" }, *const sets[] = { "standard", "same", "none" };
	struct mm_build builds[3];
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct mm_build *build = &builds[i];
		build_well(cell_of("tiny", sets[i]), build);
		assert_audit(build, levels[i]);
		assert_string_equal(build->variant, "mariadb");
		assert_string_equal(build->version, "10.11.99");
		assert_int_equal(build->profiles.count, 2);
		assert_string_equal(build->profiles.items[0], "cmake");
		assert_string_equal(build->profiles.items[1], "mariadb-server");
		assert_int_equal(build->elf_bits, (int)sizeof(void *) * 8);
		assert_true(build->text_bytes > 0);
		assert_string_equal(build->basedir, build->prefix);
		assert_int_equal(build->launcher.count, 0);
		assert_true(is_there(build->prefix, "bin/mariadbd") && is_there(build->prefix, "bin/resolveip") &&
			    is_there(build->prefix, "bin/my_print_defaults"));
		assert_true(is_there(build->prefix, "scripts/mariadb-install-db"));
		assert_true(is_there(build->prefix, "share/charsets/charsets.xml") &&
			    is_there(build->prefix, "share/english/errmsg.sys"));
		assert_false(is_there(build->prefix, "bin/client"));
		struct stat st;
		assert_int_equal(stat(build->my_cnf, &st), 0);
		assert_int_equal(st.st_size, 0);
		assert_true(is_there(build->folder, "logs/compile.log"));
		assert_int_equal(build->stage_count, 4);
	}
	/* the same code in another prefix is known to be the same; other code is not */
	assert_string_not_equal(builds[0].key, builds[1].key);
	assert_int_equal(strlen(builds[0].prefix), strlen(builds[1].prefix));
	assert_string_equal(builds[0].code_sha256, builds[1].code_sha256);
	assert_string_not_equal(builds[0].code_sha256, builds[2].code_sha256);
	for (size_t i = 0; i < 3; i++)
		mm_build_release(&builds[i]);
}

/* Runs after test_builds: everything is there, nothing is done again, and the record says the same. */
static void test_reuse(void **state)
{
	struct mm_build build;
	(void)state;
	build_well(cell_of("tiny", "standard"), &build);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.items[0], "reused build");
	assert_string_equal(build.variant, "mariadb");
	assert_string_equal(build.version, "10.11.99");
	assert_int_equal(build.stage_count, 4);
	assert_true(build.needed.count > 0 && build.text_bytes > 0);
	assert_audit(&build, "-O2");
	mm_build_release(&build);
}

/* A server that somebody has put into its place is not what was built; the same one with another time is. */
static void test_replaced(void **state)
{
	struct mm_build build;
	struct mm_buffer content = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_cell *cell = cell_of("tiny", "standard");
	(void)state;
	assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
	assert_int_equal(build.state, MM_BUILD_DONE);
	assert_int_equal(mm_fs_read(build.server, 0, &content, &err), 0);
	for (int changed = 0; changed < 2; changed++) {
		content.data[content.length - 1] ^= (char)changed;
		assert_int_equal(mm_fs_write_atomic(build.server, content.data, content.length, &err), 0);
		assert_int_equal(chmod(build.server, 0755), 0);
		mm_build_release(&build);
		assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
		assert_int_equal(build.state, changed ? MM_BUILD_ABSENT : MM_BUILD_DONE);
	}
	mm_build_release(&build);
	mm_buffer_release(&content);
	build_well(cell, &build);
	assert_string_equal(seen.items[seen.count - 1], "end install");
	mm_build_release(&build);
}

/* A build that is there is not allowed by every policy; it stays what it is. */
static void test_strict(void **state)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_cell *cell = cell_of("tiny", "standard");
	(void)state;
	matrix->build.audit = MM_AUDIT_STRICT;
	assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell, &build, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "nobody asked for: '-fstack-protector'"));
	mm_build_release(&build);
	matrix->build.audit = MM_AUDIT_WARN;
	build_well(cell, &build);
	mm_build_release(&build);
}

static void remove_part(const struct mm_build *build, const char *name)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(build->folder, name);
	assert_int_equal(mm_fs_remove_tree(path, &err), 0);
	free(path);
}

/* A build without its record is what kill -9 leaves: the tree is gone on with, the prefix is not believed. */
static void test_interrupted(void **state)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	build_well(cell_of("tiny", "standard"), &build);
	remove_part(&build, "build.json");
	remove_part(&build, "prefix/bin/mariadbd");
	remove_part(&build, "tree/sql/mariadbd");
	mm_build_release(&build);
	build_well(cell_of("tiny", "standard"), &build);
	assert_true(mm_strings_contain(&seen, "reused configure"));
	assert_false(mm_strings_contain(&seen, "begin configure"));
	assert_true(is_there(build.prefix, "bin/mariadbd"));
	assert_true(is_there(build.folder, "logs/configure.log"));
	assert_true(build.resumed);
	/* a tree that the interruption damaged is begun again */
	remove_part(&build, "build.json");
	char *object = mm_path_join(build.folder, "tree/build.ninja");
	assert_int_equal(mm_fs_write_atomic(object, "garbage", 7, &err), 0);
	free(object);
	mm_build_release(&build);
	build_well(cell_of("tiny", "standard"), &build);
	assert_true(mm_strings_contain(&seen, "reused configure"));
	assert_true(mm_strings_contain(&seen, "begin configure"));
	assert_true(mm_strings_contain(&build.profiles, "mariadb-server"));
	assert_false(build.resumed);
	/* one that cannot be installed is not: hours of compiling would end in the same way */
	remove_part(&build, "build.json");
	char *script = mm_path_join(build.folder, "tree/sql/cmake_install.cmake");
	assert_int_equal(mm_fs_write_atomic(script, "message(FATAL_ERROR nowhere)", 28, &err), 0);
	free(script);
	mm_build_release(&build);
	mm_strings_release(&seen);
	assert_int_equal(mm_build_prepare(&store, cell_of("tiny", "standard"), &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell_of("tiny", "standard"), &build, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "stage 'install' failed"));
	assert_false(mm_strings_contain(&seen, "begin configure"));
	assert_true(is_there(build.folder, "tree/sql/mariadbd"));
	mm_build_release(&build);
}

static const struct {
	const char *source, *stage, *line, *hint;
} failures[] = {
	{ "no-configure", "configure", "system libfmt library is not found", "libfmt-dev" },
	{ "no-compile", "compile", "broken on purpose", NULL },
	{ "no-link", "link", "no_such_library", NULL },
};

static void test_failures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		struct mm_build build;
		struct mm_error err = MM_ERROR_INIT;
		const struct mm_cell *cell = cell_of(failures[i].source, "standard");
		assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
		assert_int_equal(mm_build_make(&store, cell, &build, &err), MM_ECELL);
		assert_int_equal(build.state, MM_BUILD_FAILED);
		mm_build_release(&build);
		char *first = mm_strdup(err.text);
		if (!strstr(first, failures[i].line) || !strstr(first, failures[i].stage) || !strstr(first, ".log'") ||
		    (failures[i].hint && !strstr(first, failures[i].hint)))
			fail_msg("unexpected: %s", first);
		/* the failure is remembered: same words, and nothing is tried */
		mm_error_clear(&err);
		mm_strings_release(&seen);
		assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
		assert_int_equal(build.state, MM_BUILD_FAILED);
		assert_string_equal(build.failed_stage, failures[i].stage);
		assert_true(mm_fs_exists(build.log));
		assert_int_equal(mm_build_make(&store, cell, &build, &err), MM_ECELL);
		assert_string_equal(err.text, first);
		assert_int_equal(seen.count, 0);
		mm_build_release(&build);
		free(first);
	}
}

static void test_retry(void **state)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	const struct mm_cell *cell = cell_of("no-configure", "standard");
	(void)state;
	store.retry_failed = true;
	mm_strings_release(&seen);
	assert_int_equal(mm_build_prepare(&store, cell, &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell, &build, &err), MM_ECELL);
	assert_true(mm_strings_contain(&seen, "begin configure"));
	assert_true(mm_strings_contain(&seen, "failed configure"));
	mm_build_release(&build);
	store.retry_failed = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),   cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_replaced), cmocka_unit_test(test_strict), cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_retry),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
