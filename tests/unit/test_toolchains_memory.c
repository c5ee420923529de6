/* What is remembered of a toolchain is believed only as long as every one of its programs is the same file. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/cache.h"
#include "toolchains/memory.h"

static char folder[] = "/tmp/mm-memory-XXXXXX";
static char *cc, *cxx, *part, *count;

static void put(const char *path, const char *text, mode_t mode)
{
	struct mm_error err = MM_ERROR_INIT;
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* A compiler that notes each time it is started. */
static void put_compiler(const char *path, const char *version)
{
	char *text = mm_format("#!/bin/sh\necho started >>'%s'\ncase $1 in\n--version) echo 'gcc (made up) %s'; echo 'Copyright (C) Free Software Foundation, Inc.' ;;\n"
			       "-dumpfullversion) echo %s ;;\n-dumpmachine) echo x86_64-linux-gnu ;;\n"
			       "-print-prog-name=cc1) echo '%s' ;;\n-print-prog-name=*) echo none-such ;;\nesac\n",
			       count, version, version, part);
	put(path, text, 0755);
	free(text);
}

static size_t starts(void)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	size_t lines = 0;
	if (mm_fs_exists(count) && mm_fs_read(count, 0, &text, NULL) == 0)
		for (const char *at = mm_buffer_text(&text); (at = strchr(at, '\n')); at++)
			lines++;
	mm_buffer_release(&text);
	return lines;
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	cc = mm_path_join(folder, "gcc");
	cxx = mm_path_join(folder, "g++");
	part = mm_path_join(folder, "cc1");
	count = mm_path_join(folder, "starts");
	put_compiler(cc, "12.2.0");
	put_compiler(cxx, "12.2.0");
	put(part, "the real compiler", 0755);
	return 0;
}

static int drop_folder(void **state)
{
	(void)state;
	free(cc);
	free(cxx);
	free(part);
	free(count);
	return mm_fs_remove_tree(folder, NULL);
}

/* The identity as a store that is opened anew finds it; *STARTED says how often a program was started for it. */
static void find(const struct mm_toolchain_spec *spec, char identity[65], size_t *started)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_build_cache *cache = mm_build_cache_new();
	const struct mm_toolchain *toolchain;
	size_t before = starts();
	cache->work = mm_path_join(folder, "work");
	if (mm_cache_toolchain(cache, spec, &toolchain, &err))
		fail_msg("%s", err.text);
	assert_string_equal(toolchain->version, "12.2.0");
	assert_string_equal(toolchain->target, "x86_64-linux-gnu");
	assert_string_equal(toolchain->cc, cc);
	memcpy(identity, toolchain->identity, 65);
	*started = starts() - before;
	mm_build_cache_free(cache);
}

static void test_memory(void **state)
{
	char name[] = "tc", first[65], second[65];
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC, .cc = cc, .cxx = cxx };
	size_t started;
	(void)state;
	find(&spec, first, &started);
	assert_true(started > 0);
	find(&spec, second, &started);
	assert_int_equal(started, 0);
	assert_string_equal(first, second);
	/* one of its parts is another file */
	put(part, "another compiler!", 0755);
	find(&spec, second, &started);
	assert_true(started > 0);
	assert_string_not_equal(first, second);
	find(&spec, first, &started);
	assert_int_equal(started, 0);
	assert_string_equal(first, second);
	/* with another search path the driver may find others */
	char *path = mm_strdup(getenv("PATH")), *longer = mm_format("%s:/none", path);
	assert_int_equal(setenv("PATH", longer, 1), 0);
	find(&spec, second, &started);
	assert_true(started > 0);
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(longer);
	free(path);
}

/* A damaged or foreign memory costs time, nothing else. */
static void test_damage(void **state)
{
	static const char *const texts[] = { "{", "[]", "{}", "{\"gcc\": 1}" };
	char name[] = "tc", identity[65], again[65];
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC, .cc = cc, .cxx = cxx };
	char *path = mm_path_join(folder, "work/toolchains.json");
	size_t started;
	(void)state;
	find(&spec, identity, &started);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		put(path, texts[i], 0644);
		find(&spec, again, &started);
		assert_true(started > 0);
		assert_string_equal(again, identity);
	}
	free(path);
}

static void test_incomplete(void **state)
{
	char name[] = "tc";
	struct mm_toolchain_spec spec = { .name = name, .family = MM_FAMILY_GCC, .cc = cc, .cxx = cxx };
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	static const char *const keys[] = { "family", "cc", "cxx", "search_path", "version", "banner", "target", "identity",
					    "programs" };
	(void)state;
	assert_int_equal(mm_toolchain_open(&spec, &toolchain, &err), 0);
	json_t *memory = mm_toolchain_remember(toolchain);
	assert_non_null(memory);
	mm_toolchain_free(toolchain);
	toolchain = mm_toolchain_recall(&spec, memory);
	assert_non_null(toolchain);
	mm_toolchain_free(toolchain);
	assert_null(mm_toolchain_recall(&spec, NULL));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		json_t *less = json_deep_copy(memory);
		assert_int_equal(json_object_del(less, keys[i]), 0);
		assert_null(mm_toolchain_recall(&spec, less));
		json_decref(less);
	}
	json_decref(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_incomplete),
	};
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
