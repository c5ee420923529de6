#include "executors/share.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/process.h"

enum { TOO_SMALL = 4096 }; /* below a block there is nothing to save */

struct sharing {
	const char *key; /* of the build */
	char *files;     /* <work>/files */
	uint64_t saved_bytes;
	bool impossible; /* this file system has no hard links */
	struct mm_error *err;
};

/* Puts PATH under the name POOLED. Returns false when somebody else has. */
static bool offer(struct sharing *sharing, const char *path, const char *pooled)
{
	if (link(path, pooled) == 0)
		return true;
	if (errno != EEXIST)
		sharing->impossible = errno != ENOENT && errno != EMLINK;
	return errno != EEXIST;
}

/* Replaces PATH by a link to POOLED, whole at any moment. */
static int replace(struct sharing *sharing, const char *path, const char *pooled, uint64_t bytes)
{
	char *temporary = mm_format("%s/%s.tmp", sharing->files, sharing->key);
	int code = 0;
	(void)unlink(temporary);
	if (link(pooled, temporary)) {
		/* too many links: from here on the next file with this content is the one that is shared */
		if (errno == EMLINK)
			(void)unlink(pooled);
	} else if (rename(temporary, path)) {
		code = mm_error_errno(sharing->err, "cannot replace '%s'", path);
		(void)unlink(temporary);
	} else {
		sharing->saved_bytes += bytes;
	}
	free(temporary);
	return code;
}

/* Is the pooled file still what its name says? Whoever wrote to one that is linked to it has damaged it. */
static bool is_sound(const char *name, const struct stat *pooled, const struct stat *own, const char *hex)
{
	char present[MM_SHA256_HEX];
	return S_ISREG(pooled->st_mode) && pooled->st_size == own->st_size && pooled->st_mode == own->st_mode &&
	       mm_hash_file(name, present, NULL) == 0 && strcmp(present, hex) == 0;
}

static int share_file(void *context, const char *path, const char *relative)
{
	struct sharing *sharing = context;
	struct stat own, pooled;
	char hex[MM_SHA256_HEX];
	(void)relative;
	int code = mm_signals_check(sharing->err);
	if (code || sharing->impossible || lstat(path, &own) || own.st_size < TOO_SMALL)
		return code;
	code = mm_hash_file(path, hex, sharing->err);
	if (code)
		return code;
	char *name = mm_format("%s/%s-%03o", sharing->files, hex, (unsigned)own.st_mode & 07777u);
	if (!offer(sharing, path, name) && lstat(name, &pooled) == 0 && pooled.st_ino != own.st_ino) {
		if (is_sound(name, &pooled, &own, hex))
			code = replace(sharing, path, name, (uint64_t)own.st_blocks * 512);
		else if (unlink(name) == 0)
			(void)offer(sharing, path, name);
	}
	free(name);
	return code;
}

int mm_share_prefix(const char *work, const struct mm_build *build, struct mm_error *err)
{
	if (!mm_build_owns_prefix(build))
		return 0;
	struct sharing sharing = { .key = build->key, .files = mm_path_join(work, "files"), .err = err };
	int code = mm_fs_mkdirs(sharing.files, 0755, err);
	if (!code)
		code = mm_fs_walk(build->prefix, share_file, &sharing, err);
	if (!code && sharing.saved_bytes) {
		char *text = mm_format("%.1f MB are shared with other builds", (double)sharing.saved_bytes / 1e6);
		mm_event_stage(MM_EVENT_NOTE, NULL, "install", text);
		free(text);
	}
	free(sharing.files);
	return code;
}
