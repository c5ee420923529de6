#include <getopt.h>

#include "base/memory.h"
#include "cli/command.h"

enum { COMMON = 1 << 30 };

/* Long options that have no short form are numbered from 256, as getopt_long wants them. */
enum option_id {
	OPT_FOLDER = 'C',
	OPT_JOBS = 'j',
	OPT_OUTPUT = 'o',
	OPT_HELP = 'h',
	OPT_QUIET = 'q',
	OPT_VERBOSE = 'v',
	OPT_WORK = 256,
	OPT_CELL,
	OPT_PASSES,
	OPT_SCALE,
	OPT_SOURCE,
	OPT_MAX_REGRESSION,
	OPT_AGAIN,
	OPT_RETRY_FAILED,
	OPT_JSON,
	OPT_FORMAT,
	OPT_COLOR,
	OPT_PROGRESS,
	OPT_UNPAIRED,
	OPT_EDITION,
	OPT_VERSION
};

static const struct option_row {
	int id;
	const char *name, *argument, *help;
	unsigned groups;
} rows[] = {
	{ OPT_FOLDER, "directory", "DIR", "work as if started in DIR", COMMON },
	{ OPT_WORK, "work", "DIR", "work folder (default: .mymatrix)", MM_OPTIONS_MATRIX },
	{ OPT_SOURCE, "source", "NAME=PATH", "take source NAME from PATH, whatever MATRIX.json says", MM_OPTIONS_MATRIX },
	{ OPT_CELL, "cell", "GLOB", "only cells that match GLOB (compare: the cell to take, once for each file)",
	  MM_OPTIONS_MATRIX | MM_OPTIONS_CELL },
	{ OPT_PASSES, "passes", "N", "passes of each suite", MM_OPTIONS_MATRIX },
	{ OPT_SCALE, "scale", "X", "multiply the loop counts of the suites", MM_OPTIONS_MATRIX | MM_OPTIONS_SUITES },
	{ OPT_JOBS, "jobs", "N", "compile jobs at once (default: one for each CPU)", MM_OPTIONS_MATRIX },
	{ OPT_MAX_REGRESSION, "max-regression", "P%", "gate: exit 1 when the candidate is slower by more than P per cent",
	  MM_OPTIONS_MATRIX | MM_OPTIONS_GATE },
	{ OPT_AGAIN, "again", NULL, "start a new run although the last one fits", MM_OPTIONS_RUN },
	{ OPT_RETRY_FAILED, "retry-failed", NULL, "try failed builds and passes again", MM_OPTIONS_RUN },
	{ OPT_UNPAIRED, "unpaired", NULL, "give verdicts for files of different runs, with the caveat", MM_OPTIONS_COMPARE },
	{ OPT_EDITION, "edition", "E", "edition of the suite (5.0, mariadb-10.11)", MM_OPTIONS_SUITES },
	{ OPT_FORMAT, "format", "F", "json, table, markdown, csv, junit or html", MM_OPTIONS_FORMAT },
	{ OPT_JSON, "json", NULL, "the same as --format json", MM_OPTIONS_FORMAT },
	{ OPT_OUTPUT, "output", "FILE", "write to FILE instead of standard output", MM_OPTIONS_FORMAT },
	{ OPT_QUIET, "quiet", NULL, "no progress, only warnings and errors", COMMON },
	{ OPT_VERBOSE, "verbose", NULL, "a line for every event", COMMON },
	{ OPT_COLOR, "color", "WHEN", "auto, always or never", COMMON },
	{ OPT_PROGRESS, "progress", "WHEN", "auto, always or never", COMMON },
	{ OPT_HELP, "help", NULL, "this text", COMMON },
	{ OPT_VERSION, "version", NULL, "print the version", COMMON },
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static bool belongs(const struct option_row *row, const struct mm_command *command)
{
	return row->groups & COMMON || (command && row->groups & command->options);
}

static int bad_value(const struct option_row *row, const char *value, const char *wanted, struct mm_error *err)
{
	return mm_error_set(err, MM_EUSAGE, "--%s '%s': give %s", row->name, value, wanted);
}

static int take_integer(const struct option_row *row, const char *value, int *out, struct mm_error *err)
{
	char *end;
	long number = strtol(value, &end, 10);
	if (!*value || *end || number < 1 || number > 1000000)
		return bad_value(row, value, "a whole number from 1 to 1000000", err);
	*out = (int)number;
	return 0;
}

/* A number, with an optional per cent sign where PERCENT. */
static int take_number(const struct option_row *row, const char *value, bool percent, double *out, struct mm_error *err)
{
	char *end;
	double number = strtod(value, &end);
	if (percent && *end == '%')
		end++;
	if (!*value || *end || !(number >= 0 && number <= 1e9) || (!percent && number == 0))
		return bad_value(row, value, percent ? "a percentage such as 3%" : "a number above 0", err);
	*out = number;
	return 0;
}

static int take_when(const struct option_row *row, const char *value, int *out, struct mm_error *err)
{
	static const char *const words[] = { "auto", "never", "always" };
	for (int i = 0; i < 3; i++) {
		if (strcmp(value, words[i]) == 0) {
			*out = i - 1;
			return 0;
		}
	}
	return bad_value(row, value, "auto, always or never", err);
}

static int take(const struct option_row *row, const char *value, struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_matrix_overrides *overrides = &arguments->overrides;
	switch ((enum option_id)row->id) {
	case OPT_FOLDER:
		arguments->folder = value;
		break;
	case OPT_WORK:
		arguments->work = value;
		break;
	case OPT_SOURCE:
		if (!strchr(value, '=') || *value == '=')
			return bad_value(row, value, "NAME=PATH", err);
		mm_strings_push(&overrides->sources, value);
		break;
	case OPT_CELL:
		if (arguments->cell)
			arguments->candidate_cell = value;
		else
			arguments->cell = value;
		mm_strings_push(&overrides->cell_globs, value);
		break;
	case OPT_PASSES:
		return take_integer(row, value, &overrides->passes, err);
	case OPT_JOBS:
		return take_integer(row, value, &overrides->jobs, err);
	case OPT_SCALE:
		return take_number(row, value, false, &overrides->scale, err);
	case OPT_MAX_REGRESSION:
		return take_number(row, value, true, &overrides->max_regression_percent, err);
	case OPT_AGAIN:
		arguments->again = true;
		break;
	case OPT_RETRY_FAILED:
		arguments->retry_failed = true;
		break;
	case OPT_UNPAIRED:
		arguments->unpaired = true;
		break;
	case OPT_EDITION:
		arguments->edition = value;
		break;
	case OPT_FORMAT:
		arguments->format = value;
		break;
	case OPT_JSON:
		arguments->json = true;
		break;
	case OPT_OUTPUT:
		arguments->output = value;
		break;
	case OPT_QUIET:
		arguments->quiet = true;
		break;
	case OPT_VERBOSE:
		arguments->verbose = true;
		break;
	case OPT_COLOR:
		return take_when(row, value, &arguments->color, err);
	case OPT_PROGRESS:
		return take_when(row, value, &arguments->progress, err);
	case OPT_HELP:
		arguments->help = true;
		break;
	case OPT_VERSION:
		arguments->version = true;
		break;
	}
	return 0;
}

/* Builds getopt's own tables for the options of COMMAND. */
static void getopt_tables(const struct mm_command *command, struct option *longs, struct mm_buffer *shorts)
{
	mm_buffer_puts(shorts, ":"); /* "+" is not set: options may follow operands */
	size_t n = 0;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!belongs(&rows[i], command))
			continue;
		longs[n++] = (struct option){ rows[i].name, rows[i].argument ? required_argument : no_argument, NULL,
					      rows[i].id };
		if (rows[i].id < 256)
			mm_buffer_printf(shorts, "%c%s", rows[i].id, rows[i].argument ? ":" : "");
	}
	longs[n] = (struct option){ NULL, 0, NULL, 0 };
}

