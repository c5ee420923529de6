/* A build as JSON: build.json in the store, which is written last and makes a build believed. */
#ifndef MM_BUILDERS_RECORD_H
#define MM_BUILDERS_RECORD_H

#include "builders/build.h"

/*
 * Fills BUILD (key, folder and prefix are set) from <folder>/build.json; state ABSENT when there is none to believe: for
 * one whose server is another one now, or whose prefix has lost files, build->doubt says so.
 */
void mm_record_load(struct mm_build *build);

/* The same, without a look at the files of the prefix: for who only shows what is there, of a thousand builds. */
void mm_record_look(struct mm_build *build);

/* Is the server still the one that BUILD was looked at with? Also where that is not known. Another stamp alone is none. */
bool mm_record_server_holds(struct mm_build *build);

/* Is the option file what its name says, which is empty or of the content that it is named by (builders/prepare.c)? */
bool mm_record_my_cnf_holds(const struct mm_build *build);

/* Writes <folder>/build.json atomically, and before it what files a prefix of ours holds. */
int mm_record_save(const struct mm_build *build, struct mm_error *err);

/*
 * The same of a build that is on record, once the files of a prefix of ours are those that will stay (executors/share.h):
 * from now on one that is written to is noticed.
 */
int mm_record_settle(struct mm_build *build, struct mm_error *err);

/* Forgets what a make filled in, so that another can: everything but key, inputs, folder, prefix and my_cnf. */
void mm_record_reset(struct mm_build *build);

#endif
