#include "runners/program.h"

#include <signal.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/failure.h"

enum {
	POLL_MS = 50,      /* how soon the end of the pass ends the program */
	GRACE_SECONDS = 5, /* the watch kills the server at the limit, which is what the report then says */
	STOP_MS = 2000,
	KEPT_BYTES = 256 << 10,
	MOST_BYTES = 64 << 20,
	SAID_BYTES = 500,
	ASK_SECONDS = 60,
};

void mm_program_release(struct mm_program *program)
{
	mm_strings_release(&program->argv);
	mm_strings_release(&program->env);
	mm_buffer_release(&program->output);
	mm_buffer_release(&program->errors);
}

char *mm_program_folder(const struct mm_suite_run *run, struct mm_error *err)
{
	char *folder = mm_path_join(run->server->place->scratch, "client");

	if (mm_fs_mkdirs(folder, 0700, err) == 0)
		return folder;
	free(folder);
	return NULL;
}

static json_t *text_json(const struct mm_buffer *text)
{
	json_t *object = json_object(), *value;
	size_t skipped = text->length > KEPT_BYTES ? text->length - KEPT_BYTES : 0;
	char *kept = skipped > 0 ? mm_format("(%zu bytes left out)\n%s", skipped, text->data + skipped) : NULL;

	/* it may hold any byte: mm_json_put_string knows what to do then */
	mm_json_put_string(object, "text", kept == NULL ? mm_buffer_text(text) : kept);
	value = json_incref(json_object_get(object, "text"));
	json_decref(object);
	free(kept);
	return value;
}

static void keep(struct mm_pass *pass, const struct mm_program *program)
{
	json_t *entry = json_object(), *argv = json_array(), *outputs;
	char how[64];

	if (pass->extra == NULL)
		pass->extra = json_object();
	outputs = json_object_get(pass->extra, "outputs");
	if (outputs == NULL) {
		outputs = json_array();
		json_object_set_new(pass->extra, "outputs", outputs);
	}
	for (size_t i = 0; i < program->argv.count; i++) {
		json_t *word = json_string(program->argv.items[i]);

		json_array_append_new(argv, word != NULL ? word : json_string("(not UTF-8)"));
	}
	mm_json_put_string(entry, "what", program->what);
	json_object_set_new(entry, "argv", argv);
	mm_json_put_string(entry, "ended", mm_process_describe(&program->result, how));
	mm_json_put_integer(entry, "wall_ns", (int64_t)program->result.wall_ns);
	json_object_set_new(entry, "output", text_json(&program->output));
	if (program->errors.length > 0)
		json_object_set_new(entry, "errors", text_json(&program->errors));
	json_array_append_new(outputs, entry);
}

/* Waits for its end. The server's watch may end it, and so does its own limit. */
static int wait_for(const struct mm_suite_run *run, struct mm_process *process, struct mm_process_result *result,
		    struct mm_error *err)
{
	const struct mm_watch *watch = run->server->watch;
	uint64_t begin = mm_now_ns(), limit = 0;
	int rc;

	if (run->spec->timeout_seconds > 0)
		limit = begin + (uint64_t)(run->spec->timeout_seconds + GRACE_SECONDS) * UINT64_C(1000000000);
	while ((rc = mm_process_wait(process, POLL_MS, result, err)) == 0) {
		result->timed_out = limit != 0 && mm_now_ns() >= limit;
		if (result->timed_out || (watch != NULL && watch->over))
			break;
	}
	if (rc <= 0) {
		bool late = result->timed_out;

		mm_process_stop(process, SIGTERM, STOP_MS, result);
		result->timed_out = late;
	}
	result->wall_ns = mm_now_ns() - begin;
	return rc < 0 ? rc : 0;
}

static int start_and_wait(const struct mm_suite_run *run, struct mm_program *program, const char *folder,
			  const char *output, const char *errors, struct mm_error *err)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process_spec spec = { .argv = program->argv.items,
					.cwd = program->cwd != NULL ? program->cwd : folder,
					.log = output,
					.errors = errors,
					.memory_bytes = (uint64_t)run->server->place->limits.memory_mib << 20,
					.file_bytes = (uint64_t)run->server->place->limits.file_mib << 20 };
	struct mm_process process;
	int rc;

	mm_process_clean_env(&env, folder);
	mm_strings_extend(&env, &program->env);
	spec.env = env.items;
	rc = mm_process_start(&spec, &process, err);
	if (rc == 0)
		rc = wait_for(run, &process, &program->result, err);
	mm_strings_release(&env);
	return rc;
}

