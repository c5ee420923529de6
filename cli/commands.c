#include "cli/command.h"

#include "base/nearest.h"

#define ALL_OF_A_RUN                                                                                                  \
	(MM_OPTIONS_WORK | MM_OPTIONS_SELECT | MM_OPTIONS_AMOUNT | MM_OPTIONS_JOBS | MM_OPTIONS_RUN | MM_OPTIONS_FORMAT | \
	 MM_OPTIONS_GATE)
#define MATRIX_OPERAND .operands = "[MATRIX.json]", .max_operands = 1, .values = "@matrix"

static const struct mm_command commands[] = {
	{ .name = "init", .operands = "", .options = MM_OPTIONS_INIT,
	  .summary = "write a starting MATRIX.json from what is found here",
	  .help = "Looks for sources of MySQL, MariaDB and Percona Server (tarballs, and Debian packages with their libraries, in this "
		  "folder and in sources/, packages/ and debs/), for gcc and clang along PATH, and tries out at which bits they "
		  "work. The file explains itself in its \"//\" keys. A file that is there already is never overwritten.\n\n"
		  "Each version of a server package becomes a source, and two versions, or two architectures of one, are "
		  "compared; of a library that lies here in several versions the newest is taken. Of gcc and clang the default "
		  "one is taken; the others are named in a \"//\" key.",
	  .examples = "mymatrix init # writes ./MATRIX.json\n"
		      "mymatrix init -o other.json\n",
	  .run = mm_command_init },
	{ .name = "plan", MATRIX_OPERAND, .options = MM_OPTIONS_WORK | MM_OPTIONS_SELECT | MM_OPTIONS_AMOUNT | MM_OPTIONS_JOBS | MM_OPTIONS_TABLE,
	  .summary = "show cells, comparisons and passes; start nothing",
	  .help = "Reads MATRIX.json, checks it whole and expands the axes. Every mistake in the file is told with its line, "
		  "and nothing is started. Says what is built already, which effect the passes can find, and time and disk as "
		  "far as this work folder has measured them. That a cell cannot be built here, since a source or a compiler is "
		  "missing, is said and is no failure of the plan: the exit status is 0 ('mymatrix doctor' ends with 3).",
	  .examples = "mymatrix plan # of ./MATRIX.json\n"
		      "mymatrix plan --cell '*/64/*' # only the 64-bit cells and what compares them\n"
		      "mymatrix plan --json other.json # for programs",
	  .run = mm_command_plan },
	{ .name = "doctor", MATRIX_OPERAND, .options = MM_OPTIONS_WORK | MM_OPTIONS_SELECT | MM_OPTIONS_JOBS | MM_OPTIONS_JSON,
	  .summary = "what is missing here, and what will make results noisy",
	  .help = "Compiles, links and runs a program with every compiler, bits and flags of the matrix, tries the libraries "
		  "that the trees look for, checks sources, suites, disk and memory, and tells what on this host disturbs "
		  "measurements and what to do about it. Without a matrix it looks at the machine alone. Exit status 3 when "
		  "something is missing that a cell needs.",
	  .examples = "mymatrix doctor # before hours are spent\n"
		      "mymatrix doctor --json # for programs",
	  .run = mm_command_doctor },
	{ .name = "build", MATRIX_OPERAND, .options = MM_OPTIONS_WORK | MM_OPTIONS_SELECT | MM_OPTIONS_AMOUNT | MM_OPTIONS_JOBS | MM_OPTIONS_RUN,
	  .summary = "unpack, build, install every cell",
	  .help = "A finished build is kept and never done twice; a failed one is remembered with its log, and only tried again with "
		  "--retry-failed; the other cells go on. Interrupted at any moment, the same command goes on where it stopped.",
	  .examples = "mymatrix build -j 4 # with four compile jobs at once\n"
		      "mymatrix build --cell '*/64/*' --retry-failed # try again what failed",
	  .run = mm_command_build },
	{ .name = "bench", MATRIX_OPERAND, .options = ALL_OF_A_RUN,
	  .summary = "run the suites on what is installed, then report",
	  .help = "Cells that are not built are left out and said to be: see 'mymatrix build'. With other cells, passes or scale it "
		  "is another run, with a report of its own; 'mymatrix report RUN' shows the one before.",
	  .examples = "mymatrix bench --passes 20 # more evidence for small differences",
	  .run = mm_command_bench },
	{ .name = "run", MATRIX_OPERAND, .options = ALL_OF_A_RUN,
	  .summary = "build, bench and report: the main job",
	  .help = "Interrupted at any moment, the same command goes on where it stopped; with everything done it only "
		  "prints the report. Builds and passes that failed are not tried again, also after a limit was raised: --retry-failed "
		  "does that. A changed plan, host or kernel begins a new run.",
	  .examples = "mymatrix run # everything that ./MATRIX.json asks for\n"
		      "mymatrix run --max-regression 3% --format junit -o deltas.xml # in a pipeline\n"
		      "mymatrix run --source mariadb=server.tar.gz --again # another source, measured anew",
	  .run = mm_command_run },
	{ .name = "worker", .operands = "FOLDER [CELL KEY]", .min_operands = 1, .max_operands = 3, .values = "@folder",
	  .hidden = true, .summary = "do a part of a run on an executor's behalf", .run = mm_command_worker },
	{ .name = "report", .operands = "[MATRIX.json|RUN]", .max_operands = 1, .values = "@file",
	  .options = MM_OPTIONS_WORK | MM_OPTIONS_FORMAT | MM_OPTIONS_GATE,
	  .summary = "render the report of the newest run, or of a run folder, again",
	  .help = "Reads the files of the run and nothing else: also while it is going on, on another machine, and where report.json "
		  "cannot be written. RUN is a run's number, its folder, or a report.json that was kept. The exit status is the run's again: what the gate, "
		  "wrong answers and failed cells make of it.",
	  .examples = "mymatrix report -o report.html # to hand on\n"
		      "mymatrix report 3 --json # of run 3 of this work folder",
	  .run = mm_command_report },
	{ .name = "status", MATRIX_OPERAND, .options = MM_OPTIONS_WORK | MM_OPTIONS_SELECT | MM_OPTIONS_JSON,
	  .summary = "what is going on: builds and passes of each cell",
	  .help = "Reads the files of the work folder and disturbs nothing: ask from another terminal while a run goes on. "
		  "Which test of a pass is running it cannot say: while a pass measures, nothing is written.",
	  .examples = "mymatrix status # of ./MATRIX.json and .mymatrix\n"
		      "mymatrix status --json # for programs",
	  .run = mm_command_status },
	{ .name = "logs", .operands = "CELL", .min_operands = 1, .max_operands = 1, .values = "@cell",
	  .options = MM_OPTIONS_LOOK | MM_OPTIONS_WORK | MM_OPTIONS_LOGS,
	  .summary = "a cell's log: of the stage that failed, or the newest",
	  .help = "CELL is a cell's id or a pattern that one cell alone matches. Stages of a build are unpack, configure, "
		  "compile and install; 'server' is the error log of the newest failed pass.",
	  .examples = "mymatrix logs 'mariadb/gcc/64/*' # why did it fail?\n"
		      "mymatrix logs mariadb/gcc/64/standard --stage configure\n"
		      "mymatrix logs mariadb/gcc/64/standard --flags # which flags reached the compiler?\n"
		      "mymatrix logs mariadb/gcc/64/standard --follow # watch it being built",
	  .run = mm_command_logs },
	{ .name = "server", .operands = "CELL [-- COMMAND…]", .min_operands = 1, .max_operands = -1, .values = "@cell",
	  .options = MM_OPTIONS_LOOK | MM_OPTIONS_WORK,
	  .summary = "start a cell's server on a scratch copy, to look around",
	  .help = "The server gets a fresh data directory, which is removed afterwards, and listens on a socket only; the user "
		  "is root, without a password. Without a command it says how to connect and runs until Ctrl-C. With one, "
		  "that is run with MYSQL_UNIX_PORT set to the socket and MYSQL_HOME to a folder whose my.cnf names socket "
		  "and user, so that clients connect by themselves; when it ends, the "
		  "server ends, and the exit status is 0 or 3 as the command did well or not.",
	  .examples = "mymatrix server mariadb/gcc/64/standard # until Ctrl-C\n"
		      "mymatrix server '*/clang/64/*' -- mariadb # a client's prompt\n"
		      "mymatrix server a -- mariadb -e 'SELECT VERSION()'",
	  .run = mm_command_server },
	{ .name = "clean", .operands = "", .options = MM_OPTIONS_LOOK | MM_OPTIONS_WORK | MM_OPTIONS_CLEAN | MM_OPTIONS_JSON,
	  .summary = "give disk space back",
	  .help = "Removes what can be made again or what newer evidence has replaced: leftovers of processes that died; of runs "
		  "other than the newest the data directories and superseded passes; source trees and builds that neither a run "
		  "nor the matrix uses; build trees that were kept. Of the newest run nothing goes but, when it is complete, its data directories, nor anything that was built "
		  "after it began; with --runs older runs go, but not the newest complete one, and builds that only they used. Slurm jobs of this work folder that still wait or run are cancelled. When --fit cannot be come to, that is said and "
		  "the exit status is 5.",
	  .examples = "mymatrix clean --dry-run # what would go?\n"
		      "mymatrix clean --older-than 30d # what nobody has used for a month\n"
		      "mymatrix clean --runs --fit 20G # old runs too, oldest last, until it fits",
	  .run = mm_command_clean },
	{ .name = "compare", .operands = "BASE.json [CAND.json]", .min_operands = 1, .max_operands = 2,
	  .values = "@file", .more_values = "@file",
	  .options = MM_OPTIONS_FORMAT | MM_OPTIONS_GATE | MM_OPTIONS_COMPARE,
	  .summary = "deltas of any two result files",
	  .help = "A result file is a report.json (choose with --cell, once for each file) or the small form that "
		  "'mymatrix import' writes. Two cells of one report.json are compared by naming it once and --cell twice.",
	  .examples = "mymatrix compare old.json new.json --cell m/gcc/64/O2 --cell m/gcc/64/O2 # deltas; verdicts where both are of one run\n"
		      "mymatrix compare a.json b.json --cell m/gcc/64/O2 --max-regression 3% # with a gate\n"
		      "mymatrix compare report.json --cell m/gcc/64/O2 --cell m/clang/64/O2 # two of its cells",
	  .run = mm_command_compare },
	{ .name = "import", .operands = "sysbench|sql-bench|csv FILE…", .min_operands = 2, .max_operands = -1,
	  .values = "sysbench sql-bench csv", .more_values = "@file", .options = MM_OPTIONS_IMPORT,
	  .summary = "turn other programs' output into a result file",
	  .help = "Several files of the same kind are passes. A result file is JSON, for 'mymatrix compare'.\n\n"
		  "A csv file has a head line that names its columns, in any order: 'test' and 'value' are needed; 'unit' (s) "
		  "and 'better' (lower, or higher for rates); 'pass' and 'visit' say which pass a row is of, else the n-th row "
		  "of a test is pass n; 'cell' and 'suite'; 'operation', whose value is in seconds; 'metric' (wall or "
		  "server-cpu); 'kind', of which only rows 'sample' count. What --format csv writes can be read back.",
	  .examples = "mymatrix import sysbench pass1.txt pass2.txt -o new.json # two passes, one result file\n"
		      "mymatrix import csv samples.csv --cell mine -o mine.json # lines such as insert,5.53",
	  .run = mm_command_import },
	{ .name = "suites", .operands = "[NAME [TEST…]]", .max_operands = -1, .values = "@suite", .more_values = "@test",
	  .options = MM_OPTIONS_SUITES | MM_OPTIONS_TABLE,
	  .summary = "tests, operations and how often each is done",
	  .examples = "mymatrix suites # which there are\n"
		      "mymatrix suites sql-bench insert select # two of its tests\n"
		      "mymatrix suites sql-bench --edition 5.0 --scale 0.1 # what a pass at a tenth consists of",
	  .run = mm_command_suites },
	{ .name = "help", .operands = "[COMMAND]", .max_operands = 1, .values = "@command",
	  .summary = "explain a command",
	  .examples = "mymatrix help # all commands\nmymatrix help run # one of them",
	  .run = mm_command_help },
	{ .name = "complete", .operands = "CLASS [SUITE]", .min_operands = 1, .max_operands = 2, .hidden = true,
	  .options = MM_OPTIONS_LOOK | MM_OPTIONS_WORK, .summary = "names for a shell's completion", .run = mm_command_complete },
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
	const struct mm_option *option = mm_options(); /* "mymatrix version" */
	while (option->name && !(option->groups & MM_OPTIONS_COMMON && strcmp(option->name, name) == 0))
		option++;
	int code;
	if (option->name)
		code = mm_error_set(err, MM_EUSAGE, "unknown command '%s': did you mean '--%s'?", name, name);
	else if (nearest)
		code = mm_error_set(err, MM_EUSAGE, "unknown command '%s': did you mean '%s'?", name, nearest);
	else
		code = mm_error_set(err, MM_EUSAGE, "unknown command '%s': see 'mymatrix help'", name);
	mm_strings_release(&names);
	return code;
}
