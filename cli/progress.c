/*
 * What a person or a pipeline sees while a run goes on, all of it on standard error: live lines on a terminal, a line
 * for each event with its time in a log, a JSON object for each event in a pipeline.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/event.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/os.h"
#include "cli/command.h"
#include "cli/hint.h"
#include "cli/live.h"
#include "cli/text.h"

#define RED "\033[31m"

/* How often a log hears of a step, a pipeline hears of one, and live lines are drawn again. */
enum { LOG_EVERY_MS = 30000, JSON_EVERY_MS = 1000, DRAW_EVERY_MS = 200, TICK_MS = 1000, LOST_AFTER_MS = 4000 };

static struct {
	enum mm_progress_mode mode; /* never AUTO */
	bool quiet, verbose, color, terminal, installed;
	struct mm_live live;
	struct mm_strings drawn; /* lines on the screen, the cursor stands at the end of the last */
	uint64_t drawn_ns;
	char *failed_cell, *failed_stage, *failed_text; /* a stage that failed and is not told yet; NULL: none */
	pthread_mutex_t lock; /* events come from several threads */
	pthread_cond_t wake;
	pthread_t ticker;
	bool ticking, stop;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static const char *paint(const char *sequence)
{
	return progress.color ? sequence : "";
}

/* One write for each line or picture, so that nothing tears. What cannot be written is lost: data goes elsewhere. */
static void write_out(const struct mm_buffer *text)
{
	for (size_t done = 0; done < text->length;) {
		ssize_t put = write(STDERR_FILENO, text->data + done, text->length - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return;
		done += (size_t)put;
	}
}

static void screen(int *width, int *rows)
{
	struct winsize size = { 0 };
	const char *columns = getenv("COLUMNS");
	long wanted = columns ? strtol(columns, NULL, 10) : 0;
	(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	*width = size.ws_col > 1 ? size.ws_col : wanted > 1 && wanted < 10000 ? (int)wanted : 80;
	*rows = size.ws_row > 1 ? size.ws_row : 24;
}

/* A job in the background leaves the terminal alone. */
static bool in_background(void)
{
	return progress.terminal && tcgetpgrp(STDERR_FILENO) != getpgrp();
}

/* Appends what takes the live lines off the screen. After a resize a line may stand on several rows. */
static void put_clearing(struct mm_buffer *out)
{
	int width, rows, up = -1;
	screen(&width, &rows);
	for (size_t i = 0; i < progress.drawn.count; i++) {
		int length = mm_columns(progress.drawn.items[i], strlen(progress.drawn.items[i]));
		up += length > width ? (length + width - 1) / width : 1;
	}
	if (up > 0)
		mm_buffer_printf(out, "\033[%dA", up < rows ? up : rows - 1);
	if (up >= 0)
		mm_buffer_puts(out, "\r\033[J");
	mm_strings_release(&progress.drawn);
}

static void clear_live(void)
{
	struct mm_buffer out = MM_BUFFER_INIT;
	if (progress.drawn.count && !in_background()) {
		put_clearing(&out);
		write_out(&out);
	}
	mm_strings_release(&progress.drawn);
	mm_buffer_release(&out);
}

static void draw(uint64_t now, bool please)
{
	uint64_t since_ms = (now - progress.drawn_ns) / 1000000U;
	if (progress.mode != MM_PROGRESS_LIVE || progress.quiet || (!please && since_ms < DRAW_EVERY_MS))
		return;
	/* stopped or in the background meanwhile: where the cursor is now nobody knows */
	if (since_ms > LOST_AFTER_MS)
		mm_strings_release(&progress.drawn);
	if (in_background()) {
		mm_strings_release(&progress.drawn);
		return;
	}
	struct mm_buffer out = MM_BUFFER_INIT;
	struct mm_strings lines = MM_STRINGS_INIT;
	int width, rows;
	screen(&width, &rows);
	mm_live_render(&progress.live, width - 1, rows, now, &lines);
	put_clearing(&out);
	for (size_t i = 0; i < lines.count; i++)
		mm_buffer_printf(&out, "%s%s%s%s", i ? "\n" : "", i ? "" : paint("\033[1m"), lines.items[i],
				 i ? "" : paint("\033[0m"));
	write_out(&out);
	progress.drawn = lines;
	progress.drawn_ns = now;
	mm_buffer_release(&out);
}

/* Redraws while nothing happens: durations grow, and the terminal may have been resized. */
static void *tick(void *unused)
{
	(void)unused;
	(void)pthread_mutex_lock(&progress.lock);
	while (!progress.stop) {
		struct timespec until;
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += TICK_MS / 1000;
		(void)pthread_cond_timedwait(&progress.wake, &progress.lock, &until);
		if (!progress.stop)
			draw(mm_now_ns(), false);
	}
	(void)pthread_mutex_unlock(&progress.lock);
	return NULL;
}

static void start_ticker(void)
{
	sigset_t all, before;
	(void)sigfillset(&all); /* signals are the main thread's business */
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.stop = false;
	progress.ticking = pthread_create(&progress.ticker, NULL, tick, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A line of a log, or above the live lines: its time, then the text. */
static void put_line(const char *color, const char *text)
{
	char now[32];
	struct mm_buffer line = MM_BUFFER_INIT;
	mm_utc_text(now);
	clear_live();
	if (progress.terminal)
		now[19] = '\0';
	mm_buffer_printf(&line, "%s %s%s%s\n", progress.terminal ? now + 11 : now, paint(color), text,
			 *color ? paint("\033[0m") : "");
	write_out(&line);
	mm_buffer_release(&line);
}

/* TEXT without "cell 'a': " at its beginning, where the line begins with that cell anyway. */
static const char *without_cell(const char *text, const char *cell)
{
	size_t length = cell ? strlen(cell) : 0;
	if (cell && strncmp(text, "cell '", 6) == 0 && strncmp(text + 6, cell, length) == 0 &&
	    strncmp(text + 6 + length, "': ", 3) == 0)
		return text + 6 + length + 3;
	return text;
}

static void say(const struct mm_event *event, const char *color, const char *verb)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	const char *words[] = { event->cell, event->stage, *verb ? verb : NULL };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i])
			mm_buffer_printf(&text, "%s%s", text.length ? " " : "", words[i]);
	if (event->text) {
		mm_buffer_puts(&text, text.length ? ": " : "");
		mm_put_hints(without_cell(event->text, event->cell), &text);
	}
	put_line(color, mm_buffer_text(&text));
	mm_buffer_release(&text);
}

/* Is it time to hear of a step again? The last one is always told. */
static bool due(struct mm_job_line *job, unsigned every_ms, uint64_t now)
{
	if (job->step < job->steps && now - job->told_ns < (uint64_t)every_ms * 1000000U)
		return false;
	job->told_ns = now;
	return true;
}

static void log_step(const struct mm_event *event, uint64_t now)
{
	struct mm_job_line *job = mm_live_job(&progress.live, event->cell);
	if (!job || job->step >= job->steps || !due(job, LOG_EVERY_MS, now))
		return;
	struct mm_buffer text = MM_BUFFER_INIT;
	mm_buffer_printf(&text, "%s ", job->cell);
	mm_live_put_job(job, &text);
	mm_live_put_eta(&progress.live, &text, now);
	put_line("", mm_buffer_text(&text));
	mm_buffer_release(&text);
}

/*
 * A build or a pass fails because a stage of it did, and says so in the stage's words and more: the stage's own line
 * waits until it is clear that nobody repeats it.
 */
static void say_failed_stage(const struct mm_event *next)
{
	struct mm_event stage = { MM_EVENT_FAILED, progress.failed_cell, progress.failed_stage, 0, 0, progress.failed_text };
	if (!progress.failed_text || (next && (!next->cell || strcmp(next->cell, progress.failed_cell) != 0)))
		return;
	bool repeated = next && next->kind == MM_EVENT_FAILED && next->text && strstr(next->text, progress.failed_text);
	if (!repeated)
		say(&stage, RED, "FAILED");
	free(progress.failed_cell);
	free(progress.failed_stage);
	free(progress.failed_text);
	progress.failed_cell = progress.failed_stage = progress.failed_text = NULL;
}

static bool keep_failed_stage(const struct mm_event *event)
{
	if (event->kind != MM_EVENT_FAILED || !event->cell || !event->text || !event->stage ||
	    strcmp(event->stage, "build") == 0 || strcmp(event->stage, "pass") == 0)
		return false;
	say_failed_stage(NULL);
	progress.failed_cell = mm_strdup(event->cell);
	progress.failed_stage = mm_strdup(event->stage);
	progress.failed_text = mm_strdup(event->text);
	return true;
}

/* Live lines show what goes on: only what went wrong or is new stays above them. */
static void tell_people(const struct mm_event *event, uint64_t now)
{
	bool live = progress.mode == MM_PROGRESS_LIVE;
	say_failed_stage(event);
	if (keep_failed_stage(event))
		return;
	switch (event->kind) {
	case MM_EVENT_BEGIN:
		if (!progress.quiet && !live)
			say(event, "", "begins");
		break;
	case MM_EVENT_PROGRESS:
		if (!progress.quiet && !live)
			log_step(event, now);
		break;
	case MM_EVENT_END:
		if (!progress.quiet && (progress.verbose || !live))
			say(event, "", "done");
		break;
	case MM_EVENT_REUSED:
		if (progress.verbose && !progress.quiet)
			say(event, "", "reused");
		break;
	case MM_EVENT_NOTE:
		if (!progress.quiet)
			say(event, "", "");
		break;
	case MM_EVENT_FAILED:
		say(event, RED, "FAILED");
		break;
	case MM_EVENT_WARNING:
		say(event, "\033[33m", "warning");
		break;
	}
	draw(now, event->kind != MM_EVENT_PROGRESS || !event->cell);
}

static void put_json(json_t *object)
{
	struct mm_buffer line = MM_BUFFER_INIT;
	char *text = json_dumps(object, JSON_COMPACT);
	if (text) {
		mm_buffer_printf(&line, "%s\n", text);
		write_out(&line);
	}
	free(text);
	mm_buffer_release(&line);
	json_decref(object);
}

static json_t *json_event(const char *name)
{
	char now[32];
	json_t *object = json_object();
	mm_utc_text(now);
	mm_json_put_string(object, "time", now);
	mm_json_put_string(object, "event", name);
	return object;
}

static void tell_programs(const struct mm_event *event, uint64_t now)
{
	static const char *const names[] = {
		[MM_EVENT_BEGIN] = "begin",   [MM_EVENT_PROGRESS] = "progress", [MM_EVENT_END] = "end",
		[MM_EVENT_FAILED] = "failed", [MM_EVENT_REUSED] = "reused",	[MM_EVENT_NOTE] = "note",
		[MM_EVENT_WARNING] = "warning",
	};
	struct mm_job_line *job = mm_live_job(&progress.live, event->cell);
	if (event->kind == MM_EVENT_PROGRESS && event->cell && (!job || !due(job, JSON_EVERY_MS, now)))
		return;
	json_t *object = json_event(names[event->kind]);
	mm_json_put_string(object, "cell", event->cell);
	mm_json_put_string(object, "stage", event->stage);
	if (event->kind == MM_EVENT_PROGRESS) {
		bool only_builds;
		double left = mm_live_left(&progress.live, &only_builds, now);
		mm_json_put_integer(object, "done", event->done);
		mm_json_put_integer(object, "total", event->total);
		if (left >= 0)
			mm_json_put_real(object, only_builds ? "builds_eta_seconds" : "eta_seconds", left);
	}
	struct mm_buffer text = MM_BUFFER_INIT;
	mm_put_hints(event->text ? event->text : "", &text);
	mm_json_put_string(object, "text", event->text ? mm_buffer_text(&text) : NULL);
	mm_buffer_release(&text);
	put_json(object);
}

static void on_event(void *context, const struct mm_event *event)
{
	(void)context;
	uint64_t now = mm_now_ns();
	(void)pthread_mutex_lock(&progress.lock);
	mm_live_take(&progress.live, event, now);
	if (progress.mode == MM_PROGRESS_JSON)
		tell_programs(event, now);
	else
		tell_people(event, now);
	(void)pthread_mutex_unlock(&progress.lock);
}

void mm_progress_install(const struct mm_arguments *arguments)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	bool able;
	progress.terminal = isatty(STDERR_FILENO);
	able = progress.terminal && term && *term && strcmp(term, "dumb") != 0;
	progress.mode = arguments->progress;
	if (progress.mode == MM_PROGRESS_AUTO)
		progress.mode = able ? MM_PROGRESS_LIVE : MM_PROGRESS_PLAIN;
	progress.quiet = arguments->quiet || progress.mode == MM_PROGRESS_NEVER;
	progress.verbose = arguments->verbose;
	progress.color = arguments->color == 1 || (arguments->color == -1 && able && !(no_color && *no_color));
	progress.installed = true;
	mm_event_set_sink(on_event, NULL);
	if (progress.mode == MM_PROGRESS_LIVE && !progress.quiet)
		start_ticker();
}

void mm_progress_finish(void)
{
	(void)pthread_mutex_lock(&progress.lock);
	progress.stop = true;
	(void)pthread_cond_signal(&progress.wake);
	say_failed_stage(NULL);
	clear_live();
	(void)pthread_mutex_unlock(&progress.lock);
	if (progress.ticking)
		(void)pthread_join(progress.ticker, NULL);
	progress.ticking = false;
	mm_live_release(&progress.live);
}

void mm_progress_error(const char *text)
{
	struct mm_buffer line = MM_BUFFER_INIT;
	if (progress.installed && progress.mode == MM_PROGRESS_JSON) {
		json_t *object = json_event("error");
		mm_put_hints(text, &line);
		mm_json_put_string(object, "text", mm_buffer_text(&line));
		put_json(object);
	} else {
		mm_buffer_puts(&line, "mymatrix: ");
		mm_put_hints(text, &line);
		mm_buffer_putc(&line, '\n');
		write_out(&line);
	}
	mm_buffer_release(&line);
}
