/* Profiles of trees that are built by configure and make: MySQL 4.0 to 5.1. See profile.h. */
#include <stddef.h>

#include "builders/profile.h"

#define WORDS(...)                                                                                                     \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		__VA_ARGS__, NULL                                                                                      \
	}
#define AUTOTOOLS .system = MM_SYSTEM_AUTOTOOLS

/*
 * Only the server is made, folder by folder in the order of the tree's own Makefile, so configure need not find a
 * terminal library for the clients: any name that links will do. A copy of zlib is part of these trees; the machine's
 * may be there for one width of pointers only, and the cells would differ.
 */
#define SERVER_ONLY                                                                                                    \
	"--without-debug", "--without-docs", "--without-man", "--without-bench", "--with-extra-charsets=complex",      \
		"--with-named-curses-libs=-lc", "--disable-shared", "--disable-dependency-tracking"

/* The script clears the variable at its beginning, so that it cannot be preset. */
static const struct mm_edit no_static_nss[] = {
	{ "configure", "\nstatic_nss=\"\"\n", "\nstatic_nss=0\n", true },
	{ "configure.in", "\nstatic_nss=\"\"\n", "\nstatic_nss=0\n", true },
	{ NULL, NULL, NULL, false },
};

static const struct mm_generation generate_parser[] = {
	{ "sql", WORDS("bison", "--yacc", "--name-prefix=MYSQL", "--defines=sql_yacc.h", "--output=sql_yacc.cc",
		       "sql_yacc.yy") },
	{ NULL, NULL },
};

static const struct mm_generation generate_configure[] = {
	{ ".", WORDS("aclocal") },
	{ ".", WORDS("libtoolize", "--automake", "--force", "--copy") },
	{ ".", WORDS("autoheader") },
	{ ".", WORDS("automake", "--add-missing", "--force", "--copy", "--foreign") },
	{ ".", WORDS("autoconf", "--force") },
	{ NULL, NULL },
};

/* autoheader of today refuses a definition that nobody describes */
#define BARE_STACK_END "AC_DEFINE_UNQUOTED(CRAY_STACKSEG_END, $ac_func)"
#define DESCRIBED_STACK_END "AC_DEFINE_UNQUOTED([CRAY_STACKSEG_END], [$ac_func], [where the stack's segment ends])"
static const struct mm_edit describe_definitions[] = {
	{ "config/ac-macros/alloca.m4", BARE_STACK_END, DESCRIBED_STACK_END, true },
	{ "acinclude.m4", BARE_STACK_END, DESCRIBED_STACK_END, true },
	{ NULL, NULL, NULL, false },
};

static const struct mm_generation generate_innobase[] = {
	{ "innobase", WORDS("aclocal") },
	{ "innobase", WORDS("autoheader") },
	{ "innobase", WORDS("automake", "--add-missing", "--copy", "--foreign") },
	{ "innobase", WORDS("autoconf", "--force") },
	{ NULL, NULL },
};

