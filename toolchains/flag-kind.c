#include "toolchains/flag-kind.h"

#include <stdio.h>
#include <string.h>

#include "toolchains/flag-words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *mm_flag_class_name(enum mm_flag_class class)
{
	static const char *const names[] = { "other",
					     "level",
					     "bits",
					     "debug information",
					     "hardening",
					     "frame pointers",
					     "position independence",
					     "PIE",
					     "LTO",
					     "processor",
					     "instructions",
					     "arithmetic",
					     "assertions",
					     "debug code",
					     "instrumentation",
					     "optimiser",
					     "language",
					     "link",
					     "other tools",
					     "unread input" };
	return names[class];
}

struct row {
	const char *pattern; /* a '*' at its end stands for anything */
	enum mm_flag_class class;
	const char *group; /* NULL: the flag's own name */
	bool off;
};

/* The first row that fits counts. */
static const struct row gnu[] = {
	{ "-B*", MM_FLAG_TOOLS, NULL, false },
	{ "-wrapper *", MM_FLAG_TOOLS, "wrapper", false },
	{ "-specs=*", MM_FLAG_TOOLS, NULL, false },
	{ "--specs=*", MM_FLAG_TOOLS, NULL, false },
	{ "--config*", MM_FLAG_TOOLS, NULL, false },
	{ "-fplugin*", MM_FLAG_TOOLS, NULL, false },
	{ "-cc1*", MM_FLAG_TOOLS, NULL, false },
	{ "-load*", MM_FLAG_TOOLS, NULL, false },
	{ "-ccc-*", MM_FLAG_TOOLS, NULL, false },
	{ "--driver-mode=*", MM_FLAG_TOOLS, NULL, false },
	{ "--gcc-toolchain=*", MM_FLAG_TOOLS, NULL, false },
	{ "--gcc-install-dir=*", MM_FLAG_TOOLS, NULL, false },
	{ "-fuse-ld=*", MM_FLAG_TOOLS, "linker", false },
	{ "--ld-path=*", MM_FLAG_TOOLS, "linker", false },
	{ "-g0", MM_FLAG_DEBUG_INFO, "debug", true },
	{ "-g", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-g1", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-g2", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-g3", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-ggdb*", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-gdwarf*", MM_FLAG_DEBUG_INFO, "debug-format", false },
	{ "-fno-stack-protector*", MM_FLAG_HARDENING, "stack-protector", false },
	{ "-fstack-protector*", MM_FLAG_HARDENING, "stack-protector", false },
	{ "--param=ssp-buffer-size*", MM_FLAG_HARDENING, "ssp-buffer-size", false },
	{ "-D_FORTIFY_SOURCE*", MM_FLAG_HARDENING, "fortify", false },
	{ "-U_FORTIFY_SOURCE", MM_FLAG_HARDENING, "fortify", true },
	{ "-fstack-clash-protection", MM_FLAG_HARDENING, "stack-clash", false },
	{ "-fno-stack-clash-protection", MM_FLAG_HARDENING, "stack-clash", false },
	{ "-fcf-protection*", MM_FLAG_HARDENING, "cf-protection", false },
	{ "-mbranch-protection*", MM_FLAG_HARDENING, "cf-protection", false },
	{ "-ftrivial-auto-var-init*", MM_FLAG_HARDENING, "auto-var-init", false },
	{ "-fhardened", MM_FLAG_HARDENING, "hardened", false },
	{ "-fzero-call-used-regs*", MM_FLAG_HARDENING, NULL, false },
	{ "-mindirect-branch*", MM_FLAG_HARDENING, NULL, false },
	{ "-mfunction-return*", MM_FLAG_HARDENING, NULL, false },
	{ "-mretpoline*", MM_FLAG_HARDENING, NULL, false },
	{ "-mspeculative-load-hardening", MM_FLAG_HARDENING, NULL, false },
	{ "-mlvi-*", MM_FLAG_HARDENING, NULL, false },
	{ "-mseses", MM_FLAG_HARDENING, NULL, false },
	{ "-mharden-sls*", MM_FLAG_HARDENING, NULL, false },
	{ "-mstack-protector*", MM_FLAG_HARDENING, NULL, false },
	{ "-mshstk", MM_FLAG_HARDENING, NULL, false },
	{ "-D_GLIBCXX_ASSERTIONS*", MM_FLAG_ASSERTIONS, "library-assertions", false },
	{ "-fomit-frame-pointer", MM_FLAG_FRAME_POINTER, "frame-pointer", true },
	{ "-fno-omit-frame-pointer", MM_FLAG_FRAME_POINTER, "frame-pointer", false },
	{ "-mno-omit-leaf-frame-pointer", MM_FLAG_FRAME_POINTER, "leaf-frame-pointer", false },
	{ "-fPIE", MM_FLAG_PIE, "pic", false },
	{ "-fpie", MM_FLAG_PIE, "pic", false },
	{ "-fno-pie", MM_FLAG_PIE, "pic", false },
	{ "-fno-PIE", MM_FLAG_PIE, "pic", false },
	{ "-pie", MM_FLAG_PIE, "pie-link", false },
	{ "-no-pie", MM_FLAG_PIE, "pie-link", false },
	{ "-static-pie", MM_FLAG_PIE, "pie-link", false },
	{ "-fPIC", MM_FLAG_PIC, "pic", false },
	{ "-fpic", MM_FLAG_PIC, "pic", false },
	{ "-fno-pic", MM_FLAG_PIC, "pic", false },
	{ "-fno-PIC", MM_FLAG_PIC, "pic", false },
	{ "-fno-lto", MM_FLAG_LTO, "lto", true },
	{ "-flto*", MM_FLAG_LTO, "lto", false },
	{ "-fwhole-program*", MM_FLAG_LTO, "whole-program", false },
	{ "-march=*", MM_FLAG_CPU, "-march", false },
	{ "-mcpu=*", MM_FLAG_CPU, "-mcpu", false },
	{ "-mtune=*", MM_FLAG_CPU, "-mtune", false },
	{ "-ffast-math", MM_FLAG_MATH, "fast-math", false },
	{ "-fno-fast-math", MM_FLAG_MATH, "fast-math", true },
	{ "-funsafe-math-optimizations", MM_FLAG_MATH, "unsafe-math-optimizations", false },
	{ "-fno-unsafe-math-optimizations", MM_FLAG_MATH, "unsafe-math-optimizations", true },
	{ "-fassociative-math", MM_FLAG_MATH, "associative-math", false },
	{ "-fno-associative-math", MM_FLAG_MATH, "associative-math", true },
	{ "-freciprocal-math", MM_FLAG_MATH, "reciprocal-math", false },
	{ "-fno-reciprocal-math", MM_FLAG_MATH, "reciprocal-math", true },
	{ "-ffinite-math-only", MM_FLAG_MATH, "finite-math-only", false },
	{ "-fno-finite-math-only", MM_FLAG_MATH, "finite-math-only", true },
	{ "-fno-signed-zeros", MM_FLAG_MATH, "signed-zeros", false },
	{ "-fsigned-zeros", MM_FLAG_MATH, "signed-zeros", true },
	{ "-fno-trapping-math", MM_FLAG_MATH, "trapping-math", false },
	{ "-ftrapping-math", MM_FLAG_MATH, "trapping-math", true },
	{ "-ffp-contract=*", MM_FLAG_MATH, "fp-contract", false },
	{ "-mfpmath=*", MM_FLAG_MATH, "fpmath", false },
	{ "-mpc32", MM_FLAG_MATH, "-mpc", false },
	{ "-mpc64", MM_FLAG_MATH, "-mpc", false },
	{ "-mpc80", MM_FLAG_MATH, "-mpc", false },
	{ "-mdaz-ftz", MM_FLAG_MATH, "daz-ftz", false },
	{ "-mno-daz-ftz", MM_FLAG_MATH, "daz-ftz", true },
	{ "-mrecip*", MM_FLAG_MATH, "-mrecip", false },
	{ "-DNDEBUG*", MM_FLAG_ASSERTIONS, "NDEBUG", false },
	{ "-UNDEBUG", MM_FLAG_ASSERTIONS, "NDEBUG", false },
	{ "-DDBUG_OFF*", MM_FLAG_DEBUG_CODE, "DBUG", true },
	{ "-UDBUG_OFF", MM_FLAG_DEBUG_CODE, "DBUG", false },
	{ "-DDBUG_ON*", MM_FLAG_DEBUG_CODE, "DBUG", false },
	{ "-DSAFE_MUTEX*", MM_FLAG_DEBUG_CODE, "SAFE_MUTEX", false },
	{ "-DSAFEMALLOC*", MM_FLAG_DEBUG_CODE, "SAFEMALLOC", false },
	{ "-DENABLED_DEBUG_SYNC*", MM_FLAG_DEBUG_CODE, "DEBUG_SYNC", false },
	{ "-DUNIV_DEBUG*", MM_FLAG_DEBUG_CODE, "UNIV_DEBUG", false },
	{ "-DEXTRA_DEBUG*", MM_FLAG_DEBUG_CODE, "EXTRA_DEBUG", false },
	{ "-pg", MM_FLAG_INSTRUMENTATION, "-pg", false },
	{ "-p", MM_FLAG_INSTRUMENTATION, "-pg", false },
	{ "--coverage", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-ftest-coverage", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-fprofile*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-finstrument*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-fsanitize*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "--param=*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-mllvm*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-Wa,--noexecstack", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,--compress-debug-sections*", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,--fatal-warnings", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,-a*", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,-g*", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,-I*", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,-W*", MM_FLAG_OTHER, NULL, false },
	{ "-Wa,-*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-fdiagnostics*", MM_FLAG_OTHER, NULL, false },
	{ "-fno-diagnostics*", MM_FLAG_OTHER, NULL, false },
	{ "-fcolor*", MM_FLAG_OTHER, NULL, false },
	{ "-fmessage-length*", MM_FLAG_OTHER, NULL, false },
	{ "-fmax-errors*", MM_FLAG_OTHER, NULL, false },
	{ "-fno-use-linker-plugin", MM_FLAG_LINK, NULL, false },
	{ "-fuse-linker-plugin", MM_FLAG_LINK, NULL, false },
	{ "-fmacro-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-ffile-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-fdebug-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-frandom-seed*", MM_FLAG_OTHER, NULL, false },
	{ "-frecord-gcc-switches", MM_FLAG_OTHER, NULL, false },
	{ "-fsyntax-only", MM_FLAG_OTHER, NULL, false },
	{ "-fpch-*", MM_FLAG_OTHER, NULL, false },
	{ "-static*", MM_FLAG_LINK, NULL, false },
	{ "-s", MM_FLAG_LINK, NULL, false },
	{ "-rdynamic", MM_FLAG_LINK, NULL, false },
	{ "-T*", MM_FLAG_INPUT, NULL, false },
};

/* What is handed to the linker: one word of "-Wl,", with its operand; "--word" is written "-word". */
static const struct row linker[] = {
	{ "-z,relro", MM_FLAG_HARDENING, "relro", false },
	{ "-z,norelro", MM_FLAG_HARDENING, "relro", false },
	{ "-z,now", MM_FLAG_HARDENING, "bind-now", false },
	{ "-z,lazy", MM_FLAG_HARDENING, "bind-now", true },
	{ "-z,execstack", MM_FLAG_HARDENING, "execstack", false },
	{ "-z,noexecstack", MM_FLAG_LINK, "execstack", false },
	{ "-z,ibt*", MM_FLAG_HARDENING, "-Wl,-z,ibt", false },
	{ "-z,shstk", MM_FLAG_HARDENING, "-Wl,-z,shstk", false },
	{ "-z,*", MM_FLAG_LINK, NULL, false },
	{ "-O*", MM_FLAG_LINK, "linker-level", false },
	{ "-pie", MM_FLAG_PIE, "pie-link", false },
	{ "-pic-executable", MM_FLAG_PIE, "pie-link", false },
	{ "-no-pie", MM_FLAG_PIE, "pie-link", false },
	{ "-plugin*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-lto-*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-mllvm*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-T*", MM_FLAG_INPUT, NULL, false },
	{ "-script*", MM_FLAG_INPUT, NULL, false },
	{ "-default-script*", MM_FLAG_INPUT, NULL, false },
	{ "-dT,*", MM_FLAG_INPUT, NULL, false },
	{ "-mri-script*", MM_FLAG_INPUT, NULL, false },
	{ "-c,*", MM_FLAG_INPUT, NULL, false },
	{ "-gc-sections", MM_FLAG_LINK, NULL, false },
	{ "-icf*", MM_FLAG_LINK, NULL, false },
	{ "-as-needed", MM_FLAG_LINK, NULL, false },
	{ "-sort-common*", MM_FLAG_LINK, NULL, false },
	{ "-Bsymbolic*", MM_FLAG_LINK, NULL, false },
	{ "-hash-style*", MM_FLAG_LINK, NULL, false },
	{ "-build-id*", MM_FLAG_LINK, NULL, false },
};

/* What clang's own front end is told beside the driver's flags; CMake hands it precompiled headers so. */
static const struct row frontend[] = {
	{ "-include*", MM_FLAG_OTHER, NULL, false },
	{ "-emit-pch", MM_FLAG_OTHER, NULL, false },
	{ "-fno-pch-timestamp", MM_FLAG_OTHER, NULL, false },
	{ "-target-feature *", MM_FLAG_EXTENSION, NULL, false },
};

/* -fNAME and -fno-NAME that say what the source means, or where things are put. */
static const char *const language[] = {
	"exceptions",
	"rtti",
	"implicit-templates",
	"implicit-inline-templates",
	"strict-aliasing",
	"wrapv",
	"strict-overflow",
	"visibility*",
	"common",
	"signed-char",
	"unsigned-char",
	"short-enums",
	"permissive",
	"gnu89-inline",
	"threadsafe-statics",
	"non-call-exceptions",
	"asynchronous-unwind-tables",
	"unwind-tables",
	"function-sections",
	"data-sections",
	"char8_t",
	"plt",
	"semantic-interposition",
	"ident",
	"check-new",
	"delete-null-pointer-checks",
	"builtin*",
	"ms-extensions",
	"extended-identifiers",
	"coroutines",
	"openmp*",
	"lax-vector-conversions",
	"standalone-debug",
	"debug-types-section",
	"eliminate-unused-debug-types",
	"fat-lto-objects",
	"stack-check",
	"working-directory",
	"abi-version*",
	"PIC",
};

static const struct row studio[] = {
	{ "-fast", MM_FLAG_OPTIMISER, NULL, false },
	{ "-g0", MM_FLAG_DEBUG_INFO, "debug", true },
	{ "-g", MM_FLAG_DEBUG_INFO, "debug", false },
	{ "-xs*", MM_FLAG_DEBUG_INFO, NULL, false },
	{ "-xdebugformat*", MM_FLAG_DEBUG_INFO, NULL, false },
	{ "-KPIC", MM_FLAG_PIC, "pic", false },
	{ "-Kpic", MM_FLAG_PIC, "pic", false },
	{ "-PIC", MM_FLAG_PIC, "pic", false },
	{ "-pic", MM_FLAG_PIC, "pic", false },
	{ "-fPIC", MM_FLAG_PIC, "pic", false },
	{ "-xcode=*", MM_FLAG_PIC, "pic", false },
	{ "-xipo=0", MM_FLAG_LTO, "ipo", true },
	{ "-xipo*", MM_FLAG_LTO, "ipo", false },
	{ "-xcrossfile*", MM_FLAG_LTO, "crossfile", false },
	{ "-xlinkopt*", MM_FLAG_LTO, "linkopt", false },
	{ "-xtarget=*", MM_FLAG_CPU, "-xtarget", false },
	{ "-xarch=*", MM_FLAG_CPU, "-xarch", false },
	{ "-xchip=*", MM_FLAG_CPU, "-xchip", false },
	{ "-xcache=*", MM_FLAG_CPU, "-xcache", false },
	{ "-fsimple*", MM_FLAG_MATH, "fsimple", false },
	{ "-fns*", MM_FLAG_MATH, "fns", false },
	{ "-ftrap=*", MM_FLAG_MATH, "ftrap", false },
	{ "-fround=*", MM_FLAG_MATH, "fround", false },
	{ "-fstore", MM_FLAG_MATH, "fstore", false },
	{ "-nofstore", MM_FLAG_MATH, "fstore", false },
	{ "-fma=*", MM_FLAG_MATH, "fma", false },
	{ "-xlibmil", MM_FLAG_MATH, NULL, false },
	{ "-xlibmopt*", MM_FLAG_MATH, NULL, false },
	{ "-xvector*", MM_FLAG_MATH, NULL, false },
	{ "-DNDEBUG*", MM_FLAG_ASSERTIONS, "NDEBUG", false },
	{ "-UNDEBUG", MM_FLAG_ASSERTIONS, "NDEBUG", false },
	{ "-DDBUG_OFF*", MM_FLAG_DEBUG_CODE, "DBUG", true },
	{ "-UDBUG_OFF", MM_FLAG_DEBUG_CODE, "DBUG", false },
	{ "-DDBUG_ON*", MM_FLAG_DEBUG_CODE, "DBUG", false },
	{ "-DSAFE_MUTEX*", MM_FLAG_DEBUG_CODE, "SAFE_MUTEX", false },
	{ "-xprofile*", MM_FLAG_INSTRUMENTATION, "profile", false },
	{ "-xpg", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-p", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-xcheck*", MM_FLAG_HARDENING, "check", false },
	{ "-features=*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-library=*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xldscope=*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xalias_level*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xstrconst", MM_FLAG_LANGUAGE, NULL, false },
	{ "-noex", MM_FLAG_LANGUAGE, NULL, false },
	{ "-mt*", MM_FLAG_LANGUAGE, "mt", false },
	{ "-xthreadvar*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xMD", MM_FLAG_OTHER, NULL, false },
	{ "-xMMD", MM_FLAG_OTHER, NULL, false },
	{ "-xMF*", MM_FLAG_OTHER, NULL, false },
	{ "-xc99*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xc11*", MM_FLAG_LANGUAGE, NULL, false },
	{ "-xCC", MM_FLAG_LANGUAGE, NULL, false },
	{ "-x*", MM_FLAG_OPTIMISER, NULL, false },
};

static bool fits(const char *pattern, const char *text)
{
	size_t length = strlen(pattern);
	if (pattern[length - 1] == '*')
		return strncmp(text, pattern, length - 1) == 0;
	return strcmp(text, pattern) == 0;
}

static void name_group(struct mm_flag_kind *kind, const char *text, size_t length)
{
	int most = MM_FLAG_GROUP - 1;
	(void)snprintf(kind->group, sizeof kind->group, "%.*s", length < (size_t)most ? (int)length : most, text);
}

/* The row of TEXT, whose group is NAME up to its '=' unless the row says one. Returns whether there is one. */
static bool find_row(const struct row *rows, size_t count, const char *text, const char *name,
		     struct mm_flag_kind *kind)
{
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];
		if (!fits(row->pattern, text))
			continue;
		kind->class = row->class;
		kind->off = row->off;
		if (row->group)
			name = row->group;
		size_t head = strncmp(name, "--param=", 8) == 0 ? 8 : 0; /* the parameter's name comes behind it */
		bool whole = row->group || row->class == MM_FLAG_TOOLS;  /* of other tools each is one more */
		name_group(kind, name, whole ? strlen(name) : head + strcspn(name + head, "="));
		return true;
	}
	return false;
}

