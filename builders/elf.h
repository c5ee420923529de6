/* What an ELF file says of itself: own small reader, so that no field of a damaged file is believed. */
#ifndef MM_BUILDERS_ELF_H
#define MM_BUILDERS_ELF_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"

struct mm_elf {
	int bits;                 /* 32 or 64 */
	unsigned machine;         /* e_machine: 3 for i386, 62 for x86-64 */
	char *interpreter;        /* the loader it asks for, NULL: none */
	struct mm_strings needed; /* DT_NEEDED, in order */
	/* as size(1) counts: code and read-only data, writable data, zeroed data; 0 when the section table is gone */
	uint64_t text_bytes, data_bytes, bss_bytes;
	/* over all code, constants and initial values, with MASK blanked, and over NEEDED; "" without a section table */
	char code_sha256[MM_SHA256_HEX];
};

/*
 * Reads PATH. Every occurrence of MASK (the build's own folder; NULL: none) counts as zeroes in code_sha256, so that
 * builds of different prefixes can be equal. Errors: MM_ECELL when PATH is no ELF file or contradicts itself,
 * MM_EENV when it cannot be read. Release with mm_elf_release.
 */
int mm_elf_read(const char *path, const char *mask, struct mm_elf *elf, struct mm_error *err);
void mm_elf_release(struct mm_elf *elf);

#endif
