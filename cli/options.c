#include <getopt.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "reports/report.h"

/* Long options that have no short form are numbered from 256, as getopt_long wants them. */
enum option_id {
	OPT_FOLDER = 'C',
	OPT_JOBS = 'j',
	OPT_OUTPUT = 'o',
	OPT_HELP = 'h',
	OPT_QUIET = 'q',
	OPT_VERBOSE = 'v',
	OPT_WORK = 256,
	OPT_MATRIX,
	OPT_CELL,
	OPT_PASSES,
	OPT_SCALE,
	OPT_SOURCE,
	OPT_MAX_REGRESSION,
	OPT_GATE_TEST,
	OPT_GATE_METRIC,
	OPT_AGAIN,
	OPT_RETRY_FAILED, OPT_WAIT,
	OPT_EXECUTOR,
	OPT_DRY_RUN,
	OPT_OLDER_THAN,
	OPT_FIT,
	OPT_RUNS,
	OPT_JSON,
	OPT_FORMAT,
	OPT_COLOR,
	OPT_PROGRESS,
	OPT_UNPAIRED,
	OPT_EDITION,
	OPT_SUITE,
	OPT_STAGE,
	OPT_LINES,
	OPT_FOLLOW,
	OPT_FLAGS,
	OPT_VERSION
};

