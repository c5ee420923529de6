#include "matrix/index.h"

#include "base/memory.h"

/* FNV-1a, with a final mix because the table takes the low bits. */
static uint64_t hash_of(const char *key)
{
	uint64_t hash = 14695981039346656037u;
	for (const unsigned char *byte = (const unsigned char *)key; *byte; byte++)
		hash = (hash ^ *byte) * 1099511628211u;
	return hash ^ (hash >> 29);
}

/* The slot that holds KEY, or the free one where it belongs. The table is never full. */
static struct mm_index_slot *slot_of(const struct mm_index *index, const char *key, uint64_t hash)
{
	size_t mask = index->capacity - 1;
	size_t at = (size_t)hash & mask;
	while (index->slots[at].key && (index->slots[at].hash != hash || strcmp(index->slots[at].key, key) != 0))
		at = (at + 1) & mask;
	return &index->slots[at];
}

static void enlarge(struct mm_index *index)
{
	struct mm_index old = *index;
	index->capacity = old.capacity ? old.capacity * 2 : 16;
	index->slots = mm_calloc(index->capacity, sizeof *index->slots);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].key)
			*slot_of(index, old.slots[i].key, old.slots[i].hash) = old.slots[i];
	free(old.slots);
}

bool mm_index_add(struct mm_index *index, const char *key, size_t value)
{
	if (index->count * 3 >= index->capacity * 2)
		enlarge(index);
	uint64_t hash = hash_of(key);
	struct mm_index_slot *slot = slot_of(index, key, hash);
	if (slot->key)
		return false;
	*slot = (struct mm_index_slot){ key, hash, value };
	index->count++;
	return true;
}

bool mm_index_find(const struct mm_index *index, const char *key, size_t *value)
{
	if (!index->capacity)
		return false;
	const struct mm_index_slot *slot = slot_of(index, key, hash_of(key));
	if (!slot->key)
		return false;
	if (value)
		*value = slot->value;
	return true;
}

void mm_index_release(struct mm_index *index)
{
	free(index->slots);
	*index = (struct mm_index){ NULL, 0, 0 };
}
