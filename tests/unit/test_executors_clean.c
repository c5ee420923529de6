/* What clean takes and, above all, what it leaves; and how prefixes share files. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/git.h"
#include "builders/sysroot.h"
#include "executors/clean.h"
#include "executors/executor.h"
#include "executors/share.h"

#define USED   "0123456789abcdef0123456789abcdef"
#define UNUSED "fedcba9876543210fedcba9876543210"
#define OLDER   "11111111111111111111111111111111"
#define PLANNED "22222222222222222222222222222222"
#define FRESH  "00000000000000000000000000000000"
#define SHA_A  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_C  "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define SHA_B  "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char folder[64];

static void put(const char *name, const char *text, int days_old)
{
	struct mm_error err = MM_ERROR_INIT;
	char *path = mm_path_join(folder, name), *parent = mm_path_folder(path);
	struct timespec times[2] = { { .tv_sec = time(NULL) - days_old * 86400L },
				     { .tv_sec = time(NULL) - days_old * 86400L } };
	assert_int_equal(mm_fs_mkdirs(parent, 0755, &err), 0);
	assert_int_equal(mm_fs_write_atomic(path, text, strlen(text), &err), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, parent, times, 0), 0);
	free(parent);
	free(path);
}

/* The folders whose names are digests, below the work folder. */
enum { GIT_USED, GIT_UNUSED, SYSROOT_USED, NAMED };
static char *named[NAMED];

/* Takes PATH over, and puts a file there. */
static void put_named(int which, char *path, int days_old)
{
	free(named[which]);
	named[which] = mm_strdup(path + strlen(folder) + 1);
	char *file = mm_path_join(named[which], "x");
	put(file, "x", days_old);
	free(file);
	free(path);
}

static bool there(const char *name)
{
	char *path = mm_path_join(folder, name);
	bool found = mm_fs_exists(path);
	free(path);
	return found;
}

/* Two runs: the newest uses one build and one source. */
static int make_work(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/mm-clean-XXXXXX");
	assert_non_null(mkdtemp(folder));
	put("builds/" USED "/build.json", "{}", 40);
	put("builds/" USED "/prefix/bin/mysqld", "x", 40);
	put("builds/" USED "/tree/big", "x", 40);
	put("builds/" UNUSED "/prefix/bin/mysqld", "x", 50);
	put("builds/" UNUSED "/build.json", "{}", 50);
	put("builds/" FRESH "/tree/half", "x", 0); /* interrupted, begun after the newest run */
	put("builds/" USED ".probe-12/x", "x", 50);
	put("builds/notes.txt", "mine", 50);
	put("sources/" SHA_A "/VERSION", "x", 60);
	put("sources/" SHA_B "/VERSION", "x", 60);
	put("sources/" SHA_B ".part/VERSION", "x", 60);
	put("sources/" SHA_A ".look/VERSION", "x", 60);
	put("sources/" SHA_A ".fresh", "boot host", 60);
	put("sources/" SHA_B ".look/VERSION", "x", 60);
	put("sources/" SHA_B ".look.fresh", "boot host", 60);
	put("sources/" SHA_C ".fresh", "boot host", 60); /* of a folder that is gone */
	put("sources/digests.json", "{}", 60);
	put_named(GIT_USED, mm_git_folder(folder, "https://host/used.git"), 60);
	put_named(GIT_UNUSED, mm_git_folder(folder, "https://host/unused.git"), 60);
	put("sources/git/refs.json", "{}", 60);
	json_t *sysroot = json_pack("{s:s}", "directory", SHA_A);
	put_named(SYSROOT_USED, mm_sysroot_folder(folder, sysroot), 60);
	put("sysroots/" UNUSED "/usr/include/x.h", "x", 60);
	put("sysroots/" UNUSED ".fresh", "boot host", 60);
	put("server/pristine/a/x", "x", 60);
	put("server/999999999/scratch/x", "x", 60);
	put("lock", "1", 10);
	put("builds/" OLDER "/build.json", "{}", 50); /* of the older run */
	put("builds/" PLANNED "/build.json", "{}", 50); /* of no run, but of the matrix that some test looks at */
	put("runs/1/cells.json", "{\"a\": {\"build\": {\"key\": \"" OLDER "\"}}}", 35);
	put("runs/1/plan.json", "{}", 35);
	put("runs/1/passes/a/s-01.json", "{}", 35);
	put("runs/1/passes/a/s-01.superseded-1.json", "{}", 35);
	put("runs/1/pristine/a/data/x", "x", 35);
	put("runs/2/passes/a/s-01.superseded-1.json", "{}", 10);
	put("runs/2/pristine/a/data/x", "x", 10);
	put("runs/2/cells.json",
	    "{\"a\": {\"build\": {\"key\": \"" USED "\", \"inputs\": {\"source\": {\"sha256\": \"" SHA_A
	    "\"}, \"sysroot\": {\"directory\": \"" SHA_A "\"}}}}}",
	    10);
	put("runs/2/plan.json", "{\"matrix\": {\"sources\": {\"g\": {\"git\": \"https://host/used.git\"}}}}", 10);
	json_decref(sysroot);
	put("slurm/1/job.json", "{}", 30);
	put("slurm/1/over", "", 30);
	return 0;
}

