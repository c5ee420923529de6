/*
 * Whole builds of a small tree from every kind of source: zip archive, folder, git; with patches, with extra files,
 * against a sysroot. What the built server says tells what it was built from.
 */
#include <archive.h>
#include <archive_entry.h>
#include <git2.h>
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
#include "base/process.h"
#include "builders/build.h"

static const struct {
	const char *name, *content;
} files[] = {
	{ "VERSION",
	  "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=99\nSERVER_MATURITY=stable\n" },
	{ "CMakeLists.txt", "cmake_minimum_required(VERSION 3.5)\nproject(Tiny C CXX)\n"
			    "file(WRITE ${CMAKE_SOURCE_DIR}/written-by-the-build \"as some trees do\")\n"
			    "if(SLOW)\n  execute_process(COMMAND sleep 60)\nendif()\n"
			    "set(extra none)\nset(note none)\n"
			    "if(EXTRA)\n  file(READ ${EXTRA}/word.txt extra)\n  file(READ ${NOTE} note)\nendif()\n"
			    "add_executable(mariadbd main.c)\n"
			    "target_compile_definitions(mariadbd PRIVATE EXTRA=\"${extra}\" NOTE=\"${note}\")\n"
			    "if(DEEP)\n  find_library(deep deep)\n  find_path(deep_h deep.h)\n"
			    "  if(NOT deep OR NOT deep_h)\n    message(FATAL_ERROR \"no deep library\")\n  endif()\n"
			    "  add_executable(generator generator.c)\n  target_link_libraries(generator ${deep})\n"
			    "  add_custom_command(OUTPUT made.h COMMAND generator > made.h)\n"
			    "  add_custom_target(made DEPENDS made.h)\n  add_dependencies(mariadbd made)\n"
			    "  target_compile_definitions(mariadbd PRIVATE DEEP)\n"
			    "  target_include_directories(mariadbd PRIVATE ${CMAKE_BINARY_DIR})\n"
			    "  target_link_libraries(mariadbd ${deep})\nendif()\n"
			    "install(TARGETS mariadbd DESTINATION bin)\n" },
	{ "generator.c", "#include <stdio.h>\n#include <deep.h>\n"
			 "int main(void) { return printf(\"#define MADE %d\\n\", deep() + DEEP_H) < 0; }\n" },
	{ "main.c", "#include <stdio.h>\n"
		    "#include \"word.h\"\n"
		    "#ifdef DEEP\n#include <deep.h>\n#include \"made.h\"\n#else\n"
		    "#define MADE 0\nstatic int deep(void) { return 0; }\n#endif\n"
		    "int main(int argc, char **argv)\n{\n"
		    "\tprintf(\"%s  Ver 10.11.99-MariaDB (word=%s extra=%s note=%s deep=%d made=%d)\\n\",\n"
		    "\t       argv[argc - argc], WORD, EXTRA, NOTE, deep(), MADE);\n\treturn 0;\n}\n" },
	{ "word.h", "/* one */\n/* two */\n#define WORD \"plain\"\n/* four */\n/* five */\n" },
};

#define PATCH(old, new)                                                                                                \
	"--- a/word.h\n+++ b/word.h\n@@ -1,5 +1,5 @@\n /* one */\n /* two */\n-#define WORD \"" old                    \
	"\"\n+#define WORD \"" new "\"\n /* four */\n /* five */\n"

#define BUILD "\"build\": { \"targets\": [\"all\"], \"options\": ["

