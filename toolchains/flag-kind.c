#include "toolchains/flag-kind.h"

#include <stdio.h>
#include <string.h>

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
					     "link" };
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
	{ "--param ssp-buffer-size*", MM_FLAG_HARDENING, "ssp-buffer-size", false },
	{ "-D_FORTIFY_SOURCE*", MM_FLAG_HARDENING, "fortify", false },
	{ "-Wp,-D_FORTIFY_SOURCE*", MM_FLAG_HARDENING, "fortify", false },
	{ "-Wp,-U_FORTIFY_SOURCE*", MM_FLAG_HARDENING, "fortify", true },
	{ "-U_FORTIFY_SOURCE", MM_FLAG_HARDENING, "fortify", true },
	{ "-fstack-clash-protection", MM_FLAG_HARDENING, "stack-clash", false },
	{ "-fno-stack-clash-protection", MM_FLAG_HARDENING, "stack-clash", false },
	{ "-fcf-protection*", MM_FLAG_HARDENING, "cf-protection", false },
	{ "-mbranch-protection*", MM_FLAG_HARDENING, "cf-protection", false },
	{ "-ftrivial-auto-var-init*", MM_FLAG_HARDENING, "auto-var-init", false },
	{ "-fhardened", MM_FLAG_HARDENING, "hardened", false },
	{ "-Wl,-z,relro*", MM_FLAG_HARDENING, "relro", false },
	{ "-Wl,-z,now*", MM_FLAG_HARDENING, "bind-now", false },
	{ "-z relro", MM_FLAG_HARDENING, "relro", false },
	{ "-z now", MM_FLAG_HARDENING, "bind-now", false },
	{ "-Wl,-z,norelro*", MM_FLAG_HARDENING, "relro", false },
	{ "-D_GLIBCXX_ASSERTIONS*", MM_FLAG_ASSERTIONS, "library-assertions", false },
	{ "-Wp,-D_GLIBCXX_ASSERTIONS*", MM_FLAG_ASSERTIONS, "library-assertions", false },
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
	{ "-funsafe-math-optimizations", MM_FLAG_MATH, NULL, false },
	{ "-fassociative-math", MM_FLAG_MATH, NULL, false },
	{ "-freciprocal-math", MM_FLAG_MATH, NULL, false },
	{ "-ffinite-math-only", MM_FLAG_MATH, NULL, false },
	{ "-fno-signed-zeros", MM_FLAG_MATH, NULL, false },
	{ "-fno-trapping-math", MM_FLAG_MATH, NULL, false },
	{ "-ffp-contract=*", MM_FLAG_MATH, "fp-contract", false },
	{ "-mfpmath=*", MM_FLAG_MATH, "fpmath", false },
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
	{ "-pg", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "--coverage", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-ftest-coverage", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-fprofile*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-finstrument*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-fsanitize*", MM_FLAG_INSTRUMENTATION, NULL, false },
	{ "-specs=*", MM_FLAG_OPTIMISER, "specs", false },
	{ "--param*", MM_FLAG_OPTIMISER, NULL, false },
	{ "-mllvm *", MM_FLAG_OPTIMISER, NULL, false },
	{ "-fdiagnostics*", MM_FLAG_OTHER, NULL, false },
	{ "-fno-diagnostics*", MM_FLAG_OTHER, NULL, false },
	{ "-fcolor*", MM_FLAG_OTHER, NULL, false },
	{ "-fmessage-length*", MM_FLAG_OTHER, NULL, false },
	{ "-fmax-errors*", MM_FLAG_OTHER, NULL, false },
	{ "-fuse-ld=*", MM_FLAG_LINK, "linker", false },
	{ "-fno-use-linker-plugin", MM_FLAG_LINK, NULL, false },
	{ "-fuse-linker-plugin", MM_FLAG_LINK, NULL, false },
	{ "-fmacro-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-ffile-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-fdebug-prefix-map*", MM_FLAG_OTHER, NULL, false },
	{ "-frandom-seed*", MM_FLAG_OTHER, NULL, false },
	{ "-frecord-gcc-switches", MM_FLAG_OTHER, NULL, false },
	{ "-fsyntax-only", MM_FLAG_OTHER, NULL, false },
	{ "-static*", MM_FLAG_LINK, NULL, false },
	{ "-s", MM_FLAG_LINK, NULL, false },
	{ "-rdynamic", MM_FLAG_LINK, NULL, false },
	{ "-Wl,-O*", MM_FLAG_LINK, "linker-level", false },
	{ "-Wl,--gc-sections*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,--icf*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,--as-needed*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,-Bsymbolic*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,--hash-style*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,--build-id*", MM_FLAG_LINK, NULL, false },
	{ "-Wl,-z,*", MM_FLAG_LINK, NULL, false },
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
	(void)snprintf(kind->group, sizeof kind->group, "%.*s", (int)(length < 40 ? length : 40), text);
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

void mm_flag_kind(enum mm_dialect dialect, const char *flag, struct mm_flag_kind *kind)
{
	const struct row *rows = dialect == MM_DIALECT_GNU ? gnu : studio;
	size_t count = dialect == MM_DIALECT_GNU ? COUNT(gnu) : COUNT(studio);
	*kind = (struct mm_flag_kind){ .class = MM_FLAG_OTHER };
	if (mm_option_is_level(dialect, flag) || mm_option_is_bits(flag)) {
		kind->class = mm_option_is_bits(flag) ? MM_FLAG_BITS : MM_FLAG_LEVEL;
		name_group(kind, mm_flag_class_name(kind->class), 40);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!fits(rows[i].pattern, flag))
			continue;
		kind->class = rows[i].class;
		kind->off = rows[i].off;
		const char *name = rows[i].group ? rows[i].group : flag;
		name_group(kind, name, rows[i].group ? strlen(name) : strcspn(name, "="));
		return;
	}
	if (dialect == MM_DIALECT_GNU && strncmp(flag, "-f", 2) == 0 && flag[2]) {
		kind_of_f(flag, kind);
	} else if (dialect == MM_DIALECT_GNU && strncmp(flag, "-m", 2) == 0 && flag[2]) {
		const char *name = strncmp(flag, "-mno-", 5) == 0 ? flag + 5 : flag + 2;
		kind->class = MM_FLAG_EXTENSION;
		(void)snprintf(kind->group, sizeof kind->group, "-m%.*s", (int)strcspn(name, "=") % 40, name);
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
	case MM_FLAG_MATH:
	case MM_FLAG_INSTRUMENTATION:
	case MM_FLAG_OPTIMISER:
		return !kind->off;
	default:
		return false;
	}
}
