#include "toolchains/discover.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>

#include "base/fs.h"
#include "base/memory.h"

static const struct {
	const char *cc, *cxx;
	enum mm_family family;
} drivers[] = {
	{ "gcc", "g++", MM_FAMILY_GCC },
	{ "clang", "clang++", MM_FAMILY_CLANG },
};

/* Is NAME the driver itself or one of a version, "gcc-13"? Returns what follows the driver's name, else NULL. */
static const char *version_suffix(const char *name, const char *driver)
{
	size_t length = strlen(driver);
	if (strncmp(name, driver, length) != 0)
		return NULL;
	const char *suffix = name + length;
	if (!*suffix)
		return suffix;
	if (*suffix != '-' || !isdigit((unsigned char)suffix[1]))
		return NULL;
	return suffix[1 + strspn(suffix + 1, "0123456789.")] ? NULL : suffix;
}

/* In the order of the drivers, those without a version first: of two names of one program the shorter one stays. */
static int by_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		bool is_x = version_suffix(x, drivers[i].cc) != NULL, is_y = version_suffix(y, drivers[i].cc) != NULL;
		if (is_x != is_y)
			return is_x ? -1 : 1;
	}
	return strcmp(x, y);
}

static void list_folder(const char *folder, struct mm_strings *names)
{
	DIR *dir = mm_fs_opendir(folder);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
			if (version_suffix(entry->d_name, drivers[i].cc) && !mm_strings_contain(names, entry->d_name))
				mm_strings_push(names, entry->d_name);
	if (dir)
		closedir(dir);
}

static void list_candidates(struct mm_strings *names)
{
	const char *path = getenv("PATH");
	while (path && *path) {
		size_t length = strcspn(path, ":");
		char *folder = mm_strndup(path, length);
		list_folder(folder, names);
		free(folder);
		path += length + (path[length] == ':');
	}
	if (names->count)
		qsort(names->items, names->count, sizeof *names->items, by_name);
}

/* The file behind a name, so that gcc and gcc-12 are not two compilers. Allocated, NULL when there is none. */
static char *real_program(const char *name)
{
	char *path = mm_fs_find_program(name);
	char *real = path ? realpath(path, NULL) : NULL;
	free(path);
	return real;
}

static void release_one(struct mm_found_toolchain *one)
{
	mm_toolchain_free(one->toolchain);
	free(one->spec.name);
	free(one->spec.cc);
	free(one->spec.cxx);
}

/* Tries NAME out. Returns 1 when it works, 0 when not. */
static int try_out(const char *name, const char *scratch, struct mm_found_toolchain *one, struct mm_error *err)
{
	char none[] = "";
	const struct mm_flag_words flags = { none, none, none, none };
	struct mm_error why = MM_ERROR_INIT;
	*one = (struct mm_found_toolchain){ 0 };
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
		const char *suffix = version_suffix(name, drivers[i].cc);
		if (suffix)
			one->spec = (struct mm_toolchain_spec){ .name = mm_strdup(name),
								.family = drivers[i].family,
								.cc = mm_strdup(name),
								.cxx = mm_format("%s%s", drivers[i].cxx, suffix) };
	}
	int code = mm_toolchain_open(&one->spec, &one->toolchain, &why);
	for (int i = 0; i < 2 && !code; i++) {
		code = mm_toolchain_probe(one->toolchain, i ? 64 : 32, &flags, scratch, &why);
		one->bits[i] = !code;
		if (code == MM_ECELL)
			code = 0;
		mm_error_clear(&why);
	}
	if (code && code != MM_ECELL)
		return mm_error_set(err, why.code, "%s", why.text);
	return one->bits[0] || one->bits[1];
}

int mm_toolchains_discover(const char *scratch, struct mm_found_toolchains *found, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT, seen = MM_STRINGS_INIT;
	int code = 0;
	*found = (struct mm_found_toolchains){ 0 };
	list_candidates(&names);
	for (size_t i = 0; i < names.count && code >= 0; i++) {
		char *real = real_program(names.items[i]);
		bool known = !real || mm_strings_contain(&seen, real);
		if (!known)
			mm_strings_push(&seen, real);
		free(real);
		if (known)
			continue;
		struct mm_found_toolchain one;
		code = try_out(names.items[i], scratch, &one, err);
		if (code != 1) {
			release_one(&one);
			continue;
		}
		found->items = mm_grow(found->items, found->count, &found->capacity, sizeof *found->items);
		found->items[found->count] = one;
		found->count++;
	}
	/* the vector is at rest now: each toolchain borrows the spec beside it */
	for (size_t i = 0; i < found->count; i++)
		found->items[i].toolchain->spec = &found->items[i].spec;
	mm_strings_release(&names);
	mm_strings_release(&seen);
	return code < 0 ? code : 0;
}

void mm_found_toolchains_release(struct mm_found_toolchains *found)
{
	for (size_t i = 0; i < found->count; i++)
		release_one(&found->items[i]);
	free(found->items);
	*found = (struct mm_found_toolchains){ 0 };
}
