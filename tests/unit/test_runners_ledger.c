/* The ledger: what the first pass leaves, what later ones are told, and files that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
#include "runners/ledger.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/mymatrix-ledger.XXXXXX");
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int drop_folder(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

/* A pass with these answers; what differs, NULL when nothing does. */
static json_t *pass(const char *name, const uint64_t *answers, size_t count, uint64_t checksum)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_ledger ledger;
	json_t *difference;
	char text[32];
	size_t named = 0;

	mm_ledger_begin(&ledger, folder, "classic", name);
	for (size_t i = 0; i < count; i++)
		if (mm_ledger_add(&ledger, answers[i])) {
			snprintf(text, sizeof(text), "select %zu and more", i + 1);
			mm_ledger_name(&ledger, i < 2 ? NULL : "count", text, strlen(text) - strlen(" and more"));
			named++;
		}
	assert_true(named <= 1);
	if (mm_ledger_end(&ledger, checksum, &difference, &err) != 0)
		fail_msg("%s", err.text);
	mm_ledger_release(&ledger);
	return difference;
}

static void the_first_pass_is_the_ledger(void **state)
{
	static const uint64_t answers[] = { 1, 2, 3, UINT64_C(0xdeadbeef00000000), 5 };
	uint64_t other[5];
	json_t *difference;

	(void)state;
	assert_null(pass("select", answers, 5, 0xabc));
	assert_null(pass("select", answers, 5, 0xabc));
	memcpy(other, answers, sizeof(other));
	other[3] = 44; /* the upper half of an answer's digest counts as well */
	other[4] = 55;
	difference = pass("select", other, 5, 0xdef);
	assert_int_equal(mm_json_integer(difference, "statement_number", 0), 4);
	assert_string_equal(mm_json_string(difference, "operation", ""), "count");
	assert_string_equal(mm_json_string(difference, "statement", ""), "select 4");
	assert_string_equal(mm_json_string(difference, "answer", ""), "0000002c");
	assert_string_equal(mm_json_string(difference, "expected", ""), "deadbeef");
	assert_string_equal(mm_json_string(difference, "reference_checksum", ""), "0000000000000abc");
	json_decref(difference);
	/* the ledger stays the first pass's */
	assert_null(pass("select", answers, 5, 0xabc));
	other[0] = 11;
	difference = pass("select", other, 5, 0xdef);
	assert_int_equal(mm_json_integer(difference, "statement_number", 0), 1);
	assert_null(json_object_get(difference, "operation"));
	json_decref(difference);
}

static void more_statements_than_the_ledger_has(void **state)
{
	static const uint64_t answers[] = { 1, 2, 3 };
	json_t *difference;

	(void)state;
	assert_null(pass("select", answers, 2, 1));
	difference = pass("select", answers, 3, 2);
	assert_int_equal(mm_json_integer(difference, "statement_number", 0), 3);
	assert_null(json_object_get(difference, "expected"));
	json_decref(difference);
}

static void tests_have_ledgers_of_their_own(void **state)
{
	static const uint64_t one[] = { 1 }, two[] = { 2 };
	char *path = mm_format("%s/classic/.._x", folder);

	(void)state;
	assert_null(pass("select", one, 1, 1));
	assert_null(pass("insert", two, 1, 2));
	assert_null(pass("../x", two, 1, 2)); /* no name leads out of the folder */
	assert_true(mm_fs_exists(path));
	free(path);
}

static void a_test_that_failed_leaves_none(void **state)
{
	static const uint64_t one[] = { 1 }, two[] = { 2 };
	struct mm_ledger ledger;

	(void)state;
	mm_ledger_begin(&ledger, folder, "classic", "select");
	assert_false(mm_ledger_add(&ledger, two[0]));
	mm_ledger_release(&ledger);
	assert_null(pass("select", one, 1, 1));
	assert_null(pass("select", one, 1, 1));
}

/* Without a folder nothing is compared, kept or written. */
static void no_folder(void **state)
{
	struct mm_ledger ledger;
	json_t *difference;

	(void)state;
	mm_ledger_begin(&ledger, NULL, "classic", "select");
	assert_false(mm_ledger_add(&ledger, 1));
	assert_int_equal(ledger.count, 0);
	assert_int_equal(mm_ledger_end(&ledger, 1, &difference, NULL), 0);
	assert_null(difference);
	mm_ledger_release(&ledger);
}

static void put(const char *path, const char *data, size_t length)
{
	assert_int_equal(mm_fs_write_atomic(path, data, length, NULL), 0);
}

/* A ledger that is cut off, changed, or of another kind is none: the next pass leaves a new one. */
static void damaged_ledgers(void **state)
{
	static const uint64_t answers[] = { 1, 2, 3 }, other[] = { 1, 2, 4 };
	char *path = mm_format("%s/classic/select", folder);
	struct mm_buffer whole = MM_BUFFER_INIT;
	json_t *last;

	(void)state;
	assert_null(pass("select", answers, 3, 1));
	assert_int_equal(mm_fs_read(path, 0, &whole, NULL), 0);
	/* every byte changed, every length that is too short */
	for (size_t i = 0; i < 2 * whole.length; i++) {
		json_t *difference;

		if (i < whole.length) {
			whole.data[i] ^= 1;
			put(path, whole.data, whole.length);
			whole.data[i] ^= 1;
		} else {
			put(path, whole.data, i - whole.length);
		}
		assert_null(pass("select", answers, 3, 1));
		difference = pass("select", other, 3, 2);
		assert_int_equal(mm_json_integer(difference, "statement_number", 0), 3);
		assert_string_equal(mm_json_string(difference, "reference_checksum", ""), "0000000000000001");
		json_decref(difference);
	}
	/* what is no file is none either; a pipe gives way, a folder does not */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(pass("select", answers, 3, 1));
	last = pass("select", other, 3, 2);
	assert_non_null(last);
	json_decref(last);
	mm_buffer_release(&whole);
	free(path);
}

static void a_folder_in_its_place(void **state)
{
	char *path = mm_format("%s/classic/select", folder);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_ledger ledger;
	json_t *difference;

	(void)state;
	assert_int_equal(mm_fs_mkdirs(path, 0755, &err), 0);
	mm_ledger_begin(&ledger, folder, "classic", "select");
	assert_false(mm_ledger_add(&ledger, 1));
	assert_int_equal(mm_ledger_end(&ledger, 1, &difference, &err), MM_EENV);
	assert_non_null(strstr(err.text, path));
	mm_ledger_release(&ledger);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_pass_is_the_ledger, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(more_statements_than_the_ledger_has, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(tests_have_ledgers_of_their_own, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(a_test_that_failed_leaves_none, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(no_folder, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(damaged_ledgers, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(a_folder_in_its_place, make_folder, drop_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
