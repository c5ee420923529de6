#include "builders/failure.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"

enum { PIECE = 4 << 20, LINE_LIMIT = 500 };

/* In order of preference: a later kind of line often only repeats that an earlier one was there. */
static const char *const first_choice[] = {
	"fatal error:",
	" error:",
	"undefined reference to",
	"cannot find -l",
	"skipping incompatible",
	"CMake Error",
	"Segmentation fault",
	"No space left on device",
	"internal compiler error",
	"Killed",
};
static const char *const second_choice[] = {
	"ninja: error",    "ninja: fatal", "error while loading shared libraries",
	"collect2: error", "ld: error",    "rror:",
	"FAILED:",         "*** ",         "cannot ",
};

static bool any(const char *line, const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(line, patterns[i]))
			return true;
	return false;
}

static char *tidy(const char *line)
{
	line += strspn(line, " \t");
	size_t length = strlen(line);
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	return mm_strndup(line, length < LINE_LIMIT ? length : LINE_LIMIT);
}

/* "CMake Error at file:line (message):" says where; the indented line after it says what. Allocated. */
static char *with_continuation(const char *line, const char *rest)
{
	char *head = tidy(line);
	if (strncmp(head, "CMake Error", 11) != 0 || head[strlen(head) - 1] != ':')
		return head;
	rest += strspn(rest, " \t\r\n");
	size_t length = strcspn(rest, "\r\n");
	char *both = mm_format("%s %.*s", head, (int)(length < LINE_LIMIT ? length : LINE_LIMIT), rest);
	free(head);
	return both;
}

/* The line that mm_failure_line gives; *WHERE is where it begins in TEXT, the end when there is none. */
static char *error_line(const char *text, const char **where)
{
	char *second = NULL, *last = NULL, *found = NULL;
	const char *second_at = NULL;
	while (*text && !found) {
		size_t length = strcspn(text, "\r\n");
		char *line = mm_strndup(text, length);
		*where = text;
		text += length;
		text += strspn(text, "\r\n");
		/* the command lines of a build tool may hold any word, "-Werror=format" among them */
		bool command = strstr(line, " -c ") || strncmp(line, "-- ", 3) == 0;
		if (!command && any(line, first_choice, sizeof first_choice / sizeof *first_choice)) {
			found = with_continuation(line, text);
		} else if (!command && !second &&
			   any(line, second_choice, sizeof second_choice / sizeof *second_choice)) {
			second = tidy(line);
			second_at = *where;
		} else if (line[strspn(line, " \t")]) {
			free(last);
			last = tidy(line);
		}
		free(line);
	}
	if (!found) {
		*where = second_at ? second_at : text;
		found = second ? second : last ? last : mm_strdup("no message");
		second = found == second ? NULL : second;
		last = found == last ? NULL : last;
	}
	free(second);
	free(last);
	return found;
}

