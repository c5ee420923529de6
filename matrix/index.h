/* A map from strings to numbers: names of things and ids of cells. Keys are borrowed and must outlive the map. */
#ifndef MM_MATRIX_INDEX_H
#define MM_MATRIX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mm_index_slot {
	const char *key; /* NULL: free */
	uint64_t hash;
	size_t value;
};

struct mm_index {
	struct mm_index_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* Adds KEY with VALUE. Returns false, and changes nothing, when KEY is there already. */
bool mm_index_add(struct mm_index *index, const char *key, size_t value);
/* Returns false when there is no KEY. VALUE may be NULL. */
bool mm_index_find(const struct mm_index *index, const char *key, size_t *value);
void mm_index_release(struct mm_index *index);

#endif
