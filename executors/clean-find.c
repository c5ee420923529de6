#include "executors/clean-find.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/git.h"
#include "builders/origin.h"
#include "builders/sysroot.h"
#include "executors/run.h"

struct finder {
	const struct mm_clean_options *options;
	struct mm_clean_items *items;
	char *newest; /* run folder; NULL: there is none */
	char *over;   /* the newest run of which nothing is left to do, which can be an earlier one; NULL: there is none */
	time_t began; /* of the newest run */
	json_t *keys; /* of builds that are used: by runs that stay, and by the matrix */
	json_t *kept; /* folders that those came from: sources, sysroots, git repositories */
	struct mm_error *err;
	int code;
};

#define LOOK ".look" /* as builders/foresee.c names it */

enum { LINKS_OF_ONE = 2 }; /* a shared file of one prefix: there, and in <work>/files */

/* What a file counts for: as part of the whole, or of a build that is to go. */
enum counting { COUNT_ONCE, COUNT_FREED };

static uint64_t file_bytes(const struct stat *st, enum counting counting)
{
	uint64_t bytes = (uint64_t)st->st_blocks * 512;
	if (S_ISDIR(st->st_mode) || st->st_nlink < LINKS_OF_ONE)
		return bytes;
	return counting == COUNT_FREED && st->st_nlink == LINKS_OF_ONE ? bytes : 0;
}

static uint64_t tree_bytes(const char *path, enum counting counting)
{
	struct stat st;
	if (lstat(path, &st))
		return 0;
	uint64_t bytes = file_bytes(&st, counting);
	DIR *dir = S_ISDIR(st.st_mode) ? mm_fs_opendir(path) : NULL;
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		char *child = mm_path_join(path, entry->d_name);
		bytes += tree_bytes(child, counting);
		free(child);
	}
	if (dir)
		closedir(dir);
	return bytes;
}

bool mm_clean_is_digest(const char *name, size_t digits)
{
	return strspn(name, "0123456789abcdef") == digits && name[digits] == '\0';
}

/* "<SHA-256>-<mode>": anything else in that folder is not ours. */
static bool is_shared_name(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef");
	const char *mode = name + digits + 1;
	return digits == MM_SHA256_HEX - 1 && name[digits] == '-' && *mode && !mode[strspn(mode, "01234567")];
}

/*
 * Files in <work>/files stand for all their links; a link in place of the folder leads to what other work folders use,
 * too.
 */
static uint64_t shared_bytes(const char *work, bool orphans, bool remove_them)
{
	char *folder = mm_path_join(work, "files");
	uint64_t bytes = 0;
	struct stat st;
	DIR *dir = lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) ? mm_fs_opendir(folder) : NULL;
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (!is_shared_name(entry->d_name))
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (!orphans || st.st_nlink == 1)) {
			bytes += (uint64_t)st.st_blocks * 512;
			if (remove_them)
				(void)unlink(path);
		}
		free(path);
	}
	if (dir)
		closedir(dir);
	free(folder);
	return bytes;
}

uint64_t mm_clean_shared(const char *work, bool dry_run)
{
	return shared_bytes(work, true, !dry_run);
}

uint64_t mm_clean_bytes(const char *work)
{
	uint64_t orphans = shared_bytes(work, true, false); /* these count in the tree already: they have one link */
	uint64_t bytes = tree_bytes(work, COUNT_ONCE) + shared_bytes(work, false, false) - orphans;
	return bytes;
}

static time_t last_used(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 ? st.st_mtime : 0;
}

/* Was it USED too lately to go? */
static bool is_young(const struct finder *finder, time_t used)
{
	return finder->options->older_than >= 0 && difftime(time(NULL), used) < finder->options->older_than;
}

static void add(struct finder *finder, enum mm_clean_kind kind, const char *path, time_t used)
{
	struct mm_clean_items *items = finder->items;
	if (is_young(finder, used))
		return;
	items->items = mm_grow(items->items, items->count, &items->capacity, sizeof *items->items);
	items->items[items->count++] = (struct mm_clean_item){
		.path = mm_strdup(path), .kind = kind, .bytes = tree_bytes(path, COUNT_FREED), .used = used
	};
}

