/* What the doctor makes of a host's facts, and the packages that it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/package.h"
#include "executors/doctor.h"

static enum mm_finding state_of(const json_t *findings, const char *subject, const char **text)
{
	size_t i;
	json_t *finding;
	json_array_foreach(findings, i, finding)
	{
		if (strcmp(mm_json_string(finding, "subject", ""), subject) == 0) {
			if (text)
				*text = mm_json_string(finding, "text", "");
			return mm_finding_state(finding);
		}
	}
	fail_msg("nothing was found about '%s'", subject);
	return MM_FINDING_ERROR;
}

static void test_noisy_host(void **state)
{
	(void)state;
	const struct mm_host host = { .cpu = "x",
				      .governor = "powersave",
				      .turbo = "on",
				      .smt = "on",
				      .thp = "always",
				      .aslr = "2",
				      .virtualisation = "virtual machine",
				      .cpus = 1 };
	const struct mm_machine_time time = { .busy_ns = 900, .idle_ns = 80, .steal_ns = 20 };
	json_t *findings = json_array();
	const char *text;
	mm_doctor_judge_noise(&host, &time, 3.5, findings);
	assert_int_equal(state_of(findings, "cpu frequency", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "turbo", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "SMT", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "huge pages", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "address randomisation", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "virtual machine", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "cpus", NULL), MM_FINDING_NOTE);
	assert_int_equal(state_of(findings, "load", &text), MM_FINDING_WARNING);
	assert_non_null(strstr(text, "3.50"));
	assert_int_equal(state_of(findings, "stolen CPU time", &text), MM_FINDING_WARNING);
	assert_non_null(strstr(text, "2.0%"));
	assert_int_equal(mm_findings_worst(findings), MM_FINDING_WARNING);
	json_decref(findings);
}

static void test_quiet_host(void **state)
{
	(void)state;
	const struct mm_host quiet = { .cpu = "x",
				       .governor = "performance",
				       .turbo = "off",
				       .smt = "off",
				       .thp = "madvise",
				       .aslr = "0",
				       .virtualisation = "none seen",
				       .cpus = 8 };
	const struct mm_host unknown = { .cpu = "unknown",
					 .governor = "unknown",
					 .turbo = "unknown",
					 .smt = "unknown",
					 .thp = "unknown",
					 .aslr = "unknown",
					 .virtualisation = "unknown",
					 .cpus = 8 };
	const struct mm_machine_time idle = { .busy_ns = 10, .idle_ns = 90, .steal_ns = 0 };
	const struct mm_machine_time silent = { MM_UNKNOWN, MM_UNKNOWN, MM_UNKNOWN };
	json_t *findings = json_array();
	mm_doctor_judge_noise(&quiet, &idle, 0.01, findings);
	mm_doctor_judge_noise(&unknown, &silent, -1, findings);
	assert_int_equal(mm_findings_worst(findings), MM_FINDING_OK);
	json_decref(findings);
}

static void test_packages(void **state)
{
	(void)state;
	char *advice = mm_package_advice("cmake");
	assert_string_equal(advice, "install 'cmake' (Debian, Fedora), 'developer/build/cmake' (Solaris)");
	free(advice);
	advice = mm_package_advice("lib:fmt");
	assert_string_equal(advice, "install 'libfmt-dev' (Debian), 'fmt-devel' (Fedora)");
	free(advice);
	assert_null(mm_package_advice("no such thing"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noisy_host),
		cmocka_unit_test(test_quiet_host),
		cmocka_unit_test(test_packages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
