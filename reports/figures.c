#include "reports/figures.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/statistics.h"

/* The summary of the column KEY of a test; what is no number is missing. */
static struct mm_summary summary_of(const json_t *test, const char *key)
{
	const json_t *list = json_object_get(test, key), *value;
	double *values = mm_calloc(json_array_size(list) + 1, sizeof(*values));
	struct mm_summary summary;
	size_t i;

	json_array_foreach(list, i, value)
		values[i] = json_is_number(value) ? json_number_value(value) : NAN;
	mm_summary_make(values, json_array_size(list), &summary);
	free(values);
	return summary;
}

static json_t *test_json(const json_t *test)
{
	struct mm_summary figure = summary_of(test, "values"), cpu = summary_of(test, "server_cpu_seconds");
	json_t *json = json_object();

	mm_json_put_string(json, "test", mm_json_string(test, "test", ""));
	mm_json_put_string(json, "unit", mm_json_string(test, "unit", "s"));
	mm_json_put_real(json, "mean", figure.mean);
	mm_json_put_real(json, "sd_percent", figure.mean > 0 ? 100 * figure.sd / figure.mean : NAN);
	mm_json_put_real(json, "server_cpu", cpu.mean);
	return json;
}

static json_t *series_json(const json_t *series)
{
	json_t *json = json_object(), *tests = json_array();
	const json_t *item;
	int64_t good = 0;
	size_t i;

	json_array_foreach(json_object_get(series, "passes"), i, item)
		good += mm_json_string(item, "failure", NULL) == NULL;
	json_array_foreach(json_object_get(series, "tests"), i, item)
		json_array_append_new(tests, test_json(item));
	mm_json_put_string(json, "cell", mm_json_string(series, "cell", ""));
	mm_json_put_string(json, "suite", mm_json_string(series, "suite", ""));
	mm_json_put_integer(json, "passes", good);
	json_object_set_new(json, "tests", tests);
	return json;
}

static bool is_about(const json_t *comparison, const char *cell, const char *suite)
{
	return strcmp(mm_json_string(comparison, "suite", ""), suite) == 0 &&
	       (strcmp(mm_json_string(comparison, "baseline", ""), cell) == 0 ||
		strcmp(mm_json_string(comparison, "candidate", ""), cell) == 0);
}

static bool is_compared(const json_t *report, const json_t *series)
{
	const char *cell = mm_json_string(series, "cell", ""), *suite = mm_json_string(series, "suite", "");
	const json_t *comparison;
	size_t i;

	json_array_foreach(json_object_get(report, "comparisons"), i, comparison)
		if (is_about(comparison, cell, suite))
			return true;
	return false;
}

json_t *mm_figures_alone(const json_t *report)
{
	json_t *list = json_array();
	const json_t *series;
	size_t i;

	json_array_foreach(json_object_get(report, "samples"), i, series)
		if (json_array_size(json_object_get(series, "tests")) > 0 && !is_compared(report, series))
			json_array_append_new(list, series_json(series));
	return list;
}
