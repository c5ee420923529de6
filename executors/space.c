#include "executors/space.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/origin.h"
#include "executors/bench.h"
#include "executors/crew.h"
#include "executors/executor.h"
#include "executors/record.h"

enum {
	MB = 1000000,
	SAMPLES = 12, /* builds, data directories that are looked through for the mean of their kind */
	/* where none was measured here: a build of MySQL 9.7, the largest that was seen, and its tree */
	BUILD_MB = 310,
	TREE_MB = 1690,
	/* the same against its unpacked source, in per cent */
	BUILD_OF_SOURCE = 25,
	TREE_OF_SOURCE = 140,
	TREE_OF_BUILD = 550, /* a tree against what is installed from it, seen: 350 to 550 per cent */
	SOURCE_OF_TARBALL = 10,
	PREFIX_OF_PACKAGES = 5,
	/* fresh data directories: of MySQL since 8.0, the largest; of MariaDB since 10.5, and of what is not known yet */
	DATADIR_MYSQL_MB = 196,
	DATADIR_MB = 122,
};

struct survey {
	const struct mm_matrix *matrix;
	const char *work;
	const struct mm_run_options *options;
	struct mm_run run; /* as it would be gone on with: folder NULL when a new one would begin */
	json_t *keys;      /* of builds that were counted */
	json_t *sources;   /* folders that were counted */
	struct mm_space *left;
};

static const struct mm_run_options whole = { .phases = MM_RUN_BUILD | MM_RUN_BENCH };

/* A file that prefixes share is a link from each of them and one from <work>/files: each has its part of it. */
static int add_share(void *context, const char *path, const char *relative)
{
	struct stat st;
	(void)relative;
	if (lstat(path, &st) == 0)
		*(uint64_t *)context += (uint64_t)st.st_blocks * 512 / (st.st_nlink > 1 ? st.st_nlink - 1 : 1);
	return 0;
}

/* Bytes of PART in FOLDER; 0 without the MARKER that says that it is whole. */
static uint64_t part_bytes(const char *folder, const char *marker, const char *part)
{
	uint64_t bytes = 0;
	char *mark = mm_path_join(folder, marker), *path = mm_path_join(folder, part);
	if (mm_fs_exists(mark) && mm_fs_is_folder(path))
		(void)mm_fs_walk(path, add_share, &bytes, NULL);
	free(path);
	free(mark);
	return bytes;
}

/* The mean of what was compiled in this work folder before; 0: nothing was. */
static uint64_t known_build(const char *work)
{
	uint64_t all = 0;
	unsigned count = 0;
	char *builds = mm_path_join(work, "builds");
	DIR *dir = mm_fs_opendir(builds);
	for (const struct dirent *entry; dir && count < SAMPLES && (entry = readdir(dir));) {
		char *folder = *entry->d_name == '.' ? NULL : mm_path_join(builds, entry->d_name);
		uint64_t bytes = folder ? part_bytes(folder, "build.json", "prefix") : 0;
		all += bytes;
		count += bytes != 0;
		free(folder);
	}
	if (dir)
		closedir(dir);
	free(builds);
	return count ? all / count : 0;
}

/* One that is there, unpacked or a folder of the user's; else what its archive promises; 0: that is not known. */
static uint64_t source_bytes(const char *tree, const struct mm_source *source)
{
	struct stat st;
	if (tree && mm_fs_is_folder(tree))
		return mm_fs_tree_bytes(tree);
	if (source->kind == MM_SOURCE_DIRECTORY)
		return mm_fs_tree_bytes(source->path);
	if (source->kind == MM_SOURCE_TARBALL && stat(source->path, &st) == 0)
		return (uint64_t)st.st_size * SOURCE_OF_TARBALL;
	return 0;
}

static uint64_t packages_bytes(const struct mm_source *source)
{
	uint64_t bytes = 0;
	struct stat st;
	for (size_t i = 0; i < source->packages.count; i++)
		if (stat(source->packages.items[i], &st) == 0)
			bytes += (uint64_t)st.st_size * PREFIX_OF_PACKAGES;
	return bytes;
}

static bool first_time(json_t *seen, const char *what)
{
	bool first = !json_object_get(seen, what);
	json_object_set_new(seen, what, json_true());
	return first;
}

/* What was built before in this work folder tells how large a build is here; SOURCE does where nothing was. */
static uint64_t build_size(const struct survey *survey, uint64_t known, uint64_t source, uint64_t *tree)
{
	if (known) {
		*tree = known * TREE_OF_BUILD / 100;
		return known;
	}
	survey->left->measured = false;
	*tree = source ? source * TREE_OF_SOURCE / 100 : (uint64_t)TREE_MB * MB;
	return source ? source * BUILD_OF_SOURCE / 100 : (uint64_t)BUILD_MB * MB;
}

/* Returns the bytes of the build tree, which goes when the build is done. */
static uint64_t add_compiled(struct survey *survey, const struct mm_cell *cell, const struct mm_build *build,
			     uint64_t known)
{
	const json_t *origin = json_object_get(build->inputs, "source");
	char *folder = origin ? mm_origin_folder(survey->work, origin) : NULL;
	bool there = folder && mm_fs_is_folder(folder);
	uint64_t source = known && there ? 0 : source_bytes(folder, cell->source), tree;
	uint64_t size = build_size(survey, known, source, &tree);
	survey->left->compiled++;
	survey->left->work_bytes += size;
	if (!there && first_time(survey->sources, folder ? folder : cell->source->name))
		survey->left->work_bytes += source;
	free(folder);
	return tree;
}

