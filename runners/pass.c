#include "runners/pass.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void mm_pass_init(struct mm_pass *pass)
{
	*pass = (struct mm_pass){ .index = 1, .visit = 1, .position = 1 };
}

static void test_release(struct mm_test_sample *test)
{
	free(test->name);
	free(test->unit_owned);
	free(test->skipped);
	json_decref(test->extra);
	for (size_t i = 0; i < test->operation_count; i++)
		free(test->operations[i].name);
	free(test->operations);
}

void mm_pass_release(struct mm_pass *pass)
{
	for (size_t i = 0; i < pass->test_count; i++)
		test_release(&pass->tests[i]);
	free(pass->tests);
	free(pass->run);
	free(pass->cell);
	free(pass->suite);
	mm_strings_release(&pass->server_argv);
	free(pass->server_version);
	free(pass->engine);
	free(pass->client_version);
	free(pass->build_id);
	free(pass->my_cnf);
	mm_strings_release(&pass->run_env);
	free(pass->counters);
	json_decref(pass->variables);
	json_decref(pass->noise);
	json_decref(pass->extra);
	free(pass->failure);
	free(pass->log_tail);
	free(pass->error_log);
	mm_pass_init(pass);
}

struct mm_test_sample *mm_pass_add_test(struct mm_pass *pass, const char *name)
{
	pass->tests = mm_grow(pass->tests, pass->test_count, &pass->test_capacity, sizeof(*pass->tests));
	struct mm_test_sample *test = &pass->tests[pass->test_count++];

	*test = (struct mm_test_sample){
		.name = mm_strdup(name),
		.unit = "s",
		.value = NAN,
		.wall_ns = MM_UNKNOWN,
		.server_cpu_ns = MM_UNKNOWN,
		.client_cpu_ns = MM_UNKNOWN,
		.peak_rss_bytes = MM_UNKNOWN,
		.minor_faults = MM_UNKNOWN,
		.major_faults = MM_UNKNOWN,
		.voluntary_switches = MM_UNKNOWN,
		.involuntary_switches = MM_UNKNOWN,
		.read_bytes = MM_UNKNOWN,
		.write_bytes = MM_UNKNOWN,
		.cycles = MM_UNKNOWN,
		.instructions = MM_UNKNOWN,
		.cache_misses = MM_UNKNOWN,
		.branch_misses = MM_UNKNOWN,
		.statements = MM_UNKNOWN,
		.rows = MM_UNKNOWN,
	};
	return test;
}

void mm_test_add_operation(struct mm_test_sample *test, const char *name, uint64_t count, uint64_t wall_ns)
{
	for (size_t i = 0; i < test->operation_count; i++) {
		struct mm_operation_sample *operation = &test->operations[i];

		if (strcmp(operation->name, name) == 0) {
			operation->count += count;
			operation->wall_ns += wall_ns;
			return;
		}
	}
	test->operations =
		mm_grow(test->operations, test->operation_count, &test->operation_capacity, sizeof(*test->operations));
	test->operations[test->operation_count++] =
		(struct mm_operation_sample){ .name = mm_strdup(name), .count = count, .wall_ns = wall_ns };
}

bool mm_pass_is(const struct mm_pass *pass, const char *run, const char *cell, const char *suite, int index, int visit)
{
	if (pass->run != NULL && run != NULL && strcmp(pass->run, run) != 0)
		return false;
	return strcmp(pass->cell, cell) == 0 && strcmp(pass->suite, suite) == 0 && pass->index == index &&
	       pass->visit == visit;
}

char *mm_pass_path(const char *run_folder, const char *cell, const char *suite, int index, int visit)
{
	if (visit > 1)
		return mm_format("%s/passes/%s/%s-%02d.%d.json", run_folder, cell, suite, index, visit);
	return mm_format("%s/passes/%s/%s-%02d.json", run_folder, cell, suite, index);
}
