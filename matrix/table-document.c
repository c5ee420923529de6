/* The whole file, and its smaller sections. */
#include "base/memory.h"
#include "matrix/keys.h"
#include "matrix/matrix.h"

enum { MOST_MIB = 1 << 30 }; /* a PiB */

/* configs */

static const struct mm_key config_keys[] = {
	{ "my_cnf", MM_KIND_PATH, MM_FIELD(mm_config, my_cnf),
	  .help = "the server's option file, instead of an empty one" },
	{ "run_env", MM_KIND_ENV, MM_FIELD(mm_config, run_env), .help = "environment variables of the server" },
	{ "build_options", MM_KIND_STRINGS, MM_FIELD(mm_config, build.options),
	  .help = "arguments of cmake or configure, after those of the source" },
	{ "build_env", MM_KIND_ENV, MM_FIELD(mm_config, build.env),
	  .help = "environment variables of the build, after those of the source" },
	{ 0 }
};

static int finish_config(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			 void *target)
{
	(void)object;
	(void)variant;
	const struct mm_config *config = target;
	if (strcmp(config->name, "default") == 0)
		return mm_reader_fail_key(reader, at,
					  "the config 'default' is built in and empty: give this one another "
					  "name");
	return 0;
}

static const struct mm_section config_section = {
	.name = "config", .keys = config_keys, .size = sizeof(struct mm_config), .finish = finish_config
};

/* sysroots */

static const struct mm_key sysroot_keys[] = {
	{ "packages", MM_KIND_PATHS, MM_FIELD(mm_sysroot, packages), .least = 1, .unique = true,
	  .help = "development packages (.deb, .rpm), unpacked into one folder" },
	{ "directory", MM_KIND_PATH, MM_FIELD(mm_sysroot, directory), .help = "a folder that holds them unpacked" },
	{ 0 }
};

static int finish_sysroot(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			  void *target)
{
	(void)object;
	(void)variant;
	struct mm_sysroot *sysroot = target;
	sysroot->bits = strcmp(sysroot->name, "32") == 0 ? 32 : strcmp(sysroot->name, "64") == 0 ? 64 : 0;
	if (!sysroot->bits)
		return mm_reader_fail_key(reader, at, "a sysroot is named after its bits, \"32\" or \"64\"");
	if (!sysroot->packages.count == !sysroot->directory)
		return mm_reader_fail(reader, at,
				      "a sysroot is made of 'packages' or is a 'directory': one of them is "
				      "needed");
	return 0;
}

static const struct mm_section sysroot_section = {
	.name = "sysroot", .keys = sysroot_keys, .size = sizeof(struct mm_sysroot), .finish = finish_sysroot
};

/* schedule */

static const char *check_cpus(const char *text)
{
	static const char wanted[] = "a CPU list is numbers and ranges, such as \"0-3,8\"";
	while (*text) {
		size_t digits = strspn(text, "0123456789");
		const char *after = text + digits;
		if (!digits || digits > 6)
			return wanted;
		if (*after == '-') {
			digits = strspn(++after, "0123456789");
			if (!digits || digits > 6 || strtol(after, NULL, 10) < strtol(text, NULL, 10))
				return wanted;
			after += digits;
		}
		if (*after == ',' && after[1])
			after++;
		else if (*after)
			return wanted;
		text = after;
	}
	return NULL;
}

#define CPUS_PATTERN "^[0-9]{1,6}(-[0-9]{1,6})?(,[0-9]{1,6}(-[0-9]{1,6})?)*$"

static const struct mm_key cpus_keys[] = {
	{ "server", MM_KIND_STRING, MM_FIELD(mm_schedule, cpus_server), .check = check_cpus, .pattern = CPUS_PATTERN,
	  .help = "CPUs of the server" },
	{ "client", MM_KIND_STRING, MM_FIELD(mm_schedule, cpus_client), .check = check_cpus, .pattern = CPUS_PATTERN,
	  .help = "CPUs of the client" },
	{ 0 }
};

static const struct mm_section cpus_section = { .name = "cpus", .keys = cpus_keys };

