#include "base/package.h"

#include "base/buffer.h"
#include "base/memory.h"

static const struct {
	const char *what, *debian, *fedora, *solaris; /* NULL: not known */
} packages[] = {
	{ "bison", "bison", "bison", "developer/parser/bison" },
	{ "c++", "g++", "gcc-c++", "developer/gcc" },
	{ "cc", "gcc", "gcc", "developer/gcc" },
	{ "clang", "clang", "clang", NULL },
	{ "cmake", "cmake", "cmake", "developer/build/cmake" },
	{ "gnuplot", "gnuplot-nox", "gnuplot", "image/gnuplot" },
	{ "make", "make", "make", "developer/build/gnu-make" },
	{ "ninja", "ninja-build", "ninja-build", "developer/build/ninja" },
	{ "patch", "patch", "patch", "text/gnu-patch" },
	{ "perl", "perl", "perl", "runtime/perl" },
	{ "pkg-config", "pkg-config", "pkgconf-pkg-config", "developer/build/pkg-config" },
	{ "sysbench", "sysbench", "sysbench", NULL },
	{ "lib:curses", "libncurses-dev", "ncurses-devel", "library/ncurses" },
	{ "lib:fmt", "libfmt-dev", "fmt-devel", NULL },
	{ "lib:openssl", "libssl-dev", "openssl-devel", "library/security/openssl" },
	{ "lib:pcre2", "libpcre2-dev", "pcre2-devel", "library/pcre2" },
	{ "lib:zlib", "zlib1g-dev", "zlib-devel", "library/zlib" },
};

/* Systems that call it the same are named together. */
static void put_name(struct mm_buffer *out, const char *name, const char *systems)
{
	mm_buffer_printf(out, "%s'%s' (%s)", out->length ? ", " : "install ", name, systems);
}

char *mm_package_advice(const char *what)
{
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
		if (strcmp(packages[i].what, what) != 0)
			continue;
		struct mm_buffer out = MM_BUFFER_INIT;
		if (strcmp(packages[i].debian, packages[i].fedora) == 0) {
			put_name(&out, packages[i].debian, "Debian, Fedora");
		} else {
			put_name(&out, packages[i].debian, "Debian");
			put_name(&out, packages[i].fedora, "Fedora");
		}
		if (packages[i].solaris)
			put_name(&out, packages[i].solaris, "Solaris");
		return mm_buffer_detach(&out);
	}
	return NULL;
}
