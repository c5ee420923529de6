/*
 * Unpacking a source tarball: mymatrix against GNU tar, on the same file, in turn, with as many cores. Before
 * each, what was written before is on the disk (sync); nothing is removed before the end, since a file system may be
 * slow to use again what has just been deleted. What counts is the ratio of the medians: at most 1.
 *
 * Arguments: TARBALL [ROUNDS [FOLDER]]. FOLDER (default: the current one) is where both unpack to: every
 * time anew, so it needs the room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/memory.h"
#include "base/process.h"
#include "builders/archive.h"

enum { ROUNDS = 5, MOST = 100 };

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof *values, by_value);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void need(int code, const struct mm_error *err)
{
	if (!code)
		return;
	fprintf(stderr, "unpack: %s\n", err->text);
	exit(1);
}

static double run_ours(const char *tarball, const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	double began = now();
	need(mm_archive_unpack(tarball, folder, NULL, NULL, &err), &err);
	return now() - began;
}

static double run_tar(const char *tarball, const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_process_result result;
	struct mm_strings argv = MM_STRINGS_INIT;
	double began = now();
	need(mm_fs_mkdirs(folder, 0755, &err), &err);
	mm_strings_push(&argv, "tar");
	mm_strings_push(&argv, "-xf");
	mm_strings_push(&argv, tarball);
	mm_strings_push(&argv, "-C");
	mm_strings_push(&argv, folder);
	mm_strings_push(&argv, "--strip-components=1");
	struct mm_process_spec spec = { .argv = argv.items };
	need(mm_process_run(&spec, &result, &err), &err);
	mm_strings_release(&argv);
	if (result.exit_status != 0) {
		fprintf(stderr, "unpack: tar fails\n");
		exit(1);
	}
	return now() - began;
}

static double clean_run(double (*run)(const char *tarball, const char *folder), const char *tarball, const char *top,
			int round)
{
	char *folder = mm_format("%s/%d-%s", top, round, run == run_ours ? "mymatrix" : "tar");
	sync();
	double seconds = run(tarball, folder);
	free(folder);
	return seconds;
}

int main(int argc, char **argv)
{
	double ours[MOST], theirs[MOST];
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS;
	if (argc < 2 || rounds < 1 || rounds > MOST) {
		fprintf(stderr, "usage: unpack TARBALL [ROUNDS [FOLDER]]\n");
		return 2;
	}
	char *folder = mm_path_absolute(NULL, argc > 3 ? argv[3] : "."), *target = mm_path_join(folder, "unpacked");
	char *tarball = mm_path_absolute(NULL, argv[1]);
	struct mm_error err = MM_ERROR_INIT;
	need(mm_fs_remove_tree(target, &err), &err);
	need(mm_fs_mkdirs(target, 0755, &err), &err);
	mm_fs_warm(tarball);
	for (int i = 0; i < rounds; i++) {
		/* who comes first changes each round */
		if (i % 2)
			ours[i] = clean_run(run_ours, tarball, target, i);
		theirs[i] = clean_run(run_tar, tarball, target, i);
		if (i % 2 == 0)
			ours[i] = clean_run(run_ours, tarball, target, i);
		printf("round %d: mymatrix %.2f s, tar %.2f s\n", i + 1, ours[i], theirs[i]);
	}
	double own = median(ours, rounds), other = median(theirs, rounds);
	printf("median: mymatrix %.2f s, tar %.2f s, ratio %.2f\n", own, other, own / other);
	need(mm_fs_remove_tree(target, &err), &err);
	free(tarball);
	free(target);
	free(folder);
	return own <= other ? 0 : 1;
}