static int read_control(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	/* the offset of the row is that of "control" */
	struct mm_schedule *schedule = (struct mm_schedule *)((char *)field - offsetof(struct mm_schedule, control));
	bool relink = json_is_string(value) && strcmp(json_string_value(value), "relink") == 0;
	if (!json_is_boolean(value) && !relink)
		return mm_value_expected(reader, at, "true, false or \"relink\"", value);
	schedule->control = relink || json_is_true(value);
	schedule->relink = relink;
	return 0;
}

static int read_aslr(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	if (!json_is_boolean(value))
		return mm_value_expected(reader, at, "true or false", value);
	*(bool *)field = json_is_false(value);
	return 0;
}

static const struct mm_key schedule_keys[] = {
	{ "seed", MM_KIND_INTEGER64, MM_FIELD(mm_schedule, seed), .least = 0, .most = 9007199254740991.0,
	  .help = "of the order of passes, 1 by default" },
	{ "control", MM_KIND_JSON, MM_FIELD(mm_schedule, control), .read = read_control,
	  .schema = "{\"enum\": [false, true, \"relink\"]}", .help = "run each baseline twice, as an A/A pair" },
	{ "cpus", MM_KIND_OBJECT, .offset = 0, .section = &cpus_section,
	  .help = "CPUs that server and client are kept on" },
	{ "datadir", MM_KIND_PATH, MM_FIELD(mm_schedule, datadir),
	  .help = "folder that data directories are copied to, for example one in memory" },
	{ "aslr", MM_KIND_JSON, MM_FIELD(mm_schedule, no_aslr), .read = read_aslr, .schema = "{\"type\": \"boolean\"}",
	  .help = "false: servers run without address randomisation" },
	{ 0 }
};

static const struct mm_section schedule_section = { .name = "schedule",
						    .keys = schedule_keys,
						    .size = sizeof(struct mm_schedule) };

/* thresholds, gate, build: their targets are struct mm_matrix, struct mm_gate, struct mm_build_policy */

static const struct mm_key threshold_keys[] = {
	{ "effect_percent", MM_KIND_NUMBER, MM_FIELD(mm_matrix, effect_percent), .least = 0, .most = 100,
	  .help = "smaller differences are no verdict, 1 by default" },
	{ "equivalence_percent", MM_KIND_NUMBER, MM_FIELD(mm_matrix, equivalence_percent), .least = 0, .most = 100,
	  .help = "differences within this are equivalence, 2 by default" },
	{ 0 }
};

static const struct mm_section threshold_section = { .name = "thresholds", .keys = threshold_keys };

static const char *const metrics[] = { "wall", "server-cpu", NULL };

static const struct mm_key gate_keys[] = {
	{ "max_regression_percent", MM_KIND_NUMBER, MM_FIELD(mm_gate, max_regression_percent), .required = true,
	  .least = 0, .most = 100, .help = "the regression that the gate still lets through" },
	{ "tests", MM_KIND_STRINGS, MM_FIELD(mm_gate, tests), .least = 1, .unique = true,
	  .help = "tests that are gated beside the geometric mean" },
	{ "metric", MM_KIND_WORD, MM_FIELD(mm_gate, metric), .words = metrics, .help = "wall by default" },
	{ 0 }
};

static void begin_gate(void *target)
{
	struct mm_gate *gate = target;
	gate->present = true;
}

static const struct mm_section gate_section = {
	.name = "gate", .keys = gate_keys, .size = sizeof(struct mm_gate), .begin = begin_gate
};

static const char *const audits[] = { "warn", "strict", "off", NULL };        /* enum mm_audit */
static const char *const keeps[] = { "never", "on-failure", "always", NULL }; /* enum mm_keep */

static const struct mm_key policy_keys[] = {
	{ "audit", MM_KIND_CHOICE, MM_FIELD(mm_build_policy, audit), .words = audits,
	  .help = "what a build with other flags than asked for is: warn by default" },
	{ "keep", MM_KIND_CHOICE, MM_FIELD(mm_build_policy, keep), .words = keeps,
	  .help = "build trees that are kept after the install: on-failure by default" },
	{ "jobs", MM_KIND_INTEGER, MM_FIELD(mm_build_policy, jobs), .least = 0, .most = MM_MOST_JOBS,
	  .help = "compilers at once, 0: one for each CPU" },
	{ "timeout", MM_KIND_INTEGER, MM_FIELD(mm_build_policy, timeout_seconds), .least = 0, .most = 604800,
	  .help = "seconds that one stage may take, 0: no limit" },
	{ 0 }
};