/* -fNAME, -fno-NAME=value: one group, NAME. */
static void kind_of_f(const char *flag, struct mm_flag_kind *kind)
{
	const char *name = strncmp(flag, "-fno-", 5) == 0 ? flag + 5 : flag + 2;
	name_group(kind, name, strcspn(name, "="));
	kind->class = MM_FLAG_OPTIMISER;
	for (size_t i = 0; i < COUNT(language); i++)
		if (fits(language[i], name))
			kind->class = MM_FLAG_LANGUAGE;
}

static void kind_of_m(const char *flag, struct mm_flag_kind *kind)
{
	const char *name = strncmp(flag, "-mno-", 5) == 0 ? flag + 5 : flag + 2;
	kind->class = MM_FLAG_EXTENSION;
	(void)snprintf(kind->group, sizeof kind->group, "-m%.*s", (int)(strcspn(name, "=") % (MM_FLAG_GROUP - 2)),
		       name);
}

/* A word of the linker, which stands behind "-Wl," in FLAG. */
static void kind_of_linker(const char *flag, struct mm_flag_kind *kind)
{
	const char *word = flag + 4;
	if (*word == '-') {
		(void)find_row(linker, COUNT(linker), word[1] == '-' ? word + 1 : word, flag, kind);
	} else if (*word && !mm_ends_in(word, ".o") && !mm_ends_in(word, ".a")) { /* those are known by their names */
		kind->class = MM_FLAG_INPUT;
		name_group(kind, flag, strlen(flag));
	}
}