static void add_builds(struct survey *survey)
{
	uint64_t known = 0, largest = 0;
	bool looked = false;
	for (size_t i = 0; i < survey->matrix->cell_count; i++) {
		const struct mm_cell *cell = &survey->matrix->cells[i];
		const struct mm_build *build = &survey->run.cells[i].build;
		if (survey->run.cells[i].code || build->state == MM_BUILD_DONE || cell->source->kind == MM_SOURCE_PREFIX ||
		    !first_time(survey->keys, build->key))
			continue;
		survey->left->builds++;
		if (!cell->toolchain) {
			survey->left->work_bytes += packages_bytes(cell->source);
			continue;
		}
		if (!looked)
			known = known_build(survey->work);
		looked = true;
		uint64_t tree = add_compiled(survey, cell, build, known);
		largest = tree > largest ? tree : largest;
	}
	unsigned at_once = mm_crew_size(mm_run_jobs(survey->matrix));
	survey->left->work_bytes += largest * (survey->left->compiled < at_once ? survey->left->compiled : at_once);
}

struct counting {
	struct survey *survey;
	bool *wanted; /* cells of which a pass is missing */
};

static int count_trail(void *context, const struct mm_trail *trail, struct mm_error *err)
{
	struct counting *counting = context;
	struct survey *survey = counting->survey;
	(void)err;
	if (survey->run.folder && mm_trail_complete(&survey->run, trail, survey->options->retry_failed))
		return 0;
	for (size_t i = 0; i < trail->slot_count; i++) {
		size_t cell = trail->slots[i].cell;
		if (survey->run.cells[cell].code)
			continue;
		counting->wanted[cell] = true;
		survey->left->passes++;
	}
	return 0;
}

/* Of CELL in the run in FOLDER; 0: none was made. */
static uint64_t datadir_of(const char *folder, const struct mm_cell *cell)
{
	char *pristine = folder ? mm_format("%s/pristine/%s", folder, cell->id) : NULL;
	uint64_t bytes = pristine ? part_bytes(pristine, "made", "data") : 0;
	free(pristine);
	return bytes;
}

static uint64_t new_datadir(const struct survey *survey, const struct mm_build *build, uint64_t known)
{
	if (known)
		return known;
	survey->left->measured = false;
	return (uint64_t)(build->variant && strcmp(build->variant, "mariadb") != 0 ? DATADIR_MYSQL_MB : DATADIR_MB) * MB;
}

/*
 * A data directory for each cell that has none, and the copy that a pass works in. They differ by server, not from run
 * to run: that of the newest run tells.
 */
static void add_datadirs(struct survey *survey, const bool *wanted)
{
	char *newest = mm_run_newest(survey->work);
	uint64_t largest = 0;
	for (size_t i = 0; i < survey->matrix->cell_count; i++) {
		if (!wanted[i])
			continue;
		uint64_t made = datadir_of(newest, &survey->matrix->cells[i]);
		uint64_t bytes = new_datadir(survey, &survey->run.cells[i].build, made);
		survey->left->work_bytes += made && survey->run.folder ? 0 : bytes;
		largest = bytes > largest ? bytes : largest;
	}
	*(survey->matrix->schedule.datadir ? &survey->left->datadir_bytes : &survey->left->work_bytes) += largest;
	free(newest);
}

static void add_passes(struct survey *survey)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct counting counting = { survey, mm_calloc(survey->matrix->cell_count + 1, sizeof *counting.wanted) };
	const struct mm_executor *executor = mm_executor_choose(&survey->run, survey->options, &ignored);
	if (executor && !survey->options->again)
		survey->run.folder = mm_record_fitting(&survey->run, executor);
	for (size_t i = 0; i < survey->matrix->cell_count && survey->run.folder && !survey->options->retry_failed; i++)
		if (mm_bench_is_given_up(&survey->run, &survey->matrix->cells[i]))
			survey->run.cells[i].code = MM_ECELL;
	(void)mm_trails_each(survey->matrix, count_trail, &counting, &ignored);
	if (survey->left->passes)
		add_datadirs(survey, counting.wanted);
	free(counting.wanted);
}

/* A borrowed copy, in which a cell is out that a call would not try: it failed, or its inputs are not there. */
static struct mm_cell_state *cells_now(const struct mm_matrix *matrix, const struct mm_cell_state *cells,
				       const struct mm_run_options *options)
{
	struct mm_cell_state *now = mm_calloc(matrix->cell_count + 1, sizeof *now);
	for (size_t i = 0; i < matrix->cell_count; i++) {
		bool built = cells[i].build.state == MM_BUILD_DONE || options->phases & MM_RUN_BUILD;
		bool failed = cells[i].build.state == MM_BUILD_FAILED && !options->retry_failed;
		now[i] = cells[i];
		if (!now[i].code && (failed || !built))
			now[i].code = MM_ECELL;
	}
	return now;
}

void mm_space_left(const struct mm_matrix *matrix, const char *work, const struct mm_cell_state *cells,
		   const struct mm_run_options *options, struct mm_space *left)
{
	struct survey survey = { .matrix = matrix,
				 .work = work,
				 .options = options ? options : &whole,
				 .run = { .matrix = matrix, .lock = -1 },
				 .keys = json_object(),
				 .sources = json_object(),
				 .left = left };
	*left = (struct mm_space){ .measured = true };
	char *absolute = mm_path_absolute(NULL, work);
	survey.run.work = absolute;
	survey.run.cells = cells_now(matrix, cells, survey.options);
	if (survey.options->phases & MM_RUN_BUILD)
		add_builds(&survey);
	if (survey.options->phases & MM_RUN_BENCH)
		add_passes(&survey);
	free(survey.run.folder);
	free(survey.run.cells);
	free(absolute);
	json_decref(survey.sources);
	json_decref(survey.keys);
}
