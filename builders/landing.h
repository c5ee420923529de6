/*
 * A folder into which the entries of an untrusted archive are laid. Every
 * path is walked from the folder's own descriptor, one component at a time,
 * never through a symlink, so nothing can land outside whatever the archive
 * says. Errors name the entry; MM_ECELL for what an archive may not hold,
 * MM_EENV for what the disk refuses.
 */
#ifndef MM_BUILDERS_LANDING_H
#define MM_BUILDERS_LANDING_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "base/error.h"

struct mm_landing {
	int root;       /* descriptor of the folder */
	bool package;   /* absolute symlinks are meant from the root of the package and made relative */
	unsigned fixed; /* leading folders of an entry that its symlinks may not leave; 1: the top folder becomes the
			   root */
	char *parent;   /* the folder opened last, since entries come folder by folder; NULL: none */
	int parent_fd;
};

int mm_landing_open(struct mm_landing *landing, const char *folder, bool package, bool strip_top, struct mm_error *err);
void mm_landing_close(struct mm_landing *landing);

/* Makes the folders of PATH and PATH itself; a folder that is there already is fine. */
int mm_landing_folder(struct mm_landing *landing, const char *path, mode_t mode, struct mm_error *err);

/*
 * Makes a new empty file, replacing a file or link of an earlier entry. Set-user-id, set-group-id and sticky bits
 * are dropped. The caller writes to *FD and gives it to mm_landing_finish.
 */
int mm_landing_file(struct mm_landing *landing, const char *path, mode_t mode, int *fd, struct mm_error *err);
/* Sets length and time (never in the future) and closes FD, whatever happens. */
int mm_landing_finish(int fd, const char *path, off_t length, time_t modified, struct mm_error *err);

/* Refuses targets that leave the folder, or that climb after they descended (such a chain of links can leave it). */
int mm_landing_symlink(struct mm_landing *landing, const char *path, const char *target, struct mm_error *err);
/* TARGET is the path of an earlier entry that is a regular file. */
int mm_landing_hardlink(struct mm_landing *landing, const char *path, const char *target, struct mm_error *err);

/* Opens the regular file that an earlier entry made at PATH to write it anew; for mm_landing_finish. */
int mm_landing_again(struct mm_landing *landing, const char *path, int *fd, struct mm_error *err);

/* Gives the finished folder PART the name FOLDER. Whether that is durable yet is builders/once.h's matter. */
int mm_landing_settle(const char *part, const char *folder, struct mm_error *err);

/*
 * PATH without "." and doubled slashes; "" for the root itself. Allocated in *CLEAN. Errors: absolute, "..", or
 * longer than a path can be.
 */
int mm_landing_clean(const char *path, char **clean, struct mm_error *err);

#endif
