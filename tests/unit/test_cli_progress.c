/* What progress writes, read from the other end of a pseudo-terminal or a pipe. */
#include <jansson.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/event.h"
#include "cli/hint.h"
#include "cli/live.h"
#include "cli/text.h"

#define SECOND 1000000000ULL

static void emit(enum mm_event_kind kind, const char *cell, const char *stage, const char *text)
{
	mm_event_stage(kind, cell, stage, text);
}

/* Two cells at once: one goes on, the other fails. */
static void two_builds(void)
{
	mm_event_progress(NULL, "builds", 0, 3);
	emit(MM_EVENT_BEGIN, "mariadb/gcc/64/standard", "compile", NULL);
	emit(MM_EVENT_BEGIN, "mariadb/clang/64/standard", "compile", NULL);
	mm_event_progress("mariadb/gcc/64/standard", "compile", 345, 1380);
	emit(MM_EVENT_FAILED, "mariadb/clang/64/standard", "build", "no such compiler");
	mm_event_progress(NULL, "builds", 1, 3);
}

struct scene {
	const char *term, *no_color;
	enum mm_progress_mode mode;
	bool quiet, background;
	int color;
	unsigned short width, rows;
	void (*play)(void);
};

static _Noreturn void play(const struct scene *scene)
{
	struct mm_arguments arguments;
	mm_arguments_init(&arguments);
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	unsetenv("TERM");
	if (scene->term)
		setenv("TERM", scene->term, 1);
	if (scene->no_color)
		setenv("NO_COLOR", scene->no_color, 1);
	arguments.progress = scene->mode;
	arguments.quiet = scene->quiet;
	arguments.color = scene->color;
	mm_progress_install(&arguments);
	scene->play();
	mm_progress_finish();
	fflush(NULL);
	_exit(0);
}

static void collect(int fd, pid_t pid, struct mm_buffer *out)
{
	char chunk[4096];
	ssize_t got;
	int status;
	mm_buffer_reset(out);
	while ((got = read(fd, chunk, sizeof chunk)) > 0)
		mm_buffer_append(out, chunk, (size_t)got);
	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void on_terminal(const struct scene *scene, struct mm_buffer *out)
{
	struct winsize size = { .ws_row = scene->rows ? scene->rows : 24, .ws_col = scene->width ? scene->width : 80 };
	int master;
	pid_t pid = forkpty(&master, NULL, NULL, &size);
	assert_true(pid >= 0);
	if (pid == 0) {
		if (!scene->background)
			play(scene);
		/* another group of the session, as a shell makes for "command &" */
		pid_t job = fork();
		if (job == 0) {
			setpgid(0, 0);
			play(scene);
		}
		int status;
		_exit(waitpid(job, &status, 0) == job && status == 0 ? 0 : 1);
	}
	collect(master, pid, out);
}

static void in_pipe(const struct scene *scene, struct mm_buffer *out)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		play(scene);
	}
	close(ends[1]);
	collect(ends[0], pid, out);
}

/* A terminal, as far as progress uses one: what stands on the screen after BYTES. */
struct screen {
	char text[40][400];
	int row, column, width, widest;
};

static void show(const char *bytes, int width, struct screen *screen)
{
	memset(screen, 0, sizeof *screen);
	screen->width = width;
	for (const char *at = bytes; *at; at++) {
		if (*at == '\r') {
			screen->column = 0;
		} else if (*at == '\n') {
			assert_true(++screen->row < 40);
		} else if (*at == '\033') {
			assert_int_equal(at[1], '[');
			char *end;
			long number = strtol(at + 2, &end, 10);
			if (*end == 'A')
				screen->row -= (int)number;
			else if (*end == 'J')
				for (int row = screen->row; row < 40; row++)
					screen->text[row][row == screen->row ? screen->column : 0] = '\0';
			else
				assert_int_equal(*end, 'm');
			assert_true(screen->row >= 0);
			at = end;
		} else {
			assert_true(screen->column < 399);
			screen->text[screen->row][screen->column++] = *at;
			screen->text[screen->row][screen->column] = '\0';
			int wide = mm_columns(screen->text[screen->row], (size_t)screen->column);
			screen->widest = wide > screen->widest ? wide : screen->widest;
		}
	}
}