/* Reads what was written to a file and removes it. */
static int collect(const struct mm_program *program, const char *path, struct mm_buffer *out, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	int rc = mm_fs_exists(path) ? mm_fs_read_input(path, MOST_BYTES, out, &why) : 0;

	(void)unlink(path);
	return rc == 0 ? 0
		       : mm_error_set(err, rc == MM_EMATRIX ? MM_ECELL : rc, "what '%s' wrote cannot be read: %s",
				      program->argv.items[0], why.text);
}

int mm_program_run(struct mm_suite_run *run, struct mm_program *program, struct mm_error *err)
{
	char *folder = mm_program_folder(run, err), *output, *errors;
	int rc;

	if (folder == NULL)
		return MM_EENV;
	output = mm_path_join(run->server->place->scratch, "client.out");
	errors = mm_path_join(run->server->place->scratch, "client.err");
	(void)unlink(output);
	(void)unlink(errors);
	program->result = (struct mm_process_result){ 0 };
	mm_buffer_reset(&program->output);
	mm_buffer_reset(&program->errors);
	rc = start_and_wait(run, program, folder, output, errors, err);
	if (rc == 0)
		rc = collect(program, output, &program->output, err);
	if (rc == 0)
		rc = collect(program, errors, &program->errors, err);
	if (rc == 0 || rc == MM_ECELL)
		keep(run->pass, program);
	if (rc == 0 && program->result.timed_out)
		rc = mm_error_set(err, MM_ECELL, "'%s' (%s) of suite '%s' exceeded the time limit of %d s (\"timeout\")",
				  program->argv.items[0], program->what, run->spec->name, run->spec->timeout_seconds);
	/* who reads its output reads text, and would take what is before such a byte for the whole */
	if (rc == 0 && mm_program_ended_well(program) && strlen(mm_buffer_text(&program->output)) != program->output.length)
		rc = mm_error_set(err, MM_ECELL, "'%s' (%s) of suite '%s' printed a NUL byte: its output must be lines of text",
				  program->argv.items[0], program->what, run->spec->name);
	free(folder);
	free(output);
	free(errors);
	return rc;
}

bool mm_program_ended_well(const struct mm_program *program)
{
	return program->result.exit_status == 0 && program->result.signal == 0 && !program->result.timed_out;
}

/* The line that says why: the first that begins with "FATAL", else the last that is not empty. Allocated. */
static char *telling_line(const struct mm_buffer *text)
{
	const char *found = NULL;
	size_t found_length = 0;

	for (const char *line = mm_buffer_text(text); *line != '\0';) {
		size_t length = strcspn(line, "\r\n");

		if (length > strspn(line, " \t") && (found == NULL || strncasecmp(found, "fatal", 5) != 0)) {
			found = line;
			found_length = length;
		}
		line += length + strspn(line + length, "\r\n");
	}
	if (found == NULL)
		return NULL;
	return mm_strndup(found, found_length > SAID_BYTES ? SAID_BYTES : found_length);
}

int mm_program_failed(const struct mm_suite_run *run, const struct mm_program *program, struct mm_error *err)
{
	char how[64], *said = telling_line(&program->errors), *words, *limit;

	if (said == NULL)
		said = telling_line(&program->output);
	if (said == NULL)
		said = mm_strdup("it said nothing");
	mm_process_describe(&program->result, how);
	words = mm_format("%s %s", how, said);
	limit = mm_failure_limit(&run->server->place->limits, words, false);
	(void)mm_error_set(err, MM_ECELL, "'%s' (%s) failed against cell '%s' (%s): %s%s%s", program->argv.items[0],
			   program->what, run->pass->cell, how, said, limit == NULL ? "" : "; ",
			   limit == NULL ? "" : limit);
	free(limit);
	free(words);
	free(said);
	return MM_ECELL;
}

int mm_program_ask(const struct mm_strings *argv, struct mm_buffer *output, struct mm_process_result *result,
		   struct mm_error *err)
{
	struct mm_process_spec spec = { .argv = argv->items, .output = output, .timeout_seconds = ASK_SECONDS };
	int rc = mm_process_run(&spec, result, err);

	if (rc == 0 && result->timed_out)
		rc = mm_error_set(err, MM_EENV, "'%s' did not answer within %d s", argv->items[0], ASK_SECONDS);
	return rc;
}
