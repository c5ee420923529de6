#include "cli/command.h"

#include "base/nearest.h"

#define MATRIX_OPERAND .operands = "[MATRIX.json]", .max_operands = 1, .values = "@matrix"

static const struct mm_command commands[] = {
	{ .name = "plan", MATRIX_OPERAND, .options = MM_OPTIONS_MATRIX | MM_OPTIONS_FORMAT,
	  .summary = "show cells, comparisons and passes; start nothing",
	  .help = "Reads MATRIX.json, checks it whole and expands the axes. Every mistake in the file is told with its line, "
		  "and nothing is started.",
	  .examples = "mymatrix plan # of ./MATRIX.json\n"
		      "mymatrix plan --cell '*/64/*' # only the 64-bit cells and what compares them\n"
		      "mymatrix plan --json other.json # for programs",
	  .run = mm_command_plan },
	{ .name = "build", MATRIX_OPERAND, .options = MM_OPTIONS_MATRIX | MM_OPTIONS_RUN,
	  .summary = "unpack, build, install every cell",
	  .help = "A finished build is kept and never done twice; a failed one is remembered with its log, and the other "
		  "cells go on. Interrupted at any moment, the same command goes on where it stopped.",
	  .examples = "mymatrix build -j 4 # with four compile jobs at once\n"
		      "mymatrix build --cell '*/64/*' --retry-failed # try again what failed",
	  .run = mm_command_build },
	{ .name = "bench", MATRIX_OPERAND, .options = MM_OPTIONS_MATRIX | MM_OPTIONS_RUN | MM_OPTIONS_FORMAT,
	  .summary = "run the suites on what is installed, then report",
	  .help = "Cells that are not built are left out and said to be: see 'mymatrix build'.",
	  .examples = "mymatrix bench --passes 20 # more evidence for small differences",
	  .run = mm_command_bench },
	{ .name = "run", MATRIX_OPERAND, .options = MM_OPTIONS_MATRIX | MM_OPTIONS_RUN | MM_OPTIONS_FORMAT,
	  .summary = "build, bench and report: the main job",
	  .help = "Interrupted at any moment, the same command goes on where it stopped; with everything done it only "
		  "prints the report. A changed plan, host or kernel begins a new run.",
	  .examples = "mymatrix run # everything that ./MATRIX.json asks for\n"
		      "mymatrix run --max-regression 3% --format junit -o deltas.xml # in a pipeline\n"
		      "mymatrix run --source mariadb=server.tar.gz --again # another source, measured anew",
	  .run = mm_command_run },
	{ .name = "report", .operands = "[MATRIX.json|RUN]", .max_operands = 1, .values = "@file",
	  .options = MM_OPTIONS_MATRIX | MM_OPTIONS_FORMAT,
	  .summary = "render the report of the newest run, or of a run folder, again",
	  .help = "Reads the files of the run and nothing else: also while it is going on, and on another machine.",
	  .examples = "mymatrix report --format html -o report.html # to hand on\n"
		      "mymatrix report .mymatrix/runs/3 --json # of an earlier run",
	  .run = mm_command_report },
	{ .name = "compare", .operands = "BASE.json CAND.json", .min_operands = 2, .max_operands = 2,
	  .values = "@file", .more_values = "@file",
	  .options = MM_OPTIONS_FORMAT | MM_OPTIONS_GATE | MM_OPTIONS_CELL | MM_OPTIONS_COMPARE,
	  .summary = "deltas of any two result files",
	  .help = "A result file is a report.json (choose with --cell, once for each file) or the small form that "
		  "'mymatrix import' writes.",
	  .examples = "mymatrix compare old.json new.json # deltas; verdicts where both are of one run\n"
		      "mymatrix compare a.json b.json --cell m/gcc/64/O2 --max-regression 3% # with a gate",
	  .run = mm_command_compare },
	{ .name = "import", .operands = "sysbench|sql-bench|csv FILE…", .min_operands = 2, .max_operands = -1,
	{ .name = "worker", .operands = "FOLDER", .min_operands = 1, .max_operands = 1, .values = "@folder", .hidden = true,
	  .summary = "do one task of a Slurm job", .run = mm_command_worker },
	  .values = "sysbench sql-bench csv", .more_values = "@file", .options = MM_OPTIONS_FORMAT,
	  .summary = "turn other programs' output into a result file",
	  .help = "Several files of the same kind are passes.",
	  .examples = "mymatrix import sysbench pass1.txt pass2.txt -o new.json # two passes, one result file",
	  .run = mm_command_import },
	{ .name = "suites", .operands = "[NAME]", .max_operands = 1, .values = "@suite",
	  .options = MM_OPTIONS_SUITES | MM_OPTIONS_FORMAT,
	  .summary = "tests, operations and how often each is done",
	  .examples = "mymatrix suites # which there are\n"
		      "mymatrix suites sql-bench --edition 5.0 --scale 0.1 # what a pass at a tenth consists of",
	  .run = mm_command_suites },
	{ .name = "help", .operands = "[COMMAND]", .max_operands = 1, .values = "@command",
	  .summary = "explain a command",
	  .examples = "mymatrix help # all commands\nmymatrix help run # one of them",
	  .run = mm_command_help },
	{ .name = NULL },
};

const struct mm_command *mm_commands(void)
{
	return commands;
}

const struct mm_command *mm_command_find(const char *name)
{
	for (const struct mm_command *command = commands; command->name; command++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}

int mm_command_unknown(const char *name, struct mm_error *err)
{
	struct mm_strings names = MM_STRINGS_INIT;
	for (const struct mm_command *command = commands; command->name; command++)
		if (!command->hidden)
			mm_strings_push(&names, command->name);
	const char *nearest = mm_nearest(name, &names);
	int code = nearest ? mm_error_set(err, MM_EUSAGE, "unknown command '%s': did you mean '%s'?", name, nearest)
			   : mm_error_set(err, MM_EUSAGE, "unknown command '%s': see 'mymatrix help'", name);
	mm_strings_release(&names);
	return code;
}
