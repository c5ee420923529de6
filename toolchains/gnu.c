/* gcc and clang: two families with one command line. */
#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/family.h"

static char *first_line(const char *text)
{
	return mm_strndup(text, strcspn(text, "\r\n"));
}

/* Which family a --version text is of; MM_FAMILY_COUNT when it is neither. */
static enum mm_family family_of(const char *text)
{
	if (strstr(text, "clang version"))
		return MM_FAMILY_CLANG;
	if (strstr(text, "Free Software Foundation"))
		return MM_FAMILY_GCC;
	return MM_FAMILY_COUNT;
}

/* Runs "PROGRAM --version" and checks the family. The text is appended to OUT. */
static int check_family(const char *program, enum mm_family family, struct mm_buffer *out, struct mm_error *err)
{
	int code = mm_family_ask(program, "--version", out, err);
	if (code)
		return code;
	enum mm_family real = family_of(mm_buffer_text(out));
	char *banner = first_line(mm_buffer_text(out));
	if (real == MM_FAMILY_COUNT)
		code = mm_error_set(err, MM_ECELL, "'%s' is neither gcc nor clang, it says '%s'", program, banner);
	else if (real != family)
		code = mm_error_set(err, MM_ECELL, "'%s' is of family '%s', not '%s': it says '%s'", program,
				    mm_family_name(real), mm_family_name(family), banner);
	free(banner);
	return code;
}

/* One line of output without its end, allocated. */
static int ask_line(const char *program, const char *argument, char **line, struct mm_error *err)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	int code = mm_family_ask(program, argument, &out, err);
	*line = code ? NULL : first_line(mm_buffer_text(&out));
	mm_buffer_release(&out);
	return code;
}

/* gcc says its version by -dumpfullversion (from 7 on; older: -dumpversion); clang by its banner. */
static int ask_version(const char *program, enum mm_family family, const char *banner, char **version,
		       struct mm_error *err)
{
	if (family == MM_FAMILY_CLANG) {
		const char *at = strstr(banner, "clang version");
		if (!at)
			return mm_error_set(err, MM_ECELL, "'%s' names no version: it says '%s'", program, banner);
		at += strlen("clang version");
		at += strspn(at, " ");
		*version = mm_strndup(at, strcspn(at, " -+~"));
		return 0;
	}
	struct mm_error ignored = MM_ERROR_INIT;
	int code = ask_line(program, "-dumpfullversion", version, &ignored);
	if (code && code != MM_ECELL)
		return mm_error_set(err, (enum mm_code)code, "%s", ignored.text);
	return code ? ask_line(program, "-dumpversion", version, err) : 0;
}

static int identify(struct mm_toolchain *toolchain, struct mm_error *err)
{
	enum mm_family family = toolchain->spec->family;
	struct mm_buffer cc = MM_BUFFER_INIT, cxx = MM_BUFFER_INIT;
	char *cxx_banner = NULL, *cxx_version = NULL;
	int code = check_family(toolchain->cc, family, &cc, err);
	if (!code)
		code = check_family(toolchain->cxx, family, &cxx, err);
	if (code)
		goto out;
	toolchain->banner = first_line(mm_buffer_text(&cc));
	cxx_banner = first_line(mm_buffer_text(&cxx));
	code = ask_version(toolchain->cc, family, toolchain->banner, &toolchain->version, err);
	if (!code)
		code = ask_version(toolchain->cxx, family, cxx_banner, &cxx_version, err);
	if (!code)
		code = ask_line(toolchain->cc, "-dumpmachine", &toolchain->target, err);
	if (!code && strcmp(toolchain->version, cxx_version) != 0)
		code = mm_error_set(err, MM_ECELL, "'%s' is version %s but '%s' is version %s: name two of one version",
				    toolchain->cc, toolchain->version, toolchain->cxx, cxx_version);
out:
	free(cxx_banner);
	free(cxx_version);
	mm_buffer_release(&cc);
	mm_buffer_release(&cxx);
	return code;
}