static const char sources[] =
	"    \"zip\": { \"tarball\": \"tree.zip\", " BUILD "] } },\n"
	"    \"folder\": { \"directory\": \".\", " BUILD "] } },\n"
	"    \"git\": { \"git\": \"repo\", \"ref\": \"main\", " BUILD "] } },\n"
	"    \"patched\": { \"tarball\": \"tree.zip\", \"patches\": [\"debian/patches/series\"], " BUILD "] } },\n"
	"    \"patched-git\": { \"git\": \"repo\", \"ref\": \"main\", \"patches\": [\"debian/patches\"], " BUILD
	"] } },\n"
	"    \"misfit\": { \"tarball\": \"tree.zip\", \"patches\": [\"debian/patches/series\", \"late.patch\"], " BUILD
	"] } },\n"
	"    \"extra\": { \"tarball\": \"tree.zip\", \"extra\": [\"words.zip\", \"note.txt\"], " BUILD
	"\"-DEXTRA=@extra:words.zip@\", \"-DNOTE=@extra:note.txt@\"] } },\n"
	"    \"deep\": { \"tarball\": \"tree.zip\", " BUILD "\"-DDEEP=ON\"] } },\n"
	"    \"slow\": { \"tarball\": \"tree.zip\", " BUILD "\"-DSLOW=ON\"] } }";

static char folder[] = "/tmp/mm-sources-XXXXXX";
static char *work;
static struct mm_matrix *matrix;
static struct mm_store store;
static struct mm_strings seen = MM_STRINGS_INIT; /* "begin STAGE" and "reused STAGE" */

static void note_event(void *context, const struct mm_event *event)
{
	(void)context;
	if (event->kind == MM_EVENT_BEGIN || event->kind == MM_EVENT_REUSED)
		mm_strings_pushf(&seen, "%s %s", event->kind == MM_EVENT_BEGIN ? "begin" : "reused", event->stage);
}

static void put(const char *name, const char *content)
{
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	struct mm_error err = MM_ERROR_INIT;
	if (mm_fs_mkdirs(parent, 0755, &err) || mm_fs_write_atomic(path, content, strlen(content), &err))
		fail_msg("%s", err.text);
	free(parent);
	free(path);
}

static void add(struct archive *writer, const char *name, const char *content)
{
	struct archive_entry *entry = archive_entry_new();
	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_mtime(entry, 1000000000, 0);
	archive_entry_set_size(entry, (la_int64_t)strlen(content));
	assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(writer, content, strlen(content)), strlen(content));
	archive_entry_free(entry);
}

static struct archive *begin_zip(const char *name)
{
	char *path = mm_path_join(folder, name);
	struct archive *writer = archive_write_new();
	assert_int_equal(archive_write_set_format_zip(writer), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(writer, path), ARCHIVE_OK);
	free(path);
	return writer;
}

static void finish_zip(struct archive *writer)
{
	assert_int_equal(archive_write_close(writer), ARCHIVE_OK);
	archive_write_free(writer);
}

static void commit_tree(const char *word)
{
	git_repository *repository;
	git_treebuilder *builder;
	git_signature *who;
	git_tree *tree;
	git_commit *parent = NULL;
	git_oid id, tip;
	char *path = mm_path_join(folder, "repo");
	assert_true(git_libgit2_init() > 0);
	assert_int_equal(git_repository_init(&repository, path, 0), 0);
	assert_int_equal(git_treebuilder_new(&builder, repository, NULL), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *content = strcmp(files[i].name, "word.h") == 0 ? word : files[i].content;
		assert_int_equal(git_blob_create_from_buffer(&id, repository, content, strlen(content)), 0);
		assert_int_equal(git_treebuilder_insert(NULL, builder, files[i].name, &id, GIT_FILEMODE_BLOB), 0);
	}
	assert_int_equal(git_treebuilder_write(&id, builder), 0);
	assert_int_equal(git_tree_lookup(&tree, repository, &id), 0);
	assert_int_equal(git_signature_new(&who, "A", "a@example.org", 1000000000, 0), 0);
	if (git_reference_name_to_id(&tip, repository, "refs/heads/main") == 0)
		assert_int_equal(git_commit_lookup(&parent, repository, &tip), 0);
	const git_commit *parents[] = { parent };
	assert_int_equal(git_commit_create(&id, repository, "refs/heads/main", who, who, NULL, "m", tree,
					   parent ? 1 : 0, parents),
			 0);
	git_commit_free(parent);
	git_signature_free(who);
	git_tree_free(tree);
	git_treebuilder_free(builder);
	git_repository_free(repository);
	(void)git_libgit2_shutdown();
	free(path);
}

