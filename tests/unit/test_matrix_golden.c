/*
 * Small matrices in, plans and error messages out: golden/matrix/NAME.json and beside it
 *   NAME.plan.json  the plan, when it loads
 *   NAME.error      the message, when it does not
 *   NAME.refused    what mm_matrix_check_supported says, when it loads and asks for what cannot be done yet
 * With MM_UPDATE_GOLDEN=1 in the environment these are written anew: read the difference before committing it.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "matrix/matrix.h"

#define FOLDER MM_TEST_FOLDER "/golden/matrix"

static bool updating(void)
{
	const char *wish = getenv("MM_UPDATE_GOLDEN");
	return wish && strcmp(wish, "1") == 0;
}

/* TEXT with the folder of the test taken out, so that the files are the same wherever the source lies. */
static char *without_folder(const char *text)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	const char *found;
	mm_buffer_puts(&out, "");
	for (; (found = strstr(text, FOLDER)); text = found + strlen(FOLDER) + (found[strlen(FOLDER)] == '/')) {
		mm_buffer_append(&out, text, (size_t)(found - text));
		if (found == text || found[-1] == '"') /* a path in a plan, not the file of a message */
			mm_buffer_puts(&out, found == text ? "" : "@/");
	}
	mm_buffer_puts(&out, text);
	return mm_buffer_detach(&out);
}

/* Compares TEXT (NULL: there must be no such file) with golden file NAME.SUFFIX. */
static void expect(const char *name, const char *suffix, const char *text)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_format("%s/%s.%s", FOLDER, name, suffix);
	if (updating() && text)
		assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	if (updating() && !text)
		(void)unlink(path);
	if (text) {
		struct mm_buffer golden = MM_BUFFER_INIT;
		if (mm_fs_read(path, 0, &golden, &err))
			fail_msg("%s, but the outcome is: %s", err.text, text);
		assert_string_equal(text, mm_buffer_text(&golden));
		mm_buffer_release(&golden);
	} else if (mm_fs_exists(path)) {
		fail_msg("%s is there, but there is no such outcome", path);
	}
	free(path);
}

/* "name.json:LINE:COLUMN: $...: words", one line, no full stop. */
static void check_form(const char *name, const char *text)
{
	char *start = mm_format("%s.json:", name);
	int line = 0, column = 0, used = 0;
	assert_int_equal(strncmp(text, start, strlen(start)), 0);
	assert_int_equal(sscanf(text + strlen(start), "%d:%d: $%n", &line, &column, &used), 2);
	assert_true(line >= 1 && column >= 1 && used > 0);
	assert_null(strchr(text, '\n'));
	assert_true(text[strlen(text) - 1] != '.');
	assert_true(strlen(text) < 1900); /* nothing was cut off by the size of an error */
	free(start);
}

static char *said(const char *name, const struct mm_error *err)
{
	char *plain = without_folder(err->text);
	assert_int_equal(err->code, MM_EMATRIX);
	check_form(name, plain);
	char *line = mm_format("%s\n", plain);
	free(plain);
	return line;
}

static void run(void **state)
{
	const char *name = *state;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_matrix *matrix = NULL;
	char *path = mm_format("%s/%s.json", FOLDER, name), *plan_text = NULL, *error = NULL, *refused = NULL;
	int code = mm_matrix_load(path, NULL, &matrix, &err);
	assert_int_equal(code, err.code);
	if (code) {
		assert_null(matrix);
		error = said(name, &err);
	} else {
		json_t *plan = mm_matrix_plan(matrix);
		char *whole = mm_json_text(plan);
		plan_text = without_folder(whole);
		if (mm_matrix_check_supported(matrix, &err))
			refused = said(name, &err);
		free(whole);
		json_decref(plan);
		mm_matrix_free(matrix);
	}
	/* the name says what is meant, so that an update cannot turn a bad matrix into a good one unseen */
	assert_int_equal(strncmp(name, "bad-", 4) == 0, error != NULL);
	assert_int_equal(strncmp(name, "refused-", 8) == 0, refused != NULL);
	expect(name, "plan.json", plan_text);
	expect(name, "error", error);
	expect(name, "refused", refused);
	free(refused);
	free(error);
	free(plan_text);
	free(path);
}

static int is_input(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 &&
	       !(length > 10 && strcmp(entry->d_name + length - 10, ".plan.json") == 0);
}

/* Golden files whose input is gone. */
static void nothing_left_over(void **state)
{
	(void)state;
	static const char *const suffixes[] = { ".plan.json", ".error", ".refused" };
	DIR *folder = opendir(FOLDER);
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));) {
		size_t length = strlen(entry->d_name);
		for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
			size_t tail = strlen(suffixes[i]);
			if (length <= tail || strcmp(entry->d_name + length - tail, suffixes[i]) != 0)
				continue;
			char *input = mm_format("%s/%.*s.json", FOLDER, (int)(length - tail), entry->d_name);
			if (!mm_fs_exists(input))
				fail_msg("%s has no input beside it", entry->d_name);
			free(input);
		}
	}
	closedir(folder);
}

int main(void)
{
	struct dirent **entries = NULL;
	int count = scandir(FOLDER, &entries, is_input, alphasort);
	if (count < 100) {
		(void)fprintf(stderr, "%s: expected a hundred matrices or more, found %d\n", FOLDER, count);
		return 1;
	}
	struct CMUnitTest *tests = calloc((size_t)count + 1, sizeof *tests);
	for (int i = 0; i < count; i++) {
		char *name = entries[i]->d_name;
		name[strlen(name) - 5] = '\0';
		tests[i] = (struct CMUnitTest){ .name = name, .test_func = run, .initial_state = name };
	}
	tests[count] = (struct CMUnitTest){ .name = "nothing_left_over", .test_func = nothing_left_over };
	int failed = _cmocka_run_group_tests("matrix_golden", tests, (size_t)count + 1, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	free(tests);
	return failed;
}
