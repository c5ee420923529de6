#include "executors/task.h"

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/process.h"
#include "executors/steps.h"
#include "toolchains/origin.h"

/* Paths on the command line are of the folder in which it was given. */
static json_t *sources_json(const struct mm_strings *sources)
{
	json_t *json = json_array();
	for (size_t i = 0; i < sources->count; i++) {
		const char *text = sources->items[i], *path = strchr(text, '=');
		char *absolute = mm_path_absolute(NULL, path + 1);
		char *whole = mm_format("%.*s=%s", (int)(path - text), text, absolute);
		json_array_append_new(json, json_string(whole));
		free(whole);
		free(absolute);
	}
	return json;
}

static json_t *strings_json(const struct mm_strings *strings)
{
	json_t *json = json_array();
	for (size_t i = 0; i < strings->count; i++)
		json_array_append_new(json, json_string(strings->items[i]));
	return json;
}

/* A branch may move while a run goes on: all builds are of the commit that it was in the beginning. */
static json_t *commits_json(const struct mm_run *run)
{
	json_t *json = json_array(), *seen = json_object();
	for (size_t i = 0; i < run->matrix->cell_count; i++) {
		const struct mm_source *source = run->matrix->cells[i].source;
		const json_t *origin = json_object_get(run->cells[i].build.inputs, "source");
		const char *commit = mm_json_string(origin, "commit", NULL);
		if (!commit || json_object_get(seen, source->name))
			continue;
		char *text = mm_format("%s=%s", source->name, commit);
		json_array_append_new(json, json_string(text));
		json_object_set_new(seen, source->name, json_true());
		free(text);
	}
	json_decref(seen);
	return json;
}

static json_t *overrides_json(const struct mm_run *run, const struct mm_matrix_overrides *given)
{
	struct mm_matrix_overrides none;
	json_t *json = json_object();
	mm_matrix_overrides_init(&none);
	if (!given)
		given = &none;
	json_object_set_new(json, "sources", sources_json(&given->sources));
	json_object_set_new(json, "commits", commits_json(run));
	json_object_set_new(json, "cells", strings_json(&given->cell_globs));
	mm_json_put_integer(json, "passes", given->passes);
	mm_json_put_real(json, "scale", given->scale);
	mm_json_put_integer(json, "jobs", given->jobs);
	return json;
}

json_t *mm_task_record(const struct mm_run *run, const struct mm_run_options *options)
{
	json_t *record = json_object();
	mm_json_put_string(record, "matrix", run->matrix->path);
	mm_json_put_string(record, "text", mm_matrix_text(run->matrix));
	json_object_set_new(record, "overrides", overrides_json(run, options->overrides));
	mm_json_put_string(record, "work", run->work);
	mm_json_put_bool(record, "retry_failed", options->retry_failed);
	return record;
}

static void take_strings(const json_t *array, struct mm_strings *list)
{
	size_t i;
	const json_t *text;
	json_array_foreach(array, i, text)
		if (json_is_string(text))
			mm_strings_push(list, json_string_value(text));
}

static int load_matrix(const json_t *record, struct mm_matrix **matrix, struct mm_error *err)
{
	const json_t *written = json_object_get(record, "overrides");
	struct mm_matrix_overrides overrides;
	mm_matrix_overrides_init(&overrides);
	take_strings(json_object_get(written, "sources"), &overrides.sources);
	take_strings(json_object_get(written, "commits"), &overrides.commits);
	take_strings(json_object_get(written, "cells"), &overrides.cell_globs);
	overrides.passes = (int)mm_json_integer(written, "passes", 0);
	overrides.scale = mm_json_number(written, "scale", 0);
	overrides.jobs = (int)mm_json_integer(written, "jobs", 0);
	int code = mm_matrix_parse(mm_json_string(record, "matrix", ""), mm_json_string(record, "text", ""), &overrides,
				   matrix, err);
	if (!code)
		code = mm_flag_origins(*matrix, err);
	mm_matrix_overrides_release(&overrides);
	return code;
}

int mm_task_open(const json_t *record, struct mm_task *task, struct mm_error *err)
{
	*task = (struct mm_task){ .run = { .lock = -1 } };
	int code = load_matrix(record, &task->matrix, err);
	if (code)
		return code;
	mm_run_init(task->matrix, mm_json_string(record, "work", ""), &task->run);
	task->run.store.retry_failed = mm_json_true(record, "retry_failed");
	return 0;
}

void mm_task_close(struct mm_task *task)
{
	if (task->run.matrix)
		mm_run_close(&task->run);
	mm_matrix_free(task->matrix);
	*task = (struct mm_task){ .run = { .lock = -1 } };
}

int mm_task_build(struct mm_task *task, const char *cell_id, const char *key, const char *place, struct mm_error *err)
{
	const struct mm_cell *cell = mm_matrix_cell(task->matrix, cell_id);
	if (!cell)
		return mm_error_set(err, MM_ECELL, "the matrix has no cell '%s'", cell_id);
	struct mm_build *build = &task->run.cells[cell->index].build;
	int code = mm_signals_excuse(mm_build_prepare(&task->run.store, cell, build, err), err);
	if (code == MM_EMATRIX) { /* an input that was there before: nothing that the whole run must end for */
		err->code = MM_ECELL;
		code = mm_error_prefix(err, "on %s", place);
	}
	if (!code && strcmp(build->key, key) != 0)
		code = mm_error_set(err, MM_ECELL,
				    "%s would build something else (key %.12s instead of %.12s): its compilers, "
				    "development packages or input files differ from what the run began with",
				    place, build->key, key);
	if (!code)
		code = mm_step_build(&task->run, cell, err);
	mm_build_release(build);
	return code;
}
