/*
 * A build: one cell's source, compiled and installed into a prefix of its own
 * in the build store, <work>/builds/<key>/{prefix,logs,build.json}. Same key,
 * same prefix: nothing is built twice, whoever asks.
 */
#ifndef MM_BUILDERS_BUILD_H
#define MM_BUILDERS_BUILD_H

#include <jansson.h>

#include "base/jobserver.h"
#include "matrix/matrix.h"

#define MM_BUILD_KEY 33 /* 32 hexadecimal digits and the NUL: one length, so every prefix path has the same length */

enum mm_build_state { MM_BUILD_ABSENT, MM_BUILD_DONE, MM_BUILD_FAILED };

struct mm_stage {
	char *name; /* "unpack", "patch", "configure", "compile", "install" */
	double seconds;          /* wall time; other cells may have been built at the same time */
	double cpu_seconds;      /* of its programs: the same whatever else went on */
	uint64_t peak_rss_bytes; /* of its largest process */
	uint64_t began_ns;       /* while it runs */
};

struct mm_build {
	char key[MM_BUILD_KEY];
	enum mm_build_state state;
	char *signature;            /* file name of the tarball's detached signature, NULL: none is beside it */
	json_t *inputs;             /* what the key was computed from: source, toolchain, flags, options …; owned */
	char *folder;               /* <work>/builds/<key> */
	char *prefix;               /* absolute */
	char *variant;              /* "mariadb", "mysql", "percona" */
	char *version;              /* "10.11.18" */
	struct mm_strings profiles; /* the profiles that the tree got; none for packages and prefixes */
	char *server;               /* absolute path of mariadbd or mysqld */
	struct mm_strings launcher; /* argv words before the server (a loader with its library path); usually empty */
	char *basedir;              /* what --basedir gets: the prefix, or prefix/usr for packages */
	char *my_cnf; /* absolute path of the cell's option file: an empty one, or a copy of its config's */
	int elf_bits; /* 32 or 64, from the server's ELF header */
	uint64_t text_bytes, data_bytes, bss_bytes;
	/* the server as it was looked at: its content, and a number that is quicker to compare (base/stamp.h); "" and 0: not known */
	char server_sha256[65];
	int64_t server_stamp;
	struct mm_strings needed; /* DT_NEEDED of the server */
	/* what the server, its plugins and its own libraries do, the prefix masked: equal means identical binaries */
	char code_sha256[65];
	struct mm_stage *stages;
	size_t stage_count;
	bool resumed; /* an interrupted build went on: the stages tell of its last part only */
	char *doubt;   /* why a build on record is not believed, so that its state is ABSENT; NULL: there is none to doubt */
	json_t *audit; /* what the flag audit found (toolchains/audit.h), NULL: none; owned */
	/* when it failed, and of an absent one that is only looked at, when its compiler could not: */
	char *failed_stage; /* a stage's name, or "link" */
	char *failure;      /* first error line */
	char *log;          /* path */
	char *hint;         /* may be NULL */
};

/*
 * What is found out once for all cells: digests of tarballs, toolchains that were opened and tried, versions of
 * development packages. Belongs to one matrix; mm_build_cache_free before mm_matrix_free.
 */
struct mm_build_cache;
struct mm_build_cache *mm_build_cache_new(void);
void mm_build_cache_free(struct mm_build_cache *cache);

/*
 * <work>/builds/<key>. Where builds/ is a link, the folder that it leads to, so that all work folders that share it see
 * the same prefix, and with it the same build. Allocated.
 */
char *mm_build_folder(const char *work, const char *key);

/*
 * Does its prefix lie in its folder, so that it is ours? That of a "prefix" source is somebody else's, who may change it.
 * Without a folder it is not.
 */
bool mm_build_owns_prefix(const struct mm_build *build);

/* Where a build works: shared by all cells of a run. */
struct mm_store {
	const char *work; /* absolute path of the work folder */
	int jobs;         /* compile jobs at once, at least 1 */
	bool retry_failed;
	bool look_only; /* mm_build_prepare: compute the key and read the record, but try no compiler out */
	const struct mm_build_policy *policy;
	const struct mm_matrix *matrix;
	struct mm_jobserver *budget;  /* what everything that compiles shares, NULL: every build has all jobs */
	struct mm_build_cache *cache; /* NULL: everything is found out again for each cell */
};

/*
 * Checks everything of a cell that can be known before hours are spent: source there, sha256 right, toolchain
 * found and able to compile, link and run. Computes the key. Errors: MM_EMATRIX for a missing or wrong input file,
 * MM_ECELL for a toolchain that cannot.
 */
int mm_build_prepare(const struct mm_store *store, const struct mm_cell *cell, struct mm_build *build,
		     struct mm_error *err);

/*
 * Makes the prefix unless the store has it. BUILD must come from mm_build_prepare. A failed build is remembered
 * (state MM_BUILD_FAILED, build.json) and returned as MM_ECELL with stage, first error line, log and hint;
 * store->retry_failed tries it again. MM_EINTERRUPTED leaves nothing that a later call would believe.
 */
int mm_build_make(const struct mm_store *store, const struct mm_cell *cell, struct mm_build *build,
		  struct mm_error *err);

/* The cell's build facts for build.json, plan.json and reports. New reference. */
json_t *mm_build_json(const struct mm_build *build);
void mm_build_release(struct mm_build *build);

#endif
