/* What is told of a failed build: the line that matters, and what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "builders/failure.h"

#define BROKEN                                                                                                         \
	"-- Check for working C compiler: /x/gcc - broken\nCMake Error at /m/CMakeTestCCompiler.cmake:70 (message):\n" \
	"  The C compiler\n\n    \"/x/gcc\"\n\n  is not able to compile a simple test program.\n\n  It fails with "    \
	"the "                                                                                                         \
	"following output:\n\n    Change Dir: /x/TryCompile\n    \n    Run Build Command(s):/usr/bin/ninja t\n"
#define BROKEN_END "    \n\n  \n\n  CMake will not be able to correctly generate this project.\nCall Stack:\n"

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
	{ "/usr/bin/ld: b.a(c.cc.o): in function `f':\nc.cc:(.text+0x2): undefined reference to "
	  "`__atomic_fetch_add_8'\n"
	  "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n",
	  "c.cc:(.text+0x2): undefined reference to `__atomic_fetch_add_8'", "-latomic" },
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
	{ "make[2]: Entering directory '/x'\n/bin/sh: 1: yacc: not found\nmake[2]: *** [Makefile:9: sql_yacc.cc] Error "
	  "127\n",
	  "/bin/sh: 1: yacc: not found", "'bison'" },
	{ "CMake Error at cmake/bison.cmake:30 (MESSAGE):\n  Bison executable not found in PATH\n",
	  "CMake Error at cmake/bison.cmake:30 (MESSAGE): Bison executable not found in PATH", "'bison'" },
	{ "/bin/sh: 1: flex: not found\nmake: *** [Makefile:3: lex.c] Error 127\n", "/bin/sh: 1: flex: not found",
	  "'flex'" },
	{ "sql_yacc.yy:9:1: warning: deprecated\nsql_parse.cc:7:3: error: too few arguments to function 'int "
	  "MYSQLparse(void*)'\n",
	  "sql_parse.cc:7:3: error: too few arguments to function 'int MYSQLparse(void*)'", "release tarball" },
	{ "checking for termcap functions library... configure: error: No curses/termcap library found\n",
	  "checking for termcap functions library... configure: error: No curses/termcap library found",
	  "libncurses-dev" },
	{ "/usr/bin/ld: cannot find -lncurses: No such file or directory\ncollect2: error: ld returned 1 exit status\n",
	  "/usr/bin/ld: cannot find -lncurses: No such file or directory", "libncurses-dev" },
	{ "viossl.c:9:10: fatal error: openssl/ssl.h: No such file or directory\n",
	  "viossl.c:9:10: fatal error: openssl/ssl.h: No such file or directory", "libssl-dev" },
	{ "CMake Error at cmake/ssl.cmake:2 (MESSAGE):\n  Could NOT find OpenSSL, try to set the path\n",
	  "CMake Error at cmake/ssl.cmake:2 (MESSAGE): Could NOT find OpenSSL, try to set the path", "libssl-dev" },
	{ "-- Could not find (the correct version of) boost.\nCMake Error at cmake/boost.cmake:88 (MESSAGE):\n  You "
	  "can download it with -DDOWNLOAD_BOOST=1 -DWITH_BOOST=<directory>\n",
	  "CMake Error at cmake/boost.cmake:88 (MESSAGE): You can download it with -DDOWNLOAD_BOOST=1 "
	  "-DWITH_BOOST=<directory>",
	  "@extra:" },
	{ "CMake Error at cmake/boost.cmake:88 (MESSAGE):\n  Could not find (the correct version of) boost.\n",
	  "CMake Error at cmake/boost.cmake:88 (MESSAGE): Could not find (the correct version of) boost.", "@extra:" },
	{ "/usr/bin/ld: i386 architecture of input file `a.o' is incompatible with i386:x86-64 output\ncollect2: "
	  "error: ld returned 1 exit status\n",
	  "/usr/bin/ld: i386 architecture of input file `a.o' is incompatible with i386:x86-64 output", "other bits" },
	{ "mkdir: cannot create directory '.libs': File exists\n"
	  "/usr/bin/ld: cannot find ../dbug/libdbug.a: No such file or directory\n"
	  "collect2: error: ld returned 1 exit status\n",
	  "/usr/bin/ld: cannot find ../dbug/libdbug.a: No such file or directory", NULL },
	{ "/usr/bin/ld: cannot find crt1.o: No such file or directory\n",
	  "/usr/bin/ld: cannot find crt1.o: No such file or directory", "gcc-multilib" },
	{ "/usr/bin/ld: cannot find -lstdc++: No such file\n", "/usr/bin/ld: cannot find -lstdc++: No such file",
	  "g++-multilib" },
	{ "/usr/include/stdio.h:27:10: fatal error: bits/libc-header-start.h: No such file or directory\n",
	  "/usr/include/stdio.h:27:10: fatal error: bits/libc-header-start.h: No such file or directory",
	  "gcc-multilib" },
	{ "/usr/include/c++/12/cstdio:41:10: fatal error: bits/c++config.h: No such file or directory\n",
	  "/usr/include/c++/12/cstdio:41:10: fatal error: bits/c++config.h: No such file or directory",
	  "g++-multilib" },
	{ "g++: internal compiler error: Killed (program cc1plus)\nPlease submit a full bug report\n",
	  "g++: internal compiler error: Killed (program cc1plus)", "memory" },
	{ "clang: error: unable to execute command: Killed\nclang: error: clang frontend command failed due to "
	  "signal\n",
	  "clang: error: unable to execute command: Killed", "memory" },
	{ "collect2: fatal error: ld terminated with signal 9 [Killed]\n",
	  "collect2: fatal error: ld terminated with signal 9 [Killed]", "memory" },
	{ "virtual memory exhausted: Cannot allocate memory\nmake: *** [Makefile:4: a.o] Error 1\n",
	  "virtual memory exhausted: Cannot allocate memory", "memory" },
	{ "a.cc: In function 'f':\na.cc:4:1: internal compiler error: in expand_expr, at expr.c:8513\n",
	  "a.cc:4:1: internal compiler error: in expand_expr, at expr.c:8513", "compiler itself" },
	{ "clang: error: clang frontend command failed with exit code 139\n",
	  "clang: error: clang frontend command failed with exit code 139", "compiler itself" },
	{ "CMake Error at cmake/os/Linux.cmake:50 (MESSAGE):\n  GCC 10 or newer is required (-dumpversion says 8)\n",
	  "CMake Error at cmake/os/Linux.cmake:50 (MESSAGE): GCC 10 or newer is required (-dumpversion says 8)",
	  "too old" },
	{ "cc1plus: error: unrecognized command-line option '-std=c++20'\n",
	  "cc1plus: error: unrecognized command-line option '-std=c++20'", "too old" },
	{ "mysqld.cc:5:1: error: narrowing conversion of '-1' from 'int' to 'char' [-Wnarrowing]\n",
	  "mysqld.cc:5:1: error: narrowing conversion of '-1' from 'int' to 'char' [-Wnarrowing]", "-std=gnu++98" },
	{ "a.h:5:1: error: ISO C++17 does not allow dynamic exception specifications\n",
	  "a.h:5:1: error: ISO C++17 does not allow dynamic exception specifications", "newer than" },
	{ "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `x'; a.o:(.bss+0x0): first defined here\ncollect2: "
	  "error: ld returned 1 exit status\n",
	  "/usr/bin/ld: b.o:(.bss+0x0): multiple definition of `x'; a.o:(.bss+0x0): first defined here", "-fcommon" },
	{ "a.c:5:1: error: unused variable 'x' [-Werror=unused-variable]\n",
	  "a.c:5:1: error: unused variable 'x' [-Werror=unused-variable]", "MAINTAINER_MODE" },
	{ "a.c:5: write: Disk quota exceeded\na.c:5:1: fatal error: closing a.s: Disk quota exceeded\n",
	  "a.c:5:1: fatal error: closing a.s: Disk quota exceeded", "quota" },
	{ "fatal: unable to access 'https://example.org/x.git/': Failed to connect to 127.0.0.1 port 9: Connection "
	  "refused\nCMake Error at x.cmake:3 (message):\n  fatal: unable to access 'https://example.org/x.git/'\n",
	  "fatal: unable to access 'https://example.org/x.git/': Failed to connect to 127.0.0.1 port 9: Connection "
	  "refused",
	  "download" },
	{ "--2026-01-01--  http://example.org/boost.tar.gz\nConnecting to 127.0.0.1:9... failed: Connection "
	  "refused.\nmake: *** [fetch] Error 4\n",
	  "Connecting to 127.0.0.1:9... failed: Connection refused.", "download" },
	{ "/bin/sh: 1: autoconf: not found\n", "/bin/sh: 1: autoconf: not found", "'autoconf'" },
	{ "CMake Error at CMakeLists.txt:2 (cmake_minimum_required):\n  CMake 3.30 or higher is required.  You are "
	  "running version 3.25.1\n",
	  "CMake Error at CMakeLists.txt:2 (cmake_minimum_required): CMake 3.30 or higher is required.  You are "
	  "running version 3.25.1",
	  "newer CMake" },
	{ "CMake Error at cmake/rpc.cmake:9 (MESSAGE):\n  Could not find rpc/rpc.h in /usr/include or "
	  "/usr/include/tirpc\n",
	  "CMake Error at cmake/rpc.cmake:9 (MESSAGE): Could not find rpc/rpc.h in /usr/include or /usr/include/tirpc",
	  "libtirpc-dev" },
	{ "/usr/bin/ld: cannot find -lnuma: No such file or directory\n",
	  "/usr/bin/ld: cannot find -lnuma: No such file or directory", "development package" },
	/* source that a compiler shows, and what warnings say, is no error: gcc's, clang's, and those of old versions
	 */
	{ "FAILED: w.o\n/x/gcc -o w.o -c w.c\nw.c:1:24: warning: returning 'char *' makes integer [-Wint-conversion]\n"
	  "    1 | int oom(void) { return \"Cannot allocate memory\"; }\n      |                        ^~~~~~\n"
	  "w.c: In function 'y':\nw.c:2:22: error: 'z' undeclared\n    2 | int y(void) { return z; }\n      |          "
	  "  ^\n",
	  "w.c:2:22: error: 'z' undeclared", NULL },
	{ "w.c:1:24: warning: incompatible pointer to integer conversion\nint oom(void) { return \"out of memory\"; }\n"
	  "                       ^~~~~~~~~~~~~~~\nw.c:2:22: error: use of undeclared identifier 'z'\n"
	  "int y(void) { return z; } // Killed\n                     ^\n1 warning and 1 error generated.\n",
	  "w.c:2:22: error: use of undeclared identifier 'z'", NULL },
	{ "w.c:2:2: warning: #warning Connection refused is handled here [-Wcpp]\nw.c:3:20: error: 'z' undeclared\n"
	  "w.c:4:2: warning: #warning \"error: download failed\"\n",
	  "w.c:3:20: error: 'z' undeclared", NULL },
	{ "w.c:2:2: warning: #warning \"error: no\"\nw.o: undefined reference to `f'\n",
	  "w.o: undefined reference to `f'", NULL },
	{ "CMake Warning at a.cmake:3 (message):\n  Connection refused\n\n  Killed\nCall Stack (most recent call "
	  "first):\n"
	  "CMake Error at b.cmake:4 (message):\n  no such thing\n",
	  "CMake Error at b.cmake:4 (message): no such thing", NULL },
	{ "[3/9] Building C object Killed.c.o\n[ 40%] Building C object Killed.c.o\n: && /x/gcc Killed.c.o -o y -lssl "
	  "&& :\n"
	  "a.o: undefined reference to `f'\n",
	  "a.o: undefined reference to `f'", NULL },
	{ "w.c:2:2: warning: only this\n", "w.c:2:2: warning: only this", NULL },
	/* what the linker and the compiler only sum up comes after what they sum up */
	{ "b.o: undefined reference to `f'\nclang: error: linker command failed with exit code 1\n",
	  "b.o: undefined reference to `f'", NULL },
	/* a path may hold any word */
	{ "/x/my_Booster.cc:1:23: error: expected ';' before '}' token\n",
	  "/x/my_Booster.cc:1:23: error: expected ';' "
	  "before '}' token",
	  NULL },
	{ "In file included from /x/gis.cc:1:\n/x/boost/a.hpp: In instantiation of 'void f(T)':\n/x/boost/gis.cc:2:12: "
	  "  "
	  "required from here\n/x/include/boost/a.hpp:2:35: error: request for member 'nope' in 't'\n"
	  "/x/boost/b.hpp:3:4: error: second\n",
	  "/x/include/boost/a.hpp:2:35: error: request for member 'nope' in 't'", NULL },
	{ "/x/Flexible_Bison.cc:1:23: error: expected ';'\n", "/x/Flexible_Bison.cc:1:23: error: expected ';'", NULL },
	{ "gis.cc:1:10: fatal error: boost/geometry.hpp: No such file or directory\n",
	  "gis.cc:1:10: fatal error: boost/geometry.hpp: No such file or directory", "@extra:" },
	{ "gis.cc:1:10: fatal error: 'boost/geometry.hpp' file not found\n",
	  "gis.cc:1:10: fatal error: 'boost/geometry.hpp' file not found", "@extra:" },
	/* CMake's first try of a compiler */
	{ BROKEN
	  "    [1/2] Building C object t.o\n    FAILED: t.o\n    /x/gcc -o t.o -c t.c\n    ERROR: ld.so: object 'x' "
	  "cannot be preloaded: ignored.\n    gcc: fatal error: cannot execute 'cc1': execvp: No such file or "
	  "directory\n"
	  "    ninja: build stopped: subcommand failed.\n" BROKEN_END,
	  "The C compiler \"/x/gcc\" is not able to compile a simple test program: gcc: fatal error: cannot execute "
	  "'cc1': "
	  "execvp: No such file or directory",
	  NULL },
	{ BROKEN
	  "    /usr/bin/ld: cannot find crt1.o: No such file or directory\n    collect2: error: ld returned 1 exit "
	  "status\n" BROKEN_END,
	  "The C compiler \"/x/gcc\" is not able to compile a simple test program: /usr/bin/ld: cannot find crt1.o: No "
	  "such "
	  "file or directory",
	  "gcc-multilib" },
	{ BROKEN BROKEN_END, "The C compiler \"/x/gcc\" is not able to compile a simple test program", NULL },
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

