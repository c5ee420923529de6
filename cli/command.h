/*
 * The command line: one option table and one command table (options.c,
 * commands.c) drive parsing, usage, help, manual pages and completions
 * (docs/man/manual.c). A further command is one file and one row.
 */
#ifndef MM_CLI_COMMAND_H
#define MM_CLI_COMMAND_H

#include "base/buffer.h"
#include "base/error.h"
#include "matrix/matrix.h"

enum mm_progress_mode {
	MM_PROGRESS_AUTO, /* live lines on a terminal, else a line for each event */
	MM_PROGRESS_LIVE,
	MM_PROGRESS_PLAIN,
	MM_PROGRESS_JSON, /* a JSON object for each event */
	MM_PROGRESS_NEVER
};

/* What the options say. Strings are borrowed from argv. */
struct mm_arguments {
	char *program;      /* absolute path of this program, NULL when it cannot be found; owned */
	const char *folder; /* -C: change to this folder first */
	const char *work;   /* --work, default ".mymatrix" */
	const char *matrix; /* --matrix, default "MATRIX.json": of commands whose operand is something else */
	const char *format; /* --format, NULL: the command's default */
	const char *output; /* -o, NULL: standard output */
	const char *cell, *candidate_cell; /* --cell (first and second), as result selectors of compare */
	const char *edition, *suite_name;
	struct mm_strings gate_tests; /* --gate-test */
	const char *gate_metric;      /* --gate-metric, NULL: what MATRIX.json says, else wall */
	const char *executor; /* --executor, NULL: what MATRIX.json says */
	const char *older_than, *fit; /* --older-than, --fit */
	const char *stage; /* --stage */
	int lines;         /* --lines, 0: the command's default */
	bool json, quiet, verbose, again, retry_failed, unpaired, follow, flags, help, version;
	bool dry_run, runs, wait; /* --dry-run, --runs, --wait */
	int color; /* -1 auto, 0 never, 1 always */
	enum mm_progress_mode progress;
	struct mm_matrix_overrides overrides; /* --source, --cell, --passes, --scale, -j, --max-regression */
	struct mm_strings positional;
};

/* Bits of the options that a command takes, besides the common ones: see options.c. */
enum mm_option_group {
	MM_OPTIONS_WORK = 1 << 0,    /* --work */
	MM_OPTIONS_RUN = 1 << 1,     /* --again --retry-failed --wait --executor */
	MM_OPTIONS_FORMAT = 1 << 2,  /* --format -o --json: of a report */
	MM_OPTIONS_GATE = 1 << 3,    /* --max-regression --gate-test --gate-metric */
	MM_OPTIONS_IMPORT = 1 << 4,  /* --cell --suite -o: of import */
	MM_OPTIONS_COMPARE = 1 << 5, /* --cell --suite --unpaired: of compare */
	MM_OPTIONS_SUITES = 1 << 6,  /* --edition --scale */
	MM_OPTIONS_JSON = 1 << 7,    /* --json -o */
	MM_OPTIONS_INIT = 1 << 8,    /* -o: of init */
	MM_OPTIONS_LOOK = 1 << 9,    /* --matrix --source: look at one cell */
	MM_OPTIONS_LOGS = 1 << 10,   /* --stage --flags --lines --follow */
	MM_OPTIONS_CLEAN = 1 << 11,  /* --dry-run --older-than --fit --runs --wait */
	MM_OPTIONS_SELECT = 1 << 12, /* --source --cell: of which cells of the matrix */
	MM_OPTIONS_AMOUNT = 1 << 13, /* --passes --scale */
	MM_OPTIONS_JOBS = 1 << 14,   /* -j */
	MM_OPTIONS_TABLE = 1 << 15,  /* --format -o --json: of what is JSON or a table */
	MM_OPTIONS_COMMON = 1 << 30  /* every command has it, and it may stand before the command */
};

/*
 * An option that means something else to another command has a row for each meaning, in groups of their own.
 *
 * What may stand for an option's value or an operand, for completions: words separated by spaces, or one of "@file",
 * "@folder", "@matrix" (a MATRIX.json), "@cell", "@suite", "@test", "@source", "@command". NULL: anything.
 */
struct mm_option {
	int id; /* a letter where there is a short form, else a number above 255 */
	const char *name, *argument, *help;
	unsigned groups;
	const char *values;
};

