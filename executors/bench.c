#include "executors/bench.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/event.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/failure.h"
#include "builders/record.h"
#include "executors/steps.h"
#include "runners/bench.h"

enum { GIVE_UP_AFTER = 3, LEAST_FREE = 1 << 20, ENOUGH_FILES = 1024 };

static char *slot_path(const struct mm_run *run, const struct mm_trail *trail, const struct mm_slot *slot)
{
	return mm_pass_path(run->folder, run->matrix->cells[slot->cell].id, run->matrix->suites[trail->suite].name,
			    trail->index, slot->visit);
}

/* A file name for CELL in FOLDER of the run folder: ids hold slashes. Allocated. */
static char *cell_file(const struct mm_run *run, const char *folder, const struct mm_cell *cell, const char *ending)
{
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, cell->id);
	mm_hash_finish(hash, hex);
	return mm_format("%s/%s/%.32s%s", run->folder, folder, hex, ending);
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

static bool pass_failed(const char *path)
{
	struct mm_pass pass;
	bool failed = mm_pass_load(path, &pass, NULL) == 0 && pass.failure;
	mm_pass_release(&pass);
	return failed;
}

/*
 * How many passes of the cell have failed in a row, up to this visit, in this suite; no more than what makes us give
 * up. The files say so, not a counter: a run is taken up again, and trails may run elsewhere.
 */
static int failures_in_a_row(const struct mm_run *run, const struct mm_trail *trail, const struct mm_slot *slot)
{
	const char *cell = run->matrix->cells[slot->cell].id, *suite = run->matrix->suites[trail->suite].name;
	int index = trail->index, visit = slot->visit, count = 0;
	while (count < GIVE_UP_AFTER && index > 0) {
		char *path = mm_pass_path(run->folder, cell, suite, index, visit);
		bool failed = pass_failed(path);
		free(path);
		if (!failed)
			break;
		count++;
		if (visit > 1) {
			visit--;
			continue;
		}
		index--; /* its last visit is the one before */
		for (bool there = true; there; visit++) {
			path = mm_pass_path(run->folder, cell, suite, index, visit + 1);
			there = mm_fs_exists(path);
			free(path);
			if (!there)
				break;
		}
	}
	return count;
}

static int give_up(struct mm_run *run, const struct mm_cell *cell, const char *why, struct mm_error *err)
{
	struct mm_error text = MM_ERROR_INIT;
	(void)mm_error_set(&text, MM_ECELL, "cell '%s' was given up after %d failed passes in a row: %s", cell->id,
			   GIVE_UP_AFTER, why);
	char *path = cell_file(run, "given-up", cell, ".json"), *folder = mm_path_folder(path);
	json_t *note = json_object();
	mm_json_put_string(note, "cell", cell->id);
	mm_json_put_string(note, "failure", text.text);
	int code = mm_fs_mkdirs(folder, 0755, err);
	if (!code)
		code = mm_json_save(path, note, err);
	mm_step_lose(run, cell, "pass", &text);
	json_decref(note);
	free(folder);
	free(path);
	return code;
}

static int take_note(struct mm_run *run, const char *path, struct mm_error *err)
{
	json_t *note = mm_json_load(path, err);
	if (!note)
		return mm_error_prefix(err, "remove this file, and what it says of a cell that failed is found out again");
	const struct mm_cell *cell = mm_matrix_cell(run->matrix, mm_json_string(note, "cell", ""));
	struct mm_error why = MM_ERROR_INIT;
	if (cell && !run->cells[cell->index].code) {
		(void)mm_error_set(&why, MM_ECELL, "%s", mm_json_string(note, "failure", "given up"));
		mm_step_lose(run, cell, "pass", &why);
	}
	json_decref(note);
	return 0;
}

int mm_bench_given_up(struct mm_run *run, bool retry_failed, struct mm_error *err)
{
	char *folder = mm_path_join(run->folder, "given-up");
	DIR *dir = retry_failed ? NULL : mm_fs_opendir(folder);
	int code = retry_failed ? mm_fs_remove_tree(folder, err) : 0;
	for (const struct dirent *entry; dir && !code && (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name);
		if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0)
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		code = take_note(run, path, err);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return code;
}

bool mm_bench_is_given_up(const struct mm_run *run, const struct mm_cell *cell)
{
	char *path = cell_file(run, "given-up", cell, ".json");
	bool is = mm_fs_exists(path);
	free(path);
	return is;
}

