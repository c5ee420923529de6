/* A build as JSON: build.json in the store, which is written last and makes a build believed. */
#ifndef MM_BUILDERS_RECORD_H
#define MM_BUILDERS_RECORD_H

#include "builders/build.h"

/* Fills BUILD (key, folder and prefix are set) from <folder>/build.json; state ABSENT when there is none to believe. */
void mm_record_load(struct mm_build *build);

/* Is the server still the one that BUILD was looked at with? Also where that is not known. */
bool mm_record_server_holds(const struct mm_build *build);

/* Writes <folder>/build.json atomically. */
int mm_record_save(const struct mm_build *build, struct mm_error *err);

/* Forgets what a make filled in, so that another can: everything but key, inputs, folder, prefix and my_cnf. */
void mm_record_reset(struct mm_build *build);

#endif