struct mm_command {
	const char *name;
	const char *operands; /* "[MATRIX.json]", for usage */
	int min_operands, max_operands; /* max -1: any number */
	unsigned options;     /* of enum mm_option_group */
	const char *summary;  /* one line */
	const char *help;     /* more lines: how it works, how to use it; paragraphs are separated by empty lines */
	const char *examples; /* lines "command # what it does" */
	/* Returns 0 or a negative enum mm_code with ERR set; MM_EREGRESSION, MM_ECELL and MM_EUNDECIDED may leave ERR's
	 * text empty when the output says it. */
	int (*run)(const struct mm_arguments *arguments, struct mm_error *err);
	const char *values;      /* of the first operand, see struct mm_option */
	const char *more_values; /* of the others */
	bool hidden;             /* for programs, not for people */
};

const struct mm_command *mm_command_find(const char *name); /* NULL: none */
const struct mm_command *mm_commands(void);                 /* ended by a NULL name */
/* "unknown command 'x'", with the nearest. */
int mm_command_unknown(const char *name, struct mm_error *err);

const struct mm_option *mm_options(void); /* ended by a NULL name */
bool mm_option_belongs(const struct mm_option *option, const struct mm_command *command);

void mm_arguments_init(struct mm_arguments *arguments);
void mm_arguments_release(struct mm_arguments *arguments);
/*
 * Parses options and, with a COMMAND, its operands. Without one it stops at the first operand: what stands before a
 * command. *USED (may be NULL): the index of the first word of argv that was not taken. Errors: MM_EUSAGE.
 */
int mm_options_parse(const struct mm_command *command, int argc, char *const *argv, int *used,
		     struct mm_arguments *arguments, struct mm_error *err);
/* Usage and options of a command (NULL: of mymatrix). */
void mm_options_help(const struct mm_command *command, struct mm_buffer *out);

/* Everything a user reads as data goes out here: to arguments->output (atomically) or to standard output, checked. */
int mm_output(const struct mm_arguments *arguments, const void *bytes, size_t length, struct mm_error *err);

/* The work folder (allocated); --work must not name a file. */
int mm_cli_work(const struct mm_arguments *arguments, char **work, struct mm_error *err);
/* Loads the matrix that the operands name (MATRIX.json by default) with the overrides, and finds the work folder (allocated). */
int mm_cli_matrix(const struct mm_arguments *arguments, struct mm_matrix **matrix, char **work, struct mm_error *err);
/* The same for a file that is named otherwise. */
int mm_cli_load_matrix(const struct mm_arguments *arguments, const char *path, struct mm_matrix **matrix, char **work,
		       struct mm_error *err);
/* Decides REPORT's gate anew where the command line asks for another one. */
int mm_cli_gate(const struct mm_arguments *arguments, json_t *report, struct mm_error *err);
/* Before anything is built: can the gate be decided by what MATRIX measures and compares? MM_EMATRIX, MM_EUSAGE. */
int mm_cli_check_gate(const struct mm_arguments *arguments, const struct mm_matrix *matrix, struct mm_error *err);
/* Warns of a gate that will decide nothing, before hours are spent. */
void mm_cli_foresee_gate(const struct mm_matrix *matrix);
/* Of a report that is there already: is a name that --gate-test gives a slip for a test that it holds? MM_EUSAGE. */
int mm_cli_check_gate_tests(const struct mm_arguments *arguments, const json_t *report, struct mm_error *err);
/* Is there a format such as --format says, and a place for what -o names? Told before hours are spent. */
int mm_cli_check_format(const struct mm_arguments *arguments, struct mm_error *err);
/* Could PATH be written, as far as that can be seen without touching what is there? MM_EUSAGE, MM_EENV. */
int mm_cli_check_place(const char *path, struct mm_error *err);
/* Renders REPORT in arguments->format (FALLBACK when not given; --json means json) and writes it out. */
int mm_cli_render(const struct mm_arguments *arguments, const json_t *report, const char *fallback,
		  struct mm_error *err);

/* Adds the names of the tests that a suite of a matrix has; none where only the run will tell. */
void mm_cli_suite_tests(const struct mm_suite_spec *spec, struct mm_strings *names);
/* What the suite NAME does, at --edition and --scale, with the tests named or all of them. New reference. */
int mm_cli_describe_suite(const struct mm_arguments *arguments, const char *name, char *const *tests, size_t test_count,
			  json_t **description, struct mm_error *err);

/* The renderer of events (progress.c). */
void mm_progress_install(const struct mm_arguments *arguments);
void mm_progress_finish(void); /* may be called twice */
/* How an error ends: "mymatrix: TEXT", or an event of its own where a program reads. */
void mm_progress_error(const char *text);

int mm_cli_main(int argc, char **argv);

/* The commands. */
int mm_command_plan(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_build(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_bench(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_run(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_worker(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_report(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_compare(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_import(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_suites(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_clean(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_init(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_doctor(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_status(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_logs(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_server(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_complete(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_help(const struct mm_arguments *arguments, struct mm_error *err);

#endif