static int check_operands(const struct mm_command *command, const struct mm_arguments *arguments, struct mm_error *err)
{
	int count = (int)arguments->positional.count;
	if (arguments->help || arguments->version || !command)
		return 0;
	if (count < command->min_operands)
		return mm_error_set(err, MM_EUSAGE, "%s needs %s: see 'mymatrix help %s'", command->name,
				    command->operands, command->name);
	if (command->max_operands >= 0 && count > command->max_operands)
		return mm_error_set(err, MM_EUSAGE, "%s: '%s' is one operand too many: see 'mymatrix help %s'",
				    command->name, arguments->positional.items[command->max_operands], command->name);
	return 0;
}

int mm_options_parse(const struct mm_command *command, int argc, char *const *argv, struct mm_arguments *arguments,
		     struct mm_error *err)
{
	struct option longs[ROW_COUNT + 1];
	struct mm_buffer shorts = MM_BUFFER_INIT;
	const char *name = command ? command->name : "mymatrix";
	int code = 0, id;
	*arguments = (struct mm_arguments){ .color = -1, .progress = -1 };
	mm_matrix_overrides_init(&arguments->overrides);
	getopt_tables(command, longs, &shorts);
	optind = 0;
	opterr = 0;
	while (!code && (id = getopt_long(argc, argv, shorts.data, longs, NULL)) != -1) {
		const struct option_row *row = NULL;
		for (size_t i = 0; i < ROW_COUNT; i++)
			if (rows[i].id == id)
				row = &rows[i];
		if (id == ':')
			code = mm_error_set(err, MM_EUSAGE, "%s: option '%s' needs a value", name, argv[optind - 1]);
		else if (!row)
			code = mm_error_set(err, MM_EUSAGE, "%s: unknown option '%s': see 'mymatrix help%s%s'", name,
					    argv[optind - 1], command ? " " : "", command ? command->name : "");
		else
			code = take(row, optarg, arguments, err);
	}
	for (int i = optind; i < argc && !code; i++)
		mm_strings_push(&arguments->positional, argv[i]);
	mm_buffer_release(&shorts);
	if (!code && arguments->json && arguments->format && strcmp(arguments->format, "json") != 0)
		code = mm_error_set(err, MM_EUSAGE, "--json and --format %s exclude each other", arguments->format);
	if (!code && arguments->json)
		arguments->format = "json";
	return code ? code : check_operands(command, arguments, err);
}