static void load(const char *bits, const char *more)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix_overrides overrides;
	char *path = mm_path_join(folder, "MATRIX.json");
	char *text = mm_format(
		"{ \"mymatrix\": 1, \"sources\": {\n%s },\n%s"
		"  \"toolchains\": { \"gcc\": { \"family\": \"gcc\" } }, \"flags\": { \"f\": { \"*\": \"-O1\" } },\n"
		"  \"matrix\": { \"source\": [\"zip\", \"folder\", \"git\", \"patched\", \"patched-git\", "
		"\"misfit\", \"extra\", \"deep\", \"slow\"], \"toolchain\": [\"gcc\"], \"bits\": [%s], "
		"\"flags\": [\"f\"] },\n  \"build\": { \"keep\": \"never\" } }\n",
		sources, more, bits);
	put("MATRIX.json", text);
	mm_matrix_free(matrix);
	mm_matrix_overrides_init(&overrides);
	if (mm_matrix_load(path, &overrides, &matrix, &err))
		fail_msg("%s", err.text);
	mm_matrix_overrides_release(&overrides);
	store = (struct mm_store){ .work = work, .jobs = 2, .policy = &matrix->build, .matrix = matrix };
	free(text);
	free(path);
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	work = mm_path_join(folder, ".mymatrix"); /* inside the folder that is a source itself */
	struct archive *zip = begin_zip("tree.zip");
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *name = mm_format("tiny/%s", files[i].name);
		add(zip, name, files[i].content);
		free(name);
		put(files[i].name, files[i].content);
	}
	finish_zip(zip);
	zip = begin_zip("words.zip");
	add(zip, "words-1.0/word.txt", "unpacked");
	finish_zip(zip);
	put("word.h", "#define WORD \"folder\"\n");
	put("note.txt", "noted");
	put("tree.zip.asc", "-----BEGIN PGP SIGNATURE-----\n");
	put("debian/patches/one", PATCH("plain", "first"));
	put("debian/patches/two", PATCH("first", "second"));
	put("debian/patches/series", "one\ntwo\n");
	put("late.patch", PATCH("plain", "late"));
	commit_tree("/* one */\n/* two */\n#define WORD \"plain\"\n/* four */\n/* five */\n");
	mm_event_set_sink(note_event, NULL);
	load("\"native\"", "");
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	mm_event_set_sink(NULL, NULL);
	mm_strings_release(&seen);
	mm_matrix_free(matrix);
	free(work);
	return mm_fs_remove_tree(folder, NULL);
}

static const struct mm_cell *cell_of(const char *source, const char *bits)
{
	char *id = mm_format("%s/gcc/%s/f", source, bits);
	const struct mm_cell *cell = mm_matrix_cell(matrix, id);
	assert_non_null(cell);
	free(id);
	return cell;
}

static void build_well(const char *source, const char *bits, struct mm_build *build)
{
	struct mm_error err = MM_ERROR_INIT;
	mm_strings_release(&seen);
	if (mm_build_prepare(&store, cell_of(source, bits), build, &err) ||
	    mm_build_make(&store, cell_of(source, bits), build, &err))
		fail_msg("%s", err.text);
	assert_int_equal(build->state, MM_BUILD_DONE);
}

/* The built server says TEXT. */
static void assert_says(const struct mm_build *build, const char *text)
{
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	char *argv[] = { build->server, NULL };
	struct mm_process_spec spec = { .argv = argv, .output = &output };
	assert_int_equal(mm_process_run(&spec, &result, NULL), 0);
	if (!strstr(mm_buffer_text(&output), text))
		fail_msg("'%s' is not in: %s", text, mm_buffer_text(&output));
	mm_buffer_release(&output);
}