/* Asks the driver where its part NAME is; a part that it does not use keeps its bare name (clang is its own cc1). */
static int push_part(const struct mm_toolchain *toolchain, const char *name, struct mm_strings *paths,
		     struct mm_error *err)
{
	char *argument = mm_format("-print-prog-name=%s", name), *answer = NULL;
	int code = ask_line(toolchain->cxx, argument, &answer, err);
	char *path = code ? NULL : mm_fs_find_program(answer);
	if (path)
		mm_strings_push(paths, path);
	free(path);
	free(answer);
	free(argument);
	return code;
}

static int programs(const struct mm_toolchain *toolchain, struct mm_strings *paths, struct mm_error *err)
{
	static const char *const parts[] = { "cc1", "cc1plus", "lto1", "collect2", "as", "ld" };
	int code = 0;
	mm_strings_push(paths, toolchain->cc);
	mm_strings_push(paths, toolchain->cxx);
	if (toolchain->ar)
		mm_strings_push(paths, toolchain->ar);
	for (size_t i = 0; !code && i < sizeof parts / sizeof *parts; i++)
		code = push_part(toolchain, parts[i], paths, err);
	if (!code && toolchain->ld) {
		char *linker = mm_format("ld.%s", toolchain->ld);
		code = push_part(toolchain, linker, paths, err);
		free(linker);
	}
	return code;
}

static const char *bits_option(const struct mm_toolchain *toolchain, int bits)
{
	(void)toolchain;
	return bits == 32 ? "-m32" : bits == 64 ? "-m64" : "";
}

static bool says(const char *output, const char *words)
{
	return strstr(output, words) != NULL;
}

static const char *hint_32(const char *output, bool cxx)
{
	if (!cxx)
		return "install the 32-bit C library and headers (Debian amd64: the package 'gcc-multilib')";
	if (says(output, "c++config.h") || says(output, "-lstdc++") || says(output, "skipping incompatible") ||
	    says(output, "bits/"))
		return "install the 32-bit C++ library and headers (Debian amd64: the package 'g++-multilib')";
	return NULL;
}

static const char *hint(const char *output, int bits, bool cxx)
{
	const char *found = NULL;
	if (says(output, "unrecognized command") || says(output, "unknown argument") ||
	    says(output, "unsupported option"))
		return says(output, "-m32") || says(output, "-m64")
			       ? "this compiler has no such option: use \"bits\": \"native\" on this machine"
			       : "take the option out of the flag set, or give the family a value of its own";
	if (bits == 32)
		found = hint_32(output, cxx);
	if (found)
		return found;
	if (says(output, "cc1plus") || says(output, "cannot execute"))
		return "install the C++ compiler (Debian: the package 'g++')";
	if (says(output, "stdio.h") || says(output, "crt1.o") || says(output, "Scrt1.o"))
		return "install the C library's headers (Debian: the package 'libc6-dev')";
	if (says(output, "'string' file not found") || says(output, "string: No such file") || says(output, "-lstdc++"))
		return "install the C++ library (Debian: the package 'g++')";
	if (says(output, "invalid linker name") || says(output, "cannot find 'ld'") || says(output, "-fuse-ld"))
		return "install the linker that the flags name (Debian: 'lld', 'mold' or 'binutils')";
	return NULL;
}

const struct mm_family_ops mm_family_gcc = {
	.family = MM_FAMILY_GCC,
	.cc_package = "gcc",
	.cxx_package = "g++",
	.identify = identify,
	.programs = programs,
	.bits_option = bits_option,
	.hint = hint,
	.run_path = "-Wl,-rpath,",
};

const struct mm_family_ops mm_family_clang = {
	.family = MM_FAMILY_CLANG,
	.cc_package = "clang",
	.cxx_package = "clang",
	.identify = identify,
	.programs = programs,
	.bits_option = bits_option,
	.hint = hint,
	.run_path = "-Wl,-rpath,",
};
