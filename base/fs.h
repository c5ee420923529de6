/* Paths, files and trees. Errors name the path and are MM_EENV unless said otherwise. */
#ifndef MM_BASE_FS_H
#define MM_BASE_FS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/error.h"

char *mm_path_join(const char *folder, const char *name); /* allocated; an absolute NAME wins */
/* Absolute form of PATH without following links: relative paths start at FOLDER (NULL: the current one). Allocated. */
char *mm_path_absolute(const char *folder, const char *path);
/* The same with all links followed; what is not there yet stands behind what is. Allocated. */
char *mm_path_real(const char *path);
const char *mm_path_base(const char *path); /* after the last slash, borrowed */
char *mm_path_folder(const char *path);     /* before the last slash, allocated */

/* opendir, which gives up (mm_end_if_exhausted) where nobody can tell what is in PATH for want of descriptors. */
DIR *mm_fs_opendir(const char *path);
bool mm_fs_exists(const char *path);
bool mm_fs_is_folder(const char *path);
int mm_fs_mkdirs(const char *path, mode_t mode, struct mm_error *err);
/*
 * For what lies in folders of ours: opens a file for reading, and nothing else. Whatever has been put there instead is an
 * error and holds nobody up: a fifo, a device. FD is -1 then.
 */
int mm_fs_open(const char *path, int *fd, struct mm_error *err);
/* The same for a file that is locked: for reading and writing, made where there is none. */
int mm_fs_open_lock(const char *path, int *fd, struct mm_error *err);
/* The same, read whole, with at most LIMIT bytes (0: 256 MiB). */
int mm_fs_read(const char *path, size_t limit, struct mm_buffer *out, struct mm_error *err);
/*
 * For a file that a user named: what hinders is a wrong input (MM_EMATRIX), unless the machine itself fails. Only a file
 * is read, or a pipe that was handed over (/dev/stdin, /dev/fd/N): a fifo or a device could go on for ever.
 */
int mm_fs_open_input(const char *path, int *fd, struct mm_error *err);
int mm_fs_read_input(const char *path, size_t limit, struct mm_buffer *out, struct mm_error *err);
/* Where scratch folders belong: $TMPDIR when that is an absolute path, else /tmp. Borrowed from the environment. */
const char *mm_fs_scratch(void);
/* Writes to a temporary name beside PATH, syncs, renames, syncs the folder: PATH is old or new, never half. */
int mm_fs_write_atomic(const char *path, const void *bytes, size_t length, struct mm_error *err);

/* The same, piece by piece. */
struct mm_file {
	char *path, *temporary; /* owned; NULL: not begun */
	int fd;
};
int mm_file_begin(struct mm_file *file, const char *path, struct mm_error *err);
int mm_file_put(struct mm_file *file, const void *bytes, size_t length, struct mm_error *err);
/* Puts the file in its place; with a CODE other than 0 it is given up instead. Returns CODE, or why it failed. */
int mm_file_end(struct mm_file *file, int code, struct mm_error *err);

/* The same for a text that is too long to be held in memory: what is appended to TEXT goes to the file. */
struct mm_file_text {
	struct mm_buffer text;
	struct mm_file file;
	int code; /* what went wrong with the file so far */
	struct mm_error *err;
};
/* TO must stay where it is. */
int mm_file_text_begin(struct mm_file_text *to, const char *path, struct mm_error *err);
int mm_file_text_end(struct mm_file_text *to, int code);

/* Makes a rename of FROM to TO durable. */
int mm_fs_rename(const char *from, const char *to, struct mm_error *err);
/* Removes a file or a tree, never following links; a missing PATH is fine. */
int mm_fs_remove_tree(const char *path, struct mm_error *err);
/* Copies a tree (files, folders, symlinks, modes) to TO, which must not exist; reflinks where the file system can. */
int mm_fs_copy_tree(const char *from, const char *to, struct mm_error *err);
/* Bytes that an ordinary user can still write at PATH, or where it will be made; UINT64_MAX when the system does not say. */
uint64_t mm_fs_free_bytes(const char *path);
/* Bytes allocated by a tree. A missing path counts 0. */
uint64_t mm_fs_tree_bytes(const char *path);
/* Reads every regular file below PATH once, so that later readers find it in the page cache. Best effort. */
void mm_fs_warm(const char *path);
/* Calls VISIT for each regular file below ROOT in byte order of its relative path; a non-zero result stops and is returned. */
int mm_fs_walk(const char *root, int (*visit)(void *context, const char *path, const char *relative), void *context,
	       struct mm_error *err);
/* Finds NAME as an executable: as a path when it holds a slash, else along PATH. Allocated, NULL when there is none. */
char *mm_fs_find_program(const char *name);

#endif
