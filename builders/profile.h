/*
 * Profiles: what trees of one kind need so that the server, and what a
 * benchmark needs beside it, is all that is built, and so that the tools of
 * today can build it. Data: a new need is a new row in profiles-cmake.c or
 * profiles-autotools.c. Every row that fits a tree is used, in the order of
 * the tables; "profiles" in a source's "build" names others instead. The
 * user's own build.options come after a profile's and win.
 */
#ifndef MM_BUILDERS_PROFILE_H
#define MM_BUILDERS_PROFILE_H

#include "base/buffer.h"
#include "base/hash.h"
#include "builders/source.h"
#include "matrix/matrix.h"

/* One cmake_install.cmake to run: installing by folder and component never touches what was not built. */
struct mm_install_step {
	const char *folder;
	const char *component;
};

/* A small change of a source file, made in a private copy: each place where FIND stands becomes REPLACE. */
struct mm_edit {
	const char *file;
	const char *find, *replace;
	bool optional; /* a file without FIND, or no such file, is fine */
};

/* A program that makes a file which a release has and an export of the repository has not. */
struct mm_generation {
	const char *folder;      /* where it runs, in the private copy */
	const char *const *argv; /* NULL-terminated */
};

#define MM_VERSION_OF(major, minor, patch) ((major)*10000U + (minor)*100U + (patch))

/* Which builds a profile is for; what is 0 or NULL does not matter. */
struct mm_profile_fit {
	enum mm_build_system system;
	unsigned variants;    /* 1 << enum mm_variant, ored */
	unsigned from, below; /* MM_VERSION_OF */
	unsigned has, lacks;  /* enum mm_tree_fact, ored */
	int bits;             /* of the code, whatever the cell calls it */
	const char *target;   /* how the compiler's target begins */
	unsigned families;    /* 1 << enum mm_family, ored */
};

struct mm_profile {
	const char *name;
	const char *why; /* one line, for people */
	struct mm_profile_fit fit;
	const char *const *options;              /* for cmake or configure; NULL-terminated, as all lists here */
	const char *const *env;                  /* NAME=value for configure and make */
	const char *cpp, *c, *cxx;               /* words in front of the cell's own */
	const char *const *make;                 /* NAME=value on make's command line */
	const char *const *targets;              /* CMake: targets; autotools: folders to make, in this order */
	const char *const *installs;             /* autotools: folders to install */
	const struct mm_install_step *steps;     /* CMake: what to install; ended by a NULL folder */
	const char *const *helpers;              /* programs of the build tree that go to bin/ if they were built */
	const char *libraries;                   /* folder of the build tree whose shared libraries go to lib/private */
	const struct mm_generation *generations; /* ended by a NULL folder */
	const struct mm_edit *edits;             /* ended by a NULL file */
	bool out_of_tree;                        /* autotools: the targets can be made outside of the source */
	const char *warning;                     /* said before the build, and in the report */
	const char *refusal;                     /* said instead of the build; naming profiles by hand gets past it */
};

/* Of both tables: "old-grammar". */
extern const struct mm_edit mm_edits_old_grammar[];
#define OLD_GRAMMAR_WHY                                                                                                \
	"bison 3 ignores YYPARSE_PARAM and YYLEX_PARAM without a word and makes a parser without its argument: the "   \
	"grammar is changed to say it in the words that replaced them"

extern const struct mm_profile mm_profiles_cmake[], mm_profiles_autotools[]; /* ended by a NULL name */

/* What a build is to do: the sum of its profiles. Lists borrow their items from the rows where they are pointers. */
struct mm_recipe {
	struct mm_strings profiles; /* names */
	struct mm_strings options, env, make, targets, installs, helpers, warnings;
	struct mm_strings cpp, c, cxx;
	const struct mm_install_step *steps; /* NULL: everything at once */
	const char *libraries;               /* NULL: none are needed */
	const struct mm_profile **rows;      /* those of "profiles"; owned array */
	size_t row_count;
	bool out_of_tree;
};

struct mm_profile_question {
	const struct mm_tree *tree;
	int bits;                        /* the cell's */
	const char *target;              /* the compiler's, such as "x86_64-linux-gnu" */
	enum mm_family family;           /* the compiler's */
	const struct mm_strings *wanted; /* names to use instead of what fits; NULL: what fits */
};

/* Is each of NAMES a profile of some builder? Errors: MM_EMATRIX, with the nearest name. */
int mm_profiles_check(const struct mm_strings *names, struct mm_error *err);

/*
 * Errors: MM_ECELL for a wanted name that is none of this builder's, or when a profile refuses the build. Release
 * RECIPE in any case.
 */
int mm_recipe_make(const struct mm_profile_question *question, struct mm_recipe *recipe, struct mm_error *err);
void mm_recipe_release(struct mm_recipe *recipe);

/* Adds all of ROW that changes what a build gives; what it only says to people does not count. */
void mm_profile_hash(struct mm_hash *hash, const struct mm_profile *row);
/* Of all rows: part of every key, so that no build of an earlier row is believed. */
void mm_profiles_digest(char hex[MM_SHA256_HEX]);

/* The name in ITEM, a target or folder of a profile: "like-this?" is OPTIONAL. Allocated. */
char *mm_profile_item(const char *item, bool *optional);

#endif
