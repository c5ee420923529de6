#include "runners/figures.h"

#include <math.h>

#include "base/memory.h"

enum { MOST_FIGURES = 1000, MOST_NAME = 100 };

/* Units whose direction needs not be said: of times. */
static bool is_time(const char *unit)
{
	static const char *const times[] = { "s", "ms", "us", "ns", "seconds", "min" };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (strcmp(unit, times[i]) == 0)
			return true;
	return false;
}

static bool is_rate(const char *unit)
{
	size_t length = strlen(unit);

	return length > 2 && strcmp(unit + length - 2, "/s") == 0;
}

/* 1: higher is better; 0: lower; -1: nobody says; -2: WORD is none of both. */
static int direction(const char *unit, const char *word)
{
	if (word == NULL)
		return is_time(unit) ? 0 : is_rate(unit) ? 1 : -1;
	if (strcmp(word, "lower") == 0)
		return 0;
	return strcmp(word, "higher") == 0 ? 1 : -2;
}

static bool has_test(const struct mm_pass *pass, const char *name)
{
	for (size_t i = 0; i < pass->test_count; i++)
		if (strcmp(pass->tests[i].name, name) == 0)
			return true;
	return false;
}

/* What is wrong with a line, NULL: nothing. *VALUE and *BETTER are what it says. */
static const char *find_fault(const struct mm_strings *words, const struct mm_pass *pass, double *value, int *better)
{
	char *end;

	if (words->count < 3 || words->count > 4)
		return "3 or 4 words are needed";
	*value = strtod(words->items[1], &end);
	*better = direction(words->items[2], words->items[3]);
	if (end == words->items[1] || *end != '\0' || !isfinite(*value) || *value < 0)
		return "the value must be a number from 0 on";
	if (*better == -2)
		return "the last word must be 'lower' or 'higher': which is better";
	if (*better == -1)
		return "say 'lower' or 'higher' behind the unit: which is better";
	if (strlen(words->items[0]) > MOST_NAME)
		return "the name is too long";
	if (has_test(pass, words->items[0]))
		return "this name was printed before";
	return pass->test_count >= MOST_FIGURES ? "there are too many figures" : NULL;
}

static int read_line(const char *line, struct mm_pass *pass, struct mm_error *err)
{
	struct mm_strings words = MM_STRINGS_INIT;
	struct mm_test_sample *test;
	const char *fault = NULL;
	double value = 0;
	int rc = 0, better = 0;

	mm_strings_split(&words, line);
	if (words.count == 0 || words.items[0][0] == '#')
		goto out;
	fault = find_fault(&words, pass, &value, &better);
	if (fault != NULL) {
		rc = mm_error_set(
			err, MM_ECELL,
			"printed '%.200s': %s; a line is 'name value unit [lower|higher]', or begins with '#'", line,
			fault);
		goto out;
	}
	test = mm_pass_add_test(pass, words.items[0]);
	test->value = value;
	test->unit = test->unit_owned = mm_strdup(words.items[2]);
	test->higher_is_better = better == 1;
out:
	mm_strings_release(&words);
	return rc;
}

int mm_figures_read(const char *text, struct mm_pass *pass, struct mm_error *err)
{
	size_t before = pass->test_count;
	int rc = 0;

	while (rc == 0 && *text != '\0') {
		size_t length = strcspn(text, "\r\n");
		char *line = mm_strndup(text, length);

		rc = read_line(line, pass, err);
		free(line);
		text += length + strspn(text + length, "\r\n");
	}
	if (rc == 0 && pass->test_count == before)
		rc = mm_error_set(err, MM_ECELL,
				  "printed no figure: a line 'name value unit [lower|higher]' is needed");
	return rc;
}
