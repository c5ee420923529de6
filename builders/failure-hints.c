/* What to do about failures whose cause is known. Data: a new one is a new row, above a more general one. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "builders/failure.h"

#define LOWER_JOBS          "the compiler was killed, most likely for want of memory: lower -j or free memory"
#define NEED(what, package) "install " what " (Debian: the package '" package "')"
/* At 32 bits on a 64-bit machine, which may well have the package for its own bits. */
#define NEED_32(what, package)                                                                                         \
	"install " what " for 32 bits (64-bit Debian: the package '" package ":i386'), or name that package in "        \
	"\"sysroots\""
#define CURSES(MAKE)        MAKE("the curses development files", "libncurses-dev")
#define OPENSSL(MAKE)       MAKE("the OpenSSL development files", "libssl-dev")
#define FMT(MAKE)           MAKE("the fmt development files", "libfmt-dev")
#define PCRE(MAKE)          MAKE("the PCRE2 development files", "libpcre2-dev")
#define ZLIB(MAKE)          MAKE("the zlib development files", "zlib1g-dev")
#define ATOMIC              NEED("libatomic for these bits", "lib32atomic1 and gcc-multilib")
#define AIO(MAKE)           MAKE("the asynchronous I/O development files", "libaio-dev")
#define BISON               NEED("bison", "bison")
#define FLEX                NEED("flex", "flex")
#define TIRPC(MAKE)         MAKE("the RPC development files", "libtirpc-dev")
#define BOOST                                                                                                          \
	"this tree wants a boost of its own: name its archive in \"extra\" and say "                                   \
	"-DWITH_BOOST=@extra:ARCHIVE@ in build.options"
#define OTHER_BITS                                                                                                     \
	"a library is there for other bits only: name its 32-bit development package in \"sysroots\" or install it, "  \
	"or build at 64 bits"
#define LIBC_32   "install the 32-bit C library and headers (Debian amd64: the package 'gcc-multilib')"
#define LIBCXX_32 "install the 32-bit C++ library and headers (Debian amd64: the package 'g++-multilib')"
#define DOWNLOAD                                                                                                       \
	"the build tries to download: install the development package that it misses, or name the file in \"extra\"; " \
	"builds have no network"
#define TOO_OLD "the compiler is too old for this tree: name a newer one in \"toolchains\""
#define TOO_NEW                                                                                                        \
	"the compiler is newer than this tree's code: name an older one in \"toolchains\", or an older language "      \
	"level (such as -std=gnu++98 for C++) in \"flags\""

