/*
 * What the compiler wrapper costs: wrapper-cost COMPILE_COMMANDS.json [UNITS [ROUNDS]]
 *
 * Compiles UNITS translation units (24), spread over a configured tree, with the real compiler and through the wrapper,
 * in turns (real, wrapped, wrapped, real, ROUNDS times, 2), into a scratch folder. Both execute the same lines: the
 * wrapper is told to add nothing, but reads its configuration, takes and returns a token and logs the line as ever.
 * Beside that the cost of a call whose compiler does nothing. Prints wall and CPU ratios; the status is 1 when the
 * wall ratio is above 1.01.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/jobserver.h"
#include "base/memory.h"
#include "base/os.h"
#include "toolchains/wrap.h"
#include "toolchains/wrapper/response.h"

extern char **environ;

enum { NOTHING_CALLS = 400 };

struct cost {
	double wall, cpu; /* seconds */
	size_t calls;
};

struct unit {
	char *folder;
	struct mm_strings argv; /* with the real compiler, writing to scratch */
	bool cxx;
};

static _Noreturn void stop(const char *what)
{
	(void)fprintf(stderr, "wrapper-cost: %s\n", what);
	exit(2);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double children_cpu(void)
{
	struct rusage usage;
	(void)getrusage(RUSAGE_CHILDREN, &usage);
	return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static void run(char *const *argv, struct cost *cost)
{
	pid_t pid;
	int status;
	double cpu = children_cpu();
	uint64_t began = mm_now_ns();
	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) || waitpid(pid, &status, 0) != pid || status != 0)
		stop(argv[0]);
	cost->wall += (double)(mm_now_ns() - began) / 1e9;
	cost->cpu += children_cpu() - cpu;
	cost->calls++;
}

/* A command line as CMake writes it, in words. */
static void split(const char *scratch, const char *command, struct mm_strings *words)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(scratch, "command"), *arg = mm_format("@%s", path);
	if (mm_fs_write_atomic(path, command, strlen(command), &err) || !mm_response_expand(arg, words))
		stop(err.text);
	free(arg);
	free(path);
}

static bool read_unit(const json_t *entry, const char *scratch, struct unit *unit)
{
	struct mm_strings words = MM_STRINGS_INIT;
	const char *command = mm_json_string(entry, "command", NULL);
	bool writes = false;
	*unit = (struct unit){ .folder = mm_strdup(mm_json_string(entry, "directory", ".")) };
	if (command)
		split(scratch, command, &words);
	for (size_t i = 0; i < words.count; i++) {
		bool output = i > 0 && strcmp(words.items[i - 1], "-o") == 0;
		writes = writes || output;
		if (output)
			mm_strings_pushf(&unit->argv, "%s/unit.o", scratch);
		else
			mm_strings_push(&unit->argv, words.items[i]);
	}
	unit->cxx = words.count && (strstr(mm_path_base(words.items[0]), "++") || strstr(words.items[0], "CC"));
	mm_strings_release(&words);
	return writes;
}

/* PROGRAM in place of what the command begins with: that may be a wrapper itself. */
static void compile(struct unit *unit, const char *program, struct cost *cost)
{
	if (chdir(unit->folder))
		stop(unit->folder);
	free(unit->argv.items[0]);
	unit->argv.items[0] = mm_strdup(program);
	run(unit->argv.items, cost);
}

/* Wraps CC and CXX in FOLDER with a configuration that adds nothing. REAL: their paths, allocated. */
static void wrap(const char *cc, const char *cxx, const char *folder, const char *jobs, struct mm_wrapped *wrapped,
		 char *real[2])
{
	static char name[] = "measured", none[] = "";
	struct mm_flag_words flags = { none, none, none, none };
	struct mm_toolchain_spec spec = { .name = name, .cc = mm_strdup(cc), .cxx = mm_strdup(cxx) };
	struct mm_toolchain *toolchain;
	struct mm_error err = MM_ERROR_INIT;
	if (mm_toolchain_open(&spec, &toolchain, &err))
		stop(err.text);
	struct mm_wrap_request request = { toolchain, MM_BITS_NATIVE, &flags, MM_ENFORCE_NONE, jobs };
	if (mm_wrap(&request, folder, wrapped, &err))
		stop(err.text);
	real[0] = mm_strdup(toolchain->cc);
	real[1] = mm_strdup(toolchain->cxx);
	mm_toolchain_free(toolchain);
	free(spec.cc);
	free(spec.cxx);
}