static void test_live_lines(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	struct screen screen;
	on_terminal(&(struct scene){ .term = "xterm", .color = -1, .play = two_builds }, &out);
	assert_non_null(strstr(out.data, "mariadb/gcc/64/standard"));
	assert_non_null(strstr(out.data, "compile 345/1380 (25%)"));
	assert_non_null(strstr(out.data, "builds: 1 of 3 done"));
	assert_non_null(strstr(out.data, "\033[31m"));
	/* at the end only what went wrong is left */
	show(out.data, 80, &screen);
	assert_non_null(strstr(screen.text[0], "mariadb/clang/64/standard build FAILED: no such compiler"));
	assert_string_equal(screen.text[1], "");
	/* and before the end two lines stood below it */
	char *last = strstr(out.data, "builds: 1 of 3 done");
	last[strcspn(last, "\033")] = '\0';
	show(out.data, 80, &screen);
	assert_non_null(strstr(screen.text[0], "FAILED"));
	mm_buffer_release(&out);
}

static void test_no_color(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	on_terminal(&(struct scene){ .term = "xterm", .no_color = "1", .color = -1, .play = two_builds }, &out);
	assert_null(strstr(out.data, "\033[31m"));
	assert_null(strstr(out.data, "\033[1m"));
	assert_non_null(strstr(out.data, "(25%)"));
	/* set but empty is not set; --color always wins */
	on_terminal(&(struct scene){ .term = "xterm", .no_color = "", .color = -1, .play = two_builds }, &out);
	assert_non_null(strstr(out.data, "\033[31m"));
	on_terminal(&(struct scene){ .term = "xterm", .no_color = "1", .color = 1, .play = two_builds }, &out);
	assert_non_null(strstr(out.data, "\033[31m"));
	mm_buffer_release(&out);
}

static void test_dumb_terminal(void **state)
{
	(void)state;
	static const char *const terms[] = { "dumb", "", NULL };
	struct mm_buffer out = MM_BUFFER_INIT;
	for (size_t i = 0; i < 3; i++) {
		on_terminal(&(struct scene){ .term = terms[i], .color = -1, .play = two_builds }, &out);
		assert_null(strchr(out.data, '\033'));
		assert_non_null(strstr(out.data, "mariadb/gcc/64/standard compile begins"));
	}
	mm_buffer_release(&out);
}

static void many_builds(void)
{
	mm_event_progress(NULL, "builds", 0, 60);
	for (int i = 0; i < 30; i++) {
		char cell[64];
		(void)snprintf(cell, sizeof cell, "a-source-with-a-long-name/gcc/64/flags-%d", i);
		emit(MM_EVENT_BEGIN, cell, "compile", NULL);
		mm_event_progress(cell, "compile", 1, 2);
	}
}

static void test_small_terminal(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	struct screen screen;
	on_terminal(&(struct scene){ .term = "xterm", .color = -1, .width = 40, .rows = 8, .play = many_builds }, &out);
	show(out.data, 40, &screen);
	assert_true(screen.widest > 30 && screen.widest < 40);
	assert_non_null(strstr(out.data, "more cells"));
	assert_null(strstr(out.data, "\033[8A"));
	assert_string_equal(screen.text[0], "");
	mm_buffer_release(&out);
}

static void test_background(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	on_terminal(&(struct scene){ .term = "xterm", .color = -1, .background = true, .play = two_builds }, &out);
	assert_null(strstr(out.data, "(25%)"));
	assert_non_null(strstr(out.data, "FAILED"));
	mm_buffer_release(&out);
}

