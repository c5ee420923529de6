/* "suites": what is run against each server. */
#include "base/fs.h"
#include "base/memory.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"

static const char *const suites[] = { "sql-bench", "sql-bench-upstream", "sysbench", "threads", "exec", NULL };

/* The variants of a suite: places in the list above. */
enum { AT_SQL_BENCH, AT_UPSTREAM, AT_SYSBENCH, AT_THREADS, AT_EXEC };
enum {
	SQL_BENCH = MM_VARIANT(AT_SQL_BENCH),
	UPSTREAM = MM_VARIANT(AT_UPSTREAM),
	SYSBENCH = MM_VARIANT(AT_SYSBENCH),
	THREADS = MM_VARIANT(AT_THREADS),
	EXEC = MM_VARIANT(AT_EXEC)
};

static const char *const editions[] = { "5.0", "mariadb-10.11", NULL };
static const char *const presets[] = { "published", "sweep", NULL };
static const char *const mixes[] = { "heavy", "light", NULL };

static const struct mm_key keys[] = {
	{ "name", MM_KIND_STRING, MM_FIELD(mm_suite_spec, name), .required = true, .check = mm_name_check,
	  .pattern = mm_name_pattern, .help = "a name of its own: samples and reports are filed under it" },
	{ "suite", MM_KIND_WORD, MM_FIELD(mm_suite_spec, suite), .required = true, .words = suites,
	  .help = "which suite it is" },
	{ "passes", MM_KIND_INTEGER, MM_FIELD(mm_suite_spec, passes), .least = 1, .most = MM_MOST_PASSES,
	  .help = "passes of each cell, 10 by default" },
	{ "scale", MM_KIND_NUMBER, MM_FIELD(mm_suite_spec, scale), .only = SQL_BENCH | UPSTREAM, .least = 0,
	  .most = MM_MOST_SCALE, .above = true, .help = "factor of the loop counts, 1 by default" },
	{ "edition", MM_KIND_WORD, MM_FIELD(mm_suite_spec, edition), .only = SQL_BENCH, .words = editions,
	  .help = "whose loop counts and limits, 5.0 by default" },
	{ "engine", MM_KIND_STRING, MM_FIELD(mm_suite_spec, engine), .only = SQL_BENCH | UPSTREAM | SYSBENCH | THREADS,
	  .help = "storage engine of the tables; default: what the server chooses" },
	{ "tests", MM_KIND_STRINGS, MM_FIELD(mm_suite_spec, tests), .only = SQL_BENCH | UPSTREAM, .least = 1,
	  .unique = true, .help = "only these tests" },
	{ "operations", MM_KIND_STRINGS, MM_FIELD(mm_suite_spec, operations), .only = SQL_BENCH, .least = 1,
	  .unique = true, .help = "only these operations" },
	{ "script", MM_KIND_STRING, MM_FIELD(mm_suite_spec, script), .only = UPSTREAM | SYSBENCH | THREADS,
	  .help = "sysbench: a script by name or path; sql-bench-upstream: the folder of the scripts; threads: a mix "
		  "file" },
	{ "preset", MM_KIND_WORD, MM_FIELD(mm_suite_spec, preset), .only = SYSBENCH, .words = presets,
	  .help = "ready settings of sysbench" },
	{ "mix", MM_KIND_WORD, MM_FIELD(mm_suite_spec, mix), .only = THREADS, .words = mixes,
	  .help = "a built-in query mix" },
	{ "threads", MM_KIND_INTEGERS, MM_VECTOR(mm_suite_spec, threads, thread_count), .only = SYSBENCH | THREADS,
	  .least = 1, .most = 4096, .help = "client threads, each number run in turn" },
	{ "time", MM_KIND_INTEGER, MM_FIELD(mm_suite_spec, time_seconds), .only = SYSBENCH | THREADS, .least = 0,
	  .most = 86400, .help = "seconds of each run, 0: by events" },
	{ "events", MM_KIND_INTEGER64, MM_FIELD(mm_suite_spec, events), .only = SYSBENCH | THREADS, .least = 0,
	  .most = 1e15, .help = "events of each run, 0: by time" },
	{ "table_size", MM_KIND_INTEGER64, MM_FIELD(mm_suite_spec, table_size), .only = SYSBENCH | THREADS, .least = 1,
	  .most = 1e12, .help = "rows of each table" },
	{ "tables", MM_KIND_INTEGER, MM_FIELD(mm_suite_spec, tables), .only = SYSBENCH | THREADS, .least = 1,
	  .most = 10000, .help = "number of tables" },
	{ "command", MM_KIND_STRINGS, MM_FIELD(mm_suite_spec, command), .only = EXEC, .least = 1,
	  .help = "a program and its arguments; it prints 'name value unit' lines" },
	{ "options", MM_KIND_STRINGS, MM_FIELD(mm_suite_spec, options), .only = UPSTREAM | SYSBENCH,
	  .help = "further arguments of the program" },
	{ "timeout", MM_KIND_INTEGER, MM_FIELD(mm_suite_spec, timeout_seconds), .least = 0, .most = 604800,
	  .help = "seconds that one test may take, 0: no limit" },
	{ "pass_timeout", MM_KIND_INTEGER, MM_FIELD(mm_suite_spec, pass_timeout_seconds), .least = 0, .most = 2592000,
	  .help = "seconds that a whole pass may take, 0: no limit" },
	{ 0 }
};