static const struct {
	const char *pattern;
	const char *also; /* must be there as well; NULL: nothing */
	const char *hint;
} hints[] = {
	{ "No space left on device", NULL, MM_MAKE_ROOM },
	{ "Disk quota exceeded", NULL, "make room in the disk quota and run again" },

	/* whoever runs out of memory says so in many ways; "internal compiler error: Killed" is one of them */
	{ "Killed", "cc1", LOWER_JOBS },
	{ "Killed signal terminated program", NULL, LOWER_JOBS },
	{ "internal compiler error: Killed", NULL, LOWER_JOBS },
	{ "unable to execute command: Killed", NULL, LOWER_JOBS },
	{ "terminated with signal 9", NULL, LOWER_JOBS },
	{ "killed by SIGKILL", NULL, LOWER_JOBS },
	{ "out of memory", NULL, "free memory or lower -j" },
	{ "virtual memory exhausted", NULL, "free memory or lower -j" },
	{ "Cannot allocate memory", NULL, "free memory or lower -j" },
	{ "std::bad_alloc", NULL, "free memory or lower -j" },
	{ "internal compiler error", NULL,
	  "the compiler itself is at fault: try another version of it, or other flags; its own message says where to "
	  "report it" },
	{ "frontend command failed", NULL,
	  "the compiler itself is at fault: try another version of it, or other flags; its own message says where to "
	  "report it" },

	{ "error while loading shared libraries", NULL,
	  "a library is missing: add the package that holds it to the source's \"packages\", or install it" },
	{ "version `GLIBC", NULL,
	  "the packages are newer than this machine's C library: add their libc6 package to the source's "
	  "\"packages\"" },

	{ "skipping incompatible", NULL, OTHER_BITS },
	{ "file in wrong format", NULL, OTHER_BITS },
	{ "is incompatible with i386", NULL, OTHER_BITS },
	{ "is incompatible with elf", NULL, OTHER_BITS },
	{ "wrong ELF class", NULL, OTHER_BITS },
	{ "gnu/stubs-32.h", NULL, LIBC_32 },
	{ "bits/libc-header-start.h", NULL, LIBC_32 },
	{ "sys/cdefs.h", "No such file", LIBC_32 },
	{ "crt1.o", "cannot find", LIBC_32 },
	{ "cannot find -lgcc", NULL, LIBC_32 },
	{ "bits/c++config.h", NULL, LIBCXX_32 },
	{ "cannot find -lstdc++", NULL, LIBCXX_32 },

	{ "-latomic", "cannot find", ATOMIC },
	{ "undefined reference to `__atomic_", NULL, "link libatomic: \"ld\": \"-latomic\" in \"flags\"" },

	{ "Curses", NULL, CURSES(NEED) },
	{ "curses.h", NULL, CURSES(NEED) },
	{ "-lncurses", NULL, CURSES(NEED) },
	{ "No curses/termcap library found", NULL, CURSES(NEED) },
	{ "-ltinfo", "cannot find", CURSES(NEED) },
	{ "OpenSSL", "Could NOT find", OPENSSL(NEED) },
	{ "OpenSSL", "not find", OPENSSL(NEED) },
	{ "Cannot find appropriate system libraries for SSL", NULL, OPENSSL(NEED) },
	{ "openssl/", "No such file", OPENSSL(NEED) },
	{ "-lssl", NULL, OPENSSL(NEED) },
	{ "-lcrypto", "cannot find", OPENSSL(NEED) },
	{ "system libfmt", NULL, FMT(NEED) },
	{ "LIBFMT", NULL, FMT(NEED) },
	{ "fmt/", "No such file", FMT(NEED) },
	{ "libfmt", "download", FMT(NEED) },
	{ "pcre2-8", NULL, PCRE(NEED) },
	{ "pcre2.h", NULL, PCRE(NEED) },
	{ "ZLIB", NULL, ZLIB(NEED) },
	{ "zlib.h", NULL, ZLIB(NEED) },
	{ "-lz", "cannot find", ZLIB(NEED) },
	{ "libaio", NULL, AIO(NEED) },
	{ "rpc/rpc.h", NULL, TIRPC(NEED) },
	{ "libtirpc", NULL, TIRPC(NEED) },

	{ "YYPARSE_PARAM", NULL,
	  "this grammar is older than today's bison understands: take the release tarball, which has the generated "
	  "parser in it" },
	{ "too few arguments to function", "MYSQLparse",
	  "this grammar is older than today's bison understands: take the release tarball, which has the generated "
	  "parser in it" },
	{ "flex", "not found", FLEX },
	{ "FLEX", NULL, FLEX },
	{ "Flex", NULL, FLEX },
	{ "yacc", "not found", BISON },
	{ "bison", NULL, BISON },
	{ "Bison", NULL, BISON },
	{ "BISON", NULL, BISON },
	{ "autoconf", "not found", NEED("autoconf", "autoconf") },
	{ "aclocal", "not found", NEED("automake", "automake") },
	{ "automake", "not found", NEED("automake", "automake") },
	{ "libtoolize", "not found", NEED("libtool", "libtool") },
	{ "LIBTOOL", "undefined", NEED("libtool", "libtool") },
	{ "perl", "not found", NEED("Perl", "perl") },
	{ "Perl", "Could NOT find", NEED("Perl", "perl") },

	{ "Could not resolve host", NULL, DOWNLOAD },
	{ "Connection refused", NULL, DOWNLOAD },
	{ "127.0.0.1 port 9", NULL, DOWNLOAD },
	{ "127.0.0.1:9", NULL, DOWNLOAD },
	{ "download failed", NULL, DOWNLOAD },
	{ "Failed to clone", NULL, DOWNLOAD },
	{ "unable to access 'http", NULL, DOWNLOAD },
	{ "WITH_BOOST", NULL, BOOST },
	{ "(the correct version of) boost", NULL, BOOST },
	{ "Could NOT find Boost", NULL, BOOST },
	{ "Boost libraries not found", NULL, BOOST },
	{ "Boost minor version found", NULL, BOOST },
	{ "error: boost/", "No such file", BOOST },
	{ "error: 'boost/", "file not found", BOOST },

	{ "or newer is required", "GCC", TOO_OLD },
	{ "or newer is required", "Clang", TOO_OLD },
	{ "unrecognized command-line option", "-std=", TOO_OLD },
	{ "unrecognized command line option", "-std=", TOO_OLD },
	{ "invalid value", "-std=", TOO_OLD },
	{ "requires compiler and library support", NULL, TOO_OLD },
	{ "no known features for", "compiler", TOO_OLD },
	{ "compiler does not support C++", NULL, TOO_OLD },
	{ "doesn't support C++", NULL, TOO_OLD },
	{ "does not allow dynamic exception specifications", NULL, TOO_NEW },
	{ "does not allow 'register'", NULL, TOO_NEW },
	{ "narrowing conversion", NULL, TOO_NEW },
	{ "cannot be narrowed", NULL, TOO_NEW },
	{ "ordered comparison of pointer with integer zero", NULL, TOO_NEW },
	{ "ordered comparison between pointer and zero", NULL, TOO_NEW },
	{ "reference to 'byte' is ambiguous", NULL, TOO_NEW },
	{ "unable to find string literal operator", NULL, TOO_NEW },
	{ "implicit declaration of function",
	  "error:", "the compiler is newer than this tree's code: add -std=gnu89 to the C flags in \"flags\"" },
	{ "multiple definition of", NULL,
	  "the compiler is newer than this tree's code: if these are C variables, add -fcommon to the C flags" },
	{ "[-Werror", NULL,
	  "warnings count as errors in this tree: switch that off in build.options (CMake: "
	  "-DMYSQL_MAINTAINER_MODE=OFF)" },

	{ "CMAKE_POLICY_VERSION_MINIMUM", NULL,
	  "this tree is older than this CMake allows: add -DCMAKE_POLICY_VERSION_MINIMUM=3.5 to build.options" },
	{ "or higher is required.  You are running version", NULL, "this tree wants a newer CMake" },
	{ "unknown target", NULL, "the tree has no such target: see build.targets" },
	{ "No rule to make target", NULL, "the tree has no such target: see build.targets" },
	{ "cannot find -l", NULL, "a library is missing: install its development package" },
	{ "Permission denied", NULL, "is the work folder on a file system that allows programs to run?" },
};

static const char *const at_32_bits[][2] = {
	{ CURSES(NEED), CURSES(NEED_32) },
	{ OPENSSL(NEED), OPENSSL(NEED_32) },
	{ FMT(NEED), FMT(NEED_32) },
	{ PCRE(NEED), PCRE(NEED_32) },
	{ ZLIB(NEED), ZLIB(NEED_32) },
	{ AIO(NEED), AIO(NEED_32) },
	{ TIRPC(NEED), TIRPC(NEED_32) },
};

static const char *for_32_bits(const char *hint)
{
	for (size_t i = 0; i < sizeof at_32_bits / sizeof *at_32_bits; i++)
		if (strcmp(at_32_bits[i][0], hint) == 0)
			return at_32_bits[i][1];
	return hint;
}

const char *mm_failure_known(const char *text, int bits)
{
	bool foreign = bits == 32 && sizeof(void *) > 4;
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (strstr(text, hints[i].pattern) && (!hints[i].also || strstr(text, hints[i].also)))
			return foreign ? for_32_bits(hints[i].hint) : hints[i].hint;
	return NULL;
}
