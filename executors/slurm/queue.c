/* Slurm's client programs, and how their output is read. Only this file knows them. */
#include <ctype.h>
#include <poll.h>
#include <signal.h>

#include "base/memory.h"
#include "base/process.h"
#include "executors/slurm/slurm.h"

enum { ANSWER_SECONDS = 120, CANCEL_TRIES = 200, CANCEL_LOOK_MS = 50, USUAL_MOST_TASKS = 1000 };

/* The clean environment of all our programs, and what Slurm's need to find their controller. */
static void environment(struct mm_strings *env)
{
	static const char *const names[] = { "SLURM_CONF", "SLURM_JWT", "SLURM_CLUSTERS" };
	const char *home = getenv("HOME");
	mm_process_clean_env(env, home ? home : "/");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			mm_strings_pushf(env, "%s=%s", names[i], getenv(names[i]));
}

/* The last line that a program said, for messages; TEXT is changed. */
static const char *last_line(char *text)
{
	size_t length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	char *line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

static int run(const struct mm_strings *argv, struct mm_buffer *output, struct mm_error *err)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process_result result;
	char how[64];
	environment(&env);
	struct mm_process_spec spec = {
		.argv = argv->items, .env = env.items, .output = output, .timeout_seconds = ANSWER_SECONDS
	};
	int code = mm_process_run(&spec, &result, err);
	if (!code && result.exit_status != 0) {
		char *text = mm_strdup(mm_buffer_text(output));
		code = mm_error_set(err, MM_EENV, "%s failed (%s): %s", argv->items[0],
				    mm_process_describe(&result, how), last_line(text));
		free(text);
	}
	mm_strings_release(&env);
	return code;
}

int mm_slurm_submit(const struct mm_strings *arguments, char id[32], struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	mm_strings_push(&argv, "sbatch");
	mm_strings_push(&argv, "--parsable");
	mm_strings_extend(&argv, arguments);
	int code = run(&argv, &output, err);
	if (!code) { /* "ID" or "ID;cluster", behind warnings */
		char *text = mm_buffer_detach(&output);
		const char *line = last_line(text);
		(void)snprintf(id, 32, "%.*s", (int)strspn(line, "0123456789"), line);
		free(text);
	}
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return code;
}

static bool is_active(const char *state)
{
	static const char *const ended[] = { "BOOT_FAIL", "CANCELLED", "COMPLETED",     "DEADLINE", "FAILED",
					     "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "REVOKED",  "TIMEOUT" };
	for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
		if (strcmp(state, ended[i]) == 0)
			return false;
	return true;
}

bool mm_slurm_answer_read(char *line, const char **name, unsigned *task, struct mm_slurm_task *state)
{
	char *end, *second = strchr(line, '|'), *third = second ? strchr(second + 1, '|') : NULL;
	if (!third)
		return false;
	*second = *third = '\0';
	unsigned long number = strtoul(second + 1, &end, 10);
	if (end == second + 1 || *end || number > 10000000)
		return false;
	third++;
	third[strcspn(third, " +\r")] = '\0'; /* "CANCELLED by 0", "CANCELLED+" */
	*name = line;
	*task = (unsigned)number;
	(void)snprintf(state->state, sizeof state->state, "%s", third);
	state->active = is_active(state->state);
	return true;
}

int mm_slurm_query(const struct mm_strings *names,
		   void (*seen)(void *context, const char *name, unsigned task, const struct mm_slurm_task *state),
		   void *context, struct mm_error *err)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	char *all = mm_strings_join(names, ",");
	static const char *const words[] = { "squeue", "--noheader", "--array", "--states=all", "--format=%j|%K|%T" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		mm_strings_push(&argv, words[i]);
	mm_strings_pushf(&argv, "--name=%s", all);
	int code = run(&argv, &output, err);
	char *text = mm_buffer_detach(&output), *rest = NULL;
	for (char *line = strtok_r(text, "\n", &rest); line && !code; line = strtok_r(NULL, "\n", &rest)) {
		const char *name;
		unsigned task;
		struct mm_slurm_task state;
		if (mm_slurm_answer_read(line, &name, &task, &state))
			seen(context, name, task, &state);
	}
	free(text);
	free(all);
	mm_strings_release(&argv);
	return code;
}

bool mm_slurm_cancel(const char *name)
{
	struct mm_strings env = MM_STRINGS_INIT;
	struct mm_process process = { 0 };
	struct mm_process_result result = { 0 };
	char *option = mm_format("--name=%s", name);
	char scancel[] = "scancel";
	char *const argv[] = { scancel, option, NULL };
	environment(&env);
	struct mm_process_spec spec = { .argv = argv, .env = env.items };
	bool ended = false;
	/* only looks, since waiting gives up at once when a signal is pending, and that is when we come here */
	if (mm_process_start(&spec, &process, NULL) == 0)
		for (int i = 0; i < CANCEL_TRIES && !ended; i++) {
			ended = mm_process_wait(&process, 0, &result, NULL) == 1;
			if (!ended)
				(void)poll(NULL, 0, CANCEL_LOOK_MS);
		}
	mm_process_stop(&process, SIGKILL, 0, NULL);
	mm_strings_release(&env);
	free(option);
	return ended && result.exit_status == 0;
}

unsigned mm_slurm_most_tasks(void)
{
	struct mm_strings argv = MM_STRINGS_INIT;
	struct mm_buffer output = MM_BUFFER_INIT;
	unsigned most = USUAL_MOST_TASKS;
	mm_strings_push(&argv, "scontrol");
	mm_strings_push(&argv, "show");
	mm_strings_push(&argv, "config");
	if (run(&argv, &output, NULL) == 0) {
		const char *line = strstr(mm_buffer_text(&output), "\nMaxArraySize");
		const char *value = line ? strchr(line, '=') : NULL;
		unsigned long size = value ? strtoul(value + 1, NULL, 10) : 0; /* one more than the highest index */
		if (size > 0 && size < most)
			most = (unsigned)size;
	}
	mm_buffer_release(&output);
	mm_strings_release(&argv);
	return most;
}
