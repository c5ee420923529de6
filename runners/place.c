#include "runners/place.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runners/server.h"

enum {
	SOCKET_LIMIT = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1,
	NAME_LIMIT = 4,
};

int mm_place_private(const char *path, struct mm_error *err)
{
	struct stat st;
	int rc = mm_fs_mkdirs(path, 0700, err);

	if (rc != 0)
		return rc;
	if (lstat(path, &st) != 0)
		return mm_error_errno(err, "cannot look at '%s'", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return mm_error_set(err, MM_EENV, "'%s' is no folder of this user: remove it", path);
	if (chmod(path, 0700) != 0)
		return mm_error_errno(err, "cannot make folder '%s' private", path);
	return 0;
}

static bool fits(const char *folder)
{
	return strlen(folder) + 1 + NAME_LIMIT <= SOCKET_LIMIT;
}

/* TMPDIR/mymatrix-<user>-<digits that depend on the run's path>. Allocated. */
static char *short_place(const char *tmpdir, const char *run_folder)
{
	struct mm_hash *hash = mm_hash_new();
	char hex[MM_SHA256_HEX];

	mm_hash_add_text(hash, run_folder);
	mm_hash_finish(hash, hex);
	return mm_format("%s/mymatrix-%lu-%.12s", tmpdir, (unsigned long)geteuid(), hex);
}

char *mm_server_socket_place(const char *run_folder, struct mm_error *err)
{
	const char *tmpdir = mm_fs_scratch();
	char *folder = mm_path_join(run_folder, "socket");

	if (!fits(folder)) {
		free(folder);
		folder = short_place(tmpdir, run_folder);
	}
	if (!fits(folder))
		(void)mm_error_set(err, MM_EENV,
				   "a socket's path may have %d bytes, which is less than what '%s' and '%s' need: "
				   "set TMPDIR to a shorter folder, or use a shorter work folder",
				   SOCKET_LIMIT, run_folder, tmpdir);
	else if (mm_place_private(folder, err) == 0)
		return folder;
	free(folder);
	return NULL;
}
