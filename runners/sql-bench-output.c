#include "runners/sql-bench-output.h"

#include <math.h>

#include "base/memory.h"

/* What stands behind WITH at the start of LINE, upper and lower case alike; NULL when the line is another one. */
static const char *after(const char *line, const char *with)
{
	size_t length = strlen(with);

	return strncasecmp(line, with, length) == 0 ? line + length : NULL;
}

/* N of "N wallclock secs"; the digits behind its point say how fine the clock was read: none is whole seconds. */
static bool read_wallclock(const char *text, struct mm_sql_bench_line *out)
{
	const char *point;
	char *end;
	double seconds;

	text += strspn(text, " \t");
	seconds = strtod(text, &end);
	if (end == text || !isfinite(seconds) || seconds < 0 || strstr(end, "secs") == NULL)
		return false;
	out->seconds = seconds;
	out->resolution = 1;
	point = memchr(text, '.', (size_t)(end - text));
	for (const char *digit = point == NULL ? end : point + 1; digit < end; digit++)
		out->resolution /= 10;
	return true;
}

/* "[Estimated time] for|to NAME (COUNT…)…: N wallclock secs". */
static bool read_operation(const char *line, struct mm_sql_bench_line *out)
{
	const char *estimated = after(line, "estimated "), *at = estimated != NULL ? estimated : line, *bracket, *colon;
	const char *name = after(at, "time for ");

	if (name == NULL)
		name = after(at, "time to ");
	bracket = name == NULL ? NULL : strchr(name, '(');
	colon = bracket == NULL ? NULL : strchr(bracket, ')');
	colon = colon == NULL ? NULL : strchr(colon, ':');
	if (colon == NULL || !read_wallclock(colon + 1, out))
		return false;
	out->kind = MM_SQL_BENCH_OPERATION;
	out->name = mm_strndup(name, strcspn(name, " \t("));
	out->count = strtoll(bracket + 1, NULL, 10);
	out->estimated = estimated != NULL;
	return true;
}

static bool read_outcome(const char *line, struct mm_sql_bench_line *out)
{
	const char *total = after(line, "total time:");

	if (after(line, "test skipped") != NULL) {
		out->why = line;
	} else if (after(line, "failed") != NULL) {
		out->why = "the test failed";
	} else if (after(line, "estimated total time:") != NULL) {
		out->why = "estimated: the time limit cut the test off, its time is an extrapolation";
		out->estimated = true;
	} else if (total == NULL || !read_wallclock(total, out)) {
		return false;
	}
	out->kind = MM_SQL_BENCH_OUTCOME;
	return true;
}

void mm_sql_bench_line_read(const char *line, struct mm_sql_bench_line *out)
{
	*out = (struct mm_sql_bench_line){ .kind = MM_SQL_BENCH_OTHER, .seconds = NAN };
	if (after(line, "testing server ") != NULL)
		out->kind = MM_SQL_BENCH_BEGIN;
	else if (after(line, "warning") != NULL)
		out->kind = MM_SQL_BENCH_WARNING;
	else if (!read_operation(line, out))
		(void)read_outcome(line, out);
}

void mm_sql_bench_line_release(struct mm_sql_bench_line *line)
{
	free(line->name);
	line->name = NULL;
}