static const struct {
	const char *pattern;
	const char *also; /* must be there as well; NULL: nothing */
	const char *hint;
} hints[] = {
	{ "No space left on device", NULL, "make room on the disk and run again" },
	{ "Killed", "cc1", "the compiler was killed, most likely for want of memory: lower -j or free memory" },
	{ "Killed signal terminated program", NULL,
	  "the compiler was killed, most likely for want of memory: lower -j or free memory" },
	{ "out of memory", NULL, "free memory or lower -j" },
	{ "error while loading shared libraries", NULL,
	  "a library is missing: add the package that holds it to the source's \"packages\", or install it" },
	{ "version `GLIBC", NULL,
	  "the packages are newer than this machine's C library: add their libc6 package to the source's "
	  "\"packages\"" },
	{ "skipping incompatible", NULL,
	  "a library is there for other bits only: install its 32-bit development package, or build at 64 bits" },
	{ "gnu/stubs-32.h", NULL,
	  "install the 32-bit C library and headers (Debian amd64: the package 'gcc-multilib')" },
	{ "bits/c++config.h", NULL,
	  "install the 32-bit C++ library and headers (Debian amd64: the package 'g++-multilib')" },
	{ "Curses", NULL, "install the curses development files (Debian: the package 'libncurses-dev')" },
	{ "curses.h", NULL, "install the curses development files (Debian: the package 'libncurses-dev')" },
	{ "-lncurses", NULL, "install the curses development files (Debian: the package 'libncurses-dev')" },
	{ "OpenSSL", "Could NOT find", "install the OpenSSL development files (Debian: the package 'libssl-dev')" },
	{ "Cannot find appropriate system libraries for SSL", NULL,
	  "install the OpenSSL development files (Debian: the package 'libssl-dev')" },
	{ "openssl/", "No such file", "install the OpenSSL development files (Debian: the package 'libssl-dev')" },
	{ "-lssl", NULL, "install the OpenSSL development files (Debian: the package 'libssl-dev')" },
	{ "system libfmt", NULL, "install the fmt development files (Debian: the package 'libfmt-dev')" },
	{ "LIBFMT", NULL, "install the fmt development files (Debian: the package 'libfmt-dev')" },
	{ "fmt/", "No such file", "install the fmt development files (Debian: the package 'libfmt-dev')" },
	{ "libfmt", "download",
	  "install the fmt development files, so that nothing is downloaded (Debian: 'libfmt-dev')" },
	{ "pcre2-8", NULL, "install the PCRE2 development files (Debian: the package 'libpcre2-dev')" },
	{ "pcre2.h", NULL, "install the PCRE2 development files (Debian: the package 'libpcre2-dev')" },
	{ "ZLIB", NULL, "install the zlib development files (Debian: the package 'zlib1g-dev')" },
	{ "zlib.h", NULL, "install the zlib development files (Debian: the package 'zlib1g-dev')" },
	{ "-lz", "cannot find", "install the zlib development files (Debian: the package 'zlib1g-dev')" },
	{ "bison", NULL, "install bison (Debian: the package 'bison')" },
	{ "Bison", NULL, "install bison (Debian: the package 'bison')" },
	{ "BISON", NULL, "install bison (Debian: the package 'bison')" },
	{ "boost", NULL, "this tree wants a boost of its own: name its folder with -DWITH_BOOST in build.options" },
	{ "Boost", NULL, "this tree wants a boost of its own: name its folder with -DWITH_BOOST in build.options" },
	{ "libaio", NULL, "install the asynchronous I/O development files (Debian: the package 'libaio-dev')" },
	{ "Could not resolve host", NULL,
	  "the build tries to download: install the development package that it misses, builds have no network" },
	{ "Connection refused", NULL,
	  "the build tries to download: install the development package that it misses, builds have no network" },
	{ "CMAKE_POLICY_VERSION_MINIMUM", NULL,
	  "this tree is older than this CMake allows: add -DCMAKE_POLICY_VERSION_MINIMUM=3.5 to build.options" },
	{ "unknown target", NULL, "the tree has no such target: see build.targets" },
	{ "Permission denied", NULL, "is the work folder on a file system that allows programs to run?" },
};

char *mm_failure_line(const char *text)
{
	const char *where;
	return error_line(text, &where);
}

/* The pattern must stand in a line that reports an error or on one of the few lines that follow it. */
const char *mm_failure_hint(const char *text)
{
	const char *where, *found = NULL;
	char *line = error_line(text, &where);
	char *near = mm_format("%s\n%.800s", line, where);
	for (size_t i = 0; !found && i < sizeof hints / sizeof *hints; i++)
		if (strstr(near, hints[i].pattern) && (!hints[i].also || strstr(near, hints[i].also)))
			found = hints[i].hint;
	free(near);
	free(line);
	return found;
}

bool mm_failure_disk_full(const char *text)
{
	return strstr(text, "No space left on device") || strstr(text, "Disk quota exceeded");
}

bool mm_failure_of_link(const char *text)
{
	static const char *const signs[] = { "undefined reference to", "cannot find -l", "ld returned",
					     "collect2:", "linker command failed" };
	return any(text, signs, sizeof signs / sizeof *signs);
}

char *mm_failure_read_log(const char *path)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		/* errors of a parallel build stand near the end, those of a configuration anywhere */
		off_t from = st.st_size > 2 * (off_t)PIECE ? st.st_size - PIECE : 0;
		char chunk[1 << 14];
		ssize_t got;
		while ((got = pread(fd, chunk, sizeof chunk, from)) > 0 && out.length < (size_t)2 * PIECE) {
			mm_buffer_append(&out, chunk, (size_t)got);
			from += got;
		}
	}
	if (fd >= 0)
		close(fd);
	/* a NUL would end the text early */
	for (size_t i = 0; i < out.length; i++)
		if (!out.data[i])
			out.data[i] = ' ';
	return mm_buffer_detach(&out);
}
