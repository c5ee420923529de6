#include "builders/profile.h"

#include <ctype.h>

#include "base/memory.h"
#include "base/nearest.h"

static const struct mm_profile *table_of(enum mm_build_system system)
{
	return system == MM_SYSTEM_CMAKE ? mm_profiles_cmake : mm_profiles_autotools;
}

/* "i686-linux-gnu", "i386-pc-solaris2.11" */
static bool is_i86(const char *target)
{
	return target[0] == 'i' && isdigit((unsigned char)target[1]) && strncmp(target + 2, "86", 2) == 0;
}

static int code_bits(const struct mm_profile_question *question)
{
	if (question->bits)
		return question->bits;
	return is_i86(question->target) ? 32 : 64;
}

static bool fits(const struct mm_profile_fit *fit, const struct mm_profile_question *question)
{
	const struct mm_tree *tree = question->tree;
	unsigned version = MM_VERSION_OF(tree->version[0], tree->version[1], tree->version[2]);
	if (fit->system != tree->builder || (fit->variants && !(fit->variants & 1U << tree->variant)))
		return false;
	if (version < fit->from || (fit->below && version >= fit->below))
		return false;
	if ((tree->facts & fit->has) != fit->has || tree->facts & fit->lacks)
		return false;
	if (fit->bits && fit->bits != code_bits(question))
		return false;
	if (fit->families && !(fit->families & 1U << question->family))
		return false;
	return !fit->target || strncmp(question->target, fit->target, strlen(fit->target)) == 0;
}

static void extend(struct mm_strings *list, const char *const *more)
{
	for (; more && *more; more++)
		mm_strings_push(list, *more);
}

static void add(struct mm_recipe *recipe, const struct mm_profile *row)
{
	mm_strings_push(&recipe->profiles, row->name);
	extend(&recipe->options, row->options);
	extend(&recipe->env, row->env);
	extend(&recipe->make, row->make);
	extend(&recipe->targets, row->targets);
	extend(&recipe->installs, row->installs);
	extend(&recipe->helpers, row->helpers);
	mm_strings_split(&recipe->cpp, row->cpp ? row->cpp : "");
	mm_strings_split(&recipe->c, row->c ? row->c : "");
	mm_strings_split(&recipe->cxx, row->cxx ? row->cxx : "");
	if (row->steps)
		recipe->steps = row->steps;
	if (row->libraries)
		recipe->libraries = row->libraries;
	if (row->warning)
		mm_strings_push(&recipe->warnings, row->warning);
	recipe->out_of_tree |= row->out_of_tree;
	recipe->rows = mm_realloc(recipe->rows, recipe->row_count + 1, sizeof *recipe->rows);
	recipe->rows[recipe->row_count++] = row;
}

static void push_names(const struct mm_profile *table, struct mm_strings *names)
{
	for (; table->name; table++)
		if (!mm_strings_contain(names, table->name))
			mm_strings_push(names, table->name);
}

static int unknown(const struct mm_profile *table, const char *name, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	push_names(table, &names);
	char *list = mm_strings_join(&names, ", ");
	int code = mm_error_set(err, MM_ECELL, "profile '%s' is not for trees of this kind: these have %s", name, list);
	free(list);
	mm_strings_release(&names);
	return code;
}

int mm_profiles_check(const struct mm_strings *wanted, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	int code = 0;
	push_names(mm_profiles_cmake, &names);
	push_names(mm_profiles_autotools, &names);
	for (size_t i = 0; i < wanted->count && !code; i++) {
		if (mm_strings_contain(&names, wanted->items[i]))
			continue;
		const char *nearest = mm_nearest(wanted->items[i], &names);
		char *list = mm_strings_join(&names, ", ");
		code = mm_error_set(err, MM_EMATRIX, "there is no profile '%s'%s%s%s: known are %s", wanted->items[i],
				    nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "",
				    list);
		free(list);
	}
	mm_strings_release(&names);
	return code;
}

static int take_wanted(const struct mm_profile *table, const struct mm_strings *wanted, struct mm_recipe *recipe,
		       struct mm_error *err)
{
	for (size_t i = 0; i < wanted->count; i++) {
		const struct mm_profile *row = table;
		while (row->name && strcmp(row->name, wanted->items[i]) != 0)
			row++;
		if (!row->name)
			return unknown(table, wanted->items[i], err);
	}
	/* in the order of the table, which is the order in which they build on each other */
	for (; table->name; table++)
		if (mm_strings_contain(wanted, table->name))
			add(recipe, table);
	return 0;
}

int mm_recipe_make(const struct mm_profile_question *question, struct mm_recipe *recipe, struct mm_error *err)
{
	const struct mm_profile *table = table_of(question->tree->builder);
	*recipe = (struct mm_recipe){ 0 };
	if (question->wanted)
		return take_wanted(table, question->wanted, recipe, err);
	for (; table->name; table++) {
		if (!fits(&table->fit, question))
			continue;
		if (table->refusal)
			return mm_error_set(err, MM_ECELL, "profile '%s': %s", table->name, table->refusal);
		add(recipe, table);
	}
	return 0;
}

void mm_recipe_release(struct mm_recipe *recipe)
{
	struct mm_strings *const lists[] = { &recipe->profiles, &recipe->options,  &recipe->env, &recipe->make,
					     &recipe->targets,  &recipe->installs, &recipe->helpers,
					     &recipe->warnings, &recipe->cpp,      &recipe->c,   &recipe->cxx };
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		mm_strings_release(lists[i]);
	free(recipe->rows);
	*recipe = (struct mm_recipe){ 0 };
}

char *mm_profile_item(const char *item, bool *optional)
{
	size_t length = strlen(item);
	*optional = length && item[length - 1] == '?';
	return mm_strndup(item, *optional ? length - 1 : length);
}
