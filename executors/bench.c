#include "executors/bench.h"

#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runners/bench.h"
#include "runners/schedule.h"

enum { GIVE_UP_AFTER = 3 };

struct bench {
	struct mm_run *run;
	bool retry_failed;
	char *scratch;          /* the same for all cells: one server at a time, and paths of one length */
	char *socket_folder;
	unsigned *failures;     /* of each cell, in a row */
	unsigned done, total;   /* passes */
	int position;           /* of the trail's first slot in the whole order */
};

static char *slot_path(const struct bench *bench, const struct mm_suite_spec *suite, int index,
		       const struct mm_slot *slot)
{
	return mm_pass_path(bench->run->folder, bench->run->matrix->cells[slot->cell].id, suite->name, index,
			    slot->visit);
}

static bool alive(const struct bench *bench, const struct mm_slot *slot)
{
	return bench->run->cells[slot->cell].code == 0;
}

/* Is the pass of this slot there, and to be kept? */
static bool have_pass(const struct bench *bench, const char *path)
{
	if (!mm_fs_exists(path))
		return false;
	if (!bench->retry_failed)
		return true;
	struct mm_pass pass;
	mm_pass_init(&pass);
	bool good = mm_pass_load(path, &pass, NULL) == 0 && !pass.failure;
	mm_pass_release(&pass);
	return good;
}

static bool trail_complete(const struct bench *bench, const struct mm_suite_spec *suite, int index,
			   const struct mm_slot *slots, size_t count)
{
	bool complete = true;
	for (size_t i = 0; i < count && complete; i++) {
		char *path = slot_path(bench, suite, index, &slots[i]);
		complete = !alive(bench, &slots[i]) || have_pass(bench, path);
		free(path);
	}
	return complete;
}

/* Renames PATH, if it is there, to the first free *.superseded-<k>.json. */
static int supersede(const char *path, struct mm_error *err)
{
	if (!mm_fs_exists(path))
		return 0;
	int stem = (int)(strlen(path) - strlen(".json"));
	char *kept = NULL;
	unsigned k = 1;
	do {
		free(kept);
		kept = mm_format("%.*s.superseded-%u.json", stem, path, k++);
	} while (mm_fs_exists(kept));
	int code = mm_fs_rename(path, kept, err);
	free(kept);
	return code;
}

static void give_up(struct bench *bench, const struct mm_cell *cell, const char *why)
{
	struct mm_cell_state *state = &bench->run->cells[cell->index];
	state->code = MM_ECELL;
	state->failure = mm_format("cell '%s' was given up after %u failed passes in a row: %s", cell->id,
				   bench->failures[cell->index], why);
	mm_event_stage(MM_EVENT_FAILED, cell->id, "pass", state->failure);
}

static int save_pass(const char *path, const struct mm_pass *pass, struct mm_error *err)
{
	char *folder = mm_path_folder(path);
	int code = mm_fs_mkdirs(folder, 0755, err);
	free(folder);
	return code ? code : mm_pass_save(path, pass, err);
}

static int run_slot(struct bench *bench, const struct mm_suite_spec *suite, int index, const struct mm_slot *slot,
		    int position, struct mm_error *err)
{
	const struct mm_cell *cell = &bench->run->matrix->cells[slot->cell];
	struct mm_server_place place = { .build = &bench->run->cells[slot->cell].build,
					 .cell = cell,
					 .schedule = &bench->run->matrix->schedule,
					 .scratch = bench->scratch };
	char *pristine = mm_format("%s/pristine", bench->run->folder);
	place.pristine = mm_path_join(pristine, cell->id);
	place.socket = mm_path_join(bench->socket_folder, "s");
	char *path = slot_path(bench, suite, index, slot);
	char *text = mm_format("%s, pass %d of %d", suite->name, index, suite->passes);
	struct mm_error why = MM_ERROR_INIT;
	struct mm_pass pass;
	mm_pass_init(&pass);
	pass.cell = mm_strdup(cell->id);
	pass.suite = mm_strdup(suite->name);
	pass.index = index;
	pass.visit = slot->visit;
	pass.position = position;

	mm_event_stage(MM_EVENT_BEGIN, cell->id, "pass", text);
	int code = mm_datadir_make(&place, &why);
	if (code == MM_ECELL)
		pass.failure = mm_strdup(why.text);
	else if (!code)
		code = mm_pass_run(&place, suite, &pass, &why);
	if (code && code != MM_ECELL) {
		(void)mm_error_set(err, why.code, "%s", why.text);
		goto out;
	}
	if (pass.failure)
		mm_event_stage(MM_EVENT_FAILED, cell->id, "pass", pass.failure);
	else
		mm_event_stage(MM_EVENT_END, cell->id, "pass", text);
	code = save_pass(path, &pass, err);
	bench->failures[slot->cell] = pass.failure ? bench->failures[slot->cell] + 1 : 0;
	if (!code && bench->failures[slot->cell] >= GIVE_UP_AFTER)
		give_up(bench, cell, pass.failure);
out:
	mm_pass_release(&pass);
	free(pristine);
	free(place.pristine);
	free(place.socket);
	free(path);
	free(text);
	return code;
}

