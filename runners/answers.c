#include "runners/answers.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t digest_row(MYSQL_ROW row, const unsigned long *lengths, unsigned columns)
{
	uint64_t hash = columns;

	for (unsigned i = 0; i < columns; i++) {
		if (row[i] == NULL) {
			hash = mix(hash, UINT64_MAX);
			continue;
		}
		hash = mix(hash, lengths[i]);
		for (unsigned long at = 0; at < lengths[i]; at += sizeof(uint64_t)) {
			uint64_t word = 0;
			unsigned long left = lengths[i] - at;

			memcpy(&word, row[i] + at, left < sizeof(word) ? left : sizeof(word));
			hash = mix(hash, word);
		}
	}
	return hash;
}

unsigned mm_answers_add(MYSQL *mysql, const char *statement, uint64_t *checksum, uint64_t *rows)
{
	MYSQL_RES *result = NULL;
	uint64_t digest = 0, count = 0;
	unsigned number = 0;
	MYSQL_ROW row;

	if (mysql_query(mysql, statement) == 0)
		result = mysql_store_result(mysql);
	number = mysql_errno(mysql);
	while (result != NULL && (row = mysql_fetch_row(result)) != NULL) {
		digest += digest_row(row, mysql_fetch_lengths(result), mysql_num_fields(result));
		count++;
	}
	if (result != NULL)
		mysql_free_result(result);
	else
		count = number == 0 ? mysql_affected_rows(mysql) : number;
	*checksum = mix(mix(*checksum, digest), count);
	if (rows != NULL && number == 0)
		*rows += count;
	return number;
}
