#ifndef MM_RUNNERS_BUILD_ID_H
#define MM_RUNNERS_BUILD_ID_H

/* The GNU build id of the ELF file PATH in hexadecimal, allocated; NULL when it has none or is no ELF file. */
char *mm_build_id(const char *path);

#endif
