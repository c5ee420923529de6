/* What profiles do, as a digest: a row that is changed, or a new one, makes other builds. */
#include "base/hash.h"
#include "base/memory.h"
#include "builders/profile.h"

static void add_number(struct mm_hash *hash, unsigned number)
{
	mm_hash_add(hash, &number, sizeof number);
}

static void add_list(struct mm_hash *hash, const char *const *list)
{
	for (; list && *list; list++)
		mm_hash_add_text(hash, *list);
	add_number(hash, 0);
}

static void add_fit(struct mm_hash *hash, const struct mm_profile_fit *fit)
{
	const unsigned numbers[] = { fit->system, fit->variants, fit->from,           fit->below,
				     fit->has,    fit->lacks,    (unsigned)fit->bits, fit->families };
	mm_hash_add(hash, numbers, sizeof numbers);
	mm_hash_add_text(hash, fit->target);
}

void mm_profile_hash(struct mm_hash *hash, const struct mm_profile *row)
{
	const char *const *const lists[] = { row->options, row->env,      row->make,
					     row->targets, row->installs, row->helpers };
	const char *const texts[] = { row->cpp, row->c, row->cxx, row->libraries, row->refusal };
	mm_hash_add_text(hash, row->name);
	add_fit(hash, &row->fit);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		add_list(hash, lists[i]);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		mm_hash_add_text(hash, texts[i]);
	for (const struct mm_install_step *step = row->steps; step && step->folder; step++) {
		mm_hash_add_text(hash, step->folder);
		mm_hash_add_text(hash, step->component);
	}
	for (const struct mm_generation *program = row->generations; program && program->folder; program++) {
		mm_hash_add_text(hash, program->folder);
		add_list(hash, program->argv);
	}
	for (const struct mm_edit *edit = row->edits; edit && edit->file; edit++) {
		mm_hash_add_text(hash, edit->file);
		mm_hash_add_text(hash, edit->find);
		mm_hash_add_text(hash, edit->replace);
		add_number(hash, edit->optional);
	}
	add_number(hash, row->out_of_tree);
}

void mm_profiles_digest(char hex[MM_SHA256_HEX])
{
	const struct mm_profile *const tables[] = { mm_profiles_cmake, mm_profiles_autotools };
	struct mm_hash *hash = mm_hash_new();
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct mm_profile *row = tables[i]; row->name; row++)
			mm_profile_hash(hash, row);
	mm_hash_finish(hash, hex);
}