static int save_pass(const char *path, const struct mm_pass *pass, struct mm_error *err)
{
	char *folder = mm_path_folder(path);
	int code = mm_fs_mkdirs(folder, 0755, err);
	free(folder);
	return code ? code : mm_pass_save(path, pass, err);
}

/* Trails that run elsewhere at the same time may need the same pristine directory. */
static int make_datadir(const struct mm_run *run, const struct mm_server_place *place, struct mm_error *err)
{
	struct mm_lock lock = MM_LOCK_INIT;
	char *path = cell_file(run, "locks", place->cell, "");
	int code = mm_lock_take(&lock, path, place->cell->id, err);
	if (!code)
		code = mm_datadir_make(place, err);
	mm_lock_release(&lock);
	free(path);
	return code;
}

/* A server without room for its files fails in many ways, and none of them is its cell's fault. */
static bool is_disk_full(const struct mm_bench *bench, const char *text)
{
	return mm_failure_disk_full(text) || mm_fs_free_bytes(bench->run->folder) < LEAST_FREE || mm_fs_free_bytes(bench->scratch) < LEAST_FREE;
}

/* A server that has used up a limit that others do well with has itself to blame. */
static bool lacks_files(const char *text)
{
	static const char *const signs[] = { "Too many open files", "rror 24", "rrno: 24", "rrno 24", "rror number 24",
					     "Errcode: 24", NULL };
	struct rlimit limit;
	return mm_failure_says(text, signs) && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < ENOUGH_FILES;
}

/* What this host lacks, as the reason of a failure, and what to do; NULL: it is the cell's own failure. Allocated. */
static char *lack_of_host(const struct mm_bench *bench, const char *text)
{
	if (is_disk_full(bench, text))
		return mm_strdup("the disk is full: " MM_MAKE_ROOM);
	if (lacks_files(text))
		return mm_strdup("servers may open too few files here: raise 'ulimit -n' and run the same command again");
	return mm_failure_limit_of_caller(&bench->run->matrix->limits, text);
}

/*
 * CODE of a pass, unless what it measured is not the cell any more: its server was replaced meanwhile, as an upgrade of a
 * package does, or its option file was edited.
 */
static int check_server(int code, const struct mm_cell *cell, struct mm_build *build, struct mm_error *err)
{
	bool same_server = mm_record_server_holds(build), same_options = mm_record_my_cnf_holds(build);
	if (code == MM_EINTERRUPTED || (same_server && same_options))
		return code;
	mm_error_clear(err);
	return mm_error_set(err, MM_EENV,
			    "cell '%s': its %s '%s' was %s while the run went on, so that this pass does not count: run "
			    "the same command again, which %s",
			    cell->id, same_server ? "option file" : "server",
			    same_server ? build->my_cnf : build->server, same_server ? "edited" : "replaced",
			    same_server ? "puts it right" : "measures the new one");
}

/* Whose fault is it that a pass ended with CODE? Returns that, WHY with it. */
static int blame(const struct mm_bench *bench, const struct mm_slot *slot, const struct mm_server_place *place, int code,
		 struct mm_error *why)
{
	code = check_server(code, place->cell, &bench->run->cells[slot->cell].build, why);
	code = mm_signals_excuse(code, why);
	if (code != MM_ECELL)
		return code;
	mm_datadir_doubt(place);
	char *lack = lack_of_host(bench, why->text);
	if (lack) {
		(void)mm_error_prefix(why, "%s", lack);
		why->code = code = MM_EENV;
		free(lack);
	}
	return code;
}

/* Measures; a failure of the cell is put into PASS, so that it is saved like any other pass. */
static int measure(const struct mm_bench *bench, const struct mm_trail *trail, const struct mm_slot *slot,
		   struct mm_pass *pass, struct mm_error *err)
{
	const struct mm_run *run = bench->run;
	const struct mm_cell *cell = &run->matrix->cells[slot->cell];
	struct mm_server_place place = { .build = &run->cells[slot->cell].build,
					 .cell = cell,
					 .schedule = &run->matrix->schedule,
					 .limits = run->matrix->limits,
					 .scratch = bench->scratch,
					 .socket = mm_path_join(bench->socket_folder, "s"),
					 .ledgers = mm_path_join(run->folder, "answers") };
	char *pristine = mm_format("%s/pristine", run->folder);
	struct mm_error why = MM_ERROR_INIT;
	place.pristine = mm_path_join(pristine, cell->id);
	int code = make_datadir(run, &place, &why);
	if (!code) {
		code = mm_pass_run(&place, &run->matrix->suites[trail->suite], pass, &why);
	} else if (code == MM_ECELL) {
		pass->failure = mm_strdup(why.text);
		pass->log_tail = mm_datadir_log_tail(&place);
	}
	code = blame(bench, slot, &place, code, &why);
	if (code && code != MM_ECELL)
		(void)mm_error_set(err, why.code, "%s", why.text);
	free(pristine);
	free(place.pristine);
	free(place.socket);
	free(place.ledgers);
	return code == MM_ECELL ? 0 : code;
}

