/* Private to init: what is found, and from it the document. */
#ifndef MM_CLI_INIT_H
#define MM_CLI_INIT_H

#include <jansson.h>

#include "base/buffer.h"

struct mm_init_sources {
	json_t *sources;  /* "sources" */
	json_t *compiled; /* names of sources that are compiled */
	json_t *ready;    /* names of packages and prefixes */
	json_t *compare;  /* of these: what is to be set against what */
};

/* The variants' names begin names of files and packages: the number of NAME's, or -1. */
int mm_init_variant(const char *name);

/*
 * FILES are packages. A server of each version and architecture is a source, with all other packages of its
 * architecture: of each the one of the server's own version, else the newest. Two versions are compared, and two
 * architectures of one version.
 */
void mm_init_packages(const struct mm_strings *files, struct mm_init_sources *to);

#endif