/* A build that fails in a stage's words, a pass that fails in others, a stage that nobody else tells of. */
static void failures(void)
{
	emit(MM_EVENT_FAILED, "a", "configure", "no curses");
	emit(MM_EVENT_FAILED, "a", "build", "cell 'a': stage 'configure' failed: no curses; install them");
	emit(MM_EVENT_FAILED, "b", "datadir", "no space");
	emit(MM_EVENT_FAILED, "b", "pass", "the server did not start");
	emit(MM_EVENT_FAILED, "c", "install", "no prefix");
}

static void test_a_failure_is_told_once(void **state)
{
	static const char *const lines[] = { " a build FAILED: stage 'configure' failed: no curses; install them\n",
					     " b datadir FAILED: no space\n", " b pass FAILED: the server did not start\n",
					     " c install FAILED: no prefix\n" };
	struct mm_buffer out = MM_BUFFER_INIT;
	const char *at;
	(void)state;
	in_pipe(&(struct scene){ .color = -1, .play = failures }, &out);
	at = out.data;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		at = strchr(at, ' ');
		if (!at || strncmp(at, lines[i], strlen(lines[i])) != 0)
			fail_msg("%s", out.data);
		at += strlen(lines[i]);
	}
	assert_string_equal(at, "");
	mm_buffer_release(&out);
}

static void test_log(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	in_pipe(&(struct scene){ .term = "xterm", .color = -1, .play = two_builds }, &out);
	assert_null(strchr(out.data, '\033'));
	int lines = 0;
	for (char *line = out.data; *line; lines++) {
		unsigned year, month, day, hour, minute, second;
		assert_int_equal(sscanf(line, "%4u-%2u-%2uT%2u:%2u:%2uZ ", &year, &month, &day, &hour, &minute, &second), 6);
		line = strchr(line, '\n');
		assert_non_null(line);
		line++;
	}
	assert_int_equal(lines, 3); /* two beginnings and the failure; a step so soon is no news */
	in_pipe(&(struct scene){ .color = -1, .quiet = true, .play = two_builds }, &out);
	assert_null(strstr(out.data, "begins"));
	assert_non_null(strstr(out.data, "FAILED"));
	mm_buffer_release(&out);
}

static void test_json(void **state)
{
	(void)state;
	struct mm_buffer out = MM_BUFFER_INIT;
	in_pipe(&(struct scene){ .color = -1, .mode = MM_PROGRESS_JSON, .play = two_builds }, &out);
	int counts = 0, failures = 0;
	for (char *line = out.data; *line;) {
		char *end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		json_t *event = json_loads(line, 0, NULL);
		assert_non_null(event);
		const char *name = json_string_value(json_object_get(event, "event"));
		assert_non_null(name);
		assert_true(json_is_string(json_object_get(event, "time")));
		counts += strcmp(name, "progress") == 0 && json_integer_value(json_object_get(event, "total")) == 3;
		if (strcmp(name, "failed") == 0) {
			failures++;
			assert_string_equal(json_string_value(json_object_get(event, "cell")), "mariadb/clang/64/standard");
			assert_string_equal(json_string_value(json_object_get(event, "text")), "no such compiler");
		}
		json_decref(event);
		line = end + 1;
	}
	assert_int_equal(counts, 2);
	assert_int_equal(failures, 1);
	mm_buffer_release(&out);
}

static void test_eta(void **state)
{
	(void)state;
	/* nothing measured, nothing said */
	struct mm_rate rate = { .total = 10 };
	assert_true(mm_rate_left(&rate, 0, 0, 5 * SECOND) < 0);
	/* a quarter of the first of ten in 10 s: 390 s are left */
	rate.began_ns = 100 * SECOND;
	assert_float_equal(mm_rate_left(&rate, 0.25, 1, 110 * SECOND), 390, 0.01);
	/* two ran for 100 s, four were there already: the other four take 200 s */
	rate = (struct mm_rate){ .done = 6, .total = 10, .measured = 2, .began_ns = SECOND };
	assert_float_equal(mm_rate_left(&rate, 0, 0, 101 * SECOND), 200, 0.01);
	/* two at a time, both half done: three jobs' work in 90 s, three more jobs' work to do */
	rate = (struct mm_rate){ .done = 2, .total = 6, .measured = 2, .began_ns = SECOND };
	assert_float_equal(mm_rate_left(&rate, 1.0, 2, 91 * SECOND), 90, 0.01);
	rate.done = 6;
	assert_float_equal(mm_rate_left(&rate, 0, 0, 200 * SECOND), 0, 0.01);
}