static int drop_work(void **state)
{
	(void)state;
	return mm_fs_remove_tree(folder, NULL);
}

static json_t *clean(struct mm_clean_options options)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *result = NULL;
	options.work = folder;
	if (mm_clean_work(&options, &result, &err))
		fail_msg("%s", err.text);
	assert_non_null(result);
	return result;
}

static void assert_newest_untouched(void)
{
	assert_true(there("runs/2/plan.json"));
	assert_true(there("runs/2/cells.json"));
	assert_true(there("runs/2/passes/a/s-01.superseded-1.json"));
	assert_true(there("runs/2/pristine/a/data/x"));
	assert_true(there("builds/" USED "/build.json"));
	assert_true(there("builds/" USED "/prefix/bin/mysqld"));
	assert_true(there("sources/" SHA_A "/VERSION"));
	assert_true(there("sources/" SHA_A ".look/VERSION"));
	assert_true(there("sources/" SHA_A ".fresh"));
	assert_true(there("sources/digests.json"));
	assert_true(there("sources/git/refs.json"));
	assert_true(there(named[GIT_USED]));
	assert_true(there(named[SYSROOT_USED]));
	assert_true(there("builds/" FRESH "/tree/half"));
	assert_true(there("builds/notes.txt"));
}

static void test_dry_run_changes_nothing(void **state)
{
	(void)state;
	json_t *result = clean((struct mm_clean_options){ .dry_run = true, .older_than = -1 });
	assert_true(json_array_size(json_object_get(result, "items")) >= 8);
	assert_true(mm_json_integer(result, "freed_bytes", 0) > 0);
	assert_true(there("builds/" UNUSED "/build.json"));
	assert_true(there("sources/" SHA_B ".part/VERSION"));
	assert_true(there("slurm/1/over"));
	assert_newest_untouched();
	json_decref(result);
}

static void test_all(void **state)
{
	(void)state;
	json_t *result = clean((struct mm_clean_options){ .older_than = -1 });
	assert_newest_untouched();
	assert_false(there("builds/" UNUSED));
	assert_false(there("builds/" USED "/tree"));
	assert_false(there("builds/" USED ".probe-12"));
	assert_false(there("sources/" SHA_B));
	assert_false(there("sources/" SHA_B ".part"));
	assert_false(there("slurm/1"));
	assert_false(there("sources/" SHA_B ".look"));
	assert_false(there("sources/" SHA_B ".look.fresh"));
	assert_false(there("sources/" SHA_C ".fresh"));
	assert_false(there(named[GIT_UNUSED]));
	assert_false(there("sysroots/" UNUSED));
	assert_false(there("sysroots/" UNUSED ".fresh"));
	assert_false(there("server/pristine"));
	assert_false(there("server/999999999"));
	assert_false(there("runs/1/pristine"));
	assert_false(there("runs/1/passes/a/s-01.superseded-1.json"));
	assert_true(there("runs/1/passes/a/s-01.json")); /* measured: goes with --runs only */
	assert_true(there("builds/" OLDER));             /* and with it, what it used */
	assert_false(there("builds/" PLANNED));
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1 });
	assert_int_equal(json_array_size(json_object_get(result, "items")), 0);
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1, .runs = true });
	assert_false(there("runs/1"));
	assert_false(there("builds/" OLDER));
	assert_newest_untouched();
	json_decref(result);
}

