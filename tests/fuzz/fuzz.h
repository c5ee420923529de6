/*
 * A fuzz target is a file fuzz_NAME.c with the one function below. With clang and -DMM_FUZZ=ON it becomes a libFuzzer
 * program; without, driver.c runs it over its corpus, and that is one of the unit tests.
 *
 * A reader may refuse whatever it is given, but then it says why: one line, without control characters that could
 * speak to a terminal.
 */
#ifndef MM_TESTS_FUZZ_H
#define MM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The only folder that a target writes to; removed when the program ends. Borrowed. */
const char *fuzz_folder(void);

/* Writes the bytes to NAME in that folder, making its folders. Borrowed until the next call with the same NAME. */
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);

/* The bytes as a string, which ends at the first NUL. Allocated. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Takes the bytes up to the next NUL off *DATA, for targets with several texts. Allocated. */
char *fuzz_take(const uint8_t **data, size_t *size);

/* Aborts unless CODE and ERR are a success, or an error as it has to be. */
void fuzz_expect(int code, const struct mm_error *err);

/* Aborts, naming WHAT, unless it HOLDS. */
void fuzz_must(int holds, const char *what);

#endif
