/* A folder of sql-bench: where it is, which scripts it holds, what they need. Private to the upstream suite. */
#ifndef MM_RUNNERS_UPSTREAM_TREE_H
#define MM_RUNNERS_UPSTREAM_TREE_H

#include "runners/suite.h"

struct mm_upstream_tree {
	char *folder;
	bool installed;     /* scripts are called "test-ATIS"; in a source tree "test-ATIS.sh" */
	bool mariadb;       /* they want Perl's driver DBD::MariaDB, else DBD::mysql */
	bool socket_option; /* they know --socket */
};

/* The nine tests, in upstream's order; ended by NULL. */
extern const char *const mm_upstream_tests[];

/* Recognises FOLDER. Errors: MM_EENV, naming what is missing. */
int mm_upstream_tree_open(const char *folder, struct mm_upstream_tree *tree, struct mm_error *err);
void mm_upstream_tree_release(struct mm_upstream_tree *tree);

/* The folder that a cell brings with it, installed or in its source tree. Allocated, NULL when there is none. */
char *mm_upstream_tree_of_cell(const struct mm_server_place *place);

/* Path of the script of TEST, allocated; NULL when the folder does not have it. */
char *mm_upstream_script(const struct mm_upstream_tree *tree, const char *test);
/* What the script loops by itself ("$opt_loop_count=5000"), 0 when it does not say. */
int64_t mm_upstream_loop_count(const struct mm_upstream_tree *tree, const char *test);

/* Copies the tree to TO, which must not exist, with the scripts called as when they are installed. */
int mm_upstream_tree_copy(const struct mm_upstream_tree *tree, const char *to, struct mm_error *err);

#endif
