/*
 * JSON on disk, through jansson. Files of ours are written atomically, with
 * stable key order (insertion), two spaces of indent and 12 significant
 * digits; NaN and infinity are never written (see mm_json_real).
 */
#ifndef MM_BASE_JSON_H
#define MM_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Memory that jansson asks for is ours (base/memory.h), so that no value is ever lost for want of it: jansson itself
 * would leave it out. To be called before anything else of jansson.
 */
void mm_json_begin(void);

/* Loads PATH, refusing duplicate keys. Errors: MM_EMATRIX with file:line:column. The caller owns the value. */
json_t *mm_json_load(const char *path, struct mm_error *err);
/* The same for a file that a user named: see mm_fs_read_input. */
json_t *mm_json_load_input(const char *path, struct mm_error *err);
int mm_json_save(const char *path, const json_t *value, struct mm_error *err);
char *mm_json_text(const json_t *value); /* as saved, with a final newline; allocated */

/* A real, or null where VALUE is not finite. New reference. */
json_t *mm_json_real(double value);

/*
 * Line and column (both from 1) of the value, or with KEY_ITSELF of the key, at a JSON path such as
 * "$.sources.a.patches[2]"; keys that are not plain words are written $["a.b"]. jansson keeps no
 * positions, so this scans TEXT again. Returns false when the path is not there.
 */
bool mm_json_locate(const char *text, const char *path, bool key_itself, int *line, int *column);

/* Appends ".key" or "[\"odd key\"]" to a JSON path. Returns an allocated path. */
char *mm_json_path_key(const char *path, const char *key);
char *mm_json_path_index(const char *path, size_t index);

/* Readers for files of ours: a missing or wrongly typed member gives the fallback. Strings are borrowed. */
const char *mm_json_string(const json_t *object, const char *key, const char *fallback);
int64_t mm_json_integer(const json_t *object, const char *key, int64_t fallback);
double mm_json_number(const json_t *object, const char *key, double fallback);
bool mm_json_true(const json_t *object, const char *key);

/* The objects of LIST by their member KEY, a string; those without one are left out. New reference. */
json_t *mm_json_by_key(const json_t *list, const char *key);

/*
 * Has every member of OBJECT that is equal to SAMPLE's share its memory, objects within included. What is shared must
 * not be changed from then on.
 */
void mm_json_share(json_t *object, const json_t *sample);

/* Writers: a NULL string is left out. */
void mm_json_put_string(json_t *object, const char *key, const char *value);
void mm_json_put_integer(json_t *object, const char *key, int64_t value);
void mm_json_put_real(json_t *object, const char *key, double value);
void mm_json_put_bool(json_t *object, const char *key, bool value);

#endif