/* At 32 bits on a 64-bit machine the machine's own package is not the one that is missing. */
static void test_libraries_by_bits(void **state)
{
	static const char *const missing[][2] = {
		{ "Curses library not found", "libncurses-dev" },
		{ "Could NOT find OpenSSL", "libssl-dev" },
		{ "Could NOT find ZLIB", "zlib1g-dev" },
		{ "a.c:1: fatal error: pcre2.h: No such file or directory", "libpcre2-dev" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
		char *own = mm_format("'%s'", missing[i][1]), *other = mm_format("'%s:i386'", missing[i][1]);
		assert_non_null(strstr(mm_failure_known(missing[i][0], 64), own));
		assert_non_null(strstr(mm_failure_known(missing[i][0], MM_BITS_NATIVE), own));
		assert_non_null(strstr(mm_failure_known(missing[i][0], 32), sizeof(void *) > 4 ? other : own));
		free(own);
		free(other);
	}
	assert_string_equal(mm_failure_known("bison: not found", 32), mm_failure_known("bison: not found", 64));
}

static void test_kinds(void **state)
{
	(void)state;
	assert_true(mm_failure_disk_full("x: write: No space left on device\n"));
	assert_false(mm_failure_disk_full("error: space"));
	assert_true(mm_failure_of_link("a.o: undefined reference to `f'\n"));
	assert_false(mm_failure_of_link("a.c:1: error: x\n"));
	assert_false(mm_failure_of_link("a.c:1:2: warning: x\n    1 | \"cannot find -lx\"\na.c:2:3: error: y\n"));
}

/* What the matrix has limited is said with its value; other failures are none of it. */
static void test_limits(void **state)
{
	static const struct mm_limits none = { 0 }, memory = { .memory_mib = 300 }, file = { .file_mib = 7 },
				      both = { .memory_mib = 300, .file_mib = 7 };
	static const struct {
		const struct mm_limits *limits;
		const char *text;
		bool crashed;
		const char *found; /* NULL: none */
	} met[] = {
		{ &memory, "virtual memory exhausted: Cannot allocate memory", false, "\"limits.memory_mib\": 300" },
		{ &memory, "libstdc++.so: error adding symbols: memory exhausted", false,
		  "\"limits.memory_mib\": 300" },
		{ &both, "InnoDB: Cannot allocate memory for the buffer pool", false, "\"limits.memory_mib\": 300" },
		{ &file, "g++: internal compiler error: File size limit exceeded signal terminated program as", true,
		  "larger file than \"limits.file_mib\": 7" },
		{ &both, "killed by SIGXFSZ", true, "larger file than \"limits.file_mib\": 7" },
		{ &both, "ld.lld: error: failed to open a: File too large", false, "\"limits.file_mib\": 7" },
		{ &both, "Error writing file 'x' (Errcode: 27 \"File too large\")", false, "\"limits.file_mib\": 7" },
		{ &memory, "out of dynamic memory in yy_create_buffer()", false, "\"limits.memory_mib\": 300" },
		{ &memory, "FAILED: a.a\nlibgcc_s.so.1 must be installed for unwinding to work\nAborted", false,
		  "may need more than \"limits.memory_mib\": 300" },
		{ &both, "killed by SIGSEGV", false, "\"limits.memory_mib\": 300 or \"limits.file_mib\": 7" },
		{ &file, "exit status 1", true, "may need more than \"limits.file_mib\": 7" },
		{ &both, "a.c:1: error: x", false, NULL },
		{ &both, "error: Can't create table 'test.t' (errno: 121)", false, NULL },
		{ &memory, "MemoryError", false, "\"limits.memory_mib\": 300" },
		{ &file, "virtual memory exhausted", false, NULL },
		{ &none, "virtual memory exhausted", true, NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof met / sizeof *met; i++) {
		char *found = mm_failure_limit(met[i].limits, met[i].text, met[i].crashed);
		if (!found != !met[i].found || (found && (!strstr(found, met[i].found) || !strstr(found, "raise "))))
			fail_msg("'%s': '%s'", met[i].text, found ? found : "none");
		free(found);
	}
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
		cmocka_unit_test(test_lines_and_hints), cmocka_unit_test(test_libraries_by_bits),
		cmocka_unit_test(test_kinds),           cmocka_unit_test(test_limits),
		cmocka_unit_test(test_missing_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