static void take(struct mm_live *live, enum mm_event_kind kind, const char *cell, const char *stage, unsigned done,
		 unsigned total, unsigned second)
{
	struct mm_event event = { .kind = kind, .cell = cell, .stage = stage, .done = done, .total = total };
	mm_live_take(live, &event, second * SECOND);
}

static void test_passes(void **state)
{
	(void)state;
	struct mm_live live = { 0 };
	struct mm_strings lines = MM_STRINGS_INIT;
	take(&live, MM_EVENT_PROGRESS, NULL, "passes", 0, 4, 0);
	take(&live, MM_EVENT_BEGIN, "a", "pass", 0, 0, 10);
	take(&live, MM_EVENT_BEGIN, "a", "datadir", 0, 0, 10);
	take(&live, MM_EVENT_END, "a", "datadir", 0, 0, 11);
	assert_int_equal(live.job_count, 1);
	assert_string_equal(live.jobs[0].stage, "pass");
	take(&live, MM_EVENT_END, "a", "pass", 0, 0, 20);
	take(&live, MM_EVENT_PROGRESS, NULL, "passes", 1, 4, 20);
	assert_int_equal(live.job_count, 0);
	mm_live_render(&live, 79, 24, 20 * SECOND, &lines);
	assert_int_equal(lines.count, 1);
	assert_string_equal(lines.items[0], "passes: 1 of 4 done, ETA 30s");
	mm_strings_release(&lines);
	mm_live_release(&live);
}

/* What is shown can be typed as it stands, wherever the user works. */
static void test_hints(void **state)
{
	static const char text[] = "run 'mymatrix build --cell a' first, see 'mymatrix status' and 'mymatrix help run', not 'x'";
	struct mm_arguments arguments;
	struct mm_buffer out = MM_BUFFER_INIT;
	(void)state;
	mm_arguments_init(&arguments);
	mm_put_hints(text, &out);
	assert_string_equal(mm_buffer_text(&out), text);
	mm_buffer_reset(&out);
	arguments.folder = "a b";
	arguments.work = "w$";
	mm_strings_push(&arguments.positional, "m.json");
	mm_hint_place(mm_command_find("run"), &arguments);
	mm_put_hints(text, &out);
	assert_string_equal(mm_buffer_text(&out),
			    "run 'mymatrix -C \"a b\" build --work \"w\\$\" --cell a m.json' first, see 'mymatrix -C \"a b\" "
			    "status --work \"w\\$\" m.json' and 'mymatrix -C \"a b\" help run', not 'x'");
	mm_buffer_reset(&out);
	mm_put_hints("'mymatrix logs c', 'mymatrix nonsense', 'mymatrix ", &out);
	assert_string_equal(mm_buffer_text(&out), "'mymatrix -C \"a b\" logs --work \"w\\$\" --matrix m.json c', "
						  "'mymatrix nonsense', 'mymatrix ");
	mm_hint_place(NULL, NULL);
	mm_arguments_release(&arguments);
	mm_buffer_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_lines),    cmocka_unit_test(test_no_color),	 cmocka_unit_test(test_dumb_terminal),
		cmocka_unit_test(test_small_terminal), cmocka_unit_test(test_background), cmocka_unit_test(test_log),
		cmocka_unit_test(test_hints), cmocka_unit_test(test_a_failure_is_told_once), cmocka_unit_test(test_json),	       cmocka_unit_test(test_eta),	  cmocka_unit_test(test_passes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
