/*
 * The flag traps that trees and build environments are known for, planted in a small tree that real CMake and Ninja
 * build through the wrapper: with enforcement the cell's level is the effective one, and the audit names the trap.
 * The same tree built by the pair that stands in for Sun Studio, from configure to install.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/audit.h"
#include "toolchains/wrap.h"

static const struct {
	const char *name, *content;
} tree[] = {
	{ "CMakeLists.txt",
	  "cmake_minimum_required(VERSION 3.5)\nproject(Traps C CXX)\n"
	  "if(TRAP STREQUAL \"mysql_release\")\n"
	  "  set(CMAKE_C_FLAGS_RELWITHDEBINFO \"-O3 -g -fno-omit-frame-pointer -fno-strict-aliasing -DDBUG_OFF\")\n"
	  "  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO \"-O3 -g -fno-omit-frame-pointer -fno-strict-aliasing -DDBUG_OFF\")\n"
	  "endif()\n"
	  "include(CheckCSourceCompiles)\n"
	  "check_c_source_compiles(\"#include <string.h>\\nint main(void) { return (int)strlen(\\\"\\\"); }\" "
	  "HAVE_STRLEN)\n"
	  "if(NOT HAVE_STRLEN)\n  message(FATAL_ERROR \"a try of configure fails\")\nendif()\n"
	  "add_library(part STATIC sub/part.c sub/lowered.c)\n"
	  "if(NOT CMAKE_C_COMPILER_ID STREQUAL \"SunPro\")\n"
	  "  set_source_files_properties(sub/lowered.c PROPERTIES COMPILE_FLAGS -O1)\nelse()\n"
	  "  set_source_files_properties(sub/lowered.c PROPERTIES COMPILE_FLAGS -xO1)\nendif()\n"
	  "add_executable(server main.cc)\ntarget_link_libraries(server part)\n"
	  "install(TARGETS server DESTINATION bin)\n" },
	{ "sub/part.c",
	  "#ifdef __OPTIMIZE__\nint part(void) { return 1; }\n#else\nint part(void) { return 0; }\n#endif\n" },
	{ "sub/lowered.c",
	  "#ifdef __OPTIMIZE__\nint lowered(void) { return 2; }\n#else\nint lowered(void) { return 0; }\n#endif\n" },
	{ "main.cc",
	  "#include <cstdio>\n#include <string>\nextern \"C\" int part(void), lowered(void);\n"
	  "#ifdef __OPTIMIZE__\nstatic const int own = 4;\n#else\nstatic const int own = 0;\n#endif\n"
	  "int main() { std::string name(\"optimized\"); std::printf(\"%s %d\\n\", name.c_str(), own + part() + "
	  "lowered()); return 0; }\n" },
};

static char folder[] = "/tmp/mm-traps-XXXXXX";
static char *source, *build, *cell, *prefix;
static struct mm_jobserver jobs;

static int make_folder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	assert_non_null(mkdtemp(folder));
	source = mm_path_join(folder, "source");
	build = mm_path_join(folder, "build");
	cell = mm_path_join(folder, "cell");
	prefix = mm_path_join(folder, "prefix");
	char *sub = mm_path_join(source, "sub"), *budget = mm_path_join(folder, "jobs");
	assert_int_equal(mm_fs_mkdirs(sub, 0755, &err), 0);
	for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
		char *path = mm_path_join(source, tree[i].name);
		assert_int_equal(mm_fs_write_atomic(path, tree[i].content, strlen(tree[i].content), &err), 0);
		free(path);
	}
	assert_int_equal(mm_jobserver_start(&jobs, budget, 2, &err), 0);
	free(budget);
	free(sub);
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	mm_jobserver_stop(&jobs);
	free(source);
	free(build);
	free(cell);
	free(prefix);
	return mm_fs_remove_tree(folder, NULL);
}

static struct mm_toolchain *open_toolchain(enum mm_family family, const char *cc, const char *cxx,
					   struct mm_toolchain_spec *spec)
{
	static char name[] = "tc";
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	*spec = (struct mm_toolchain_spec){
		.name = name, .family = family, .cc = mm_strdup(cc), .cxx = mm_strdup(cxx)
	};
	if (mm_toolchain_open(spec, &toolchain, &err))
		fail_msg("%s", err.text);
	return toolchain;
}

static void run(const struct mm_strings *argv, const char *environment, struct mm_buffer *output)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process_result result;
	struct mm_error err = MM_ERROR_INIT;
	mm_process_clean_env(&env, folder);
	if (environment)
		mm_strings_push(&env, environment);
	mm_buffer_reset(output);
	struct mm_process_spec spec = {
		.argv = argv->items, .env = env.items, .output = output, .timeout_seconds = 900
	};
	if (mm_process_run(&spec, &result, &err))
		fail_msg("%s", err.text);
	if (result.exit_status)
		fail_msg("'%s' fails: %s", argv->items[0], mm_buffer_text(output));
	mm_strings_release(&env);
}

static void push_all(struct mm_strings *argv, const char *const *words)
{
	for (; *words; words++)
		mm_strings_push(argv, *words);
}

/* What is built, and how. */
struct attempt {
	enum mm_enforce enforce;
	const char *flags; /* of both languages */
	const char *trap;  /* the tree's, "" for none */
	const char *type;  /* CMAKE_BUILD_TYPE */
	const char *user;  /* CMAKE_C_FLAGS and CMAKE_CXX_FLAGS, NULL: not given */
	const char *environment;
};

