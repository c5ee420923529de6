/* What builds cells at the same time: how many, and how events come from its processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/event.h"
#include "base/memory.h"
#include "executors/crew.h"
#include "executors/relay.h"

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(mm_crew_size(1), 1);
	assert_int_equal(mm_crew_size(2), 2);
	assert_int_equal(mm_crew_size(16), 4);
	assert_int_equal(mm_crew_size(128), 18);
}

static char *seen;

static void see(void *context, const struct mm_event *event)
{
	(void)context;
	char *all = mm_format("%s%d %s %s %u/%u %s\n", seen ? seen : "", event->kind, event->cell ? event->cell : "-",
			      event->stage ? event->stage : "-", event->done, event->total,
			      event->text ? event->text : "-");
	free(seen);
	seen = all;
}

/* Whatever is in an event, it is one line on its way. */
static void relayed(void **state)
{
	int ends[2];
	char text[4096], *rest = NULL;
	struct mm_relay_end end = { 0 };
	(void)state;
	assert_int_equal(pipe(ends), 0);
	mm_relay_to(ends[1]);
	mm_event_stage(MM_EVENT_BEGIN, "a/b", "compile", NULL);
	mm_event_progress("a/b", "compile", 7, 4000000000u);
	mm_warn("two\nlines, a \"quote\" and \303\251");
	mm_relay_end(MM_EENV, "the disk is full");
	close(ends[1]);
	ssize_t got = read(ends[0], text, sizeof text - 1);
	assert_true(got > 0);
	text[got] = '\0';
	close(ends[0]);
	mm_event_set_sink(see, NULL);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_false(end.said);
		mm_relay_take(line, &end);
	}
	assert_string_equal(seen, "0 a/b compile 0/0 -\n1 a/b compile 7/4000000000 -\n"
				  "6 - - 0/0 two\nlines, a \"quote\" and \303\251\n");
	assert_true(end.said);
	assert_int_equal(end.code, MM_EENV);
	assert_string_equal(end.text, "the disk is full");
	free(end.text);
	free(seen);
	seen = NULL;
}

static void lines_that_are_none(void **state)
{
	static const char *const lines[] = { "",
					     "Segmentation fault",
					     "{",
					     "[1]",
					     "null",
					     "{\"event\": 7}",
					     "{\"event\": -1}",
					     "{\"event\": \"0\"}",
					     "{\"end\": 1}",
					     "{\"end\": -99}",
					     "{\"end\": null}" };
	struct mm_relay_end end = { 0 };
	(void)state;
	mm_event_set_sink(see, NULL);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		mm_relay_take(lines[i], &end);
	assert_null(seen);
	assert_false(end.said);
	mm_relay_take("{\"end\": 0}", &end);
	assert_true(end.said && end.code == 0);
	free(end.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(relayed),
		cmocka_unit_test(lines_that_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
