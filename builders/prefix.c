#include "builders/prefix.h"

#include <errno.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/stamp.h"
#include "builders/elf.h"
#include "builders/failure.h"
#include "builders/prefix-files.h"
#include "builders/source.h"

enum { VERSION_SECONDS = 60 };

/* Where servers are installed, and what their base folder is then: own builds first, then distributions. */
static const struct {
	const char *folder, *base;
} places[] = {
	{ "bin", "" },
	{ "sbin", "" },
	{ "libexec", "" },
	{ "usr/sbin", "usr" },
	{ "usr/bin", "usr" },
	{ "usr/libexec", "usr" },
	{ "usr/local/mysql/bin", "usr/local/mysql" },
};
static const char *const servers[] = { "mariadbd", "mysqld" };

char *mm_prefix_find_server(const char *prefix, char **basedir)
{
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		for (size_t j = 0; j < sizeof servers / sizeof *servers; j++) {
			char *path = mm_format("%s/%s/%s", prefix, places[i].folder, servers[j]);
			if (mm_fs_exists(path) && !mm_fs_is_folder(path)) {
				if (basedir)
					*basedir = *places[i].base ? mm_path_join(prefix, places[i].base)
								   : mm_strdup(prefix);
				return path;
			}
			free(path);
		}
	}
	return NULL;
}

/* The loader INTERPRETER as the prefix has it ("/lib" may be "/usr/lib" there), or NULL. Allocated. */
static char *own_loader(const char *prefix, const char *interpreter)
{
	static const char *const roots[] = { "", "/usr" };
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		char *path = mm_format("%s%s%s", prefix, roots[i], interpreter);
		if (mm_fs_exists(path) && !mm_fs_is_folder(path))
			return path;
		free(path);
	}
	return NULL;
}

/*
 * Packages bring libraries of their own: the server is then started through the loader, which is told where they
 * are; nothing in the environment, which the server would pass on. With a C library of its own the prefix's loader
 * must be used, and what is missing must not be taken from the machine's cache.
 */
static void choose_launcher(struct mm_build *build, const char *interpreter)
{
	struct mm_strings folders = MM_STRINGS_INIT;
	mm_strings_release(&build->launcher);
	if (!interpreter || strcmp(build->basedir, build->prefix) == 0)
		return;
	mm_prefix_libraries(build->prefix, &folders);
	char *own = own_loader(build->prefix, interpreter);
	if (own || folders.count) {
		char *path = mm_strings_join(&folders, ":");
		mm_strings_push(&build->launcher, own ? own : interpreter);
		if (own)
			mm_strings_push(&build->launcher, "--inhibit-cache");
		mm_strings_push(&build->launcher, "--library-path");
		mm_strings_push(&build->launcher, path);
		free(path);
	}
	free(own);
	mm_strings_release(&folders);
}

/* "…/mariadbd  Ver 10.11.18-MariaDB-deb12 for …": the version is the word after "Ver". */
static int read_version(struct mm_build *build, const char *text, struct mm_error *err)
{
	const char *at = strstr(text, "Ver ");
	if (!at)
		return mm_error_set(err, MM_ECELL, "'%s' does not say its version: '%.*s'", build->server,
				    (int)strcspn(text, "\r\n"), text);
	at += 4;
	at += strspn(at, " ");
	size_t length = strcspn(at, " \t\r\n");
	char *word = mm_strndup(at, length < 64 ? length : 64);
	enum mm_variant variant = strstr(word, "MariaDB") || strstr(text, "MariaDB") ? MM_VARIANT_MARIADB
				  : strstr(text, "Percona")                          ? MM_VARIANT_PERCONA
										     : MM_VARIANT_MYSQL;
	word[strcspn(word, "-")] = '\0';
	free(build->variant);
	build->variant = mm_strdup(mm_variant_name(variant));
	if (build->version)
		free(word); /* the tree's own, with its suffix */
	else
		build->version = word;
	return 0;
}

/* Were packages unpacked here? Then more of them can be added. */
static bool of_packages(const struct mm_build *build)
{
	return mm_build_owns_prefix(build) && strcmp(build->basedir, build->prefix) != 0;
}

