/* CMake builds, out of tree, with Ninja or make; see builders/builder.h. */
#ifndef MM_BUILDERS_CMAKE_H
#define MM_BUILDERS_CMAKE_H

#include "builders/job.h"

/* The arguments of cmake for JOB, program included: for the stage, and for tests of the order that decides. */
void mm_cmake_arguments(const struct mm_job *job, struct mm_strings *argv);

/* Does LIST, what "cmake --build … --target help" prints with either generator, have TARGET? */
bool mm_cmake_lists_target(const char *list, const char *target);

#endif