static const json_t *source_of(const struct mm_build *build)
{
	return json_object_get(build->inputs, "source");
}

static void test_zip(void **state)
{
	struct mm_build build;
	(void)state;
	build_well("zip", "native", &build);
	assert_says(&build, "word=plain extra=none");
	assert_string_equal(build.signature, "tree.zip.asc");
	json_t *record = mm_build_json(&build);
	assert_string_equal(mm_json_string(record, "signature", ""), "tree.zip.asc");
	json_decref(record);
	mm_build_release(&build);
}

static void test_folder(void **state)
{
	struct mm_build build;
	char key[MM_BUILD_KEY], *written = mm_path_join(folder, "written-by-the-build");
	(void)state;
	build_well("folder", "native", &build);
	assert_says(&build, "word=folder");
	assert_string_equal(mm_json_string(source_of(&build), "kind", ""), "directory");
	assert_false(mm_fs_exists(written)); /* the tree that somebody works in is as it was */
	memcpy(key, build.key, sizeof key);
	mm_build_release(&build);
	build_well("folder", "native", &build);
	assert_true(mm_strings_contain(&seen, "reused build"));
	assert_string_equal(build.key, key);
	mm_build_release(&build);
	/* a changed file is another build */
	put("word.h", "#define WORD \"edited\"\n");
	build_well("folder", "native", &build);
	assert_string_not_equal(build.key, key);
	assert_says(&build, "word=edited");
	mm_build_release(&build);
	free(written);
}

static void test_git(void **state)
{
	struct mm_build build;
	char key[MM_BUILD_KEY];
	(void)state;
	build_well("git", "native", &build);
	assert_says(&build, "word=plain");
	assert_int_equal(strlen(mm_json_string(source_of(&build), "commit", "")), 40);
	memcpy(key, build.key, sizeof key);
	mm_build_release(&build);
	commit_tree("#define WORD \"next commit\"\n");
	build_well("git", "native", &build);
	assert_string_not_equal(build.key, key);
	assert_says(&build, "word=next commit");
	mm_build_release(&build);
	commit_tree("/* one */\n/* two */\n#define WORD \"plain\"\n/* four */\n/* five */\n");
}

static unsigned folders;

static int count_versions(void *context, const char *path, const char *relative)
{
	(void)context;
	(void)path;
	folders += strstr(relative, "/VERSION") != NULL;
	return 0;
}

/* Source trees in the store. */
static unsigned trees(void)
{
	char *path = mm_path_join(work, "sources");
	struct mm_error err = MM_ERROR_INIT;
	folders = 0;
	assert_int_equal(mm_fs_walk(path, count_versions, NULL, &err), 0);
	free(path);
	return folders;
}

static void test_patches(void **state)
{
	struct mm_build build, again;
	(void)state;
	build_well("patched", "native", &build);
	assert_true(mm_strings_contain(&seen, "begin patch"));
	assert_says(&build, "word=second");
	const json_t *patches = json_object_get(source_of(&build), "patches");
	assert_int_equal(json_array_size(patches), 2);
	assert_string_equal(mm_json_string(json_array_get(patches, 1), "file", ""), "two");
	build_well("zip", "native", &again); /* the tree as it came is untouched, and so is its build */
	assert_string_not_equal(build.key, again.key);
	assert_says(&again, "word=plain");
	mm_build_release(&again);
	mm_build_release(&build);
	/* another patch is another build, from another tree */
	unsigned before = trees();
	put("debian/patches/two", PATCH("first", "third"));
	build_well("patched", "native", &build);
	assert_says(&build, "word=third");
	assert_int_equal(trees(), before + 1);
	mm_build_release(&build);
	build_well("patched-git", "native", &build);
	assert_says(&build, "word=third");
	mm_build_release(&build);
}

