/* Samples from their JSON form into arrays that can be computed with. */
#include "reports/samples.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

/* An array of COUNT numbers, NaN where JSON has null or nothing. Negative and non-numeric elements are an error. */
static int load_numbers(const json_t *json, size_t count, const char *place, const char *key, double **out,
			struct mm_error *err)
{
	double *values = mm_calloc(count + 1, sizeof(*values));

	*out = values;
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(json, i);

		values[i] = NAN;
		if (item == NULL || json_is_null(item))
			continue;
		if (!json_is_number(item) || json_number_value(item) < 0)
			return mm_error_set(err, MM_EMATRIX, "%s.%s[%zu]: a number from 0 on or null is needed", place,
					    key, i);
		values[i] = json_number_value(item);
	}
	if (json != NULL && !json_is_null(json) && (!json_is_array(json) || json_array_size(json) > count))
		return mm_error_set(err, MM_EMATRIX,
				    "%s.%s: an array of at most %zu numbers is needed, one for each pass", place, key,
				    count);
	return 0;
}

static int load_passes(const json_t *json, const char *place, struct mm_samples *series, struct mm_error *err)
{
	const json_t *passes = json_object_get(json, "passes"), *pass;
	size_t i;

	if (!json_is_array(passes))
		return mm_error_set(err, MM_EMATRIX, "%s.passes: an array is needed", place);
	series->pass_count = json_array_size(passes);
	series->passes = mm_calloc(series->pass_count + 1, sizeof(*series->passes));
	json_array_foreach(passes, i, pass) {
		int64_t index = mm_json_integer(pass, "index", 0), visit = mm_json_integer(pass, "visit", 1);
		int64_t position = mm_json_integer(pass, "position", 0);

		if (index < 1 || index > 1000000 || visit < 1 || visit > 1000000 || position < 0 ||
		    position > INT32_MAX)
			return mm_error_set(err, MM_EMATRIX, "%s.passes[%zu]: index and visit from 1 on are needed",
					    place, i);
		series->passes[i] = (struct mm_samples_pass){ (int)index, (int)visit, (int)position,
							      json_object_get(pass, "failure") != NULL };
	}
	return 0;
}

static int load_operations(const json_t *json, const char *place, size_t passes, struct mm_samples_test *test,
			   struct mm_error *err)
{
	json_t *all = json_object_get(json, "operations"), *samples;
	const json_t *counts = json_object_get(json, "operation_counts");
	const char *name;
	int status = 0;

	if (all != NULL && !json_is_object(all))
		return mm_error_set(err, MM_EMATRIX, "%s.operations: an object of lists is needed", place);
	test->operations = mm_calloc(json_object_size(all) + 1, sizeof(*test->operations));
	json_object_foreach(all, name, samples) {
		struct mm_samples_operation *operation = &test->operations[test->operation_count++];

		operation->name = name;
		operation->count = mm_json_integer(counts, name, 0);
		status = load_numbers(samples, passes, place, name, &operation->wall, err);
		if (status != 0)
			break;
	}
	return status;
}

static bool is_rate(const struct mm_samples_test *test)
{
	size_t length = strlen(test->unit);

	return test->higher_is_better && length > 2 && strcmp(test->unit + length - 2, "/s") == 0;
}

const char *mm_samples_cpu_unit(const struct mm_samples_test *test)
{
	return is_rate(test) ? "s/event" : "s";
}

/* A run of fixed time burns the same CPU whatever it gets done: what compares is the CPU for one event. */
static void divide_cpu_by_work(struct mm_samples_test *test, size_t passes)
{
	for (size_t i = 0; i < passes; i++) {
		double work = test->value[i] * test->wall[i];

		test->server_cpu[i] = work > 0 ? test->server_cpu[i] / work : NAN;
	}
}

static int load_test(const json_t *json, const char *place, size_t passes, struct mm_samples_test *test,
		     struct mm_error *err)
{
	const json_t *checksums = json_object_get(json, "checksums");
	const char *better = mm_json_string(json, "better", "lower");
	int status;

	test->json = json;
	test->name = mm_json_string(json, "test", NULL);
	test->unit = mm_json_string(json, "unit", "s");
	test->skipped = mm_json_string(json, "skipped", NULL);
	test->aggregated = mm_json_true(json, "aggregated");
	test->resolution = mm_json_number(json, "resolution", 0);
	test->operation_resolution = mm_json_number(json, "operation_resolution", 0);
	test->higher_is_better = strcmp(better, "higher") == 0;
	test->checksum = mm_calloc(passes + 1, sizeof(*test->checksum));
	if (test->name == NULL)
		return mm_error_set(err, MM_EMATRIX, "%s.test: a name is needed", place);
	if (!test->higher_is_better && strcmp(better, "lower") != 0)
		return mm_error_set(err, MM_EMATRIX, "%s.better: '%s' is neither \"lower\" nor \"higher\"", place,
				    better);
	for (size_t i = 0; i < passes; i++)
		test->checksum[i] = json_string_value(json_array_get(checksums, i));
	status = load_numbers(json_object_get(json, "values"), passes, place, "values", &test->value, err);
	if (status == 0)
		status = load_numbers(json_object_get(json, "wall_seconds"), passes, place, "wall_seconds", &test->wall,
				      err);
	if (status == 0)
		status = load_numbers(json_object_get(json, "server_cpu_seconds"), passes, place, "server_cpu_seconds",
				      &test->server_cpu, err);
	if (status == 0 && is_rate(test))
		divide_cpu_by_work(test, passes);
	return status == 0 ? load_operations(json, place, passes, test, err) : status;
}

