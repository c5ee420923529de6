#include "builders/input.h"

#include <stdarg.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"

char *mm_input_place(const struct mm_input *input, const char *key)
{
	char *head = mm_format("$.%s", input->table);
	char *entry = mm_json_path_key(head, input->name);
	char *path = key ? mm_json_path_key(entry, key) : mm_strdup(entry);
	char *text = mm_matrix_place(input->store->matrix, path);
	free(path);
	free(entry);
	free(head);
	return text;
}

int mm_input_wrong(const struct mm_input *input, const char *key, struct mm_error *err, const char *format, ...)
{
	char text[1024];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	char *where = mm_input_place(input, key);
	int code = mm_error_set(err, MM_EMATRIX, "%s: %s", where, text);
	free(where);
	return code;
}

/* CODE and WHY of reading an input: it is wrong, unless the machine has failed or we are to stop. */
static int wrong_or_machine(const struct mm_input *input, const char *key, int code, const struct mm_error *why,
			    struct mm_error *err)
{
	if (code == MM_EINTERRUPTED || code == MM_EENV)
		return mm_error_set(err, (enum mm_code)code, "%s", why->text);
	return code ? mm_input_wrong(input, key, err, "%s", why->text) : 0;
}

int mm_input_digest(const struct mm_input *input, const char *key, const char *path, char hex[MM_SHA256_HEX],
		    struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	if (mm_fs_is_folder(path))
		return mm_input_wrong(input, key, err, "'%s' is a folder, not a file", path);
	if (!mm_fs_exists(path))
		return mm_input_wrong(input, key, err, "there is no file '%s': correct the path or fetch the file",
				      path);
	int code = mm_digests_file(&input->cache->digests, input->store->work, path, hex, &why);
	return wrong_or_machine(input, key, code, &why, err);
}

int mm_input_digest_folder(const struct mm_input *input, const char *key, const struct mm_folder *folder,
			   char hex[MM_SHA256_HEX], struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	if (!mm_fs_is_folder(folder->path))
		return mm_input_wrong(input, key, err, "there is no folder '%s'", folder->path);
	int code = mm_digests_folder(&input->cache->digests, input->store->work, folder, hex, &why);
	return wrong_or_machine(input, key, code, &why, err);
}

int mm_input_digest_all(const struct mm_input *input, const char *key, const struct mm_strings *files, json_t *object,
			struct mm_error *err)
{
	json_t *array = json_array();
	int code = 0;
	(void)json_object_set_new(object, key, array);
	for (size_t i = 0; !code && i < files->count; i++) {
		char hex[MM_SHA256_HEX];
		code = mm_input_digest(input, key, files->items[i], hex, err);
		if (code)
			break;
		json_t *entry = json_object();
		mm_json_put_string(entry, "file", mm_path_base(files->items[i]));
		mm_json_put_string(entry, "sha256", hex);
		(void)json_array_append_new(array, entry);
	}
	return code;
}
