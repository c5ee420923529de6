/* suites: tests, operations and how often each is done. */
#include <signal.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "runners/suite.h"

static int unknown_suite(const char *name, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (const struct mm_suite *const *suite = mm_suite_all(); *suite; suite++)
		mm_strings_push(&names, (*suite)->name);
	char *all = mm_strings_join(&names, ", ");
	const char *nearest = mm_nearest(name, &names);
	int code = nearest ? mm_error_set(err, MM_EUSAGE, "unknown suite '%s': did you mean '%s'?", name, nearest)
			   : mm_error_set(err, MM_EUSAGE, "unknown suite '%s': there is %s", name, all);
	free(all);
	mm_strings_release(&names);
	return code;
}

/* A figure that is not there is "-": how often a suite does something can be open until it has run. */
static void put_count(struct mm_buffer *out, const char *indent, const char *name, const json_t *count)
{
	mm_buffer_printf(out, "%s%-*s ", indent, 36 - (int)strlen(indent), name);
	if (json_is_integer(count))
		mm_buffer_printf(out, "%10lld", (long long)json_integer_value(count));
	else
		mm_buffer_printf(out, "%10s", "-");
}

static void put_table(const json_t *description, struct mm_buffer *out)
{
	size_t i;
	const json_t *test;
	json_int_t all = 0;
	json_array_foreach(json_object_get(description, "tests"), i, test) {
		const char *skipped = mm_json_string(test, "skipped", NULL);
		const char *name;
		json_t *count;
		put_count(out, "", mm_json_string(test, "test", "?"), json_object_get(test, "total"));
		mm_buffer_printf(out, "%s%s\n", skipped ? "  not run: " : "", skipped ? skipped : "");
		json_t *operations = json_object_get(test, "operations");
		json_object_foreach(operations, name, count) {
			put_count(out, "  ", name, count);
			mm_buffer_putc(out, '\n');
		}
		all += json_integer_value(json_object_get(test, "total"));
	}
	if (all > 0)
		mm_buffer_printf(out, "%-36s %10lld\n", "operations of a pass", (long long)all);
}

#define SMALL_SCALE 0.001

void mm_cli_suite_tests(const struct mm_suite_spec *spec, struct mm_strings *names)
{
	const struct mm_suite *suite = mm_suite_find(spec->suite);
	struct mm_suite_spec small = *spec; /* the tests are the same at every scale, and counting statements takes time */
	const json_t *test;
	size_t i;
	small.scale = SMALL_SCALE;
	mm_strings_extend(names, &spec->tests);
	json_t *description = suite && !spec->tests.count ? suite->describe(&small) : NULL;
	json_array_foreach(json_object_get(description, "tests"), i, test)
		mm_strings_push(names, mm_json_string(test, "test", ""));
	json_decref(description);
}

int mm_cli_describe_suite(const struct mm_arguments *arguments, const char *name, char *const *tests, size_t test_count,
			  json_t **description, struct mm_error *err)
{
	const struct mm_suite *suite = mm_suite_find(name);
	if (!suite)
		return unknown_suite(name, err);
	struct mm_suite_spec spec = {
		.name = mm_strdup(suite->name),
		.suite = mm_strdup(suite->name),
		.passes = 10,
		.scale = arguments->overrides.scale > 0 ? arguments->overrides.scale : 1.0,
		.edition = mm_strdup(arguments->edition ? arguments->edition : "5.0"),
		.engine = mm_strdup("default"),
	};
	for (size_t i = 0; i < test_count; i++)
		mm_strings_push(&spec.tests, tests[i]);
	int code = suite->check(&spec, err);
	if (!code)
		*description = suite->describe(&spec);
	mm_strings_release(&spec.tests);
	free(spec.name);
	free(spec.suite);
	free(spec.edition);
	free(spec.engine);
	return code;
}

static int describe(const struct mm_arguments *arguments, struct mm_buffer *out, struct mm_error *err)
{
	const struct mm_strings *words = &arguments->positional;
	json_t *description = NULL;
	int code = mm_cli_describe_suite(arguments, words->items[0], words->items + 1, words->count - 1, &description,
					 err);
	if (code == MM_EMATRIX) /* the command line's mistake here, not a file's */
		code = MM_EUSAGE;
	if (!code && arguments->format && strcmp(arguments->format, "json") == 0) {
		char *text = mm_json_text(description);
		mm_buffer_puts(out, text);
		free(text);
	} else if (!code) {
		put_table(description, out);
	}
	json_decref(description);
	return code;
}

int mm_command_suites(const struct mm_arguments *arguments, struct mm_error *err)
{
	(void)signal(SIGINT, SIG_DFL); /* nothing is to be tidied up, and at a large scale counting takes minutes */
	struct mm_buffer out = MM_BUFFER_INIT;
	int code = 0;
	if (arguments->positional.count) {
		code = describe(arguments, &out, err);
	} else {
		for (const struct mm_suite *const *suite = mm_suite_all(); *suite; suite++)
			mm_buffer_printf(&out, "%s\n", (*suite)->name);
	}
	if (!code)
		code = mm_output(arguments, mm_buffer_text(&out), out.length, err);
	mm_buffer_release(&out);
	return code;
}
