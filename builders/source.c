#include "builders/source.h"

#include <ctype.h>
#include <errno.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"

enum { SMALL_FILE = 1 << 20 }; /* a VERSION file is 100 bytes; configure.in of 5.0 is 100 kB */

const char *mm_variant_name(enum mm_variant variant)
{
	static const char *const names[] = { "mysql", "mariadb", "percona" };
	return names[variant];
}

char *mm_source_folder(const char *work, const char sha256[MM_SHA256_HEX])
{
	return mm_format("%s/sources/%s", work, sha256);
}

static bool has(const char *folder, const char *name)
{
	char *path = mm_path_join(folder, name);
	bool found = mm_fs_exists(path);
	free(path);
	return found;
}

/* Reads a small file of the tree; false when it is not there, too large or unreadable. */
static bool slurp(const char *folder, const char *name, struct mm_buffer *out)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name);
	bool read = mm_fs_exists(path) && !mm_fs_is_folder(path) && mm_fs_read(path, SMALL_FILE, out, &ignored) == 0;
	free(path);
	return read;
}

/* The value of a line "KEY=value" of TEXT, up to white space or a quote, in VALUE; false when there is none. */
static bool assignment(const char *text, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) != 0 || line[length] != '=')
			continue;
		const char *from = line + length + 1;
		from += strspn(from, " \t\"");
		(void)snprintf(value, size, "%.*s", (int)strcspn(from, " \t\r\n\""), from);
		return true;
	}
	return false;
}

/* A number of at most five digits, so that nothing overflows. */
static bool number(const char *text, unsigned *value, const char **end)
{
	size_t digits = strspn(text, "0123456789");
	if (digits < 1 || digits > 5)
		return false;
	*value = (unsigned)strtoul(text, NULL, 10);
	if (end)
		*end = text + digits;
	return true;
}

/* CMake trees: VERSION, called MYSQL_VERSION from 8.0.3x on. */
static bool cmake_version(const char *text, struct mm_tree *tree)
{
	static const char *const keys[] = { "MYSQL_VERSION_MAJOR", "MYSQL_VERSION_MINOR", "MYSQL_VERSION_PATCH" };
	char value[64];
	for (size_t i = 0; i < 3; i++)
		if (!assignment(text, keys[i], value, sizeof value) || !number(value, &tree->version[i], NULL))
			return false;
	char extra[32] = "", maturity[32];
	(void)assignment(text, "MYSQL_VERSION_EXTRA", extra, sizeof extra);
	(void)snprintf(tree->text, sizeof tree->text, "%u.%u.%u%s", tree->version[0], tree->version[1],
		       tree->version[2], extra);
	if (assignment(text, "SERVER_MATURITY", maturity, sizeof maturity))
		tree->variant = MM_VARIANT_MARIADB;
	return true;
}

static bool recognise_cmake(const char *folder, struct mm_tree *tree)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	bool found = has(folder, "CMakeLists.txt") &&
		     ((slurp(folder, "MYSQL_VERSION", &text) && cmake_version(mm_buffer_text(&text), tree)) ||
		      (slurp(folder, "VERSION", &text) && cmake_version(mm_buffer_text(&text), tree)));
	mm_buffer_release(&text);
	if (!found)
		return false;
	tree->builder = MM_SYSTEM_CMAKE;
	/* not every MariaDB 5.5 says SERVER_MATURITY, but its engine is there; Percona keeps its packaging in build-ps
	 */
	if (has(folder, "storage/maria"))
		tree->variant = MM_VARIANT_MARIADB;
	else if (tree->variant == MM_VARIANT_MYSQL && has(folder, "build-ps"))
		tree->variant = MM_VARIANT_PERCONA;
	return true;
}

/* Autotools trees: AM_INIT_AUTOMAKE(mysql, X.Y.Z…), or AC_INIT([MySQL Server], [X.Y.Z…] from 5.1 on. */
static bool autotools_version(const char *text, struct mm_tree *tree)
{
	static const char *const macros[] = { "AM_INIT_AUTOMAKE(mysql,", "AC_INIT([MySQL Server]," };
	for (size_t i = 0; i < 2; i++) {
		const char *at = strstr(text, macros[i]);
		if (!at)
			continue;
		at += strlen(macros[i]);
		at += strspn(at, " \t\r\n[");
		const char *from = at;
		if (!number(at, &tree->version[0], &at) || *at++ != '.' || !number(at, &tree->version[1], &at) ||
		    *at++ != '.' || !number(at, &tree->version[2], &at))
			continue;
		(void)snprintf(tree->text, sizeof tree->text, "%.*s", (int)strcspn(from, "],) \t\r\n"), from);
		return true;
	}
	return false;
}

static bool recognise_autotools(const char *folder, struct mm_tree *tree)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	bool found = (slurp(folder, "configure.in", &text) && autotools_version(mm_buffer_text(&text), tree)) ||
		     (slurp(folder, "configure.ac", &text) && autotools_version(mm_buffer_text(&text), tree));
	mm_buffer_release(&text);
	tree->builder = MM_SYSTEM_AUTOTOOLS;
	return found;
}

int mm_source_recognise(const char *folder, struct mm_tree *tree, struct mm_error *err)
{
	*tree = (struct mm_tree){ .variant = MM_VARIANT_MYSQL };
	if (!recognise_cmake(folder, tree) && !recognise_autotools(folder, tree))
		return mm_error_set(
			err, MM_ECELL,
			"'%s' is no source tree of MySQL: looked for VERSION or MYSQL_VERSION with "
			"MYSQL_VERSION_MAJOR, "
			"_MINOR and _PATCH beside CMakeLists.txt, and for configure.in or configure.ac with "
			"AM_INIT_AUTOMAKE(mysql, …) or AC_INIT([MySQL Server], …)",
			folder);
	for (char *c = tree->text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-+~", *c))
			*c = '_';
	tree->folder = mm_strdup(folder);
	return 0;
}

void mm_tree_release(struct mm_tree *tree)
{
	free(tree->folder);
	*tree = (struct mm_tree){ 0 };
}

bool mm_tree_at_least(const struct mm_tree *tree, unsigned major, unsigned minor)
{
	return tree->version[0] > major || (tree->version[0] == major && tree->version[1] >= minor);
}
