#include "runners/sysbench-output.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"

/* What stands behind LABEL at the start of LINE, spaces aside; NULL when the line is another one. */
static const char *after(const char *line, const char *label)
{
	line += strspn(line, " \t");
	return strncmp(line, label, strlen(label)) == 0 ? line + strlen(label) : NULL;
}

/* A number from 0 on at the start of TEXT; NaN when there is none. END: behind it. */
static double number(const char *text, const char **end)
{
	char *stop = NULL;
	double value = text == NULL ? NAN : strtod(text, &stop);

	if (stop == NULL || stop == text || !isfinite(value) || value < 0)
		return NAN;
	if (end != NULL)
		*end = stop;
	return value;
}

static void take(double found, double *into)
{
	if (isfinite(found))
		*into = found;
}

/* "LABEL  N  (R per sec.)"; RATE may be NULL. */
static void take_count(const char *line, const char *label, double *count, double *rate)
{
	const char *text = after(line, label), *bracket = text == NULL ? NULL : strchr(text, '(');

	take(number(text, NULL), count);
	if (rate != NULL && bracket != NULL && strstr(bracket, "per sec") != NULL)
		take(number(bracket + 1, NULL), rate);
}

/* "LABEL  5.30ms", "LABEL 0.0053s" of 0.4, "LABEL  5.30" of 1.0, whose unit stands above; in milliseconds. */
static void take_latency(const char *line, const char *label, double *into)
{
	const char *unit = "";
	double value = number(after(line, label), &unit);

	if (isfinite(value))
		*into = unit[0] == 's' ? value * 1000 : value;
}

/* "95th percentile:  5.37" and "approx.  95 percentile:  162.50ms". */
static void take_percentile(const char *line, struct mm_sysbench_output *output)
{
	const char *text = after(line, "approx."), *colon = strstr(line, "percentile:");
	double which = number(text != NULL ? text : line, NULL);

	if (colon == NULL || !isfinite(which) || which < 1 || which > 100)
		return;
	output->percentile = (int)which;
	take_latency(colon, "percentile:", &output->latency_percentile_ms);
}

static void read_line(const char *line, struct mm_sysbench_output *output)
{
	double threads = number(after(line, "Number of threads:"), NULL);

	if (line[strspn(line, " ")] == '[') /* an interval */
		return;
	if (threads >= 1 && threads <= 1000000)
		output->threads = (int)threads;
	take_count(line, "transactions:", &output->transactions, &output->transactions_per_second);
	take_count(line, "queries:", &output->queries, &output->queries_per_second);
	take_count(line, "ignored errors:", &output->errors, NULL);
	take_count(line, "deadlocks:", &output->errors, NULL);
	take_count(line, "reconnects:", &output->reconnects, NULL);
	take(number(after(line, "events/s (eps):"), NULL), &output->events_per_second);
	take(number(after(line, "total number of events:"), NULL), &output->events);
	take(number(after(line, "total time:"), NULL), &output->seconds);
	take(number(after(line, "time elapsed:"), NULL), &output->seconds);
	take_latency(line, "min:", &output->latency_min_ms);
	take_latency(line, "avg:", &output->latency_avg_ms);
	take_latency(line, "max:", &output->latency_max_ms);
	take_percentile(line, output);
	if (output->fatal == NULL && after(line, "FATAL:") != NULL)
		output->fatal = mm_strdup(line + strspn(line, " \t"));
}

/* 0.4 counts queries in a table of their own: "    total:   140000". */
static bool reads_queries(const char *line, bool inside, struct mm_sysbench_output *output)
{
	if (after(line, "queries performed:") != NULL)
		return true;
	if (inside && after(line, "total:") != NULL) {
		take(number(after(line, "total:"), NULL), &output->queries);
		return false;
	}
	return inside;
}

void mm_sysbench_output_read(const char *text, struct mm_sysbench_output *output)
{
	bool inside = false;

	*output = (struct mm_sysbench_output){ 0,   NAN, NAN, NAN, NAN, NAN, NAN, NAN,
					       NAN, NAN, NAN, NAN, 0,   NAN, NAN, NULL };
	while (*text != '\0') {
		size_t length = strcspn(text, "\r\n");
		char *line = mm_strndup(text, length);

		inside = reads_queries(line, inside, output);
		read_line(line, output);
		free(line);
		text += length + strspn(text + length, "\r\n");
	}
	/* what older and newer versions do not print themselves */
	if (!isfinite(output->events_per_second) && output->seconds > 0)
		output->events_per_second = output->events / output->seconds;
	if (!isfinite(output->queries_per_second) && output->seconds > 0)
		output->queries_per_second = output->queries / output->seconds;
}

void mm_sysbench_output_release(struct mm_sysbench_output *output)
{
	free(output->fatal);
	output->fatal = NULL;
}
