/* Private to toolchains/: which flags hold on one command line. */
#ifndef MM_TOOLCHAINS_AUDIT_UNIT_H
#define MM_TOOLCHAINS_AUDIT_UNIT_H

#include "toolchains/flag-kind.h"
#include "toolchains/wrapper/record.h"

/* The flag that holds for its group. */
struct mm_effect {
	struct mm_flag_kind kind;
	char *flag; /* owned */
	bool ours;  /* it is the cell's word */
};

struct mm_effects {
	struct mm_effect *items;
	size_t count, capacity;
};

/* Appends the words of TEXT, split at white space, as the cell's. */
void mm_words_of_text(const char *text, struct mm_words *words);

/* Adds what FLAG does. Flags of class OTHER are not kept. */
void mm_effects_add(struct mm_effects *effects, enum mm_dialect dialect, const char *flag, bool ours);
/* What holds on the line that was executed. */
void mm_effects_of(const struct mm_words *words, enum mm_dialect dialect, struct mm_effects *effects);
const struct mm_effect *mm_effects_find(const struct mm_effects *effects, const char *group); /* NULL: none */
void mm_effects_release(struct mm_effects *effects);

/* The level that the tree itself gave last, removed or not; NULL: none. Borrowed from WORDS. */
const char *mm_tree_level(const struct mm_words *words, enum mm_dialect dialect);

/* How much a level optimises, for comparisons; -1 for NULL. */
int mm_level_rank(const char *level);

/* Where flags come from that trees and build tools are known to add: calls FOUND for each origin that shows. */
void mm_causes_find(const struct mm_words *words, void (*found)(void *context, const char *cause), void *context);

#endif
