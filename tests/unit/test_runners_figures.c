/* Lines that a user's own program prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runners/figures.h"

static void figures(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	mm_pass_init(&pass);
	assert_int_equal(mm_figures_read("# a comment\n\n  startup\t0.5 s\r\nrows 1e3 rows/s\nsize 0 MB lower\n"
					 "score 7 points higher\nwait 3 ms higher",
					 &pass, &err),
			 0);
	assert_int_equal(pass.test_count, 5);
	assert_string_equal(pass.tests[0].name, "startup");
	assert_string_equal(pass.tests[0].unit, "s");
	assert_true(pass.tests[0].value == 0.5 && !pass.tests[0].higher_is_better);
	assert_true(pass.tests[1].value == 1000 && pass.tests[1].higher_is_better);
	assert_true(pass.tests[2].value == 0 && !pass.tests[2].higher_is_better);
	assert_true(pass.tests[3].higher_is_better && pass.tests[4].higher_is_better);
	/* nothing was measured that was not printed */
	assert_true(pass.tests[0].wall_ns == MM_UNKNOWN && pass.tests[0].server_cpu_ns == MM_UNKNOWN);
	mm_pass_release(&pass);
}

static void lines_that_are_wrong(void **state)
{
	static const char *const cases[][2] = {
		{ "", "printed no figure" },
		{ "# nothing\n\n", "printed no figure" },
		{ "one 1", "3 or 4 words" },
		{ "one 1 s lower really", "3 or 4 words" },
		{ "one two s", "must be a number" },
		{ "one 1s s", "must be a number" },
		{ "one nan s", "must be a number" },
		{ "one inf s", "must be a number" },
		{ "one 1e999 s", "must be a number" },
		{ "one -1 s", "must be a number" },
		{ "one 1 gadgets", "say 'lower' or 'higher'" },
		{ "one 1 /s", "say 'lower' or 'higher'" },
		{ "one 1 s faster", "must be 'lower' or 'higher'" },
		{ "one 1 s\ntwo 2 s\none 2 s", "printed before" },
		{ "good 1 s\nthis is no figure at all", "this is no figure" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct mm_pass pass;

		mm_pass_init(&pass);
		assert_int_equal(mm_figures_read(cases[i][0], &pass, &err), MM_ECELL);
		if (strstr(err.text, cases[i][1]) == NULL || strchr(err.text, '\n') != NULL)
			fail_msg("'%s' does not say '%s'", err.text, cases[i][1]);
		mm_pass_release(&pass);
	}
}

static void names_without_end(void **state)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_pass pass;

	(void)state;
	mm_pass_init(&pass);
	mm_buffer_printf(&text, "%0200d 1 s\n", 7);
	assert_int_equal(mm_figures_read(mm_buffer_text(&text), &pass, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "too long"));
	mm_buffer_reset(&text);
	mm_error_clear(&err);
	for (int i = 0; i < 1001; i++)
		mm_buffer_printf(&text, "n%d 1 s\n", i);
	assert_int_equal(mm_figures_read(mm_buffer_text(&text), &pass, &err), MM_ECELL);
	assert_non_null(strstr(err.text, "too many"));
	assert_int_equal(pass.test_count, 1000);
	mm_buffer_release(&text);
	mm_pass_release(&pass);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(names_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