/* What may help a server that does not even say its version. */
static const char *hint_of(const struct mm_build *build, const char *text)
{
	if (!of_packages(build) && strstr(text, "error while loading shared libraries"))
		return "this machine lacks a library that the server was linked with: install it, or give the server's "
		       "packages together with their libraries as a source";
	if (!of_packages(build) && strstr(text, "version `GLIBC"))
		return "the server was linked on a system with a newer C library: build it here from its source, or give its "
		       "packages together with their libc6 as a source";
	return mm_failure_hint(text);
}

static int ask_version(struct mm_build *build, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT, env = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_result result;
	struct mm_error why = MM_ERROR_INIT;
	char how[64];
	mm_strings_extend(&argv, &build->launcher);
	mm_strings_push(&argv, build->server);
	mm_strings_push(&argv, "--no-defaults");
	mm_strings_push(&argv, "--version");
	mm_process_clean_env(&env, build->folder);
	struct mm_process_spec spec = { .argv = argv.items,
					.env = env.items,
					.cwd = build->folder,
					.output = &output,
					.timeout_seconds = VERSION_SECONDS,
					.unfit = MM_ECELL };
	int code = mm_process_run(&spec, &result, &why);
	const char *text = mm_buffer_text(&output);
	if (code) {
		/* the server itself is there */
		bool loader = code == MM_ECELL && strstr(why.text, strerror(ENOENT)) != NULL;
		code = !loader ? mm_error_set(err, (enum mm_code)code, "%s", why.text)
			       : mm_error_set(err, MM_ECELL,
					      "%s; a %d-bit server needs its loader: %sinstall its C library (Debian: "
					      "libc6 of "
					      "its architecture)",
					      why.text, build->elf_bits,
					      of_packages(build)
						      ? "add the libc6 package of its architecture to \"packages\", or "
						      : "");
	} else if (result.exit_status != 0) {
		char *line = mm_failure_line(text);
		build->hint = mm_strdup(hint_of(build, text));
		code = mm_error_set(err, MM_ECELL, "'%s --version' fails (%s): %s", build->server,
				    mm_process_describe(&result, how), line);
		free(line);
	} else {
		code = read_version(build, text, err);
	}
	mm_buffer_release(&output);
	mm_strings_release(&env);
	mm_strings_release(&argv);
	return code;
}

static void take_elf(struct mm_build *build, struct mm_elf *elf)
{
	build->elf_bits = elf->bits;
	build->text_bytes = elf->text_bytes;
	build->data_bytes = elf->data_bytes;
	build->bss_bytes = elf->bss_bytes;
	mm_strings_release(&build->needed);
	mm_strings_extend(&build->needed, &elf->needed);
}

/* What the server and its plugins and libraries do. Without a section table nothing is known of it. */
static int take_code(struct mm_build *build, const struct mm_elf *elf, struct mm_error *err)
{
	build->code_sha256[0] = '\0';
	if (!*elf->code_sha256)
		return 0;
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, elf->code_sha256);
	int code = mm_prefix_files_code(build->prefix, build->basedir, build->folder, hash, err);
	mm_hash_finish(hash, build->code_sha256);
	return code;
}

int mm_prefix_inspect(struct mm_build *build, int bits, struct mm_error *err)
{
	struct mm_elf elf = { 0 };
	free(build->server);
	free(build->basedir);
	build->basedir = NULL;
	build->server = mm_prefix_find_server(build->prefix, &build->basedir);
	if (!build->server)
		return mm_error_set(
			err, MM_ECELL,
			"there is no server in '%s': looked for mariadbd and mysqld in bin, sbin, libexec, usr/sbin, "
			"usr/bin, usr/libexec and usr/local/mysql/bin",
			build->prefix);
	build->server_stamp = mm_inode_stamp(build->server);
	int code = mm_hash_file(build->server, build->server_sha256, err);
	if (!code)
		code = mm_elf_read(build->server, build->folder, &elf, err);
	if (code)
		return code;
	take_elf(build, &elf);
	code = take_code(build, &elf, err);
	if (!code && bits != MM_BITS_NATIVE && elf.bits != bits)
		code = mm_error_set(err, MM_ECELL, "'%s' has %d bits, the cell says %d", build->server, elf.bits, bits);
	choose_launcher(build, elf.interpreter);
	if (!code)
		code = ask_version(build, err);
	mm_elf_release(&elf);
	return code;
}