int mm_samples_load(json_t *json, const char *place, struct mm_samples *series, struct mm_error *err)
{
	const json_t *tests = json_object_get(json, "tests"), *test;
	size_t i;
	int status;

	*series = (struct mm_samples){ .json = json_incref(json), .places = json_object() };
	series->cell = mm_json_string(json, "cell", NULL);
	series->suite = mm_json_string(json, "suite", NULL);
	if (series->cell == NULL || series->suite == NULL || !json_is_array(tests)) {
		status = mm_error_set(err, MM_EMATRIX, "%s: cell, suite and tests are needed", place);
		goto out;
	}
	status = load_passes(json, place, series, err);
	series->tests = mm_calloc(json_array_size(tests) + 1, sizeof(*series->tests));
	json_array_foreach(tests, i, test) {
		char *inner;

		if (status != 0)
			break;
		inner = mm_format("%s.tests[%zu]", place, i);
		series->test_count++;
		status = load_test(test, inner, series->pass_count, &series->tests[i], err);
		if (status == 0 && mm_samples_find(series, series->tests[i].name) != NULL)
			status = mm_error_set(err, MM_EMATRIX, "%s: test '%s' stands there twice", inner,
					      series->tests[i].name);
		if (status == 0)
			json_object_set_new(series->places, series->tests[i].name, json_integer((json_int_t)i));
		free(inner);
	}
out:
	if (status != 0)
		mm_samples_release(series);
	return status;
}

void mm_samples_release(struct mm_samples *series)
{
	for (size_t i = 0; i < series->test_count; i++) {
		struct mm_samples_test *test = &series->tests[i];

		for (size_t j = 0; j < test->operation_count; j++)
			free(test->operations[j].wall);
		free(test->operations);
		free(test->value);
		free(test->wall);
		free(test->server_cpu);
		free(test->checksum);
	}
	free(series->tests);
	free(series->passes);
	json_decref(series->places);
	json_decref(series->json);
	*series = (struct mm_samples){ 0 };
}

const struct mm_samples_test *mm_samples_find(const struct mm_samples *series, const char *test)
{
	const json_t *place = json_object_get(series->places, test);

	return place != NULL ? &series->tests[json_integer_value(place)] : NULL;
}

int mm_samples_pass_place(const struct mm_samples *series, int index, int visit)
{
	for (size_t i = 0; i < series->pass_count; i++)
		if (series->passes[i].index == index && series->passes[i].visit == visit)
			return (int)i;
	return -1;
}

void mm_pairing_by_index(const struct mm_samples *baseline, const struct mm_samples *candidate,
			 struct mm_pairing *pairing)
{
	*pairing = (struct mm_pairing){ mm_calloc(baseline->pass_count + 1, sizeof(*pairing->pairs)), 0 };
	for (size_t i = 0; i < baseline->pass_count; i++) {
		const struct mm_samples_pass *b = &baseline->passes[i];
		long nearest = LONG_MAX;
		size_t slot = 0;

		while (slot < pairing->count && baseline->passes[pairing->pairs[slot].baseline].index != b->index)
			slot++;
		if (slot < pairing->count) { /* a further visit: only when it stands nearer to a candidate's pass */
			const struct mm_samples_pass *c = &candidate->passes[pairing->pairs[slot].candidate];

			nearest = labs((long)c->position - baseline->passes[pairing->pairs[slot].baseline].position);
		}
		for (size_t j = 0; j < candidate->pass_count; j++) {
			const struct mm_samples_pass *c = &candidate->passes[j];
			long distance = labs((long)c->position - b->position);

			if (c->index != b->index || distance >= nearest)
				continue;
			nearest = distance;
			pairing->pairs[slot].baseline = (int)i;
			pairing->pairs[slot].candidate = (int)j;
			pairing->pairs[slot].control = -1;
			if (slot == pairing->count)
				pairing->count++;
		}
	}
}

void mm_pairing_release(struct mm_pairing *pairing)
{
	free(pairing->pairs);
	*pairing = (struct mm_pairing){ NULL, 0 };
}
