/* CMake builds, out of tree, with Ninja. Each function is one stage's work; see builders/job.h for errors. */
#ifndef MM_BUILDERS_CMAKE_H
#define MM_BUILDERS_CMAKE_H

#include "builders/job.h"

int mm_cmake_configure(struct mm_job *job, struct mm_error *err);
int mm_cmake_compile(struct mm_job *job, struct mm_error *err);
int mm_cmake_install(struct mm_job *job, struct mm_error *err);

/* The arguments of cmake for JOB, program included: for the stage, and for tests of the order that decides. */
void mm_cmake_arguments(const struct mm_job *job, struct mm_strings *argv);

#endif
