#include "toolchains/audit-objects.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/fs.h"
#include "base/memory.h"
#include "toolchains/wrapper/line.h"

enum { BLOCK = 1 << 16 };

void mm_objects_begin(struct mm_objects *objects)
{
	*objects = (struct mm_objects){ json_object(), json_object(), json_object(), json_object() };
}

void mm_objects_release(struct mm_objects *objects)
{
	json_decref(objects->made);
	json_decref(objects->names);
	json_decref(objects->linked);
	json_decref(objects->archives);
	*objects = (struct mm_objects){ 0 };
}

void mm_objects_make(struct mm_objects *objects, const char *path, size_t line)
{
	(void)json_object_set_new_nocheck(objects->made, path, json_integer((json_int_t)line));
	(void)json_object_set_new_nocheck(objects->names, mm_path_base(path), json_true());
}

bool mm_objects_is_last(const struct mm_objects *objects, const char *path, size_t line)
{
	return json_integer_value(json_object_get(objects->made, path)) == (json_int_t)line;
}

static bool ends_in(const char *path, const char *end)
{
	size_t length = strlen(path), tail = strlen(end);
	return length > tail && strcmp(path + length - tail, end) == 0;
}

void mm_objects_link(struct mm_objects *objects, const char *path)
{
	if (ends_in(path, ".o"))
		(void)json_object_set_new_nocheck(objects->linked, path, json_true());
	else if (ends_in(path, ".a"))
		(void)json_object_set_new_nocheck(objects->archives, path, json_true());
}

/* Tables of symbols and of long names, in the spellings of GNU and of BSD. */
static bool is_table(const char *name)
{
	return !*name || *name == '/' || strncmp(name, "__.SYMDEF", 9) == 0;
}

static void judge_members(const struct mm_objects *objects, const char *path, struct archive *file,
			  const struct mm_objects_report *report)
{
	struct archive_entry *entry;
	int code;
	while ((code = archive_read_next_header(file, &entry)) == ARCHIVE_OK || code == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);
		if (!name || is_table(name) || json_object_get(objects->names, name))
			continue;
		char *both = mm_format("%s(%s)", path, name);
		report->foreign(report->context, both);
		free(both);
	}
	if (code != ARCHIVE_EOF)
		report->unread(report->context, path, archive_error_string(file));
}

static void judge_archive(const struct mm_objects *objects, const char *path, const struct mm_objects_report *report)
{
	struct archive *file = archive_read_new();
	if (file && archive_read_support_format_ar(file) == ARCHIVE_OK &&
	    archive_read_open_filename(file, path, BLOCK) == ARCHIVE_OK)
		judge_members(objects, path, file, report);
	else
		report->unread(report->context, path, file ? archive_error_string(file) : "no memory");
	archive_read_free(file);
}

void mm_objects_judge(const struct mm_objects *objects, const struct mm_objects_report *report)
{
	const char *path;
	json_t *ignored;
	json_object_foreach(objects->linked, path, ignored) {
		if (!json_object_get(objects->made, path) && !mm_path_is_probe(path))
			report->foreign(report->context, path);
	}
	json_object_foreach(objects->archives, path, ignored) {
		if (report->is_own(report->context, path) && !mm_path_is_probe(path))
			judge_archive(objects, path, report);
	}
}
