/*
 * Two passes that disagree are looked at. The operation follows from their checksums of operations. The statement
 * follows from what the passes met when they were held against the run's ledger (runners/ledger.h): both were held
 * against the same one, so that the one that left it first shows where the two part; when both left it at the same
 * statement, they part there if they answered it differently.
 */
#include "reports/answers.h"

#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "reports/text.h"

enum { SHOWN_STATEMENT = 300 };

/* One pass of one side. */
struct side {
	const struct mm_samples *series;
	const struct mm_samples_test *test;
	size_t pass;
};

static const char *checksum_of(const struct side *side)
{
	return side->test->checksum[side->pass];
}

static const json_t *extra_of(const struct side *side)
{
	return json_array_get(json_object_get(side->test->json, "extra"), side->pass);
}

/* The first pass of SERIES whose checksum is there and not UNWANTED (NULL: any). */
static bool find_pass(const struct mm_samples *series, const struct mm_samples_test *test, const char *unwanted,
		      struct side *out)
{
	for (size_t i = 0; i < series->pass_count; i++)
		if (test->checksum[i] != NULL && (unwanted == NULL || strcmp(test->checksum[i], unwanted) != 0)) {
			*out = (struct side){ series, test, i };
			return true;
		}
	return false;
}

/* Two passes that disagree: one of each side if there are such. */
static bool find_two(const struct mm_samples *baseline, const struct mm_samples_test *b,
		     const struct mm_samples *candidate, const struct mm_samples_test *c, struct side sides[2])
{
	if (find_pass(baseline, b, NULL, &sides[0]))
		return find_pass(candidate, c, checksum_of(&sides[0]), &sides[1]) ||
		       find_pass(baseline, b, checksum_of(&sides[0]), &sides[1]);
	return find_pass(candidate, c, NULL, &sides[0]) && find_pass(candidate, c, checksum_of(&sides[0]), &sides[1]);
}

static const json_t *operation_of(const struct side *side, const char *name)
{
	return json_object_get(json_object_get(extra_of(side), "operations"), name);
}

static const char *operation_checksum(const struct side *side, const char *name)
{
	return name == NULL ? NULL : mm_json_string(operation_of(side, name), "checksum", NULL);
}

/* The first operation with checksums that differ; NULL: none, or they were not computed. */
static const char *first_operation(const struct side sides[2])
{
	const char *name;
	json_t *operation;

	json_object_foreach(mm_json_each(json_object_get(extra_of(&sides[0]), "operations")), name, operation) {
		const char *b = mm_json_string(operation, "checksum", NULL), *c = operation_checksum(&sides[1], name);

		if (b != NULL && c != NULL && strcmp(b, c) != 0)
			return name;
	}
	return NULL;
}

/* Did the pass answer all as the ledger that OTHER was held against? */
static bool agrees_with(const struct side *side, const json_t *other)
{
	return strcmp(checksum_of(side), mm_json_string(other, "reference_checksum", "")) == 0;
}

/* What a pass met where the two part; NULL when that cannot be told. */
static const json_t *first_statement(const struct side sides[2])
{
	const json_t *b = json_object_get(extra_of(&sides[0]), "first_difference");
	const json_t *c = json_object_get(extra_of(&sides[1]), "first_difference");
	int64_t nb = mm_json_integer(b, "statement_number", 0), nc = mm_json_integer(c, "statement_number", 0);

	if (b == NULL)
		return c != NULL && agrees_with(&sides[0], c) ? c : NULL;
	if (c == NULL)
		return agrees_with(&sides[1], b) ? b : NULL;
	if (strcmp(mm_json_string(b, "reference_checksum", ""), mm_json_string(c, "reference_checksum", "")) != 0)
		return NULL;
	if (nb != nc)
		return nb < nc ? b : c;
	return strcmp(mm_json_string(b, "answer", ""), mm_json_string(c, "answer", "")) != 0 ? c : NULL;
}

static json_t *side_json(const struct side *side, const char *operation)
{
	json_t *json = json_object();

	mm_json_put_string(json, "cell", side->series->cell);
	mm_json_put_integer(json, "pass", side->series->passes[side->pass].index);
	mm_json_put_string(json, "checksum", checksum_of(side));
	mm_json_put_string(json, "operation_checksum", operation_checksum(side, operation));
	return json;
}

