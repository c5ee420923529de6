#include "builders/job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/package.h"
#include "base/process.h"
#include "builders/failure.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define LITTLE_ROOM   (UINT64_C(1) << 30)

void mm_env_set(struct mm_strings *env, const char *name_and_value)
{
	size_t length = strcspn(name_and_value, "=") + 1;
	for (size_t i = 0; i < env->count; i++) {
		if (strncmp(env->items[i], name_and_value, length) == 0) {
			free(env->items[i]);
			env->items[i] = mm_strdup(name_and_value);
			return;
		}
	}
	mm_strings_push(env, name_and_value);
}

static struct mm_stage *current(const struct mm_job *job)
{
	return &job->build->stages[job->build->stage_count - 1];
}

/* The stage NAME from anew: a build that goes on after an interruption says what the last attempt took. */
static struct mm_stage *stage_of(struct mm_build *build, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < build->stage_count; i++) {
		if (strcmp(build->stages[i].name, name) == 0)
			free(build->stages[i].name);
		else
			build->stages[count++] = build->stages[i];
	}
	build->stages = mm_realloc(build->stages, count + 1, sizeof *build->stages);
	build->stages[count] = (struct mm_stage){ .name = mm_strdup(name) };
	build->stage_count = count + 1;
	return &build->stages[count];
}

void mm_job_begin(struct mm_job *job, const char *stage)
{
	struct mm_build *build = job->build;
	struct mm_stage *entry = stage_of(build, stage);
	entry->began_ns = mm_now_ns();
	job->timed_out = false;
	free(build->log);
	build->log = mm_format("%s/logs/%s.log", build->folder, stage);
	(void)unlink(build->log);
	mm_event_stage(MM_EVENT_BEGIN, job->cell->id, stage, NULL);
}

/* A stage that fails without a program's output (a refused archive, a missing file) still has a log to look at. */
static void log_error(const char *path, const char *text)
{
	struct mm_error ignored = MM_ERROR_INIT;
	if (!mm_fs_exists(path))
		(void)mm_fs_write_atomic(path, text, strlen(text), &ignored);
}

static void record_failure(struct mm_job *job, const char *stage, const struct mm_error *err)
{
	struct mm_build *build = job->build;
	build->state = MM_BUILD_FAILED;
	if (!build->failed_stage)
		build->failed_stage = mm_strdup(stage);
	if (!build->failure)
		build->failure = mm_strdup(err->text);
	log_error(build->log, err->text);
}

int mm_job_end(struct mm_job *job, int code, struct mm_error *err)
{
	struct mm_stage *stage = current(job);
	stage->seconds = (double)(mm_now_ns() - stage->began_ns) / 1e9;
	code = mm_signals_excuse(code, err);
	if (code == MM_ECELL)
		record_failure(job, stage->name, err);
	enum mm_event_kind kind = !code ? MM_EVENT_END : code == MM_EINTERRUPTED ? MM_EVENT_NOTE : MM_EVENT_FAILED;
	mm_event_stage(kind, job->cell->id, stage->name, code ? err->text : NULL);
	return code;
}

/* Ninja's "[12/854] Building …". */
static void tell_progress(void *context, const char *line)
{
	struct mm_job *job = context;
	char *end;
	if (*line != '[')
		return;
	unsigned long done = strtoul(line + 1, &end, 10);
	if (end == line + 1 || *end != '/')
		return;
	const char *from = end + 1;
	unsigned long total = strtoul(from, &end, 10);
	if (end != from && *end == ']' && total && done <= total && total <= UINT32_MAX)
		mm_event_progress(job->cell->id, current(job)->name, (unsigned)done, (unsigned)total);
}

/* What to do about what TEXT says. What the matrix itself has limited is not to be had by other means. Allocated. */
static char *hint(const struct mm_job *job, const char *text)
{
	char *limit = mm_failure_limit(&job->store->matrix->limits, text, false);
	return limit ? limit : mm_strdup(mm_failure_known(text, job->cell->bits));
}

/*
 * Whether the disk is as full as a log says: a source may hold the words, and an error in it shows them. Other programs
 * that failed for the same reason may have given back some room since.
 */
static bool lacks_room(const struct mm_job *job)
{
	static const char zeros[1 << 20];
	char *path = mm_format("%s/room-%ld", job->store->work, (long)getpid());
	bool lacks = mm_fs_free_bytes(job->store->work) < LITTLE_ROOM ||
		     mm_fs_write_atomic(path, zeros, sizeof zeros, NULL) != 0;
	(void)unlink(path);
	free(path);
	return lacks;
}