static const struct mm_section policy_section = { .name = "build policy",
						  .keys = policy_keys,
						  .size = sizeof(struct mm_build_policy) };

static const struct mm_key limit_keys[] = {
	{ "memory_mib", MM_KIND_INTEGER, MM_FIELD(mm_limits, memory_mib), .least = 0, .most = MOST_MIB,
	  .help = "MiB of memory that a process of a cell may take, 0: no limit" },
	{ "file_mib", MM_KIND_INTEGER, MM_FIELD(mm_limits, file_mib), .least = 0, .most = MOST_MIB,
	  .help = "MiB of the largest file that a process of a cell may write, 0: no limit" },
	{ "hang_seconds", MM_KIND_INTEGER, MM_FIELD(mm_limits, hang_seconds), .least = 0, .most = 86400,
	  .help = "seconds after which a server that answers no new connection is killed, 60 by default, 0: never" },
	{ "start_seconds", MM_KIND_INTEGER, MM_FIELD(mm_limits, start_seconds), .least = 0, .most = 86400,
	  .help = "seconds within which a server must answer after its start, 120 by default, 0: no limit" },
	{ "datadir_seconds", MM_KIND_INTEGER, MM_FIELD(mm_limits, datadir_seconds), .least = 0, .most = 86400,
	  .help = "seconds that the making of a cell's data directory may take, 600 by default, 0: no limit" },
	{ "unpacked_mib", MM_KIND_INTEGER, MM_FIELD(mm_limits, unpacked_mib), .least = 1, .most = MOST_MIB,
	  .help = "MiB that an archive may unpack to, 32768 by default" },
	{ "unpacked_entries", MM_KIND_INTEGER, MM_FIELD(mm_limits, unpacked_entries), .least = 1, .most = 1000000000,
	  .help = "files and folders that an archive may hold, a million by default" },
	{ "unpacked_ratio", MM_KIND_INTEGER, MM_FIELD(mm_limits, unpacked_ratio), .least = 1, .most = 1000000,
	  .help = "bytes that an archive may unpack to for each of its own, 250 by default" },
	{ 0 }
};

static const struct mm_section limits_section = { .name = "limits",
						  .keys = limit_keys,
						  .size = sizeof(struct mm_limits) };

/* executor: checked here, carried by the document */

static const char *const executors[] = { "local", "slurm", NULL };

static const struct mm_key executor_keys[] = {
	{ "name", MM_KIND_WORD, MM_CHECKED, .required = true, .words = executors, .help = "local or slurm" },
	{ "partition", MM_KIND_STRING, MM_CHECKED, .help = "Slurm partition" },
	{ "constraint", MM_KIND_STRING, MM_CHECKED, .help = "features that benchmark nodes must have" },
	{ "node", MM_KIND_STRING, MM_CHECKED, .help = "the one node that benchmarks run on" },
	{ "account", MM_KIND_STRING, MM_CHECKED, .help = "Slurm account" },
	{ "time", MM_KIND_STRING, MM_CHECKED, .help = "time limit of a task, as sbatch takes it" },
	{ "memory", MM_KIND_STRING, MM_CHECKED, .help = "memory of a task, as sbatch takes it" },
	{ "options", MM_KIND_STRINGS, MM_CHECKED, .help = "further arguments of sbatch" },
	{ 0 }
};

static int finish_executor(struct mm_reader *reader, const struct mm_at *at, const json_t *object, int variant,
			   void *target)
{
	(void)variant;
	(void)target;
	if (strcmp(json_string_value(json_object_get(object, "name")), "slurm") == 0)
		return 0;
	for (const struct mm_key *key = executor_keys; key->name; key++) {
		const struct mm_at here = { at, key->name, 0 };
		if (strcmp(key->name, "name") != 0 && json_object_get(object, key->name))
			return mm_reader_fail_key(reader, &here,
						  "the key '%s' means nothing for executor 'local' (it is for: slurm)",
						  key->name);
	}
	return 0;
}

