#include "base/stamp.h"

#include <sys/stat.h>

int64_t mm_file_stamp(const char *path)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	int64_t time = (int64_t)st.st_mtim.tv_sec * 1000000000 + (int64_t)st.st_mtim.tv_nsec;
	return time ^ (int64_t)st.st_size;
}