static const struct mm_option rows[] = {
	{ OPT_MATRIX, "matrix", "FILE", "the matrix (default: MATRIX.json)", MM_OPTIONS_LOOK, "@matrix" },
	{ OPT_WORK, "work", "DIR", "work folder (default: .mymatrix)", MM_OPTIONS_WORK, "@folder" },
	{ OPT_SOURCE, "source", "NAME=PATH", "take source NAME from PATH, whatever MATRIX.json says",
	  MM_OPTIONS_SELECT | MM_OPTIONS_LOOK, "@source" },
	{ OPT_CELL, "cell", "GLOB", "only cells that match GLOB", MM_OPTIONS_SELECT, "@cell" },
	{ OPT_CELL, "cell", "CELL", "the cell to take, once for each file; of one file, its baseline and its candidate",
	  MM_OPTIONS_COMPARE, "@cell" },
	{ OPT_CELL, "cell", "NAME", "how the cell is called (default: what the file says, else the first file's name); of a "
	  "csv file that has several cells, which one", MM_OPTIONS_IMPORT, NULL },
	{ OPT_PASSES, "passes", "N", "passes of each suite", MM_OPTIONS_AMOUNT, NULL },
	{ OPT_SCALE, "scale", "X", "multiply the loop counts of the suites", MM_OPTIONS_AMOUNT | MM_OPTIONS_SUITES, NULL },
	{ OPT_JOBS, "jobs", "N", "compile jobs at once (default: one for each CPU)", MM_OPTIONS_JOBS, NULL },
	{ OPT_MAX_REGRESSION, "max-regression", "P%", "gate: exit 1 when the candidate is slower by more than P per cent",
	  MM_OPTIONS_GATE, NULL },
	{ OPT_GATE_TEST, "gate-test", "NAME", "gate this test too, besides the geometric mean ('*': every test)",
	  MM_OPTIONS_GATE, "@test" },
	{ OPT_GATE_METRIC, "gate-metric", "M", "what the gate looks at: wall or server-cpu (default: wall)", MM_OPTIONS_GATE,
	  "wall server-cpu" },
	{ OPT_AGAIN, "again", NULL, "start a new run although the last one fits", MM_OPTIONS_RUN, NULL },
	{ OPT_RETRY_FAILED, "retry-failed", NULL, "try failed builds and passes again", MM_OPTIONS_RUN, NULL },
	{ OPT_WAIT, "wait", NULL, "wait for another mymatrix in the work folder (else: exit 5)", MM_OPTIONS_RUN | MM_OPTIONS_CLEAN,
	  NULL },
	{ OPT_EXECUTOR, "executor", "NAME", "local or slurm: where it runs, whatever MATRIX.json says", MM_OPTIONS_RUN,
	  "local slurm" },
	{ OPT_DRY_RUN, "dry-run", NULL, "only say what would go", MM_OPTIONS_CLEAN, NULL },
	{ OPT_OLDER_THAN, "older-than", "AGE", "only what was last used so long ago: 90m, 12h, 30d, 4w", MM_OPTIONS_CLEAN, NULL },
	{ OPT_FIT, "fit", "SIZE", "no more than needed for the work folder to fit into SIZE: 500M, 20G", MM_OPTIONS_CLEAN, NULL },
	{ OPT_RUNS, "runs", NULL, "also runs other than the newest and the newest complete one", MM_OPTIONS_CLEAN, NULL },
	{ OPT_UNPAIRED, "unpaired", NULL, "give verdicts for files of different runs, with the caveat", MM_OPTIONS_COMPARE,
	  NULL },
	{ OPT_SUITE, "suite", "NAME", "compare this suite only", MM_OPTIONS_COMPARE, NULL },
	{ OPT_SUITE, "suite", "NAME", "how the suite is called (default: what the file says, else the kind); of a csv file "
	  "that has several suites, which one", MM_OPTIONS_IMPORT, NULL },
	{ OPT_EDITION, "edition", "E", "edition of the suite", MM_OPTIONS_SUITES, "5.0 mariadb-10.11" },
	{ OPT_STAGE, "stage", "S", "the log of this stage, or of the server", MM_OPTIONS_LOGS,
	  "unpack patch configure compile install server" },
	{ OPT_LINES, "lines", "N", "only the last N lines", MM_OPTIONS_LOGS, NULL },
	{ OPT_FLAGS, "flags", NULL, "the flag audit of the build, instead of a log", MM_OPTIONS_LOGS, NULL },
	{ OPT_FOLLOW, "follow", NULL, "go on printing what is added, until the build ends", MM_OPTIONS_LOGS, NULL },
	{ OPT_FORMAT, "format", "F", "json, table, markdown, csv, junit or html (default: what FILE ends in with -o: .json, "
	  ".txt, .md, .csv, .xml or .html; else table)", MM_OPTIONS_FORMAT, "json table markdown csv junit html" },
	{ OPT_FORMAT, "format", "F", "json or table (default: json when FILE ends in .json with -o, else table)",
	  MM_OPTIONS_TABLE, "json table" },
	{ OPT_JSON, "json", NULL, "print JSON, for programs", MM_OPTIONS_FORMAT | MM_OPTIONS_TABLE, NULL },
	{ OPT_JSON, "json", NULL, "print JSON, for programs; so does -o with a FILE that ends in .json", MM_OPTIONS_JSON, NULL },
	{ OPT_OUTPUT, "output", "FILE", "write to FILE instead of standard output",
	  MM_OPTIONS_FORMAT | MM_OPTIONS_TABLE | MM_OPTIONS_JSON | MM_OPTIONS_IMPORT, "@file" },
	{ OPT_OUTPUT, "output", "FILE", "write to FILE instead of MATRIX.json", MM_OPTIONS_INIT, "@file" },
	{ OPT_FOLDER, "directory", "DIR", "work as if started in DIR", MM_OPTIONS_COMMON, "@folder" },
	{ OPT_QUIET, "quiet", NULL, "no progress, only warnings and errors", MM_OPTIONS_COMMON, NULL },
	{ OPT_VERBOSE, "verbose", NULL, "also say what was reused, and what is well", MM_OPTIONS_COMMON, NULL },
	{ OPT_COLOR, "color", "WHEN", "auto, always or never", MM_OPTIONS_COMMON, "auto always never" },
	{ OPT_PROGRESS, "progress", "HOW", "auto, always (live lines), plain (a line for each event), json or never",
	  MM_OPTIONS_COMMON, "auto always plain json never" },
	{ OPT_HELP, "help", NULL, "this text", MM_OPTIONS_COMMON, NULL },
	{ OPT_VERSION, "version", NULL, "print the version", MM_OPTIONS_COMMON, NULL },
	{ 0, NULL, NULL, NULL, 0, NULL },
};
enum { ROW_COUNT = sizeof rows / sizeof *rows - 1, MOST_LINES = 1000000 };

const struct mm_option *mm_options(void)
{
	return rows;
}

bool mm_option_belongs(const struct mm_option *option, const struct mm_command *command)
{
	return option->groups & MM_OPTIONS_COMMON || (command && option->groups & command->options);
}

