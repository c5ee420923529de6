#include "executors/last-call.h"

#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"

static char *note_path(const char *work)
{
	return mm_path_join(work, "last-call.json");
}

void mm_last_call_begin(const char *work)
{
	char *path = note_path(work);
	(void)unlink(path);
	free(path);
}

void mm_last_call_end(const char *work, const struct mm_error *why)
{
	if (why->code == MM_OK)
		return;
	char now[32], *path = note_path(work);
	json_t *note = json_object();
	mm_utc_text(now);
	mm_json_put_string(note, "ended", now);
	mm_json_put_integer(note, "status", mm_error_status(why->code));
	mm_json_put_string(note, "failure", why->text);
	(void)mm_json_save(path, note, NULL);
	json_decref(note);
	free(path);
}

json_t *mm_last_call(const char *work)
{
	char *path = note_path(work);
	json_t *note = mm_fs_exists(path) ? mm_json_load(path, NULL) : NULL;
	free(path);
	if (mm_json_string(note, "failure", NULL))
		return note;
	json_decref(note);
	return NULL;
}
