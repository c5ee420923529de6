#include "builders/once.h"

#include <unistd.h>

#include "base/buffer.h"
#include "base/fs.h"
#include "base/lock.h"
#include "base/memory.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id" /* Linux; elsewhere nothing survives that is not settled */

static char *marker_of(const char *folder)
{
	return mm_format("%s.fresh", folder);
}

static void first_word(const char *path, struct mm_buffer *out)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct mm_buffer text = MM_BUFFER_INIT;
	if (mm_fs_exists(path) && mm_fs_read(path, 4096, &text, &ignored) == 0)
		mm_buffer_append(out, mm_buffer_text(&text), strcspn(mm_buffer_text(&text), " \n"));
	mm_buffer_release(&text);
}

/* "BOOT HOST" of this machine. */
static char *now(void)
{
	char host[256] = "";
	struct mm_buffer text = MM_BUFFER_INIT;
	first_word(BOOT_ID, &text);
	(void)gethostname(host, sizeof host - 1);
	mm_buffer_printf(&text, " %s\n", host);
	return mm_buffer_detach(&text);
}

bool mm_once_is_whole(const char *folder)
{
	struct mm_buffer then = MM_BUFFER_INIT;
	struct mm_error ignored = MM_ERROR_INIT;
	char *marker = marker_of(folder);
	bool whole = mm_fs_is_folder(folder);
	if (whole && mm_fs_exists(marker)) {
		char *present = now();
		int code = mm_fs_read(marker, 4096, &then, &ignored);
		const char *host = strchr(mm_buffer_text(&then), ' '), *own = strchr(present, ' ');
		bool foreign = host && own && strcmp(host, own) != 0;
		whole = !code && *present != ' ' && (foreign || strcmp(mm_buffer_text(&then), present) == 0);
		free(present);
	}
	/* settled in between */
	whole = whole || (mm_fs_is_folder(folder) && !mm_fs_exists(marker));
	mm_buffer_release(&then);
	free(marker);
	return whole;
}

static int make_it(const char *folder, int (*make)(void *context, const char *folder, struct mm_error *err),
		   void *context, struct mm_error *err)
{
	int code = mm_fs_remove_tree(folder, err);
	if (!code)
		code = mm_once_begin(folder, err);
	if (!code)
		code = make(context, folder, err);
	if (code)
		mm_once_settled(folder);
	return code;
}

int mm_once_begin(const char *folder, struct mm_error *err)
{
	char *marker = marker_of(folder), *text = now();
	int code = mm_fs_write_atomic(marker, text, strlen(text), err);
	free(text);
	free(marker);
	return code;
}

int mm_once(const char *folder, const char *what, int (*make)(void *context, const char *folder, struct mm_error *err),
	    void *context, struct mm_error *err)
{
	struct mm_lock lock = MM_LOCK_INIT;
	if (mm_once_is_whole(folder))
		return 0;
	char *path = mm_format("%s.lock", folder);
	int code = mm_lock_take(&lock, path, what, err);
	if (!code && !mm_once_is_whole(folder))
		code = make_it(folder, make, context, err);
	mm_lock_release(&lock);
	free(path);
	return code;
}

void mm_once_settled(const char *folder)
{
	char *marker = marker_of(folder);
	(void)unlink(marker);
	free(marker);
}
