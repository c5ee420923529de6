#include "builders/refusal.h"

#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"

/* In the folder that a new attempt clears, and no stage's log. */
static char *note_path(const struct mm_build *build)
{
	return mm_path_join(build->folder, "logs/refused.txt");
}

void mm_refusal_note(const struct mm_build *build, const char *text)
{
	char *path = note_path(build), *folder = mm_path_folder(path);
	if (!text)
		(void)unlink(path);
	else if (mm_fs_mkdirs(folder, 0755, NULL) == 0)
		(void)mm_fs_write_atomic(path, text, strlen(text), NULL);
	free(folder);
	free(path);
}

void mm_refusal_load(struct mm_build *build)
{
	char *path = note_path(build);
	struct mm_buffer text = MM_BUFFER_INIT;
	if (mm_fs_exists(path) && mm_fs_read(path, MM_ERROR_TEXT, &text, NULL) == 0) {
		build->failure = mm_strdup(mm_buffer_text(&text));
		build->hint = mm_strdup("so it was when it was last tried: 'mymatrix build' tries again");
	}
	mm_buffer_release(&text);
	free(path);
}
