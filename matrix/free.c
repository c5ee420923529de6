/* Giving a matrix back. Everything may be half filled: loading stops at the first error. */
#include "base/memory.h"
#include "matrix/private.h"

static void release_build(struct mm_build_options *build)
{
	free(build->system);
	mm_strings_release(&build->options);
	mm_strings_release(&build->targets);
	mm_strings_release(&build->env);
	mm_strings_release(&build->profiles);
}

static void release_source(struct mm_source *source)
{
	free(source->name);
	free(source->path);
	free(source->ref);
	free(source->commit);
	free(source->sha256);
	mm_strings_release(&source->packages);
	mm_strings_release(&source->patches);
	mm_strings_release(&source->extra);
	release_build(&source->build);
}

static void release_toolchain(struct mm_toolchain_spec *spec)
{
	free(spec->name);
	free(spec->cc);
	free(spec->cxx);
	free(spec->ar);
	free(spec->ranlib);
	free(spec->nm);
	free(spec->ld);
}

static void release_flagset(struct mm_flagset *set)
{
	free(set->name);
	free(set->from);
	mm_flag_words_release(&set->origin);
	mm_strings_release(&set->use);
	for (size_t i = 0; i < set->entry_count; i++)
		mm_flag_words_release(&set->entries[i].words);
	free(set->entries);
}

static void release_config(struct mm_config *config)
{
	free(config->name);
	free(config->my_cnf);
	mm_strings_release(&config->run_env);
	release_build(&config->build);
}

static void release_suite(struct mm_suite_spec *spec)
{
	free(spec->name);
	free(spec->suite);
	free(spec->edition);
	free(spec->engine);
	free(spec->script);
	free(spec->preset);
	free(spec->mix);
	free(spec->threads);
	mm_strings_release(&spec->tests);
	mm_strings_release(&spec->operations);
	mm_strings_release(&spec->command);
	mm_strings_release(&spec->options);
}

static void release_specs(struct mm_matrix *matrix)
{
	for (size_t i = 0; i < matrix->source_count; i++)
		release_source(&matrix->sources[i]);
	for (size_t i = 0; i < matrix->toolchain_count; i++)
		release_toolchain(&matrix->toolchains[i]);
	for (size_t i = 0; i < matrix->flagset_count; i++)
		release_flagset(&matrix->flagsets[i]);
	for (size_t i = 0; i < matrix->config_count; i++)
		release_config(&matrix->configs[i]);
	for (size_t i = 0; i < matrix->suite_count; i++)
		release_suite(&matrix->suites[i]);
	for (size_t i = 0; i < matrix->sysroot_count; i++) {
		free(matrix->sysroots[i].name);
		free(matrix->sysroots[i].directory);
		mm_strings_release(&matrix->sysroots[i].packages);
	}
	free(matrix->sources);
	free(matrix->toolchains);
	free(matrix->flagsets);
	free(matrix->configs);
	free(matrix->suites);
	free(matrix->sysroots);
}

static void release_own(struct mm_matrix_own *own)
{
	free(own->file);
	free(own->text);
	for (int axis = 0; axis < MM_AXIS_COUNT; axis++)
		mm_index_release(&own->names[axis]);
	mm_index_release(&own->suites);
	mm_index_release(&own->cells);
	free(own);
}

void mm_matrix_free(struct mm_matrix *matrix)
{
	if (!matrix)
		return;
	for (size_t i = 0; i < matrix->cell_count; i++)
		free(matrix->cells[i].id);
	for (size_t i = 0; i < matrix->comparison_count; i++)
		free(matrix->comparisons[i].id);
	free(matrix->cells);
	free(matrix->comparisons);
	release_specs(matrix);
	free(matrix->path);
	free(matrix->folder);
	free(matrix->title);
	free(matrix->schedule.cpus_server);
	free(matrix->schedule.cpus_client);
	free(matrix->schedule.datadir);
	mm_strings_release(&matrix->gate.tests);
	free(matrix->gate.metric);
	json_decref(matrix->document);
	release_own(matrix->own);
	free(matrix);
}
