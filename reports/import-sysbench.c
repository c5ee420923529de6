/*
 * sysbench's text. What is taken: the rate of the whole run (transactions where the script has them, else events) and
 * the number of threads.
 */
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "reports/import.h"
#include "runners/sysbench-output.h"

/* The test's name: what a run of the suite calls it too. Allocated. */
static char *test_name(const struct mm_sysbench_output *output, const char *unit)
{
	if (output->threads > 0)
		return mm_format("%d thread%s", output->threads, output->threads == 1 ? "" : "s");
	return mm_strndup(unit, strcspn(unit, "/"));
}

int mm_import_sysbench(struct mm_import_target *target, const char *name, const char *text, struct mm_error *err)
{
	static const char fatal[] = "sysbench ended with a FATAL line";
	struct mm_sysbench_output output;
	const char *unit = "transactions/s";
	double rate;
	int status = 0;

	mm_sysbench_output_read(text, &output);
	rate = output.transactions_per_second;
	if (!isfinite(rate)) {
		unit = "events/s";
		rate = output.events_per_second;
	}
	if (isfinite(rate)) {
		char *test = test_name(&output, unit);
		json_t *entry = mm_import_test(target, test, unit, "higher");

		mm_import_append(entry, "samples", output.fatal != NULL ? NAN : rate);
		if (output.fatal != NULL)
			mm_import_skip(entry, fatal);
		free(test);
	} else {
		status = mm_error_set(
			err, MM_EMATRIX,
			"'%s': not the output of a sysbench run: neither 'transactions:' with a rate nor 'events/s "
			"(eps):' nor a number of events and a total time stands there%s%s",
			name, output.fatal != NULL ? "; " : "", output.fatal != NULL ? fatal : "");
	}
	mm_sysbench_output_release(&output);
	return status;
}
