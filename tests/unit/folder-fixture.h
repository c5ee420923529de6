/* A folder of its own for a test program: the group's setup makes it, its teardown removes it with all that is in it. */
#ifndef MM_TESTS_FOLDER_FIXTURE_H
#define MM_TESTS_FOLDER_FIXTURE_H

#include <stdlib.h>

#include "base/fs.h"

static char folder[] = "/tmp/mm-unit-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

#endif
