/*
 * What a person sees while a run goes on, all of it on standard error: on a
 * terminal one live line, elsewhere a line for each event with its time.
 * Passes of unmeasured length are not guessed: until the first has run, the
 * ETA is that of the builds "plus passes".
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/event.h"
#include "base/os.h"
#include "cli/command.h"

enum { LINE_EVERY_MS = 30000, LIVE_EVERY_MS = 200 };

/* A row of equal jobs: how many there are, and how long one takes. */
struct rate {
	unsigned done, total;
	unsigned measured;   /* jobs that really ran */
	uint64_t spent_ns;   /* by those */
	uint64_t begun_ns;   /* of the job at hand, 0: none */
	double fraction;     /* of the job at hand */
};

static struct {
	bool live, quiet, verbose, color, line_open;
	uint64_t shown_ns;
	struct rate builds, passes;
	char cell[256], stage[32];
	unsigned step, steps;
} progress;

static const char *paint(const char *sequence)
{
	return progress.color ? sequence : "";
}

/* Seconds until RATE's jobs are done; negative when nothing was measured yet. */
static double seconds_left(const struct rate *rate, uint64_t now)
{
	if (rate->done >= rate->total)
		return 0;
	double each = rate->measured ? (double)rate->spent_ns / rate->measured : -1;
	double running = rate->begun_ns ? (double)(now - rate->begun_ns) : 0;
	if (rate->begun_ns && rate->fraction > 0.02)
		each = rate->measured ? (each + running / rate->fraction) / 2 : running / rate->fraction;
	if (each < 0)
		return -1;
	double left = each * (rate->total - rate->done) - running;
	return left > 0 ? left / 1e9 : 0;
}

static void put_duration(struct mm_buffer *out, double seconds)
{
	unsigned long s = (unsigned long)(seconds + 0.5);
	if (s >= 3600)
		mm_buffer_printf(out, "%luh %02lum", s / 3600, s / 60 % 60);
	else if (s >= 60)
		mm_buffer_printf(out, "%lum %02lus", s / 60, s % 60);
	else
		mm_buffer_printf(out, "%lus", s);
}

static void put_eta(struct mm_buffer *out, uint64_t now)
{
	double builds = seconds_left(&progress.builds, now);
	double passes = seconds_left(&progress.passes, now);
	if (builds < 0)
		return;
	if (progress.passes.total && passes >= 0) {
		mm_buffer_puts(out, ", ETA ");
		put_duration(out, builds + passes);
	} else if (builds > 0) {
		mm_buffer_puts(out, ", ETA ");
		put_duration(out, builds);
		mm_buffer_puts(out, " plus passes");
	}
}

static void put_state(struct mm_buffer *out, uint64_t now)
{
	if (progress.passes.total)
		mm_buffer_printf(out, "pass %u/%u", progress.passes.done + (progress.passes.begun_ns ? 1 : 0),
				 progress.passes.total);
	else if (progress.builds.total)
		mm_buffer_printf(out, "build %u/%u",
				 progress.builds.done + (progress.builds.done < progress.builds.total),
				 progress.builds.total);
	if (*progress.cell)
		mm_buffer_printf(out, "%s%s %s", out->length ? ": " : "", progress.cell, progress.stage);
	if (progress.steps)
		mm_buffer_printf(out, " %u/%u (%u%%)", progress.step, progress.steps,
				 (unsigned)(100.0 * progress.step / progress.steps));
	put_eta(out, now);
}

static void clear_live(void)
{
	if (progress.line_open)
		(void)fputs("\r\033[K", stderr);
	progress.line_open = false;
}

static void put_line(const char *color, const char *text)
{
	char now[32];
	mm_utc_text(now);
	clear_live();
	(void)fprintf(stderr, "%.8s %s%s%s\n", now + 11, paint(color), text, *color ? paint("\033[0m") : "");
}

