/* What every archive target checks: nothing lies outside the folder, and what lies in it is harmless. */
#ifndef MM_TESTS_FUZZ_ARCHIVES_H
#define MM_TESTS_FUZZ_ARCHIVES_H

#include "builders/archive.h"

/* Small enough that bombs end within milliseconds. */
#define FUZZ_LIMITS { .total_bytes = 1 << 20, .entries = 1000, .ratio = 250 }

/* Looks at FOLDER in the scratch folder, in which nothing else but KEPT (names, ended by NULL) may be; removes it. */
void fuzz_check_unpacked(const char *folder, const char *const *kept);

#endif
