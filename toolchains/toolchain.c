#include "toolchains/toolchain.h"

#include <signal.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/family.h"

unsigned mm_toolchain_patience = 60;

static const struct mm_family_ops *const families[MM_FAMILY_COUNT] = {
	[MM_FAMILY_GCC] = &mm_family_gcc,
	[MM_FAMILY_CLANG] = &mm_family_clang,
	[MM_FAMILY_SUNSTUDIO] = &mm_family_studio,
};

int mm_family_ask(const char *program, const char *argument, struct mm_buffer *output, struct mm_error *err)
{
	char *argv[] = { mm_strdup(program), mm_strdup(argument), NULL };
	struct mm_process_spec spec = {
		.argv = argv, .output = output, .timeout_seconds = mm_toolchain_patience, .unfit = MM_ECELL
	};
	struct mm_process_result result;
	char how[64];
	int code = mm_process_run(&spec, &result, err);
	if (!code && result.exit_status != 0) /* only the machine kills so, for want of memory */
		code = mm_error_set(err, result.signal == SIGKILL ? MM_EENV : MM_ECELL, "'%s %s' fails: %s", program,
				    argument, mm_process_describe(&result, how));
	free(argv[0]);
	free(argv[1]);
	return code;
}

/* Finds PROGRAM into *PATH. PACKAGE (may be NULL) holds it on Debian. */
static int find(const char *program, const char *package, char **path, struct mm_error *err)
{
	*path = mm_fs_find_program(program);
	if (*path)
		return 0;
	if (strchr(program, '/'))
		return mm_error_set(err, MM_ECELL, "there is no program '%s'", program);
	if (package)
		return mm_error_set(err, MM_ECELL,
				    "cannot find the program '%s': install it (Debian: the package '%s')", program,
				    package);
	return mm_error_set(err, MM_ECELL, "cannot find the program '%s' along PATH", program);
}

static int find_programs(struct mm_toolchain *toolchain, struct mm_error *err)
{
	const struct mm_family_ops *ops = toolchain->ops;
	const struct mm_toolchain_spec *spec = toolchain->spec;
	int code = find(spec->cc, ops->cc_package, &toolchain->cc, err);
	if (!code)
		code = find(spec->cxx, ops->cxx_package, &toolchain->cxx, err);
	if (!code && spec->ar)
		code = find(spec->ar, NULL, &toolchain->ar, err);
	if (!code && spec->ranlib)
		code = find(spec->ranlib, NULL, &toolchain->ranlib, err);
	if (!code && spec->nm)
		code = find(spec->nm, NULL, &toolchain->nm, err);
	if (!code && spec->ld && strchr(spec->ld, '/'))
		code = mm_error_set(err, MM_ECELL, "\"ld\" is the name of a linker such as 'lld', not the path '%s'",
				    spec->ld);
	toolchain->ld = mm_strdup(spec->ld);
	return code;
}

/* SHA-256 over the contents of all programs that turn source into code. */
static int compute_identity(struct mm_toolchain *toolchain, struct mm_error *err)
{
	struct mm_strings *paths = &toolchain->programs;
	struct mm_hash *hash = mm_hash_new();
	int code = toolchain->ops->programs(toolchain, paths, err);
	mm_hash_add_text(hash, toolchain->banner);
	mm_hash_add_text(hash, toolchain->target);
	for (size_t i = 0; !code && i < paths->count; i++) {
		char digest[MM_SHA256_HEX];
		code = mm_hash_file(paths->items[i], digest, err);
		mm_hash_add_text(hash, digest);
	}
	mm_hash_finish(hash, toolchain->identity);
	return code;
}

int mm_toolchain_locate(const struct mm_toolchain_spec *spec, struct mm_toolchain **out, struct mm_error *err)
{
	struct mm_toolchain *toolchain = mm_alloc(sizeof *toolchain);
	toolchain->spec = spec;
	toolchain->ops = families[spec->family];
	int code = find_programs(toolchain, err);
	if (code) {
		(void)mm_error_prefix(err, "toolchain '%s'", spec->name);
		mm_toolchain_free(toolchain);
		toolchain = NULL;
	}
	*out = toolchain;
	return code;
}

int mm_toolchain_open(const struct mm_toolchain_spec *spec, struct mm_toolchain **out, struct mm_error *err)
{
	int code = mm_toolchain_locate(spec, out, err);
	if (code)
		return code;
	code = (*out)->ops->identify(*out, err);
	if (!code)
		code = compute_identity(*out, err);
	if (code) {
		(void)mm_error_prefix(err, "toolchain '%s'", spec->name);
		mm_toolchain_free(*out);
		*out = NULL;
	}
	return code;
}

void mm_toolchain_free(struct mm_toolchain *toolchain)
{
	if (!toolchain)
		return;
	free(toolchain->cc);
	free(toolchain->cxx);
	free(toolchain->ar);
	free(toolchain->ranlib);
	free(toolchain->nm);
	free(toolchain->ld);
	free(toolchain->version);
	free(toolchain->banner);
	free(toolchain->target);
	mm_strings_release(&toolchain->programs);
	free(toolchain);
}

const char *mm_toolchain_bits_option(const struct mm_toolchain *toolchain, int bits)
{
	return toolchain->ops->bits_option(toolchain, bits);
}

const char *mm_toolchain_hint(const struct mm_toolchain *toolchain, const char *output, int bits, bool cxx)
{
	return toolchain->ops->hint(output, bits, cxx);
}

void mm_toolchain_link_options(const struct mm_toolchain *toolchain, struct mm_strings *options)
{
	if (toolchain->ld)
		mm_strings_pushf(options, "-fuse-ld=%s", toolchain->ld);
}

void mm_toolchain_run_path(const struct mm_toolchain *toolchain, const char *folder, struct mm_strings *options)
{
	mm_strings_pushf(options, "%s%s", toolchain->ops->run_path, folder);
}

int mm_toolchain_check_flags(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags,
			     struct mm_error *err)
{
	return toolchain->ops->check ? toolchain->ops->check(toolchain, flags, err) : 0;
}
