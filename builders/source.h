/* Source trees: unpacked once, shared by every cell, and recognised by what is in them. */
#ifndef MM_BUILDERS_SOURCE_H
#define MM_BUILDERS_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"

enum mm_variant { MM_VARIANT_MYSQL, MM_VARIANT_MARIADB, MM_VARIANT_PERCONA };
const char *mm_variant_name(enum mm_variant variant); /* "mysql", "mariadb", "percona" */

enum mm_build_system { MM_SYSTEM_CMAKE, MM_SYSTEM_AUTOTOOLS };

/* What else is known of a tree, for profiles. */
enum mm_tree_fact {
	MM_TREE_CONFIGURE = 1,    /* a release of an autotools tree: configure and Makefile.in are there */
	MM_TREE_OLD_AUTOCONF = 2, /* and autoconf before 2.60 made it */
	MM_TREE_PARSER = 4,       /* sql/sql_yacc.cc is there, which bison makes */
	MM_TREE_OLD_GRAMMAR = 8,  /* sql/sql_yacc.yy passes arguments in a way that bison 3 silently ignores */
	MM_TREE_GRAMMAR = 16,     /* sql/sql_yacc.yy is there */
	MM_TREE_BOOST = 32,       /* a folder "boost" is there */
};

/* What a tree says of itself. */
struct mm_tree {
	char *folder; /* absolute */
	enum mm_build_system builder;
	enum mm_variant variant;
	unsigned version[3];
	char text[64];  /* the version with its suffix, "10.11.18" or "5.6.21-name" */
	unsigned facts; /* enum mm_tree_fact, ored */
};

/* <work>/sources/SHA256: where the tree of a tarball with that digest is or will be. Allocated. */
char *mm_source_folder(const char *work, const char sha256[MM_SHA256_HEX]);

/*
 * Recognises the tree in FOLDER by its own files, never by its name. Errors: MM_ECELL, saying what was looked for.
 * Release with mm_tree_release.
 */
int mm_source_recognise(const char *folder, struct mm_tree *tree, struct mm_error *err);
void mm_tree_release(struct mm_tree *tree);

/* Does the file PATH, with or without one leading folder, tell what a tree is? For a look into an archive. */
bool mm_source_tells(const char *path);

/* Is TREE's version at least MAJOR.MINOR? */
bool mm_tree_at_least(const struct mm_tree *tree, unsigned major, unsigned minor);

#endif
