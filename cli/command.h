/*
 * The command line: one option table and one command table (options.c,
 * commands.c) drive parsing, usage and help. A further command is one file and
 * one row.
 */
#ifndef MM_CLI_COMMAND_H
#define MM_CLI_COMMAND_H

#include "base/buffer.h"
#include "base/error.h"
#include "matrix/matrix.h"

/* What the options say. Strings are borrowed from argv. */
struct mm_arguments {
	const char *folder;  /* -C: change to this folder first */
	const char *work;    /* --work, default ".mymatrix" */
	const char *format;  /* --format, NULL: the command's default */
	const char *output;  /* -o, NULL: standard output */
	const char *cell, *candidate_cell; /* --cell (first and second), as result selectors of compare */
	const char *edition, *suite_name;
	bool json, quiet, verbose, again, retry_failed, unpaired, help, version;
	int color;    /* -1 auto, 0 never, 1 always */
	int progress; /* -1 auto, 0 never, 1 always */
	struct mm_matrix_overrides overrides; /* --source, --cell, --passes, --scale, -j, --max-regression */
	struct mm_strings positional;
};

/* Bits of the options that a command takes, besides the common ones: see options.c. */
enum mm_option_group {
	MM_OPTIONS_MATRIX = 1 << 0, /* --work --source --cell --passes --scale -j --max-regression */
	MM_OPTIONS_RUN = 1 << 1,    /* --again --retry-failed */
	MM_OPTIONS_FORMAT = 1 << 2, /* --format -o --json */
	MM_OPTIONS_GATE = 1 << 3,   /* --max-regression */
	MM_OPTIONS_CELL = 1 << 4,   /* --cell */
	MM_OPTIONS_COMPARE = 1 << 5, /* --unpaired */
	MM_OPTIONS_SUITES = 1 << 6  /* --edition --scale */
};

struct mm_command {
	const char *name;
	const char *operands; /* "[MATRIX.json]", for usage */
	int min_operands, max_operands; /* max -1: any number */
	unsigned options;     /* of enum mm_option_group */
	const char *summary;  /* one line */
	const char *help;     /* more lines with examples */
	/* Returns 0 or a negative enum mm_code with ERR set; MM_EREGRESSION, MM_ECELL and MM_EUNDECIDED may leave ERR's text empty when the output says it. */
	int (*run)(const struct mm_arguments *arguments, struct mm_error *err);
};

const struct mm_command *mm_command_find(const char *name); /* NULL: none */
const struct mm_command *mm_commands(void);                 /* ended by a NULL name */

/* Parses what follows the command's name. Errors: MM_EUSAGE. */
int mm_options_parse(const struct mm_command *command, int argc, char *const *argv, struct mm_arguments *arguments,
		     struct mm_error *err);
void mm_arguments_release(struct mm_arguments *arguments);
/* Usage and options of a command (NULL: of mymatrix). */
void mm_options_help(const struct mm_command *command, struct mm_buffer *out);

/* Everything a user reads as data goes out here: to arguments->output (atomically) or to standard output, checked. */
int mm_output(const struct mm_arguments *arguments, const void *bytes, size_t length, struct mm_error *err);

/* Loads the matrix that the operands name (MATRIX.json by default) with the overrides, and finds the work folder (allocated). */
int mm_cli_matrix(const struct mm_arguments *arguments, struct mm_matrix **matrix, char **work, struct mm_error *err);
/* Renders REPORT in arguments->format (FALLBACK when not given; --json means json) and writes it out. */
int mm_cli_render(const struct mm_arguments *arguments, const json_t *report, const char *fallback,
		  struct mm_error *err);

/* The renderer of events (progress.c). */
void mm_progress_install(const struct mm_arguments *arguments);
void mm_progress_finish(void);

int mm_cli_main(int argc, char **argv);

int mm_command_plan(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_build(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_bench(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_run(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_report(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_compare(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_import(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_suites(const struct mm_arguments *arguments, struct mm_error *err);
int mm_command_help(const struct mm_arguments *arguments, struct mm_error *err);

#endif