static int bad_value(const struct mm_option *row, const char *value, const char *wanted, struct mm_error *err)
{
	return mm_error_set(err, MM_EUSAGE, "--%s '%s': give %s", row->name, value, wanted);
}

/* Digits only: what strtol and strtod take besides (blanks, signs, exponents, "inf", hexadecimal) is a slip here. */
static int take_integer(const struct mm_option *row, const char *value, int most, int *out, struct mm_error *err)
{
	size_t digits = strspn(value, "0123456789");
	long number = digits && digits < 10 && !value[digits] ? strtol(value, NULL, 10) : 0;
	if (number < 1 || number > most) {
		char *wanted = mm_format("a whole number from 1 to %d", most);
		int code = bad_value(row, value, wanted, err);
		free(wanted);
		return code;
	}
	*out = (int)number;
	return 0;
}

/* "12" or "0.5". Returns what stands behind it, NULL when it is no number. */
static const char *read_decimal(const char *value, double *number)
{
	size_t whole = strspn(value, "0123456789"), length = whole;
	if (value[length] == '.')
		length += 1 + strspn(value + length + 1, "0123456789");
	if (!whole || length == whole + 1 || length > 20)
		return NULL;
	*number = strtod(value, NULL);
	return value + length;
}

static int take_scale(const struct mm_option *row, const char *value, double *out, struct mm_error *err)
{
	double number = 0;
	const char *end = read_decimal(value, &number);
	if (!end || *end || !(number > 0 && number <= MM_MOST_SCALE))
		return bad_value(row, value, "a number above 0, at most 1000", err);
	*out = number;
	return 0;
}

static int take_percentage(const struct mm_option *row, const char *value, double *out, struct mm_error *err)
{
	double number = 0;
	const char *end = read_decimal(value, &number);
	if (!end || strcmp(*end == '%' ? end + 1 : end, "") != 0 || number > 100)
		return bad_value(row, value, "a percentage from 0 to 100 such as 3%", err);
	*out = number;
	return 0;
}

/* The place of VALUE among the words that the row allows. */
static int take_word(const struct mm_option *row, const char *value, int *out, struct mm_error *err)
{
	struct mm_strings words = MM_STRINGS_INIT;
	mm_strings_split(&words, row->values);
	int code = 0;
	size_t at = 0;
	while (at < words.count && strcmp(words.items[at], value) != 0)
		at++;
	if (at == words.count) {
		char *all = mm_strings_join(&words, ", ");
		code = bad_value(row, value, all, err);
		free(all);
	}
	*out = (int)at;
	mm_strings_release(&words);
	return code;
}

