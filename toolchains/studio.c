#include "toolchains/studio.h"

#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "toolchains/family.h"

/* From 5.8 on. */
static const char *const suites[] = { "11", "12", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6" };

/* "Sun C 5.9 " or "Sun C++ 5.9 "; the suite's own number ("Studio 12.5") in front of it is not the compiler's. */
static const char *find_version(const char *text, bool *cxx)
{
	const char *c = strstr(text, "Sun C "), *plus = strstr(text, "Sun C++ ");
	*cxx = plus && (!c || plus < c);
	if (*cxx)
		return plus + strlen("Sun C++ ");
	return c ? c + strlen("Sun C ") : NULL;
}

int mm_studio_read_banner(const char *program, const char *text, struct mm_studio *studio, struct mm_error *err)
{
	int length = (int)strcspn(text, "\r\n");
	const char *version = find_version(text, &studio->cxx);
	if (!version || strncmp(version, "5.", 2) != 0 || version[2] < '0' || version[2] > '9')
		return mm_error_set(err, MM_ECELL, "'%s' is no Studio compiler: to -V it says '%.*s'", program,
				    length < 200 ? length : 200, text);
	char *end;
	unsigned long minor = strtoul(version + 2, &end, 10);
	if (minor < MM_STUDIO_11 || minor > 99)
		return mm_error_set(err, MM_ECELL,
				    "'%s' is version 5.%lu: Studio 11 (5.8) is the oldest that is supported", program,
				    minor);
	studio->minor = (unsigned)minor;
	studio->suite = minor <= MM_STUDIO_12_6 ? suites[minor - MM_STUDIO_11] : NULL;
	end += strspn(end, " ");
	studio->sparc = strncmp(end, "SunOS_sparc", 11) == 0;
	studio->linux = strncmp(end, "Linux_i386", 10) == 0;
	if (!studio->sparc && !studio->linux && strncmp(end, "SunOS_i386", 10) != 0)
		return mm_error_set(err, MM_ECELL,
				    "'%s' names an unknown platform, known are SunOS_sparc, SunOS_i386 and Linux_i386: "
				    "'%.*s'",
				    program, length < 200 ? length : 200, text);
	return 0;
}

const char *mm_studio_bits_option(const struct mm_studio *studio, int bits)
{
	if (bits == MM_BITS_NATIVE)
		return "";
	if (studio->minor >= MM_STUDIO_12)
		return bits == 32 ? "-m32" : "-m64";
	if (studio->sparc)
		return bits == 32 ? "-xarch=v8plus" : "-xarch=v9";
	return bits == 32 ? "-xarch=386" : "-xarch=amd64";
}

/* What identify found out, from what it wrote into TOOLCHAIN. */
static struct mm_studio studio_of(const struct mm_toolchain *toolchain)
{
	struct mm_studio studio = { 0 };
	struct mm_error ignored = MM_ERROR_INIT;
	(void)mm_studio_read_banner(toolchain->cc, toolchain->banner, &studio, &ignored);
	return studio;
}

/* Without a file to compile cc adds its usage to the answer and ends with status 1, CC does not. */
static int ask(const char *program, char **banner, struct mm_error *err)
{
	char option[] = "-V", *path = mm_strdup(program), *argv[] = { path, option, NULL };
	struct mm_buffer output = MM_BUFFER_INIT;
	struct mm_process_spec spec = {
		.argv = argv, .output = &output, .timeout_seconds = mm_toolchain_patience, .unfit = MM_ECELL
	};
	struct mm_process_result result;
	char how[64];
	int code = mm_process_run(&spec, &result, err);
	if (!code && (result.exit_status < 0 || result.exit_status > 1))
		code = mm_error_set(err, MM_ECELL, "'%s -V' fails: %s", program, mm_process_describe(&result, how));
	const char *text = mm_buffer_text(&output);
	*banner = mm_strndup(text, strcspn(text, "\r\n"));
	mm_buffer_release(&output);
	free(path);
	return code;
}

static int check_pair(const struct mm_toolchain *toolchain, const struct mm_studio *c, const struct mm_studio *cxx,
		      struct mm_error *err)
{
	if (c->cxx || !cxx->cxx)
		return mm_error_set(err, MM_ECELL,
				    "'%s' is a %s compiler and '%s' a %s compiler: \"cc\" is to name cc, \"cxx\" CC",
				    toolchain->cc, c->cxx ? "C++" : "C", toolchain->cxx, cxx->cxx ? "C++" : "C");
	if (c->minor != cxx->minor)
		return mm_error_set(err, MM_ECELL,
				    "'%s' is version 5.%u but '%s' is version 5.%u: name two of one version",
				    toolchain->cc, c->minor, toolchain->cxx, cxx->minor);
	if (toolchain->ld)
		return mm_error_set(err, MM_ECELL, "Studio links with the system's linker only: leave \"ld\" out");
	return 0;
}

static int identify(struct mm_toolchain *toolchain, struct mm_error *err)
{
	struct mm_studio c = { 0 }, cxx = { 0 };
	char *cxx_banner = NULL;
	int code = ask(toolchain->cc, &toolchain->banner, err);
	if (!code)
		code = ask(toolchain->cxx, &cxx_banner, err);
	if (!code)
		code = mm_studio_read_banner(toolchain->cc, toolchain->banner, &c, err);
	if (!code)
		code = mm_studio_read_banner(toolchain->cxx, cxx_banner, &cxx, err);
	if (!code)
		code = check_pair(toolchain, &c, &cxx, err);
	if (!code) {
		toolchain->version = mm_format("5.%u", c.minor);
		toolchain->target = mm_strdup(c.sparc ? "SunOS_sparc" : c.linux ? "Linux_i386" : "SunOS_i386");
	}
	free(cxx_banner);
	return code;
}

/* The drivers are small; what compiles stands beside the real ones, behind the links in bin/. */
static int programs(const struct mm_toolchain *toolchain, struct mm_strings *paths, struct mm_error *err)
{
	static const char *const parts[] = { "acomp",   "ccfe", "iropt", "ipo",    "ir2hf", "ube",
					     "ube_ipa", "cg",   "fbe",   "CClink", "ld" };
	char *real = realpath(toolchain->cc, NULL), *folder = mm_path_folder(real ? real : toolchain->cc);
	(void)err;
	mm_strings_push(paths, toolchain->cc);
	mm_strings_push(paths, toolchain->cxx);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		char *path = mm_path_join(folder, parts[i]);
		if (access(path, X_OK) == 0 && !mm_fs_is_folder(path))
			mm_strings_push(paths, path);
		free(path);
	}
	free(folder);
	free(real);
	return 0;
}

static const char *bits_option(const struct mm_toolchain *toolchain, int bits)
{
	struct mm_studio studio = studio_of(toolchain);
	return mm_studio_bits_option(&studio, bits);
}

static const char *hint(const char *output, int bits, bool cxx)
{
	(void)cxx;
	if (strstr(output, "llegal option") || strstr(output, "not supported"))
		return "this compiler has no such option: correct the flag set, or leave these bits out";
	if (bits == 32 && (strstr(output, "skipping incompatible") || strstr(output, "wrong ELF class")))
		return "install the 32-bit C library and headers (Debian amd64: the package 'gcc-multilib')";
	if (strstr(output, "stdio.h"))
		return "install the system's headers (Solaris: the package 'system/header')";
	return NULL;
}

static int check(const struct mm_toolchain *toolchain, const struct mm_flag_words *flags, struct mm_error *err)
{
	struct mm_studio studio = studio_of(toolchain);
	return mm_studio_check_flags(&studio, flags, err);
}

const struct mm_family_ops mm_family_studio = {
	.family = MM_FAMILY_SUNSTUDIO,
	.identify = identify,
	.programs = programs,
	.bits_option = bits_option,
	.hint = hint,
	.check = check,
	.run_path = "-R",
};