/* A run that is too young to go keeps its builds, however old they are. */
static void test_young_run(void **state)
{
	(void)state;
	json_decref(clean((struct mm_clean_options){ .older_than = 45 * 86400.0, .runs = true }));
	assert_true(there("runs/1/cells.json"));
	assert_true(there("builds/" OLDER));
	assert_false(there("builds/" UNUSED));
	json_decref(clean((struct mm_clean_options){ .older_than = 20 * 86400.0, .runs = true }));
	assert_false(there("runs/1"));
	assert_false(there("builds/" OLDER));
}

/* After a new beginning that was stopped, the figures there are are those of the run before it. */
static void test_stopped_run(void **state)
{
	static const char over[] = "{\"cells\": [{\"state\": \"done\", \"suites\": {\"s\": {\"planned_passes\": 2, \"good_passes\": 1, "
				   "\"failed_passes\": 1}}}, {\"state\": \"failed\"}]}";
	static const char stopped[] = "{\"cells\": [{\"state\": \"done\", \"suites\": {\"s\": {\"planned_passes\": 2, "
				      "\"good_passes\": 1, \"failed_passes\": 0}}}]}";
	(void)state;
	put("runs/1/report.json", over, 35);
	put("runs/2/report.json", stopped, 10);
	json_decref(clean((struct mm_clean_options){ .older_than = -1, .runs = true }));
	assert_true(there("runs/1/passes/a/s-01.json"));
	assert_false(there("runs/1/pristine"));
	assert_true(there("builds/" OLDER));
	assert_newest_untouched();
	put("runs/2/report.json", over, 10);
	json_decref(clean((struct mm_clean_options){ .older_than = -1, .runs = true }));
	assert_false(there("runs/1"));
	/* nothing is left to do: its data directories have served, its samples have not */
	assert_false(there("runs/2/pristine"));
	assert_true(there("runs/2/cells.json"));
	assert_true(there("runs/2/passes/a/s-01.superseded-1.json"));
}

/* What may go is not enough: said, with what else would free something. */
static void test_does_not_fit(void **state)
{
	(void)state;
	json_t *result = clean((struct mm_clean_options){ .older_than = -1, .fit = 1, .dry_run = true });
	assert_true(json_is_false(json_object_get(result, "fits")));
	assert_true(mm_json_integer(result, "more_bytes", 0) > 0); /* run 1 and its build */
	json_int_t more = mm_json_integer(result, "more_bytes", 0);
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1, .fit = 1 });
	assert_int_equal(mm_json_integer(result, "more_bytes", 0), more);
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1, .fit = 1, .runs = true });
	assert_true(json_is_false(json_object_get(result, "fits")));
	assert_int_equal(mm_json_integer(result, "more_bytes", -1), 0);
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1, .fit = 1000000000 });
	assert_true(json_is_true(json_object_get(result, "fits")));
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1 });
	assert_true(json_is_null(json_object_get(result, "fits")));
	json_decref(result);
}

/* What the matrix uses is of use although no run says so. */
static void test_matrix(void **state)
{
	struct mm_cell cell = { .id = folder };
	struct mm_cell_state built = { .build = { .key = PLANNED } };
	json_t *document = json_pack("{s:{s:{s:s}}}", "sources", "g", "git", "https://host/unused.git");
	struct mm_matrix matrix = { .cells = &cell, .cell_count = 1, .document = document };
	struct mm_look look = { .matrix = &matrix, .cells = &built };
	(void)state;
	json_decref(clean((struct mm_clean_options){ .older_than = -1, .look = &look }));
	assert_true(there("builds/" PLANNED));
	assert_true(there(named[GIT_UNUSED]));
	assert_false(there("builds/" UNUSED));
	json_decref(document);
}