/* Configures, builds, installs and runs; OUTPUT is what the program says. */
static void build_tree(const struct mm_toolchain *toolchain, const struct attempt *attempt, struct mm_flag_audit *audit,
		       struct mm_buffer *output)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_wrapped wrapped;
	char none[] = "", *words = mm_strdup(attempt->flags);
	struct mm_flag_words flags = { words, words, none, none };
	struct mm_wrap_request request = { toolchain, 64, &flags, attempt->enforce, jobs.folder };
	struct mm_strings argv = MM_STRINGS_INIT;
	assert_int_equal(mm_fs_remove_tree(cell, &err), 0);
	assert_int_equal(mm_fs_remove_tree(build, &err), 0);
	assert_int_equal(mm_fs_remove_tree(prefix, &err), 0);
	if (mm_wrap(&request, cell, &wrapped, &err))
		fail_msg("%s", err.text);
	push_all(&argv, (const char *const[]){ "cmake", "-G", "Ninja", "-S", source, "-B", build, NULL });
	mm_strings_pushf(&argv, "-DCMAKE_C_COMPILER=%s", wrapped.cc);
	mm_strings_pushf(&argv, "-DCMAKE_CXX_COMPILER=%s", wrapped.cxx);
	mm_strings_pushf(&argv, "-DCMAKE_BUILD_TYPE=%s", attempt->type);
	mm_strings_pushf(&argv, "-DCMAKE_INSTALL_PREFIX=%s", prefix);
	mm_strings_pushf(&argv, "-DTRAP=%s", attempt->trap);
	if (attempt->user) {
		mm_strings_pushf(&argv, "-DCMAKE_C_FLAGS=%s", attempt->user);
		mm_strings_pushf(&argv, "-DCMAKE_CXX_FLAGS=%s", attempt->user);
	}
	run(&argv, attempt->environment, output);
	mm_strings_release(&argv);
	push_all(&argv, (const char *const[]){ "ninja", "-C", build, "-j4", "install", NULL });
	run(&argv, NULL, output);
	mm_strings_release(&argv);
	mm_strings_pushf(&argv, "%s/bin/server", prefix);
	run(&argv, NULL, output);
	mm_strings_release(&argv);
	struct mm_audit_request what = { .family = toolchain->spec->family,
					 .bits_option = mm_toolchain_bits_option(toolchain, 64),
					 .flags = &flags,
					 .enforce = attempt->enforce,
					 .source = source,
					 .build = build };
	if (mm_audit_read(wrapped.log, &what, audit, &err))
		fail_msg("%s", err.text);
	assert_int_equal(audit->damaged, 0);
	assert_int_equal(audit->foreign, 0);
	assert_int_equal(audit->unit_count, 3);
	assert_int_equal(audit->links, 1);
	assert_true(audit->probes > 0);
	/* every token came back */
	assert_int_equal(mm_jobserver_reclaim(&jobs), 0);
	mm_wrapped_release(&wrapped);
	free(words);
}

static void assert_says(const struct mm_flag_audit *audit, const char *words)
{
	json_t *detail = mm_audit_detail(audit);
	char *text = mm_audit_text(detail);
	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
	free(text);
	json_decref(detail);
}

static void close_toolchain(struct mm_toolchain *toolchain, struct mm_toolchain_spec *spec)
{
	mm_toolchain_free(toolchain);
	free(spec->cc);
	free(spec->cxx);
}

