/*
 * Private to toolchains/: which objects the logged calls made, and which ones links took, one by one or out of static
 * libraries. What was linked and not made by them is foreign: nothing is known about its flags.
 */
#ifndef MM_TOOLCHAINS_AUDIT_OBJECTS_H
#define MM_TOOLCHAINS_AUDIT_OBJECTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "toolchains/wrapper/line.h"
#include "toolchains/wrapper/record.h"

struct mm_objects {
	json_t *made;     /* path of an object → the line of its last compilation */
	json_t *names;    /* the last parts of those paths: all that an archive keeps of them */
	json_t *linked;   /* paths of objects that links name */
	json_t *archives; /* paths of static libraries that links name */
	json_t *others;   /* paths of whatever else they take in: shared libraries, files of any other name */
	json_t *outputs;  /* paths of what links made */
	json_t *stamps;   /* path of what a call made → its stamp when the call was done */
};

void mm_objects_begin(struct mm_objects *objects);
void mm_objects_release(struct mm_objects *objects);

void mm_objects_make(struct mm_objects *objects, const char *path, size_t line);
/* Is LINE the last that made PATH? */
bool mm_objects_is_last(const struct mm_objects *objects, const char *path, size_t line);
/* Did a logged compilation make PATH? */
bool mm_objects_is_made(const struct mm_objects *objects, const char *path);
/* A link: what it takes in, out of its COUNT words GIVEN (response files opened, without the cell's), and what it
 * makes. */
void mm_objects_note_link(struct mm_objects *objects, enum mm_dialect dialect, const struct mm_record *record,
			  const struct mm_line *line, char *const *given, size_t count);

/* STAMP of what the last call that made PATH has left; 0: not known. */
void mm_objects_stamp(struct mm_objects *objects, const char *path, int64_t stamp);

/* What was found of one linked thing. PATH is "file.o", or "libx.a(file.o)"; it holds for the call only. */
struct mm_objects_report {
	void (*foreign)(void *context, const char *path);
	/* a static library that cannot be looked into, and why */
	void (*unread)(void *context, const char *path, const char *why);
	/* what a call made was replaced or written to by somebody else since */
	void (*changed)(void *context, const char *path);
	/* is the static library PATH of the tree or of the build? Others are the system's. */
	bool (*is_own)(void *context, const char *path);
	void *context;
};

/*
 * A member of a static library is known by its name alone: a foreign one that is called like one of ours is not found
 * out. Libraries that links name as -lNAME are not looked for. Of what is neither object nor static library only files
 * of the tree and of the build count.
 */
void mm_objects_judge(const struct mm_objects *objects, const struct mm_objects_report *report);

#endif
