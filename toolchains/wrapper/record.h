/*
 * Private to toolchains/: the log of a build's compiler calls, one line for each, however long. Fields are separated
 * by tabs; tabs, line ends and other control characters in them are escaped, every other byte stands as it is.
 */
#ifndef MM_TOOLCHAINS_WRAPPER_RECORD_H
#define MM_TOOLCHAINS_WRAPPER_RECORD_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "toolchains/wrapper/line.h"

/* Where an argument comes from; the mark stands in front of it in the log. */
enum mm_word_mark {
	MM_WORD_KEPT = '=',    /* given and executed */
	MM_WORD_FILE = '@',    /* a response file: given and executed, its words follow */
	MM_WORD_INSIDE = '.',  /* a word of the response file before it */
	MM_WORD_REMOVED = '-', /* given, not executed */
	MM_WORD_ADDED = '+'    /* the cell's */
};

struct mm_word {
	enum mm_word_mark mark;
	char *text; /* owned */
};

struct mm_words {
	struct mm_word *items;
	size_t count, capacity;
};

void mm_words_push(struct mm_words *words, enum mm_word_mark mark, const char *text);
void mm_words_release(struct mm_words *words);

struct mm_record {
	enum mm_line_kind kind;
	enum mm_language language;
	bool probe;
	int exit_status; /* of the compiler, -1 when a signal ended it */
	int signal;
	uint64_t wall_us, wait_us; /* of the compiler; for the token of the job budget */
	uint64_t peak_kib;         /* of its largest process */
	int64_t stamp;             /* of what "-o" names, when the compiler was done (base/stamp.h); 0: not known */
	char *cwd;                 /* owned */
	struct mm_words words;
};

/* Appends the record's line, with its end, to OUT. */
void mm_record_print(const struct mm_record *record, struct mm_buffer *out);

/* Reads a line without its end. Returns false for one that no wrapper wrote whole. Release it in any case. */
bool mm_record_parse(const char *line, struct mm_record *record);
void mm_record_release(struct mm_record *record);

/* Appends LINE to the file as a whole, whatever others append at the same time. Returns 0 or -1 with errno. */
int mm_record_append(const char *path, const struct mm_buffer *line);

#endif