/* The program ended badly: why, out of the log. */
static int judge(struct mm_job *job, const struct mm_process_result *result, struct mm_error *err)
{
	struct mm_build *build = job->build;
	struct mm_stage *stage = current(job);
	char how[64];
	char *log = mm_failure_read_log(build->log);
	char *lack = mm_failure_limit_of_caller(&job->store->matrix->limits, log);
	int code = MM_ECELL;
	if (lack) {
		code = mm_error_set(err, MM_EENV, "cell '%s': stage '%s': %s, log '%s'", job->cell->id, stage->name, lack,
				    build->log);
	} else if (mm_failure_disk_full(log) && lacks_room(job)) {
		code = mm_error_set(err, MM_EENV,
				    "cell '%s': stage '%s': the disk is full: " MM_MAKE_ROOM ", log '%s'",
				    job->cell->id, stage->name, build->log);
	} else {
		if (strcmp(stage->name, "compile") == 0 && mm_failure_of_link(log)) {
			free(build->failed_stage);
			build->failed_stage = mm_strdup("link");
		}
		free(build->failure);
		free(build->hint);
		job->timed_out = result->timed_out;
		if (result->timed_out) {
			build->failure = mm_format("stopped after %d seconds", job->store->policy->timeout_seconds);
			build->hint = mm_strdup("\"build.timeout\" is the limit of each stage: raise it, or see in the "
						"log what hangs");
		} else if (result->signal == SIGKILL || result->signal == SIGXFSZ) { /* nobody was left to say why */
			build->failure = mm_format("the program was %s", mm_process_describe(result, how));
			build->hint = hint(job, build->failure);
		} else {
			char *near = mm_failure_near(log);
			build->failure = mm_failure_line(log);
			build->hint = hint(job, near);
			free(near);
		}
		(void)mm_error_set(err, code, "%s", build->failure);
	}
	free(lack);
	free(log);
	return code;
}

uint64_t mm_job_until(const struct mm_job *job)
{
	int limit = job->store->policy->timeout_seconds;
	return limit > 0 ? current(job)->began_ns + (uint64_t)limit * NS_PER_SECOND : 0;
}

/* What is left of the stage's time for one more program; 0: no limit. */
static unsigned seconds_left(const struct mm_job *job)
{
	uint64_t until = mm_job_until(job), now = mm_now_ns();
	if (!until)
		return 0;
	return until > now + NS_PER_SECOND ? (unsigned)((until - now) / NS_PER_SECOND) : 1;
}

int mm_job_run(struct mm_job *job, const struct mm_strings *argv, struct mm_error *err)
{
	return mm_job_run_in(job, argv, job->build->folder, err);
}

/* A word as a shell would take it. */
static void put_quoted(struct mm_buffer *out, const char *word)
{
	mm_buffer_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			mm_buffer_puts(out, "'\\'");
		mm_buffer_putc(out, *word);
	}
	mm_buffer_putc(out, '\'');
}

/*
 * The log holds what is run, in lines that begin with "+ ": these alone are a shell script that does by hand what the
 * stage did. Best effort.
 */
static void log_command(struct mm_job *job, const struct mm_strings *argv, const char *folder)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	for (size_t i = 0; i < job->env.count; i++) {
		size_t name = strcspn(job->env.items[i], "=");
		mm_buffer_printf(&text, "+ export %.*s=", (int)name, job->env.items[i]);
		put_quoted(&text, job->env.items[i] + name + 1);
		mm_buffer_putc(&text, '\n');
	}
	mm_buffer_puts(&text, "+ mkdir -p ");
	put_quoted(&text, folder);
	mm_buffer_puts(&text, " && cd ");
	put_quoted(&text, folder);
	mm_buffer_puts(&text, "\n+");
	for (size_t i = 0; i < argv->count; i++) {
		mm_buffer_putc(&text, ' ');
		put_quoted(&text, argv->items[i]);
	}
	mm_buffer_putc(&text, '\n');
	int fd = open(job->build->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd >= 0 && write(fd, mm_buffer_text(&text), text.length) < 0)
		(void)unlink(job->build->log); /* half a line would be worse than none */
	if (fd >= 0)
		close(fd);
	mm_buffer_release(&text);
}

int mm_job_run_in(struct mm_job *job, const struct mm_strings *argv, const char *folder, struct mm_error *err)
{
	log_command(job, argv, folder);
	struct mm_stage *stage = current(job);
	struct mm_process_result result;
	struct mm_process_spec spec = { .argv = argv->items,
					.env = job->env.items,
					.cwd = folder,
					.log = job->build->log,
					.on_line = tell_progress,
					.context = job,
					.memory_bytes = (uint64_t)job->store->matrix->limits.memory_mib << 20,
					.file_bytes = (uint64_t)job->store->matrix->limits.file_mib << 20,
					.timeout_seconds = seconds_left(job) };
	int code = mm_process_run(&spec, &result, err);
	if (code)
		return code;
	stage->cpu_seconds += (double)(result.user_ns + result.system_ns) / 1e9;
	if (result.peak_rss_bytes > stage->peak_rss_bytes)
		stage->peak_rss_bytes = result.peak_rss_bytes;
	if (result.exit_status != 0 || result.timed_out)
		return judge(job, &result, err);
	return 0;
}

int mm_job_need_program(const char *name, struct mm_error *err)
{
	char *path = mm_fs_find_program(name);
	int code = 0;
	if (!path) {
		char *advice = mm_package_advice(name);
		code = mm_error_set(err, MM_ECELL, "cannot find the program '%s': %s", name,
				    advice ? advice : "install it");
		free(advice);
	}
	free(path);
	return code;
}