const struct mm_profile mm_profiles_autotools[] = {
	{ .name = "autotools-4",
	  .why = "the server of 4.0 and 4.1 without what no benchmark needs",
	  .fit = { AUTOTOOLS, .below = MM_VERSION_OF(5, 0, 0) },
	  .options = WORDS(SERVER_ONLY, "--with-innodb", "--without-berkeley-db"),
	  .targets = WORDS("include", "zlib?", "strings", "dbug", "mysys", "extra", "regex", "isam?", "merge?", "innobase",
			   "myisam", "myisammrg", "heap", "vio", "sql", "scripts"),
	  .installs = WORDS("extra", "sql", "scripts") },
	{ .name = "autotools-5.0",
	  .why = "the server of 5.0 without what no benchmark needs",
	  .fit = { AUTOTOOLS, .from = MM_VERSION_OF(5, 0, 0), .below = MM_VERSION_OF(5, 1, 0) },
	  .options = WORDS(SERVER_ONLY, "--with-zlib-dir=bundled", "--without-ndbcluster", "--without-berkeley-db"),
	  .targets = WORDS("include", "zlib?", "strings", "mysys", "dbug", "extra", "regex", "innobase", "myisam",
			   "myisammrg", "heap", "vio", "sql", "scripts"),
	  .installs = WORDS("extra", "sql", "scripts"),
	  .out_of_tree = true },
	{ .name = "autotools-5.1",
	  .why = "the server of 5.1 without what no benchmark needs, with InnoDB",
	  .fit = { AUTOTOOLS, .from = MM_VERSION_OF(5, 1, 0) },
	  .options = WORDS(SERVER_ONLY, "--with-zlib-dir=bundled", "--without-ndbcluster", "--with-plugins=innobase"),
	  .targets = WORDS("include", "zlib?", "scripts", "strings", "mysys", "dbug", "extra", "regex", "storage", "vio",
			   "sql"),
	  .installs = WORDS("extra", "sql", "scripts"),
	  .out_of_tree = true },
	{ .name = "old-c++",
	  .why = "C++ as it was before C++11: today's default refuses narrowing initializers",
	  .fit = { AUTOTOOLS },
	  .cxx = "-std=gnu++98" },
	{ .name = "no-strict-aliasing",
	  .why = "the code of that time looks at objects through pointers of other types",
	  .fit = { AUTOTOOLS },
	  .c = "-fno-strict-aliasing",
	  .cxx = "-fno-strict-aliasing" },
	{ .name = "record-behind-its-end",
	  .why = "4.0 and 4.1 write the default row of a table as the third of two records: a gcc that concludes from the "
		 "array's size how often a loop runs leaves it out, and the server dies at its first INSERT",
	  .fit = { AUTOTOOLS, .below = MM_VERSION_OF(5, 0, 0), .families = 1U << MM_FAMILY_GCC },
	  .c = "-fno-aggressive-loop-optimizations",
	  .cxx = "-fno-aggressive-loop-optimizations" },
	{ .name = "werror-probes",
	  .why = "a configure made by autoconf before 2.60 declares exit as no C++ compiler accepts today, so that tries "
		 "with -Werror fail whatever they ask: two answers that decide are given",
	  .fit = { AUTOTOOLS, .has = MM_TREE_OLD_AUTOCONF },
	  .env = WORDS("mysql_cv_gethostname_style=glibc2", "mysql_cv_btype_last_arg_accept=socklen_t"),
	},
	{ .name = "no-static-nss",
	  .why = "at 32 bits configure of 5.0.9x finds a static C library of the same width and links what does not link",
	  .fit = { AUTOTOOLS, .from = MM_VERSION_OF(5, 0, 90), .below = MM_VERSION_OF(5, 1, 0), .bits = 32 },
	  .edits = no_static_nss },
	{ .name = "old-grammar",
	  .why = OLD_GRAMMAR_WHY,
	  .fit = { AUTOTOOLS, .has = MM_TREE_OLD_GRAMMAR },
	  .edits = mm_edits_old_grammar },
	{ .name = "generate-parser",
	  .why = "an export of the repository has no parser: bison makes it under the names that the tree uses, which "
		 "automake from 1.12 on calls otherwise",
	  .fit = { AUTOTOOLS, .has = MM_TREE_GRAMMAR, .lacks = MM_TREE_PARSER },
	  .generations = generate_parser },
	{ .name = "generate-configure",
	  .why = "an export of the repository has no configure and no Makefile.in",
	  .fit = { AUTOTOOLS, .lacks = MM_TREE_CONFIGURE },
	  .edits = describe_definitions,
	  .generations = generate_configure },
	{ .name = "generate-innobase",
	  .why = "InnoDB of 5.0 has a configure of its own",
	  .fit = { AUTOTOOLS, .below = MM_VERSION_OF(5, 1, 0), .lacks = MM_TREE_CONFIGURE },
	  .generations = generate_innobase },
	{ .name = "no-abi-check",
	  .why = "5.1 compares its preprocessed headers with what the preprocessor of 2008 gave",
	  .fit = { AUTOTOOLS, .from = MM_VERSION_OF(5, 1, 0) },
	  .make = WORDS("API_PREPROCESSOR_HEADER=") },
	{ .name = "large-files",
	  .why = "at 32 bits configure settles on a 4-byte off_t, silently: MyISAM tables would end at 2 GiB",
	  .fit = { AUTOTOOLS, .bits = 32 },
	  .cpp = "-D_FILE_OFFSET_BITS=64" },
	{ .name = "build-i686",
	  .why = "configure asks the machine, not the compiler, and would choose x86-64 code paths at -m32",
	  .fit = { AUTOTOOLS, .bits = 32, .target = "x86_64" },
	  .options = WORDS("--build=i686-pc-linux-gnu") },
	{ .name = NULL },
};