static int run_trail(struct bench *bench, const struct mm_suite_spec *suite, int index, const struct mm_slot *slots,
		     size_t count, struct mm_error *err)
{
	int code = 0;
	bool complete = trail_complete(bench, suite, index, slots, count);
	for (size_t i = 0; i < count && !complete && !code; i++) {
		char *path = slot_path(bench, suite, index, &slots[i]);
		code = supersede(path, err);
		free(path);
	}
	for (size_t i = 0; i < count && !code; i++) {
		if (!complete && alive(bench, &slots[i]))
			code = run_slot(bench, suite, index, &slots[i], bench->position + (int)i, err);
		if (!code)
			mm_event_progress(NULL, "passes", ++bench->done, bench->total);
	}
	bench->position += (int)count;
	return code;
}

/* Calls VISIT for each trail of each pass index of each suite, in order. */
static int each_trail(struct bench *bench,
		      int (*visit)(struct bench *, const struct mm_suite_spec *, int, const struct mm_slot *, size_t,
				   struct mm_error *),
		      struct mm_error *err)
{
	const struct mm_matrix *matrix = bench->run->matrix;
	int code = 0;
	for (size_t s = 0; s < matrix->suite_count; s++) {
		for (int index = 1; index <= matrix->suites[s].passes && !code; index++) {
			struct mm_order order;
			mm_order_make(matrix, s, index, &order);
			for (size_t begin = 0, end; begin < order.slot_count && !code; begin = end) {
				for (end = begin + 1; end < order.slot_count &&
						      order.slots[end].trail == order.slots[begin].trail;
				     end++)
					;
				code = visit(bench, &matrix->suites[s], index, &order.slots[begin], end - begin, err);
			}
			mm_order_release(&order);
		}
	}
	return code;
}

static int count_trail(struct bench *bench, const struct mm_suite_spec *suite, int index, const struct mm_slot *slots,
		       size_t count, struct mm_error *err)
{
	(void)err;
	bench->total += (unsigned)count;
	if (trail_complete(bench, suite, index, slots, count))
		bench->done += (unsigned)count;
	return 0;
}

/* Where passes work: in the run folder, or below schedule.datadir under a name of this run's own. */
static char *scratch_place(const struct mm_run *run)
{
	if (!run->matrix->schedule.datadir)
		return mm_path_join(run->folder, "scratch");
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, run->folder);
	mm_hash_finish(hash, hex);
	return mm_format("%s/mymatrix-%.16s", run->matrix->schedule.datadir, hex);
}

int mm_bench_passes(struct mm_run *run, const struct mm_run_options *options, struct mm_error *err)
{
	struct bench bench = { .run = run, .retry_failed = options->retry_failed, .position = 1 };
	int code = each_trail(&bench, count_trail, err);
	if (bench.done == bench.total) {
		mm_event_stage(MM_EVENT_REUSED, NULL, "passes", "every pass is there already");
		return code;
	}
	mm_event_progress(NULL, "passes", bench.done, bench.total);
	bench.done = 0;
	bench.failures = mm_calloc(run->matrix->cell_count, sizeof *bench.failures);
	bench.scratch = scratch_place(run);
	bench.socket_folder = mm_server_socket_place(run->folder, err);
	code = bench.socket_folder ? each_trail(&bench, run_trail, err) : err->code;
	(void)mm_fs_remove_tree(bench.scratch, NULL);
	if (bench.socket_folder && strcmp(bench.socket_folder, run->folder) != 0)
		(void)rmdir(bench.socket_folder);
	free(bench.socket_folder);
	free(bench.scratch);
	free(bench.failures);
	return code;
}
