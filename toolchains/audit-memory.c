/* What an audit counts, and how it is forgotten. */
#include "base/memory.h"
#include "toolchains/audit-private.h"

void mm_tally_add(struct mm_tallies *tallies, const char *name)
{
	for (size_t i = 0; i < tallies->count; i++) {
		if (strcmp(tallies->items[i].name, name) == 0) {
			tallies->items[i].count++;
			return;
		}
	}
	tallies->items = mm_grow(tallies->items, tallies->count, &tallies->capacity, sizeof *tallies->items);
	tallies->items[tallies->count++] = (struct mm_tally){ mm_strdup(name), 1 };
}

void mm_tallies_release(struct mm_tallies *tallies)
{
	for (size_t i = 0; i < tallies->count; i++)
		free(tallies->items[i].name);
	free(tallies->items);
	*tallies = (struct mm_tallies){ 0 };
}

static void release_injections(struct mm_injections *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].flag);
		free(list->items[i].first);
	}
	free(list->items);
}

void mm_audit_release(struct mm_flag_audit *audit)
{
	char *const texts[] = { audit->requested_c, audit->requested_cxx,  audit->requested_ld, audit->level_c,
				audit->level_cxx,   audit->largest,        audit->first_foreign, audit->first_unread,
				audit->first_changed };
	struct mm_tallies *const tallies[] = { &audit->levels, &audit->tree_levels, &audit->lowered, &audit->raised,
					       &audit->causes };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	for (size_t i = 0; i < sizeof tallies / sizeof *tallies; i++)
		mm_tallies_release(tallies[i]);
	for (size_t i = 0; i < audit->unit_count; i++) {
		free(audit->units[i].file);
		free(audit->units[i].level);
		free(audit->units[i].tree_level);
		free(audit->units[i].why);
		mm_strings_release(&audit->units[i].instructions);
	}
	for (size_t i = 0; i < audit->folder_count; i++) {
		free(audit->folders[i].name);
		mm_tallies_release(&audit->folders[i].levels);
	}
	free(audit->units);
	free(audit->folders);
	release_injections(&audit->injected);
	release_injections(&audit->injected_links);
	mm_strings_release(&audit->builtin);
	mm_strings_release(&audit->linked);
	mm_strings_release(&audit->warnings);
	*audit = (struct mm_flag_audit){ 0 };
}