/* Of sanitizers each is a thing of its own. */
static bool kind_of_sanitizer(const char *flag, struct mm_flag_kind *kind)
{
	bool off = strncmp(flag, "-fno-sanitize=", 14) == 0;
	const char *name = off ? flag + 5 : flag + 2;
	if (!off && strncmp(flag, "-fsanitize=", 11) != 0)
		return false;
	kind->class = MM_FLAG_INSTRUMENTATION;
	kind->off = off;
	name_group(kind, name, strlen(name));
	return true;
}

static void kind_of_gnu(const char *flag, struct mm_flag_kind *kind)
{
	if (strncmp(flag, "-Wl,", 4) == 0) {
		kind_of_linker(flag, kind);
	} else if (kind_of_sanitizer(flag, kind)) {
		return;
	} else if (find_row(gnu, COUNT(gnu), flag, flag, kind)) {
		if (kind->class == MM_FLAG_CPU && strchr(flag, '+')) /* "-march=armv8-a+crc" is for instructions */
			kind->class = MM_FLAG_EXTENSION;
	} else if (strncmp(flag, "-f", 2) == 0 && flag[2]) {
		kind_of_f(flag, kind);
	} else if (strncmp(flag, "-m", 2) == 0 && flag[2]) {
		kind_of_m(flag, kind);
	}
}

