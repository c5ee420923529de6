/*
 * The file: a line "mymatrix ledger 2 <checksum of the test> <SHA-256 of it and of the words>", then words of four
 * bytes in the machine's own order (a run belongs to one host).
 */
#include "runners/ledger.h"

#include <inttypes.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"

#define MAGIC "mymatrix ledger 2 "

enum {
	MAGIC_LENGTH = sizeof(MAGIC) - 1,
	CHECKSUM = 16,
	HEAD = MAGIC_LENGTH + CHECKSUM + 1 + MM_SHA256_HEX, /* the last with the line's end */
	SHOWN_STATEMENT = 1000
};

/* The line at the head of a ledger of COUNT words, for a test with this CHECKSUM. */
static void make_head(const char *checksum, const uint32_t *words, size_t count, char head[HEAD + 1])
{
	struct mm_hash *hash = mm_hash_new();
	char digest[MM_SHA256_HEX];

	mm_hash_add(hash, checksum, CHECKSUM);
	mm_hash_add(hash, words, count * sizeof(*words));
	mm_hash_finish(hash, digest);
	snprintf(head, HEAD + 1, MAGIC "%.16s %s\n", checksum, digest);
}

/* One that was cut short or changed is none: a wrong statement would be named. */
static void read_reference(struct mm_ledger *ledger)
{
	struct mm_buffer file = MM_BUFFER_INIT;
	char head[HEAD + 1];
	size_t size;

	if (!mm_fs_exists(ledger->path) || mm_fs_read(ledger->path, 0, &file, NULL) != 0 || file.length < HEAD)
		goto out;
	size = file.length - HEAD;
	ledger->reference_count = size / sizeof(*ledger->reference);
	ledger->reference = mm_alloc(size + 1);
	memcpy(ledger->reference, file.data + HEAD, size);
	memcpy(ledger->reference_checksum, file.data + MAGIC_LENGTH, CHECKSUM);
	make_head(ledger->reference_checksum, ledger->reference, ledger->reference_count, head);
	if (memcmp(file.data, head, HEAD) != 0 || size % sizeof(*ledger->reference) != 0) {
		free(ledger->reference);
		ledger->reference = NULL;
	}
out:
	mm_buffer_release(&file);
}

void mm_ledger_begin(struct mm_ledger *ledger, const char *folder, const char *suite, const char *name)
{
	*ledger = (struct mm_ledger){ 0 };
	if (folder == NULL)
		return;
	ledger->path = mm_format("%s/%s/%s", folder, suite, name);
	for (char *slash = ledger->path + strlen(folder) + strlen(suite) + 2; (slash = strchr(slash, '/')) != NULL;)
		*slash = '_';
	read_reference(ledger);
}

bool mm_ledger_add(struct mm_ledger *ledger, uint64_t digest)
{
	uint32_t word = (uint32_t)(digest ^ digest >> 32);
	size_t place = ledger->count;

	if (ledger->path == NULL)
		return false;
	/* kept whether there is a reference or not: every pass does the same work */
	ledger->words = mm_grow(ledger->words, place, &ledger->capacity, sizeof(*ledger->words));
	ledger->words[ledger->count++] = word;
	if (ledger->reference == NULL || ledger->differs ||
	    (place < ledger->reference_count && ledger->reference[place] == word))
		return false;
	ledger->differs = true;
	return true;
}

static void put_word(json_t *object, const char *key, uint32_t word)
{
	char hex[9];

	snprintf(hex, sizeof(hex), "%08" PRIx32, word);
	mm_json_put_string(object, key, hex);
}

void mm_ledger_name(struct mm_ledger *ledger, const char *operation, const char *text, size_t length)
{
	char *shown = mm_strndup(text, length < SHOWN_STATEMENT ? length : SHOWN_STATEMENT);
	size_t place = ledger->count - 1;

	json_decref(ledger->difference);
	ledger->difference = json_object();
	mm_json_put_integer(ledger->difference, "statement_number", (int64_t)ledger->count);
	mm_json_put_string(ledger->difference, "operation", operation);
	mm_json_put_string(ledger->difference, "statement", shown);
	put_word(ledger->difference, "answer", ledger->words[place]);
	if (place < ledger->reference_count)
		put_word(ledger->difference, "expected", ledger->reference[place]);
	mm_json_put_string(ledger->difference, "reference_checksum", ledger->reference_checksum);
	free(shown);
}

static int leave(const struct mm_ledger *ledger, uint64_t checksum, struct mm_error *err)
{
	char *folder = mm_path_folder(ledger->path), head[HEAD + 1], hex[CHECKSUM + 1];
	struct mm_file file = { 0 };
	int rc = mm_fs_mkdirs(folder, 0755, err);

	snprintf(hex, sizeof(hex), "%016" PRIx64, checksum);
	make_head(hex, ledger->words, ledger->count, head);
	if (rc == 0)
		rc = mm_file_begin(&file, ledger->path, err);
	if (rc == 0) {
		rc = mm_file_put(&file, head, HEAD, err);
		if (rc == 0)
			rc = mm_file_put(&file, ledger->words, ledger->count * sizeof(*ledger->words), err);
		rc = mm_file_end(&file, rc, err);
	}
	if (rc != 0)
		mm_error_prefix(err,
				"the answers cannot be kept (make room or remove what is in the way, and run again)");
	free(folder);
	return rc;
}

int mm_ledger_end(struct mm_ledger *ledger, uint64_t checksum, json_t **difference, struct mm_error *err)
{
	*difference = ledger->difference;
	ledger->difference = NULL;
	return ledger->path != NULL && ledger->reference == NULL ? leave(ledger, checksum, err) : 0;
}

void mm_ledger_release(struct mm_ledger *ledger)
{
	free(ledger->path);
	free(ledger->words);
	free(ledger->reference);
	json_decref(ledger->difference);
	*ledger = (struct mm_ledger){ 0 };
}
