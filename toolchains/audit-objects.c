#include "toolchains/audit-objects.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/stamp.h"

enum { BLOCK = 1 << 16 };

void mm_objects_begin(struct mm_objects *objects)
{
	*objects = (struct mm_objects){ json_object(), json_object(), json_object(), json_object(),
					json_object(), json_object(), json_object() };
}

void mm_objects_release(struct mm_objects *objects)
{
	json_decref(objects->made);
	json_decref(objects->names);
	json_decref(objects->linked);
	json_decref(objects->archives);
	json_decref(objects->others);
	json_decref(objects->outputs);
	json_decref(objects->stamps);
	*objects = (struct mm_objects){ 0 };
}

void mm_objects_make(struct mm_objects *objects, const char *path, size_t line)
{
	(void)json_object_set_new_nocheck(objects->made, path, json_integer((json_int_t)line));
	(void)json_object_set_new_nocheck(objects->names, mm_path_base(path), json_true());
}

void mm_objects_stamp(struct mm_objects *objects, const char *path, int64_t stamp)
{
	(void)json_object_set_new_nocheck(objects->stamps, path, json_integer((json_int_t)stamp));
}

bool mm_objects_is_last(const struct mm_objects *objects, const char *path, size_t line)
{
	return json_integer_value(json_object_get(objects->made, path)) == (json_int_t)line;
}

bool mm_objects_is_made(const struct mm_objects *objects, const char *path)
{
	return json_object_get(objects->made, path) != NULL;
}

/* A word of a link that is no option, or a part of one that is handed to the linker. */
static void note_input(struct mm_objects *objects, const char *cwd, const char *word)
{
	if (!*word || *word == '-' || mm_path_is_source(word))
		return;
	char *path = mm_path_absolute(cwd, word);
	json_t *kind = mm_ends_in(path, ".o")   ? objects->linked
		       : mm_ends_in(path, ".a") ? objects->archives
						: objects->others;
	(void)json_object_set_new_nocheck(kind, path, json_true());
	free(path);
}

/* A word for the linker that is a file by its name: others may be operands of its options. */
static void note_handed(struct mm_objects *objects, const char *cwd, const char *word)
{
	if (mm_ends_in(word, ".o") || mm_ends_in(word, ".a"))
		note_input(objects, cwd, word);
}

/* Likewise the parts of "-Wl,a,b". */
static void note_handed_parts(struct mm_objects *objects, const char *cwd, const char *word)
{
	for (const char *at = strchr(word, ','); at; at = strchr(at, ',')) {
		char *part = mm_strndup(at + 1, strcspn(at + 1, ","));
		note_handed(objects, cwd, part);
		free(part);
		at++;
	}
}

void mm_objects_note_link(struct mm_objects *objects, enum mm_dialect dialect, const struct mm_record *record,
			  const struct mm_line *line, char *const *given, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(given[i], "-Wl,", 4) == 0)
			note_handed_parts(objects, record->cwd, given[i]);
		else if (strcmp(given[i], "-Xlinker") == 0 && i + 1 < count)
			note_handed(objects, record->cwd, given[i + 1]);
		if (*given[i] == '-')
			i += mm_option_operands(dialect, given[i]);
		else
			note_input(objects, record->cwd, given[i]);
	}
	char *output = mm_path_absolute(record->cwd, line->output ? line->output : "a.out");
	(void)json_object_set_new_nocheck(objects->outputs, output, json_true());
	mm_objects_stamp(objects, output, record->stamp);
	free(output);
}

/*
 * Did a logged call make it, by compiling or, as with "-r -o all.o", by linking? Shared libraries are linked by names
 * that are links to the one that was made.
 */
static bool is_ours(const struct mm_objects *objects, const char *path)
{
	char *real = realpath(path, NULL);
	bool is = mm_objects_is_made(objects, path) || json_object_get(objects->outputs, path) ||
		  (real && json_object_get(objects->outputs, real));
	free(real);
	return is;
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

/* Such a library holds no members, but the names of files. */
static bool is_thin(int fd)
{
	char begin[8];
	return pread(fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin && memcmp(begin, "!<thin>\n", sizeof begin) == 0;
}

static void judge_archive(const struct mm_objects *objects, const char *path, const struct mm_objects_report *report)
{
	struct mm_error err = MM_ERROR_INIT;
	int fd;
	if (mm_fs_open(path, &fd, &err)) { /* it may be anything */
		report->unread(report->context, path, err.text);
		return;
	}
	struct archive *file = archive_read_new();
	if (is_thin(fd))
		report->unread(report->context, path, "a thin archive: have it made without ar's T");
	else if (file && archive_read_support_format_ar(file) == ARCHIVE_OK &&
	    archive_read_open_fd(file, fd, BLOCK) == ARCHIVE_OK)
		judge_members(objects, path, file, report);
	else
		report->unread(report->context, path, file ? archive_error_string(file) : "no memory");
	archive_read_free(file);
	close(fd);
}

/* What is gone does no harm. */
static void judge_stamps(const struct mm_objects *objects, const struct mm_objects_report *report)
{
	const char *path;
	json_t *stamp;
	json_object_foreach(objects->stamps, path, stamp) {
		int64_t then = json_integer_value(stamp), now = mm_file_stamp(path);
		if (then && now && then != now)
			report->changed(report->context, path);
	}
}

void mm_objects_judge(const struct mm_objects *objects, const struct mm_objects_report *report)
{
	const char *path;
	json_t *ignored;
	judge_stamps(objects, report);
	json_object_foreach(objects->linked, path, ignored) {
		if (!is_ours(objects, path))
			report->foreign(report->context, path);
	}
	json_object_foreach(objects->others, path, ignored) {
		if (report->is_own(report->context, path) && !is_ours(objects, path))
			report->foreign(report->context, path);
	}
	json_object_foreach(objects->archives, path, ignored) {
		if (report->is_own(report->context, path))
			judge_archive(objects, path, report);
	}
}