static bool kind_of_level(enum mm_dialect dialect, const char *flag, struct mm_flag_kind *kind)
{
	if (!mm_option_is_level(dialect, flag) && !mm_option_is_bits(flag))
		return false;
	kind->class = mm_option_is_bits(flag) ? MM_FLAG_BITS : MM_FLAG_LEVEL;
	name_group(kind, mm_flag_class_name(kind->class), MM_FLAG_GROUP);
	return true;
}

void mm_flag_kind(enum mm_dialect dialect, const char *flag, struct mm_flag_kind *kind)
{
	const char *inner = dialect == MM_DIALECT_GNU ? mm_flag_inner(flag) : flag;
	bool is_frontends = inner != flag && strncmp(flag, "-X", 2) == 0;
	*kind = (struct mm_flag_kind){ .class = MM_FLAG_OTHER };
	if (kind_of_level(dialect, inner, kind) ||
	    (is_frontends && find_row(frontend, COUNT(frontend), inner, inner, kind)))
		return;
	if (dialect == MM_DIALECT_GNU)
		kind_of_gnu(inner, kind);
	else
		(void)find_row(studio, COUNT(studio), flag, flag, kind);
	if (is_frontends && kind->class == MM_FLAG_OTHER) { /* whatever it is, it is no matter of course */
		kind->class = MM_FLAG_OPTIMISER;
		name_group(kind, flag, strcspn(flag, "="));
	}
}

bool mm_flag_deviates(const struct mm_flag_kind *kind)
{
	switch (kind->class) {
	case MM_FLAG_LEVEL:
	case MM_FLAG_BITS:
	case MM_FLAG_HARDENING:
	case MM_FLAG_FRAME_POINTER:
	case MM_FLAG_PIE:
	case MM_FLAG_LTO:
	case MM_FLAG_CPU:
	case MM_FLAG_EXTENSION:
	case MM_FLAG_MATH:
	case MM_FLAG_INSTRUMENTATION:
	case MM_FLAG_OPTIMISER:
	case MM_FLAG_TOOLS:
	case MM_FLAG_INPUT:
		return !kind->off;
	default:
		return false;
	}
}