/* The configuration in FOLDER with /bin/true for its compilers. */
static void wrap_nothing(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_buffer text = MM_BUFFER_INIT, changed = MM_BUFFER_INIT;
	char *path = mm_path_join(folder, "config");
	if (mm_fs_read(path, 0, &text, &err))
		stop(err.text);
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1) {
		if (strncmp(line, "cc ", 3) == 0 || strncmp(line, "cxx ", 4) == 0)
			mm_buffer_printf(&changed, "%.*s/bin/true\n", (int)strcspn(line, " ") + 1, line);
		else
			mm_buffer_printf(&changed, "%.*s\n", (int)strcspn(line, "\n"), line);
	}
	if (mm_fs_write_atomic(path, changed.data, changed.length, &err))
		stop(err.text);
	mm_buffer_release(&text);
	mm_buffer_release(&changed);
	free(path);
}

static void measure_nothing(const char *program)
{
	char real[] = "/bin/true", option[] = "-c", file[] = "a.c", output[] = "-o", object[] = "a.o";
	char *name = mm_strdup(program), *direct[] = { real, option, file, output, object, NULL };
	char *wrapped[] = { name, option, file, output, object, NULL };
	struct cost costs[2] = { 0 };
	for (int i = 0; i < NOTHING_CALLS; i++) {
		run(i % 2 ? wrapped : direct, &costs[i % 2]);
		run(i % 2 ? direct : wrapped, &costs[!(i % 2)]);
	}
	(void)printf("a call whose compiler does nothing: %.3f ms real, %.3f ms wrapped, cost %.3f ms\n",
		     1e3 * costs[0].wall / (double)costs[0].calls, 1e3 * costs[1].wall / (double)costs[1].calls,
		     1e3 * (costs[1].wall - costs[0].wall) / (double)costs[0].calls);
	free(name);
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	char scratch[] = "/tmp/mm-cost-XXXXXX";
	struct mm_jobserver server;
	struct mm_wrapped wrapped = { 0 };
	struct cost costs[2] = { 0 }, warm = { 0 };
	char *real[2];
	if (argc < 2 || !mkdtemp(scratch))
		stop("usage: wrapper-cost COMPILE_COMMANDS.json [UNITS [ROUNDS]]");
	size_t wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : 24, rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
	json_t *commands = mm_json_load(argv[1], &err);
	if (!commands || !wanted || !json_array_size(commands))
		stop(commands ? "no units" : err.text);
	char *jobs = mm_path_join(scratch, "jobs"), *cell = mm_path_join(scratch, "cell");
	if (mm_jobserver_start(&server, jobs, 1, &err))
		stop(err.text);
	wrap("gcc", "g++", cell, jobs, &wrapped, real);
	size_t total = json_array_size(commands), step = total > wanted ? total / wanted : 1, used = 0;
	for (size_t i = step / 2; i < total && used < wanted; i += step) {
		struct unit unit;
		if (read_unit(json_array_get(commands, i), scratch, &unit)) {
			const char *through = unit.cxx ? wrapped.cxx : wrapped.cc, *direct = real[unit.cxx];
			compile(&unit, direct, &warm);
			for (size_t round = 0; round < rounds; round++) {
				compile(&unit, direct, &costs[0]);
				compile(&unit, through, &costs[1]);
				compile(&unit, through, &costs[1]);
				compile(&unit, direct, &costs[0]);
			}
			used++;
		}
		mm_strings_release(&unit.argv);
		free(unit.folder);
	}
	if (!used)
		stop("no unit has a command line that can be taken apart");
	(void)printf(
		"%zu of %zu units, %zu compilations each way: real %.2f s wall %.2f s CPU, wrapped %.2f s wall %.2f s "
		"CPU\nratio wall %.4f CPU %.4f\n",
		used, total, costs[0].calls, costs[0].wall, costs[0].cpu, costs[1].wall, costs[1].cpu,
		costs[1].wall / costs[0].wall, costs[1].cpu / costs[0].cpu);
	wrap_nothing(cell);
	measure_nothing(wrapped.cc);
	mm_wrapped_release(&wrapped);
	mm_jobserver_stop(&server);
	json_decref(commands);
	free(real[0]);
	free(real[1]);
	free(jobs);
	free(cell);
	(void)mm_fs_remove_tree(scratch, &err);
	return costs[1].wall / costs[0].wall > 1.01;
}
