#include "cli/live.h"

#include "base/memory.h"
#include "cli/text.h"

struct mm_job_line *mm_live_job(const struct mm_live *live, const char *cell)
{
	for (size_t i = 0; cell && i < live->job_count; i++)
		if (strcmp(live->jobs[i].cell, cell) == 0)
			return &live->jobs[i];
	return NULL;
}

static void release_job(struct mm_job_line *job)
{
	free(job->cell);
	free(job->stage);
	free(job->detail);
}

void mm_live_release(struct mm_live *live)
{
	for (size_t i = 0; i < live->job_count; i++)
		release_job(&live->jobs[i]);
	free(live->jobs);
	*live = (struct mm_live){ 0 };
}

static void set_stage(struct mm_job_line *job, const char *stage, const char *detail, uint64_t now)
{
	free(job->stage);
	free(job->detail);
	job->stage = mm_strdup(stage);
	job->detail = mm_strdup(detail);
	job->step = job->steps = 0;
	job->began_ns = job->told_ns = now;
}

static void begin(struct mm_live *live, const struct mm_event *event, uint64_t now)
{
	struct mm_job_line *job = mm_live_job(live, event->cell);
	if (!job) {
		live->jobs = mm_grow(live->jobs, live->job_count, &live->job_capacity, sizeof *live->jobs);
		job = &live->jobs[live->job_count++];
		*job = (struct mm_job_line){ .cell = mm_strdup(event->cell) };
	}
	if (strcmp(event->stage, "pass") == 0)
		job->is_pass = true;
	set_stage(job, event->stage, event->text, now);
	struct mm_rate *rate = job->is_pass ? &live->passes : &live->builds;
	if (!rate->began_ns)
		rate->began_ns = now;
}

/* The cell is through with its build or its pass. */
static void finish(struct mm_live *live, struct mm_job_line *job)
{
	struct mm_rate *rate = job->is_pass ? &live->passes : &live->builds;
	rate->measured++;
	release_job(job);
	size_t at = (size_t)(job - live->jobs);
	memmove(job, job + 1, (live->job_count - at - 1) * sizeof *job);
	live->job_count--;
}

static void end(struct mm_live *live, const struct mm_event *event, uint64_t now)
{
	struct mm_job_line *job = mm_live_job(live, event->cell);
	if (!job)
		return;
	bool last = event->kind == MM_EVENT_FAILED || strcmp(event->stage, job->is_pass ? "pass" : "install") == 0;
	if (last)
		finish(live, job);
	else if (job->is_pass)
		set_stage(job, "pass", NULL, now); /* the data directory is ready, the suite begins */
}

static void step(struct mm_live *live, const struct mm_event *event)
{
	struct mm_job_line *job = mm_live_job(live, event->cell);
	struct mm_rate *rate = NULL;
	if (!event->cell && strcmp(event->stage, "builds") == 0)
		rate = &live->builds;
	if (!event->cell && strcmp(event->stage, "passes") == 0)
		rate = &live->passes;
	if (rate) {
		rate->done = event->done;
		rate->total = event->total;
	} else if (job) {
		job->step = event->done;
		job->steps = event->total;
	}
}

void mm_live_take(struct mm_live *live, const struct mm_event *event, uint64_t now_ns)
{
	if (!event->stage)
		return;
	if (event->kind == MM_EVENT_PROGRESS)
		step(live, event);
	else if (event->kind == MM_EVENT_BEGIN && event->cell)
		begin(live, event, now_ns);
	else if (event->kind == MM_EVENT_END || event->kind == MM_EVENT_FAILED)
		end(live, event, now_ns);
}

/*
 * How much of a build or a pass is done. Of a build only its compilation counts: all other stages together are short
 * beside it. Of a pass only what the suite itself says.
 */
static double fraction(const struct mm_job_line *job)
{
	if (!job->is_pass && strcmp(job->stage, "install") == 0)
		return 0.99;
	if (!job->steps || strcmp(job->stage, job->is_pass ? "pass" : "compile") != 0)
		return 0;
	return job->step < job->steps ? (double)job->step / job->steps : 1;
}

static double rate_left(const struct mm_live *live, bool passes, uint64_t now)
{
	double partial = 0;
	unsigned running = 0;
	for (size_t i = 0; i < live->job_count; i++) {
		if (live->jobs[i].is_pass == passes) {
			partial += fraction(&live->jobs[i]);
			running++;
		}
	}
	return mm_rate_left(passes ? &live->passes : &live->builds, partial, running, now);
}

