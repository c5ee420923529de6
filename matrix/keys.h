/*
 * Every key of MATRIX.json stands in one table (table-*.c). The table drives the reader (object.c), the JSON Schema for
 * editors (schema.c) and the check that the manual names every key, so that the three cannot drift apart.
 */
#ifndef MM_MATRIX_KEYS_H
#define MM_MATRIX_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "matrix/reader.h"

enum mm_kind {
	MM_KIND_STRING,    /* char *; not empty */
	MM_KIND_PATH,      /* char *; made absolute */
	MM_KIND_PROGRAM,   /* char *; made absolute when it holds a slash */
	MM_KIND_CHOICE,    /* int: index of the word in "words" */
	MM_KIND_WORD,      /* char *: one of "words" */
	MM_KIND_INTEGER,   /* int, least ... most */
	MM_KIND_INTEGER64, /* int64_t, least ... most */
	MM_KIND_NUMBER,    /* double, least ... most, or above least where "above" says so */
	MM_KIND_BOOL,      /* bool */
	MM_KIND_BITS,      /* int: 32, 64, or where "native" says so also "native" (MM_BITS_NATIVE) */
	MM_KIND_STRINGS,   /* struct mm_strings of at least "least" strings that are not empty */
	MM_KIND_PATHS,     /* struct mm_strings, made absolute */
	MM_KIND_ENV,       /* struct mm_strings of "NAME=value", from an object of strings */
	MM_KIND_INTEGERS,  /* int * and size_t at count_offset; at least one, each least ... most */
	MM_KIND_BITS_LIST, /* checked only; at least one */
	MM_KIND_OBJECT,    /* a struct in place, by "section" */
	MM_KIND_MAP,       /* a vector of structs whose first member is char *name, and size_t at count_offset */
	MM_KIND_LIST,      /* a vector of structs, and size_t at count_offset */
	MM_KIND_JSON       /* json_t *, borrowed from the document; "read" checks it, "schema" describes it */
};

/* The offset of a value that is only checked: later steps take it from the document. */
#define MM_NOWHERE SIZE_MAX

struct mm_section;

struct mm_key {
	const char *name;
	enum mm_kind kind;
	size_t offset;       /* in the section's struct, or MM_NOWHERE */
	size_t count_offset; /* lists of structs and of integers */
	const char *help;    /* one line, for editors */
	bool required;
	bool unique;   /* lists: no string twice */
	bool native;   /* bits */
	bool above;    /* numbers: "least" itself is not allowed */
	unsigned only; /* bit 1 << variant for each variant of the section that may have the key; 0: all */
	double least, most;
	const char *const *words; /* ended by NULL */
	const struct mm_section *section;
	/* A further check of a string: NULL, or what would be right. */
	const char *(*check)(const char *text);
	const char *pattern; /* the same as a regular expression, for the schema */
	/* MM_KIND_JSON: FIELD may be NULL. */
	int (*read)(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field);
	const char *schema; /* MM_KIND_JSON: as JSON text */
};

struct mm_section {
	const char *name;          /* of one such object, for messages and the schema's definitions: "source" */
	const struct mm_key *keys; /* ended by a NULL name */
	size_t size;               /* of its struct; 0: none */
	/* Kinds of the object that allow different keys. */
	const char *const *variants;
	int (*variant)(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int *variant);
	void (*begin)(void *target); /* fills in defaults */
	/* Checks what concerns several keys. TARGET may be NULL. */
	int (*finish)(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
		      void *target);
	/* Keys that follow a pattern: *TAKEN says whether KEY is one. */
	int (*other)(struct mm_reader *reader, const struct mm_at *at, const char *key, json_t *value, void *target,
		     bool *taken);
	const char *const *other_words;         /* what such keys may be, for suggestions; ended by NULL */
	const char *other_pattern;              /* the same as a regular expression */
	const struct mm_section *other_section; /* of the objects that such keys may hold; NULL: only strings */
};

/* The tables: table-document.c (the whole file, its target is struct mm_matrix), and one file for each larger part. */
extern const struct mm_section mm_document_section;
extern const struct mm_section mm_source_section;
extern const struct mm_section mm_toolchain_section;
extern const struct mm_section mm_flagset_section;
extern const struct mm_section mm_suite_section;
extern const struct mm_section mm_axes_section;    /* "matrix" */
extern const struct mm_section mm_compare_section; /* one entry of "compare" */

#define MM_VARIANT(number) (1u << (number))
/* A field and the count that goes with it, for rows of a table. */
#define MM_FIELD(type, field) .offset = offsetof(struct type, field)
#define MM_VECTOR(type, field, count)                                                                                  \
	.offset = offsetof(struct type, field), .count_offset = offsetof(struct type, count)
#define MM_CHECKED .offset = MM_NOWHERE

/* object.c: reads OBJECT by SECTION into TARGET (NULL: checks only). */
int mm_section_read(struct mm_reader *reader, const struct mm_at *at, json_t *object, const struct mm_section *section,
		    void *target);
/* values.c: one value; FIELD may be NULL. */
int mm_value_read(struct mm_reader *reader, const struct mm_at *at, const struct mm_key *key, json_t *value,
		  void *field);
/* "32", "64", "native": what the value of the axis bits says; -1 when it says nothing. */
int mm_bits_value(const json_t *value);
/* "expected X, found Y" at the value. */
int mm_value_expected(struct mm_reader *reader, const struct mm_at *at, const char *expected, const json_t *value);

/* Names become folders and ids. NULL, or what would be right. */
const char *mm_name_check(const char *name);
extern const char mm_name_pattern[];

#endif