void mm_arguments_release(struct mm_arguments *arguments)
{
	mm_matrix_overrides_release(&arguments->overrides);
	mm_strings_release(&arguments->positional);
}

void mm_options_help(const struct mm_command *command, struct mm_buffer *out)
{
	if (command) {
		mm_buffer_printf(out, "usage: mymatrix %s [options] %s\n\n%s\n\n", command->name, command->operands,
				 command->summary);
		if (command->help)
			mm_buffer_printf(out, "%s\n\n", command->help);
	} else {
		mm_buffer_puts(out, "usage: mymatrix COMMAND [options] …\n\n"
				    "Decides with evidence which build of MySQL to ship: builds every cell of a matrix,\n"
				    "runs a fixed suite of ten passes against each server, prints the deltas.\n\ncommands:\n");
		for (const struct mm_command *c = mm_commands(); c->name; c++)
			mm_buffer_printf(out, "  %-9s %s\n", c->name, c->summary);
		mm_buffer_putc(out, '\n');
	}
	mm_buffer_puts(out, "options:\n");
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!belongs(&rows[i], command))
			continue;
		char left[64];
		(void)snprintf(left, sizeof left, "%s%.1s%s --%s%s%s", rows[i].id < 256 ? "-" : "  ",
			       rows[i].id < 256 ? (const char[]){ (char)rows[i].id, '\0' } : "",
			       rows[i].id < 256 ? "," : " ", rows[i].name, rows[i].argument ? " " : "",
			       rows[i].argument ? rows[i].argument : "");
		mm_buffer_printf(out, "  %-26s %s\n", left, rows[i].help);
	}
	if (!command)
		mm_buffer_puts(out, "\nexit status: 0 done, and the gate (if any) holds; 1 regression or wrong answers;\n"
				    "2 usage or MATRIX.json; 3 some cells failed or lack samples; 4 the gate could not\n"
				    "decide; 5 environment or internal error; 128+n ended by signal n\n");
}