/* Redraws the live line, or every half minute writes one to a log. */
static void show(bool now_please)
{
	uint64_t now = mm_now_ns();
	uint64_t pause = (uint64_t)(progress.live ? LIVE_EVERY_MS : LINE_EVERY_MS) * 1000000U;
	if (progress.quiet || (!now_please && now - progress.shown_ns < pause))
		return;
	progress.shown_ns = now;
	struct mm_buffer text = MM_BUFFER_INIT;
	put_state(&text, now);
	if (!progress.live) {
		put_line("", mm_buffer_text(&text));
	} else {
		struct winsize size = { .ws_col = 80 };
		(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
		int width = size.ws_col > 1 ? size.ws_col - 1 : 79;
		(void)fprintf(stderr, "\r%.*s\033[K", width, mm_buffer_text(&text));
		progress.line_open = true;
	}
	mm_buffer_release(&text);
}

static void count(struct rate *rate, unsigned done, unsigned total)
{
	uint64_t now = mm_now_ns();
	if (rate->begun_ns && done > rate->done) {
		rate->spent_ns += now - rate->begun_ns;
		rate->measured++;
	}
	rate->begun_ns = 0;
	rate->fraction = 0;
	rate->done = done;
	rate->total = total;
}

/* A stage of a cell begins to do something: the job that it belongs to is running. */
static void begin(const struct mm_event *event)
{
	struct rate *rate = progress.passes.total ? &progress.passes : &progress.builds;
	if (!rate->begun_ns)
		rate->begun_ns = mm_now_ns();
	(void)snprintf(progress.cell, sizeof progress.cell, "%s", event->cell ? event->cell : "");
	(void)snprintf(progress.stage, sizeof progress.stage, "%s", event->stage ? event->stage : "");
	progress.step = progress.steps = 0;
}

static void say(const struct mm_event *event, const char *color, const char *verb)
{
	struct mm_buffer text = MM_BUFFER_INIT;
	if (event->cell)
		mm_buffer_printf(&text, "%s ", event->cell);
	if (event->stage)
		mm_buffer_printf(&text, "%s", event->stage);
	mm_buffer_printf(&text, "%s%s", text.length ? " " : "", verb);
	if (event->text)
		mm_buffer_printf(&text, "%s%s", *verb ? ": " : (text.length ? ": " : ""), event->text);
	put_line(color, mm_buffer_text(&text));
	mm_buffer_release(&text);
}

static void step(const struct mm_event *event)
{
	if (!event->cell && event->stage && strcmp(event->stage, "builds") == 0) {
		count(&progress.builds, event->done, event->total);
	} else if (!event->cell && event->stage && strcmp(event->stage, "passes") == 0) {
		count(&progress.passes, event->done, event->total);
		*progress.cell = '\0';
		progress.steps = 0;
	} else {
		progress.step = event->done;
		progress.steps = event->total;
		if (event->total && !progress.passes.total)
			progress.builds.fraction = (double)event->done / event->total;
	}
	show(false);
}

static void on_event(void *context, const struct mm_event *event)
{
	(void)context;
	switch (event->kind) {
	case MM_EVENT_BEGIN:
		begin(event);
		if (progress.live)
			show(true);
		else if (!progress.quiet)
			say(event, "", "begins");
		break;
	case MM_EVENT_PROGRESS:
		step(event);
		break;
	case MM_EVENT_END:
		if (!progress.quiet && (progress.verbose || !progress.live))
			say(event, "", "done");
		break;
	case MM_EVENT_REUSED:
		if (progress.verbose)
			say(event, "", "reused");
		break;
	case MM_EVENT_NOTE:
		if (!progress.quiet)
			say(event, "", "");
		break;
	case MM_EVENT_FAILED:
		say(event, "\033[31m", "FAILED");
		break;
	case MM_EVENT_WARNING:
		say(event, "\033[33m", "warning");
		break;
	}
}

void mm_progress_install(const struct mm_arguments *arguments)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	bool terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	progress.quiet = arguments->quiet || arguments->progress == MM_PROGRESS_NEVER;
	progress.verbose = arguments->verbose;
	progress.live = terminal && !progress.quiet;
	progress.color = arguments->color == 1 || (arguments->color == -1 && terminal && !(no_color && *no_color));
	mm_event_set_sink(on_event, NULL);
}

void mm_progress_finish(void)
{
	clear_live();
	(void)fflush(stderr);
}