/* Calls VISIT for each entry of FOLDER. */
static void each(struct finder *finder, const char *folder,
		 void (*visit)(struct finder *finder, const char *path, const char *name))
{
	DIR *dir = mm_fs_opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (*entry->d_name == '.')
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		visit(finder, path, entry->d_name);
		free(path);
	}
	if (dir)
		closedir(dir);
}

/* A link leads to what other work folders use, too, and what these need is not known here. */
static void each_below_work(struct finder *finder, const char *name,
			    void (*visit)(struct finder *finder, const char *path, const char *name))
{
	struct stat st;
	char *folder = mm_path_join(finder->options->work, name), *top = mm_strndup(name, strcspn(name, "/"));
	char *part = mm_path_join(finder->options->work, top);
	if (lstat(part, &st) == 0 && !S_ISLNK(st.st_mode))
		each(finder, folder, visit);
	free(part);
	free(top);
	free(folder);
}

static bool has_part(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

/* What is left when a process died at its work; nobody else works here now. */
static bool is_leftover(const char *name)
{
	return has_part(name, ".tmp-") || has_part(name, ".probe-") || mm_ends_in(name, ".part") ||
	       mm_ends_in(name, ".patching") || mm_ends_in(name, MM_CLEAN_REMOVED);
}

static void visit_build(struct finder *finder, const char *path, const char *name)
{
	if (is_leftover(name))
		add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
	if (!mm_clean_is_digest(name, MM_BUILD_KEY - 1))
		return;
	char *record = mm_path_join(path, "build.json"), *tree = mm_path_join(path, "tree");
	time_t used = last_used(mm_fs_exists(record) ? record : path);
	if (finder->newest && !json_object_get(finder->keys, name) && used < finder->began)
		add(finder, MM_CLEAN_BUILD, path, used);
	else if (mm_fs_exists(record) && mm_fs_exists(tree)) /* without a record it is to be gone on with */
		add(finder, MM_CLEAN_TREE, tree, used);
	free(tree);
	free(record);
}

/* The marker of a folder that is gone. */
static bool is_stray_marker(const char *path)
{
	size_t length = strlen(path) - strlen(MM_CLEAN_FRESH);
	if (!mm_ends_in(path, MM_CLEAN_FRESH))
		return false;
	char *marked = mm_strndup(path, length);
	bool stray = !mm_fs_exists(marked);
	free(marked);
	return stray;
}

static bool is_kept(const struct finder *finder, const char *path)
{
	return !finder->newest || json_object_get(finder->kept, path);
}

/* A tree, or the few files of one that are looked at to plan ("<digest>.look"). */
static void visit_source(struct finder *finder, const char *path, const char *name)
{
	char *tree = mm_strndup(path, strlen(path) - (mm_ends_in(name, LOOK) ? strlen(LOOK) : 0));
	if (is_leftover(name) || is_stray_marker(path))
		add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
	else if (mm_clean_is_digest(mm_path_base(tree), 64) && !is_kept(finder, tree))
		add(finder, MM_CLEAN_SOURCE, path, last_used(path));
	free(tree);
}

static void visit_repository(struct finder *finder, const char *path, const char *name)
{
	char *head = mm_path_join(path, "FETCH_HEAD");
	if (mm_clean_is_digest(name, 32) && !is_kept(finder, path))
		add(finder, MM_CLEAN_GIT, path, last_used(mm_fs_exists(head) ? head : path));
	free(head);
}

static void visit_sysroot(struct finder *finder, const char *path, const char *name)
{
	if (is_leftover(name) || is_stray_marker(path))
		add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
	else if (mm_clean_is_digest(name, MM_BUILD_KEY - 1) && !is_kept(finder, path))
		add(finder, MM_CLEAN_SYSROOT, path, last_used(path));
}

/* <work>/server/<pid> is that of a 'mymatrix server', which takes no lock of the work folder. */
static bool is_visit(const char *name, bool *alive)
{
	char *end;
	long pid = strtol(name, &end, 10);
	*alive = pid > 0 && !*end && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
	return pid > 0 && !*end;
}

static bool is_visited(const char *server_folder)
{
	bool visited = false;
	DIR *dir = mm_fs_opendir(server_folder);
	for (const struct dirent *entry; dir && !visited && (entry = readdir(dir));)
		(void)is_visit(entry->d_name, &visited);
	if (dir)
		closedir(dir);
	return visited;
}

static void visit_server(struct finder *finder, const char *path, const char *name)
{
	char *folder = mm_path_folder(path);
	bool alive;
	if (is_visit(name, &alive)) {
		if (!alive)
			add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
	} else if (strcmp(name, "pristine") == 0 && !is_visited(folder)) {
		add(finder, MM_CLEAN_DATADIRS, path, last_used(path));
	}
	free(folder);
}

static void find_superseded(struct finder *finder, const char *folder)
{
	DIR *dir = mm_fs_opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		if (*entry->d_name == '.')
			continue;
		char *path = mm_path_join(folder, entry->d_name);
		struct stat st;
		if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
			find_superseded(finder, path);
		else if (has_part(entry->d_name, ".superseded-"))
			add(finder, MM_CLEAN_SUPERSEDED, path, st.st_mtime);
		free(path);
	}
	if (dir)
		closedir(dir);
}