static int take(const struct mm_option *row, const char *value, struct mm_arguments *arguments, struct mm_error *err)
{
	struct mm_matrix_overrides *overrides = &arguments->overrides;
	int word = 0, code;
	switch ((enum option_id)row->id) {
	case OPT_FOLDER:
		arguments->folder = value;
		break;
	case OPT_WORK:
		if (!*value)
			return bad_value(row, value, "a folder", err);
		arguments->work = value;
		break;
	case OPT_MATRIX:
		arguments->matrix = value;
		break;
	case OPT_STAGE:
		arguments->stage = value;
		break;
	case OPT_LINES:
		return take_integer(row, value, MOST_LINES, &arguments->lines, err);
	case OPT_FLAGS:
		arguments->flags = true;
		break;
	case OPT_FOLLOW:
		arguments->follow = true;
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
		return take_integer(row, value, MM_MOST_PASSES, &overrides->passes, err);
	case OPT_JOBS:
		return take_integer(row, value, MM_MOST_JOBS, &overrides->jobs, err);
	case OPT_SCALE:
		return take_scale(row, value, &overrides->scale, err);
	case OPT_MAX_REGRESSION:
		return take_percentage(row, value, &overrides->max_regression_percent, err);
	case OPT_GATE_TEST:
		mm_strings_push(&arguments->gate_tests, value);
		break;
	case OPT_GATE_METRIC:
		code = take_word(row, value, &word, err);
		arguments->gate_metric = word == 1 ? "server-cpu" : "wall";
		return code;
	case OPT_AGAIN:
		arguments->again = true;
		break;
	case OPT_RETRY_FAILED:
		arguments->retry_failed = true;
		break;
	case OPT_WAIT:
		arguments->wait = true;
		break;
	case OPT_EXECUTOR:
		arguments->executor = value;
		break;
	case OPT_DRY_RUN:
		arguments->dry_run = true;
		break;
	case OPT_OLDER_THAN:
		arguments->older_than = value;
		break;
	case OPT_FIT:
		arguments->fit = value;
		break;
	case OPT_RUNS:
		arguments->runs = true;
		break;
	case OPT_UNPAIRED:
		arguments->unpaired = true;
		break;
	case OPT_SUITE:
		arguments->suite_name = value;
		break;
	case OPT_EDITION:
		arguments->edition = value;
		break;
	case OPT_FORMAT:
		arguments->format = value;
		return row->groups & MM_OPTIONS_TABLE ? take_word(row, value, &word, err) : 0;
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
		code = take_word(row, value, &word, err);
		arguments->color = word == 0 ? -1 : word == 1;
		return code;
	case OPT_PROGRESS:
		code = take_word(row, value, &word, err);
		arguments->progress = (enum mm_progress_mode)word;
		return code;
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
	mm_buffer_puts(shorts, command ? ":" : "+:"); /* options may follow operands, but not a command's before its name */
	size_t n = 0;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!mm_option_belongs(&rows[i], command))
			continue;
		longs[n++] = (struct option){ rows[i].name, rows[i].argument ? required_argument : no_argument, NULL,
					      rows[i].id };
		if (rows[i].id < 256)
			mm_buffer_printf(shorts, "%c%s", rows[i].id, rows[i].argument ? ":" : "");
	}
	longs[n] = (struct option){ NULL, 0, NULL, 0 };
}

/* "CELL [-- COMMAND…]": its operands may be another program's command line. */
static bool takes_program(const struct mm_command *command)
{
	return command && strstr(command->operands, "[-- ");
}

/* Without "--" some of the program's options would be ours, and the others unknown. */
static int not_set_apart(const struct mm_command *command, const char *word, struct mm_error *err)
{
	return mm_error_set(err, MM_EUSAGE, "%s: '%s' stands in front of '--', behind which a program and its options belong: "
			    "'mymatrix %s %s'",
			    command->name, word, command->name, command->operands);
}

static int check_operands(const struct mm_command *command, const struct mm_arguments *arguments, bool set_apart,
			  struct mm_error *err)
{
	int count = (int)arguments->positional.count;
	if (arguments->help || arguments->version || !command)
		return 0;
	if (count < command->min_operands)
		return mm_error_set(err, MM_EUSAGE, "%s needs %s: see 'mymatrix help %s'", command->name,
				    command->operands, command->name);
	if (takes_program(command) && count > 1 && !set_apart)
		return not_set_apart(command, arguments->positional.items[1], err);
	if (command->max_operands >= 0 && count > command->max_operands)
		return mm_error_set(err, MM_EUSAGE, "%s: '%s' is one operand too many: see 'mymatrix help %s'",
				    command->name, arguments->positional.items[command->max_operands], command->name);
	return 0;
}