static int find_suite(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int *variant)
{
	const struct mm_at here = { at, "suite", 0 };
	const json_t *suite = json_object_get(object, "suite");
	if (!suite)
		return mm_reader_fail(reader, at, "the key 'suite' is missing: which suite it is");
	int code = mm_value_read(reader, &here, &(struct mm_key){ .kind = MM_KIND_WORD, .words = suites },
				 json_object_get(object, "suite"), NULL);
	for (int i = 0; !code && suites[i]; i++)
		if (strcmp(suites[i], json_string_value(suite)) == 0)
			*variant = i;
	return code;
}

static void begin(void *target)
{
	struct mm_suite_spec *spec = target;
	spec->passes = 10;
	spec->scale = 1.0;
	spec->engine = mm_strdup("default");
}

static void make_absolute(const struct mm_reader *reader, char **path)
{
	char *absolute = mm_path_absolute(reader->folder, *path);
	free(*path);
	*path = absolute;
}

static int finish(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant, void *target)
{
	(void)object;
	struct mm_suite_spec *spec = target;
	const struct mm_at script = { at, "script", 0 };
	if (variant == AT_SQL_BENCH && !spec->edition)
		spec->edition = mm_strdup("5.0");
	if (variant == AT_SYSBENCH && !spec->script && !spec->preset)
		return mm_reader_fail(reader, at,
				      "sysbench needs a 'script', for example \"oltp_read_only\", or a "
				      "'preset'");
	if (variant == AT_EXEC && !spec->command.count)
		return mm_reader_fail(reader, at, "the key 'command' is missing: the program to run and its arguments");
	if (variant == AT_THREADS && spec->script && spec->mix)
		return mm_reader_fail_key(reader, &script, "'script' and 'mix' cannot stand together: keep one");
	/* A script of sysbench's own goes by name, everything else is a path. */
	if (spec->script && (variant != AT_SYSBENCH || strchr(spec->script, '/')))
		make_absolute(reader, &spec->script);
	if (spec->command.count && strchr(spec->command.items[0], '/'))
		make_absolute(reader, &spec->command.items[0]);
	return 0;
}

const struct mm_section mm_suite_section = { .name = "suite",
					     .keys = keys,
					     .size = sizeof(struct mm_suite_spec),
					     .variants = suites,
					     .variant = find_suite,
					     .begin = begin,
					     .finish = finish };