static void visit_run_part(struct finder *finder, const char *path, const char *name)
{
	if (strcmp(name, "pristine") == 0 || strncmp(name, "scratch", 7) == 0)
		add(finder, MM_CLEAN_DATADIRS, path, last_used(path));
	else if (strcmp(name, "passes") == 0)
		find_superseded(finder, path);
}

/* The newest run, which may have stopped early, and the one whose figures stand until it is over. */
static bool is_to_stay(const struct finder *finder, const char *folder)
{
	return strcmp(folder, finder->newest) == 0 || (finder->over && strcmp(folder, finder->over) == 0);
}

/* When a run was last of use: its report, else its plan, was written. */
static time_t run_used(const char *folder)
{
	char *plan = mm_path_join(folder, "plan.json"), *report = mm_path_join(folder, "report.json");
	time_t used = last_used(mm_fs_exists(report) ? report : plan);
	free(report);
	free(plan);
	return used;
}

/* Of a run of which nothing is left to do the data directories may go: one that is wanted again is made again. */
static void visit_newest(struct finder *finder, const char *path)
{
	char *pristine = mm_path_join(path, "pristine");
	if (finder->over && strcmp(path, finder->over) == 0 && mm_fs_exists(pristine))
		add(finder, MM_CLEAN_DATADIRS, pristine, last_used(pristine));
	free(pristine);
}

static void visit_run(struct finder *finder, const char *path, const char *name)
{
	if (is_leftover(name))
		add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
	if (name[strspn(name, "0123456789")] || !finder->newest)
		return;
	if (strcmp(path, finder->newest) == 0)
		visit_newest(finder, path);
	else if (finder->options->runs && !is_to_stay(finder, path))
		add(finder, MM_CLEAN_RUN, path, run_used(path));
	else
		each(finder, path, visit_run_part);
}

static void visit_job(struct finder *finder, const char *path, const char *name)
{
	static const char *const marks[] = { "over", "cancelled" };
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		char *mark = mm_path_join(path, marks[i]);
		bool there = mm_fs_exists(mark);
		if (there)
			add(finder, MM_CLEAN_JOB, path, last_used(mark));
		free(mark);
		if (there)
			return;
	}
	if (is_leftover(name))
		add(finder, MM_CLEAN_LEFTOVER, path, last_used(path));
}

/* Takes PATH over. */
static void keep(struct finder *finder, char *path)
{
	json_object_set_new(finder->kept, path, json_true());
	free(path);
}

