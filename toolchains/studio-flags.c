/* Which options Studio's compilers know, and what to write for those of gcc. */
#include "base/buffer.h"
#include "toolchains/studio.h"

enum { C = 1, CXX = 2, CPP = 4, LD = 8, BOTH = C | CXX, ALL = C | CXX | LD };

/* OPTION alone, or with a '*' at its end anything that begins so. */
static const struct {
	const char *option;
	unsigned where;
	unsigned since; /* minor version; 0: always */
} known[] = {
	{ "-xO1", ALL, 0 },
	{ "-xO2", ALL, 0 },
	{ "-xO3", ALL, 0 },
	{ "-xO4", ALL, 0 },
	{ "-xO5", ALL, 0 },
	{ "-O", ALL, 0 },
	{ "-fast", ALL, 0 },
	{ "-g", ALL, 0 },
	{ "-g0", CXX | LD, 0 },
	{ "-g1", ALL, MM_STUDIO_12_4 },
	{ "-g2", ALL, MM_STUDIO_12_4 },
	{ "-g3", ALL, MM_STUDIO_12_4 },
	{ "-m32", ALL, MM_STUDIO_12 },
	{ "-m64", ALL, MM_STUDIO_12 },
	{ "-mt", ALL, 0 },
	{ "-mt=*", ALL, MM_STUDIO_12 },
	{ "-KPIC", ALL, 0 },
	{ "-Kpic", ALL, 0 },
	{ "-PIC", CXX | LD, 0 },
	{ "-pic", CXX | LD, 0 },
	{ "-fPIC", C, MM_STUDIO_12_1 },
	{ "-fsimple", BOTH, 0 },
	{ "-fsimple=*", BOTH, 0 },
	{ "-fns", BOTH, 0 },
	{ "-fns=*", BOTH, 0 },
	{ "-ftrap=*", BOTH, 0 },
	{ "-fround=*", BOTH, 0 },
	{ "-fstore", BOTH, 0 },
	{ "-nofstore", BOTH, 0 },
	{ "-fnonstd", BOTH, 0 },
	{ "-fma=*", BOTH, 0 },
	{ "-fprecision=*", BOTH, 0 },
	{ "-fsingle", C, 0 },
	{ "-errwarn*", BOTH, 0 },
	{ "-erroff*", BOTH, 0 },
	{ "-errtags*", BOTH, 0 },
	{ "-errfmt*", C, 0 },
	{ "-v", C, 0 },
	{ "-w", BOTH, 0 },
	{ "+w", CXX, 0 },
	{ "+w2", CXX, 0 },
	{ "-Xa", C, 0 },
	{ "-Xc", C, 0 },
	{ "-Xt", C, 0 },
	{ "-Xs", C, 0 },
	{ "-xCC", C, 0 },
	{ "-xc99*", C, 0 },
	{ "-xstrconst", C, 0 },
	{ "-xcrossfile*", C, 0 },
	{ "-xtransition", C, 0 },
	{ "-xe", BOTH, 0 },
	{ "-std=*", BOTH, MM_STUDIO_12_4 },
	{ "-compat=*", CXX, 0 },
	{ "-features=*", CXX, 0 },
	{ "-features=*", C, MM_STUDIO_12 },
	{ "-library=*", CXX | LD, 0 },
	{ "-staticlib=*", CXX | LD, 0 },
	{ "-noex", CXX, 0 },
	{ "-norunpath", CXX | LD, 0 },
	{ "-instances=*", CXX, 0 },
	{ "-template=*", CXX, 0 },
	{ "-verbose=*", CXX, 0 },
	{ "-sync_stdio=*", CXX, 0 },
	{ "-pta", CXX, 0 },
	{ "-D*", C | CXX | CPP, 0 },
	{ "-U*", C | CXX | CPP, 0 },
	{ "-I*", C | CXX | CPP, 0 },
	{ "-L*", LD, 0 },
	{ "-l*", LD, 0 },
	{ "-R*", LD, 0 },
	{ "-Bstatic", LD, 0 },
	{ "-Bdynamic", LD, 0 },
	{ "-Bsymbolic", LD, 0 },
	{ "-dy", LD, 0 },
	{ "-dn", LD, 0 },
	{ "-G", LD, 0 },
	{ "-s", LD, 0 },
	{ "-z*", LD, 0 },
	{ "-i", LD, 0 },
	{ "-p", ALL, 0 },
	{ "-W0,*", C, 0 },
	{ "-W2,*", C, 0 },
	{ "-Wc,*", C, 0 },
};

/* -xNAME, with or without =value, of both compilers and the link. */
static const char *const x_options[] = {
	"alias_level",
	"annotate",
	"arch",
	"autopar",
	"builtin",
	"cache",
	"char",
	"check",
	"chip",
	"code",
	"debugformat",
	"depend",
	"dryrun",
	"F",
	"hwcprof",
	"inline",
	"inline_param",
	"instrument",
	"ipo",
	"ipo_archive",
	"ivdep",
	"jobs",
	"keepframe",
	"lang",
	"ldscope",
	"libmieee",
	"libmil",
	"libmopt",
	"linkopt",
	"loopinfo",
	"M",
	"M1",
	"MD",
	"MF",
	"MMD",
	"maxopt",
	"memalign",
	"mergeconst",
	"model",
	"nolib",
	"nolibmil",
	"nolibmopt",
	"norunpath",
	"openmp",
	"pagesize",
	"pagesize_heap",
	"pagesize_stack",
	"patchpadding",
	"pch",
	"pg",
	"port64",
	"prefetch",
	"prefetch_auto_type",
	"prefetch_level",
	"profile",
	"profile_ircache",
	"profile_pathmap",
	"recursive",
	"reduction",
	"regs",
	"restrict",
	"s",
	"safe",
	"segment_align",
	"spfconst",
	"space",
	"target",
	"temp",
	"thread",
	"threadvar",
	"throughput",
	"time",
	"trigraphs",
	"unboundsym",
	"unroll",
	"vector",
	"vis",
	"vpara",
};

