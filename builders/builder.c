#include "builders/builder.h"

#include "base/event.h"
#include "base/memory.h"

static const struct mm_builder *const builders[] = {
	[MM_SYSTEM_CMAKE] = &mm_builder_cmake,
	[MM_SYSTEM_AUTOTOOLS] = &mm_builder_autotools,
};

int mm_builder_recipe(const struct mm_cell *cell, const struct mm_tree *tree, const char *target,
		      struct mm_recipe *recipe, struct mm_error *err)
{
	const struct mm_build_options *options = &cell->source->build;
	const char *wanted = options->system, *name = builders[tree->builder]->name;
	const struct mm_profile_question question = { .tree = tree,
						      .bits = cell->bits,
						      .target = target,
						      .family = cell->toolchain->family,
						      .wanted = options->has_profiles ? &options->profiles : NULL };
	*recipe = (struct mm_recipe){ 0 };
	if (wanted && strcmp(wanted, name) != 0)
		return mm_error_set(err, MM_ECELL,
				    "source '%s' (%s %s) is built by %s, not by %s: correct or leave out 'system'",
				    cell->source->name, mm_variant_name(tree->variant), tree->text, name, wanted);
	int code = mm_recipe_make(&question, recipe, err);
	return code ? mm_error_prefix(err, "source '%s' (%s %s)", cell->source->name, mm_variant_name(tree->variant),
				      tree->text)
		    : 0;
}

int mm_builder_choose(struct mm_job *job, struct mm_error *err)
{
	mm_recipe_release(&job->recipe);
	int code = mm_builder_recipe(job->cell, &job->tree, job->toolchain->target, &job->recipe, err);
	if (code)
		return code;
	job->builder = builders[job->tree.builder];
	for (size_t i = 0; i < job->recipe.warnings.count; i++)
		mm_event_stage(MM_EVENT_WARNING, job->cell->id, "configure", job->recipe.warnings.items[i]);
	mm_strings_release(&job->build->profiles);
	mm_strings_extend(&job->build->profiles, &job->recipe.profiles);
	free(job->build->version);
	job->build->version = mm_strdup(job->tree.text);
	return 0;
}