/* What a build came from: the tree as it came, the patched one, and the sysroot. */
static void keep_inputs(struct finder *finder, const json_t *inputs)
{
	const char *work = finder->options->work;
	const json_t *source = json_object_get(inputs, "source"), *sysroot = json_object_get(inputs, "sysroot");
	if (source) {
		keep(finder, mm_origin_folder(work, source));
		keep(finder, mm_origin_patched_folder(work, source));
	}
	if (sysroot)
		keep(finder, mm_sysroot_folder(work, sysroot));
}

static void keep_repositories(struct finder *finder, const json_t *matrix)
{
	const char *name;
	json_t *source;
	json_object_foreach(json_object_get(matrix, "sources"), name, source) {
		const char *address = mm_json_string(source, "git", NULL);
		if (address)
			keep(finder, mm_git_folder(finder->options->work, address));
	}
}

static bool run_stays(const struct finder *finder, const char *folder)
{
	return !finder->options->runs || is_to_stay(finder, folder) || is_young(finder, run_used(folder));
}

/* The builds of a run that stays, and what they came from, are not ours to take. */
static void protect_run(struct finder *finder, const char *folder, const char *name)
{
	if (name[strspn(name, "0123456789")] || finder->code || !run_stays(finder, folder))
		return;
	char *path = mm_path_join(folder, "cells.json"), *plan_path = mm_path_join(folder, "plan.json");
	json_t *cells = mm_fs_exists(path) ? mm_json_load(path, finder->err) : json_object(), *cell;
	json_t *plan = mm_json_load(plan_path, NULL);
	const char *id;
	finder->code = cells ? 0 : MM_EENV;
	json_object_foreach(cells, id, cell) {
		const json_t *build = json_object_get(cell, "build");
		json_object_set_new(finder->keys, mm_json_string(build, "key", ""), json_true());
		keep_inputs(finder, json_object_get(build, "inputs"));
	}
	keep_repositories(finder, json_object_get(plan, "matrix"));
	if (strcmp(folder, finder->newest) == 0)
		finder->began = last_used(plan_path);
	json_decref(plan);
	json_decref(cells);
	free(plan_path);
	free(path);
}

static void protect_matrix(struct finder *finder, const struct mm_look *look)
{
	for (size_t i = 0; look && i < look->matrix->cell_count; i++) {
		const struct mm_build *build = &look->cells[i].build;
		if (*build->key)
			json_object_set_new(finder->keys, build->key, json_true());
		keep_inputs(finder, build->inputs);
	}
	if (look)
		keep_repositories(finder, look->matrix->document);
}

static int protect(struct finder *finder)
{
	char *runs = mm_path_join(finder->options->work, "runs");
	finder->newest = mm_run_newest(finder->options->work);
	finder->over = mm_run_newest_over(finder->options->work);
	if (finder->newest)
		each(finder, runs, protect_run); /* wherever they are: what they need stays */
	free(runs);
	if (!finder->code)
		protect_matrix(finder, finder->options->look);
	return finder->code;
}

static int in_order(const void *a, const void *b)
{
	const struct mm_clean_item *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return strcmp(x->path, y->path);
}

int mm_clean_find(const struct mm_clean_options *options, struct mm_clean_items *items, struct mm_error *err)
{
	struct finder finder = {
		.options = options, .items = items, .keys = json_object(), .kept = json_object(), .err = err
	};
	*items = (struct mm_clean_items){ 0 };
	int code = protect(&finder);
	if (!code) {
		each_below_work(&finder, "builds", visit_build);
		each_below_work(&finder, "sources", visit_source);
		each_below_work(&finder, "sources/git", visit_repository);
		each_below_work(&finder, "sysroots", visit_sysroot);
		each_below_work(&finder, "server", visit_server);
		each_below_work(&finder, "runs", visit_run);
		each_below_work(&finder, "slurm", visit_job);
		if (items->count)
			qsort(items->items, items->count, sizeof *items->items, in_order);
	}
	json_decref(finder.keys);
	json_decref(finder.kept);
	free(finder.over);
	free(finder.newest);
	return code;
}

void mm_clean_items_release(struct mm_clean_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		free(items->items[i].path);
	free(items->items);
	*items = (struct mm_clean_items){ 0 };
}