/* Options of gcc that people write, and Studio's way. */
static const struct {
	const char *begins, *instead;
} translations[] = {
	{ "-O0", "leave the level out" },
	{ "-O1", "write '-xO1'" },
	{ "-O2", "write '-xO2'" },
	{ "-O3", "write '-xO5', or '-xO4'" },
	{ "-Ofast", "write '-fast'" },
	{ "-Os", "write '-xO3 -xspace'" },
	{ "-march", "write '-xarch=VALUE' or '-xtarget=VALUE'" },
	{ "-mcpu", "write '-xchip=VALUE' or '-xtarget=VALUE'" },
	{ "-mtune", "write '-xchip=VALUE' or '-xtarget=VALUE'" },
	{ "-msse", "write '-xarch=sse2' or later" },
	{ "-mavx", "write '-xarch=avx' or later" },
	{ "-mfpmath", "write '-xarch=sse2', which includes it" },
	{ "-pthread", "write '-mt'" },
	{ "-fPIC", "write '-KPIC'" },
	{ "-fpic", "write '-Kpic'" },
	{ "-fPIE", "Studio has no such thing; position independence is '-KPIC'" },
	{ "-flto", "write '-xipo'" },
	{ "-fprofile-generate", "write '-xprofile=collect:FOLDER'" },
	{ "-fprofile-use", "write '-xprofile=use:FOLDER'" },
	{ "-fno-omit-frame-pointer", "write '-xregs=no%frameptr'" },
	{ "-fomit-frame-pointer", "write '-xregs=frameptr'" },
	{ "-funroll-loops", "write '-xunroll=N'" },
	{ "-ffast-math", "write '-fsimple=2 -fns'" },
	{ "-fprefetch-loop-arrays", "write '-xprefetch'" },
	{ "-fno-exceptions", "write '-features=no%except'" },
	{ "-fno-rtti", "write '-features=no%rtti'" },
	{ "-fopenmp", "write '-xopenmp'" },
	{ "-fvisibility", "write '-xldscope=VALUE'" },
	{ "-fstack-protector", "leave it out: only '-xcheck=stkovf' comes near" },
	{ "-Wl,-rpath", "write '-RFOLDER'" },
	{ "-Wl,", "write the linker's option itself" },
	{ "-W", "leave it out: gcc's warnings have no names here" },
	{ "-shared", "write '-G'" },
	{ "-m32", "\"bits\": 32 brings the right option" },
	{ "-m64", "\"bits\": 64 brings the right option" },
	{ "-std=", "write '-xc99' for C; '-std=' came with Studio 12.4" },
};

static bool fits(const char *pattern, const char *word)
{
	size_t length = strlen(pattern);
	if (pattern[length - 1] == '*')
		return strncmp(word, pattern, length - 1) == 0;
	return strcmp(word, pattern) == 0;
}

static bool is_x_option(const char *word)
{
	size_t length = strcspn(word + 2, "=");
	for (size_t i = 0; i < sizeof x_options / sizeof *x_options; i++)
		if (strlen(x_options[i]) == length && strncmp(x_options[i], word + 2, length) == 0)
			return true;
	return false;
}

static bool is_known(const struct mm_studio *studio, const char *word, unsigned where)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((known[i].where & where) && known[i].since <= studio->minor && fits(known[i].option, word))
			return true;
	return where != CPP && strncmp(word, "-x", 2) == 0 && is_x_option(word);
}

static const char *translation(const char *word)
{
	for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
		if (strncmp(word, translations[i].begins, strlen(translations[i].begins)) == 0)
			return translations[i].instead;
	return "give family \"sunstudio\" a value of its own in the flag set";
}

static int check_words(const struct mm_studio *studio, const char *text, unsigned where, const char *who,
		       struct mm_error *err)
{
	struct mm_strings words = MM_STRINGS_INIT;
	int code = 0;
	mm_strings_split(&words, text);
	for (size_t i = 0; !code && i < words.count; i++)
		if (!is_known(studio, words.items[i], where))
			code = mm_error_set(err, MM_ECELL, "'%s' is no option of %s of Studio %s (%s 5.%u): %s",
					    words.items[i], who, studio->suite ? studio->suite : "12.6 or later",
					    where & CXX ? "Sun C++" : "Sun C", studio->minor,
					    translation(words.items[i]));
	/* what -fast stands for overrides what comes before it: it must be the first that says anything of the kind */
	bool seen = false;
	for (size_t i = 0; !code && i < words.count; i++) {
		if (strcmp(words.items[i], "-fast") == 0 && seen)
			code = mm_error_set(err, MM_ECELL,
					    "'-fast' overrides the options before it in '%s': write it first", text);
		seen = seen || words.items[i][1] == 'x' || words.items[i][1] == 'f' || words.items[i][1] == 'O';
	}
	mm_strings_release(&words);
	return code;
}

int mm_studio_check_flags(const struct mm_studio *studio, const struct mm_flag_words *flags, struct mm_error *err)
{
	int code = check_words(studio, flags->c, C, "the C compiler", err);
	if (!code)
		code = check_words(studio, flags->cxx, CXX, "the C++ compiler", err);
	if (!code)
		code = check_words(studio, flags->cpp, CPP, "the preprocessor", err);
	/* the link is done by the compilers, so a plain string of a set goes there as well */
	return code ? code : check_words(studio, flags->ld, C | CXX | LD, "the link", err);
}