/* Each trap without enforcement, where it springs, and with it, where it does not. */
static void test_traps(void **state)
{
	static const struct {
		const char *trap, *type, *user, *environment, *named;
	} traps[] = {
		{ "relwithdebinfo", "RelWithDebInfo", "-O0", NULL, "CMake's flags of build type RelWithDebInfo" },
		{ "mysql_release", "RelWithDebInfo", "-O0", NULL, "BUILD_CONFIG=mysql_release" },
		{ "environment", "None", NULL,
		  "CXXFLAGS=-g -O2 -fstack-protector-strong -Wformat -Werror=format-security",
		  "dpkg-buildflags, by the environment or the tree" },
	};
	struct mm_toolchain_spec spec;
	struct mm_toolchain *toolchain = open_toolchain(MM_FAMILY_GCC, "gcc", "g++", &spec);
	struct mm_buffer output = MM_BUFFER_INIT;
	(void)state;
	for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
		struct attempt attempt = { .enforce = MM_ENFORCE_NONE,
					   .flags = "-O0",
					   .trap = traps[i].trap,
					   .type = traps[i].type,
					   .user = traps[i].user,
					   .environment = traps[i].environment };
		struct mm_flag_audit audit;
		build_tree(toolchain, &attempt, &audit, &output);
		assert_string_not_equal(output.data, "optimized 0\n");
		assert_true(audit.in_force < 3);
		assert_true(audit.deviates);
		assert_says(&audit, traps[i].named);
		assert_says(&audit, "did not get the requested flags");
		mm_audit_release(&audit);
		attempt.enforce = MM_ENFORCE_LEVEL;
		build_tree(toolchain, &attempt, &audit, &output);
		assert_string_equal(output.data, "optimized 0\n");
		assert_int_equal(audit.in_force, 3);
		assert_says(&audit, traps[i].named);
		mm_audit_release(&audit);
	}
	close_toolchain(toolchain, &spec);
	mm_buffer_release(&output);
}

/* A file whose level the tree lowers for itself. */
static void test_lowered_file(void **state)
{
	struct mm_toolchain_spec spec;
	struct mm_toolchain *toolchain = open_toolchain(MM_FAMILY_GCC, "gcc", "g++", &spec);
	struct mm_buffer output = MM_BUFFER_INIT;
	struct attempt attempt = {
		.enforce = MM_ENFORCE_LEVEL, .flags = "-O2 -DNDEBUG", .trap = "", .type = "None", .environment = NULL
	};
	struct mm_flag_audit audit;
	(void)state;
	build_tree(toolchain, &attempt, &audit, &output);
	assert_string_equal(output.data, "optimized 7\n");
	assert_int_equal(audit.exact, 3);
	assert_int_equal(audit.warnings.count, 0);
	assert_int_equal(audit.lowered.count, 1);
	assert_string_equal(audit.lowered.items[0].name, "-O1 sub/lowered.c");
	mm_audit_release(&audit);
	/* not enforced: handed to the tree as a packager would, and its own level for the file wins */
	attempt.enforce = MM_ENFORCE_NONE;
	attempt.user = attempt.flags;
	build_tree(toolchain, &attempt, &audit, &output);
	assert_int_equal(audit.in_force, 2);
	assert_says(&audit, "sub/lowered.c: '-O1' holds instead of '-O2'");
	mm_audit_release(&audit);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_strings builtin = MM_STRINGS_INIT;
	char words[] = "-O2 -fno-stack-protector", none[] = "";
	struct mm_flag_words flags = { words, words, none, none };
	if (mm_audit_builtin(toolchain, "-m64", &flags, &builtin, &err))
		fail_msg("%s", err.text);
	assert_false(mm_strings_contain(&builtin, "stack protector"));
	assert_false(mm_strings_contain(&builtin, "fast math"));
	mm_strings_release(&builtin);
	close_toolchain(toolchain, &spec);
	mm_buffer_release(&output);
}

/* From configure to install by compilers that know Studio's command line and no other. */
static void test_studio(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_toolchain_spec spec;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_flag_audit audit;
	char *bin = mm_path_join(folder, "studio"), *cc = mm_path_join(bin, "cc"), *cxx = mm_path_join(bin, "CC");
	(void)state;
	assert_int_equal(mm_fs_mkdirs(bin, 0755, &err), 0);
	assert_int_equal(symlink(MM_STUDIO_STANDIN, cc), 0);
	assert_int_equal(symlink(MM_STUDIO_STANDIN, cxx), 0);
	struct mm_toolchain *toolchain = open_toolchain(MM_FAMILY_SUNSTUDIO, cc, cxx, &spec);
	struct attempt attempt = { .enforce = MM_ENFORCE_LEVEL,
				   .flags = "-xO4 -mt",
				   .trap = "",
				   .type = "RelWithDebInfo",
				   .environment = NULL };
	build_tree(toolchain, &attempt, &audit, &output);
	assert_string_equal(output.data, "optimized 7\n");
	assert_int_equal(audit.in_force, 3);
	assert_string_equal(audit.units[0].level, "-xO4");
	assert_int_equal(audit.lowered.count, 3); /* the type's -xO2, and the file's own -xO1 */
	assert_says(&audit, "CMake's flags of build type RelWithDebInfo");
	mm_audit_release(&audit);
	close_toolchain(toolchain, &spec);
	free(bin);
	free(cc);
	free(cxx);
	mm_buffer_release(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traps),
		cmocka_unit_test(test_lowered_file),
		cmocka_unit_test(test_studio),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