/* A folder in which no mymatrix ever worked is somebody's own, whatever is in it. */
static void test_no_work_folder(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_clean_options options = { .older_than = -1 };
	json_t *result = NULL;
	char *mine = mm_path_join(folder, "mine");
	(void)state;
	options.work = mine;
	put("mine/files/photo.jpg", "mine", 50);
	put("mine/sources/x", "mine", 50);
	put("mine/builds/house", "mine", 50);
	put("mine/runs/007/plan.json", "mine", 50);
	put("mine/lock", "mine", 50);
	assert_int_equal(mm_clean_work(&options, &result, &err), MM_EUSAGE);
	assert_non_null(strstr(err.text, "is no work folder"));
	assert_true(there("mine/files/photo.jpg"));
	free(mine);
}

/* Files that no prefix has any more go; what is not of their kind stays, and all that a link leads to. */
static void test_shared_files(void **state)
{
	(void)state;
	put("files/" SHA_A "-0644", "x", 50);
	put("files/photo.jpg", "mine", 50);
	json_decref(clean((struct mm_clean_options){ .older_than = -1 }));
	assert_false(there("files/" SHA_A "-0644"));
	assert_true(there("files/photo.jpg"));
	char *files = mm_path_join(folder, "files"), *common = mm_path_join(folder, "common");
	assert_int_equal(rename(files, common), 0);
	assert_int_equal(symlink("common", files), 0);
	put("common/" SHA_A "-0644", "x", 50);
	json_decref(clean((struct mm_clean_options){ .older_than = -1 }));
	assert_true(there("common/" SHA_A "-0644"));
	free(common);
	free(files);
}

/* What is called like a run and is none, or was interrupted before it was one, takes no run's place. */
static void test_no_runs(void **state)
{
	(void)state;
	put("runs/3/plan.json.tmp-1", "{", 0);
	put("runs/007/plan.json", "{}", 0);
	put("runs/-3/plan.json", "{}", 0);
	put("runs/9", "mine", 0);
	char *newest = mm_run_newest(folder);
	assert_string_equal(mm_path_base(newest), "2");
	free(newest);
	json_decref(clean((struct mm_clean_options){ .older_than = -1, .runs = true }));
	assert_true(there("runs/2/plan.json"));
}

static void test_age(void **state)
{
	(void)state;
	json_t *result = clean((struct mm_clean_options){ .older_than = 45 * 86400.0 });
	assert_newest_untouched();
	assert_false(there("builds/" UNUSED));      /* 50 days */
	assert_true(there("builds/" USED "/tree")); /* 40 */
	assert_true(there("runs/1/pristine"));      /* 35 */
	json_decref(result);
}

/* Somebody looks around in a server right now. */
static void test_visited_server(void **state)
{
	(void)state;
	char *own = mm_format("server/%ld/scratch/x", (long)getpid());
	put(own, "x", 60);
	json_decref(clean((struct mm_clean_options){ .older_than = -1 }));
	assert_true(there(own));
	assert_true(there("server/pristine/a/x"));
	assert_false(there("server/999999999"));
	free(own);
}

/* What goes first is what costs least to lose; it stops where the rest fits. */
static void test_fit(void **state)
{
	(void)state;
	json_t *result = clean((struct mm_clean_options){ .older_than = -1, .fit = UINT64_C(1) << 40 });
	assert_int_equal(json_array_size(json_object_get(result, "items")), 0);
	uint64_t before = (uint64_t)mm_json_integer(result, "bytes", 0);
	json_decref(result);
	result = clean((struct mm_clean_options){ .older_than = -1, .fit = before - 1 });
	assert_int_equal(json_array_size(json_object_get(result, "items")), 1);
	assert_true(there("builds/" UNUSED "/build.json"));
	assert_newest_untouched();
	json_decref(result);
}

/* Without a run nobody can say which builds are of use. */
static void test_no_run(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	(void)state;
	char *runs = mm_path_join(folder, "runs");
	assert_int_equal(mm_fs_remove_tree(runs, &err), 0);
	free(runs);
	json_decref(clean((struct mm_clean_options){ .older_than = -1 }));
	assert_true(there("builds/" UNUSED "/build.json"));
	assert_true(there("sources/" SHA_B "/VERSION"));
}

