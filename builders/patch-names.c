#include "builders/patch-names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

/* git's "a/with \"quotes\" and \303\244": its octal numbers and what else stands behind a backslash. */
static char *read_quoted(const char *text)
{
	struct mm_buffer name = MM_BUFFER_INIT;
	for (text++; *text && *text != '"' && *text != '\n'; text++) {
		if (*text != '\\' || !text[1]) {
			mm_buffer_putc(&name, *text);
			continue;
		}
		unsigned byte = 0, digits = 0;
		while (digits < 3 && text[1] >= '0' && text[1] <= '7') {
			byte = byte * 8 + (unsigned)(*++text - '0');
			digits++;
		}
		mm_buffer_putc(&name, digits ? (char)byte : *++text);
	}
	return mm_buffer_detach(&name);
}

/* A name may hold spaces when a tab parts it from the time. Allocated. */
static char *read_name(const char *text)
{
	text += strspn(text, " ");
	if (*text == '"')
		return read_quoted(text);
	size_t line = strcspn(text, "\r\n"), tab = strcspn(text, "\t\r\n");
	return mm_strndup(text, tab < line ? tab : strcspn(text, " \r\n"));
}

/* What is left of NAME without its STRIP leading folders; NULL when it has not as many. */
static const char *strip_name(const char *name, unsigned strip)
{
	for (; strip; strip--) {
		name = strchr(name, '/');
		if (!name)
			return NULL;
		name += strspn(name, "/");
	}
	return name;
}

static bool has_parent(const char *name, const char *ends)
{
	for (const char *at = name; (at = strstr(at, "..")); at += 2)
		if ((at == name || strchr(ends, at[-1])) && (!at[2] || strchr(ends, at[2])))
			return true;
	return false;
}

bool mm_patch_climbs(const char *line)
{
	char *quoted = *line == '"' ? read_quoted(line) : NULL;
	bool climbs = has_parent(line, "/ \"") || (quoted && has_parent(quoted, "/"));
	free(quoted);
	return climbs;
}

/* One is the other with an ending: "x.c" and "x.c.orig", "x.c~" or "x.c-old". */
static bool is_copy(const char *one, const char *other)
{
	size_t a = strlen(one), b = strlen(other), length = a < b ? a : b;
	const char *ending = a < b ? other + length : one + length;
	return strncmp(one, other, length) == 0 && length && !strchr(ending, '/') && !isalnum((unsigned char)*ending);
}

int mm_patch_check_names(const struct mm_patch_names *names, const char *old, const char *new, struct mm_error *err)
{
	char *whole[] = { read_name(old), read_name(new) };
	bool null[] = { strcmp(whole[0], "/dev/null") == 0, strcmp(whole[1], "/dev/null") == 0 };
	const char *one = strip_name(whole[0], names->strip), *other = strip_name(whole[1], names->strip);
	int code = 0;
	for (int i = 0; !code && i < 2; i++) {
		const char *left = i ? other : one;
		if (!null[i] && left && has_parent(left, "/"))
			code = mm_error_set(err, MM_EMATRIX, "'%s:%u' names '%s': a patch may not leave the tree",
					    names->path, names->line + (unsigned)i, whole[i]);
	}
	if (code || null[0] || null[1] || names->renamed)
		goto out;
	if ((one || other) && (!one || !other || !is_copy(one, other)))
		code = mm_error_set(
			err, MM_EMATRIX,
			"'%s:%u' names two files, '%s' and '%s' (with -p%u): let both sides name the one that "
			"is to be changed",
			names->path, names->line, whole[0], whole[1], names->strip);
out:
	free(whole[1]);
	free(whole[0]);
	return code;
}
