/* .gitmodules: whom submodules come from, as far as that may be believed. */
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/memory.h"
#include "builders/git-private.h"

enum { MODULES_BYTES = 1 << 20 };

/* "include" would make libgit2 read files of this machine; git itself does not allow it here either. */
static bool has_include(const char *text, size_t length)
{
	static const char word[] = "[include";
	for (size_t i = 0; i + sizeof word - 1 <= length; i++)
		if (strncasecmp(text + i, word, sizeof word - 1) == 0)
			return true;
	return false;
}

static int parse(const char *text, size_t length, const char *scratch, struct mm_git_modules *modules,
		 struct mm_error *err)
{
	if (length > MODULES_BYTES || has_include(text, length))
		return mm_error_set(err, MM_ECELL, "'.gitmodules' %s",
				    length > MODULES_BYTES ? "is too large" : "includes other files, which it may not");
	int code = mm_fs_write_atomic(scratch, text, length, err);
	if (!code && git_config_open_ondisk(&modules->config, scratch))
		code = mm_git_fail(err, MM_ECELL, "'.gitmodules' cannot be read");
	if (!code) { /* a snapshot holds all of it in memory */
		git_config *snapshot = NULL;
		if (git_config_snapshot(&snapshot, modules->config))
			code = mm_git_fail(err, MM_ECELL, "'.gitmodules' cannot be read");
		git_config_free(modules->config);
		modules->config = snapshot;
	}
	(void)unlink(scratch);
	return code;
}

int mm_git_modules_read(git_repository *repository, const git_tree *tree, const char *scratch,
			struct mm_git_modules *modules, struct mm_error *err)
{
	const git_tree_entry *entry = git_tree_entry_byname(tree, ".gitmodules");
	git_blob *blob = NULL;
	modules->config = NULL;
	if (!entry || git_tree_entry_type(entry) != GIT_OBJECT_BLOB)
		return 0;
	if (git_tree_entry_filemode(entry) == GIT_FILEMODE_LINK)
		return mm_error_set(err, MM_ECELL, "'.gitmodules' is a link, which it may not be");
	if (git_blob_lookup(&blob, repository, git_tree_entry_id(entry)))
		return mm_git_fail(err, MM_ECELL, "'.gitmodules' cannot be read");
	int code = parse(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob), scratch, modules, err);
	git_blob_free(blob);
	return code;
}

/* A name that stays below ".git/modules" when it is appended there. */
static bool is_safe_name(const char *name, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t part = 0;
		while (at + part < length && name[at + part] != '/')
			part++;
		if (part == 0 || (part == 2 && name[at] == '.' && name[at + 1] == '.'))
			return false;
		at += part + 1;
	}
	return length > 0;
}

/* The NAME of a key "submodule.NAME.path", its LENGTH; NULL for other keys. (libgit2 1.5 leaks when it looks by
 * pattern.) */
static const char *name_of(const char *key, size_t *length)
{
	static const char head[] = "submodule.", tail[] = ".path";
	size_t around = sizeof head - 1 + sizeof tail - 1, all = strlen(key);
	if (all <= around || strncmp(key, head, sizeof head - 1) != 0 ||
	    strcmp(key + all - (sizeof tail - 1), tail) != 0)
		return NULL;
	*length = all - around;
	return key + sizeof head - 1;
}

bool mm_git_modules_find(const struct mm_git_modules *modules, const char *path, char **name, char **address)
{
	git_config_iterator *all = NULL;
	git_config_entry *entry;
	*name = *address = NULL;
	if (!modules->config || git_config_iterator_new(&all, modules->config))
		return false;
	while (!*address && git_config_next(&entry, all) == 0) {
		size_t length = 0;
		const char *word = name_of(entry->name, &length), *url;
		if (!word || !entry->value || strcmp(entry->value, path) != 0 || !is_safe_name(word, length))
			continue;
		char *key = mm_format("submodule.%.*s.url", (int)length, word);
		if (git_config_get_string(&url, modules->config, key) == 0 && *url) {
			*address = mm_strdup(url);
			*name = mm_strndup(word, length);
		}
		free(key);
	}
	git_config_iterator_free(all);
	return *address;
}

void mm_git_modules_release(struct mm_git_modules *modules)
{
	git_config_free(modules->config);
	modules->config = NULL;
}

/* Takes the last component off BASE; false when only the host (or the root) is left. */
static bool go_up(char *base)
{
	char *scheme = strstr(base, "://");
	char *colon = mm_git_is_address(base) ? strchr(base, ':') : NULL;
	char *path = scheme ? scheme + 3 + strcspn(scheme + 3, "/") : colon ? colon + 1 : base;
	size_t length = strlen(path);
	while (length && path[length - 1] == '/')
		length--;
	if (!length)
		return false;
	while (length && path[length - 1] != '/')
		length--;
	while (length && path[length - 1] == '/')
		length--;
	path[length] = '\0';
	return length || scheme || colon;
}

static char *relative_to(const char *base, const char *address)
{
	char *at = mm_strdup(base);
	bool fine = true;
	for (;;) {
		if (strncmp(address, "./", 2) == 0) {
			address += 2;
		} else if (strncmp(address, "../", 3) == 0) {
			address += 3;
			fine = fine && go_up(at);
		} else {
			break;
		}
	}
	size_t length = strlen(at);
	while (length && at[length - 1] == '/')
		at[--length] = '\0';
	char *whole = fine ? mm_format(length && at[length - 1] == ':' ? "%s%s" : "%s/%s", at, address) : NULL;
	free(at);
	return whole;
}

/* Addresses of other machines that libgit2 speaks to. */
static bool is_known_scheme(const char *address)
{
	static const char *const schemes[] = { "https://", "http://", "git://", "ssh://" };
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strncmp(address, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return !strstr(address, "://") && !strstr(address, "::"); /* "host:path"; "ext::" and the like run programs */
}

int mm_git_module_address(const char *base, const char *address, char **out, struct mm_error *err)
{
	bool relative = strncmp(address, "./", 2) == 0 || strncmp(address, "../", 3) == 0;
	*out = relative ? relative_to(base, address) : mm_strdup(address);
	const char *why = NULL;
	if (!*out || **out == '-')
		why = "which is no address";
	else if (mm_git_is_elsewhere(base) && !mm_git_is_elsewhere(*out))
		why = "a place on this machine, which a repository of another one may not name";
	else if (mm_git_is_elsewhere(*out) && !is_known_scheme(*out))
		why = "whose protocol is not known here: https, http, git or ssh";
	if (!why)
		return 0;
	free(*out);
	*out = NULL;
	return mm_error_set(err, MM_ECELL, "its address is '%s', %s", address, why);
}
