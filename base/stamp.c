#include "base/stamp.h"

#include <stdbool.h>
#include <sys/stat.h>

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool look(const char *path, struct stat *st)
{
	return stat(path, st) == 0 && S_ISREG(st->st_mode);
}

int64_t mm_file_stamp(const char *path)
{
	struct stat st;
	return look(path, &st) ? nanoseconds(&st.st_mtim) ^ (int64_t)st.st_size : 0;
}

int64_t mm_inode_stamp(const char *path)
{
	struct stat st;
	return look(path, &st) ? nanoseconds(&st.st_ctim) ^ (int64_t)st.st_size ^ (int64_t)((uint64_t)st.st_ino << 32) : 0;
}