static int run_slot(struct mm_bench *bench, const struct mm_trail *trail, const struct mm_slot *slot, int position,
		    struct mm_error *err)
{
	struct mm_run *run = bench->run;
	const struct mm_cell *cell = &run->matrix->cells[slot->cell];
	const struct mm_suite_spec *suite = &run->matrix->suites[trail->suite];
	char *path = slot_path(run, trail, slot);
	char *visit = slot->visit > 1 ? mm_format(", visit %d", slot->visit) : NULL; /* for a control, or another comparison */
	char *text = mm_format("%s, pass %d of %d%s", suite->name, trail->index, suite->passes, visit ? visit : "");
	struct mm_pass pass;
	mm_pass_init(&pass);
	pass.run = mm_strdup(run->name);
	pass.cell = mm_strdup(cell->id);
	pass.suite = mm_strdup(suite->name);
	pass.index = trail->index;
	pass.visit = slot->visit;
	pass.position = position;

	mm_event_stage(MM_EVENT_BEGIN, cell->id, "pass", text);
	int code = measure(bench, trail, slot, &pass, err);
	if (!code) {
		mm_event_stage(pass.failure ? MM_EVENT_FAILED : MM_EVENT_END, cell->id, "pass",
			       pass.failure ? pass.failure : text);
		code = save_pass(path, &pass, err);
	}
	if (!code && pass.failure && failures_in_a_row(run, trail, slot) >= GIVE_UP_AFTER)
		code = give_up(run, cell, pass.failure, err);
	mm_pass_release(&pass);
	free(path);
	free(text);
	free(visit);
	return code;
}

int mm_bench_trail(struct mm_bench *bench, const struct mm_trail *trail, struct mm_error *err)
{
	struct mm_run *run = bench->run;
	int code = 0;
	bool complete = mm_trail_complete(run, trail, bench->retry_failed);
	for (size_t i = 0; i < trail->slot_count && !complete && !code; i++) {
		char *path = slot_path(run, trail, &trail->slots[i]);
		code = supersede(path, err);
		free(path);
	}
	for (size_t i = 0; i < trail->slot_count && !code; i++) {
		if (!complete && !run->cells[trail->slots[i].cell].code)
			code = run_slot(bench, trail, &trail->slots[i], trail->position + (int)i, err);
		if (!code && bench->pass_done)
			bench->pass_done(bench->context);
	}
	return code;
}

/* Where passes work: in the run folder, or below schedule.datadir under a name of this run's own. */
static char *scratch_place(const struct mm_run *run, const char *word)
{
	const char *datadir = run->matrix->schedule.datadir;
	if (!datadir)
		return word ? mm_format("%s/scratch-%s", run->folder, word) : mm_path_join(run->folder, "scratch");
	char hex[MM_SHA256_HEX];
	struct mm_hash *hash = mm_hash_new();
	mm_hash_add_text(hash, run->folder);
	mm_hash_add_text(hash, word);
	mm_hash_finish(hash, hex);
	return mm_format("%s/mymatrix-%.16s", datadir, hex);
}

int mm_bench_open(struct mm_bench *bench, struct mm_run *run, const char *scratch, struct mm_error *err)
{
	*bench = (struct mm_bench){ .run = run, .scratch = scratch_place(run, scratch) };
	/* sockets of places that share a file system must not meet */
	bench->socket_folder = mm_server_socket_place(scratch ? bench->scratch : run->folder, err);
	return bench->socket_folder ? 0 : MM_EENV;
}

void mm_bench_close(struct mm_bench *bench)
{
	if (bench->socket_folder)
		(void)rmdir(bench->socket_folder);
	(void)mm_fs_remove_tree(bench->scratch, NULL);
	free(bench->socket_folder);
	free(bench->scratch);
	*bench = (struct mm_bench){ 0 };
}
