/*
 * sysbench's text. What is taken: the rate of the whole run (transactions where the script has them, else events) and
 * the number of threads. Interval lines ("[ 10s ] …") are parts of that and no samples.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/import.h"

struct figures {
	double transactions, events; /* per second */
	double seconds, event_count;
	int threads;
	const char *trouble;
};

/* The number behind LABEL at the start of a line (spaces aside); NaN when the line is another one. */
static double number_after(const char *line, const char *label)
{
	char *end;
	double value;

	line += strspn(line, " \t");
	if (strncmp(line, label, strlen(label)) != 0)
		return NAN;
	line += strlen(label);
	value = strtod(line, &end);
	return end != line && isfinite(value) && value >= 0 ? value : NAN;
}

/* R of "transactions:   N   (R per sec.)". */
static double rate_in(const char *line, const char *label)
{
	const char *bracket = strchr(line, '(');

	if (!isfinite(number_after(line, label)) || bracket == NULL || strstr(bracket, "per sec") == NULL)
		return NAN;
	return number_after(bracket, "(");
}

static void take(double found, double *into)
{
	if (isfinite(found))
		*into = found;
}

static void read_line(const char *line, struct figures *figures)
{
	double threads;

	if (line[strspn(line, " ")] == '[') /* an interval */
		return;
	take(rate_in(line, "transactions:"), &figures->transactions);
	take(number_after(line, "events/s (eps):"), &figures->events);
	take(number_after(line, "total time:"), &figures->seconds);
	take(number_after(line, "time elapsed:"), &figures->seconds);
	take(number_after(line, "total number of events:"), &figures->event_count);
	threads = number_after(line, "Number of threads:");
	if (isfinite(threads) && threads >= 1 && threads <= 1000000)
		figures->threads = (int)threads;
	if (strncmp(line, "FATAL:", 6) == 0)
		figures->trouble = "sysbench ended with a FATAL line";
}

int mm_import_sysbench(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err)
{
	struct figures figures = { NAN, NAN, NAN, NAN, 0, NULL };
	const char *unit = "transactions/s";
	char *line, *test;
	double rate;
	json_t *entry;

	while ((line = mm_import_line(&text)) != NULL) {
		read_line(line, &figures);
		free(line);
	}
	rate = figures.transactions;
	if (!isfinite(rate)) {
		unit = "events/s";
		rate = isfinite(figures.events) ? figures.events : figures.event_count / figures.seconds;
	}
	if (!isfinite(rate))
		return mm_error_set(
			err, MM_EMATRIX,
			"'%s': not the output of a sysbench run: neither 'transactions:' with a rate nor 'events/s "
			"(eps):' nor a number of events and a total time stands there%s%s",
			name, figures.trouble != NULL ? "; " : "", figures.trouble != NULL ? figures.trouble : "");
	test = figures.threads > 0 ? mm_format("%d thread%s", figures.threads, figures.threads == 1 ? "" : "s")
				   : mm_strdup(unit[0] == 't' ? "transactions" : "events");
	entry = mm_import_test(target, test, unit, "higher");
	mm_import_append(entry, "samples", figures.trouble != NULL ? NAN : rate);
	if (figures.trouble != NULL)
		mm_import_skip(entry, figures.trouble);
	free(test);
	return 0;
}