static const struct mm_section executor_section = { .name = "executor",
						    .keys = executor_keys,
						    .finish = finish_executor };

static int read_executor(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	*(json_t **)field = value;
	return mm_section_read(reader, at, value, &executor_section, NULL);
}

static int read_version(struct mm_reader *reader, const struct mm_at *at, json_t *value, void *field)
{
	(void)field;
	if (!json_is_integer(value) || json_integer_value(value) != 1)
		return mm_value_expected(reader, at, "1, the version of this format", value);
	return 0;
}

/* the whole file */

static const struct mm_key keys[] = {
	{ "$schema", MM_KIND_JSON, MM_CHECKED, .schema = "{}", .help = "the schema, for editors" },
	{ "mymatrix", MM_KIND_JSON, MM_CHECKED, .required = true, .read = read_version, .schema = "{\"const\": 1}",
	  .help = "the version of this format, 1" },
	{ "title", MM_KIND_STRING, MM_FIELD(mm_matrix, title), .help = "a title for reports" },
	{ "sources", MM_KIND_MAP, MM_VECTOR(mm_matrix, sources, source_count), .required = true, .least = 1,
	  .section = &mm_source_section, .help = "where MySQL comes from, by name" },
	{ "toolchains", MM_KIND_MAP, MM_VECTOR(mm_matrix, toolchains, toolchain_count),
	  .section = &mm_toolchain_section, .help = "compilers, by name" },
	{ "flags", MM_KIND_MAP, MM_VECTOR(mm_matrix, flagsets, flagset_count), .section = &mm_flagset_section,
	  .help = "sets of compiler flags, by name" },
	{ "configs", MM_KIND_MAP, MM_VECTOR(mm_matrix, configs, config_count), .section = &config_section,
	  .help = "build options, option files and environments, by name" },
	{ "sysroots", MM_KIND_MAP, MM_VECTOR(mm_matrix, sysroots, sysroot_count), .section = &sysroot_section,
	  .help = "development files of other bits, by bits" },
	{ "matrix", MM_KIND_OBJECT, MM_CHECKED, .required = true, .section = &mm_axes_section,
	  .help = "the axes that cells are made of" },
	{ "suites", MM_KIND_LIST, MM_VECTOR(mm_matrix, suites, suite_count), .least = 1, .section = &mm_suite_section,
	  .help = "what is run against each server; by default sql-bench" },
	{ "schedule", MM_KIND_OBJECT, MM_FIELD(mm_matrix, schedule), .section = &schedule_section,
	  .help = "how passes are run" },
	{ "thresholds", MM_KIND_OBJECT, .offset = 0, .section = &threshold_section,
	  .help = "what counts as a difference" },
	{ "compare", MM_KIND_LIST, MM_CHECKED, .section = &mm_compare_section, .help = "which cells are compared" },
	{ "gate", MM_KIND_OBJECT, MM_FIELD(mm_matrix, gate), .section = &gate_section,
	  .help = "when the exit status says regression" },
	{ "build", MM_KIND_OBJECT, MM_FIELD(mm_matrix, build), .section = &policy_section,
	  .help = "how builds are done" },
	{ "limits", MM_KIND_OBJECT, MM_FIELD(mm_matrix, limits), .section = &limits_section,
	  .help = "how far what cells run and unpack may go" },
	{ "executor", MM_KIND_JSON, MM_FIELD(mm_matrix, executor), .read = read_executor,
	  .schema = "{\"$ref\": \"#/definitions/executor\"}", .section = &executor_section,
	  .help = "where it runs, this machine by default" },
	{ 0 }
};

static void begin(void *target)
{
	struct mm_matrix *matrix = target;
	matrix->schedule.seed = 1;
	matrix->effect_percent = 1;
	matrix->equivalence_percent = 2;
	matrix->build.keep = MM_KEEP_ON_FAILURE;
	matrix->limits = (struct mm_limits){
		.hang_seconds = 60, .start_seconds = 120, .datadir_seconds = 600,
		.unpacked_mib = 32 << 10, .unpacked_entries = 1000000, .unpacked_ratio = 250
	};
}

const struct mm_section mm_document_section = {
	.name = "document", .keys = keys, .size = sizeof(struct mm_matrix), .begin = begin
};
