/* The way of a MATRIX.json: text, JSON, tables, checks, cells, comparisons. */
#include <errno.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "matrix/duplicates.h"
#include "matrix/private.h"
#include "matrix/words.h"

enum { FILE_MOST = 64 << 20 };

static int read_text(const char *path, struct mm_buffer *text, struct mm_error *err)
{
	if (mm_fs_is_folder(path))
		return mm_error_set(err, MM_EMATRIX, "'%s' is a folder: name the MATRIX.json in it",
				    mm_clean(path).text);
	if (!mm_fs_exists(path))
		return mm_error_set(err, MM_EMATRIX,
				    "there is no '%s': name a MATRIX.json, or write one with 'mymatrix init'",
				    mm_clean(path).text);
	int code = mm_fs_read_input(path, FILE_MOST, text, err);
	if (!code && !text->length)
		code = mm_error_set(err, MM_EMATRIX, "%s:1:1: $: the file is empty: expected an object", path);
	if (!code && strncmp(text->data, "\xef\xbb\xbf", 3) == 0)
		code = mm_error_set(err, MM_EMATRIX,
				    "%s:1:1: $: the file begins with a byte order mark: save it as UTF-8 "
				    "without one",
				    path);
	return code;
}

static json_t *parse_text(const char *file, const struct mm_buffer *text, struct mm_error *err)
{
	json_error_t why;
	/* any value, so that a list or a number is told what would be right, not that it is no JSON */
	json_t *document = json_loadb(text->data, text->length, JSON_DECODE_ANY, &why);
	if (document)
		return document;
	char words[JSON_ERROR_TEXT_LENGTH];
	bool nul = json_error_code(&why) == json_error_null_character;
	mm_clean_into(nul ? "a string holds the character \\u0000" : why.text, words, sizeof words);
	(void)mm_error_set(err, MM_EMATRIX, "%s:%d:%d: $: not JSON: %s", file, why.line,
			   why.column > 0 ? why.column : 1, words);
	return NULL;
}

/* Removes "//" keys everywhere. jansson bounds the depth of what it reads. */
static void strip_comments(json_t *value)
{
	const char *key;
	json_t *member;
	size_t i;
	if (json_is_object(value)) {
		(void)json_object_del(value, "//");
		json_object_foreach(value, key, member) strip_comments(member);
	}
	json_array_foreach(value, i, member) strip_comments(member);
}

static struct mm_matrix *matrix_new(const char *path)
{
	struct mm_matrix *matrix = mm_alloc(sizeof *matrix);
	matrix->own = mm_alloc(sizeof *matrix->own);
	matrix->own->file = mm_strdup(path);
	matrix->path = mm_path_absolute(NULL, path);
	matrix->folder = mm_path_folder(matrix->path);
	return matrix;
}

static struct mm_reader reader_of(const struct mm_matrix *matrix, struct mm_error *err)
{
	return (struct mm_reader){
		.file = matrix->own->file, .text = matrix->own->text, .folder = matrix->folder, .err = err
	};
}

static int fill(struct mm_matrix *matrix, const struct mm_matrix_overrides *overrides, struct mm_error *err)
{
	struct mm_reader reader = reader_of(matrix, err);
	const struct mm_at root = { NULL, NULL, 0 };
	int code = mm_duplicates_check(&reader);
	if (code)
		return code;
	strip_comments(matrix->document);
	code = mm_section_read(&reader, &root, matrix->document, &mm_document_section, matrix);
	if (!code)
		code = mm_matrix_check(&reader, matrix);
	if (!code && !matrix->title)
		matrix->title = mm_strdup(mm_path_base(matrix->path));
	if (!code && overrides)
		code = mm_overrides_apply(matrix, overrides, err);
	if (!code)
		code = mm_matrix_expand(&reader, matrix);
	if (!code)
		code = mm_matrix_compare(&reader, matrix);
	if (!code && overrides)
		code = mm_overrides_select(matrix, overrides, err);
	return code;
}

/* TEXT is empty afterwards. */
static int load(const char *path, struct mm_buffer *text, const struct mm_matrix_overrides *overrides,
		struct mm_matrix **out, struct mm_error *err)
{
	struct mm_matrix *matrix = matrix_new(path);
	matrix->document = parse_text(path, text, err);
	int code = matrix->document ? 0 : MM_EMATRIX;
	matrix->own->text = mm_buffer_detach(text);
	if (!code)
		code = fill(matrix, overrides, err);
	if (code) {
		mm_matrix_free(matrix);
		return code;
	}
	*out = matrix;
	return 0;
}

int mm_matrix_load(const char *path, const struct mm_matrix_overrides *overrides, struct mm_matrix **out,
		   struct mm_error *err)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	int code = read_text(path, &text, err);
	if (!code)
		code = load(path, &text, overrides, out, err);
	mm_buffer_release(&text);
	return code;
}

int mm_matrix_parse(const char *path, const char *text, const struct mm_matrix_overrides *overrides,
		    struct mm_matrix **out, struct mm_error *err)
{
	struct mm_buffer copy = MM_BUFFER_INIT;
	mm_buffer_puts(&copy, text);
	return load(*path ? path : "(matrix)", &copy, overrides, out, err);
}

const char *mm_matrix_text(const struct mm_matrix *matrix)
{
	return matrix->own->text;
}

const struct mm_cell *mm_matrix_cell(const struct mm_matrix *matrix, const char *id)
{
	size_t number;
	return mm_index_find(&matrix->own->cells, id, &number) ? &matrix->cells[number] : NULL;
}

char *mm_matrix_place(const struct mm_matrix *matrix, const char *json_path)
{
	struct mm_reader reader = reader_of(matrix, NULL);
	return mm_reader_place(&reader, json_path, true);
}