/* "-n": what make and others call it when nothing is done. */
static bool asks_for_plan(const struct mm_command *command, const char *word)
{
	static const char *const words[] = { "-n", "--dry-run", "--just-print", "--simulate", "--no-act" };
	for (size_t i = 0; command && command->options & MM_OPTIONS_RUN && i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* What was meant by the option WORD? The nearest of this command, or who has it. */
static int unknown_option(const struct mm_command *command, const char *word, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	const char *name = command ? command->name : "", *colon = command ? ": " : "";
	char *plain = mm_strndup(word, strcspn(word, "="));
	const struct mm_option *elsewhere = NULL;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (mm_option_belongs(&rows[i], command))
			mm_strings_pushf(&names, "--%s", rows[i].name);
		else if (strncmp(plain, "--", 2) == 0 && strcmp(rows[i].name, plain + 2) == 0)
			elsewhere = &rows[i];
	}
	const char *nearest = mm_nearest(plain, &names);
	int code;
	if (takes_program(command))
		code = not_set_apart(command, plain, err);
	else if (asks_for_plan(command, plain))
		code = mm_error_set(err, MM_EUSAGE, "%s has no option '%s': 'mymatrix plan' says what would be done", name, plain);
	else if (elsewhere && !command)
		code = mm_error_set(err, MM_EUSAGE, "option '%s' belongs after the command", plain);
	else if (elsewhere)
		code = mm_error_set(err, MM_EUSAGE, "%s has no option '%s': see 'mymatrix help %s'", name, plain, name);
	else if (nearest)
		code = mm_error_set(err, MM_EUSAGE, "%s%sunknown option '%s': did you mean '%s'?", name, colon, plain,
				    nearest);
	else
		code = mm_error_set(err, MM_EUSAGE, "%s%sunknown option '%s': see 'mymatrix help%s%s'", name, colon, plain,
				    command ? " " : "", name);
	free(plain);
	mm_strings_release(&names);
	return code;
}

static int parse(const struct mm_command *command, int argc, char *const *argv, struct mm_arguments *arguments,
		 struct mm_error *err)
{
	struct option longs[ROW_COUNT + 1];
	struct mm_buffer shorts = MM_BUFFER_INIT;
	int code = 0, id;
	getopt_tables(command, longs, &shorts);
	optind = 0;
	opterr = 0;
	while (!code && (id = getopt_long(argc, argv, shorts.data, longs, NULL)) != -1) {
		const struct mm_option *row = NULL;
		char letter[] = { '-', (char)optopt, '\0' };
		const char *word = id == '?' && optopt && optopt < 256 ? letter : argv[optind - 1];
		for (size_t i = 0; i < ROW_COUNT; i++)
			if (rows[i].id == id && mm_option_belongs(&rows[i], command))
				row = &rows[i];
		if (id == ':')
			code = mm_error_set(err, MM_EUSAGE, "%s: option '%s' needs a value",
					    command ? command->name : "mymatrix", argv[optind - 1]);
		else if (!row && optopt >= 256)
			code = mm_error_set(err, MM_EUSAGE, "option '%s' takes no value", word);
		else
			code = row ? take(row, optarg, arguments, err) : unknown_option(command, word, err);
	}
	mm_buffer_release(&shorts);
	return code;
}

/* What the file's name promises, unless the command line says it: a table in report.html is no page. */
static void choose_format(const struct mm_command *command, struct mm_arguments *arguments)
{
	const struct mm_report_format *format =
		arguments->output && !arguments->format ? mm_report_format_of_file(arguments->output) : NULL;
	if (!format || !(command->options & (MM_OPTIONS_FORMAT | MM_OPTIONS_TABLE | MM_OPTIONS_JSON)))
		return;
	if (strcmp(format->name, "json") == 0)
		arguments->json = true;
	else if (command->options & MM_OPTIONS_FORMAT && !arguments->json)
		arguments->format = format->name;
}

int mm_options_parse(const struct mm_command *command, int argc, char *const *argv, int *used,
		     struct mm_arguments *arguments, struct mm_error *err)
{
	int code = parse(command, argc, argv, arguments, err);
	if (used)
		*used = optind;
	if (code || !command)
		return code;
	choose_format(command, arguments);
	for (int i = optind; i < argc; i++)
		mm_strings_push(&arguments->positional, argv[i]);
	if (arguments->json && arguments->format && strcmp(arguments->format, "json") != 0)
		return mm_error_set(err, MM_EUSAGE, "--json and --format %s exclude each other", arguments->format);
	if (arguments->json)
		arguments->format = "json";
	return check_operands(command, arguments, optind > 1 && strcmp(argv[optind - 1], "--") == 0, err);
}

void mm_arguments_init(struct mm_arguments *arguments)
{
	*arguments = (struct mm_arguments){ .color = -1, .progress = MM_PROGRESS_AUTO };
	mm_matrix_overrides_init(&arguments->overrides);
}

void mm_arguments_release(struct mm_arguments *arguments)
{
	mm_matrix_overrides_release(&arguments->overrides);
	mm_strings_release(&arguments->positional);
	mm_strings_release(&arguments->gate_tests);
}