static void test_refuses_while_somebody_works(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *result = NULL;
	int lock;
	(void)state;
	assert_int_equal(mm_work_lock(folder, false, &lock, &err), 0);
	assert_int_equal(mm_clean_work(&(struct mm_clean_options){ .work = folder, .older_than = -1 }, &result, &err),
			 MM_EENV);
	assert_non_null(strstr(err.text, "in use by mymatrix with pid"));
	assert_null(result);
	close(lock);
	mm_error_clear(&err);
	assert_int_equal(
		mm_clean_work(&(struct mm_clean_options){ .work = "/nonexistent", .older_than = -1 }, &result, &err),
		MM_EUSAGE);
}

static ino_t inode(const char *name)
{
	struct stat st;
	char *path = mm_path_join(folder, name);
	assert_int_equal(lstat(path, &st), 0);
	free(path);
	return st.st_ino;
}

static void share(const char *key)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_build build = { 0 };
	(void)snprintf(build.key, sizeof build.key, "%s", key);
	build.folder = mm_format("%s/builds/%s", folder, key);
	build.prefix = mm_path_join(build.folder, "prefix");
	if (mm_share_prefix(folder, &build, &err))
		fail_msg("%s", err.text);
	free(build.prefix);
	free(build.folder);
}

static void test_sharing(void **state)
{
	static char same[20000], other[20000];
	(void)state;
	memset(same, 'a', sizeof same - 1);
	memset(other, 'b', sizeof other - 1);
	put("builds/" USED "/prefix/share/errmsg", same, 0);
	put("builds/" USED "/prefix/bin/server", same, 0);
	put("builds/" UNUSED "/prefix/share/errmsg", same, 50);
	put("builds/" UNUSED "/prefix/bin/server", other, 50);
	char *path = mm_path_join(folder, "builds/" USED "/prefix/bin/server");
	assert_int_equal(chmod(path, 0755), 0); /* same content, other mode: another file */
	free(path);
	share(USED);
	share(UNUSED);
	share(UNUSED); /* again: nothing left to do */
	assert_int_equal(inode("builds/" USED "/prefix/share/errmsg"), inode("builds/" UNUSED "/prefix/share/errmsg"));
	assert_int_not_equal(inode("builds/" USED "/prefix/bin/server"), inode("builds/" UNUSED "/prefix/bin/server"));
	assert_int_not_equal(inode("builds/" USED "/prefix/bin/server"), inode("builds/" USED "/prefix/share/errmsg"));
	/* the build that goes takes its own files along, not those that the other one has too */
	json_decref(clean((struct mm_clean_options){ .older_than = -1 }));
	assert_false(there("builds/" UNUSED));
	char *files = mm_path_join(folder, "files");
	uint64_t kept = mm_fs_tree_bytes(files);
	assert_in_range(kept, 2 * 20000, 3 * 20000 + 3 * 4096);
	free(files);
	struct mm_buffer text = MM_BUFFER_INIT;
	char *errmsg = mm_path_join(folder, "builds/" USED "/prefix/share/errmsg");
	assert_int_equal(mm_fs_read(errmsg, 0, &text, NULL), 0);
	assert_string_equal(mm_buffer_text(&text), same);
	mm_buffer_release(&text);
	free(errmsg);
}

/* A prefix that is somebody else's installation is left alone. */
static void test_foreign_prefix(void **state)
{
	struct mm_error err = MM_ERROR_INIT;
	static char text[20000];
	(void)state;
	memset(text, 'c', sizeof text - 1);
	put("elsewhere/bin/server", text, 0);
	struct mm_build build = { .folder = mm_path_join(folder, "builds/" USED),
				  .prefix = mm_path_join(folder, "elsewhere") };
	assert_int_equal(mm_share_prefix(folder, &build, &err), 0);
	struct stat st;
	char *path = mm_path_join(folder, "elsewhere/bin/server");
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_nlink, 1);
	free(path);
	free(build.folder);
	free(build.prefix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dry_run_changes_nothing, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_all, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_age, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_young_run, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_stopped_run, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_does_not_fit, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_matrix, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_no_work_folder, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_shared_files, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_no_runs, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_visited_server, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_fit, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_no_run, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_refuses_while_somebody_works, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_sharing, make_work, drop_work),
		cmocka_unit_test_setup_teardown(test_foreign_prefix, make_work, drop_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