static void test_patch_that_does_not_apply(void **state)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	unsigned before = trees();
	(void)state;
	assert_int_equal(mm_build_prepare(&store, cell_of("misfit", "native"), &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell_of("misfit", "native"), &build, &err), MM_ECELL);
	assert_string_equal(build.failed_stage, "patch");
	assert_string_equal(build.failure, "patch 'late.patch' does not apply to 'word.h': hunk #1 fails at line 1");
	assert_non_null(strstr(err.text, "hunk #1"));
	assert_int_equal(trees(), before); /* nothing half patched is left */
	mm_build_release(&build);
}

static void test_extra(void **state)
{
	struct mm_build build;
	(void)state;
	build_well("extra", "native", &build);
	assert_says(&build, "extra=unpacked note=noted");
	assert_int_equal(json_array_size(json_object_get(source_of(&build), "extra")), 2);
	char key[MM_BUILD_KEY];
	memcpy(key, build.key, sizeof key);
	mm_build_release(&build);
	put("note.txt", "changed");
	build_well("extra", "native", &build);
	assert_string_not_equal(build.key, key);
	assert_says(&build, "note=changed");
	mm_build_release(&build);
}

/* A library of one's own that only the sysroot has: configured, compiled, used while building, and by the server. */
static void test_sysroot(void **state)
{
	const char *bits = sizeof(void *) == 8 ? "64" : "32";
	struct mm_build build;
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	put("root/usr/include/deep.h", "int deep(void);\n#define DEEP_H 100\n");
	put("deep.c", "int deep(void) { return 42; }\n");
	put("root/usr/lib/none", "");
	char *library = mm_path_join(folder, "root/usr/lib/libdeep.so"), *source = mm_path_join(folder, "deep.c");
	char *argv[] = {
		(char[]){ "gcc" }, (char[]){ "-shared" }, (char[]){ "-fPIC" }, (char[]){ "-o" }, library, source, NULL
	};
	struct mm_process_spec spec = { .argv = argv };
	assert_int_equal(mm_process_run(&spec, &result, &err), 0);
	assert_int_equal(result.exit_status, 0);
	assert_int_equal(mm_build_prepare(&store, cell_of("deep", "native"), &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell_of("deep", "native"), &build, &err), MM_ECELL);
	assert_non_null(strstr(build.failure, "no deep library")); /* the machine does not have it */
	mm_build_release(&build);
	char *text = mm_format("  \"sysroots\": { \"%s\": { \"directory\": \"root\" } },\n", bits),
	     *axis = mm_format("%s", bits);
	load(axis, text);
	build_well("deep", bits, &build);
	assert_non_null(json_object_get(build.inputs, "sysroot"));
	assert_int_equal(mm_fs_remove_tree(library, &err), 0); /* it is the store's copy that counts */
	assert_says(&build, "deep=42 made=142");
	mm_build_release(&build);
	load("\"native\"", "");
	free(axis);
	free(text);
	free(source);
	free(library);
}

static void test_timeout(void **state)
{
	struct mm_build build;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_build_policy hurried = matrix->build;
	(void)state;
	hurried.timeout_seconds = 1;
	store.policy = &hurried;
	assert_int_equal(mm_build_prepare(&store, cell_of("slow", "native"), &build, &err), 0);
	assert_int_equal(mm_build_make(&store, cell_of("slow", "native"), &build, &err), MM_ECELL);
	store.policy = &matrix->build;
	assert_string_equal(build.failed_stage, "configure");
	assert_string_equal(build.failure, "stopped after 1 seconds");
	assert_non_null(strstr(build.hint, "build.timeout"));
	mm_build_release(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zip),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_git),
		cmocka_unit_test(test_patches),
		cmocka_unit_test(test_patch_that_does_not_apply),
		cmocka_unit_test(test_extra),
		cmocka_unit_test(test_sysroot),
		cmocka_unit_test(test_timeout),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
