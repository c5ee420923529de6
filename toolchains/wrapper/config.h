/*
 * Private to toolchains/: what the compilers of one cell do, as the file "config" beside their links. A file and not
 * the environment, since build tools clear that.
 */
#ifndef MM_TOOLCHAINS_WRAPPER_CONFIG_H
#define MM_TOOLCHAINS_WRAPPER_CONFIG_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "toolchains/wrapper/line.h"

#define MM_WRAPPER_CONFIG "config"

struct mm_wrapper_config {
	enum mm_dialect dialect;
	char *cc, *cxx;                          /* absolute paths of the real compilers */
	char *bits;                              /* one option, NULL: none */
	struct mm_strings c, cxx_words, cpp, ld; /* the cell's words */
	bool enforce;                            /* the cell's level is the effective one */
	char *log;                               /* absolute path: one record for each call */
	char *jobs;                              /* folder of the job budget (base/jobserver.h), NULL: none */
};

/* The file's text. Appended to OUT. Errors: MM_EINTERNAL for a value with a line break or without its slash. */
int mm_wrapper_config_write(const struct mm_wrapper_config *config, struct mm_buffer *out, struct mm_error *err);

/*
 * Reads TEXT of LENGTH bytes; PATH is for messages. Errors: MM_EENV with "file:line: …"; CONFIG is to be released
 * whatever happens.
 */
int mm_wrapper_config_read(const char *path, const char *text, size_t length, struct mm_wrapper_config *config,
			   struct mm_error *err);
void mm_wrapper_config_release(struct mm_wrapper_config *config);

#endif