json_t *mm_answers_difference(const struct mm_samples *baseline, const struct mm_samples_test *b,
			      const struct mm_samples *candidate, const struct mm_samples_test *c)
{
	struct side sides[2];
	json_t *json, *list;
	const char *operation;
	const json_t *statement;

	if (!find_two(baseline, b, candidate, c, sides))
		return NULL;
	json = json_object();
	statement = first_statement(sides);
	operation = statement != NULL ? mm_json_string(statement, "operation", NULL) : first_operation(sides);
	mm_json_put_string(json, "operation", operation);
	if (statement != NULL) {
		mm_json_put_string(json, "statement", mm_json_string(statement, "statement", NULL));
		mm_json_put_integer(json, "statement_number", mm_json_integer(statement, "statement_number", 0));
	} else if (operation != NULL) {
		mm_json_put_string(
			json, "statement",
			mm_json_string(json_object_get(b->json, "first_statements"), operation,
				       mm_json_string(operation_of(&sides[0], operation), "first_statement", NULL)));
	}
	mm_json_put_bool(json, "exact", statement != NULL);
	list = json_array();
	json_array_append_new(list, side_json(&sides[0], operation));
	json_array_append_new(list, side_json(&sides[1], operation));
	json_object_set_new(json, "sides", list);
	return json;
}

/* Every distinct checksum of a side with the passes that gave it. */
static void say_answers(const struct mm_samples *series, const struct mm_samples_test *test, struct mm_buffer *out)
{
	for (size_t i = 0; i < series->pass_count; i++) {
		size_t earlier = 0, same = 0;

		if (test->checksum[i] == NULL)
			continue;
		while (earlier < i &&
		       (test->checksum[earlier] == NULL || strcmp(test->checksum[earlier], test->checksum[i]) != 0))
			earlier++;
		if (earlier < i)
			continue;
		for (size_t j = i; j < series->pass_count; j++)
			same += test->checksum[j] != NULL && strcmp(test->checksum[j], test->checksum[i]) == 0;
		mm_buffer_printf(out, "%s'%s' answered %s in %zu pass%s (first in pass %d)",
				 out->length > 0 ? "; " : "", series->cell, test->checksum[i], same,
				 same == 1 ? "" : "es", series->passes[i].index);
	}
}

static void say_place(const json_t *difference, struct mm_buffer *out)
{
	const char *operation = mm_json_string(difference, "operation", NULL);
	const char *statement = mm_json_string(difference, "statement", NULL);
	const json_t *sides = json_object_get(difference, "sides"), *side;
	bool exact = mm_json_true(difference, "exact");
	size_t i;

	if (exact)
		mm_buffer_printf(out, "; the first statement that differs is number %lld of the test",
				 (long long)mm_json_integer(difference, "statement_number", 0));
	else if (operation != NULL)
		mm_buffer_puts(out, "; the first operation that differs is");
	else
		return;
	if (operation != NULL)
		mm_buffer_printf(out, "%s '%s'", exact ? ", in operation" : "", operation);
	json_array_foreach(sides, i, side)
		if (mm_json_string(side, "operation_checksum", NULL) != NULL)
			mm_buffer_printf(out, "%s%s of '%s'%s", i == 0 ? " (" : ", ",
					 mm_json_string(side, "operation_checksum", ""),
					 mm_json_string(side, "cell", ""), i == 1 ? ")" : "");
	if (statement != NULL)
		mm_buffer_printf(out, "%s: %.*s%s", exact ? "" : ", which begins with", SHOWN_STATEMENT, statement,
				 strlen(statement) > SHOWN_STATEMENT ? " …" : "");
}

char *mm_answers_text(const json_t *difference, const struct mm_samples *baseline, const struct mm_samples_test *b,
		      const struct mm_samples *candidate, const struct mm_samples_test *c)
{
	struct mm_buffer text = MM_BUFFER_INIT;

	say_answers(baseline, b, &text);
	say_answers(candidate, c, &text);
	say_place(difference, &text);
	return mm_buffer_detach(&text);
}
