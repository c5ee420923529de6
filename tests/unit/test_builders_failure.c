/* What is told of a failed build: the line that matters, and what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "builders/failure.h"

static const struct {
	const char *log;
	const char *line; /* the whole line */
	const char *hint; /* words of the hint; NULL: none */
} cases[] = {
	{ "[1/3] Building CXX object a.o\nFAILED: a.o\n/usr/bin/c++ -Werror=format -c a.cc\n"
	  "a.cc:3:1: error: 'x' was not declared\na.cc:9:1: error: second\nninja: build stopped: subcommand failed.\n",
	  "a.cc:3:1: error: 'x' was not declared", NULL },
	{ "-- Looking for an error: no\nCMake Error at cmake/readline.cmake:65 (MESSAGE):\n  Curses library not found. "
	  " "
	  "Please install appropriate package,\n\n-- Configuring incomplete, errors occurred!\n",
	  "CMake Error at cmake/readline.cmake:65 (MESSAGE): Curses library not found.  Please install appropriate "
	  "package,",
	  "libncurses-dev" },
	{ "CMake Error at cmake/libfmt.cmake:44 (MESSAGE):\n  system libfmt library is not found or unusable\n",
	  "CMake Error at cmake/libfmt.cmake:44 (MESSAGE): system libfmt library is not found or unusable",
	  "libfmt-dev" },
	{ "CMake Error at cmake/pcre.cmake:100 (MESSAGE):\n  system pcre2-8 library is not found or unusable\n",
	  "CMake Error at cmake/pcre.cmake:100 (MESSAGE): system pcre2-8 library is not found or unusable",
	  "libpcre2-dev" },
	{ "CMake Error at cmake/ssl.cmake:169 (MESSAGE):\n  Cannot find appropriate system libraries for SSL.  Use "
	  "WITH_SSL=bundled\n",
	  "CMake Error at cmake/ssl.cmake:169 (MESSAGE): Cannot find appropriate system libraries for SSL.  Use "
	  "WITH_SSL=bundled",
	  "libssl-dev" },
	{ "/usr/bin/ld: skipping incompatible /usr/lib/libz.so when searching for -lz\n/usr/bin/ld: cannot find -lz: "
	  "No "
	  "such file\ncollect2: error: ld returned 1 exit status\n",
	  "/usr/bin/ld: skipping incompatible /usr/lib/libz.so when searching for -lz", "32-bit" },
	{ "In file included from /usr/include/features.h:510,\n/usr/include/gnu/stubs.h:7:11: fatal error: "
	  "gnu/stubs-32.h: No such file or directory\n",
	  "/usr/include/gnu/stubs.h:7:11: fatal error: gnu/stubs-32.h: No such file or directory", "gcc-multilib" },
	{ "c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
	  "c++: fatal error: Killed signal terminated program cc1plus", "memory" },
	{ "/tmp/x.s: Assembler messages:\n/tmp/x.s: Fatal error: can't write 12 bytes to section .text: 'No space left "
	  "on "
	  "device'\n",
	  "/tmp/x.s: Fatal error: can't write 12 bytes to section .text: 'No space left on device'", "room" },
	{ "ninja: error: unknown target 'mysqldd', did you mean 'mysqld'?\n",
	  "ninja: error: unknown target 'mysqldd', did you mean 'mysqld'?", "build.targets" },
	{ "-- trying https://example.org/fmt.zip\n-- fatal: unable to access: Could not resolve host: "
	  "example.org\nCMake "
	  "Error at download.cmake:170 (message):\n  Each download failed! Could not resolve host\n",
	  "CMake Error at download.cmake:170 (message): Each download failed! Could not resolve host", "download" },
	{ "sbin/mariadbd: error while loading shared libraries: libpcre2-8.so.0: cannot open shared object file: No "
	  "such "
	  "file or directory\n",
	  "sbin/mariadbd: error while loading shared libraries: libpcre2-8.so.0: cannot open shared object file: No "
	  "such "
	  "file or directory",
	  "packages" },
	{ "a.c:(.text+0x5): undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n",
	  "a.c:(.text+0x5): undefined reference to `f'", NULL },
	{ "  one thing\n\n  the last word  \n\n", "the last word", NULL },
	{ "", "no message", NULL },
};

static void test_lines_and_hints(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *line = mm_failure_line(cases[i].log);
		const char *hint = mm_failure_hint(cases[i].log);
		assert_string_equal(line, cases[i].line);
		if (cases[i].hint && (!hint || !strstr(hint, cases[i].hint)))
			fail_msg("for '%s' the hint is '%s'", line, hint ? hint : "none");
		if (!cases[i].hint && hint)
			fail_msg("for '%s' there is a hint: '%s'", line, hint);
		free(line);
	}
}

static void test_kinds(void **state)
{
	(void)state;
	assert_true(mm_failure_disk_full("x: write: No space left on device\n"));
	assert_false(mm_failure_disk_full("error: space"));
	assert_true(mm_failure_of_link("a.o: undefined reference to `f'\n"));
	assert_false(mm_failure_of_link("a.c:1: error: x\n"));
}

static void test_missing_log(void **state)
{
	(void)state;
	char *text = mm_failure_read_log("/nonexistent/log");
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_and_hints),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_missing_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
