#include "cli/command.h"

static const struct mm_command commands[] = {
	{ "plan", "[MATRIX.json]", 0, 1, MM_OPTIONS_MATRIX | MM_OPTIONS_FORMAT,
	  "show cells, comparisons and passes; start nothing",
	  "examples:\n  mymatrix plan\n  mymatrix plan --json MATRIX.json", mm_command_plan },
	{ "build", "[MATRIX.json]", 0, 1, MM_OPTIONS_MATRIX | MM_OPTIONS_RUN, "unpack, build, install every cell",
	  "A finished build is kept and never done twice; a failed one is remembered with its log.\n\n"
	  "examples:\n  mymatrix build -j 4\n  mymatrix build --cell '*/64/*' --retry-failed", mm_command_build },
	{ "bench", "[MATRIX.json]", 0, 1, MM_OPTIONS_MATRIX | MM_OPTIONS_RUN | MM_OPTIONS_FORMAT,
	  "run the suites on what is installed, then report", "example:\n  mymatrix bench --passes 10", mm_command_bench },
	{ "run", "[MATRIX.json]", 0, 1, MM_OPTIONS_MATRIX | MM_OPTIONS_RUN | MM_OPTIONS_FORMAT,
	  "build, bench and report: the main job",
	  "Interrupted at any moment, the same command goes on where it stopped; with everything done\n"
	  "it only prints the report.\n\n"
	  "examples:\n  mymatrix run\n  mymatrix run --max-regression 3% --format junit -o deltas.xml\n"
	  "  mymatrix run --source mariadb=server.tar.gz --again", mm_command_run },
	{ "report", "[MATRIX.json|RUN]", 0, 1, MM_OPTIONS_MATRIX | MM_OPTIONS_FORMAT,
	  "render the report of the newest run, or of a run folder, again",
	  "examples:\n  mymatrix report --format html -o report.html\n  mymatrix report .mymatrix/runs/3 --json",
	  mm_command_report },
	{ "compare", "BASE.json CAND.json", 2, 2,
	  MM_OPTIONS_FORMAT | MM_OPTIONS_GATE | MM_OPTIONS_CELL | MM_OPTIONS_COMPARE, "deltas of any two result files",
	  "A result file is a report.json (choose with --cell, once for each file) or the small form that\n"
	  "'mymatrix import' writes.\n\n"
	  "examples:\n  mymatrix compare old.json new.json\n"
	  "  mymatrix compare a/report.json b/report.json --cell mariadb/gcc/64/standard --max-regression 3%",
	  mm_command_compare },
	{ "import", "sysbench|sql-bench|csv FILE…", 2, -1, MM_OPTIONS_FORMAT, "turn other programs' output into a result file",
	  "Several files of the same kind are passes.\n\n"
	  "example:\n  mymatrix import sysbench pass1.txt pass2.txt -o new.json", mm_command_import },
	{ "suites", "[NAME]", 0, 1, MM_OPTIONS_SUITES | MM_OPTIONS_FORMAT, "tests, operations and how often each is done",
	  "example:\n  mymatrix suites sql-bench --edition 5.0 --scale 0.1", mm_command_suites },
	{ "help", "[COMMAND]", 0, 1, 0, "explain a command", NULL, mm_command_help },
	{ NULL, NULL, 0, 0, 0, NULL, NULL, NULL },
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