double mm_live_left(const struct mm_live *live, bool *only_builds, uint64_t now_ns)
{
	double builds = rate_left(live, false, now_ns), passes = rate_left(live, true, now_ns);
	*only_builds = !live->passes.total || passes < 0;
	if (live->passes.total)
		return passes;
	return live->builds.total ? builds : -1;
}

void mm_put_duration(struct mm_buffer *out, double seconds)
{
	unsigned long s = (unsigned long)(seconds + 0.5);
	if (s >= 3600)
		mm_buffer_printf(out, "%luh %02lum", s / 3600, s / 60 % 60);
	else if (s >= 60)
		mm_buffer_printf(out, "%lum %02lus", s / 60, s % 60);
	else
		mm_buffer_printf(out, "%lus", s);
}

void mm_live_put_eta(const struct mm_live *live, struct mm_buffer *out, uint64_t now_ns)
{
	bool only_builds;
	double left = mm_live_left(live, &only_builds, now_ns);
	if (left < 0)
		return;
	mm_buffer_puts(out, only_builds ? ", ETA of the builds " : ", ETA ");
	mm_put_duration(out, left);
}

void mm_live_put_job(const struct mm_job_line *job, struct mm_buffer *out)
{
	mm_buffer_puts(out, job->detail ? job->detail : job->stage);
	if (job->steps)
		mm_buffer_printf(out, " %u/%u (%u%%)", job->step, job->steps, (unsigned)(100.0 * job->step / job->steps));
}

/* Appends TEXT in WIDTH columns: padded, or cut with "…" in the middle, so that both ends of a cell id are seen. */
static void put_fitted(const char *text, int width, struct mm_buffer *out)
{
	size_t length = strlen(text);
	int wide = mm_columns(text, length);
	if (wide <= width) {
		mm_buffer_printf(out, "%s%*s", text, width - wide, "");
		return;
	}
	int head = (width - 1) / 2, tail = width - 1 - head;
	size_t begin = 0, end = length;
	while (begin < length && mm_columns(text, begin + 1) <= head)
		begin++;
	while (end > 0 && mm_columns(text + end - 1, length - end + 1) <= tail)
		end--;
	mm_buffer_append(out, text, begin);
	mm_buffer_puts(out, "…");
	mm_buffer_puts(out, text + end);
}

static void push_cut(struct mm_strings *lines, const char *text, int width)
{
	size_t length = 0, all = strlen(text);
	while (length < all && mm_columns(text, length + 1) <= width)
		length++;
	mm_strings_pushf(lines, "%.*s", (int)length, text);
}

static void render_job(const struct mm_job_line *job, int width, int name_width, uint64_t now, struct mm_strings *lines)
{
	struct mm_buffer line = MM_BUFFER_INIT;
	mm_buffer_puts(&line, "  ");
	put_fitted(job->cell, name_width, &line);
	mm_buffer_puts(&line, "  ");
	mm_live_put_job(job, &line);
	if (now >= job->began_ns + 1000000000U) {
		mm_buffer_puts(&line, ", ");
		mm_put_duration(&line, (double)(now - job->began_ns) / 1e9);
	}
	push_cut(lines, mm_buffer_text(&line), width);
	mm_buffer_release(&line);
}

static void render_whole(const struct mm_live *live, int width, uint64_t now, struct mm_strings *lines)
{
	struct mm_buffer line = MM_BUFFER_INIT;
	if (live->passes.total)
		mm_buffer_printf(&line, "passes: %u of %u done", live->passes.done, live->passes.total);
	else if (live->builds.total)
		mm_buffer_printf(&line, "builds: %u of %u done", live->builds.done, live->builds.total);
	if (line.length)
		mm_live_put_eta(live, &line, now);
	if (line.length)
		push_cut(lines, mm_buffer_text(&line), width);
	mm_buffer_release(&line);
}

void mm_live_render(const struct mm_live *live, int width, int rows, uint64_t now_ns, struct mm_strings *lines)
{
	int widest = 8;
	for (size_t i = 0; i < live->job_count; i++) {
		int wide = mm_columns(live->jobs[i].cell, strlen(live->jobs[i].cell));
		widest = wide > widest ? wide : widest;
	}
	if (widest > width / 2)
		widest = width / 2 > 8 ? width / 2 : 8;
	render_whole(live, width, now_ns, lines);
	size_t room = rows > 2 ? (size_t)rows - 2 : 1;
	size_t shown = live->job_count <= room ? live->job_count : room - 1;
	for (size_t i = 0; i < shown; i++)
		render_job(&live->jobs[i], width, widest, now_ns, lines);
	if (shown < live->job_count) {
		char *more = mm_format("  … and %zu more cells", live->job_count - shown);
		push_cut(lines, more, width);
		free(more);
	}
}
